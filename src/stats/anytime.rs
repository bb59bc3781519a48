//! Intervals that are valid at all times at once, for readers who look while games are played.
//!
//! A 95 % interval is valid for one look at a number of games that was fixed in advance. A
//! *confidence sequence* is valid for all looks together. For a mean of t nearly normal
//! observations its half-width is (I. Waudby-Smith, D. Arbour, R. Sinha, E. H. Kennedy and A.
//! Ramdas, *Time-uniform central limit theory*, 2021; the mixture is that of H. Robbins 1970)
//!
//! ```text
//!   σ/√t · √( 2 (1 + 1/u) ln(√(1 + u) / α) ),   u = t ρ²
//! ```
//!
//! where ρ is chosen in advance: here it makes the interval, for its time, narrowest when half of
//! the games are played, `u = −2 ln α + ln(−2 ln α) + 1` there.

use super::elo::NORMAL_95;

const ALPHA: f64 = 0.05;

/// How many times as wide as a 95 % interval the interval for all times is, after this share of all
/// games, in (0, 1): with all of them played, one look is the last.
pub fn widening(share: f64) -> f64 {
    if share >= 1.0 {
        return 1.0;
    }
    let twice = -2.0 * ALPHA.ln();
    let u = (twice + twice.ln() + 1.0) * (2.0 * share.clamp(1e-6, 1.0));
    let boundary = 2.0 * (1.0 + 1.0 / u) * ((0.5 * u.ln_1p()) - ALPHA.ln());
    boundary.sqrt() / NORMAL_95
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand_chacha::ChaCha8Rng;
    use rand_chacha::rand_core::{Rng as _, SeedableRng as _};

    #[test]
    fn widths_worked_out_by_hand() {
        // Just before the end u = 2 · 8.7811 = 17.562: √(2 · 1.05694 · (ln √18.562 + 2.99573)) /
        // 1.95996. One look at the end needs nothing.
        let last = widening(1.0 - 1e-9);
        assert!((last - 1.5662).abs() < 1e-3, "{last}");
        assert!((widening(1.0) - 1.0).abs() < 1e-15);
        // u = 8.7811: √(2 · 1.11388 · (1.14024 + 2.99573)) / 1.95996.
        assert!((widening(0.5) - 1.5487).abs() < 1e-3, "{}", widening(0.5));
        assert!(widening(0.01) > 3.0 && widening(0.0).is_finite());
    }

    #[test]
    fn sums_stay_inside_at_all_times() {
        const STEPS: u32 = 400;
        const WALKS: u32 = 4_000;
        let mut source = ChaCha8Rng::seed_from_u64(6);
        let (mut left, mut left_single) = (0, 0);
        for _ in 0..WALKS {
            let (mut sum, mut out, mut out_single) = (0_i32, false, false);
            for step in 1..=STEPS {
                sum += if source.next_u32() % 2 == 0 { 1 } else { -1 };
                let width = NORMAL_95 * f64::from(step).sqrt();
                let at = f64::from(sum).abs();
                out_single |= step >= 10 && at > width;
                let share = f64::from(step) / f64::from(STEPS);
                out |= at > width * widening(share.min(1.0 - 1e-9));
            }
            left += u32::from(out);
            left_single += u32::from(out_single);
        }
        // The interval for all times is left by at most 5 % of the walks; that for one look, by far
        // more.
        assert!(left <= WALKS / 20, "{left}");
        assert!(left_single > WALKS / 4, "{left_single}");
    }
}
