//! The byte of a position in a database: its value, and where the mover gains, a move.
//!
//! ```text
//!   0 … 35     the mover gains nothing, or loses so many seeds
//!  36 … 245    it gains 1 + (code − 36) / 6 seeds, by the pit (code − 36) % 6 of its row
//! 246 … 252    while a layer is solved: nothing is known yet, and 0 … 6 moves are open
//! 253 … 255    nothing
//! ```
//! The move is kept because the value alone does not win: many moves may keep the value, and one
//! that goes round in a circle keeps it for ever.

#![expect(clippy::cast_possible_truncation, reason = "numbers up to 255")]

use super::index::MOST_SEEDS;

/// The first code of a gain.
const GAINS: u8 = MOST_SEEDS + 1;
/// The last code of a gain.
const LAST: u8 = GAINS + 6 * MOST_SEEDS - 1;
/// The code of a position with no move that is open any more. For each open move it is one more.
pub const NO_OPEN_MOVE: u8 = LAST + 1;
/// The code of a position with six open moves.
pub const SIX_OPEN_MOVES: u8 = NO_OPEN_MOVE + 6;

/// By code; the codes that mean nothing have the value 0.
static VALUES: [i8; 256] = values();

const fn values() -> [i8; 256] {
    let mut table = [0; 256];
    let mut code = 0;
    while code <= LAST as usize {
        table[code] = if code < GAINS as usize {
            -(code as i8)
        } else {
            1 + ((code - GAINS as usize) / 6) as i8
        };
        code += 1;
    }
    table
}

/// The value of a code in seeds.
#[inline]
pub fn value_of(code: u8) -> i8 {
    VALUES[usize::from(code)]
}

/// The mover's pit (0–5) that gains, or `None` where it gains nothing.
#[inline]
pub const fn gaining_pit(code: u8) -> Option<u8> {
    match code {
        GAINS..=LAST => Some((code - GAINS) % 6),
        _ => None,
    }
}

/// Whether a byte is a code at all.
pub const fn is_code(byte: u8) -> bool {
    byte <= LAST
}

/// The code of a value; `row_index` counts for gains alone.
#[inline]
pub const fn code_of(value: i8, row_index: u8) -> u8 {
    if value > 0 {
        GAINS + 6 * (value.cast_unsigned() - 1) + row_index
    } else {
        value.unsigned_abs()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_come_back() {
        let most = i8::try_from(MOST_SEEDS).unwrap();
        let mut seen = std::collections::BTreeSet::new();
        for value in -most..=most {
            for pit in 0..6 {
                let code = code_of(value, pit);
                assert!(is_code(code));
                assert_eq!(value_of(code), value);
                assert_eq!(gaining_pit(code), (value > 0).then_some(pit));
                seen.insert(code);
            }
        }
        assert_eq!(seen.len(), 246);
        assert!((246..=255).all(|byte| !is_code(byte) && value_of(byte) == 0));
    }
}
