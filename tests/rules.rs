//! The rules against their published examples, perft counts, a slow literal implementation, and
//! properties that must hold in every position of every game.

use crate::support::literal_rules::{Board, LiteralGame};
use awale::rules::{
    Game, GameResult, GrandSlam, PITS, Pit, Position, Preset, RuleSet, SEEDS, Side, divide,
    moves_text, parse_moves, perft,
};
use awale::tournament::{override_rules, rule_fields};
use proptest::prelude::*;
use rand_chacha::ChaCha8Rng;
use rand_core::{Rng, SeedableRng};
use std::collections::HashSet;
use std::num::NonZero;
use std::sync::{Mutex, PoisonError};
use std::thread::available_parallelism;

/// The rows of a table under `tests/data/rules`, comments left out, cells trimmed.
fn table(text: &str) -> Vec<Vec<&str>> {
    text.lines()
        .filter(|line| !line.starts_with('#') && !line.trim().is_empty())
        .map(|line| line.split(';').map(str::trim).collect())
        .collect()
}

/// `awale grand-slam=capture` → rules.
fn rules_of(text: &str) -> RuleSet {
    let mut words = text.split_whitespace();
    let rules = Preset::from_name(words.next().unwrap()).unwrap().rules();
    let set = words.map(|word| word.split_once('=').unwrap());
    let set = set.map(|(field, value)| (field.to_owned(), value.into()));
    override_rules(rules, &set.collect()).unwrap()
}

fn pit(letter: &str) -> Pit {
    parse_moves(letter).unwrap()[0]
}

#[test]
fn published_moves() {
    for row in table(include_str!("data/rules/moves.csv")) {
        let [rules, position, legal, letter, captured, after] = row[..] else {
            panic!("a row of six cells: {row:?}")
        };
        let rules = rules_of(rules);
        let position: Position = position.parse().unwrap();
        if legal != "?" {
            assert_eq!(rules.legal_moves(position).to_string(), legal, "{row:?}");
        }
        let played = rules.play(position, pit(letter));
        if captured == "-" {
            assert!(played.is_err(), "{row:?}");
            continue;
        }
        let played = played.unwrap_or_else(|error| panic!("{row:?}: {error}"));
        assert_eq!(played.captured.to_string(), captured, "{row:?}");
        if after != "?" {
            let pits: Vec<u8> = after
                .split([',', '|'])
                .map(|n| n.parse().unwrap())
                .collect();
            assert_eq!(played.position.pits()[..], pits, "{row:?}");
        }
    }
}

#[test]
fn published_endings() {
    for row in table(include_str!("data/rules/endings.csv")) {
        let [rules, position, reason, stores] = row[..] else {
            panic!("a row of four cells: {row:?}")
        };
        let game = Game::new(rules_of(rules), position.parse().unwrap());
        let Some(ending) = game.ending() else {
            assert_eq!(reason, "-", "{row:?}");
            assert!(!game.legal_moves().is_empty(), "{row:?}");
            continue;
        };
        assert_eq!(ending.reason.name(), reason, "{row:?}");
        let [south, north] = ending.stores;
        assert_eq!(format!("{south},{north}"), stores, "{row:?}");
        assert_eq!(ending.result(), GameResult::of_stores([south, north]));
        assert!(game.legal_moves().is_empty(), "{row:?}");
    }
}

/// One count of a table: the rules it is made with, from where, how deep, and what it must be.
struct Count {
    rules: String,
    position: Position,
    depth: u32,
    leaves: String,
}

/// Every count of the published tables to be made at these depths.
fn perft_counts(depths: &std::ops::RangeInclusive<u32>) -> Vec<Count> {
    let mut counts = Vec::new();
    for row in table(include_str!("data/rules/perft.csv")) {
        let [position, slam, depth, leaves] = row[..] else {
            panic!("four cells: {row:?}")
        };
        let depth: u32 = depth.parse().unwrap();
        if !depths.contains(&depth) {
            continue;
        }
        let slams: Vec<&str> = match slam {
            "*" => vec![
                "no-capture",
                "forbidden",
                "forbidden-unless-only",
                "forbidden-unless-only-capture",
                "capture",
            ],
            one => vec![one],
        };
        for slam in slams {
            counts.extend(["true", "false"].map(|majority| Count {
                rules: format!("awale grand-slam={slam} majority-ends={majority}"),
                position: position.parse().unwrap(),
                depth,
                leaves: leaves.to_owned(),
            }));
        }
    }
    counts
}

/// Makes the counts on all processors, says how many there were. Depths that take a release build
/// are left to one (`scripts/test` runs both).
fn perft_rows(depths: std::ops::RangeInclusive<u32>) -> usize {
    let counts = perft_counts(&depths);
    // The deepest take longest, and are begun first.
    let left = Mutex::new(counts.iter().collect::<Vec<_>>());
    let next = || left.lock().unwrap_or_else(PoisonError::into_inner).pop();
    let work = || {
        while let Some(count) = next() {
            let Count {
                rules,
                position,
                depth,
                leaves,
            } = count;
            let found = perft(&rules_of(rules), *position, *depth);
            assert_eq!(&found.to_string(), leaves, "{rules}, depth {depth}");
        }
    };
    let processors = available_parallelism().map_or(1, NonZero::get);
    std::thread::scope(|scope| {
        for _ in 0..processors {
            scope.spawn(work);
        }
    });
    counts.len()
}

#[test]
fn perft_to_depth_8() {
    assert_eq!(perft_rows(0..=8), 10 * 9 + 2 * 25);
}

#[cfg(not(debug_assertions))]
#[test]
fn perft_to_depth_12() {
    assert_eq!(perft_rows(9..=12), 10 * 3 + 2 * 5);
}

#[test]
fn divide_adds_up_to_perft() {
    let rules = RuleSet::default();
    let parts = divide(&rules, Position::START, 6);
    assert_eq!(
        parts
            .iter()
            .map(|(pit, _)| pit.letter())
            .collect::<String>(),
        "ABCDEF"
    );
    assert_eq!(parts.iter().map(|(_, count)| count).sum::<u64>(), 27332);
    assert!(divide(&rules, Position::START, 0).is_empty());
}

/// Every board of `seeds` seeds in the twelve pits.
fn boards(seeds: u8) -> Vec<[u8; PITS]> {
    fn fill(pits: &mut [u8; PITS], pit: usize, left: u8, all: &mut Vec<[u8; PITS]>) {
        if pit == PITS - 1 {
            pits[pit] = left;
            all.push(*pits);
            return;
        }
        for here in 0..=left {
            pits[pit] = here;
            fill(pits, pit + 1, left - here, all);
        }
        pits[pit] = 0;
    }
    let mut all = Vec::new();
    fill(&mut [0; PITS], 0, seeds, &mut all);
    all
}

#[test]
fn dead_positions_are_as_many_as_published() {
    for (rules, seeds, of, dead) in [
        ("classique", 2, 78, 78),
        ("classique", 3, 364, 124),
        ("classique grand-slam=capture", 2, 78, 77),
        ("classique grand-slam=capture", 3, 364, 122),
    ] {
        let rules = rules_of(rules);
        let all = boards(seeds);
        assert_eq!(all.len(), of);
        for side in Side::BOTH {
            let count = all
                .iter()
                .filter(|pits| rules.is_dead(Position::new(**pits, [0, 0], side).unwrap()))
                .count();
            assert_eq!(count, dead, "{rules:?}, {seeds} seeds, {side} to move");
        }
    }
}

/// Plies to the nearest capture that the rules let the two players reach together.
fn plies_to_first_capture(rules: RuleSet, start: Position) -> Option<u32> {
    let (mut ring, mut seen) = (vec![start], HashSet::from([start]));
    for ply in 1.. {
        let mut next = Vec::new();
        for position in ring {
            for pit in rules.legal_moves(position) {
                let played = rules.play_unchecked(position, pit);
                if played.captured > 0 {
                    return Some(ply);
                }
                if seen.insert(played.position) {
                    next.push(played.position);
                }
            }
        }
        if next.is_empty() {
            return None;
        }
        ring = next;
    }
    unreachable!("a ring runs empty: there are only 442 boards of two or three seeds")
}

/// The longest way to a capture with three seeds; distances found by a separate search too.
#[test]
fn a_first_capture_may_be_32_plies_away() {
    let start: Position = "0-1-0-0-0-0-2-0-0-0-0-0-0-0-S".parse().unwrap();
    for (rules, plies) in [
        ("classique", 32),
        ("classique grand-slam=forbidden", 32),
        ("classique grand-slam=no-capture", 32),
        ("classique grand-slam=forbidden-unless-only-capture", 32),
        ("classique grand-slam=capture", 21),
    ] {
        let rules = rules_of(rules);
        assert!(!rules.is_dead(start), "{rules:?}");
        assert_eq!(
            plies_to_first_capture(rules, start),
            Some(plies),
            "{rules:?}"
        );
    }
}

fn literal(position: Position) -> Board {
    Board {
        pits: position.pits().map(u32::from),
        stores: position.stores().map(u32::from),
        to_move: position.to_move().index(),
    }
}

fn same(position: Position, board: &Board) -> bool {
    literal(position) == *board
}

/// Plays one random game on both implementations and compares them at every ply. Returns the
/// reason of the ending.
fn compare_a_game(rules: RuleSet, start: Position, seed: u64) -> &'static str {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let mut game = Game::new(rules, start);
    let mut slow = LiteralGame::new(rules, literal(start));
    for _ in 0..2000 {
        let replay = format!("{rules:?}\n{start} {}", moves_text(game.moves()));
        assert!(same(game.position(), &slow.board), "{replay}");
        let ends = game.ending().map(|ending| ending.reason.name());
        assert_eq!(ends, slow.ends(), "{replay}");
        if let Some(ending) = game.ending() {
            let stores = slow.board.settle(&rules, ending.reason.name());
            assert_eq!(ending.stores.map(u32::from), stores, "{replay}");
            return ending.reason.name();
        }
        let legal: Vec<usize> = game.legal_moves().iter().map(Pit::index).collect();
        assert_eq!(legal, slow.board.moves(&rules), "{replay}");
        let choice = legal[random.next_u32() as usize % legal.len()];
        let captured = game.play(Pit::all().nth(choice).unwrap()).unwrap().captured;
        assert_eq!(u32::from(captured), slow.play(choice), "{replay}");
    }
    "unfinished"
}

/// A random position: seeds thrown into few or many pits, some of them captured or lost.
fn random_position(random: &mut ChaCha8Rng) -> Position {
    let mut pits = [0; PITS];
    let mut stores = [0; 2];
    let on_board = random.next_u32() % 49;
    let spread = 1 + random.next_u32() % 12;
    for _ in 0..on_board {
        pits[(random.next_u32() % spread * 7 % 12) as usize] += 1;
    }
    for _ in 0..random.next_u32() % (49 - on_board) {
        stores[random.next_u32() as usize % 2] += 1;
    }
    Position::new(pits, stores, Side::BOTH[random.next_u32() as usize % 2]).unwrap()
}

fn random_rules(random: &mut ChaCha8Rng) -> RuleSet {
    let fields = rule_fields(&RuleSet::default());
    let set = (0..fields.len()).map(|field| {
        let donor = Preset::ALL[random.next_u32() as usize % Preset::ALL.len()].rules();
        rule_fields(&donor).swap_remove(field)
    });
    override_rules(RuleSet::default(), &set.collect()).unwrap()
}

#[test]
fn presets_play_as_the_literal_rules_do() {
    let mut reasons = std::collections::BTreeMap::new();
    for preset in Preset::ALL {
        for seed in 0..150 {
            let reason = compare_a_game(preset.rules(), Position::START, seed);
            // A game of which no repetition is the end may have none here.
            if reason != "unfinished" || preset != Preset::Codingame {
                *reasons.entry(reason).or_insert(0) += 1;
            }
        }
    }
    // Every ending was met, and every game did end.
    let met: Vec<&str> = reasons.into_keys().collect();
    assert_eq!(
        met,
        [
            "dead-position",
            "majority",
            "no-move",
            "repetition",
            "row-empty"
        ]
    );
}

#[test]
fn any_rules_from_any_position_play_as_the_literal_rules_do() {
    let mut random = ChaCha8Rng::seed_from_u64(1);
    for seed in 0..4000 {
        let rules = random_rules(&mut random);
        let start = random_position(&mut random);
        compare_a_game(rules, start, seed);
    }
}

#[test]
fn the_dead_position_test_agrees_with_the_literal_one_under_any_rules() {
    let mut random = ChaCha8Rng::seed_from_u64(2);
    for _ in 0..30 {
        let rules = random_rules(&mut random);
        for pits in boards(2).into_iter().chain(boards(3)) {
            let position = Position::new(pits, [0, 0], Side::South).unwrap();
            let dead = rules.is_dead(position);
            assert_eq!(
                dead,
                literal(position).is_dead(&rules),
                "{rules:?}\n{position}"
            );
        }
    }
}

#[test]
fn the_middle_of_a_game_repeats_only_since_the_last_capture() {
    // The game's own count of occurrences against all positions ever, over long random games.
    let mut rules = rules_of("simple repetition.occurrences=3");
    rules.grand_slam = GrandSlam::Capture;
    for seed in 0..200 {
        let reason = compare_a_game(rules, Position::START, seed);
        assert_ne!(reason, "unfinished");
    }
}

prop_compose! {
    fn any_position()(seed in any::<u64>()) -> Position {
        random_position(&mut ChaCha8Rng::seed_from_u64(seed))
    }
}

prop_compose! {
    fn any_rules()(seed in any::<u64>()) -> RuleSet {
        random_rules(&mut ChaCha8Rng::seed_from_u64(seed))
    }
}

fn all_seeds(position: Position) -> u32 {
    position
        .pits()
        .iter()
        .chain(&position.stores())
        .map(|&n| u32::from(n))
        .sum()
}

proptest! {
    #[test]
    fn seeds_are_conserved(rules in any_rules(), position in any_position()) {
        for pit in rules.legal_moves(position) {
            let played = rules.play(position, pit).unwrap();
            prop_assert_eq!(all_seeds(played.position), all_seeds(position));
            prop_assert_eq!(played.position.seeds(pit), 0);
            let mover = position.to_move();
            prop_assert_eq!(played.position.store(mover), position.store(mover) + played.captured);
            let waiting = mover.opponent();
            prop_assert_eq!(played.position.store(waiting), position.store(waiting));
        }
        if let Some(ending) = Game::new(rules, position).ending() {
            let counted: u32 = ending.stores.iter().map(|&n| u32::from(n)).sum();
            prop_assert!(counted <= all_seeds(position));
        }
    }

    #[test]
    fn legal_moves_are_those_that_play_accepts(rules in any_rules(), position in any_position()) {
        let legal: Vec<Pit> = rules.legal_moves(position).iter().collect();
        let by_trial: Vec<Pit> =
            Pit::all().filter(|&pit| rules.play(position, pit).is_ok()).collect();
        prop_assert_eq!(&legal, &by_trial);
        let brute: Vec<usize> = match literal(position).ends(&rules) {
            Some(_) => Vec::new(),
            None => literal(position).moves(&rules),
        };
        prop_assert_eq!(legal.iter().map(|pit| pit.index()).collect::<Vec<_>>(), brute);
    }

    #[test]
    fn notation_goes_round(position in any_position(), moves in "[A-Fa-f]{0,40}") {
        prop_assert_eq!(position.to_string().parse::<Position>(), Ok(position));
        prop_assert_eq!(moves_text(&parse_moves(&moves).unwrap()), moves);
    }

    #[test]
    fn any_text_is_a_position_or_an_error(text in "[0-9SN-]{0,50}") {
        if let Ok(position) = text.parse::<Position>() {
            prop_assert_eq!(position.to_string(), text);
            prop_assert!(all_seeds(position) <= u32::from(SEEDS));
        }
    }

    #[test]
    fn a_capture_forgets_history(rules in any_rules(), seed in any::<u64>()) {
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        let mut game = Game::new(rules, Position::START);
        let mut since_capture = 1;
        while game.ending().is_none() && game.moves().len() < 1000 {
            let legal: Vec<Pit> = game.legal_moves().iter().collect();
            let played = game.play(legal[random.next_u32() as usize % legal.len()]).unwrap();
            since_capture = if played.captured > 0 { 1 } else { since_capture + 1 };
            prop_assert_eq!(game.history().len(), since_capture);
            prop_assert_eq!(game.history().positions().last(), Some(&game.position()));
        }
    }

    #[test]
    fn sides_are_treated_alike(rules in any_rules(), position in any_position()) {
        // The board turned round: South's pits become North's.
        let [south, north] = position.stores();
        let mut pits = position.pits();
        pits.rotate_left(6);
        let turned = Position::new(pits, [north, south], position.to_move().opponent()).unwrap();
        prop_assert_eq!(rules.ends_at(turned), rules.ends_at(position));
        let lower = rules.legal_moves(turned).to_string().to_lowercase();
        prop_assert_eq!(lower, rules.legal_moves(position).to_string().to_lowercase());
    }
}
