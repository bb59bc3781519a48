//! The board as a value of 16 bytes, as seen by the player to move.
//!
//! ```text
//!            byte  0    1    2    3    4    5    6       7
//! mover      row  pit0 pit1 pit2 pit3 pit4 pit5 store   0: South to move, 1: North
//! waiting    row  pit0 pit1 pit2 pit3 pit4 pit5 store   0
//! ```
//!
//! Each row is one `u64`, so a sowing is two additions of a table's entry (no byte ever carries
//! into the next: there are at most 48 seeds), and a turn ends by swapping the two words.

#![expect(
    clippy::cast_possible_truncation,
    reason = "a byte is cut out of a row of bytes on purpose"
)]

use super::pit::{PITS, Pit, Side};
use std::fmt;

/// Seeds at the start of a game; no position holds more.
pub const SEEDS: u8 = 48;

/// The bytes of the six pits in a row.
pub const PITS_MASK: u64 = 0x0000_ffff_ffff_ffff;
/// The lowest bit of each of the six pits.
pub const LOW_BITS: u64 = 0x0000_0101_0101_0101;
/// The bit position of the store in a row.
const STORE_SHIFT: u32 = 48;
/// The bit position of the side to move in the mover's row.
const SIDE_SHIFT: u32 = 56;

/// Pits, stores and the side to move. Never more than 48 seeds.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Position {
    pub(super) mover: u64,
    pub(super) waiting: u64,
}

/// Why numbers are not a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PositionError {
    /// All pits and stores together hold more than 48 seeds.
    TooManySeeds(u16),
}

impl fmt::Display for PositionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooManySeeds(seeds) => {
                write!(
                    f,
                    "{seeds} seeds in pits and stores, but there are only {SEEDS}"
                )
            }
        }
    }
}

impl std::error::Error for PositionError {}

impl Position {
    /// Four seeds in each pit, South to move.
    pub const START: Self = Self {
        mover: 4 * LOW_BITS,
        waiting: 4 * LOW_BITS,
    };

    /// A position from its pits (0–11 in sowing order), the stores of South and North, and the
    /// side to move.
    ///
    /// # Errors
    /// More than 48 seeds in all. Fewer are legal: some rules leave seeds that neither side stores.
    pub fn new(pits: [u8; PITS], stores: [u8; 2], to_move: Side) -> Result<Self, PositionError> {
        let seeds: u16 = pits.iter().chain(&stores).map(|&n| u16::from(n)).sum();
        if seeds > u16::from(SEEDS) {
            return Err(PositionError::TooManySeeds(seeds));
        }
        let row = |side: Side| {
            let pits = &pits[6 * side.index()..6 * side.index() + 6];
            let bytes = pits.iter().rev().fold(0, |row, &n| row << 8 | u64::from(n));
            bytes | u64::from(stores[side.index()]) << STORE_SHIFT
        };
        Ok(Self {
            mover: row(to_move) | (to_move.index() as u64) << SIDE_SHIFT,
            waiting: row(to_move.opponent()),
        })
    }

    /// South to move, with nothing in the stores and these rows: a byte for each pit, the first
    /// pit lowest. The caller keeps the seeds at 48 or fewer.
    #[inline]
    pub(crate) const fn of_rows(mover: u64, waiting: u64) -> Self {
        Self {
            mover: mover & PITS_MASK,
            waiting: waiting & PITS_MASK,
        }
    }

    /// The two words of a position, for code that stores many: equal if and only if the positions
    /// are equal.
    pub(crate) const fn words(self) -> [u64; 2] {
        [self.mover, self.waiting]
    }

    /// The side to move.
    pub const fn to_move(self) -> Side {
        if self.mover >> SIDE_SHIFT == 0 {
            Side::South
        } else {
            Side::North
        }
    }

    /// Seeds in a pit.
    pub fn seeds(self, pit: Pit) -> u8 {
        (self.row(pit.side()) >> (8 * pit.row_index())) as u8
    }

    /// Seeds in all pits, in sowing order A–F, a–f.
    pub fn pits(self) -> [u8; PITS] {
        let mut pits = [0; PITS];
        for pit in Pit::all() {
            pits[pit.index()] = self.seeds(pit);
        }
        pits
    }

    /// Seeds that a side has captured.
    pub fn store(self, side: Side) -> u8 {
        (self.row(side) >> STORE_SHIFT) as u8
    }

    /// The stores of South and North.
    pub fn stores(self) -> [u8; 2] {
        Side::BOTH.map(|side| self.store(side))
    }

    /// Seeds in the six pits of a side.
    pub fn row_seeds(self, side: Side) -> u8 {
        sum_of_pits(self.row(side))
    }

    /// Seeds in all twelve pits.
    pub const fn seeds_on_board(self) -> u8 {
        // Bytes of both rows first: no sum of two pits exceeds 48.
        sum_of_pits((self.mover & PITS_MASK) + (self.waiting & PITS_MASK))
    }

    /// The same position with a larger store; the caller keeps the seeds at 48 or fewer.
    pub(super) fn with_mover_store_added(self, seeds: u8) -> Self {
        Self {
            mover: self.mover + (u64::from(seeds) << STORE_SHIFT),
            ..self
        }
    }

    /// After the mover's turn: the other side is to move.
    pub(super) const fn turned(self) -> Self {
        const SIDE: u64 = 1 << SIDE_SHIFT;
        // The bit of the side leaves the old mover's row and, negated, enters the new one's.
        let was = self.mover & SIDE;
        Self {
            mover: self.waiting | (was ^ SIDE),
            waiting: self.mover ^ was,
        }
    }

    fn row(self, side: Side) -> u64 {
        // The bit of the side is above the store; every reader cuts it off.
        if side == self.to_move() {
            self.mover
        } else {
            self.waiting
        }
    }
}

/// Sum of the six low bytes, at most 48, by one multiplication.
pub const fn sum_of_pits(row: u64) -> u8 {
    ((row & PITS_MASK).wrapping_mul(0x0101_0101_0101_0101) >> 56) as u8
}

/// One bit for each non-empty pit of a row, bit 0 for the first pit.
pub const fn occupied(row: u64) -> u8 {
    // A byte of 1–48 plus 0x7f has its highest bit set, an empty one has not.
    let flags = ((row & PITS_MASK) + 0x7f * LOW_BITS) >> 7 & LOW_BITS;
    // Gather bit 8k at bit k: the multiplication moves the flag of pit k to bit 40 + k.
    (flags.wrapping_mul(0x0000_0102_0408_1020) >> 40) as u8 & 0x3f
}

impl fmt::Debug for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_position_is_sixteen_bytes() {
        assert_eq!(size_of::<Position>(), 16);
    }

    #[test]
    fn parts_come_back_as_given() {
        let pits = [0, 1, 2, 3, 4, 5, 6, 7, 0, 9, 1, 0];
        for side in Side::BOTH {
            let position = Position::new(pits, [3, 7], side).unwrap();
            assert_eq!(position.pits(), pits);
            assert_eq!(position.stores(), [3, 7]);
            assert_eq!(position.to_move(), side);
            assert_eq!(position.row_seeds(Side::South), 15);
            assert_eq!(position.row_seeds(Side::North), 23);
            assert_eq!(position.seeds_on_board(), 38);
            assert_eq!(position.turned().to_move(), side.opponent());
            assert_eq!(position.turned().pits(), pits);
            assert_eq!(position.turned().turned(), position);
        }
    }

    #[test]
    fn all_48_seeds_fit_anywhere() {
        for pit in Pit::all() {
            let mut pits = [0; PITS];
            pits[pit.index()] = 48;
            let position = Position::new(pits, [0, 0], Side::North).unwrap();
            assert_eq!(position.seeds(pit), 48);
            assert_eq!(position.seeds_on_board(), 48);
        }
        let stores = Position::new([0; 12], [0, 48], Side::South).unwrap();
        assert_eq!(stores.store(Side::North), 48);
    }

    #[test]
    fn the_49th_seed_is_refused() {
        assert_eq!(
            Position::new([4; 12], [1, 0], Side::South),
            Err(PositionError::TooManySeeds(49))
        );
        assert_eq!(
            Position::new([255; 12], [255, 255], Side::South),
            Err(PositionError::TooManySeeds(14 * 255))
        );
    }

    #[test]
    fn occupied_marks_exactly_the_pits_with_seeds() {
        for bits in 0..64_u8 {
            for seeds in [1, 2, 48] {
                let row = (0..6)
                    .filter(|k| bits >> k & 1 == 1)
                    .fold(0, |row, k| row | seeds << (8 * k));
                assert_eq!(occupied(row | 0x0130_0000_0000_0000), bits, "row {row:x}");
            }
        }
    }
}
