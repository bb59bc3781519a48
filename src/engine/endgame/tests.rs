//! Facts that were published or found by other programs, and what must hold of every database.
//!
//! `tests/endgame.rs` compares with a solver that takes the rules literally.

use super::*;
use crate::rules::{Game, GameResult, GrandSlam, Position, Preset, Repetition, RuleSet, Side};

/// One thread that nobody watches.
const ALONE: Work<'_> = Work {
    threads: 1,
    progress: &|_| {},
    stop: &|| false,
};

fn solved(rules: RuleSet, seeds: u8) -> EndgameValues {
    EndgameValues::solve(SolvedRules::of(&rules).unwrap(), seeds)
}

fn with_slam(grand_slam: GrandSlam) -> RuleSet {
    RuleSet {
        grand_slam,
        ..RuleSet::default()
    }
}

/// Positions of so many seeds in which the mover gains, neither does, and the mover loses.
fn counts(values: &EndgameValues, seeds: u8) -> [u32; 3] {
    let mut counts = [0; 3];
    for_each_position(seeds, |position| {
        let value = values.value(position).unwrap();
        counts[usize::from(value <= 0) + usize::from(value < 0)] += 1;
    });
    counts
}

#[test]
fn known_numbers_of_gains_and_losses() {
    let awale = solved(RuleSet::default(), 10);
    for (seeds, expected) in [
        (0, [0, 1, 0]),
        (1, [5, 0, 7]),
        (2, [24, 13, 41]),
        (3, [121, 64, 179]),
        (4, [577, 143, 645]),
        (5, [2161, 0, 2207]),
        (6, [5707, 1545, 5124]),
        (7, [14944, 4483, 12397]),
        (8, [37806, 8333, 29443]),
        (10, [157_790, 93_737, 101_189]),
    ] {
        assert_eq!(counts(&awale, seeds), expected, "{seeds} seeds");
    }
    let capture = solved(with_slam(GrandSlam::Capture), 8);
    assert_eq!(counts(&capture, 6), [5781, 1540, 5055]);
    assert_eq!(counts(&capture, 8), [38104, 8235, 29243]);
    let awari = solved(Preset::Awari.rules(), 6);
    assert_eq!(counts(&awari, 6), [5698, 1548, 5130]);
}

#[test]
fn known_values() {
    let position: Position = "2-0-0-0-0-2-1-2-4-0-0-0-0-0-S".parse().unwrap();
    for (grand_slam, expected) in [
        (GrandSlam::NoCapture, 11),
        (GrandSlam::Capture, -1),
        (GrandSlam::ForbiddenUnlessOnlyCapture, -1),
        (GrandSlam::Forbidden, 3),
        (GrandSlam::ForbiddenUnlessOnly, 11),
    ] {
        let values = solved(with_slam(grand_slam), 11);
        assert_eq!(values.value(position), Some(expected), "{grand_slam:?}");
        assert_eq!(values.limited_to(10).value(position), None);
    }
}

/// The rule sets that have values, each with something of its own.
fn solvable() -> Vec<RuleSet> {
    let mut rules: Vec<RuleSet> = Preset::ALL
        .into_iter()
        .map(|preset| {
            let rules = preset.rules();
            let remaining = RuleSet::default().repetition.remaining;
            let repetition = Repetition {
                remaining,
                ..rules.repetition
            };
            RuleSet {
                repetition,
                ..rules
            }
        })
        .collect();
    rules.push(with_slam(GrandSlam::Capture));
    rules.push(with_slam(GrandSlam::ForbiddenUnlessOnly));
    rules
}

/// Laps begin with twelve seeds, and with them two visits to a pit in one move.
#[test]
fn every_value_follows_from_those_after_it() {
    for (rules, seeds) in solvable().into_iter().map(|rules| (rules, 8)).chain([
        (RuleSet::default(), 13),
        (with_slam(GrandSlam::Forbidden), 12),
    ]) {
        let values = solved(rules, seeds);
        let wrong = values.inconsistent_position(ALONE);
        assert_eq!(wrong, None, "{rules:?}");
    }
}

#[test]
fn bytes_do_not_depend_on_threads() {
    let rules = RuleSet::default();
    let rows = Rows::up_to(11);
    let [one, three] = [1, 3].map(|threads| {
        let mut layers = Vec::new();
        for _ in 0..=11 {
            let work = Work { threads, ..ALONE };
            layers.push(solve_layer(&rules, &rows, &layers, work).unwrap());
        }
        layers
    });
    assert!(one == three);
}

#[test]
fn a_stopped_solver_gives_up() {
    let rules = RuleSet::default();
    let work = Work {
        threads: 2,
        stop: &|| true,
        ..ALONE
    };
    assert_eq!(solve_layer(&rules, &Rows::up_to(0), &[], work), None);
}

/// Played out from a fresh history, both sides get what the value says, unless the rules stop the
/// game when it is decided; then the winner is the same.
#[test]
fn perfect_players_get_the_value() {
    for rules in solvable() {
        let values = solved(rules, 8);
        let mut number = 0_u32;
        for_each_position(8, |position| {
            number += 1;
            if !number.is_multiple_of(7) {
                return;
            }
            let position = Position::new(position.pits(), [20, 20], Side::South).unwrap();
            let game = Game::new(rules, position);
            let Some(ending) = values.play_out(&game) else {
                assert!(game.ending().is_some(), "{position}");
                return;
            };
            let value = values.value(position).unwrap();
            let [south, north] = ending.stores.map(u8::cast_signed);
            assert_eq!(
                (south - north).signum(),
                value.signum(),
                "{position} {rules:?}"
            );
            if !rules.majority_ends {
                assert_eq!(south - north, value, "{position} {rules:?}");
            }
        });
    }
}

/// However its opponent plays, a side that makes perfect moves gets at least the value.
#[test]
fn nobody_does_better_against_perfect_moves() {
    let rules = Preset::Simple.rules();
    let values = solved(rules, 7);
    let mut rng = super::super::rng::Rng::new(44, 0);
    let mut number = 0_u32;
    for_each_position(7, |position| {
        number += 1;
        if !number.is_multiple_of(11) {
            return;
        }
        let mut game = Game::new(rules, position);
        while game.ending().is_none() {
            let legal: Vec<_> = game.legal_moves().into_iter().collect();
            let pit = match game.position().to_move() {
                Side::South => values.perfect_move(game.position()),
                Side::North => rng.pick(&legal),
            };
            game.play(pit.unwrap()).unwrap();
        }
        let [south, north] = game.ending().unwrap().stores.map(u8::cast_signed);
        assert!(
            south - north >= values.value(position).unwrap(),
            "{position}"
        );
    });
}

#[test]
fn a_game_that_could_repeat_is_not_played_out() {
    let values = solved(RuleSet::default(), 6);
    let position = "1-0-0-0-1-0-1-0-0-0-1-0-20-20-S".parse().unwrap();
    let mut game = Game::new(RuleSet::default(), position);
    assert!(values.play_out(&game).is_some());
    game.play(game.legal_moves().iter().next().unwrap())
        .unwrap();
    assert_eq!(game.history().len(), 2);
    assert_eq!(values.play_out(&game), None);
    let other = Game::new(Preset::Commun.rules(), position);
    assert_eq!(values.play_out(&other), None);
    let over = "0-0-0-0-1-0-1-0-0-0-0-0-25-20-S".parse().unwrap();
    let over = Game::new(RuleSet::default(), over);
    assert_eq!(
        over.ending().map(|it| it.result()),
        Some(GameResult::Win(Side::South))
    );
    assert_eq!(values.play_out(&over), None);
}

#[test]
fn rules_whose_values_depend_on_the_way_are_refused() {
    let with = |preset: Preset, change: &dyn Fn(&mut RuleSet)| {
        let mut rules = preset.rules();
        change(&mut rules);
        SolvedRules::of(&rules)
    };
    let same = |_: &mut RuleSet| {};
    assert_eq!(with(Preset::Abapa, &same), Err(Unsolvable::RemainingSeeds));
    assert_eq!(
        with(Preset::Classique, &same),
        Err(Unsolvable::RemainingSeeds)
    );
    let gift = |rules: &mut RuleSet| rules.no_move_gift = 2;
    assert_eq!(with(Preset::Abidjan, &gift), Err(Unsolvable::LargeGift(2)));
    let majority = |rules: &mut RuleSet| rules.majority_ends = true;
    assert_eq!(
        with(Preset::Abidjan, &majority),
        Err(Unsolvable::GiftAfterMajority)
    );
    // What only decides when a game is stopped makes no other database.
    assert_eq!(with(Preset::Awale, &same), with(Preset::Simple, &same));
    assert_ne!(with(Preset::Awale, &same), with(Preset::Commun, &same));
    for preset in [
        Preset::Awale,
        Preset::Commun,
        Preset::Abidjan,
        Preset::Junior,
        Preset::Awari,
    ] {
        assert!(with(preset, &same).is_ok(), "{preset:?}");
    }
    let junior = with(Preset::Junior, &same).unwrap();
    assert_eq!(junior.name(), "capture-last-pit-no-feeding-row-empty-ends");
}
