//! Estimates a position before the end of a game: the expected difference of the final stores.
//!
//! The estimate is the present difference of the stores plus the value of the seeds in each pit for
//! its owner. The values were fitted by least squares to the results of 1.6 million positions
//! without an available capture, in 20,000 games that the search (5 plies deep) played against
//! itself from random openings under the rules `awale`, with one move in twelve at random. The
//! games of a first round were played with the stores alone, those of a second with the values of
//! the first. A third round gave no stronger player. The table of the children's game comes from
//! one round with 0.5 million positions of `junior`. The values agree with players' experience:
//! seeds are worth more far from the opponent, and a kroo (a pit of about a lap) is very valuable.

use super::score::SEED;
use crate::rules::{Capture, Position, RuleSet};

/// The greatest count that has its own column.
const LAST_COLUMN: usize = 16;

/// The value of a pit of a row (line) with this many seeds (column), in hundredths of a seed.
type Worths = [[i16; LAST_COLUMN + 1]; 6];

/// For rules in which two or three seeds are captured.
#[rustfmt::skip]
const CHAIN: Worths = [
    [0,  98, 163, 233, 227, 231, 222, 203, 183, 131, 107, 109, 104, 129, 173, 231, 283],
    [0, 107, 169, 209, 209, 195, 196, 178, 169, 139, 115, 130, 200, 252, 318, 387, 435],
    [0,  96, 137, 180, 179, 184, 156, 116,  80,  40,  48,  96, 155, 216, 287, 360, 382],
    [0,  70, 108, 124, 123,  98,  76,  30,  -5, -16,  22,  68, 127, 176, 234, 255, 224],
    [0,  45,  46,  56,  49,  33,  15, -18, -27,  19,  63, 109, 163, 215, 236, 207, 122],
    [0,  22,  21,   1,  -5, -21, -44, -80, -22,  48, 118, 203, 264, 307, 297, 192, -14],
];

/// For rules in which the last pit is taken whole.
#[rustfmt::skip]
const LAST_PIT: Worths = [
    [0, -51, -32,  11,  61, 119,  175,  207,  218,  216,  207,  194, 180, 165, 151, 138, 125],
    [0, -27,  18,  78, 148, 224,  271,  276,  238,  184,  130,   83,  49,  28,  15,  10,  10],
    [0,   7,  75, 144, 215, 251,  235,  179,  100,   28,  -30,  -54, -53, -39, -18,   6,  31],
    [0,  35, 103, 171, 209, 201,  144,   59,  -39, -118, -133,  -97, -39,  22,  75, 120, 157],
    [0,  60, 134, 198, 178, 127,   42,  -62, -168, -183, -143,  -80,  -4,  63, 111, 146, 172],
    [0,  78, 130, 125,  79,  -2, -125, -247, -255, -208, -152,  -83, -18,  29,  57,  73,  81],
];

/// The properties of the rules that an evaluation needs.
#[derive(Clone, Copy)]
pub struct Evaluation {
    worths: &'static Worths,
}

impl Evaluation {
    pub const fn new(rules: &RuleSet) -> Self {
        let worths = match rules.capture {
            Capture::Chain => &CHAIN,
            Capture::LastPit => &LAST_PIT,
        };
        Self { worths }
    }

    /// The value for the side to move, in hundredths of a seed.
    pub fn value(self, position: Position) -> i32 {
        let mover = position.to_move();
        let pits = position.pits();
        let (south, north) = pits.split_at(6);
        let worth = |row: &[u8]| -> i32 {
            let pits = row.iter().zip(self.worths);
            pits.map(|(&seeds, worths)| i32::from(worths[usize::from(seeds).min(LAST_COLUMN)]))
                .sum()
        };
        let [south_store, north_store] = position.stores().map(i32::from);
        let value = (south_store - north_store) * SEED + worth(south) - worth(north);
        if mover.index() == 0 { value } else { -value }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::{Preset, Side};

    /// The same position with the players' sides exchanged.
    fn with_sides_exchanged(position: Position) -> Position {
        let mut pits = position.pits();
        pits.rotate_left(6);
        let [south, north] = position.stores();
        Position::new(pits, [north, south], position.to_move().opponent()).unwrap()
    }

    #[test]
    fn the_start_is_level_and_exchanged_sides_change_nothing() {
        for preset in Preset::ALL {
            let evaluation = Evaluation::new(&preset.rules());
            assert_eq!(evaluation.value(Position::START), 0);
            let position =
                Position::new([0, 20, 3, 1, 0, 2, 5, 1, 0, 0, 2, 1], [6, 4], Side::North);
            let position = position.unwrap();
            let value = evaluation.value(position);
            assert_ne!(value, 0);
            assert_eq!(evaluation.value(with_sides_exchanged(position)), value);
        }
    }

    /// A search must never confuse an estimate with a certain result.
    #[test]
    fn estimates_are_far_from_certain() {
        for table in [&CHAIN, &LAST_PIT] {
            let most: i32 = table
                .iter()
                .filter_map(|pit| pit.iter().map(|&worth| i32::from(worth).abs()).max())
                .sum();
            assert!(2 * most + 48 * SEED < super::super::score::WIN_FLOOR);
        }
    }

    #[test]
    fn a_seed_in_store_is_a_hundred() {
        let evaluation = Evaluation::new(&RuleSet::default());
        let empty = |stores| Position::new([0; 12], stores, Side::South).unwrap();
        assert_eq!(evaluation.value(empty([20, 17])), 300);
        assert_eq!(evaluation.value(empty([17, 20])), -300);
    }
}
