//! Many hypotheses tested at a time: which of them may be called refuted, so that of those that are
//! so called at most a given share is true on average (the false discovery rate, FDR).
//!
//! e-BH (R. Wang and A. Ramdas, *False discovery rate control with e-values*, 2022): of m
//! hypotheses those with the k largest e-values are refuted, k the largest number for which the
//! k-th largest is at least m / (k · rate). This holds however the tests depend on each other, for
//! example because they share a base and openings.

/// The least e-value that is refuted among these: m / (k · rate). If none of them is, it is that
/// of k = 1. It is also what one of them needs as things stand, if that one is given as infinite.
pub fn least_refuted(e_values: &[f64], rate: f64) -> f64 {
    let mut sorted = e_values.to_vec();
    sorted.sort_by(|one, other| other.total_cmp(one));
    let needed = |rank: usize| e_values.len() as f64 / (rank as f64 * rate);
    let refuted = (1..=sorted.len()).rfind(|&rank| sorted[rank - 1] >= needed(rank));
    needed(refuted.unwrap_or(1))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn thresholds_worked_out_by_hand() {
        for (e_values, least) in [
            // One test needs 1 / 0.05.
            (vec![20.0], 20.0),
            (vec![19.9], 20.0),
            // Of four tests one alone needs 80, two need 40 each, three 80/3.
            (vec![80.0, 1.0, 0.0, 2.0], 80.0),
            (vec![79.0, 1.0, 0.0, 2.0], 80.0),
            (vec![1.0, 40.0, 0.5, 40.0], 40.0),
            // The second would not do for itself: 39 < 40; three together do.
            (vec![39.0, 39.0, 30.0, 0.1], 80.0 / 3.0),
            (vec![20.0; 4], 20.0),
        ] {
            let found = least_refuted(&e_values, 0.05);
            assert!((found - least).abs() < 1e-9, "{e_values:?}: {found}");
        }
    }

    proptest! {
        /// What one needs as things stand: with that it is refuted, and with less it is not.
        #[test]
        fn what_is_needed_is_enough_and_no_more(
            mut e_values in proptest::collection::vec(0.0..500.0_f64, 1..12),
            place in 0..12_usize,
        ) {
            let place = place % e_values.len();
            e_values[place] = f64::INFINITY;
            let needed = least_refuted(&e_values, 0.05);
            for (e_value, is_refuted) in [(needed, true), (needed * 0.999, false)] {
                e_values[place] = e_value;
                prop_assert_eq!(e_value >= least_refuted(&e_values, 0.05), is_refuted);
            }
        }
    }
}
