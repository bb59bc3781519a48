//! The place of a position among all positions with as many seeds, without gaps.
//!
//! Only the twelve pits count, from the side of the player to move: the mover's row and the row of
//! the waiting player. First comes the number of seeds in the mover's row, then the place of the
//! mover's row among all rows with so many seeds, then that of the other row.
//!
//! The place of a row is its number in the combinatorial number system: with p(i) seeds in the
//! first i pits it is the sum of C(p(i) + i − 1, i) for i = 1 to 5.

#![expect(
    clippy::cast_possible_truncation,
    reason = "bytes of a word, and numbers of rows that fit in 32 bits"
)]

use crate::rules::Position;

/// The most seeds of a position that has a place: those of more do not fit in a byte, with all that
/// is kept there while they are solved. There are 13 billion positions of 35 seeds.
pub const MOST_SEEDS: u8 = 35;
/// Numbers of seeds: 0 to [`MOST_SEEDS`].
const COUNTS: usize = MOST_SEEDS as usize + 1;
/// The pits of a row.
pub const PITS_MASK: u64 = 0x0000_ffff_ffff_ffff;

/// The number of ways to choose `k` of `n` things.
const fn choose(n: u64, k: u64) -> u64 {
    let (mut ways, mut i) = (1, 0);
    while i < k {
        if n < i + 1 {
            return 0;
        }
        ways = ways * (n - i) / (i + 1);
        i += 1;
    }
    ways
}

/// C(p + i − 1, i) by i − 1 and p.
static PLACES: [[u32; 64]; 5] = places();

const fn places() -> [[u32; 64]; 5] {
    let mut table = [[0; 64]; 5];
    let mut i = 1;
    while i <= 5 {
        let mut p = 1;
        while p < COUNTS {
            table[i - 1][p] = choose((p + i - 1) as u64, i as u64) as u32;
            p += 1;
        }
        i += 1;
    }
    table
}

/// How many rows there are with so many seeds.
static ROWS: [u32; COUNTS] = row_counts();

const fn row_counts() -> [u32; COUNTS] {
    let mut counts = [0; COUNTS];
    let mut seeds = 0;
    while seeds < COUNTS {
        counts[seeds] = choose(seeds as u64 + 5, 5) as u32;
        seeds += 1;
    }
    counts
}

/// The first place of the positions with so many seeds on the board and so many in the mover's row.
static FIRSTS: [[u64; COUNTS + 1]; COUNTS] = firsts();

const fn firsts() -> [[u64; COUNTS + 1]; COUNTS] {
    let rows = row_counts();
    let mut table = [[0; COUNTS + 1]; COUNTS];
    let mut seeds = 0;
    while seeds < COUNTS {
        let mut own = 0;
        while own <= seeds {
            let boards = rows[own] as u64 * rows[seeds - own] as u64;
            table[seeds][own + 1] = table[seeds][own] + boards;
            own += 1;
        }
        seeds += 1;
    }
    table
}

/// How many positions there are with so many seeds on the board: C(seeds + 11, 11).
///
/// # Panics
/// More than [`MOST_SEEDS`].
pub const fn positions_of(seeds: u8) -> u64 {
    assert!(
        seeds <= MOST_SEEDS,
        "positions of up to 35 seeds have places"
    );
    choose(seeds as u64 + 11, 11)
}

/// How many positions there are with fewer seeds than these: C(seeds + 11, 12).
pub const fn positions_below(seeds: u8) -> u64 {
    choose(seeds as u64 + 11, 12)
}

/// The place of a row among those with as many seeds, and its seeds.
#[inline]
fn place_of_row(row: u64) -> (u32, usize) {
    let sums = (row & PITS_MASK).wrapping_mul(0x0101_0101_0101);
    let sum = |pits: u32| (sums >> (8 * (pits - 1)) & 0x3f) as usize;
    let place = PLACES[0][sum(1)] + PLACES[1][sum(2)] + PLACES[2][sum(3)];
    (place + PLACES[3][sum(4)] + PLACES[4][sum(5)], sum(6))
}

/// The seeds on the board, at most [`MOST_SEEDS`], and the place among all positions of as many.
#[inline]
pub fn place(position: Position) -> (usize, usize) {
    let [mover, waiting] = position.words();
    let (own_place, own) = place_of_row(mover);
    let (other_place, other) = place_of_row(waiting);
    let seeds = own + other;
    let rows = u64::from(own_place) * u64::from(ROWS[other]) + u64::from(other_place);
    (seeds, (FIRSTS[seeds][own] + rows) as usize)
}

/// All rows of up to a number of seeds, for going back from a place to its position.
pub struct Rows {
    /// By seeds, then by place.
    rows: Vec<Vec<u64>>,
}

impl Rows {
    /// The rows of up to so many seeds.
    pub fn up_to(seeds: u8) -> Self {
        let mut rows: Vec<Vec<u64>> = (0..=usize::from(seeds))
            .map(|seeds| vec![0; ROWS[seeds] as usize])
            .collect();
        fill(&mut rows, 0, 0, seeds);
        Self { rows }
    }

    /// Goes through the positions with this many seeds from a place on.
    pub fn from_place(&self, seeds: u8, place: usize) -> Walk<'_> {
        let mut walk = Walk {
            rows: &self.rows,
            seeds: usize::from(seeds),
            own: 0,
            own_place: 0,
            other_place: 0,
        };
        walk.go_to(place);
        walk
    }
}

/// Adds all rows whose pits from `pit` on hold at most `left` seeds, the pits before it as in `row`.
fn fill(rows: &mut [Vec<u64>], row: u64, pit: u32, left: u8) {
    if pit == 6 {
        let (place, seeds) = place_of_row(row);
        rows[seeds][place as usize] = row;
        return;
    }
    for count in 0..=left {
        fill(
            rows,
            row | u64::from(count) << (8 * pit),
            pit + 1,
            left - count,
        );
    }
}

/// A place that moves forward.
pub struct Walk<'a> {
    rows: &'a [Vec<u64>],
    seeds: usize,
    own: usize,
    own_place: usize,
    other_place: usize,
}

impl Walk<'_> {
    /// Goes to a place that is not before the present one's number of seeds in the mover's row.
    #[inline]
    pub fn go_to(&mut self, place: usize) {
        while place as u64 >= FIRSTS[self.seeds][self.own + 1] {
            self.own += 1;
        }
        // A layer of up to 24 seeds, and the blocks of any, fit in 32 bits: a short division.
        let within = (place as u64 - FIRSTS[self.seeds][self.own]) as u32;
        let others = ROWS[self.seeds - self.own];
        self.own_place = (within / others) as usize;
        self.other_place = (within % others) as usize;
    }

    /// The position here.
    #[inline]
    pub fn position(&self) -> Position {
        let mover = self.rows[self.own][self.own_place];
        let waiting = self.rows[self.seeds - self.own][self.other_place];
        Position::of_rows(mover, waiting)
    }

    /// Goes one place on; the last one is followed by nothing.
    #[inline]
    pub fn step(&mut self) {
        self.other_place += 1;
        if self.other_place == self.rows[self.seeds - self.own].len() {
            (self.other_place, self.own_place) = (0, self.own_place + 1);
            if self.own_place == self.rows[self.own].len() && self.own < self.seeds {
                (self.own_place, self.own) = (0, self.own + 1);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every position has a place, no two the same, and the walk goes through them in order.
    #[test]
    fn places_are_without_gaps() {
        let rows = Rows::up_to(7);
        for seeds in 0..=7 {
            let count = usize::try_from(positions_of(seeds)).unwrap();
            let mut walk = rows.from_place(seeds, 0);
            for expected in 0..count {
                assert_eq!(place(walk.position()), (usize::from(seeds), expected));
                let jumped = rows.from_place(seeds, expected).position();
                assert_eq!(jumped, walk.position());
                walk.step();
            }
        }
    }

    /// Counted by adding up one pit at a time.
    #[test]
    fn counts_are_those_of_pascal() {
        let mut ways = [1_u64; COUNTS];
        for _ in 1..12 {
            for seeds in 1..COUNTS {
                ways[seeds] += ways[seeds - 1];
            }
        }
        let mut below = 0;
        for (seeds, ways) in (0..).zip(ways) {
            assert_eq!(positions_of(seeds), ways);
            assert_eq!(positions_below(seeds), below);
            below += ways;
        }
    }
}
