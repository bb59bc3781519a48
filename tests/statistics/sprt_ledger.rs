//! Many sequential tests in one ledger, simulated: e-values at the stop of the real test promise
//! what they say, and so does the false discovery rate. The naive rule, each test by itself, does
//! not.
//!
//! `AWALE_FULL=1` runs more of them, of narrower hypotheses, and prints the table of
//! `docs/statistics.md`.

use super::sprt_operating::stopped;
use awale::stats::discoveries::least_refuted;
use awale::stats::sprt::{Model, Settings, Shares, Sprt, State, TypicalResults};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

const RATE: f64 = 0.05;
/// Tests of a month, and those of them whose bot is no better than the base.
const FAMILY: usize = 20;
const EQUAL: usize = 16;

fn is_full() -> bool {
    std::env::var_os("AWALE_FULL").is_some()
}

fn sprt(elo0: f64, elo1: f64, alpha: f64, model: Model) -> Sprt {
    Sprt::new(Settings {
        elo0,
        elo1,
        alpha,
        beta: 0.05,
        model,
    })
    .expect("a test")
}

/// A test that ended.
#[derive(Clone, Copy, Debug)]
struct Ended {
    e_value: f64,
    passed: bool,
    pairs: f64,
}

/// Tests of bots of this strength, until they end or have `most` pairs.
fn ended(sprt: &Sprt, shares: &Shares, most: u64, tests: u32, seed: u64) -> Vec<Ended> {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let one = |_| {
        let (counts, state) = stopped(sprt, shares, [0; 5], most, &mut random);
        Ended {
            e_value: sprt.e_value(&counts),
            passed: state == State::H1,
            pairs: counts.total() as f64,
        }
    };
    (0..tests).map(one).collect()
}

fn mean(values: impl Iterator<Item = f64> + Clone) -> f64 {
    let count = values.clone().count() as f64;
    values.sum::<f64>() / count
}

/// Its mean is at most 1 (three standard errors allowed), and it is 20 or more in at most one test
/// of twenty.
#[test]
fn e_values_under_the_null_are_one_at_most_on_average() {
    let level = TypicalResults::default();
    let drawn = TypicalResults::new(0.8, 30.0).expect("a shape");
    for (number, (model, elo0, gap, typical, most)) in (41_001..).zip([
        (Model::Logistic, 0.0, 60.0, level, u64::MAX),
        (Model::Logistic, 0.0, 60.0, drawn, 60),
        (Model::Logistic, -60.0, 60.0, level, u64::MAX),
        (Model::Normalised, 0.0, 100.0, level, 150),
        (Model::Normalised, 60.0, 100.0, level, 150),
    ]) {
        let tests = match (model, is_full()) {
            (Model::Logistic, false) => 2_000,
            (Model::Normalised, false) => 150,
            (_, true) => 20_000,
        };
        let sprt = sprt(elo0, elo0 + gap, 0.05, model);
        let shares = Shares::Pairs(typical.pairs(model, elo0));
        let ended = ended(&sprt, &shares, most, tests, number);
        let e_values = ended.iter().map(|it| it.e_value);
        let average = mean(e_values.clone());
        let variance = mean(e_values.clone().map(|it| (it - average).powi(2)));
        let error = (variance / f64::from(tests)).sqrt();
        let large = e_values.filter(|it| *it >= 20.0).count() as f64 / f64::from(tests);
        println!("{model:?} {elo0} +{gap}: mean {average:.3} ±{error:.3}, {large:.4} of 20");
        assert!(average <= 1.0 + 3.0 * error, "{sprt:?}: {average} ±{error}");
        assert!(large <= 0.05, "{sprt:?}: {large}");
    }
}

/// What the tests of many months give on average.
#[derive(Debug, Default)]
struct Months {
    /// The share of false ones among the passed.
    false_share: f64,
    /// The share of the stronger bots that passed.
    found: f64,
}

/// Draws months from tests of equals and of stronger bots. `least` is the e-value with which a
/// test of a month passes; with none each test has its own verdict.
fn months(tests: [&[Ended]; 2], count: u32, least: Option<fn(&[f64], f64) -> f64>) -> Months {
    let mut random = ChaCha8Rng::seed_from_u64(42_001);
    let mut months = Months::default();
    for _ in 0..count {
        let month: Vec<Ended> = (0..FAMILY)
            .map(|number| tests[usize::from(number >= EQUAL)])
            .map(|pool| pool[usize::try_from(random.next_u32()).unwrap() % pool.len()])
            .collect();
        let e_values: Vec<f64> = month.iter().map(|it| it.e_value).collect();
        let least = least.map(|least| least(&e_values, RATE));
        let passes = |it: &&Ended| least.map_or(it.passed, |least| it.e_value >= least);
        let wrong = month[..EQUAL].iter().filter(passes).count() as f64;
        let right = month[EQUAL..].iter().filter(passes).count() as f64;
        months.false_share += wrong / (wrong + right).max(1.0) / f64::from(count);
        months.found += right / (FAMILY - EQUAL) as f64 / f64::from(count);
    }
    months
}

#[test]
fn of_those_that_pass_by_the_ledger_one_in_twenty_is_false_at_most() {
    let (gap, tests, count) = if is_full() {
        (20.0, 4_000, 20_000)
    } else {
        (60.0, 400, 1_000)
    };
    for alpha in [0.05, 0.005, 0.001] {
        let sprt = sprt(0.0, gap, alpha, Model::Logistic);
        let of = |elo: f64, seed| {
            let shares = Shares::Pairs(TypicalResults::default().pairs(Model::Logistic, elo));
            ended(&sprt, &shares, u64::MAX, tests, seed)
        };
        let (equal, stronger) = (of(0.0, 43_001), of(gap, 43_002));
        let naive = months([&equal, &stronger], count, None);
        let shared = months([&equal, &stronger], count, Some(least_refuted));
        let pairs = [&equal, &stronger].map(|it| mean(it.iter().map(|it| it.pairs)));
        println!("alpha {alpha}: by itself {naive:?}, in the ledger {shared:?}, pairs {pairs:.0?}");
        // Chance moves these shares by less than 0.01, and the pools of tests by less than 0.02.
        assert!(shared.false_share <= RATE + 0.02, "{shared:?}");
        if (alpha - 0.05).abs() < 1e-9 {
            assert!(naive.false_share > 0.1, "{naive:?}");
        }
        if alpha < 0.002 {
            assert!(shared.found > 0.8, "{shared:?}");
        }
    }
}
