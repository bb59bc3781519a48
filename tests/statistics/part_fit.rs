//! Fit of parts: hosts that play as all others are seldom accused, one that slows a bot down is
//! found.

use super::simulated::{games_of, round_robin, throw, thrown};
use awale::stats::elo::expected_score;
use awale::stats::game::RatedEntrant;
use awale::stats::part_fit::PartFit;
use awale::stats::rating::rate;
use awale::stats::ratings::RatingModel;
use awale::stats::tally::Tally;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng as _, SeedableRng as _};

/// A tournament in parts.
#[derive(Clone, Copy, Debug)]
struct Scenario {
    entrants: u32,
    pairs: u64,
    parts: u32,
    /// Elo from one entrant to the next.
    step: f64,
    /// Elo by which an opening favours a side.
    favour: f64,
    drawn: f64,
}

/// The remarkable residuals of a tournament whose pairs are dealt to parts at random. In part 0
/// entrant 0 loses so many Elo.
fn accused(scenario: Scenario, lost: f64, source: &mut ChaCha8Rng) -> Vec<(usize, PartFit)> {
    let mut parts = Vec::new();
    let meetings = round_robin(scenario.entrants);
    let games = games_of(meetings, scenario.pairs, |one, other| {
        let part = source.next_u32() % scenario.parts;
        parts.push(part);
        let slowed = |it: u32| if (it, part) == (0, 0) { lost } else { 0.0 };
        let strength = |it: u32| scenario.step * f64::from(it) - slowed(it);
        let favour = if throw(source) < 0.5 {
            scenario.favour
        } else {
            -scenario.favour
        };
        [(one, other), (other, one)].map(|(south, north)| {
            let lead = strength(south) - strength(north) + favour;
            thrown(expected_score(lead), scenario.drawn, source)
        })
    });
    // Two games to a pair.
    let dealt = || games.chunks(2).zip(&parts);
    let tally = |part: Option<u32>| {
        let pairs = dealt().filter(|(_, dealt)| part.is_none_or(|part| part == **dealt));
        let games = pairs.flat_map(|(pair, _)| pair.iter().copied());
        Tally::from_games(scenario.entrants, games).expect("legal games")
    };
    let ratings = rate(&tally(None), &RatingModel::default()).expect("few entrants");
    let tallies: Vec<Tally> = (0..scenario.parts).map(|it| tally(Some(it))).collect();
    let fits = ratings.part_fits(&tallies.iter().collect::<Vec<_>>());
    let fits = fits.into_iter().enumerate();
    let fits = fits.filter_map(|(part, fit)| Some((part, fit?)));
    fits.filter(|(_, fit)| fit.is_remarkable).collect()
}

/// Of so many tournaments, those in which something is remarkable, and those in which entrant 0 in
/// part 0 is.
fn counts(scenario: Scenario, lost: f64, tournaments: u32) -> (u32, u32) {
    let mut source = ChaCha8Rng::seed_from_u64(51);
    let is_slowed = |(part, fit): &(usize, PartFit)| {
        (*part, fit.entrant) == (0, RatedEntrant(0)) && fit.z < 0.0
    };
    let (mut any, mut slowed) = (0, 0);
    for _ in 0..tournaments {
        let accused = accused(scenario, lost, &mut source);
        any += u32::from(!accused.is_empty());
        slowed += u32::from(accused.iter().any(is_slowed));
    }
    (any, slowed)
}

const USUAL: Scenario = Scenario {
    entrants: 4,
    pairs: 30,
    parts: 5,
    step: 25.0,
    favour: 60.0,
    drawn: 0.5,
};

#[test]
fn equal_hosts_are_seldom_accused() {
    let full = std::env::var_os("AWALE_FULL").is_some();
    let tournaments = if full { 2_000 } else { 200 };
    for scenario in [
        USUAL,
        Scenario {
            entrants: 2,
            parts: 10,
            pairs: 100,
            ..USUAL
        },
        // Nearly all pairs are level: by draws, or by their openings.
        Scenario {
            drawn: 0.95,
            ..USUAL
        },
        Scenario {
            favour: 400.0,
            drawn: 0.1,
            ..USUAL
        },
        // Nearly all games are won by the stronger one.
        Scenario {
            step: 200.0,
            favour: 0.0,
            drawn: 0.0,
            ..USUAL
        },
        // A round robin of two rounds on many hosts.
        Scenario {
            entrants: 12,
            pairs: 4,
            parts: 20,
            ..USUAL
        },
    ] {
        let (accused, _) = counts(scenario, 0.0, tournaments);
        // One in a hundred, and three binomial errors of that.
        let of = f64::from(tournaments);
        let most = 0.01 * of + 3.0 * (0.01 * 0.99 * of).sqrt();
        assert!(
            f64::from(accused) <= most,
            "{scenario:?}: {accused} of {tournaments}"
        );
    }
}

#[test]
fn a_host_that_slows_a_bot_down_is_found() {
    for (scenario, lost) in [
        (USUAL, 400.0),
        (
            Scenario {
                drawn: 0.95,
                ..USUAL
            },
            400.0,
        ),
        (
            Scenario {
                entrants: 12,
                pairs: 40,
                parts: 20,
                ..USUAL
            },
            600.0,
        ),
    ] {
        let (_, found) = counts(scenario, lost, 50);
        assert!(found >= 45, "{scenario:?}: {found} of 50");
    }
}
