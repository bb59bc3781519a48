//! Where the seeds of a pit go: every sowing, computed once at compile time.
//!
//! An entry contains what a sowing adds to the two rows of a [`Position`](super::Position), as
//! words of the same layout, and the pit of the last seed:
//!
//! ```text
//! pit 3 of the mover with 4 seeds        mover    0 0 0 . 1 1
//!                                        waiting  1 1 0 0 0 0     last = 7 (waiting's pit 1)
//! ```
//! The pit of origin is skipped on every lap, so the i-th seed falls ((i−1) mod 11) + 1 pits on.

#![expect(clippy::cast_possible_truncation, reason = "pits are numbered 0 to 11")]

use super::position::SEEDS;

/// The sowing of one pit.
#[derive(Clone, Copy)]
pub struct Sowing {
    /// Added to the mover's row.
    pub mover: u64,
    /// Added to the opponent's row.
    pub waiting: u64,
    /// The pit of the last seed: 0–5 in the mover's row, 6–11 in the opponent's.
    pub last: u8,
}

const COUNTS: usize = SEEDS as usize + 1;

static TABLE: [[Sowing; COUNTS]; 6] = table();

/// The sowing of `seeds` (0–48) from the mover's pit `row_index` (0–5).
#[inline]
pub fn sowing(row_index: u8, seeds: u8) -> &'static Sowing {
    &TABLE[row_index as usize][seeds as usize]
}

const fn table() -> [[Sowing; COUNTS]; 6] {
    let mut table = [[Sowing {
        mover: 0,
        waiting: 0,
        last: 0,
    }; COUNTS]; 6];
    let mut origin = 0;
    while origin < 6 {
        let mut seeds = 1;
        while seeds < COUNTS {
            // One seed more than the entry before.
            let mut entry = table[origin][seeds - 1];
            let pit = (origin + (seeds - 1) % 11 + 1) % 12;
            if pit < 6 {
                entry.mover += 1 << (8 * pit);
            } else {
                entry.waiting += 1 << (8 * (pit - 6));
            }
            entry.last = pit as u8;
            table[origin][seeds] = entry;
            seeds += 1;
        }
        origin += 1;
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Text 000's table of granaries: from pit k, h seeds end in the opponent's row exactly when
    /// ((h−1) mod 11)+1 lies in 6−k … 11−k; for A that is 6–11 and 17–22, for F 1–6 and 12–17.
    #[test]
    fn granaries_reach_the_opponent_in_their_ranges() {
        let published: [[(u8, u8); 2]; 6] = [
            [(6, 11), (17, 22)],
            [(5, 10), (16, 21)],
            [(4, 9), (15, 20)],
            [(3, 8), (14, 19)],
            [(2, 7), (13, 18)],
            [(1, 6), (12, 17)],
        ];
        for origin in 0..6 {
            for seeds in 1..=22 {
                let within = published[origin as usize]
                    .iter()
                    .any(|&(from, to)| (from..=to).contains(&seeds));
                assert_eq!(
                    sowing(origin, seeds).last >= 6,
                    within,
                    "pit {origin}, {seeds} seeds"
                );
            }
        }
    }

    #[test]
    fn a_lap_skips_the_origin() {
        for origin in 0..6 {
            for seeds in 0..=48 {
                let entry = sowing(origin, seeds);
                assert_eq!(
                    entry.mover >> (8 * origin) & 0xff,
                    0,
                    "pit {origin}, {seeds} seeds"
                );
                let sown: u32 = [entry.mover, entry.waiting]
                    .iter()
                    .flat_map(|row| row.to_le_bytes())
                    .map(u32::from)
                    .sum();
                assert_eq!(sown, u32::from(seeds));
            }
        }
    }
}
