//! The transposition table: the results of earlier visits to a position.
//!
//! Two tiers. A search visits most positions one or two plies above its horizon. These results are
//! worth little and are soon forgotten: they go into a small tier that stays in the
//! processor's own cache. All else goes into the large tier, whose buckets are one cache line each:
//! a look at it costs one access to memory. A full bucket of it gives up the entry of least depth,
//! entries of earlier searches first.
//!
//! ```text
//! entry, two words:  identity 64 bits | value 32, depth 8, bound and move 8, epoch 8, age 8
//! bucket:            four entries
//! ```
//! The identity is the position itself in 63 bits ([`TableKey`]), mixed by a permutation. So a
//! position is never taken for another one, although an entry has half the size of a position and
//! its value.
//!
//! An entry is all zero as long as nothing was put there, so that the table's memory comes from the
//! system as it is used: a bot that looks three plies ahead starts without touching megabytes.
//!
//! Values count certain results from the entry's own position. Bumping the epoch forgets
//! everything at once; bumping the age only makes what is there easier to replace.

use crate::engine::rng::mix;
use crate::rules::Position;
use std::ops::Range;

/// Up to this depth entries go into the small tier.
const NEAR_DEPTH: usize = 2;
/// Buckets of the small tier: 256 KiB.
const NEAR_BUCKETS: usize = 1 << 12;
/// Bytes of a line of the processor's cache.
const CACHE_LINE: usize = 64;
const BUCKET_ENTRIES: usize = CACHE_LINE / size_of::<[u64; 2]>();

/// The relation of a stored value to the true one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScoreBound {
    /// Nothing; only the move counts.
    Nothing,
    /// It is at most the value.
    Upper,
    /// It is at least the value.
    Lower,
    /// It is the value.
    Exact,
}

impl ScoreBound {
    const ALL: [Self; 4] = [Self::Nothing, Self::Upper, Self::Lower, Self::Exact];
}

/// The result of a search of one position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TableEntry {
    /// Value for the side to move, certain results counted from here.
    pub value: i32,
    /// Plies that were searched below the position.
    pub depth: u8,
    pub bound: ScoreBound,
    /// The best move found: the pit's number in its row, or [`NO_MOVE`].
    pub row_index: u8,
}

/// Stands for a move where none is known.
pub const NO_MOVE: u8 = 7;

/// A position as a number that no other position has, as good as random, the same on every
/// machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TableKey(u64);

impl TableKey {
    /// The fourteen numbers of a position in unary: each is a run of zeros, closed by a one. 48
    /// seeds and 14 ends fit in 62 bits, and the highest bit is the side to move.
    #[inline]
    pub fn of(position: Position) -> Self {
        const BYTES: u64 = 0x0101_0101_0101_0101;
        // Byte k is k: how many ones stand before the end of number k.
        const ENDS_BEFORE: u64 = 0x0706_0504_0302_0100;
        // Everything but the side to move, which is the highest byte.
        const NUMBERS: u64 = u64::MAX >> 8;
        let [mover, waiting] = position.words();
        // Byte k is the sum of the numbers 0 to k, at most 48.
        let sums = |row: u64| (row & NUMBERS).wrapping_mul(BYTES);
        let ends = |row: u64| {
            let places = sums(row) + ENDS_BEFORE;
            (0..7).fold(0_u64, |code, k| code | 1 << (places >> (8 * k) & 0xff))
        };
        let after_mover = 7 + (sums(mover) >> 56);
        let code = ends(mover) | ends(waiting) << after_mover | mover >> 56 << 63;
        Self(mix(code))
    }

    /// The number.
    pub const fn number(self) -> u64 {
        self.0
    }

    /// One of `count` places, all equally likely.
    #[expect(clippy::cast_possible_truncation, reason = "less than the count")]
    fn place(self, count: usize) -> usize {
        ((u128::from(self.0) * count as u128) >> 64) as usize
    }
}

/// An entry as it is stored.
#[derive(Clone, Copy)]
struct Packed {
    identity: u64,
    data: [u8; 8],
}

impl Packed {
    fn new(key: TableKey, entry: TableEntry, epoch: u8, age: u8) -> Self {
        let [a, b, c, d] = entry.value.to_le_bytes();
        let choice = (entry.bound as u8) << 4 | entry.row_index;
        Self {
            identity: key.0,
            data: [a, b, c, d, entry.depth, choice, epoch, age],
        }
    }

    const fn from_words([identity, data]: [u64; 2]) -> Self {
        let data = data.to_le_bytes();
        Self { identity, data }
    }

    const fn words(self) -> [u64; 2] {
        [self.identity, u64::from_le_bytes(self.data)]
    }

    fn entry(self) -> TableEntry {
        let [a, b, c, d, depth, choice, _, _] = self.data;
        TableEntry {
            value: i32::from_le_bytes([a, b, c, d]),
            depth,
            bound: ScoreBound::ALL[usize::from(choice >> 4 & 3)],
            row_index: choice & 0xf,
        }
    }

    const fn depth(self) -> u8 {
        self.data[4]
    }

    /// 0 is never the epoch of a table, so that nothing is known at first.
    const fn epoch(self) -> u8 {
        self.data[6]
    }

    const fn age(self) -> u8 {
        self.data[7]
    }
}

/// Buckets of four entries, each in one line of the processor's cache.
struct Tier {
    entries: Vec<[u64; 2]>,
    /// The entry that begins a line.
    first: usize,
    buckets: usize,
}

impl Tier {
    /// An empty tier; its memory is not touched.
    fn new(buckets: usize) -> Self {
        let entries = vec![[0_u64; 2]; (buckets + 1) * BUCKET_ENTRIES];
        let beyond_line = entries.as_ptr().addr() % CACHE_LINE / size_of::<[u64; 2]>();
        Self {
            entries,
            first: (BUCKET_ENTRIES - beyond_line) % BUCKET_ENTRIES,
            buckets,
        }
    }

    /// A tier of this size, or of what the machine has got.
    fn of_bytes(bytes: usize) -> Self {
        let mut buckets = bytes / CACHE_LINE;
        let fits = |buckets: usize| {
            Vec::<[u64; 2]>::new().try_reserve_exact((buckets + 1) * BUCKET_ENTRIES)
        };
        while fits(buckets).is_err() {
            buckets = (buckets / 2).max(1);
        }
        Self::new(buckets)
    }

    fn forget(&mut self) {
        // Given back before it is asked for again, rather than touched from end to end.
        self.entries = Vec::new();
        *self = Self::new(self.buckets);
    }

    #[inline]
    fn range(&self, key: TableKey) -> Range<usize> {
        let start = self.first + key.place(self.buckets) * BUCKET_ENTRIES;
        start..start + BUCKET_ENTRIES
    }

    #[inline]
    fn find(&self, key: TableKey, epoch: u8) -> Option<TableEntry> {
        let bucket = &self.entries[self.range(key)];
        let of_position = bucket.iter().filter(|[identity, _]| *identity == key.0);
        let mut known = of_position.map(|&words| Packed::from_words(words));
        known
            .find(|packed| packed.epoch() == epoch)
            .map(Packed::entry)
    }

    fn put(&mut self, key: TableKey, entry: TableEntry, epoch: u8, age: u8) {
        let range = self.range(key);
        let bucket = &mut self.entries[range];
        let mut least = (u32::MAX, 0);
        for (slot, &words) in bucket.iter().enumerate() {
            let packed = Packed::from_words(words);
            if packed.epoch() == epoch && packed.identity == key.0 {
                let entry = packed.entry().updated(entry);
                bucket[slot] = Packed::new(key, entry, epoch, age).words();
                return;
            }
            let worth = match (packed.epoch() == epoch, packed.age() == age) {
                (false, _) => 0,
                (true, false) => 1 + u32::from(packed.depth()),
                (true, true) => 1000 + u32::from(packed.depth()),
            };
            least = least.min((worth, slot));
        }
        bucket[least.1] = Packed::new(key, entry, epoch, age).words();
    }
}

impl TableEntry {
    /// Combines this entry with `news` of the same position: a move alone replaces no value.
    const fn updated(self, news: Self) -> Self {
        match news.bound {
            ScoreBound::Nothing => Self {
                row_index: news.row_index,
                ..self
            },
            _ => news,
        }
    }
}

/// The table, of a fixed size.
pub struct TranspositionTable {
    near: Tier,
    far: Tier,
    epoch: u8,
    age: u8,
}

impl TranspositionTable {
    /// A table of about this many MiB, 1 at least. Less if the machine has not got them.
    pub fn new(mib: usize) -> Self {
        Self {
            near: Tier::new(NEAR_BUCKETS),
            far: Tier::of_bytes(mib.max(1) << 20),
            epoch: 1,
            age: 0,
        }
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        self.age = 0;
        self.epoch = self.epoch.checked_add(1).unwrap_or_else(|| {
            self.near.forget();
            self.far.forget();
            1
        });
    }

    /// Makes all entries the first to be replaced.
    pub const fn grow_older(&mut self) {
        self.age = self.age.wrapping_add(1);
    }

    /// The entry of a position that is to be searched to this depth.
    #[inline]
    pub fn get(&self, key: TableKey, depth: usize) -> Option<TableEntry> {
        let near = || self.near.find(key, self.epoch);
        if depth <= NEAR_DEPTH {
            near()
        } else {
            // The last iteration may have put it into the other tier.
            self.far.find(key, self.epoch).or_else(near)
        }
    }

    /// Remembers what was found out about a position.
    #[inline]
    pub fn put(&mut self, key: TableKey, entry: TableEntry) {
        let is_near = usize::from(entry.depth) <= NEAR_DEPTH;
        let tier = if is_near {
            &mut self.near
        } else {
            &mut self.far
        };
        tier.put(key, entry, self.epoch, self.age);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::rng::Rng;
    use crate::rules::Side;
    use std::collections::BTreeSet;

    fn positions(count: usize) -> Vec<Position> {
        let mut rng = Rng::new(31, 0);
        (0..count)
            .map(|_| {
                let mut pits = [0; 12];
                for _ in 0..48 {
                    pits[rng.below(12)] += 1;
                }
                Position::new(pits, [0, 0], Side::BOTH[rng.below(2)]).unwrap()
            })
            .collect()
    }

    fn entry(value: i32, depth: u8, bound: ScoreBound, row_index: u8) -> TableEntry {
        TableEntry {
            value,
            depth,
            bound,
            row_index,
        }
    }

    /// One place for everything, in either tier.
    fn single_bucket() -> TranspositionTable {
        TranspositionTable {
            near: Tier::new(1),
            far: Tier::new(1),
            epoch: 1,
            age: 0,
        }
    }

    #[test]
    fn what_was_put_is_got_and_nothing_else() {
        for depth in [1, 9] {
            let mut table = TranspositionTable::new(1);
            let stored = positions(2000);
            for (number, &position) in (0..).zip(&stored) {
                let key = TableKey::of(position);
                table.put(key, entry(-number, depth, ScoreBound::Lower, 4));
            }
            let get = |table: &TranspositionTable, position: &Position| {
                table.get(TableKey::of(*position), usize::from(depth))
            };
            let mut found = 0;
            for (number, position) in (0..).zip(&stored) {
                if let Some(known) = get(&table, position) {
                    assert_eq!(known, entry(-number, depth, ScoreBound::Lower, 4));
                    found += 1;
                }
            }
            // 2000 positions in 4096 or more buckets of four: a fifth one is rare.
            assert!(found >= 1990, "{found}");
            assert!(get(&table, &Position::START).is_none());
            table.clear();
            assert!(
                stored
                    .iter()
                    .all(|position| get(&table, position).is_none())
            );
        }
    }

    #[test]
    fn clearing_works_more_often_than_epochs_have_numbers() {
        let mut table = TranspositionTable::new(1);
        let start = TableKey::of(Position::START);
        for round in 0..600 {
            assert!(table.get(start, 9).is_none(), "round {round}");
            table.put(start, entry(round, 9, ScoreBound::Exact, 0));
            assert_eq!(table.get(start, 9).map(|entry| entry.value), Some(round));
            table.clear();
        }
    }

    /// Of many positions in one bucket the deepest stay, until their search is over.
    #[test]
    fn depth_is_kept_within_a_search() {
        let mut table = single_bucket();
        let keys: Vec<TableKey> = positions(7).into_iter().map(TableKey::of).collect();
        for (key, depth) in keys.iter().zip([9, 4, 8, 7, 3, 5]) {
            table.put(*key, entry(1, depth, ScoreBound::Exact, 0));
        }
        let known = |table: &TranspositionTable| {
            let known = keys.iter().map(|&key| table.get(key, 9).is_some());
            known.collect::<Vec<bool>>()
        };
        assert_eq!(
            known(&table),
            [true, false, true, true, false, true, false],
            "the least deep of four had to go each time"
        );
        table.grow_older();
        table.put(keys[6], entry(1, 3, ScoreBound::Exact, 0));
        table.put(keys[4], entry(1, 4, ScoreBound::Exact, 0));
        assert_eq!(known(&table), [true, false, true, false, true, false, true]);
    }

    #[test]
    fn a_move_alone_does_not_overwrite_a_value() {
        let mut table = TranspositionTable::new(1);
        let start = TableKey::of(Position::START);
        table.put(start, entry(7, 5, ScoreBound::Exact, 2));
        table.put(start, entry(99, 6, ScoreBound::Nothing, 3));
        assert_eq!(table.get(start, 6), Some(entry(7, 5, ScoreBound::Exact, 3)));
    }

    /// The next iteration, deeper by one, finds the move of the last one in the other tier.
    #[test]
    fn tiers_are_one_table_for_a_deeper_search() {
        let mut table = TranspositionTable::new(1);
        let start = TableKey::of(Position::START);
        table.put(start, entry(7, 2, ScoreBound::Exact, 4));
        assert_eq!(table.get(start, 3), Some(entry(7, 2, ScoreBound::Exact, 4)));
    }

    /// Buckets begin where lines of the cache do, so that one access reads them whole.
    #[test]
    fn buckets_are_lines() {
        for buckets in [1, 3, 4096] {
            let tier = Tier::new(buckets);
            let first = tier.entries[tier.first..].as_ptr().addr();
            assert_eq!(first % CACHE_LINE, 0);
            assert!(tier.first + buckets * BUCKET_ENTRIES <= tier.entries.len());
        }
    }

    /// Every single number of a position matters, and so does the side to move.
    #[test]
    fn keys_differ() {
        let mut positions = positions(20_000);
        for from in 0..12 {
            for to in 0..14 {
                let mut cells = [3; 14];
                cells[from] -= 1;
                cells[to] += 1;
                let [south, north] = [cells[12], cells[13]];
                let pits = cells[..12].try_into().unwrap();
                for side in Side::BOTH {
                    positions.push(Position::new(pits, [south, north], side).unwrap());
                }
            }
        }
        for seeds in 0..=48 {
            positions.push(Position::new([0; 12], [seeds, 0], Side::South).unwrap());
            positions.push(Position::new([0; 12], [0, seeds], Side::North).unwrap());
        }
        let texts: BTreeSet<String> = positions.iter().map(ToString::to_string).collect();
        let keys = positions
            .iter()
            .map(|&position| TableKey::of(position).number());
        assert_eq!(keys.collect::<BTreeSet<u64>>().len(), texts.len());
    }
}
