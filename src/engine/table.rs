//! The transposition table: what earlier visits to a position have found out.
//!
//! A fixed number of buckets of two entries. Once both are of the current search, the first is
//! for the greater depth and the second takes whatever comes. Entries hold the whole position,
//! so one is never taken for another, whatever the hash.
//!
//! ```text
//! entry, three words:  position 2 | value 32 bits, depth 8, bound and move 8, epoch 8, age 8
//! ```
//! An entry is all zero as long as nothing was put there, so that the table's memory comes from the
//! system as it is used: a bot that looks three plies ahead starts without touching megabytes.
//!
//! Values count certain results from the entry's own position. Bumping the epoch forgets
//! everything at once; bumping the age only makes what is there easier to replace.

use crate::engine::rng::mix;
use crate::rules::Position;

/// What a stored value says about the true one.
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

/// What is known of one position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TableEntry {
    /// Value for the side to move, certain results counted from here.
    pub value: i32,
    /// Plies that were searched below the position.
    pub depth: u8,
    pub bound: ScoreBound,
    /// The best move found: the pit's number in its row, or [`NO_MOVE`].
    pub row_index: u8,
    /// When it was put there: 0 is never the epoch of a table, so that nothing is known at first.
    epoch: u8,
    age: u8,
}

/// Stands for a move where none is known.
pub const NO_MOVE: u8 = 7;

/// An entry and its position, as they are stored.
type Words = [u64; 3];

impl TableEntry {
    fn packed(self, position: Position) -> Words {
        let [a, b, c, d] = self.value.to_le_bytes();
        let choice = (self.bound as u8) << 4 | self.row_index;
        let rest = u64::from_le_bytes([a, b, c, d, self.depth, choice, self.epoch, self.age]);
        let [mover, waiting] = position.words();
        [mover, waiting, rest]
    }

    fn unpacked([_, _, rest]: Words) -> Self {
        let [a, b, c, d, depth, choice, epoch, age] = rest.to_le_bytes();
        Self {
            value: i32::from_le_bytes([a, b, c, d]),
            depth,
            bound: ScoreBound::ALL[usize::from(choice >> 4)],
            row_index: choice & 0xf,
            epoch,
            age,
        }
    }
}

fn is_of([mover, waiting, _]: &Words, position: Position) -> bool {
    [*mover, *waiting] == position.words()
}

/// The fixed-size table.
pub struct TranspositionTable {
    buckets: Vec<[Words; 2]>,
    epoch: u8,
    age: u8,
}

impl TranspositionTable {
    /// A table of about this many MiB, 1 at least. Less if the machine has not got them.
    pub fn new(mib: usize) -> Self {
        let mut count = (mib.max(1) << 20) / size_of::<[Words; 2]>();
        while Vec::<[Words; 2]>::new().try_reserve_exact(count).is_err() {
            count = (count / 2).max(1);
        }
        Self {
            buckets: vec![[[0; 3]; 2]; count],
            epoch: 1,
            age: 0,
        }
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        self.age = 0;
        self.epoch = self.epoch.checked_add(1).unwrap_or_else(|| {
            let count = self.buckets.len();
            // Given back before it is asked for again, rather than touched from end to end.
            drop(std::mem::take(&mut self.buckets));
            self.buckets = vec![[[0; 3]; 2]; count];
            1
        });
    }

    /// Makes all entries the first to be replaced.
    pub fn grow_older(&mut self) {
        self.age = self.age.wrapping_add(1);
    }

    /// What is known of a position.
    pub fn get(&self, position: Position) -> Option<TableEntry> {
        let bucket = &self.buckets[self.bucket_of(position)];
        let of_position = bucket.iter().filter(|words| is_of(words, position));
        let mut entries = of_position.map(|words| TableEntry::unpacked(*words));
        entries.find(|entry| entry.epoch == self.epoch)
    }

    /// Remembers what was found out about a position.
    pub fn put(
        &mut self,
        position: Position,
        value: i32,
        depth: u8,
        bound: ScoreBound,
        row_index: u8,
    ) {
        let (epoch, age) = (self.epoch, self.age);
        let bucket = self.bucket_of(position);
        let bucket = &mut self.buckets[bucket];
        let is_own =
            |words: &Words| is_of(words, position) && TableEntry::unpacked(*words).epoch == epoch;
        let is_old = |words: &Words| {
            let entry = TableEntry::unpacked(*words);
            entry.epoch != epoch || entry.age != age
        };
        let slot = (bucket.iter().position(is_own))
            .or_else(|| bucket.iter().position(is_old))
            .unwrap_or_else(|| {
                let deepest = TableEntry::unpacked(bucket[0]).depth;
                if deepest <= depth {
                    bucket[1] = bucket[0];
                }
                usize::from(deepest > depth)
            });
        let words = &mut bucket[slot];
        let entry = if bound == ScoreBound::Nothing && is_own(words) {
            TableEntry {
                row_index,
                ..TableEntry::unpacked(*words)
            }
        } else {
            TableEntry {
                value,
                depth,
                bound,
                row_index,
                epoch,
                age,
            }
        };
        *words = entry.packed(position);
    }

    #[expect(
        clippy::cast_possible_truncation,
        reason = "less than the number of buckets"
    )]
    fn bucket_of(&self, position: Position) -> usize {
        ((u128::from(key(position)) * self.buckets.len() as u128) >> 64) as usize
    }
}

/// A number for a position, as good as random, the same on every machine.
pub fn key(position: Position) -> u64 {
    position.words().into_iter().fold(0, |key, word| {
        // The step keeps an empty row from being a fixed point of the mixing.
        mix((key ^ word).wrapping_add(0x9e37_79b9_7f4a_7c15))
    })
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

    #[test]
    fn what_was_put_is_got_and_nothing_else() {
        let mut table = TranspositionTable::new(1);
        let stored = positions(2000);
        for (number, &position) in (0..).zip(&stored) {
            table.put(position, number, 3, ScoreBound::Lower, 4);
        }
        let mut found = 0;
        for (number, &position) in (0..).zip(&stored) {
            if let Some(entry) = table.get(position) {
                assert_eq!((entry.value, entry.depth, entry.row_index), (number, 3, 4));
                assert_eq!(entry.bound, ScoreBound::Lower);
                found += 1;
            }
        }
        // 2000 positions in 21,845 buckets of two: 2.5 are expected to fall in a full one.
        assert!(found >= 1985, "{found}");
        assert!(table.get(Position::START).is_none());
        table.clear();
        assert!(stored.iter().all(|&position| table.get(position).is_none()));
    }

    #[test]
    fn clearing_works_more_often_than_epochs_have_numbers() {
        let mut table = TranspositionTable::new(1);
        for round in 0..600 {
            assert!(table.get(Position::START).is_none(), "round {round}");
            table.put(Position::START, round, 1, ScoreBound::Exact, 0);
            assert_eq!(
                table.get(Position::START).map(|entry| entry.value),
                Some(round)
            );
            table.clear();
        }
    }

    /// Of many positions in one bucket the deepest stays, until its search is over.
    #[test]
    fn depth_is_kept_within_a_search() {
        let mut table = TranspositionTable {
            buckets: vec![[[0; 3]; 2]],
            epoch: 1,
            age: 0,
        };
        let [deep, shallow, last] = positions(3)[..] else {
            unreachable!("three")
        };
        table.put(deep, 1, 9, ScoreBound::Exact, 0);
        table.put(shallow, 2, 1, ScoreBound::Exact, 0);
        table.put(last, 3, 1, ScoreBound::Exact, 0);
        assert!(table.get(deep).is_some() && table.get(last).is_some());
        assert!(table.get(shallow).is_none());
        table.grow_older();
        table.put(shallow, 2, 1, ScoreBound::Exact, 0);
        assert!(table.get(deep).is_none() && table.get(shallow).is_some());
    }

    #[test]
    fn a_move_alone_does_not_overwrite_a_value() {
        let mut table = TranspositionTable::new(1);
        table.put(Position::START, 7, 5, ScoreBound::Exact, 2);
        table.put(Position::START, 99, 6, ScoreBound::Nothing, 3);
        let entry = table.get(Position::START).unwrap();
        assert_eq!((entry.value, entry.depth, entry.row_index), (7, 5, 3));
    }

    #[test]
    fn keys_differ() {
        let positions: BTreeSet<String> =
            positions(20_000).iter().map(ToString::to_string).collect();
        let keys: BTreeSet<u64> = positions
            .iter()
            .map(|text| key(text.parse().unwrap()))
            .collect();
        assert_eq!(keys.len(), positions.len());
    }
}
