//! How many pairs a tournament needs: simulated tournaments with that many show the difference as
//! often as was asked.

use super::simulated::{games_of, round_robin, throw};
use awale::stats::game::{Outcome, RatedEntrant};
use awale::stats::power::{Compared, PairingScheme, PowerQuestion};
use awale::stats::rating::rate;
use awale::stats::ratings::RatingModel;
use awale::stats::sprt::{Model, TypicalResults};
use awale::stats::tally::Tally;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng as _;

/// A pair of games by the shares of pairs at so many Elo ahead: what South of each made of it, the
/// stronger one being South in the first. Openings help either side as often.
fn pair(ahead: f64, source: &mut ChaCha8Rng) -> [Outcome; 2] {
    let shares = TypicalResults::default().pairs(Model::Logistic, ahead);
    let mut left = throw(source);
    let cell = shares.iter().position(|share| {
        left -= share;
        left < 0.0
    });
    let (won, drawn, lost) = (Outcome::SouthWins, Outcome::Draw, Outcome::NorthWins);
    let [first, second] = match cell {
        Some(0) => [lost, won],
        Some(1) => [lost, drawn],
        Some(2) => [won, won],
        Some(3) => [drawn, lost],
        _ => [won, lost],
    };
    let turned = |outcome| match outcome {
        Outcome::SouthWins => Outcome::NorthWins,
        Outcome::Draw => Outcome::Draw,
        Outcome::NorthWins => Outcome::SouthWins,
    };
    if throw(source) < 0.5 {
        [first, second]
    } else {
        [turned(second), turned(first)]
    }
}

/// The share of tournaments in which the interval of the first two's difference leaves out 0.
fn shown(question: &PowerQuestion, pairs: u64, tournaments: u32, seed: u64) -> f64 {
    let mut source = ChaCha8Rng::seed_from_u64(seed);
    let (entrants, champions) = match question.schedule {
        PairingScheme::RoundRobin { entrants } => (entrants, entrants),
        PairingScheme::Gauntlet {
            champions,
            challengers,
        } => (champions + challengers, champions),
    };
    let count = u32::try_from(entrants).expect("few");
    // Champions come first. The two that differ:
    let (strong, weak) = match question.compared {
        Compared::Champions => (0, 1),
        Compared::ChampionAndChallenger => (0, count - 1),
        Compared::Entrants | Compared::Challengers => (count - 1, count - 2),
    };
    let elo = |entrant: u32| match entrant {
        _ if entrant == strong => question.difference / 2.0,
        _ if entrant == weak => -question.difference / 2.0,
        _ => 0.0,
    };
    // Champions do not meet each other, unless all are.
    let meets = |&(one, other): &(u32, u32)| {
        let [one, other] = [one, other].map(|it| u64::from(it) < champions);
        champions == entrants || one != other
    };
    let mut shown = 0;
    for _ in 0..tournaments {
        let pairings = round_robin(count).filter(meets);
        let games = games_of(pairings, pairs, |one, other| {
            pair(elo(one) - elo(other), &mut source)
        });
        let tally = Tally::from_games(count, games).expect("legal games");
        let ratings = rate(&tally, &RatingModel::default()).expect("few entrants");
        let [weak, strong] = [weak, strong].map(RatedEntrant);
        let difference = ratings.difference(strong, weak).expect("one group");
        let is_shown = difference.error95.is_some_and(|it| it < difference.elo);
        shown += u32::from(is_shown);
    }
    f64::from(shown) / f64::from(tournaments)
}

#[test]
fn with_as_many_pairs_as_needed_differences_show() {
    let tournaments = if std::env::var_os("AWALE_FULL").is_some() {
        4_000
    } else {
        300
    };
    let all = |entrants| PairingScheme::RoundRobin { entrants };
    let gauntlet = |champions, challengers| PairingScheme::Gauntlet {
        champions,
        challengers,
    };
    for ((schedule, compared, difference, power), seed) in [
        (all(2), Compared::Entrants, 60.0, 0.8),
        (all(2), Compared::Entrants, 150.0, 0.5),
        (all(2), Compared::Entrants, 250.0, 0.8),
        (all(3), Compared::Entrants, 120.0, 0.8),
        (all(6), Compared::Entrants, 60.0, 0.8),
        (all(12), Compared::Entrants, 80.0, 0.8),
        (gauntlet(2, 6), Compared::Challengers, 80.0, 0.8),
        (gauntlet(2, 6), Compared::Champions, 80.0, 0.8),
        (gauntlet(3, 5), Compared::ChampionAndChallenger, 90.0, 0.8),
        (gauntlet(1, 4), Compared::Challengers, 120.0, 0.5),
    ]
    .into_iter()
    .zip(90_001..)
    {
        let question = PowerQuestion {
            schedule,
            compared,
            difference,
            typical: TypicalResults::default(),
        };
        let pairs = question.pairs(power).expect("a number");
        // A whole number of pairs shows it a little more often than was asked.
        let expected = question.power(pairs);
        let found = shown(&question, pairs, tournaments, seed);
        let errors = 3.0 * (expected * (1.0 - expected) / f64::from(tournaments)).sqrt();
        assert!(
            (found - expected).abs() <= errors + 0.03,
            "{schedule:?}, {difference} Elo, {pairs} pairs, seed {seed}: {found}, not {expected}"
        );
    }
}
