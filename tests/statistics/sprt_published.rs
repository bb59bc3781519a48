//! The sequential test against values known apart from this program (tests/data/stats/sprt.csv).

use awale::stats::sprt::{
    GameCounts, Model, PairCounts, Settings, SettingsError, Sprt, SprtCounts, SprtEvaluation, State,
};

/// Counts as a table writes them: five numbers are pairs, three are games.
fn counts(text: &str) -> SprtCounts {
    let numbers: Vec<u64> = text
        .split_whitespace()
        .map(|number| number.parse().expect("a count"))
        .collect();
    match numbers.len() {
        5 => SprtCounts::Pairs(PairCounts(numbers.try_into().expect("five"))),
        3 => SprtCounts::Games(GameCounts(numbers.try_into().expect("three"))),
        other => panic!("{other} counts in {text:?}"),
    }
}

fn model(name: &str) -> Model {
    match name {
        "logistic" => Model::Logistic,
        "normalised" => Model::Normalised,
        other => panic!("no model {other}"),
    }
}

#[test]
fn ratios_are_those_of_the_table() {
    let table = include_str!("../data/stats/sprt.csv");
    let rows = table.lines().filter(|line| !line.starts_with('#')).skip(1);
    let mut rows_read = 0;
    for row in rows {
        let cells: Vec<&str> = row.split(',').collect();
        let number = |at: usize| cells[at].parse::<f64>().expect("a number");
        let sprt = Sprt::new(Settings {
            elo0: number(2),
            elo1: number(3),
            alpha: 0.05,
            beta: 0.05,
            model: model(cells[0]),
        })
        .expect("a test");
        let llr = sprt.evaluate(&counts(cells[1])).llr;
        let (expected, tolerance) = (number(4), number(5));
        assert!(
            (llr - expected).abs() <= tolerance * expected.abs(),
            "{row}: {llr}"
        );
        rows_read += 1;
    }
    assert!(rows_read >= 8, "the table is read");
}

/// The settings of most tests that are played.
const USUAL: Settings = Settings {
    elo0: 0.0,
    elo1: 10.0,
    alpha: 0.05,
    beta: 0.05,
    model: Model::Logistic,
};

#[test]
fn bounds_are_those_of_the_errors() {
    // ln 19, and ln(0.9 / 0.02) with ln(0.1 / 0.98).
    for (alpha, beta, lower, upper) in [
        (
            0.05,
            0.05,
            -2.944_438_979_166_440_3,
            2.944_438_979_166_440_3,
        ),
        (0.02, 0.1, -2.282_382_385_676_526_4, 3.806_662_489_770_319_7),
        (0.1, 0.05, -2.890_371_757_896_165, 2.251_291_798_606_495_2),
    ] {
        let settings = Settings {
            alpha,
            beta,
            ..USUAL
        };
        let sprt = Sprt::new(settings).expect("a test");
        assert!(
            (sprt.lower() - lower).abs() < 1e-13,
            "{alpha} {beta}: {}",
            sprt.lower()
        );
        assert!(
            (sprt.upper() - upper).abs() < 1e-13,
            "{alpha} {beta}: {}",
            sprt.upper()
        );
    }
}

#[test]
fn the_test_ends_on_its_bounds_and_not_before() {
    let sprt = Sprt::new(USUAL).expect("a test");
    for (llr, state) in [
        (0.0, State::Continue),
        (sprt.upper(), State::H1),
        (sprt.upper() - 1e-9, State::Continue),
        (sprt.lower(), State::H0),
        (sprt.lower() + 1e-9, State::Continue),
    ] {
        assert_eq!(sprt.state(llr), state, "{llr}");
    }
}

#[test]
fn progress_is_in_per_cent_of_each_bound() {
    for (llr, to_h0, to_h1) in [
        (0.0, 0.0, 0.0),
        (1.0, 0.0, 25.0),
        (-0.5, 25.0, 0.0),
        (4.0, 0.0, 100.0),
        (-7.0, 100.0, 0.0),
    ] {
        let evaluation = SprtEvaluation {
            llr,
            lower: -2.0,
            upper: 4.0,
            state: State::Continue,
        };
        let found = [evaluation.percent_to_h0(), evaluation.percent_to_h1()];
        let near = (found[0] - to_h0).abs() < 1e-12 && (found[1] - to_h1).abs() < 1e-12;
        assert!(near, "{llr}: {found:?}");
    }
}

#[test]
fn settings_that_make_no_test_are_refused_in_words() {
    for (settings, said) in [
        (
            Settings { elo1: 0.0, ..USUAL },
            "elo0 (0) must be less than elo1 (0)",
        ),
        (
            Settings {
                elo0: 20.0,
                ..USUAL
            },
            "elo0 (20) must be less than elo1 (10)",
        ),
        (
            Settings {
                alpha: 0.0,
                ..USUAL
            },
            "alpha must be above 0 and below 0.5, not 0",
        ),
        (
            Settings { beta: 0.5, ..USUAL },
            "beta must be above 0 and below 0.5, not 0.5",
        ),
        (
            Settings {
                beta: f64::NAN,
                ..USUAL
            },
            "beta must be above 0 and below 0.5, not NaN",
        ),
        (
            Settings {
                elo1: f64::NAN,
                ..USUAL
            },
            "elo1 must be between −10000 and 10000, not NaN",
        ),
        (
            Settings {
                elo0: f64::NEG_INFINITY,
                ..USUAL
            },
            "elo0 must be between −10000 and 10000, not -inf",
        ),
    ] {
        let error: SettingsError = Sprt::new(settings).expect_err(said);
        assert_eq!(error.to_string(), said);
    }
}
