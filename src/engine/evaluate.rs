//! Estimates a position before the end of a game.
//!
//! A small network, fitted to games that `minimax` played against itself (`scripts/tune-minimax`
//! makes the games and the weights again). Its features of a position, from the mover's side:
//!
//! ```text
//! each pit of the mover, then each pit of its opponent        12 features, one of 19 columns each
//!     how many seeds it holds, and whether the other side reaches it with its last seed
//! the store of the mover, the store of its opponent            2 features, one of 25 columns each
//! ```
//! Every feature selects a row of 16 numbers, and the 14 rows are added. The first sum is a value
//! in hundredths of a seed: the worth of each pit on its own. The other 15 are hidden units for
//! the worth of pits together (a heavy pit and the seeds that it can reach, empty pits, seeds that
//! have to be played soon); each is cut to its range and multiplied by its own weight.
//!
//! The scale is such that the winner of a game is uncertain to the same degree at the same value,
//! whatever is left on the board: [`LOGISTIC_SCALE`] hundredths more multiply the odds by e.

use crate::rules::{Capture, Position, RuleSet};

/// Numbers of a feature's row.
pub const LANES: usize = 16;
/// Columns of a pit: the states that the network tells apart.
const COLUMNS: usize = 19;
/// Columns of a store: 0 to 24 seeds, or more.
const STORES: usize = 25;
/// All rows of a network.
pub const ROWS: usize = 12 * COLUMNS + 2 * STORES;
/// Features of a position: twelve pits and two stores.
pub const FEATURES: usize = 14;
/// The greatest value of a hidden unit; its smallest is 0.
pub const UNIT: i16 = 256;
/// A value of so much is an expected score of 73 %.
pub const LOGISTIC_SCALE: f32 = 400.0;

/// The weights for one way of capturing.
struct Network {
    /// A row for each column of each feature.
    rows: [[i16; LANES]; ROWS],
    /// Added to the rows of every position.
    start: [i16; LANES],
    /// The worth of each hidden unit, in hundredths of a seed; the first is not used.
    worths: [i16; LANES],
}

/// `weights/README.md` says how these files are made.
static CHAIN: Network = Network::read(include_bytes!("weights/chain.bin"));
static LAST_PIT: Network = Network::read(include_bytes!("weights/last_pit.bin"));

impl Network {
    /// From 16-bit integers, little end first: the rows, the start, the worths.
    const fn read(bytes: &[u8; 2 * LANES * (ROWS + 2)]) -> Self {
        let mut network = Self {
            rows: [[0; LANES]; ROWS],
            start: [0; LANES],
            worths: [0; LANES],
        };
        let mut place = 0;
        while place < LANES * (ROWS + 2) {
            let weight = i16::from_le_bytes([bytes[2 * place], bytes[2 * place + 1]]);
            let (row, lane) = (place / LANES, place % LANES);
            match row {
                ROWS => network.start[lane] = weight,
                0..ROWS => network.rows[row][lane] = weight,
                _ => network.worths[lane] = weight,
            }
            place += 1;
        }
        network
    }
}

/// The bit of the opponent's pit in which a sowing ends; by pit and seeds; 0 in the own row.
static LANDINGS: [[u8; 49]; 6] = landings();

const fn landings() -> [[u8; 49]; 6] {
    let mut table = [[0; 49]; 6];
    let mut pit = 0;
    while pit < 6 {
        let mut seeds = 1;
        while seeds < 49 {
            // The pit of origin is skipped on every lap.
            let last = (pit + 1 + (seeds - 1) % 11) % 12;
            if last >= 6 {
                table[pit][seeds] = 1 << (last - 6);
            }
            seeds += 1;
        }
        pit += 1;
    }
    table
}

/// Which pits of the other row the sowings of this one can end in, one bit each.
#[inline]
fn reach(row: [u8; 8]) -> u8 {
    (0..6).fold(0, |reach, pit| {
        reach | LANDINGS[pit][usize::from(row[pit]).min(48)]
    })
}

/// The column of a pit under rules in which two or three seeds are captured: its seeds up to 16,
/// or 17 and 18 for one and two seeds that the other side reaches.
const fn chain_column(seeds: u8, is_reached: bool) -> usize {
    match (seeds, is_reached) {
        (1 | 2, true) => 16 + seeds as usize,
        (0..=16, _) => seeds as usize,
        _ => 16,
    }
}

/// The column of a pit under rules in which the last pit is taken whole: its seeds up to 9, or 9
/// more where the other side reaches it.
const fn last_pit_column(seeds: u8, is_reached: bool) -> usize {
    let seeds = if seeds > 9 { 9 } else { seeds as usize };
    if is_reached && seeds > 0 {
        9 + seeds
    } else {
        seeds
    }
}

/// By whether a pit is reached, and its seeds.
type ColumnTable = [[u8; 49]; 2];

static CHAIN_COLUMNS: ColumnTable = columns(Capture::Chain);
static LAST_PIT_COLUMNS: ColumnTable = columns(Capture::LastPit);

#[expect(clippy::cast_possible_truncation, reason = "at most 48 and at most 18")]
const fn columns(capture: Capture) -> ColumnTable {
    let mut columns = [[0; 49]; 2];
    let mut seeds = 0;
    while seeds < 49 {
        let mut reached = 0;
        while reached < 2 {
            columns[reached][seeds] = match capture {
                Capture::Chain => chain_column(seeds as u8, reached == 1) as u8,
                Capture::LastPit => last_pit_column(seeds as u8, reached == 1) as u8,
            };
            reached += 1;
        }
        seeds += 1;
    }
    columns
}

/// The rows that a position selects.
#[inline]
fn selected(columns: &ColumnTable, position: Position) -> [usize; FEATURES] {
    let [mover, waiting] = position.words().map(u64::to_le_bytes);
    let reached = [reach(waiting), reach(mover)];
    let mut rows = [0; FEATURES];
    for (side, row) in [mover, waiting].into_iter().enumerate() {
        for pit in 0..6 {
            let is_reached = usize::from(reached[side] >> pit & 1);
            let column = columns[is_reached][usize::from(row[pit]).min(48)];
            rows[6 * side + pit] = (6 * side + pit) * COLUMNS + usize::from(column);
        }
        rows[12 + side] = 12 * COLUMNS + side * STORES + usize::from(row[6]).min(STORES - 1);
    }
    rows
}

/// The rows that a position selects under rules with this way of capturing: the input of a fit of
/// the weights.
pub fn features(capture: Capture, position: Position) -> [usize; FEATURES] {
    match capture {
        Capture::Chain => selected(&CHAIN_COLUMNS, position),
        Capture::LastPit => selected(&LAST_PIT_COLUMNS, position),
    }
}

/// The properties of the rules that an evaluation needs.
#[derive(Clone, Copy)]
pub struct Evaluation {
    network: &'static Network,
    columns: &'static ColumnTable,
}

impl Evaluation {
    /// The weights for these rules.
    pub const fn new(rules: &RuleSet) -> Self {
        let (network, columns) = match rules.capture {
            Capture::Chain => (&CHAIN, &CHAIN_COLUMNS),
            Capture::LastPit => (&LAST_PIT, &LAST_PIT_COLUMNS),
        };
        Self { network, columns }
    }

    /// The value for the side to move, in hundredths of a seed.
    pub fn value(self, position: Position) -> i32 {
        let mut sums = self.network.start;
        for row in selected(self.columns, position) {
            let row = &self.network.rows[row];
            for (sum, &weight) in sums.iter_mut().zip(row) {
                *sum = sum.wrapping_add(weight);
            }
        }
        let own = i32::from(sums[0]);
        let units = sums.map(|sum| sum.clamp(0, UNIT));
        let together: i32 = units
            .iter()
            .zip(&self.network.worths)
            .map(|(&unit, &worth)| i32::from(unit) * i32::from(worth))
            .sum();
        own + together / i32::from(UNIT)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::{Pit, Position, Preset, Side};

    /// The same position with the players' sides exchanged.
    fn with_sides_exchanged(position: Position) -> Position {
        let mut pits = position.pits();
        pits.rotate_left(6);
        let [south, north] = position.stores();
        Position::new(pits, [north, south], position.to_move().opponent()).unwrap()
    }

    fn text(text: &str) -> Position {
        text.parse().unwrap()
    }

    #[test]
    fn exchanged_sides_change_nothing() {
        for preset in Preset::ALL {
            let evaluation = Evaluation::new(&preset.rules());
            let position = text("0-20-3-1-0-2-5-1-0-0-2-1-6-4-N");
            let value = evaluation.value(position);
            assert_ne!(value, 0);
            assert_eq!(evaluation.value(with_sides_exchanged(position)), value);
        }
    }

    /// A search must never confuse an estimate with a certain result, and no sum may overflow.
    #[test]
    fn estimates_are_far_from_certain() {
        for network in [&CHAIN, &LAST_PIT] {
            let mut most = network.start.map(|weight| i32::from(weight).abs());
            let (pits, stores) = network.rows.split_at(12 * COLUMNS);
            for feature in pits.chunks(COLUMNS).chain(stores.chunks(STORES)) {
                for (lane, most) in most.iter_mut().enumerate() {
                    let weights = feature.iter().map(|row| i32::from(row[lane]).abs());
                    *most += weights.max().unwrap_or(0);
                }
            }
            assert!(
                most.iter().all(|&most| most < i32::from(i16::MAX)),
                "{most:?}"
            );
            let worths = network.worths.iter().map(|&worth| i32::from(worth).abs());
            assert!(most[0] + worths.sum::<i32>() < super::super::score::WIN_FLOOR);
        }
    }

    #[test]
    fn seeds_in_store_are_good() {
        for preset in Preset::ALL {
            let evaluation = Evaluation::new(&preset.rules());
            let ahead = text("3-3-3-3-3-3-3-3-3-3-3-3-9-3-S");
            let behind = text("3-3-3-3-3-3-3-3-3-3-3-3-3-9-S");
            let difference = evaluation.value(ahead) - evaluation.value(behind);
            assert!(difference > 400, "{preset:?}: {difference}");
        }
    }

    /// The pits that a player reaches are those in which the rules let a seed fall last: the only
    /// pit of the opponent in which the children's game then captures.
    #[test]
    fn reach_is_where_the_rules_capture() {
        let rules = Preset::Junior.rules();
        for pit in Pit::all().take(6) {
            for seeds in 1..=20_u8 {
                // The pit before the last one stays full, so the game goes on.
                let mut pits = [0, 0, 0, 0, 0, 0, 2, 2, 2, 2, 2, 2];
                pits[pit.index()] = seeds;
                let position = Position::new(pits, [0, 0], Side::South).unwrap();
                let captured = rules.play_unchecked(position, pit).captured;
                let row: [u8; 8] = position.words()[0].to_le_bytes();
                assert_eq!(reach(row) != 0, captured > 0, "{pit} {seeds}");
                if captured > 0 {
                    let after = rules.play_unchecked(position, pit).position.pits();
                    assert_eq!(after[6 + reach(row).trailing_zeros() as usize], 0);
                }
            }
        }
    }

    /// A reached pit of one or two seeds differs from one that is out of reach, a heavier one not.
    #[test]
    fn columns_tell_what_is_in_danger() {
        let column = |text: &str, pit: usize| {
            features(Capture::Chain, text.parse().unwrap())[pit] - pit * COLUMNS
        };
        // North's first pit holds as many seeds as bring the last one to South's C.
        for (text, expected) in [
            ("0-0-1-0-0-1-8-0-0-0-0-0-20-18-S", 17),
            ("0-0-2-0-0-1-8-0-0-0-0-0-20-17-S", 18),
            ("0-0-3-0-0-1-8-0-0-0-0-0-20-16-S", 3),
            ("0-0-2-0-0-1-9-0-0-0-0-0-20-16-S", 2),
        ] {
            assert_eq!(column(text, 2), expected, "{text}");
        }
    }
}
