//! The errors of ratings: against closed forms and a bootstrap, and in every corner where an error
//! could come out as nothing at all. `coverage` compares them with the truth.

use std::collections::BTreeMap;

use super::simulated::{games_of, round_robin, throw, thrown};
use awale::stats::elo::{ELO_PER_LOGIT, NORMAL_95, expected_score};
use awale::stats::game::{Outcome, RatedEntrant, RatedGame};
use awale::stats::rating::{BoundDirection, MOST_RATINGS, TooManyRatings, Warning, rate};
use awale::stats::ratings::{RatingModel, Ratings, ZeroPoint};
use awale::stats::tally::{Sample, Tally};
use proptest::prelude::*;
use rand_chacha::ChaCha8Rng;
use rand_core::{Rng, SeedableRng};

fn model(first_move_advantage: bool) -> RatingModel {
    RatingModel {
        first_move_advantage,
        ..RatingModel::default()
    }
}

fn anchored(anchors: &[(u32, f64)]) -> RatingModel {
    RatingModel {
        anchors: anchors
            .iter()
            .map(|&(number, elo)| (RatedEntrant(number), elo))
            .collect(),
        ..RatingModel::default()
    }
}

fn los(ratings: &Ratings, upper: u32, lower: u32) -> Option<f64> {
    let difference = ratings.difference(RatedEntrant(upper), RatedEntrant(lower));
    difference.and_then(|it| it.los)
}

fn game(south: u32, north: u32, outcome: Outcome, pair: Option<u64>) -> RatedGame {
    RatedGame {
        south: RatedEntrant(south),
        north: RatedEntrant(north),
        outcome,
        opening: None,
        pair,
        content: None,
    }
}

fn fit(entrants: u32, games: &[RatedGame], model: &RatingModel) -> Ratings {
    let tally = Tally::from_games(entrants, games.iter().copied()).expect("legal games");
    rate(&tally, model).expect("few entrants")
}

fn error(ratings: &Ratings, upper: u32, lower: u32) -> f64 {
    ratings
        .difference(RatedEntrant(upper), RatedEntrant(lower))
        .expect("comparable")
        .error95
        .expect("an estimate")
}

/// Everything with an error, in a fixed order.
fn all_errors(ratings: &Ratings) -> Vec<f64> {
    let count = u32::try_from(ratings.ratings.len()).expect("few");
    let own = ratings.ratings.iter().map(|rating| rating.error95);
    let advantage = ratings.advantage.and_then(|advantage| advantage.error95);
    let differences = (0..count)
        .flat_map(|i| (0..i).map(move |j| (i, j)))
        .map(|(i, j)| {
            ratings
                .difference(RatedEntrant(i), RatedEntrant(j))
                .and_then(|d| d.error95)
        });
    own.chain([advantage])
        .chain(differences)
        .flatten()
        .collect()
}

fn assert_close(found: &[f64], expected: &[f64], tolerance: f64, what: &str) {
    assert_eq!(found.len(), expected.len(), "{what}");
    for (f, e) in found.iter().zip(expected) {
        assert!(
            (f - e).abs() <= tolerance * e.abs().max(1.0),
            "{what}: {found:?}, not {expected:?}"
        );
    }
}

/// A round robin in pairs, in which South has an advantage of 30 Elo. An opening favours the same
/// side in both games by this part of what is possible; without a bias games are drawn, too.
fn tournament(elos: &[f64], pairs: u64, bias: f64, source: &mut ChaCha8Rng) -> Vec<RatedGame> {
    let entrants = u32::try_from(elos.len()).expect("few");
    let games = games_of(round_robin(entrants), pairs, |one, other| {
        let sign = if throw(source) < 0.5 { bias } else { -bias };
        [(one, other), (other, one)].map(|(south, north)| {
            let score = expected_score(elos[south as usize] - elos[north as usize] + 30.0);
            let drawn = if bias > 0.0 { 0.0 } else { 1.4 };
            thrown(score + sign * score.min(1.0 - score), drawn, source)
        })
    });
    let by_pair = |game| RatedGame {
        opening: None,
        ..game
    };
    games.into_iter().map(by_pair).collect()
}

#[test]
fn pairs_of_two_entrants_in_closed_form() {
    // Pair scores of 0 with sides swapped: 10 × 2, 6 × 1, 4 × 0; the mean is 1.3 of 2, p = 0.65.
    let mut games = Vec::new();
    for pair in 0..20 {
        let (first, second) = match pair {
            0..10 => (Outcome::SouthWins, Outcome::NorthWins),
            10..16 => (Outcome::SouthWins, Outcome::SouthWins),
            _ => (Outcome::NorthWins, Outcome::SouthWins),
        };
        games.push(game(0, 1, first, Some(pair)));
        games.push(game(1, 0, second, Some(pair)));
    }
    let ratings = fit(2, &games, &model(false));
    // Score of a pair: its points − 1.3, twice 0.65 · 0.35 of information in each of 20 pairs.
    let meat = 10.0 * 0.7_f64.powi(2) + 6.0 * 0.3_f64.powi(2) + 4.0 * 1.3_f64.powi(2);
    let information = 40.0 * 0.65 * 0.35;
    let variance = meat / (information * information) * 20.0 / 19.0;
    // Student's t with 19 degrees of freedom, from a table.
    let expected = 2.093_024_054 * variance.sqrt() * ELO_PER_LOGIT;
    assert_close(&[error(&ratings, 0, 1)], &[expected], 1e-7, "a difference");
    assert_close(
        &[ratings.ratings[0].error95.unwrap()],
        &[expected / 2.0],
        1e-7,
        "a rating",
    );
    assert_eq!(
        (ratings.errors.clusters, ratings.errors.parameters),
        (20, 1)
    );
}

/// Some tournament with everything in it.
fn sample_games(seed: u64) -> Vec<RatedGame> {
    let mut source = ChaCha8Rng::seed_from_u64(seed);
    tournament(&[150.0, 20.0, 0.0, -60.0, -110.0], 8, 0.0, &mut source)
}

#[test]
fn twice_the_games_are_half_the_variance() {
    let games = sample_games(5);
    let again = games.iter().map(|g| RatedGame {
        pair: g.pair.map(|pair| pair + 1000),
        ..*g
    });
    let doubled: Vec<RatedGame> = games.iter().copied().chain(again).collect();
    let (once, twice) = (fit(5, &games, &model(true)), fit(5, &doubled, &model(true)));
    assert_eq!((once.errors.clusters, twice.errors.clusters), (80, 160));
    // The sandwich is halved exactly; twice the openings also hide less and are surer of it: five
    // numbers of 80 are at most some 5 % of an error.
    for (twice, once) in all_errors(&twice).iter().zip(&all_errors(&once)) {
        let ratio = twice / once;
        assert!((0.67..0.5_f64.sqrt()).contains(&ratio), "{ratio}");
    }
}

#[test]
fn copies_tell_nothing_new() {
    let with_content = |games: &[RatedGame], pair: u64| -> Vec<RatedGame> {
        let content = |(number, g): (usize, &RatedGame)| RatedGame {
            content: Some(number as u64),
            pair: g.pair.map(|it| it + pair),
            ..*g
        };
        games.iter().enumerate().map(content).collect()
    };
    let games = sample_games(6);
    let mut repeated = with_content(&games, 0);
    for copy in 1..5 {
        repeated.extend(with_content(&games, 1000 * copy));
    }
    let once = fit(5, &with_content(&games, 0), &model(true));
    assert_close(
        &all_errors(&once),
        &all_errors(&fit(5, &games, &model(true))),
        1e-12,
        "content",
    );
    let copied = fit(5, &repeated, &model(true));
    assert_close(
        &all_errors(&copied),
        &all_errors(&once),
        1e-9,
        "five copies",
    );
    assert_eq!(copied.errors, once.errors);
    let sample = Sample {
        games: 800,
        duplicate_games: 640,
        pairs: 400,
        distinct_pairs: 80,
    };
    assert_eq!(copied.sample, sample);
    assert_eq!(copied.warnings, [Warning::Duplicates(sample)]);
    let elos = |ratings: &Ratings| ratings.ratings.iter().map(|r| r.elo).collect::<Vec<_>>();
    assert_close(&elos(&copied), &elos(&once), 1e-9, "ratings");
}

#[test]
fn a_match_that_repeats_its_first_pair_has_no_error() {
    let pair = |number: u64| {
        [
            RatedGame {
                content: Some(1),
                ..game(0, 1, Outcome::SouthWins, Some(number))
            },
            RatedGame {
                content: Some(2),
                ..game(1, 0, Outcome::Draw, Some(number))
            },
        ]
    };
    let many: Vec<RatedGame> = (0..500).flat_map(pair).collect();
    let many = fit(2, &many, &model(false));
    assert_eq!((many.errors.known, many.errors.clusters), (false, 1));
    let difference = many.difference(RatedEntrant(0), RatedEntrant(1));
    assert_eq!(difference.expect("they met").error95, None);
    assert!(many.warnings.contains(&Warning::FewOpenings(many.errors)));
}

#[test]
fn copies_prove_no_bound() {
    let win = |content: u64| RatedGame {
        content: Some(content),
        ..game(0, 1, Outcome::SouthWins, None)
    };
    let copies = fit(2, &[win(7); 10], &model(false));
    let wins: Vec<RatedGame> = (0..10).map(win).collect();
    let lead = |ratings: &Ratings| {
        let difference = ratings
            .difference(RatedEntrant(0), RatedEntrant(1))
            .expect("they met");
        assert_eq!(difference.bound, Some(BoundDirection::AtLeast));
        difference.elo
    };
    // exp(−1.920729 / n) for one game, and for ten.
    assert!(
        (lead(&copies) + 306.146_1).abs() < 1e-3,
        "{}",
        lead(&copies)
    );
    assert!((lead(&fit(2, &wins, &model(false))) - 269.663_3).abs() < 1e-3);
    let los = |ratings: &Ratings| {
        let difference = ratings.difference(RatedEntrant(0), RatedEntrant(1));
        difference.and_then(|it| it.los).expect("they met")
    };
    // Φ(√(2 n ln 2)) for one game, and for ten.
    assert!((los(&copies) - 0.880_484).abs() < 1e-6);
    assert!((los(&fit(2, &wins, &model(false))) - 0.999_902).abs() < 1e-6);
}

/// Games of one opening, all different, that the first of two won, in pairs.
fn won_from(opening: u64, winner: u32, loser: u32, pairs: u64) -> Vec<RatedGame> {
    let pair = move |pair: u64| {
        let number = (opening * 100 + u64::from(loser)) * 100 + pair;
        let seated = |south: u32, north: u32, outcome: Outcome| RatedGame {
            opening: Some(opening),
            content: Some(2 * number + u64::from(south == winner)),
            ..game(south, north, outcome, Some(number))
        };
        let wins = [
            (winner, loser, Outcome::SouthWins),
            (loser, winner, Outcome::NorthWins),
        ];
        wins.map(|(south, north, outcome)| seated(south, north, outcome))
    };
    (0..pairs).flat_map(pair).collect()
}

/// 400 log10(p / (1 − p)) with p = exp(−fall / n): what n wins against an equal prove.
fn proven(wins: f64, fall: f64) -> f64 {
    let share = (-fall / wins).exp();
    400.0 * (share / (1.0 - share)).log10()
}

/// Half the 95 % point of χ² with one degree of freedom.
const LIKELIHOOD_RATIO: f64 = 1.920_729_410_347_062;
/// −ln 0.05, for what one or two openings prove.
const EXACT: f64 = 2.995_732_273_553_991;

#[test]
fn an_opening_proves_no_more_than_a_pair() {
    // Three that are level among themselves, from openings of their own.
    let mut games = Vec::new();
    for (pair, (one, other)) in [(1, 2), (1, 3), (2, 3)]
        .into_iter()
        .cycle()
        .take(30)
        .enumerate()
    {
        for (south, north) in [(one, other), (other, one)] {
            games.push(RatedGame {
                opening: Some(1_000 + pair as u64),
                ..game(south, north, Outcome::Draw, Some(1_000 + pair as u64))
            });
        }
    }
    let bound = |openings: &[(u64, u32)], pairs: u64| {
        let won = openings
            .iter()
            .flat_map(|&(it, loser)| won_from(it, 0, loser, pairs));
        let all: Vec<RatedGame> = games.iter().copied().chain(won).collect();
        let ratings = fit(4, &all, &model(false));
        assert_eq!(ratings.ratings[0].bound, Some(BoundDirection::AtLeast));
        let difference = ratings.difference(RatedEntrant(0), RatedEntrant(1));
        let los = difference.and_then(|it| it.los).expect("they met");
        (ratings.ratings[0].elo, los)
    };
    // Against all three, once or ten times each: one opening is one pair, two games.
    let shared = [(1, 1), (1, 2), (1, 3)];
    let two = [(1, 1), (2, 2), (2, 3)];
    let own = [(1, 1), (2, 2), (3, 3)];
    for pairs in [1, 10] {
        for (openings, wins, fall) in [
            (&shared, 2.0, EXACT),
            (&two, 4.0, EXACT),
            (&own, 6.0, LIKELIHOOD_RATIO),
        ] {
            let (elo, los) = bound(openings, pairs);
            assert!(
                (elo - proven(wins, fall)).abs() < 1e-6,
                "{openings:?} × {pairs}: {elo}"
            );
            // As sure as the bound: 2 wins ln 2 by the fall, less what is unknown of the opponent.
            let level = (wins * 2.0_f64.ln() / fall).sqrt() * NORMAL_95;
            let most = 0.5 * statrs::function::erf::erfc(-level / 2.0_f64.sqrt());
            assert!(los > 0.5 && los < most, "{openings:?} × {pairs}: {los}");
        }
    }
}

#[test]
fn an_opening_proves_the_advantage_no_more_than_once() {
    // South wins every game of everybody: from one opening, then from three.
    for openings in [1_u64, 3] {
        let mut games = Vec::new();
        for (south, north) in (0..4).flat_map(|one| (0..4).map(move |other| (one, other))) {
            for opening in (0..openings).filter(|_| south != north) {
                let pair = opening * 100 + u64::from(south.min(north) * 10 + south.max(north));
                games.push(RatedGame {
                    opening: Some(opening),
                    ..game(south, north, Outcome::SouthWins, Some(pair))
                });
            }
        }
        let advantage = fit(4, &games, &model(true)).advantage.expect("a bound");
        assert_eq!(advantage.bound, Some(BoundDirection::AtLeast));
        let expected = proven(openings as f64, LIKELIHOOD_RATIO);
        assert!(
            (advantage.elo - expected).abs() < 1e-3,
            "{openings}: {advantage:?}"
        );
    }
}

#[test]
fn superiority() {
    // Student's t with 19 degrees of freedom: 20 pairs of two entrants, one number fitted.
    let games: Vec<RatedGame> =
        tournament(&[60.0, 0.0], 20, 0.0, &mut ChaCha8Rng::seed_from_u64(7));
    let ratings = fit(2, &games, &model(false));
    let (high, low) = (RatedEntrant(0), RatedEntrant(1));
    let difference = ratings.difference(high, low).expect("they met");
    let deviations = difference.elo / (difference.error95.expect("an estimate") / 2.093_024_054);
    // By a thousand steps of Simpson's rule from 0, scaled by the whole.
    let density = |x: f64| (1.0 + x * x / 19.0).powi(-10);
    let simpson = |to: f64| -> f64 {
        let step = to / 1000.0;
        (0..1000)
            .map(|i| {
                let x = f64::from(i) * step;
                (density(x) + 4.0 * density(x + step / 2.0) + density(x + step)) * step / 6.0
            })
            .sum()
    };
    let expected = 0.5 + simpson(deviations) / (2.0 * simpson(60.0));
    let los = difference.los.expect("an estimate");
    assert!((los - expected).abs() < 1e-7, "{los} {expected}");
    let back = ratings.difference(low, high).expect("they met");
    assert!((los + back.los.expect("an estimate") - 1.0).abs() < 1e-12);
    // 2 beat 1 and 1 beat 0, 3 is elsewhere. One win: Φ(√(2 ln 2)) = Φ(1.177410) = 0.880483.
    let chain = [
        game(2, 1, Outcome::SouthWins, None),
        game(1, 0, Outcome::SouthWins, None),
    ];
    let chain = fit(4, &chain, &model(false));
    let los = |upper, lower| {
        let difference = chain.difference(RatedEntrant(upper), RatedEntrant(lower));
        difference.and_then(|it| it.los)
    };
    assert_eq!(los(3, 0), None);
    assert!((los(2, 1).expect("they met") - 0.880_484).abs() < 1e-6);
    assert!((los(0, 1).expect("they met") - 0.119_516).abs() < 1e-6);
    // Of 2 against 0 no game tells directly; each of the two steps may be as far below 0 as the
    // other is above, so the bounds meet where each step is level: as sure as one step.
    assert!((los(2, 0).expect("a chain") - 0.880_484).abs() < 1e-6);
}

/// With n wins against an equal, 2 n ln 2 is the square of the level: three wins are enough for a
/// bound above 0, two are not.
#[test]
fn an_interval_without_nought_is_a_superiority_above_97_5() {
    for wins in 1..40_u64 {
        let games: Vec<RatedGame> = (0..wins)
            .map(|_| game(0, 1, Outcome::SouthWins, None))
            .collect();
        let ratings = fit(2, &games, &model(false));
        let difference = ratings.difference(RatedEntrant(0), RatedEntrant(1));
        let difference = difference.expect("they met");
        let los = difference.los.expect("a bound");
        assert_eq!(difference.elo > 0.0, los > 0.975, "{wins}: {difference:?}");
        assert_eq!(difference.elo > 0.0, wins > 2);
        let level = (2.0 * wins as f64 * 2.0_f64.ln()).sqrt();
        let expected = 0.5 * statrs::function::erf::erfc(-level / 2.0_f64.sqrt());
        assert!((los - expected).abs() < 1e-6, "{wins}: {los} {expected}");
    }
}

#[test]
fn one_anchor_moves_its_pool_and_nothing_else() {
    let games = sample_games(8);
    let (free, bound) = (
        fit(5, &games, &model(true)),
        fit(5, &games, &anchored(&[(2, 1000.0)])),
    );
    assert_eq!(bound.warnings, []);
    for (number, (before, after)) in (0..).zip(free.ratings.iter().zip(&bound.ratings)) {
        let expected = before.elo - free.ratings[2].elo + 1000.0;
        assert!((after.elo - expected).abs() < 1e-9);
        assert_eq!(
            (before.zero_point, after.zero_point),
            (ZeroPoint::Mean, ZeroPoint::Anchor)
        );
        if number == 2 {
            assert_eq!((after.elo, after.error95), (1000.0, Some(0.0)));
        } else {
            let against = error(&free, number, 2);
            assert_close(
                &[after.error95.expect("an estimate")],
                &[against],
                1e-9,
                "an error",
            );
        }
    }
    assert_close(
        &[bound.advantage.unwrap().elo],
        &[free.advantage.unwrap().elo],
        1e-9,
        "A",
    );
}

#[test]
fn several_anchors_are_held() {
    let games = sample_games(9);
    let ratings = fit(5, &games, &anchored(&[(0, 500.0), (3, 200.0), (4, 350.0)]));
    let elo = |number: RatedEntrant| ratings.ratings[number.position()].elo;
    let advantage = ratings.advantage.expect("sides were swapped").elo;
    let mut surplus = [0.0; 6];
    for game in &games {
        let points = match game.outcome {
            Outcome::SouthWins => 1.0,
            Outcome::Draw => 0.5,
            Outcome::NorthWins => 0.0,
        };
        let left = points - expected_score(elo(game.south) - elo(game.north) + advantage);
        surplus[game.south.position()] += left;
        surplus[game.north.position()] -= left;
        surplus[5] += left;
    }
    for free in [1, 2, 5] {
        assert!(surplus[free].abs() < 1e-10, "{surplus:?}");
    }
    // What is given is not what the games say.
    assert!(
        surplus[0].abs() > 1.0 && surplus[4].abs() > 1.0,
        "{surplus:?}"
    );
    assert_eq!(ratings.errors.parameters, 3);
    for (number, elo) in [(0, 500.0), (3, 200.0), (4, 350.0)] {
        assert_eq!(
            (ratings.ratings[number].elo, ratings.ratings[number].error95),
            (elo, Some(0.0))
        );
    }
    let difference = ratings
        .difference(RatedEntrant(0), RatedEntrant(3))
        .expect("given");
    assert_eq!((difference.elo, difference.error95), (300.0, Some(0.0)));
    assert_eq!(los(&ratings, 0, 3), Some(1.0));
    assert_eq!(los(&ratings, 3, 4), Some(0.0));
}

#[test]
fn the_error_of_one_between_two_anchors_in_closed_form() {
    // 2 took 30 of 40 points from 0 and 10 of 40 from 1, who are held 400 log10 9 apart: it stands
    // in the middle, on the wrong side of both.
    let mut games = Vec::new();
    for (opponent, wins) in [(0, 30), (1, 10)] {
        for number in 0..40 {
            let outcome = if number < wins {
                Outcome::SouthWins
            } else {
                Outcome::NorthWins
            };
            games.push(game(2, opponent, outcome, None));
        }
    }
    let step = 190.848_501_887_864_98;
    let given = RatingModel {
        first_move_advantage: false,
        ..anchored(&[(0, step), (1, -step)])
    };
    let ratings = fit(3, &games, &given);
    assert!(ratings.ratings[2].elo.abs() < 1e-9);
    // Expected 1/4 and 3/4: squares 30 (3/4)² + 10 (1/4)² + 10 (1/4)² + 30 (3/4)².
    let meat = 60.0 * 9.0 / 16.0 + 20.0 / 16.0;
    let information = 80.0 * 3.0 / 16.0;
    let variance: f64 = meat / (information * information) * 80.0 / 79.0;
    // Student's t with 79 degrees of freedom, from a table.
    let expected = 1.990_450_210 * variance.sqrt() * ELO_PER_LOGIT;
    assert_close(
        &[ratings.ratings[2].error95.unwrap()],
        &[expected],
        1e-7,
        "between",
    );
}

#[test]
fn anchors_of_pools_and_of_extremes() {
    // Pools {0, 1}, {2, 3} and {4, 5}; 6 beat 0 in all of ten games.
    let mut games = Vec::new();
    for (one, other) in [(0, 1), (2, 3), (4, 5)] {
        games.extend([
            game(one, other, Outcome::SouthWins, None),
            game(other, one, Outcome::Draw, None),
            game(one, other, Outcome::Draw, None),
            game(other, one, Outcome::Draw, None),
        ]);
    }
    games.extend(
        [
            game(6, 0, Outcome::SouthWins, None),
            game(0, 6, Outcome::NorthWins, None),
        ]
        .repeat(5),
    );
    let without = fit(7, &games, &model(true));
    assert_eq!(without.difference(RatedEntrant(0), RatedEntrant(2)), None);
    assert_eq!(los(&without, 0, 2), None);
    // Anchors in two pools are a scale that both share, and the third does not.
    let given = fit(7, &games, &anchored(&[(0, 1000.0), (2, 1500.0)]));
    let difference = given
        .difference(RatedEntrant(3), RatedEntrant(1))
        .expect("one scale");
    assert!(
        difference.bound.is_none() && difference.error95.is_some(),
        "{difference:?}"
    );
    assert!(
        given
            .warnings
            .contains(&Warning::Disconnected { components: 2 })
    );
    assert!(given.warnings.contains(&Warning::NotAnchored(vec![
        RatedEntrant(4),
        RatedEntrant(5)
    ])));
    assert!((given.ratings[4].elo + given.ratings[5].elo).abs() < 1e-9);
    assert_eq!(given.ratings[4].zero_point, ZeroPoint::Mean);
    // An anchor with a bound keeps its Elo, and the bound is on the others.
    let above = fit(7, &games, &anchored(&[(6, 2000.0)]));
    assert_eq!(
        (above.ratings[6].elo, above.ratings[6].bound),
        (2000.0, None)
    );
    assert_eq!(above.ratings[0].bound, Some(BoundDirection::AtMost));
    let lead = |ratings: &Ratings| ratings.ratings[6].elo - ratings.ratings[0].elo;
    assert!((lead(&above) - lead(&without)).abs() < 1e-9);
}

#[test]
fn no_error_is_nothing() {
    // All drawn: nothing scatters, and yet a rating is not known beyond doubt.
    let draws: Vec<RatedGame> = (0..40)
        .map(|number| {
            let (south, north) = if number % 2 == 0 { (0, 1) } else { (1, 0) };
            game(south, north, Outcome::Draw, Some(number / 2))
        })
        .collect();
    let drawn = fit(2, &draws, &model(true));
    assert!(drawn.errors.known);
    // Of n level pairs a share w of won ones is not refused while n ln(1 − w) > −1.92; the score
    // is then (1 + w) / 2.
    let level = |pairs: f64| {
        let w = 1.0 - (-1.920_729_410_347_062 / pairs).exp();
        400.0 * ((1.0 + w) / (1.0 - w)).log10()
    };
    assert!((level(30.0) - 21.6).abs() < 0.05 && (level(20.0) - 31.9).abs() < 0.05);
    assert_close(&[error(&drawn, 0, 1)], &[level(20.0)], 1e-7, "draws");
    let ten = error(&fit(2, &draws[..20], &model(true)), 0, 1);
    assert_close(&[ten], &[level(10.0)], 1e-7, "ten pairs");
    // So are pairs in which each won a game.
    let split: Vec<RatedGame> = (0..60)
        .map(|number| {
            let (south, north) = if number % 2 == 0 { (0, 1) } else { (1, 0) };
            game(south, north, Outcome::SouthWins, Some(number / 2))
        })
        .collect();
    let split = fit(2, &split, &model(false));
    assert_close(
        &[error(&split, 0, 1)],
        &[level(30.0)],
        1e-7,
        "thirty level pairs",
    );
    // One pair says nothing of how pairs scatter.
    let one = fit(2, &draws[..2], &model(true));
    assert_eq!((one.errors.known, one.errors.clusters), (false, 1));
    assert_eq!(one.warnings, [Warning::FewOpenings(one.errors)]);
}

/// A pool of equals in which every result has its counterpart, so that all expected scores are ½:
/// the entrants from `first` on, with pairs numbered from `pair`.
fn equals(first: u32, pair: u64) -> Vec<RatedGame> {
    let mut games = Vec::new();
    for (one, other) in [(0, 1), (0, 2), (1, 2)] {
        for place in 0..400 {
            let outcome = if place % 2 == 0 {
                Outcome::SouthWins
            } else {
                Outcome::NorthWins
            };
            let pair = Some(pair + games.len() as u64 / 2);
            games.push(game(first + one, first + other, outcome, pair));
            games.push(game(first + other, first + one, Outcome::Draw, pair));
        }
    }
    games
}

#[test]
fn a_newcomers_only_pair_does_not_measure_itself() {
    // The pair has the score that is fitted to it, whatever it is: no scatter can be seen in it.
    let mut games = equals(0, 100);
    games.push(game(3, 0, Outcome::SouthWins, Some(0)));
    games.push(game(0, 3, Outcome::Draw, Some(0)));
    let ratings = fit(4, &games, &model(false));
    let difference = ratings.difference(RatedEntrant(3), RatedEntrant(0));
    assert_eq!(difference.expect("they met").error95, None);
    assert_eq!(ratings.ratings[3].error95, None);
    // Nor is the mean of all known, of which it is a quarter; but the others are.
    let said = Warning::FewOpenings(ratings.errors);
    assert!(ratings.warnings.contains(&said), "{:?}", ratings.warnings);
    assert!(error(&ratings, 1, 2) < 30.0);
    let given = RatingModel {
        first_move_advantage: false,
        ..anchored(&[(0, 0.0)])
    };
    let ratings = fit(4, &games, &given);
    assert_eq!(
        ratings.warnings,
        [Warning::OneOpening(vec![RatedEntrant(3)])]
    );
    assert!(ratings.ratings[1].error95.is_some());
    // Those whom many pairs link are as well known as without it.
    let pool = &games[..games.len() - 2];
    let with = error(&fit(4, &games, &model(false)), 0, 1);
    let without = error(&fit(3, pool, &model(false)), 0, 1);
    assert!((with / without - 1.0).abs() < 0.01, "{with} {without}");
    assert_eq!(fit(3, pool, &model(false)).warnings, []);
}

#[test]
fn two_pools_are_no_better_linked_than_by_the_pair_that_links_them() {
    let mut games = equals(0, 1_000);
    games.extend(equals(3, 10_000));
    games.push(game(2, 3, Outcome::SouthWins, Some(0)));
    games.push(game(3, 2, Outcome::Draw, Some(0)));
    let ratings = fit(6, &games, &model(false));
    for (upper, lower) in [(2, 3), (0, 5), (1, 3)] {
        let difference = ratings.difference(RatedEntrant(upper), RatedEntrant(lower));
        assert_eq!(difference.expect("linked").error95, None);
    }
    assert!(error(&ratings, 0, 1) < 30.0);
}

#[test]
fn twenty_draws_say_no_more_in_a_large_pool() {
    let mut games = equals(0, 100);
    for pair in 0..10 {
        games.push(game(3, 0, Outcome::Draw, Some(pair)));
        games.push(game(0, 3, Outcome::Draw, Some(pair)));
    }
    let ratings = fit(4, &games, &model(false));
    // Ten level pairs of two alone: w = 1 − exp(−0.192).
    assert_close(&[error(&ratings, 3, 0)], &[61.31], 0.01, "ten level pairs");
}

/// Half-widths of the 95 % intervals of each difference to the next entrant, from tournaments of
/// pairs that are drawn again with replacement.
fn bootstrapped(entrants: u32, games: &[RatedGame], draws: u32) -> Vec<f64> {
    let pairs: Vec<&[RatedGame]> = games
        .chunk_by(|one, other| one.pair == other.pair)
        .collect();
    let mut source = ChaCha8Rng::seed_from_u64(1);
    let mut sums = vec![(0.0, 0.0); entrants as usize - 1];
    for _ in 0..draws {
        let drawn: Vec<RatedGame> = (0..pairs.len() as u64)
            .flat_map(|pair| {
                let number = source.next_u32() as usize % pairs.len();
                let games = pairs[number].iter();
                games.map(move |game| RatedGame {
                    pair: Some(pair),
                    ..*game
                })
            })
            .collect();
        let ratings = fit(entrants, &drawn, &model(true)).ratings;
        for (sum, two) in sums.iter_mut().zip(ratings.windows(2)) {
            let difference = two[0].elo - two[1].elo;
            *sum = (sum.0 + difference, sum.1 + difference * difference);
        }
    }
    let draws = f64::from(draws);
    let variance = |(sum, squares): (f64, f64)| (squares - sum * sum / draws) / (draws - 1.0);
    let half_width = |sums| NORMAL_95 * variance(sums).sqrt();
    sums.into_iter().map(half_width).collect()
}

#[test]
fn the_sandwich_is_near_the_bootstrap() {
    let mut source = ChaCha8Rng::seed_from_u64(21);
    let games = tournament(&[80.0, 0.0, -80.0], 60, 0.95, &mut source);
    let sandwich = fit(3, &games, &model(true));
    for (lower, drawn) in (1..).zip(bootstrapped(3, &games, 400)) {
        let error = error(&sandwich, lower - 1, lower);
        // 400 draws know a standard deviation to about 3.5 %.
        assert!((drawn / error - 1.0).abs() < 0.14, "{drawn} and {error}");
    }
}

/// A ring in which each entrant beats the next one and the last one the first.
fn ring(entrants: u32) -> Tally {
    let won = |south: u32| game(south, (south + 1) % entrants, Outcome::SouthWins, None);
    Tally::from_games(entrants, (0..entrants).map(won)).expect("legal games")
}

#[test]
fn more_ratings_than_can_be_estimated_are_refused() {
    let most = u32::try_from(MOST_RATINGS).expect("a few thousand");
    let ratings = MOST_RATINGS + 1;
    let error = rate(&ring(most + 1), &RatingModel::default()).expect_err("too many");
    assert_eq!(error, TooManyRatings { ratings });
    assert!(error.to_string().contains("at most 2000"), "{error}");
}

#[test]
fn clusters_of_any_size_in_any_order() {
    // Pairs of 1, 2, 3 and 30 games, of several entrants, mixed.
    let mut source = ChaCha8Rng::seed_from_u64(31);
    let mut games = Vec::new();
    for (pair, size) in [1, 2, 3, 30, 2, 2, 1, 30, 9, 8].into_iter().enumerate() {
        for number in 0..size {
            let south = source.next_u32() % 4;
            let outcome = [Outcome::SouthWins, Outcome::Draw, Outcome::NorthWins][number % 3];
            let north = (south + 1 + source.next_u32() % 3) % 4;
            let content = (pair % 2 == 0).then_some(u64::from(source.next_u32() % 3));
            games.push(RatedGame {
                content,
                ..game(south, north, outcome, Some(pair as u64))
            });
        }
    }
    let tally = |games: &[RatedGame]| Tally::from_games(4, games.iter().copied()).expect("legal");
    let first = tally(&games);
    assert_eq!(first.sample().pairs, 10);
    assert_eq!(first.sample().games, games.len() as u64);
    let by_pairing: u64 = first.pairings().values().map(|sample| sample.games).sum();
    assert_eq!(by_pairing, games.len() as u64);
    for _ in 0..20 {
        for place in (1..games.len()).rev() {
            games.swap(place, source.next_u32() as usize % (place + 1));
        }
        assert_eq!(tally(&games), first);
        assert_eq!(
            rate(&tally(&games), &model(true)),
            rate(&first, &model(true))
        );
    }
    // Another pair for one game is another tally.
    games[5].pair = Some(99);
    assert_ne!(tally(&games), first);
}

#[test]
fn samples_count_what_is_new() {
    let played = |content, pair| RatedGame {
        content: Some(content),
        ..game(0, 1, Outcome::Draw, pair)
    };
    let returned = |content, pair| RatedGame {
        content: Some(content),
        ..game(1, 0, Outcome::Draw, pair)
    };
    let games = [
        // The second pair repeats the first, in another order; the third one game of it.
        played(1, Some(1)),
        returned(2, Some(1)),
        returned(2, Some(2)),
        played(1, Some(2)),
        played(1, Some(3)),
        returned(3, Some(3)),
        // The same moves with other seats, and games of which nothing is known, are new.
        returned(1, None),
        game(0, 1, Outcome::Draw, None),
        game(0, 1, Outcome::Draw, None),
        game(0, 2, Outcome::Draw, None),
    ];
    let tally = Tally::from_games(3, games).expect("legal games");
    let (first, second) = (RatedEntrant(0), RatedEntrant(1));
    let pairing = Sample {
        games: 9,
        duplicate_games: 3,
        pairs: 6,
        distinct_pairs: 5,
    };
    assert_eq!(tally.pairings()[&(first, second)], pairing);
    let whole = Sample {
        games: 10,
        pairs: 7,
        distinct_pairs: 6,
        ..pairing
    };
    assert_eq!(tally.sample(), whole);
    assert_eq!(tally.sample().distinct_games(), 7);
}

prop_compose! {
    fn any_game(entrants: u32)(
        south in 0..entrants,
        step in 1..entrants,
        outcome in 0..5,
        pair in proptest::option::of(0..12_u64),
        content in proptest::option::of(0..4_u64),
    ) -> RatedGame {
        let outcome = match outcome {
            0 | 1 => Outcome::SouthWins,
            2 | 3 => Outcome::NorthWins,
            _ => Outcome::Draw,
        };
        RatedGame { content, ..game(south, (south + step) % entrants, outcome, pair) }
    }
}

prop_compose! {
    fn any_table()(entrants in 2_u32..6)(
        games in proptest::collection::vec(any_game(entrants), 0..30),
        anchors in proptest::collection::btree_map(0..entrants, -1000.0..1000.0, 0..4),
        entrants in Just(entrants),
    ) -> (u32, Vec<RatedGame>, BTreeMap<u32, f64>) {
        (entrants, games, anchors)
    }
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 1000,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn all_numbers_are_numbers(
        (entrants, games, anchors) in any_table(),
        first_move_advantage: bool,
    ) {
        let anchors: BTreeMap<_, _> =
            anchors.into_iter().map(|(number, elo)| (RatedEntrant(number), elo)).collect();
        let model = RatingModel {
            first_move_advantage,
            anchors,
            ..RatingModel::default()
        };
        let ratings = fit(entrants, &games, &model);
        let given = |entrant: RatedEntrant| model.anchors.contains_key(&entrant);
        for rating in &ratings.ratings {
            prop_assert!(rating.elo.is_finite() && rating.elo.abs() < 50_000.0, "{rating:?}");
            if let Some(elo) = model.anchors.get(&rating.entrant) {
                prop_assert!(rating.elo.to_bits() == elo.to_bits(), "{rating:?}");
            } else {
                let fine = rating.error95.is_none_or(|error| error.is_finite() && error > 0.0);
                prop_assert!(fine, "{rating:?}");
            }
        }
        for i in 0..entrants {
            for j in (0..entrants).filter(|&j| j != i) {
                let (i, j) = (RatedEntrant(i), RatedEntrant(j));
                let Some(difference) = ratings.difference(i, j) else {
                    continue;
                };
                let los = difference.los;
                prop_assert!(los.is_none_or(|los| (0.0..=1.0).contains(&los)), "{difference:?}");
                // An interval without 0, and a likelihood above 97.5 %, are one thing.
                let ends = match (difference.bound, difference.error95) {
                    (Some(BoundDirection::AtLeast), _) => Some((difference.elo, f64::INFINITY)),
                    (Some(BoundDirection::AtMost), _) => Some((f64::NEG_INFINITY, difference.elo)),
                    (None, error) => error.map(|it| (difference.elo - it, difference.elo + it)),
                };
                prop_assert_eq!(ends.is_some(), los.is_some());
                if let (Some((low, high)), Some(los)) = (ends, los) {
                    let near = low.abs().min(high.abs()) < 1e-6;
                    prop_assert!(near || (low > 0.0) == (los > 0.975), "{difference:?}");
                    prop_assert!(near || (high < 0.0) == (los < 0.025), "{difference:?}");
                    let surely = !(0.025..=0.975).contains(&los);
                    prop_assert!(near || difference.is_parted() == surely, "{difference:?}");
                }
                prop_assert!(difference.elo.is_finite());
                let both = given(i) && given(j);
                let fine = difference.error95.is_none_or(|e| e.is_finite() && (e > 0.0 || both));
                prop_assert!(fine, "{difference:?}");
                let back = ratings.difference(j, i).and_then(|it| it.los).map(|los| 1.0 - los);
                prop_assert!(los.zip(back).is_none_or(|(los, back)| (los - back).abs() < 1e-9));
            }
        }
        let converged = !ratings.warnings.iter().any(|w| matches!(w, Warning::NotConverged { .. }));
        prop_assert!(converged, "{:?}", ratings.warnings);
    }

    #[test]
    fn names_order_and_sides_change_no_error(
        (entrants, games, _) in any_table(),
        shift in 0_u32..6,
    ) {
        let rename = |entrant: RatedEntrant| RatedEntrant((entrant.0 * 5 + shift) % 7);
        let swapped = |g: &RatedGame| RatedGame {
            south: rename(g.north),
            north: rename(g.south),
            outcome: match g.outcome {
                Outcome::SouthWins => Outcome::NorthWins,
                Outcome::Draw => Outcome::Draw,
                Outcome::NorthWins => Outcome::SouthWins,
            },
            pair: g.pair.map(|pair| 100 - pair),
            ..*g
        };
        let before = fit(7, &games, &model(true));
        let other: Vec<RatedGame> = games.iter().rev().map(swapped).collect();
        let after = fit(7, &other, &model(true));
        prop_assert_eq!(before.sample, after.sample);
        prop_assert_eq!(before.errors, after.errors);
        let advantage = |ratings: &Ratings| ratings.advantage.map_or(0.0, |a| a.elo);
        prop_assert!((advantage(&before) + advantage(&after)).abs() < 1e-9 * 400.0);
        for entrant in (0..entrants).map(RatedEntrant) {
            let (one, other) =
                (before.ratings[entrant.position()], after.ratings[rename(entrant).position()]);
            let scale = one.elo.abs().max(1.0);
            prop_assert!((one.elo - other.elo).abs() < 1e-9 * scale, "{one:?} {other:?}");
            prop_assert_eq!(one.error95.is_some(), other.error95.is_some());
            if let (Some(one), Some(other)) = (one.error95, other.error95) {
                prop_assert!((one / other - 1.0).abs() < 1e-9, "{one} {other}");
            }
        }
    }
}
