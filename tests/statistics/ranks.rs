//! Ranks: simulated tournaments hold what is said of them, and corners are as they must be.

use super::simulated::{games_of, round_robin, throw, thrown};
use awale::stats::elo::expected_score;
use awale::stats::game::{Outcome, RatedEntrant, RatedGame};
use awale::stats::rating::rate;
use awale::stats::ratings::{RatingModel, Ratings};
use awale::stats::tally::Tally;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng as _;

fn normal(source: &mut ChaCha8Rng) -> f64 {
    // The sum of twelve: near enough for strengths that nature draws.
    (0..12).map(|_| throw(source)).sum::<f64>() - 6.0
}

/// A round robin of entrants with these Elo in pairs, each from an opening of its own that favours
/// one side a little.
fn tournament(elos: &[f64], pairs: u64, source: &mut ChaCha8Rng) -> Vec<RatedGame> {
    let entrants = u32::try_from(elos.len()).expect("few");
    let elo = |entrant: u32| elos[entrant as usize];
    games_of(round_robin(entrants), pairs, |one, other| {
        let favour = 30.0 + 60.0 * normal(source);
        [(one, other), (other, one)].map(|(south, north)| {
            let score = expected_score(elo(south) - elo(north) + favour);
            thrown(score, 0.6, source)
        })
    })
}

fn fit(entrants: usize, games: Vec<RatedGame>) -> Ratings {
    let entrants = u32::try_from(entrants).expect("few");
    let tally = Tally::from_games(entrants, games).expect("legal games");
    rate(&tally, &RatingModel::default())
}

/// What came of many tournaments.
#[derive(Debug, Default)]
struct Outcomes {
    ranks: f64,
    covered_ranks: f64,
    leaders: f64,
    said: f64,
    leads: f64,
    sets: f64,
    covered_sets: f64,
}

fn simulate(entrants: usize, pairs: u64, spread: f64, tournaments: u32, seed: u64) -> Outcomes {
    let mut source = ChaCha8Rng::seed_from_u64(seed);
    let mut held = Outcomes::default();
    for _ in 0..tournaments {
        let elos: Vec<f64> = (0..entrants)
            .map(|_| spread * normal(&mut source))
            .collect();
        let ratings = fit(entrants, tournament(&elos, pairs, &mut source));
        let ranks = ratings.ranks();
        let rank = |entrant: usize| 1 + elos.iter().filter(|&&elo| elo > elos[entrant]).count();
        for (entrant, outlook) in ranks.outlooks.iter().enumerate() {
            let Some(outlook) = outlook else { continue };
            held.ranks += 1.0;
            let is_held = (outlook.low..=outlook.high).contains(&rank(entrant));
            held.covered_ranks += f64::from(u8::from(is_held));
        }
        let leader = (0..entrants)
            .max_by(|&a, &b| ratings.ratings[a].elo.total_cmp(&ratings.ratings[b].elo))
            .expect("entrants");
        if let Some(outlook) = ranks.outlooks[leader] {
            held.leaders += 1.0;
            held.said += outlook.best;
            held.leads += f64::from(u8::from(rank(leader) == 1));
        }
        let mut all = true;
        for upper in 0..entrants {
            for lower in 0..upper {
                let [upper, lower] =
                    [upper, lower].map(|it| RatedEntrant(u32::try_from(it).expect("few")));
                let known = ratings.difference(upper, lower);
                let error = known.and_then(|it| it.error95);
                let widening = ranks.widening(upper, lower);
                if let (Some(known), Some(error), Some(widening)) = (known, error, widening) {
                    let truth = elos[upper.position()] - elos[lower.position()];
                    all &= (known.elo - truth).abs() <= error * widening;
                }
            }
        }
        held.sets += 1.0;
        held.covered_sets += f64::from(u8::from(all));
    }
    held
}

/// Entrants, pairs to a pairing, the spread of their strengths (Elo), tournaments.
const KINDS: [(usize, u64, f64, u32); 7] = [
    (2, 10, 50.0, 200),
    (3, 10, 50.0, 200),
    (4, 10, 100.0, 200),
    (6, 10, 20.0, 200),
    (6, 10, 100.0, 200),
    (12, 2, 100.0, 60),
    (24, 1, 100.0, 40),
];

#[test]
fn what_is_said_of_ranks_holds() {
    let full = std::env::var_os("AWALE_FULL").is_some();
    for ((entrants, pairs, spread, tournaments), seed) in KINDS.into_iter().zip(70_001..) {
        let tournaments = if full { 10 * tournaments } else { tournaments };
        let held = simulate(entrants, pairs, spread, tournaments, seed);
        let name = format!("{entrants} entrants, {pairs} pairs, spread {spread}: {held:?}");
        let three_errors = |share: f64, of: f64| 3.0 * (share * (1.0 - share) / of).sqrt();
        let ranks = held.covered_ranks / held.ranks;
        // Ranks of one tournament go together: it counts as one observation.
        let least = 0.95 - three_errors(0.95, f64::from(tournaments));
        assert!(ranks >= least, "{name}: ranks {ranks}");
        let (said, is) = (held.said / held.leaders, held.leads / held.leaders);
        let off = three_errors(is, held.leaders) + 0.04;
        assert!((said - is).abs() <= off, "{name}: said {said}, is {is}");
        let sets = held.covered_sets / held.sets;
        let least = 0.94 - three_errors(0.94, held.sets);
        assert!(sets >= least, "{name}: simultaneous {sets}");
        if full {
            println!("{name}: ranks {ranks:.3}, best {said:.3} {is:.3}, simultaneous {sets:.3}");
        }
    }
}

#[test]
fn two_entrants_are_ranked_by_their_superiority() {
    let mut source = ChaCha8Rng::seed_from_u64(3);
    for (elo, pairs) in [
        (0.0, 30),
        (40.0, 30),
        (90.0, 30),
        (40.0, 3),
        (0.0, 2),
        (50.0, 5),
    ] {
        let ratings = fit(2, tournament(&[elo, 0.0], pairs, &mut source));
        let los = ratings
            .los(RatedEntrant(0), RatedEntrant(1))
            .expect("games");
        let ranks = ratings.ranks();
        let best = ranks.outlooks[0].expect("an outlook").best;
        // Of ten thousand tables.
        assert!((best - los).abs() < 0.02, "{best}, {los}");
        let other = ranks.outlooks[1].expect("an outlook").best;
        assert!((best + other - 1.0).abs() < 1e-12);
        let widening = ranks.widening(RatedEntrant(0), RatedEntrant(1));
        assert!((widening.expect("a group") - 1.0).abs() < 1e-12);
    }
}

#[test]
fn a_winner_of_all_games_is_as_likely_best_as_superior() {
    let won = |games: u64| -> Vec<RatedGame> {
        (0..games)
            .map(|game| {
                let (south, north, outcome) = if game % 2 == 0 {
                    (0, 1, Outcome::SouthWins)
                } else {
                    (1, 0, Outcome::NorthWins)
                };
                RatedGame {
                    south: RatedEntrant(south),
                    north: RatedEntrant(north),
                    outcome,
                    opening: Some(game / 2),
                    pair: Some(game / 2),
                    content: None,
                }
            })
            .collect()
    };
    for games in [2, 4, 8] {
        let ratings = fit(2, won(games));
        let los = ratings
            .los(RatedEntrant(0), RatedEntrant(1))
            .expect("games");
        let best = ratings.ranks().outlooks[0].expect("an outlook").best;
        assert!((best - los).abs() < 0.02, "{games}: {best}, {los}");
    }
}

#[test]
fn one_lucky_game_makes_no_entrant_the_best_of_many() {
    let mut source = ChaCha8Rng::seed_from_u64(12);
    let elos: Vec<f64> = (0..20).map(|entrant| 10.0 * f64::from(entrant)).collect();
    let mut games = tournament(&elos, 6, &mut source);
    games.push(RatedGame {
        south: RatedEntrant(20),
        north: RatedEntrant(3),
        outcome: Outcome::SouthWins,
        opening: Some(1_000_000),
        pair: Some(1_000_000),
        content: None,
    });
    let ranks = fit(21, games).ranks();
    let lucky = ranks.outlooks[20].expect("an outlook");
    // One of twenty-one that nothing else is known of, which won a game: no more than a few times
    // as likely as others.
    assert!(lucky.best < 0.2, "{lucky:?}");
    assert!(lucky.low <= 2 && lucky.high >= 17, "{lucky:?}");
}

#[test]
fn anchors_stand_as_they_are_given() {
    let mut source = ChaCha8Rng::seed_from_u64(13);
    let games = tournament(&[0.0, 0.0, 0.0, 0.0, 0.0], 8, &mut source);
    let tally = Tally::from_games(5, games).expect("legal games");
    let anchored = |other: f64| {
        let anchors = [(RatedEntrant(0), 1000.0), (RatedEntrant(1), other)];
        let model = RatingModel {
            anchors: anchors.into(),
            ..RatingModel::default()
        };
        let ratings = rate(&tally, &model);
        let ranks = ratings.ranks();
        [0, 1].map(|it: usize| ranks.outlooks[it].expect("an outlook"))
    };
    let [first, second] = anchored(1000.001);
    assert!(first.best == 0.0 && first.low >= 2, "{first:?}");
    assert!(second.best > 0.0 && second.low == 1, "{second:?}");
    // No entrant is stronger than one of two equals.
    let [first, second] = anchored(1000.0);
    assert_eq!(first, second);
}

#[test]
fn the_same_games_give_the_same_ranks() {
    let mut source = ChaCha8Rng::seed_from_u64(9);
    let mut games = tournament(&[60.0, 20.0, 0.0, -80.0], 6, &mut source);
    let there = fit(4, games.clone()).ranks();
    games.reverse();
    assert_eq!(there, fit(4, games).ranks());
}

#[test]
fn without_games_or_errors_nothing_is_said() {
    assert_eq!(fit(3, Vec::new()).ranks().outlooks, [None; 3]);
    let mut source = ChaCha8Rng::seed_from_u64(4);
    let mut games = tournament(&[0.0, 0.0, 0.0], 1, &mut source);
    for (game, outcome) in games
        .iter_mut()
        .zip([Outcome::SouthWins, Outcome::Draw].iter().cycle())
    {
        game.opening = Some(1);
        game.outcome = *outcome;
    }
    let ratings = fit(3, games);
    assert_eq!(ratings.ratings[0].error95, None);
    assert_eq!(ratings.ranks().outlooks, [None; 3]);
}
