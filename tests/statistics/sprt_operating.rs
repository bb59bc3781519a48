//! The operating characteristic of the sequential test: simulated tests, looked at after every
//! observation, decide wrongly as rarely as α and β say, and take as long as forecast.
//!
//! `AWALE_FULL=1` runs more tests of narrower hypotheses.

use awale::stats::head_to_head::{Pairing, Summary};
use awale::stats::sprt::{
    Forecast, GameCounts, Model, PairCounts, Settings, Shares, Sprt, SprtCounts, State, Strength,
    TypicalResults,
};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

/// What came of many tests.
struct Tally {
    tests: f64,
    passed: f64,
    observations: f64,
}

impl Tally {
    fn share_passed(&self) -> f64 {
        self.passed / self.tests
    }

    fn mean_observations(&self) -> f64 {
        self.observations / self.tests
    }
}

/// A cell drawn by its share.
pub(super) fn draw(shares: &[f64], random: &mut ChaCha8Rng) -> usize {
    // 53 random bits make a number in [0, 1).
    let mut left = (random.next_u64() >> 11) as f64 * 2.0_f64.powi(-53);
    for (cell, share) in shares.iter().enumerate() {
        left -= share;
        if left < 0.0 {
            return cell;
        }
    }
    shares.len() - 1
}

/// Tests that go on from `begun` (pairs) or from nothing, until they end.
fn simulate(sprt: &Sprt, shares: &Shares, begun: [u64; 5], tests: u32, seed: u64) -> Tally {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let mut tally = Tally {
        tests: f64::from(tests),
        passed: 0.0,
        observations: 0.0,
    };
    for _ in 0..tests {
        let (counts, state) = stopped(sprt, shares, begun, u64::MAX, &mut random);
        tally.observations += (counts.total() - begun.iter().sum::<u64>()) as f64;
        tally.passed += f64::from(u8::from(state == State::H1));
    }
    tally
}

/// A test that goes on from `begun` (pairs) or from nothing, until it ends or has this many
/// observations.
pub(super) fn stopped(
    sprt: &Sprt,
    shares: &Shares,
    begun: [u64; 5],
    most: u64,
    random: &mut ChaCha8Rng,
) -> (SprtCounts, State) {
    let (mut pairs, mut games) = (begun, [0; 3]);
    loop {
        let counts = match shares {
            Shares::Pairs(shares) => {
                pairs[draw(shares, random)] += 1;
                SprtCounts::Pairs(PairCounts(pairs))
            }
            Shares::Games(shares) => {
                games[draw(shares, random)] += 1;
                SprtCounts::Games(GameCounts(games))
            }
        };
        let state = sprt.evaluate(&counts).state;
        if state != State::Continue || counts.total() >= most {
            return (counts, state);
        }
    }
}

/// One test, and the number of simulations of it.
struct Case {
    settings: Settings,
    typical: TypicalResults,
    paired: bool,
    tests: u32,
}

impl Case {
    fn shares(&self, elo: f64) -> Shares {
        let model = self.settings.model;
        if self.paired {
            Shares::Pairs(self.typical.pairs(model, elo))
        } else {
            // The score above ½ of lone games of which three in ten are drawn.
            let above = match model {
                Model::Logistic => 1.0 / (1.0 + 10_f64.powf(-elo / 400.0)) - 0.5,
                Model::Normalised => {
                    let deviations = elo * std::f64::consts::LN_10 / 800.0;
                    deviations * (0.175 / (1.0 + deviations * deviations)).sqrt()
                }
            };
            Shares::Games([0.35 - above, 0.3, 0.35 + above])
        }
    }
}

/// Three standard errors of a share that should be `share`.
fn three_errors(share: f64, tests: f64) -> f64 {
    3.0 * (share * (1.0 - share) / tests).sqrt()
}

fn hold(case: &Case) {
    let Settings {
        elo0,
        elo1,
        alpha,
        beta,
        ..
    } = case.settings;
    let sprt = Sprt::new(case.settings).expect("a test");
    let strengths = [elo0, f64::midpoint(elo0, elo1), elo1];
    for (elo, seed) in strengths.into_iter().zip(20_001..) {
        let forecast = sprt.forecast(&case.shares(elo));
        let shares = case.shares(elo);
        let tally = simulate(&sprt, &shares, [0; 5], case.tests, seed);
        let passed = tally.share_passed();
        let name = format!(
            "{:?}, truth {elo}, seed {seed}: {passed} passed",
            case.settings
        );

        if elo <= elo0 {
            let most = alpha + three_errors(alpha, tally.tests);
            assert!(passed <= most, "{name}, at most {most}");
        }
        if elo >= elo1 {
            let least = 1.0 - beta - three_errors(beta, tally.tests);
            assert!(passed >= least, "{name}, at least {least}");
        }
        as_forecast(&name, &tally, &forecast);
    }
}

/// Forecasts are within a tenth of the mean length and 0.04 of the probability to pass.
fn as_forecast(name: &str, tally: &Tally, forecast: &Forecast) {
    let ratio = tally.mean_observations() / forecast.observations;
    assert!(
        (0.9..=1.1).contains(&ratio),
        "{name}: {ratio} times as long"
    );
    let passed = tally.share_passed();
    assert!(
        (passed - forecast.pass).abs() < 0.04,
        "{name}: {forecast:?}"
    );
}

fn case(model: Model, elo0: f64, elo1: f64) -> Case {
    let full = std::env::var_os("AWALE_FULL").is_some();
    // A narrower gap makes tests longer by the square of the ratio.
    let (elo1, tests) = if full {
        (elo0 + (elo1 - elo0) / 3.0, 10_000)
    } else {
        (elo1, 2_000)
    };
    Case {
        settings: Settings {
            elo0,
            elo1,
            alpha: 0.05,
            beta: 0.05,
            model,
        },
        typical: TypicalResults::new(0.3, 120.0).expect("a shape"),
        paired: true,
        tests,
    }
}

#[test]
fn logistic_tests_err_as_rarely_as_they_say() {
    hold(&case(Model::Logistic, 0.0, 60.0));
}

#[test]
fn logistic_tests_of_lone_games_do() {
    let paired = false;
    hold(&Case {
        paired,
        ..case(Model::Logistic, -50.0, 50.0)
    });
}

#[test]
fn normalised_tests_do() {
    hold(&case(Model::Normalised, 0.0, 100.0));
}

#[test]
fn tests_with_unequal_errors_do() {
    let mut case = case(Model::Logistic, -60.0, 0.0);
    (case.settings.alpha, case.settings.beta) = (0.02, 0.1);
    hold(&case);
}

#[test]
fn what_is_left_is_as_forecast() {
    let sprt = Sprt::new(Settings {
        elo0: 0.0,
        elo1: 40.0,
        alpha: 0.05,
        beta: 0.05,
        model: Model::Logistic,
    })
    .expect("a test");
    for begun in [[15, 20, 50, 26, 18], [15, 20, 50, 22, 16]] {
        let total: u64 = begun.iter().sum();
        let shares = Shares::Pairs(begun.map(|count| count as f64 / total as f64));
        let counts = SprtCounts::Pairs(PairCounts(begun));
        assert_eq!(sprt.evaluate(&counts).state, State::Continue, "{begun:?}");
        let forecast = sprt.remaining(&counts).expect("some results");
        let tally = simulate(&sprt, &shares, begun, 2_000, 7);
        as_forecast(&format!("after {begun:?}"), &tally, &forecast);
    }
    let decided = SprtCounts::Pairs(PairCounts([0, 10, 100, 300, 100]));
    let forecast = sprt.remaining(&decided).expect("some results");
    assert_eq!((forecast.observations, forecast.pass), (0.0, 1.0));
}

/// How often estimates of tests that stopped are too high, and how often intervals hold the truth.
struct Estimates {
    too_high: f64,
    mean_too_high: f64,
    held: f64,
    unknown: u32,
}

fn estimates(case: &Case, elo: f64, most: u64, seed: u64) -> Estimates {
    let sprt = Sprt::new(case.settings).expect("a test");
    let shares = case.shares(elo);
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let (mut high, mut mean_high, mut held, mut unknown) = (0, 0, 0, 0);
    for _ in 0..case.tests {
        let (counts, _) = stopped(&sprt, &shares, [0; 5], most, &mut random);
        let Some(unbiased) = sprt.unbiased(&counts) else {
            unknown += 1;
            continue;
        };
        let on_scale = |strength: Strength| match case.settings.model {
            Model::Logistic => strength.elo,
            Model::Normalised => strength.normalised,
        };
        let Some(median) = unbiased.median else {
            unknown += 1;
            continue;
        };
        high += u32::from(on_scale(median) > elo);
        let low = unbiased.low95.is_none_or(|low| on_scale(low) <= elo);
        held += u32::from(low && unbiased.high95.is_none_or(|high| on_scale(high) >= elo));
        let pairing = match counts {
            SprtCounts::Pairs(pairs) => Pairing::of_pairs(pairs),
            SprtCounts::Games(games) => Pairing::of_games(games),
        };
        let summary = Summary::of(&pairing).expect("results");
        mean_high += u32::from(match case.settings.model {
            Model::Logistic => summary.score > 1.0 / (1.0 + 10_f64.powf(-elo / 400.0)),
            Model::Normalised => summary.normalised.is_some_and(|it| it.elo > elo),
        });
    }
    let share = |count: u32| f64::from(count) / f64::from(case.tests);
    Estimates {
        too_high: share(high),
        mean_too_high: share(mean_high),
        held: share(held),
        unknown,
    }
}

/// Checks estimates at strengths from below H0 to beyond H1, of tests of `most` pairs at most.
fn estimates_hold(case: &Case, most: u64) {
    let Settings {
        elo0, elo1, model, ..
    } = case.settings;
    for (part, seed) in [-0.5, 0.0, 0.5, 1.0, 1.5].into_iter().zip(31_001..) {
        let elo = elo0 + part * (elo1 - elo0);
        let it = estimates(case, elo, most, seed);
        let tests = f64::from(case.tests);
        let name = format!("{model:?}, at most {most}, truth {elo}, seed {seed}");
        // Of the formulas' error: five of a hundred tests may be on the other side.
        let even = (it.too_high - 0.5).abs();
        assert!(
            even <= 0.05 + three_errors(0.5, tests),
            "{name}: {} too high",
            it.too_high
        );
        let least = 0.95 - three_errors(0.95, tests);
        assert!(it.held >= least, "{name}: {} held", it.held);
        assert!(
            f64::from(it.unknown) <= 0.01 * tests,
            "{name}: {} unknown",
            it.unknown
        );
        // What the mean of the same results does, at H0 and at H1. Fewer tests do not show it.
        let shown = case.tests >= 1_000;
        if shown && seed == 31_002 {
            assert!(
                it.mean_too_high < 0.42,
                "{name}: the mean, {}",
                it.mean_too_high
            );
        }
        if shown && seed == 31_004 {
            assert!(
                it.mean_too_high > 0.58,
                "{name}: the mean, {}",
                it.mean_too_high
            );
        }
    }
}

#[test]
fn estimates_at_a_stop_are_as_often_too_high_as_too_low() {
    let full = std::env::var_os("AWALE_FULL").is_some();
    for model in [Model::Logistic, Model::Normalised] {
        // The normalised ratio is a hundred times as much work.
        let tests = match (model, full) {
            (Model::Logistic, false) => 1_000,
            (Model::Normalised, false) => 150,
            (_, true) => 4_000,
        };
        for (paired, elo1, most) in [
            (true, 60.0, u64::MAX),
            (true, 60.0, 150),
            (false, 80.0, 600),
        ] {
            let case = Case {
                settings: Settings {
                    elo1,
                    ..case(model, 0.0, elo1).settings
                },
                paired,
                tests,
                ..case(model, 0.0, elo1)
            };
            estimates_hold(&case, most);
        }
    }
}
