//! How surely one group is above another that never took a point from it.
//!
//! No distance fits such games; bounds do, one for each level of confidence. The surer a bound is
//! to be, the lower it lies. The level at which it reaches 0 says how surely the one is above the
//! other: a bound at 95 % lies above 0 exactly if that level is beyond 1.96 standard deviations.

use super::elo::NORMAL_95;

/// The ratio of a level to the one before.
const RATIO: f64 = 1.05;
/// Levels below 1.96 standard deviations, down to 0.02.
const BELOW: i32 = 94;
/// Levels above, up to 8.9.
const ABOVE: i32 = 31;
/// Bounds that are no further apart are alike, logits.
const ROUNDING: f64 = 1e-12;

/// Where groups stand at each of many levels.
#[derive(Clone, Debug, PartialEq)]
pub struct BoundLevels {
    /// By level, then group: logits.
    offsets: Vec<Vec<f64>>,
}

impl BoundLevels {
    /// Asks `offsets` where all groups stand, in logits, at each level, in standard deviations.
    pub fn new(offsets: impl Fn(f64) -> Vec<f64>) -> Self {
        Self {
            offsets: (-BELOW..=ABOVE).map(|step| offsets(level(step))).collect(),
        }
    }

    /// The level at which the bound of a difference is 0, in standard deviations: 0 if there is
    /// none, 8.9 if it is more. `lead` adds what is known inside the two groups, logits: an
    /// estimate, and half the width of its interval at 95 %.
    pub fn reached(&self, upper: usize, lower: usize, lead: (f64, f64)) -> f64 {
        let bound = |place: usize| {
            let offsets = &self.offsets[place];
            let inside = lead.1 * level_at(place) / NORMAL_95;
            offsets[upper] - offsets[lower] + lead.0 - inside
        };
        let count = self.offsets.len();
        let places: Vec<usize> = (0..count).collect();
        let end = places.partition_point(|&place| bound(place) > ROUNDING);
        if end == 0 {
            return 0.0;
        }
        if end == count {
            return level_at(count - 1);
        }
        // Inverse interpolation by four points, of the logarithm of the level. Groups that have met
        // stay together at all levels beyond: such points say nothing more.
        let first = end.saturating_sub(2).min(count - 4);
        let point = |place| (bound(place), level_at(place).ln());
        let mut points: Vec<(f64, f64)> = (first..first + 4).map(point).collect();
        points.dedup_by(|next, before| before.0 - next.0 < ROUNDING);
        let found = at_zero(&points).exp();
        // Where it is uneven it still lies between the two.
        found.clamp(level_at(end - 1), level_at(end))
    }
}

fn level(step: i32) -> f64 {
    NORMAL_95 * RATIO.powi(step)
}

fn level_at(place: usize) -> f64 {
    level(i32::try_from(place).expect("few levels") - BELOW)
}

/// The polynomial through some points, at 0 (J. L. Lagrange).
fn at_zero(points: &[(f64, f64)]) -> f64 {
    let term = |place: usize| {
        let (here, value) = points[place];
        let others = (0..points.len()).filter(|&other| other != place);
        value
            * others
                .map(|other| points[other].0 / (points[other].0 - here))
                .product::<f64>()
    };
    (0..points.len()).map(term).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_level_of_a_clean_sweep_is_that_of_its_likelihood() {
        // n wins against an equal: n ln 2 is half the square of the level.
        for games in [1.0, 2.0, 3.0, 10.0, 50.0] {
            let bound = |level: f64| -(level * level / 2.0 / games).exp_m1().ln();
            let levels = BoundLevels::new(|level| vec![bound(level), 0.0]);
            let expected = (2.0 * games * 2.0_f64.ln()).sqrt();
            let found = levels.reached(0, 1, (0.0, 0.0));
            assert!(
                (found / expected - 1.0).abs() < 1e-6,
                "{games}: {found} {expected}"
            );
        }
        let levels = BoundLevels::new(|level| vec![-level, 0.0]);
        assert!(levels.reached(0, 1, (0.0, 0.0)).abs() < 1e-15);
        assert!(levels.reached(0, 1, (1e3, 0.0)) > 8.89);
    }

    #[test]
    fn groups_that_meet_and_stay_together_have_a_level() {
        for rest in [0.0, 1e-15, -1e-15] {
            let levels = BoundLevels::new(|level| vec![(2.5 - level).max(rest), 0.0]);
            let found = levels.reached(0, 1, (0.0, 0.0));
            assert!((found / 2.5 - 1.0).abs() < RATIO - 1.0, "{rest}: {found}");
        }
    }

    #[test]
    fn a_bound_above_nought_is_a_level_beyond_95_in_100() {
        let levels = BoundLevels::new(|level| vec![2.0 - level, 0.0]);
        for inside in [0.0, 0.2, 3.0] {
            for lead in [-0.1, -0.04, -1e-6, 1e-6, 0.04] {
                let lead = lead + inside + NORMAL_95 - 2.0;
                let bound = 2.0 - NORMAL_95 + lead - inside;
                let level = levels.reached(0, 1, (lead, inside));
                assert_eq!(bound > 0.0, level > NORMAL_95, "{lead} {inside}: {level}");
            }
        }
    }
}
