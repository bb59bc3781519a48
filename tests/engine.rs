//! The players against references that share nothing with them but the rules: plain negamax,
//! exhaustive play to the end, and games against each other.

use crate::support::awale_command::awale;
use awale::engine::reference::{Evaluation, Rng, Score, Scoring, WIN};
use awale::engine::{Budget, Engine, EngineChoice, House, MinimaxOptions};
use awale::rules::{EndReason, Game, GameResult, PITS, Pit, Position, Preset, RuleSet, Side};
use awale::tournament::{override_rules, parse_openings, rule_fields};
use std::cell::Cell;

/// A game of random moves that is not over and has had `plies` of them.
fn random_game(rules: RuleSet, start: Position, plies: usize, rng: &mut Rng) -> Option<Game> {
    let mut game = Game::new(rules, start);
    for _ in 0..plies {
        let moves: Vec<Pit> = game.legal_moves().into_iter().collect();
        game.play(rng.pick(&moves)?).expect("a legal move");
    }
    game.ending().is_none().then_some(game)
}

/// A position of this many seeds in pits, the rest in the stores, evenly; any side to move.
fn random_position(on_board: usize, rng: &mut Rng) -> Position {
    let mut pits = [0; PITS];
    for _ in 0..on_board {
        pits[rng.below(PITS)] += 1;
    }
    let stores = u8::try_from(48 - on_board).unwrap();
    let south = (stores / 2)
        .saturating_add(u8::try_from(rng.below(3)).unwrap())
        .min(stores);
    let side = Side::BOTH[rng.below(2)];
    Position::new(pits, [south, stores - south], side).expect("48 seeds")
}

fn minimax(depth: Option<u32>, table_mib: usize) -> Engine {
    Engine::new(House::Minimax(MinimaxOptions { depth, table_mib }))
}

fn unlimited() -> Budget<'static> {
    Budget::default()
}

/// Negamax as in a textbook: no window, no table, no order; repetition by looking at everything.
struct Plain {
    rules: RuleSet,
    scoring: Scoring,
    /// Positions of the game, then of the line, with the seeds captured before each.
    line: Vec<(Position, u8)>,
    root: usize,
    nodes: u64,
    repetitions: u64,
}

impl Plain {
    fn new(game: &Game) -> Self {
        let history = game.history().positions();
        Self {
            rules: *game.rules(),
            scoring: Scoring::new(*game.rules(), game.position()),
            line: history.iter().map(|&position| (position, 0)).collect(),
            root: history.len() - 1,
            nodes: 0,
            repetitions: 0,
        }
    }

    fn repeats(&self) -> bool {
        let here = self.line.len() - 1;
        let position = self.line[here].0;
        let mut occurrences = 1;
        for place in (0..here).rev() {
            if self.line[place + 1].1 > 0 {
                break;
            }
            if self.line[place].0 == position {
                occurrences += 1;
                if place >= self.root || occurrences >= self.rules.repetition.occurrences {
                    return true;
                }
            }
        }
        false
    }

    fn value(&mut self, depth: u32, ply: usize) -> i32 {
        self.nodes += 1;
        let (position, captured) = self.line[self.line.len() - 1];
        if self.scoring.is_lost(position) {
            return -(WIN - i32::try_from(ply).unwrap());
        }
        if let Some(reason) = self.rules.ends_at(position) {
            return self.scoring.ending(position, reason, ply);
        }
        if ply > 0 && captured == 0 && self.repeats() {
            self.repetitions += 1;
            return self.scoring.ending(position, EndReason::Repetition, ply);
        }
        let mut best = -WIN - 1;
        if depth == 0 {
            best = Evaluation::new(&self.rules).value(position);
        }
        for pit in self.rules.legal_moves(position) {
            let played = self.rules.play(position, pit).expect("a legal move");
            if depth == 0 && played.captured == 0 {
                continue;
            }
            self.line.push((played.position, played.captured));
            best = best.max(-self.value(depth.saturating_sub(1), ply + 1));
            self.line.pop();
        }
        best
    }

    /// The value of one move at the root.
    fn move_value(&mut self, pit: Pit, depth: u32) -> i32 {
        let played = self
            .rules
            .play(self.line[self.root].0, pit)
            .expect("a legal move");
        self.line.push((played.position, played.captured));
        let value = -self.value(depth - 1, 1);
        self.line.pop();
        value
    }
}

/// Compares the engine with plain negamax; tells how many repetitions the latter has met.
fn compare_with_plain(game: &Game, depth: u32, engine: &mut Engine) -> u64 {
    let mut plain = Plain::new(game);
    let expected = plain.value(depth, 0);
    let budget = Budget {
        max_depth: Some(depth),
        ..unlimited()
    };
    let choice = engine.choose(game, &budget).expect("the game goes on");
    let what = format!(
        "{:?}\n{} depth {depth}, {choice:?}",
        game.rules(),
        game.position()
    );
    assert_eq!(choice.score, Some(Score::new(expected)), "{what}");
    assert_eq!(plain.move_value(choice.pit, depth), expected, "{what}");
    plain.repetitions
}

#[test]
fn values_are_those_of_plain_negamax_in_every_preset() {
    let mut rng = Rng::new(11, 0);
    let mut engine = minimax(None, 1);
    for preset in Preset::ALL {
        let mut compared = 0;
        while compared < 100 {
            let plies = rng.below(70);
            let depth = 1 + u32::try_from(compared % 5).unwrap();
            if let Some(game) = random_game(preset.rules(), Position::START, plies, &mut rng) {
                compare_with_plain(&game, depth, &mut engine);
                compared += 1;
            }
        }
    }
}

/// Few seeds: lines return to positions of the game and to their own.
#[test]
fn values_are_those_of_plain_negamax_where_positions_repeat() {
    let mut rng = Rng::new(12, 0);
    let mut engine = minimax(None, 1);
    for preset in Preset::ALL {
        let (mut compared, mut with_repetition) = (0, 0);
        for _ in 0..400 {
            let start = random_position(2 + rng.below(4), &mut rng);
            let plies = rng.below(20);
            let Some(game) = random_game(preset.rules(), start, plies, &mut rng) else {
                continue;
            };
            let depth = 5 + u32::try_from(rng.below(10)).unwrap();
            compared += 1;
            with_repetition += u32::from(compare_with_plain(&game, depth, &mut engine) > 0);
        }
        // The children's game is over too soon to come back to anything.
        if !preset.rules().row_empty_ends {
            assert!(compared >= 40, "{preset:?}: only {compared} positions");
            assert!(
                with_repetition >= 10,
                "{preset:?}: only {with_repetition} repetitions"
            );
        }
    }
}

/// A preset with some fields of another one.
fn odd_rules(rng: &mut Rng) -> RuleSet {
    let rules = Preset::ALL[rng.below(Preset::ALL.len())].rules();
    let mut set = serde_json::Map::new();
    for field in 0..rule_fields(&rules).len() {
        if rng.below(4) == 0 {
            let other = Preset::ALL[rng.below(Preset::ALL.len())].rules();
            set.extend([rule_fields(&other).swap_remove(field)]);
        }
    }
    override_rules(rules, &set).unwrap()
}

/// Every value of every field of the rules, in all kinds of company.
#[test]
fn values_are_those_of_plain_negamax_under_odd_rules() {
    let mut rng = Rng::new(19, 0);
    let mut engine = minimax(None, 1);
    let mut compared = 0;
    while compared < 300 {
        let rules = odd_rules(&mut rng);
        let (start, plies, deepest) = match rng.below(3) {
            0 => (random_position(2 + rng.below(5), &mut rng), 8, 8),
            1 => (random_position(8 + rng.below(20), &mut rng), 12, 4),
            _ => (Position::START, 50, 4),
        };
        let plies = rng.below(plies);
        if let Some(game) = random_game(rules, start, plies, &mut rng) {
            let depth = 1 + u32::try_from(rng.below(deepest)).unwrap();
            compare_with_plain(&game, depth, &mut engine);
            compared += 1;
        }
    }
}

/// Whether the side to move can have won within so many plies, whatever the other side plays: by
/// trying everything.
fn can_force_win(game: &Game, winner: Side, plies: u32) -> bool {
    // Half of the seeds, and what may have to be given after the end.
    if game.position().store(winner) > 24 + game.rules().no_move_gift {
        return true;
    }
    if let Some(ending) = game.ending() {
        return ending.result() == GameResult::Win(winner);
    }
    let wins = |pit| {
        let mut next = game.clone();
        next.play(pit).expect("a legal move");
        can_force_win(&next, winner, plies - 1)
    };
    let mut moves = game.legal_moves().into_iter();
    match (plies, game.position().to_move() == winner) {
        (0, _) => false,
        (_, true) => moves.any(wins),
        (_, false) => moves.all(wins),
    }
}

/// Won by the side to move in so many plies.
const TACTICAL_POSITIONS: [(Preset, &str, u32); 18] = [
    (Preset::Awale, "0-10-0-5-0-1-2-1-1-2-2-1-18-5-S", 1),
    (Preset::Awale, "1-0-5-5-4-0-3-1-1-0-0-0-16-12-S", 3),
    (Preset::Awale, "1-1-4-2-0-0-1-0-1-1-2-2-21-12-S", 5),
    (Preset::Awale, "0-2-5-1-0-0-0-0-0-1-0-0-24-15-S", 7),
    (Preset::Abapa, "1-1-1-0-3-3-0-1-1-0-0-0-19-18-S", 3),
    (Preset::Abapa, "0-0-0-0-5-0-1-3-0-1-0-1-14-23-N", 7),
    (Preset::Classique, "0-2-2-1-0-2-2-1-0-0-2-2-18-16-S", 6),
    (Preset::Classique, "7-0-1-6-1-1-0-3-0-0-0-0-17-12-S", 5),
    (Preset::Commun, "0-2-2-2-1-1-2-1-0-6-1-1-14-15-N", 3),
    (Preset::Commun, "0-1-0-0-0-3-0-4-1-2-0-1-12-24-N", 5),
    (Preset::Simple, "1-0-0-0-0-2-1-0-3-3-1-0-16-21-N", 5),
    (Preset::Simple, "1-1-0-2-0-1-1-0-0-0-4-0-19-19-S", 4),
    (Preset::Abidjan, "0-2-1-2-0-0-0-0-1-4-1-1-14-22-N", 3),
    (Preset::Abidjan, "2-0-2-0-0-1-1-0-0-1-0-0-22-19-S", 6),
    (Preset::Junior, "2-1-0-3-3-0-0-0-0-0-1-0-20-18-S", 4),
    (Preset::Junior, "1-0-0-2-0-1-0-0-2-2-0-3-23-14-S", 5),
    (Preset::Awari, "1-3-1-4-0-0-1-0-0-0-0-0-23-15-S", 3),
    (Preset::Awari, "1-1-0-4-2-2-0-1-0-0-0-0-19-18-S", 5),
];

/// Exhaustive play shows that these wins are there, and that no quicker ones are. They are found
/// with a depth and under a clock.
#[test]
fn tactical_positions_are_solved() {
    for (preset, text, plies) in TACTICAL_POSITIONS {
        let game = Game::new(preset.rules(), text.parse().unwrap());
        let mover = game.position().to_move();
        assert!(can_force_win(&game, mover, plies), "{text}");
        assert!(
            plies < 2 || !can_force_win(&game, mover, plies - 2),
            "{text}"
        );
        let fixed = minimax(Some(plies), 1).choose(&game, &unlimited()).unwrap();
        let timed = think_for(&game, 200, &mut minimax(None, 1));
        for choice in [fixed, timed] {
            let score = choice.score.unwrap();
            assert_eq!(score.certain_in(), Some(plies), "{text} {choice:?}");
            assert!(score.hundredths() > 0, "{text}");
            let mut next = game.clone();
            next.play(choice.pit).unwrap();
            assert!(can_force_win(&next, mover, plies - 1), "{text} {choice:?}");
        }
    }
}

/// A choice after so many looks at the clock.
fn think_for(game: &Game, looks: u32, engine: &mut Engine) -> EngineChoice {
    let left = Cell::new(looks);
    let stop = || {
        left.set(left.get().saturating_sub(1));
        left.get() == 0
    };
    let budget = Budget {
        stop: Some(&stop),
        ..unlimited()
    };
    engine.choose(game, &budget).expect("the game goes on")
}

/// What a search under a clock leaves out on suspicion never makes it certain of what is not true.
#[test]
fn certain_results_under_a_clock_are_true() {
    let mut rng = Rng::new(20, 0);
    let mut engine = minimax(None, 1);
    for preset in Preset::ALL {
        let (mut certain, mut tried) = ([0; 2], 0);
        // More occurrences are beyond exhaustive play.
        while ends_at_a_return(preset) && (certain[0] < 8 || certain[1] < 8) {
            tried += 1;
            assert!(tried < 3000, "{preset:?}: only {certain:?}");
            let position = random_position(2 + rng.below(5), &mut rng);
            let game = Game::new(preset.rules(), position);
            let is_decided = position.stores().into_iter().any(|store| store > 24);
            if is_decided || game.ending().is_some() {
                continue;
            }
            let choice = think_for(&game, 8, &mut engine);
            let Some(score) = choice.score.filter(|score| score.certain_in().is_some()) else {
                continue;
            };
            if let Some(outcome) = solve(&game, &mut 3_000) {
                assert_eq!(
                    score.hundredths().signum(),
                    outcome,
                    "{position} {choice:?}"
                );
                certain[usize::from(outcome > 0)] += 1;
            }
        }
    }
}

/// Whether the first return of a position ends the game.
fn ends_at_a_return(preset: Preset) -> bool {
    preset.rules().repetition.occurrences == 2
}

/// What the game is worth to the side to move, by playing everything to the end: 1, 0 or −1.
/// `None` if that takes more than `patience` positions.
fn solve(game: &Game, patience: &mut u32) -> Option<i32> {
    *patience = patience.checked_sub(1)?;
    let mover = game.position().to_move();
    if let Some(ending) = game.ending() {
        return Some(match ending.result() {
            GameResult::Draw => 0,
            GameResult::Win(side) if side == mover => 1,
            GameResult::Win(_) => -1,
        });
    }
    let mut best = -1;
    for pit in game.legal_moves() {
        let mut next = game.clone();
        next.play(pit).expect("a legal move");
        best = best.max(-solve(&next, patience)?);
        if best == 1 {
            break;
        }
    }
    Some(best)
}

#[test]
fn small_positions_are_solved() {
    let mut rng = Rng::new(13, 0);
    let mut engine = minimax(Some(60), 4);
    // More occurrences are beyond exhaustive play.
    for preset in Preset::ALL.into_iter().filter(|it| ends_at_a_return(*it)) {
        let (mut solved, mut tried) = ([0; 3], 0);
        while solved[0] < 12 || solved[2] < 12 {
            tried += 1;
            assert!(tried < 2000, "{preset:?}: only {solved:?}");
            let position = random_position(2 + rng.below(4), &mut rng);
            let game = Game::new(preset.rules(), position);
            if position.stores().into_iter().any(|store| store > 24) || game.ending().is_some() {
                continue;
            }
            let Some(outcome) = solve(&game, &mut 2_000) else {
                continue;
            };
            let budget = Budget {
                max_nodes: Some(40_000),
                ..unlimited()
            };
            let choice = engine.choose(&game, &budget).expect("the game goes on");
            let score = choice.score.expect("a search has a score");
            let found = score
                .certain_in()
                .map_or(0, |_| score.hundredths().signum());
            assert_eq!(found, outcome, "{preset:?} {position} {choice:?}");
            solved[usize::try_from(outcome + 1).unwrap()] += 1;
        }
    }
}

/// Plays a position that is claimed to be won against every defence.
fn play_out_win(game: &Game, winner: Side, plies_left: u32, engine: &mut Engine) {
    let half = 24;
    if let Some(ending) = game.ending() {
        assert_eq!(
            ending.result(),
            GameResult::Win(winner),
            "{}",
            game.position()
        );
        return;
    }
    if game.position().store(winner) > half {
        return;
    }
    assert!(plies_left > 0, "{} is not yet won", game.position());
    let moves: Vec<Pit> = if game.position().to_move() == winner {
        let choice = engine.choose(game, &unlimited()).expect("the game goes on");
        let in_plies = choice.score.and_then(Score::certain_in);
        assert!(
            in_plies.is_some_and(|plies| plies <= plies_left),
            "{choice:?}"
        );
        vec![choice.pit]
    } else {
        game.legal_moves().into_iter().collect()
    };
    for pit in moves {
        let mut next = game.clone();
        next.play(pit).expect("a legal move");
        play_out_win(&next, winner, plies_left - 1, engine);
    }
}

/// A forced majority is found, and played against whatever the opponent tries.
#[test]
fn certain_wins_are_won_in_time() {
    let mut rng = Rng::new(14, 0);
    let mut engine = minimax(Some(9), 1);
    for preset in [
        Preset::Awale,
        Preset::Abapa,
        Preset::Classique,
        Preset::Commun,
    ] {
        let (mut wins, mut longest) = (0, 0);
        while wins < 25 {
            let start = random_position(4 + rng.below(16), &mut rng);
            let plies = rng.below(12);
            let Some(game) = random_game(preset.rules(), start, plies, &mut rng) else {
                continue;
            };
            let is_open = game
                .position()
                .stores()
                .into_iter()
                .all(|store| store <= 24);
            let choice = engine
                .choose(&game, &unlimited())
                .expect("the game goes on");
            let score = choice.score.expect("a search has a score");
            if let Some(plies) = score.certain_in()
                && is_open
                && score.hundredths() > 0
            {
                play_out_win(&game, game.position().to_move(), plies, &mut engine);
                wins += 1;
                longest = longest.max(plies);
            }
        }
        assert!(longest >= 5, "{preset:?}: all wins within {longest} plies");
    }
}

/// Of the games between two players from random openings, each played with both sides: how many
/// the first wins.
fn count_wins(first: &mut Engine, second: &mut Engine, games: u64, rules: RuleSet) -> u64 {
    let mut wins = 0;
    for number in 0..games {
        let mut rng = Rng::new(15, number / 2);
        let plies = 4 + rng.below(5);
        let opening = random_game(rules, Position::START, plies, &mut rng);
        let mut game = opening.map_or_else(
            || Game::new(rules, Position::START),
            |opening| Game::new(rules, opening.position()),
        );
        let firsts_side = Side::BOTH[usize::try_from(number % 2).unwrap()];
        first.new_game(number);
        second.new_game(number);
        while game.ending().is_none() {
            let is_first = game.position().to_move() == firsts_side;
            let player = if is_first { &mut *first } else { &mut *second };
            let choice = player
                .choose(&game, &unlimited())
                .expect("the game goes on");
            game.play(choice.pit).expect("a legal move");
        }
        let result = game.ending().map(|ending| ending.result());
        wins += u64::from(result == Some(GameResult::Win(firsts_side)));
    }
    wins
}

#[test]
fn six_plies_beat_greed_in_95_of_100_games() {
    let mut minimax = minimax(Some(6), 1);
    let wins = count_wins(
        &mut minimax,
        &mut Engine::new(House::Greedy),
        100,
        RuleSet::default(),
    );
    assert!(wins >= 95, "{wins} of 100");
}

#[test]
fn greed_beats_chance() {
    let mut greedy = Engine::new(House::Greedy);
    let mut random = Engine::new(House::Random);
    let wins = count_wins(&mut greedy, &mut random, 200, RuleSet::default());
    assert!(wins >= 150, "{wins} of 200");
}

#[test]
fn a_fixed_depth_remembers_nothing() {
    let mut rng = Rng::new(16, 0);
    let mut old_hand = minimax(Some(7), 1);
    old_hand.new_game(5);
    for preset in Preset::ALL {
        for _ in 0..6 {
            let plies = 20 + rng.below(30);
            let Some(game) = random_game(preset.rules(), Position::START, plies, &mut rng) else {
                continue;
            };
            let mut beginner = minimax(Some(7), 1);
            beginner.new_game(5);
            let choice = old_hand.choose(&game, &unlimited()).unwrap();
            assert_eq!(beginner.choose(&game, &unlimited()).unwrap(), choice);
            // Another table means other visits, never another move or score.
            let mut roomy = minimax(Some(7), 3);
            roomy.new_game(5);
            let other = roomy.choose(&game, &unlimited()).unwrap();
            assert_eq!((other.pit, other.score), (choice.pit, choice.score));
            // The expected line can be played.
            let mut line = game.clone();
            assert_eq!(choice.pv.first(), Some(&choice.pit));
            for &pit in &choice.pv {
                line.play(pit).expect("a legal move of the expected line");
            }
        }
    }
}

#[test]
fn a_new_game_forgets_the_last_one() {
    let game = random_game(
        RuleSet::default(),
        Position::START,
        10,
        &mut Rng::new(17, 0),
    )
    .unwrap();
    let think = |engine: &mut Engine| {
        let looks = Cell::new(0);
        let stop = || {
            looks.set(looks.get() + 1);
            looks.get() > 200
        };
        engine
            .choose(
                &game,
                &Budget {
                    stop: Some(&stop),
                    ..unlimited()
                },
            )
            .unwrap()
    };
    let mut engine = minimax(None, 1);
    engine.new_game(3);
    let fresh = think(&mut engine);
    let remembering = think(&mut engine);
    assert_ne!(
        remembering, fresh,
        "the table of the same game was not used"
    );
    engine.new_game(3);
    assert_eq!(think(&mut engine), fresh);
}

#[test]
fn an_only_move_is_played_at_once_when_time_is_short() {
    let position = "0-0-3-0-0-0-4-4-4-4-4-4-10-11-S".parse().unwrap();
    let game = Game::new(RuleSet::default(), position);
    let choice = minimax(None, 1)
        .choose(
            &game,
            &Budget {
                stop: Some(&|| false),
                ..unlimited()
            },
        )
        .unwrap();
    assert_eq!((choice.pit.letter(), choice.nodes), ('C', 0));
    // With a fixed depth the opponents' answers are looked at all the same.
    assert_eq!(
        minimax(Some(4), 1)
            .choose(&game, &unlimited())
            .unwrap()
            .depth,
        4
    );
}

#[test]
fn without_any_time_there_is_a_move() {
    let game = Game::new(RuleSet::default(), Position::START);
    for (budget, most) in [
        (
            Budget {
                stop: Some(&|| true),
                ..unlimited()
            },
            256,
        ),
        (
            Budget {
                max_nodes: Some(0),
                ..unlimited()
            },
            256,
        ),
        (
            Budget {
                max_nodes: Some(5000),
                ..unlimited()
            },
            5000 + 255,
        ),
        (
            Budget {
                max_depth: Some(0),
                ..unlimited()
            },
            256,
        ),
    ] {
        let choice = minimax(None, 1).choose(&game, &budget).unwrap();
        assert!(game.legal_moves().contains(choice.pit));
        assert!(choice.nodes <= most, "{budget:?} {choice:?}");
    }
}

/// Odd rules, few seeds, heavy pits: every player answers with a legal move, or none at an end.
#[test]
fn every_player_has_a_legal_move_for_any_game() {
    let mut rng = Rng::new(18, 0);
    let mut players = [
        Engine::new(House::Random),
        Engine::new(House::Greedy),
        minimax(Some(5), 1),
        minimax(Some(12), 1),
    ];
    let mut ends = 0;
    for number in 0..600 {
        let mut rules = odd_rules(&mut rng);
        if rng.below(10) == 0 {
            rules.no_move_gift = 48;
        }
        let mut pits = [0; PITS];
        let mut left = rng.below(49);
        for _ in 0..=rng.below(12) {
            let some = rng.below(left + 1);
            pits[rng.below(PITS)] += u8::try_from(some).unwrap();
            left -= some;
        }
        let stores = [u8::try_from(rng.below(left + 1)).unwrap(), 0];
        let position = Position::new(pits, stores, Side::BOTH[rng.below(2)]).unwrap();
        let game = Game::new(rules, position);
        ends += u32::from(game.ending().is_some());
        for player in &mut players {
            player.new_game(number);
            let budget = Budget {
                max_nodes: Some(3000),
                ..unlimited()
            };
            match player.choose(&game, &budget) {
                Some(choice) => assert!(game.legal_moves().contains(choice.pit), "{position}"),
                None => assert!(game.ending().is_some(), "{rules:?} {position}"),
            }
        }
    }
    assert!(
        (20..500).contains(&ends),
        "{ends} of 600 positions are over"
    );
}

#[test]
fn random_plays_all_moves_equally_often() {
    let game = Game::new(RuleSet::default(), Position::START);
    let mut counts = [0_u32; PITS];
    let mut random = Engine::new(House::Random);
    for seed in 0..6000 {
        random.new_game(seed);
        let choice = random.choose(&game, &unlimited()).unwrap();
        counts[choice.pit.index()] += 1;
        assert_eq!(random.choose(&game, &unlimited()), Some(choice));
    }
    // Each is binomial with mean 1000 and standard deviation 29: six of them either way.
    assert!(
        counts[..6].iter().all(|count| (825..=1175).contains(count)),
        "{counts:?}"
    );
}

#[test]
fn random_does_not_repeat_itself_from_ply_to_ply() {
    // Six moves to choose from each time, so six equal choices have a chance of 6⁻⁵.
    let mut game = Game::new(RuleSet::default(), Position::START);
    let mut random = Engine::new(House::Random);
    random.new_game(1);
    let mut choices = std::collections::BTreeSet::new();
    for _ in 0..10 {
        let choice = random.choose(&game, &unlimited()).unwrap();
        choices.insert(choice.pit.row_index());
        game.play(choice.pit).unwrap();
    }
    assert!(choices.len() > 1);
}

/// The documented capture examples: D takes 7, F takes 3, and B, a slam, takes nothing.
#[test]
fn greedy_takes_most_and_does_not_care_among_equals() {
    let mut greedy = Engine::new(House::Greedy);
    let position = "0-10-0-5-0-1-2-1-1-2-2-1-10-13-S".parse().unwrap();
    let choice = greedy
        .choose(&Game::new(RuleSet::default(), position), &unlimited())
        .unwrap();
    assert_eq!(choice.pit.letter(), 'D');
    assert_eq!(
        choice.score.map(Score::hundredths),
        Some((10 + 7 - 13) * 100)
    );
    // Nothing can be taken at the start: every move comes up with some seed.
    let start = Game::new(RuleSet::default(), Position::START);
    let mut choices = std::collections::BTreeSet::new();
    for seed in 0..100 {
        greedy.new_game(seed);
        choices.insert(greedy.choose(&start, &unlimited()).unwrap().pit);
    }
    assert_eq!(choices.len(), 6);
}

#[test]
fn players_have_their_names() {
    for name in ["random", "greedy", "minimax"] {
        assert_eq!(House::from_name(name).map(House::name), Some(name));
    }
    assert_eq!(House::from_name("Greedy"), None);
}

/// The value of a position by alpha-beta without a table or an order, of the same depth.
fn alpha_beta(plain: &mut Plain, (alpha, beta): (i32, i32), depth: u32, ply: usize) -> i32 {
    let (position, captured) = plain.line[plain.line.len() - 1];
    let is_over = plain.scoring.is_lost(position)
        || plain.rules.ends_at(position).is_some()
        || ply > 0 && captured == 0 && plain.repeats();
    if is_over {
        return plain.value(0, ply);
    }
    let mut best = -WIN - 1;
    if depth == 0 {
        best = Evaluation::new(&plain.rules).value(position);
    }
    for pit in plain.rules.legal_moves(position) {
        if best >= beta {
            break;
        }
        let played = plain.rules.play(position, pit).expect("a legal move");
        if depth == 0 && played.captured == 0 {
            continue;
        }
        plain.line.push((played.position, played.captured));
        let window = (-beta, -alpha.max(best));
        best = best.max(-alpha_beta(plain, window, depth.saturating_sub(1), ply + 1));
        plain.line.pop();
    }
    best
}

/// The openings of a made book are even by another search of the same depth, no two lead to one
/// position, and the number of threads changes no byte.
#[test]
fn made_openings_are_even_and_differ() {
    for (flags, rules, plies, count, most) in [
        (
            "--plies 8 --count 12 --balanced 2",
            Preset::Awale,
            8,
            12,
            200,
        ),
        (
            "--plies 4 --count 10 --balanced 1 --rules simple",
            Preset::Simple,
            4,
            10,
            100,
        ),
    ] {
        let make = |threads: &str| {
            let words = format!("openings make {flags} --threads {threads}");
            let said = awale(&words.split(' ').collect::<Vec<_>>())
                .output()
                .expect("it runs");
            assert!(said.status.success(), "{said:?}");
            String::from_utf8(said.stdout).expect("a text")
        };
        let text = make("1");
        assert_eq!(text, make("2"));
        let rules = rules.rules();
        let book = parse_openings(&rules, &text).expect("a list that differs in positions");
        assert_eq!(book.len(), count);
        for opening in book {
            assert_eq!(opening.moves.len(), plies, "{opening:?}");
            let game = Game::new(rules, opening.position);
            let full = (-WIN - 1, WIN + 1);
            let value = alpha_beta(&mut Plain::new(&game), full, 8, 0);
            assert!(value.abs() <= most, "{opening:?}: {value}");
        }
    }
    for (flags, said) in [
        (
            "--plies 2 --count 40",
            "cannot make 40 openings: 36 positions after 2 plies are all that were found",
        ),
        ("--plies 3", "an opening has an even number of plies"),
        ("--rules owari", "the presets are"),
    ] {
        let words = format!("openings make {flags}");
        let found = awale(&words.split(' ').collect::<Vec<_>>())
            .output()
            .expect("it runs");
        let error = String::from_utf8_lossy(&found.stderr).into_owned();
        assert_eq!(found.status.code(), Some(2), "{error}");
        assert!(error.contains(said), "{error}");
    }
}
