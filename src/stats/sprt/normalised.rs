//! The distribution nearest to given frequencies whose mean lies a given number of standard
//! deviations above ½.
//!
//! # The equation
//! With x the scores above ½, μ and σ² their mean and variance, the constraint is μ = tσ. Only
//! positive t need thought: negative ones are the mirror image, and t = 0 is a mean. The variance
//! is the least mean square distance from any point, so for every u > 0 a distribution with
//!
//! ```text
//! E a(u) = 0,   aᵢ(u) = T (xᵢ − u/2) − t² xᵢ² / (2u),   T = 1 + t²
//! ```
//!
//! has μ ≥ tσ, with equality where u is its own mean. So a family of linear constraints with one
//! parameter replaces the curved one, and each of them is solved by a [`Tilt`], whatever the
//! counts. What is left is to find u. Stationary points of the likelihood are those where u equals
//! `t √(E x² / T)`, E taken in the nearest distribution of u.
//!
//! # One maximum or several
//! μ − tσ is a convex function of the distribution. If the frequencies lie above t (μ > tσ), the
//! nearest distribution is that in the convex set μ ≤ tσ: there is one stationary point, and it
//! lies between the two u at which the frequencies themselves have mean 0. If they lie below t, the
//! set to be reached is the outside of a convex one, and there can be a maximum for each score
//! above ½: to show a large μ/σ results may gather at ¾ or at 1. So all u that are possible are
//! looked through for changes of sign, closer where a bend may hide two of them, every maximum is
//! refined, and the best is taken. Methods that iterate from one start find one of them, and from
//! an even distribution sometimes none.
//!
//! # What u are possible
//! aᵢ(u) > 0 asks for |xᵢ − u| < xᵢ κ with κ = 1/√T, so u lies within κ of ¼ or ½ in proportion;
//! these two ranges part at T = 9. Moments narrow them, as E x² = u² T / t² must be possible: on
//! these scores ¼ ≥ E x² ≥ ¼ E x, or ½ E x where no score is ¼.

use super::tilt::Tilt;

/// Points looked at in each range of u. Likelihood maxima are a factor of two apart in u.
const POINTS: u32 = 32;

/// How often the distance between two points is halved at most. Two changes of sign that are closer
/// to each other than this leaves have just come into being, and from there the likelihood rises to
/// a better maximum.
const SPLITS: u32 = 24;

/// Most steps of the search between two points; it needs about ten.
const STEPS: usize = 100;

/// Relative precision of u. The likelihood is stationary there: its own error is the square of
/// this.
const PRECISION: f64 = 1e-11;

/// Logarithms of frequency over probability, cell by cell, for the nearest distribution whose mean
/// lies `strength` standard deviations above 0. All frequencies must be positive; `scores` are
/// symmetric about 0, ascending, and among them are −½ and ½.
pub fn logarithms<const N: usize>(
    frequencies: &[f64; N],
    scores: &[f64; N],
    strength: f64,
) -> [f64; N] {
    if strength < 0.0 {
        let mut mirrored = *frequencies;
        mirrored.reverse();
        let mut logarithms = LinearConstraints::new(&mirrored, scores, -strength).nearest();
        logarithms.reverse();
        return logarithms;
    }
    LinearConstraints::new(frequencies, scores, strength).nearest()
}

/// Whether a smooth function with these values at two points and this second difference can be 0
/// between them oftener than its signs say: it turns if its slope changes by more than the slope
/// is, and reaches 0 if that is not too far. Both with a factor of 2 or more to spare.
fn may_turn(at_low: f64, at_high: f64, bend: f64) -> bool {
    let turns = (at_high - at_low).abs() <= 2.0 * bend;
    let is_near = at_low * at_high <= 0.0 || at_low.abs().min(at_high.abs()) <= bend / 2.0;
    turns && is_near
}

/// A range of u and, where known, by how much the map exceeds u at its ends: positive at the low
/// end, negative at the high one.
#[derive(Clone, Copy)]
struct Bracket {
    low: f64,
    high: f64,
    at_low: Option<f64>,
    at_high: Option<f64>,
}

/// The linear constraints that stand for the curved one.
struct LinearConstraints<'a, const N: usize> {
    frequencies: &'a [f64; N],
    scores: &'a [f64; N],
    /// t ≥ 0.
    strength: f64,
    /// 1 + t².
    scale: f64,
}

impl<'a, const N: usize> LinearConstraints<'a, N> {
    fn new(frequencies: &'a [f64; N], scores: &'a [f64; N], strength: f64) -> Self {
        Self {
            frequencies,
            scores,
            strength,
            scale: 1.0 + strength * strength,
        }
    }

    fn nearest(&self) -> [f64; N] {
        if self.strength == 0.0 {
            return Tilt::new(self.frequencies, self.scores)
                .expect("scores lie on both sides of their middle")
                .logarithms(self.frequencies);
        }
        let mean = self.mean(self.frequencies, |score| score);
        let variance = self.mean(self.frequencies, |score| (score - mean).powi(2));
        let excess = mean * mean - self.strength * self.strength * variance;
        let brackets = if mean > 0.0 && excess > 0.0 {
            // Where the frequencies have mean 0, at both ends, the tilt is none at all.
            let reach = (excess / self.scale).sqrt();
            let centre = self.map(self.frequencies);
            // Their product is known: no cancellation in the lower one.
            let high = mean + reach;
            let low = centre * centre / high;
            vec![Bracket {
                low,
                high,
                at_low: Some(centre - low),
                at_high: Some(centre - high),
            }]
        } else {
            self.brackets(POINTS)
        };
        brackets
            .into_iter()
            .filter_map(|bracket| self.tilt(self.refine(bracket)))
            .map(|tilt| (tilt.cost(self.frequencies), tilt))
            .min_by(|(one, _), (other, _)| one.total_cmp(other))
            .expect("there is a maximum between the ends of every range")
            .1
            .logarithms(self.frequencies)
    }

    fn mean(&self, distribution: &[f64; N], value: impl Fn(f64) -> f64) -> f64 {
        (0..N)
            .map(|cell| distribution[cell] * value(self.scores[cell]))
            .sum()
    }

    /// The u that fits a distribution: t √(E x² / T).
    fn map(&self, distribution: &[f64; N]) -> f64 {
        let square = self.mean(distribution, |score| score * score);
        self.strength * (square / self.scale).sqrt()
    }

    fn tilt(&self, u: f64) -> Option<Tilt<N>> {
        // u/t is a standard deviation: written so, nothing vanishes when t does.
        let deviation = u / self.strength;
        let values = self.scores.map(|score| {
            self.scale * (score - u / 2.0) - self.strength * score * score / (2.0 * deviation)
        });
        Tilt::new(self.frequencies, &values)
    }

    /// By how much the map exceeds u; `None` where no distribution has mean 0.
    fn excess(&self, u: f64) -> Option<f64> {
        let tilt = self.tilt(u)?;
        Some(self.map(&tilt.probabilities(self.frequencies)) - u)
    }

    /// The ranges of u, and the sign of the excess at their ends, positive and negative, where the
    /// likelihood falls to nothing or no moments fit.
    fn ranges(&self) -> Vec<(f64, f64)> {
        let kappa = 1.0 / self.scale.sqrt();
        let highest = 0.5 * self.strength * kappa;
        let squared = self.strength * self.strength / self.scale;
        match self.scores.iter().copied().find(|&score| score > 0.0) {
            Some(first) if first < 0.5 && self.scale > 9.0 => vec![
                (first * squared, first * (1.0 + kappa)),
                (0.5 * (1.0 - kappa), highest),
            ],
            Some(first) => vec![(first * squared, highest)],
            None => Vec::new(),
        }
    }

    /// Every change of the excess from positive to negative.
    fn brackets(&self, points: u32) -> Vec<Bracket> {
        let mut found = Vec::new();
        for (low, high) in self.ranges() {
            let ratio = (high / low).powf(1.0 / f64::from(points + 1));
            let at = (1..=points).map(|point| low * ratio.powi(point.cast_signed()));
            let known = at.filter_map(|u| Some((u, self.excess(u)?)));
            let known = self.with_bends(&known.collect::<Vec<_>>());
            let (mut left, mut at_left) = (low, None);
            for &(u, excess) in &known {
                if excess <= 0.0 && at_left.is_none_or(|before| before > 0.0) {
                    found.push(Bracket {
                        low: left,
                        high: u,
                        at_low: at_left,
                        at_high: Some(excess),
                    });
                }
                (left, at_left) = (u, Some(excess));
            }
            if at_left.is_none_or(|before| before > 0.0) {
                found.push(Bracket {
                    low: left,
                    high,
                    at_low: at_left,
                    at_high: None,
                });
            }
        }
        found
    }

    /// The same points, and more of them wherever the excess bends so much, so near to 0, that it
    /// may change its sign twice more between two of them.
    fn with_bends(&self, known: &[(f64, f64)]) -> Vec<(f64, f64)> {
        let bends = known
            .windows(3)
            .map(|three| (three[0].1 - 2.0 * three[1].1 + three[2].1).abs());
        let bends: Vec<f64> = [0.0].into_iter().chain(bends).chain([0.0]).collect();
        let mut all = known.to_vec();
        for (two, bends) in known.windows(2).zip(bends.windows(2)) {
            let bend = bends[0].max(bends[1]);
            self.split(two[0], two[1], bend, SPLITS, &mut all);
        }
        all.sort_by(|one, other| one.0.total_cmp(&other.0));
        all
    }

    /// Adds the point in the middle if changes of sign may hide between these two, then looks at
    /// both halves. `bend` is the second difference of the excess at this distance.
    fn split(
        &self,
        low: (f64, f64),
        high: (f64, f64),
        bend: f64,
        splits: u32,
        all: &mut Vec<(f64, f64)>,
    ) {
        if splits == 0 || !may_turn(low.1, high.1, bend) {
            return;
        }
        let u = (low.0 * high.0).sqrt();
        let Some(excess) = self.excess(u) else {
            return;
        };
        let middle = (u, excess);
        all.push(middle);
        // Of something smooth it is a quarter at half the distance.
        let bend = (low.1 - 2.0 * excess + high.1).abs().max(bend / 4.0);
        self.split(low, middle, bend, splits - 1, all);
        self.split(middle, high, bend, splits - 1, all);
    }

    /// The u in a bracket at which the map gives u: the secant where it halves, else the middle
    /// (the Illinois rule: an end that stays twice counts half).
    fn refine(&self, bracket: Bracket) -> f64 {
        let Bracket {
            mut low,
            mut high,
            mut at_low,
            mut at_high,
        } = bracket;
        let mut stayed = 0;
        for _ in 0..STEPS {
            if high - low <= PRECISION * high {
                break;
            }
            let u = match (at_low, at_high) {
                (Some(below), Some(above)) if below > above => {
                    (low * -above + high * below) / (below - above)
                }
                _ => 0.5 * (low + high),
            };
            let u = if u > low && u < high {
                u
            } else {
                0.5 * (low + high)
            };
            let Some(excess) = self.excess(u) else {
                break;
            };
            if excess.abs() <= PRECISION * u {
                return u;
            }
            if excess > 0.0 {
                (low, at_low) = (u, Some(excess));
                if stayed > 0 {
                    at_high = at_high.map(|value| value / 2.0);
                }
                stayed = 1;
            } else {
                (high, at_high) = (u, Some(excess));
                if stayed < 0 {
                    at_low = at_low.map(|value| value / 2.0);
                }
                stayed = -1;
            }
        }
        0.5 * (low + high)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use rand_chacha::ChaCha8Rng;
    use rand_chacha::rand_core::SeedableRng as _;
    use std::num::NonZero;
    use std::sync::atomic::{AtomicU64, Ordering};
    use std::thread;

    const SCORES: [f64; 5] = [-0.5, -0.25, 0.0, 0.25, 0.5];

    /// Shares of counts up to a million. Every third result was never seen.
    fn any_shares() -> impl Strategy<Value = [f64; 5]> {
        let count = prop_oneof![1 => Just(1e-3), 2 => (0.0..6.0).prop_map(|x| 10_f64.powf(x))];
        proptest::array::uniform5(count).prop_map(|counts| {
            let sum: f64 = counts.iter().sum();
            counts.map(|count| count / sum)
        })
    }

    fn least_cost(family: &LinearConstraints<'_, 5>, points: u32) -> f64 {
        let costs = family.brackets(points).into_iter().map(|bracket| {
            let tilt = family.tilt(family.refine(bracket));
            tilt.expect("a maximum").cost(family.frequencies)
        });
        costs.fold(f64::INFINITY, f64::min)
    }

    /// Of ten million shares two lost a maximum as long as turning points were looked for only
    /// where three points lie on one side of 0: these.
    #[test]
    fn a_maximum_beside_a_shoulder_is_found() {
        for (shares, strength, least) in [
            (
                [
                    0.010_147_059_100_200_532,
                    1.527_220_509_603_054_2e-8,
                    0.984_503_115_541_264_6,
                    0.005_349_794_814_124_73,
                    1.527_220_509_603_054_2e-8,
                ],
                0.090_005_176_252_367_38,
                0.014_716_390_430_335_522,
            ),
            (
                [
                    0.024_308_505_407_317_993,
                    6.089_425_504_062_01e-9,
                    0.962_173_374_865_531,
                    0.013_518_107_548_300_054,
                    6.089_425_504_062_01e-9,
                ],
                0.125_558_405_075_791_5,
                0.030_697_806_110_136_897,
            ),
        ] {
            let family = LinearConstraints::new(&shares, &SCORES, strength);
            let found = least_cost(&family, POINTS);
            assert!((found - least).abs() < 1e-12, "{found} and not {least}");
        }
    }

    #[test]
    fn two_maxima_are_told_apart() {
        // Few results to go by: that all gather at 1 is likelier here, that they do at ¾ there.
        for (counts, at_the_top) in [
            ([1.0, 1.0, 1.0, 1.0, 9.0], true),
            ([1.0, 1.0, 1.0, 9.0, 1.0], false),
        ] {
            let shares = counts.map(|count: f64| count / 13.0);
            let family = LinearConstraints::new(&shares, &SCORES, 4.0);
            assert_eq!(family.brackets(POINTS).len(), 2, "{counts:?}");
            let logarithms = family.nearest();
            let likely = shares[4] / logarithms[4].exp();
            assert_eq!(likely > 0.5, at_the_top, "{counts:?}: {likely}");
        }
    }

    /// Counts up to a million, every third of them 0, as shares; and a strength
    /// from 0.01 to 10.
    fn drawn(source: &mut ChaCha8Rng) -> ([f64; 5], f64) {
        let mut uniform = || f64::from(source.next_u32()) / 2.0_f64.powi(32);
        let counts: [f64; 5] = std::array::from_fn(|_| {
            let (seen, size) = (uniform(), uniform());
            if seen < 1.0 / 3.0 {
                1e-3
            } else {
                10_f64.powf(6.0 * size)
            }
        });
        let sum: f64 = counts.iter().sum();
        (
            counts.map(|count| count / sum),
            10_f64.powf(3.0 * uniform() - 2.0),
        )
    }

    /// Draws this many shares and compares with a search that is much finer, where there can be
    /// several maxima. Says how many these were.
    fn compared_with_a_fine_search(seed: u64, shares: u32) -> u32 {
        const FINE: u32 = 640;
        let mut source = ChaCha8Rng::seed_from_u64(seed);
        let mut below = 0;
        for _ in 0..shares {
            let (shares, strength) = drawn(&mut source);
            let family = LinearConstraints::new(&shares, &SCORES, strength);
            let mean = family.mean(&shares, |score| score);
            let variance = family.mean(&shares, |score| (score - mean).powi(2));
            if mean >= strength * variance.sqrt() {
                continue;
            }
            below += 1;
            let (few, many) = (least_cost(&family, POINTS), least_cost(&family, FINE));
            assert!(
                (few - many).abs() <= 1e-11 * (1.0 + many),
                "{shares:?} at {strength}: {few} and not {many}"
            );
        }
        below
    }

    /// From fixed seeds: four thousand shares, with `AWALE_FULL=1` ten million, which take two
    /// processors some twenty minutes.
    #[test]
    fn no_maximum_slips_between_the_points() {
        const SEEDS: std::ops::Range<u64> = 11..21;
        let full = std::env::var_os("AWALE_FULL").is_some_and(|value| value == "1");
        let each = if full { 1_000_000 } else { 400 };
        let next = AtomicU64::new(SEEDS.start);
        let below: u32 = thread::scope(|scope| {
            let worker = || {
                let seeds = std::iter::repeat_with(|| next.fetch_add(1, Ordering::Relaxed));
                let seeds = seeds.take_while(|seed| SEEDS.contains(seed));
                seeds
                    .map(|seed| compared_with_a_fine_search(seed, each))
                    .sum::<u32>()
            };
            let processors = thread::available_parallelism().map_or(1, NonZero::get);
            let workers: Vec<_> = (0..processors).map(|_| scope.spawn(worker)).collect();
            let found = workers
                .into_iter()
                .map(|it| it.join().expect("no share differs"));
            found.sum()
        });
        assert!(below > each, "{below}");
    }

    proptest! {
        #![proptest_config(ProptestConfig {
            cases: 400,
            failure_persistence: None,
            ..ProptestConfig::default()
        })]

        #[test]
        fn the_nearest_has_the_strength(shares in any_shares(), strength in -9.0..9.0_f64) {
            let logarithms = logarithms(&shares, &SCORES, strength);
            let nearest: [f64; 5] = std::array::from_fn(|i| shares[i] / logarithms[i].exp());
            let sum: f64 = nearest.iter().sum();
            let mean: f64 = (0..5).map(|i| nearest[i] * SCORES[i]).sum();
            let variance: f64 = (0..5).map(|i| nearest[i] * (SCORES[i] - mean).powi(2)).sum();
            let off = mean - strength * variance.sqrt();
            prop_assert!((sum - 1.0).abs() < 1e-9, "{nearest:?}");
            prop_assert!(off.abs() < 1e-8, "{nearest:?}: {off}");
        }
    }
}
