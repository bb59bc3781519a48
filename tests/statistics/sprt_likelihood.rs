//! The exact likelihood ratio against a slow and literal search of all distributions, and the laws
//! that it obeys whatever the counts.

use awale::stats::sprt::{
    ELO_LIMIT, GameCounts, Model, PairCounts, Settings, Sprt, SprtCounts, State,
};
use proptest::prelude::*;

fn sprt(model: Model, elo0: f64, elo1: f64) -> Sprt {
    let (alpha, beta) = (0.05, 0.05);
    Sprt::new(Settings {
        elo0,
        elo1,
        alpha,
        beta,
        model,
    })
    .expect("a test")
}

fn llr(model: Model, counts: SprtCounts, elo0: f64, elo1: f64) -> f64 {
    sprt(model, elo0, elo1).evaluate(&counts).llr
}

/// Distributions on five results are searched by their moments: with mean m and mean square q of
/// the scores above ½ given, p₁ and p₃ are free and give the other three.
mod literal {
    /// Steps of a golden-section search: each leaves 0.618 of the interval.
    const STEPS: u32 = 42;
    const GOLDEN: f64 = 0.618_033_988_749_894_9;

    /// The greatest value of a function with one maximum.
    fn greatest(mut low: f64, mut high: f64, function: impl Fn(f64) -> f64) -> f64 {
        let (mut left, mut right) = (high - GOLDEN * (high - low), low + GOLDEN * (high - low));
        let (mut at_left, mut at_right) = (function(left), function(right));
        for _ in 0..STEPS {
            if at_left < at_right {
                (low, left, at_left) = (left, right, at_right);
                right = low + GOLDEN * (high - low);
                at_right = function(right);
            } else {
                (high, right, at_right) = (right, left, at_left);
                left = high - GOLDEN * (high - low);
                at_left = function(left);
            }
        }
        at_left.max(at_right)
    }

    fn log_likelihood(counts: &[f64; 5], m: f64, q: f64, p1: f64, p3: f64) -> f64 {
        let outer = 4.0 * q - (p1 + p3) / 4.0;
        let lean = 2.0 * m - (p3 - p1) / 2.0;
        let p = [
            0.5 * (outer - lean),
            p1,
            1.0 - p1 - p3 - outer,
            p3,
            0.5 * (outer + lean),
        ];
        if p.iter().any(|&p| p <= 0.0) {
            return f64::NEG_INFINITY;
        }
        counts.iter().zip(p).map(|(count, p)| count * p.ln()).sum()
    }

    /// Of all distributions with these moments: a concave function on a polygon.
    fn of_moments(counts: &[f64; 5], m: f64, q: f64) -> f64 {
        // p3 between bounds that are linear in p1: (constant, slope).
        let lower = [(0.0, 0.0), (8.0 * m - 16.0 * q, 3.0)];
        let upper = [
            (8.0 / 3.0 * (2.0 * q + m), 1.0 / 3.0),
            (4.0 / 3.0 * (1.0 - 4.0 * q), -1.0),
        ];
        let (mut least, mut most) = (0.0_f64, 1.0_f64);
        for (a, b) in lower {
            for (c, d) in upper {
                // a + b p1 ≤ c + d p1.
                if b > d {
                    most = most.min((c - a) / (b - d));
                } else if b < d {
                    least = least.max((c - a) / (b - d));
                }
            }
        }
        if least >= most {
            return f64::NEG_INFINITY;
        }
        greatest(least, most, |p1| {
            let at = |&(constant, slope): &(f64, f64)| constant + slope * p1;
            let low = lower.iter().map(at).fold(0.0, f64::max);
            let high = upper.iter().map(at).fold(1.0, f64::min);
            greatest(low, high, |p3| log_likelihood(counts, m, q, p1, p3))
        })
    }

    /// Of all distributions with mean m: the mean square is free.
    pub fn of_mean(counts: &[f64; 5], m: f64) -> f64 {
        // The least mean square lies on the two scores next to m, the greatest on the ends.
        let below = (m * 4.0).floor() / 4.0;
        let least = m * m + (m - below) * (below + 0.25 - m);
        greatest(least, 0.25, |q| of_moments(counts, m, q))
    }

    /// Of all distributions on three results whose mean is t standard deviations above ½: the
    /// moments leave nothing free.
    pub fn of_three(counts: &[f64; 3], t: f64) -> f64 {
        let widened = 1.0 + 1.0 / (t * t);
        // Neither of the outer results nor the draws can be fewer than none.
        greatest(0.5 / widened, 0.5 / widened.sqrt(), |m| {
            let (lean, outer) = (m * t.signum(), 4.0 * m * m * widened);
            let p = [outer / 2.0 - lean, 1.0 - outer, outer / 2.0 + lean];
            if p.iter().any(|&p| p <= 0.0) {
                return f64::NEG_INFINITY;
            }
            counts.iter().zip(p).map(|(count, p)| count * p.ln()).sum()
        })
    }

    /// Of all distributions whose mean is t standard deviations above ½: the best of all means.
    pub fn of_strength(counts: &[f64; 5], t: f64) -> f64 {
        const MEANS: u32 = 250;
        let at = |m: f64| of_moments(counts, m, m * m * (1.0 + 1.0 / (t * t)));
        let mean = |step: u32| 0.5 * t.signum() * f64::from(step) / f64::from(MEANS);
        let scanned = (0..=MEANS).map(|step| (mean(step), at(mean(step))));
        let scanned: Vec<(f64, f64)> = scanned.collect();
        let mut best = f64::NEG_INFINITY;
        for three in scanned.windows(3) {
            let [before, here, after] = [three[0], three[1], three[2]];
            if here.1 > f64::NEG_INFINITY && here.1 >= before.1 && here.1 >= after.1 {
                let (low, high) = (before.0.min(after.0), before.0.max(after.0));
                best = best.max(greatest(low, high, at));
            }
        }
        best
    }
}

fn literal_llr(model: Model, counts: [u64; 5], elo0: f64, elo1: f64) -> f64 {
    let counts = counts.map(|count| if count == 0 { 1e-3 } else { count as f64 });
    let most = |elo: f64| match model {
        Model::Logistic => literal::of_mean(&counts, 1.0 / (1.0 + 10_f64.powf(-elo / 400.0)) - 0.5),
        Model::Normalised => {
            let deviations = elo / (800.0 / std::f64::consts::LN_10) * 2.0_f64.sqrt();
            literal::of_strength(&counts, deviations)
        }
    };
    most(elo1) - most(elo0)
}

/// Counts and hypotheses that ask something of the search: few results, results on one side, two
/// maxima, none in some cells.
const SEARCHED: [(Model, [u64; 5], f64, f64); 16] = [
    (Model::Logistic, [1, 2, 3, 4, 5], -30.0, 40.0),
    (Model::Logistic, [0, 0, 7, 0, 0], 10.0, 200.0),
    (Model::Logistic, [5, 0, 0, 0, 9], 100.0, 300.0),
    (Model::Logistic, [12, 340, 900, 400, 18], -10.0, 20.0),
    (Model::Logistic, [0, 0, 0, 0, 10], 5.0, 700.0),
    (Model::Normalised, [1, 2, 3, 4, 5], 30.0, 140.0),
    (Model::Normalised, [5, 4, 3, 2, 1], 30.0, 140.0),
    (Model::Normalised, [0, 0, 7, 0, 0], 60.0, 250.0),
    (Model::Normalised, [5, 0, 0, 0, 9], -100.0, 300.0),
    (Model::Normalised, [12, 340, 900, 400, 18], -80.0, 120.0),
    (Model::Normalised, [0, 0, 0, 0, 10], 300.0, 900.0),
    (Model::Normalised, [0, 0, 0, 10, 0], 300.0, 900.0),
    (Model::Normalised, [0, 0, 0, 5, 5], 500.0, 1200.0),
    (Model::Normalised, [3, 10, 20, 30, 45], 400.0, 1000.0),
    (Model::Normalised, [60, 2, 0, 1, 0], -900.0, -400.0),
    (Model::Normalised, [1, 0, 0, 40, 3], -200.0, 800.0),
];

#[test]
fn the_ratio_is_that_of_a_search_of_all_distributions() {
    for (model, counts, elo0, elo1) in SEARCHED {
        let exact = llr(model, SprtCounts::Pairs(PairCounts(counts)), elo0, elo1);
        let searched = literal_llr(model, counts, elo0, elo1);
        assert!(
            (exact - searched).abs() < 1e-6 * (1.0 + exact.abs()),
            "{model:?} {counts:?} [{elo0}, {elo1}]: {exact}, searched {searched}"
        );
    }
}

#[test]
fn the_ratio_of_three_results_is_that_of_a_search() {
    for (counts, elo0, elo1) in [
        ([80, 200, 120_u64], 5.0, 100.0),
        ([0, 20, 0], 20.0, 90.0),
        ([0, 0, 10], 40.0, 500.0),
        ([120, 200, 80], -300.0, 150.0),
    ] {
        let filled = counts.map(|count| if count == 0 { 1e-3 } else { count as f64 });
        let most = |elo: f64| literal::of_three(&filled, elo * std::f64::consts::LN_10 / 800.0);
        let searched = most(elo1) - most(elo0);
        let counts = SprtCounts::Games(GameCounts(counts));
        let exact = llr(Model::Normalised, counts, elo0, elo1);
        assert!(
            (exact - searched).abs() < 1e-6 * (1.0 + exact.abs()),
            "{counts:?} [{elo0}, {elo1}]: {exact}, searched {searched}"
        );
    }
}

fn any_model() -> impl Strategy<Value = Model> {
    prop_oneof![Just(Model::Logistic), Just(Model::Normalised)]
}

/// Counts of every length up to the longest that a command line takes, every third of them 0.
fn any_count() -> impl Strategy<Value = u64> {
    prop_oneof![
        1 => Just(0),
        1 => 0..20_u64,
        1 => (0..=50_u32).prop_flat_map(|bits| 0..=1_u64 << bits),
    ]
}

fn any_counts() -> impl Strategy<Value = SprtCounts> {
    prop_oneof![
        proptest::array::uniform5(any_count())
            .prop_map(|counts| SprtCounts::Pairs(PairCounts(counts))),
        proptest::array::uniform3(any_count())
            .prop_map(|counts| SprtCounts::Games(GameCounts(counts))),
    ]
}

/// Rounding of a ratio of this many observations.
fn tolerance(counts: SprtCounts, size: f64) -> f64 {
    1e-9 * size.abs() + 1e-13 * (1.0 + counts.total() as f64)
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 300,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn the_ratio_is_a_number_whatever_is_asked(
        model in any_model(),
        counts in any_counts(),
        elo in proptest::array::uniform2(-ELO_LIMIT..ELO_LIMIT),
    ) {
        prop_assume!(elo[0] < elo[1]);
        let [elo0, elo1] = elo;
        prop_assert!(llr(model, counts, elo0, elo1).is_finite());
    }

    #[test]
    fn the_opponent_sees_the_opposite(
        model in any_model(),
        counts in any_counts(),
        elo0 in -600.0..600.0_f64,
        gap in 0.1..300.0_f64,
    ) {
        let ours = llr(model, counts, elo0, elo0 + gap);
        let theirs = llr(model, counts.reversed(), -elo0 - gap, -elo0);
        prop_assert!((ours + theirs).abs() <= tolerance(counts, ours), "{ours} {theirs}");
    }

    #[test]
    fn ratios_of_three_hypotheses_add_up(
        model in any_model(),
        counts in any_counts(),
        elo0 in -600.0..600.0_f64,
        gaps in proptest::array::uniform2(0.1..300.0_f64),
    ) {
        let (elo1, elo2) = (elo0 + gaps[0], elo0 + gaps[0] + gaps[1]);
        let parts = [llr(model, counts, elo0, elo1), llr(model, counts, elo1, elo2)];
        let whole = llr(model, counts, elo0, elo2);
        let size = parts[0].abs() + parts[1].abs();
        prop_assert!((parts[0] + parts[1] - whole).abs() <= tolerance(counts, size));
    }

    #[test]
    fn a_strength_farther_from_the_results_is_less_likely(
        model in any_model(),
        counts in any_counts(),
        elo0 in -600.0..600.0_f64,
        gaps in proptest::array::uniform2(1.0..300.0_f64),
    ) {
        // Of three strengths in a row the likelihood has no valley in the middle.
        let (elo1, elo2) = (elo0 + gaps[0], elo0 + gaps[0] + gaps[1]);
        let (up, on) = (llr(model, counts, elo0, elo1), llr(model, counts, elo1, elo2));
        let slack = tolerance(counts, up.abs() + on.abs());
        prop_assert!(up >= -slack || on <= slack, "{up} then {on}");
    }

    #[test]
    fn better_results_speak_for_more(
        counts in proptest::array::uniform5(1..1000_u64),
        cell in 0..4_usize,
        elo0 in -300.0..300.0_f64,
        gap in 1.0..100.0_f64,
    ) {
        let mut better = counts;
        better[cell] -= 1;
        better[cell + 1] += 1;
        prop_assume!(better[cell] > 0);
        let [before, after] = [counts, better].map(|counts| {
            let counts = SprtCounts::Pairs(PairCounts(counts));
            llr(Model::Logistic, counts, elo0, elo0 + gap)
        });
        prop_assert!(after > before, "{before} {after}");
    }

    #[test]
    fn twice_the_results_say_twice_as_much(
        model in any_model(),
        counts in proptest::array::uniform5(1..1000_u64),
        elo0 in -300.0..300.0_f64,
        gap in 1.0..100.0_f64,
    ) {
        let [once, twice] = [1, 2].map(|times| {
            let counts = SprtCounts::Pairs(PairCounts(counts.map(|count| count * times)));
            (counts, llr(model, counts, elo0, elo0 + gap))
        });
        prop_assert!((twice.1 - 2.0 * once.1).abs() <= tolerance(twice.0, twice.1));
    }
}

#[test]
fn hypotheses_that_meet_cannot_be_told_apart() {
    for model in [Model::Logistic, Model::Normalised] {
        for counts in [[3, 10, 20, 30, 45], [0, 0, 9, 0, 0], [144, 3, 1, 0, 0]] {
            let counts = SprtCounts::Pairs(PairCounts(counts));
            for elo in [-400.0, 0.0, 1e-9, 25.0, 600.0] {
                let gap = 1e-9;
                let ratio = llr(model, counts, elo, elo + gap);
                assert!(ratio.abs() < 1e-9, "{model:?} {counts:?} {elo}: {ratio}");
            }
        }
    }
}

#[test]
fn a_sweep_is_worth_the_ratio_of_its_scores() {
    // All else has the share of a thousandth of a result: next to nothing, but not nothing.
    let score = |elo: f64| 1.0 / (1.0 + 10_f64.powf(-elo / 400.0));
    for wins in [1 << 30, 10_u64.pow(13), 10_u64.pow(14), 1 << 50] {
        for (elo0, elo1) in [(0.0, 10.0), (0.0, 3700.0), (-100.0, 300.0)] {
            let expected = wins as f64 * (score(elo1) / score(elo0)).ln();
            for counts in [
                SprtCounts::Pairs(PairCounts([0, 0, 0, 0, wins])),
                SprtCounts::Games(GameCounts([0, 0, wins])),
            ] {
                let found = llr(Model::Logistic, counts, elo0, elo1);
                assert!(
                    (found / expected - 1.0).abs() < 1e-9,
                    "{counts:?} [{elo0}, {elo1}]: {found} and not {expected}"
                );
                let lost = llr(Model::Logistic, counts.reversed(), -elo1, -elo0);
                assert!((lost + found).abs() <= 1e-9 * found, "{counts:?}: {lost}");
            }
        }
    }
}

#[test]
fn no_results_say_nothing() {
    for model in [Model::Logistic, Model::Normalised] {
        for counts in [
            SprtCounts::Pairs(PairCounts::default()),
            SprtCounts::Games(GameCounts::default()),
        ] {
            let evaluation = sprt(model, 0.0, 10.0).evaluate(&counts);
            assert_eq!((evaluation.llr, evaluation.state), (0.0, State::Continue));
            assert!(sprt(model, 0.0, 10.0).remaining(&counts).is_none());
        }
    }
}
