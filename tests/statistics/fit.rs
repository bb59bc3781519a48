//! Fit: tournaments that follow the model are seldom accused, those that do not are found out.

use super::simulated::{games_of, round_robin, throw, thrown};
use awale::stats::elo::expected_score;
use awale::stats::fit::Fits;
use awale::stats::game::RatedEntrant;
use awale::stats::rating::rate;
use awale::stats::ratings::RatingModel;
use awale::stats::tally::Tally;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng as _;

/// A round robin in pairs, the lead of one over the other in Elo being a function of both. Half of
/// the openings help South by 60 Elo, half North.
fn fits(
    entrants: u32,
    pairs: u64,
    lead: impl Fn(u32, u32) -> f64,
    source: &mut ChaCha8Rng,
) -> Fits {
    let games = games_of(round_robin(entrants), pairs, |one, other| {
        let favour = if throw(source) < 0.5 { 60.0 } else { -60.0 };
        [(one, other), (other, one)].map(|(south, north)| {
            let score = expected_score(lead(south, north) + favour);
            thrown(score, 0.5, source)
        })
    });
    let tally = Tally::from_games(entrants, games).expect("legal games");
    let ratings = rate(&tally, &RatingModel::default()).expect("few entrants");
    ratings.fits(&tally)
}

#[test]
fn tournaments_of_the_model_are_seldom_accused() {
    let full = std::env::var_os("AWALE_FULL").is_some();
    let mut source = ChaCha8Rng::seed_from_u64(41);
    for (entrants, pairs) in [(3, 4), (4, 30), (8, 2), (8, 10), (16, 3)] {
        let tournaments = if full { 2_000 } else { 200 };
        let (mut accused, mut circles) = (0, 0);
        let (mut squares, mut count) = (0.0, 0.0);
        for _ in 0..tournaments {
            let lead = |one: u32, other: u32| 25.0 * (f64::from(one) - f64::from(other));
            let fits = fits(entrants, pairs, lead, &mut source);
            accused += u32::from(!fits.misfits().is_empty());
            circles += u32::from(!fits.circles().is_empty());
            for z in fits.pairings.iter().filter_map(|fit| fit.z) {
                squares += z * z;
                count += 1.0;
            }
        }
        // One in a hundred, and three binomial errors of that.
        let of = f64::from(tournaments);
        let most = 0.01 * of + 3.0 * (0.01 * 0.99 * of).sqrt();
        let name = format!("{entrants} entrants, {pairs} pairs");
        assert!(
            f64::from(accused) <= most,
            "{name}: {accused} of {tournaments} accused"
        );
        assert!(
            f64::from(circles) <= most,
            "{name}: {circles} of {tournaments} circles"
        );
        let deviation = f64::sqrt(squares / count);
        assert!(
            (0.85..1.15).contains(&deviation),
            "{name}: z scatters by {deviation}"
        );
    }
}

#[test]
fn circles_are_named() {
    let mut source = ChaCha8Rng::seed_from_u64(42);
    // 0 beats 2, 2 beats 4, 4 beats 0; all others are equal.
    let lead = |one: u32, other: u32| match (one, other) {
        (0, 2) | (2, 4) | (4, 0) => 200.0,
        (2, 0) | (4, 2) | (0, 4) => -200.0,
        _ => 0.0,
    };
    let fits = fits(6, 60, lead, &mut source);
    assert_eq!(fits.circles(), [[0, 2, 4].map(RatedEntrant)]);
    let mut misfits: Vec<(u32, u32)> = fits
        .misfits()
        .iter()
        .map(|fit| (fit.one.0, fit.other.0))
        .collect();
    misfits.sort_unstable();
    assert_eq!(misfits, [(0, 2), (0, 4), (2, 4)]);
    let of = |one: u32, other: u32| {
        let mut pairings = fits.pairings.iter();
        let fit = pairings.find(|fit| (fit.one.0, fit.other.0) == (one, other));
        fit.expect("they met").z.expect("several openings")
    };
    assert!(
        of(0, 2) > 4.0 && of(0, 4) < -4.0 && of(2, 4) > 4.0,
        "{fits:?}"
    );
}

#[test]
fn two_alone_always_fit() {
    let mut source = ChaCha8Rng::seed_from_u64(43);
    let fits = fits(2, 20, |_, _| 0.0, &mut source);
    assert_eq!(fits.pairings.len(), 1);
    let fit = fits.pairings[0];
    assert_eq!((fit.z, fit.games), (None, 40));
    assert!((fit.expected.expect("one group") - fit.points).abs() < 1e-6);
    assert!(fits.misfits().is_empty() && fits.circles().is_empty());
}

/// A round robin of equals in which moving first is worth so much to each.
fn of_first_movers(worth: &[f64], pairs: u64, source: &mut ChaCha8Rng) -> Fits {
    let entrants = u32::try_from(worth.len()).expect("few");
    let games = games_of(round_robin(entrants), pairs, |one, other| {
        let favour = 60.0 * (throw(source) + throw(source) - 1.0);
        [one, other]
            .map(|south| thrown(expected_score(worth[south as usize] + favour), 0.5, source))
    });
    let tally = Tally::from_games(entrants, games).expect("entrants");
    let ratings = rate(&tally, &RatingModel::default()).expect("few entrants");
    ratings.fits(&tally)
}

#[test]
fn an_advantage_that_differs_between_entrants_is_found() {
    let mut source = ChaCha8Rng::seed_from_u64(41);
    // Spread by 150 Elo, about a mean of 50.
    let worth = [260.0, 200.0, 120.0, 50.0, 50.0, -20.0, -100.0, -160.0];
    let mut found = 0;
    for _ in 0..20 {
        let fits = of_first_movers(&worth, 20, &mut source);
        let others = fits.first_moves();
        found += u32::from(others.first().is_some_and(|it| {
            let above = worth[it.entrant.position()] - 50.0;
            it.elo.signum() == above.signum() && (it.elo - above).abs() < 150.0
        }));
    }
    assert!(found >= 19, "{found}");
    // The same to all, however much it is: chance is named in one of a hundred tournaments.
    let mut named = 0;
    for _ in 0..200 {
        let fits = of_first_movers(&[80.0; 8], 10, &mut source);
        named += usize::from(!fits.first_moves().is_empty());
    }
    assert!(named <= 8, "{named}");
}
