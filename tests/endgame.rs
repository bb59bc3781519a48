//! Databases of endgames against a solver that takes everything literally: the second
//! implementation of the rules, and the value of play that is cut after k plies, for larger and
//! larger k, until it changes no more. And `minimax` with a database, which must get what it says.

use crate::support::literal_rules::Board;
use awale::engine::endgame::{EndgameValues, SolvedRules, for_each_position};
use awale::engine::{Budget, Engine, House, MinimaxOptions};
use awale::rules::{Game, GrandSlam, Pit, Position, Preset, Repetition, RuleSet, Side};
use rand_chacha::ChaCha8Rng;
use rand_core::{Rng as _, SeedableRng as _};
use std::collections::HashMap;

/// The boards of so many seeds, with the first player to move and empty stores.
fn boards(seeds: u32) -> Vec<[u32; 12]> {
    fn fill(pits: [u32; 12], pit: usize, left: u32, all: &mut Vec<[u32; 12]>) {
        if pit == 11 {
            let mut pits = pits;
            pits[11] = left;
            all.push(pits);
            return;
        }
        for count in 0..=left {
            let mut pits = pits;
            pits[pit] = count;
            fill(pits, pit + 1, left - count, all);
        }
    }
    let mut all = Vec::new();
    fill([0; 12], 0, seeds, &mut all);
    all
}

/// What a move or an end of a board pays, and where play goes on.
enum Pays {
    /// The mover gains so much, and the game is over.
    End(i32),
    /// The mover captures so much, and its opponent is to move on this board.
    Then(i32, [u32; 12]),
}

fn outcomes(rules: &RuleSet, pits: [u32; 12]) -> Vec<Pays> {
    let board = Board {
        pits,
        stores: [0, 0],
        to_move: 0,
    };
    if let Some(reason) = board.ends(rules) {
        let [own, other] = board.settle(rules, reason).map(u32::cast_signed);
        return vec![Pays::End(own - other)];
    }
    let moves = board.moves(rules).into_iter().map(|pit| {
        let (mut after, captured, _) = board.play(rules, pit);
        // The board as its next mover sees it.
        after.pits.rotate_left(6);
        Pays::Then(captured.cast_signed(), after.pits)
    });
    moves.collect()
}

/// A seed count and a number within its boards.
type Place = (usize, usize);

/// Values of all boards of up to so many seeds.
struct Literal {
    numbers: HashMap<[u32; 12], Place>,
    values: Vec<Vec<i32>>,
}

impl Literal {
    fn solve(rules: &RuleSet, most: u32) -> Self {
        let mut solved = Self {
            numbers: HashMap::new(),
            values: Vec::new(),
        };
        for seeds in 0..=most {
            solved.solve_layer(rules, seeds);
        }
        solved
    }

    fn solve_layer(&mut self, rules: &RuleSet, seeds: u32) {
        let boards = boards(seeds);
        let layer = self.values.len();
        for (number, board) in boards.iter().enumerate() {
            self.numbers.insert(*board, (layer, number));
        }
        // For each board the most that ends and captures pay, and where play stays in the layer.
        let mut paid: Vec<Option<i32>> = Vec::new();
        let mut stays: Vec<Vec<u32>> = Vec::new();
        for board in &boards {
            let (mut best, mut next) = (None, Vec::new());
            for outcome in outcomes(rules, *board) {
                match outcome {
                    Pays::End(gain) => best = best.max(Some(gain)),
                    Pays::Then(captured, after) => match self.numbers[&after] {
                        (after, number) if after == layer => {
                            assert_eq!(captured, 0);
                            next.push(u32::try_from(number).unwrap());
                        }
                        (after, number) => {
                            best = best.max(Some(captured - self.values[after][number]));
                        }
                    },
                }
            }
            paid.push(best);
            stays.push(next);
        }
        // Play that is cut at once pays nothing.
        let mut values = vec![0; boards.len()];
        loop {
            let next = |number: usize| {
                let stays = stays[number].iter().map(|&next| -values[next as usize]);
                stays.chain(paid[number]).max().expect("a move or an end")
            };
            let longer: Vec<i32> = (0..boards.len()).map(next).collect();
            if longer == values {
                break;
            }
            values = longer;
        }
        self.values.push(values);
    }

    fn value(&self, position: Position) -> i32 {
        let mut pits = position.pits().map(u32::from);
        if position.to_move() == Side::North {
            pits.rotate_left(6);
        }
        let (layer, number) = self.numbers[&pits];
        self.values[layer][number]
    }
}

fn solved(rules: &RuleSet, seeds: u8) -> EndgameValues {
    EndgameValues::solve(SolvedRules::of(rules).unwrap(), seeds)
}

fn with_slam(grand_slam: GrandSlam) -> RuleSet {
    RuleSet {
        grand_slam,
        ..RuleSet::default()
    }
}

const SLAMS: [GrandSlam; 5] = [
    GrandSlam::NoCapture,
    GrandSlam::Forbidden,
    GrandSlam::ForbiddenUnlessOnly,
    GrandSlam::ForbiddenUnlessOnlyCapture,
    GrandSlam::Capture,
];

#[test]
fn every_rule_for_slams_is_solved_as_the_literal_rules_say() {
    for rules in SLAMS.map(with_slam) {
        compare(&rules, 7);
    }
}

/// The fields that change ends.
#[test]
fn every_rule_of_ends_is_solved_as_the_literal_rules_say() {
    for preset in [Preset::Awari, Preset::Abidjan, Preset::Junior] {
        compare(&preset.rules(), 6);
    }
    let classique = Preset::Classique.rules();
    let remaining = RuleSet::default().repetition.remaining;
    compare(
        &RuleSet {
            repetition: Repetition {
                remaining,
                ..classique.repetition
            },
            ..classique
        },
        6,
    );
    let hungry = RuleSet {
        must_feed: false,
        ..RuleSet::default()
    };
    compare(&hungry, 6);
}

fn compare(rules: &RuleSet, seeds: u8) {
    let literal = Literal::solve(rules, u32::from(seeds));
    let values = solved(rules, seeds);
    for seeds in 0..=seeds {
        for_each_position(seeds, |position| {
            let expected = literal.value(position);
            let value = values.value(position).map(i32::from);
            assert_eq!(value, Some(expected), "{position} {rules:?}");
        });
    }
}

/// With twelve seeds there are laps.
#[test]
fn twelve_seeds_are_solved_as_the_literal_rules_say() {
    let rules = RuleSet::default();
    let literal = Literal::solve(&rules, 12);
    let values = solved(&rules, 12);
    let mut random = ChaCha8Rng::seed_from_u64(12);
    let mut below = |bound: u32| random.next_u32() % bound;
    for _ in 0..20_000 {
        let mut pits = [0; 12];
        let spread = 1 + below(12);
        for _ in 0..=below(12) {
            pits[(below(spread) * 7 % 12) as usize] += 1;
        }
        let side = Side::BOTH[below(2) as usize];
        let stores = [below(18), below(18)].map(|seeds| u8::try_from(seeds).unwrap());
        let position = Position::new(pits, stores, side).unwrap();
        let expected = literal.value(position);
        let value = values.value(position).map(i32::from);
        assert_eq!(value, Some(expected), "{position}");
    }
}

fn minimax(values: &EndgameValues) -> Engine {
    let mut engine = Engine::new(House::Minimax(MinimaxOptions {
        depth: Some(3),
        table_mib: 1,
    }));
    engine.use_endgame(values.clone());
    engine.new_game(1);
    engine
}

/// From a fresh history `minimax` gets at least what the database says, whoever plays against it,
/// and exactly that against itself. What its opponent gives away in the middle of a stretch, it
/// takes too.
#[test]
fn minimax_with_a_database_loses_no_seed() {
    let rules = Preset::Simple.rules();
    let values = solved(&rules, 8);
    let (mut engine, mut random) = (minimax(&values), ChaCha8Rng::seed_from_u64(4));
    let mut number = 0_u32;
    for_each_position(8, |position| {
        number += 1;
        if !number.is_multiple_of(211) {
            return;
        }
        for plays_itself in [true, false] {
            let mut game = Game::new(rules, position);
            let mut due = i32::from(values.value(position).unwrap());
            while game.ending().is_none() {
                if game.position().to_move() == Side::South {
                    let [south, north] = game.position().stores().map(i32::from);
                    let gain = values.value(game.position()).unwrap();
                    due = due.max(south - north + i32::from(gain));
                }
                let legal: Vec<Pit> = game.legal_moves().into_iter().collect();
                let pit = if plays_itself || game.position().to_move() == Side::South {
                    engine.choose(&game, &Budget::default()).unwrap().pit
                } else {
                    legal[random.next_u32() as usize % legal.len()]
                };
                game.play(pit).unwrap();
            }
            let [south, north] = game.ending().unwrap().stores.map(i32::from);
            if plays_itself {
                assert_eq!(south - north, due, "{position}");
            } else {
                assert!(south - north >= due, "{position}: {south}-{north}");
            }
        }
    });
}

/// Before the database begins, `minimax` sees what it says behind the next capture: every win that
/// it claims is one.
#[test]
fn a_claimed_win_is_one() {
    let rules = RuleSet::default();
    let [small, large] = [6, 9].map(|seeds| solved(&rules, seeds));
    let mut engine = minimax(&small);
    let (mut number, mut claims) = (0_u32, 0);
    for_each_position(9, |position| {
        number += 1;
        if !number.is_multiple_of(101) {
            return;
        }
        let position = Position::new(position.pits(), [19, 20], Side::South).unwrap();
        let game = Game::new(rules, position);
        if game.ending().is_some() {
            return;
        }
        let score = engine
            .choose(&game, &Budget::default())
            .unwrap()
            .score
            .unwrap();
        if score.hundredths().abs() == 4800 {
            let difference = i32::from(large.value(position).unwrap()) - 1;
            assert_eq!(
                difference.signum(),
                score.hundredths().signum(),
                "{position}"
            );
            claims += 1;
        }
    });
    assert!(claims > 100, "{claims}");
}
