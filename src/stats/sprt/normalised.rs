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
//! looked through for changes of sign, also for two between the same points, every maximum is
//! refined, and the best is taken. Methods
//! that iterate from one start find one of them, and from an even distribution sometimes none.
//!
//! # What u are possible
//! aᵢ(u) > 0 asks for |xᵢ − u| < xᵢ κ with κ = 1/√T, so u lies within κ of ¼ or ½ in proportion;
//! these two ranges part at T = 9. Moments narrow them, as E x² = u² T / t² must be possible: on
//! these scores ¼ ≥ E x² ≥ ¼ E x, or ½ E x where there is none at ¼.

use super::tilt::Tilt;

/// Points looked at in each range of u. Likelihood maxima are a factor of two apart in u.
const POINTS: u32 = 32;

/// Most steps of the search between two points; it needs about ten.
const STEPS: usize = 100;

/// Relative precision of u. The likelihood is stationary there: its own error is the square of
/// this.
const PRECISION: f64 = 1e-11;

/// Logarithms of frequency over probability, cell by cell, for the nearest distribution whose mean
/// lies `strength` standard deviations above 0. All frequencies must be positive; `scores` are
/// symmetric about 0, ascending, and among them are −½ and ½.
pub(super) fn logarithms<const N: usize>(
    frequencies: &[f64; N],
    scores: &[f64; N],
    strength: f64,
) -> [f64; N] {
    if strength < 0.0 {
        let mut mirrored = *frequencies;
        mirrored.reverse();
        let mut logarithms = Family::new(&mirrored, scores, -strength).nearest();
        logarithms.reverse();
        return logarithms;
    }
    Family::new(frequencies, scores, strength).nearest()
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
struct Family<'a, const N: usize> {
    frequencies: &'a [f64; N],
    scores: &'a [f64; N],
    /// t ≥ 0.
    strength: f64,
    /// 1 + t².
    scale: f64,
}

impl<'a, const N: usize> Family<'a, N> {
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

    /// Every change of the excess from positive to negative. Between two points it may change
    /// twice: where it comes nearer to 0 and goes away again, the turning point is looked for.
    fn brackets(&self, points: u32) -> Vec<Bracket> {
        let mut found = Vec::new();
        for (low, high) in self.ranges() {
            let ratio = (high / low).powf(1.0 / f64::from(points + 1));
            let at = (1..=points).map(|point| low * ratio.powi(point.cast_signed()));
            let known = at.filter_map(|u| Some((u, self.excess(u)?)));
            let known = self.with_turns(&known.collect::<Vec<_>>());
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

    /// The same points, and between them those at which the excess has changed its sign and will
    /// change it again.
    fn with_turns(&self, known: &[(f64, f64)]) -> Vec<(f64, f64)> {
        let mut all = known.to_vec();
        for three in known.windows(3) {
            let [(_, before), (_, here), (_, after)] = [three[0], three[1], three[2]];
            let sign = here.signum();
            let is_nearest = sign * here <= sign * before && sign * here <= sign * after;
            if is_nearest && sign * before > 0.0 && sign * after > 0.0 {
                all.extend(self.turn(three[0].0, three[2].0, sign));
            }
        }
        all.sort_by(|one, other| one.0.total_cmp(&other.0));
        all
    }

    /// A point between two others, at which the excess has this sign, where it has not: by golden
    /// sections towards the place where it comes nearest to 0. `None` if it does not reach 0 there.
    fn turn(&self, mut low: f64, mut high: f64, sign: f64) -> Option<(f64, f64)> {
        const GOLDEN: f64 = 0.618_033_988_749_894_9;
        for _ in 0..STEPS {
            if high - low <= PRECISION * high {
                return None;
            }
            let (one, other) = (high - GOLDEN * (high - low), low + GOLDEN * (high - low));
            let (at_one, at_other) = (self.excess(one)?, self.excess(other)?);
            for (u, excess) in [(one, at_one), (other, at_other)] {
                if excess * sign <= 0.0 {
                    return Some((u, excess));
                }
            }
            if at_one * sign < at_other * sign {
                high = other;
            } else {
                low = one;
            }
        }
        None
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

    const SCORES: [f64; 5] = [-0.5, -0.25, 0.0, 0.25, 0.5];

    /// Shares of counts up to a million, of which every third has never been seen.
    fn any_shares() -> impl Strategy<Value = [f64; 5]> {
        let count = prop_oneof![1 => Just(1e-3), 2 => (0.0..6.0).prop_map(|x| 10_f64.powf(x))];
        proptest::array::uniform5(count).prop_map(|counts| {
            let sum: f64 = counts.iter().sum();
            counts.map(|count| count / sum)
        })
    }

    fn least_cost(family: &Family<'_, 5>, points: u32) -> f64 {
        let costs = family.brackets(points).into_iter().map(|bracket| {
            let tilt = family.tilt(family.refine(bracket));
            tilt.expect("a maximum").cost(family.frequencies)
        });
        costs.fold(f64::INFINITY, f64::min)
    }

    #[test]
    fn two_maxima_are_told_apart() {
        // Few results to go by: that all gather at 1 is likelier here, that they do at ¾ there.
        for (counts, at_the_top) in [
            ([1.0, 1.0, 1.0, 1.0, 9.0], true),
            ([1.0, 1.0, 1.0, 9.0, 1.0], false),
        ] {
            let shares = counts.map(|count: f64| count / 13.0);
            let family = Family::new(&shares, &SCORES, 4.0);
            assert_eq!(family.brackets(POINTS).len(), 2, "{counts:?}");
            let logarithms = family.nearest();
            let likely = shares[4] / logarithms[4].exp();
            assert_eq!(likely > 0.5, at_the_top, "{counts:?}: {likely}");
        }
    }

    /// Against a search that is much finer, from a fixed seed: four thousand shares, with
    /// `AWALE_FULL=1` a million.
    #[test]
    fn no_maximum_slips_between_the_points() {
        const FINE: u32 = 640;
        let full = std::env::var_os("AWALE_FULL").is_some_and(|value| value == "1");
        let mut source = ChaCha8Rng::seed_from_u64(11);
        let mut below = 0;
        for _ in 0..if full { 1_000_000 } else { 4_000 } {
            let mut uniform = || f64::from(source.next_u32()) / 2.0_f64.powi(32);
            let counts: [f64; 5] = std::array::from_fn(|_| {
                let (seen, size) = (uniform(), uniform());
                if seen < 1.0 / 3.0 {
                    1e-3
                } else {
                    10_f64.powf(6.0 * size)
                }
            });
            let strength = 10_f64.powf(3.0 * uniform() - 2.0);
            let sum: f64 = counts.iter().sum();
            let shares = counts.map(|count| count / sum);
            let family = Family::new(&shares, &SCORES, strength);
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
        assert!(below > 1_000, "{below}");
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
