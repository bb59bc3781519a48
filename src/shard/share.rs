//! Which pairs of a schedule a shard plays: some that follow each other, so that a sequential test can
//! count them as they come.

use crate::record::GameId;
use crate::tournament::{Progress, Schedule};
use std::ops::Range;
use std::str::FromStr;

/// The pairs of a shard, as they are typed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Share {
    /// The part of this number, from 1, of so many parts that are as equal as can be.
    Part {
        /// The number of the part.
        index: u32,
        /// How many there are.
        of: u32,
    },
    /// The pairs of these numbers, from 1, both included.
    Pairs {
        /// The first one.
        first: usize,
        /// The last one.
        last: usize,
    },
}

impl Share {
    /// The places of its pairs in a schedule of so many pairs.
    ///
    /// # Errors
    /// A message: there are no such pairs.
    pub fn places(self, pairs: usize) -> Result<Range<usize>, String> {
        match self {
            Self::Part { index, of } if index == 0 || index > of => Err(format!(
                "there is no shard {index} of {of}: they are counted from 1 to {of}"
            )),
            Self::Part { index, of } => {
                let place = |part: u32| {
                    let place = pairs as u128 * u128::from(part) / u128::from(of);
                    usize::try_from(place).unwrap_or(pairs)
                };
                Ok(place(index - 1)..place(index))
            }
            Self::Pairs { first, last } if first == 0 || last < first || last > pairs => Err(
                format!("there are no pairs {first}..{last}: the plan has the pairs 1..{pairs}"),
            ),
            Self::Pairs { first, last } => Ok(first - 1..last),
        }
    }
}

/// `FIRST..LAST`, as of `--pairs`.
impl FromStr for Share {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let numbers = text.split_once("..").and_then(|(first, last)| {
            let [first, last] = [first, last].map(|it| it.trim().parse().ok());
            Some((first?, last?))
        });
        let (first, last) = numbers.ok_or("it takes the first and the last pair, as in 1..40")?;
        Ok(Self::Pairs { first, last })
    }
}

/// The places of these pairs of a schedule that have a game without a result, though their entrants
/// may play.
pub fn open_pairs(
    schedule: &Schedule,
    places: Range<usize>,
    progress: &Progress,
    plays: impl Fn(&GameId, usize) -> bool,
) -> Vec<usize> {
    let open = places.filter(|place| {
        let games = schedule.pairs[*place].game_ids();
        let mut open = games.iter().filter(|it| !progress.is_done(it));
        open.any(|game| plays(game, *place))
    });
    open.collect()
}

/// Places as ranges of the numbers of pairs, from 1, both ends included.
pub fn ranges(places: &[usize]) -> Vec<String> {
    let runs = places.chunk_by(|one, next| one + 1 == *next);
    let ranges = runs.map(|run| format!("{}..{}", run[0] + 1, run[run.len() - 1] + 1));
    ranges.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn what_is_typed_names_pairs_or_is_refused() {
        let pairs = |text: &str| text.parse::<Share>().and_then(|it| it.places(40));
        assert_eq!(pairs("1..40"), Ok(0..40));
        assert_eq!(pairs("7..7"), Ok(6..7));
        for text in ["0..3", "3..2", "1..41", "1..", "..4", "1-4", "a..b", ""] {
            assert!(pairs(text).is_err(), "{text}");
        }
        let part = |index, of| Share::Part { index, of }.places(10);
        assert_eq!(
            [part(1, 3), part(2, 3), part(3, 3)],
            [Ok(0..3), Ok(3..6), Ok(6..10)]
        );
        assert!(part(0, 3).is_err() && part(4, 3).is_err() && part(0, 0).is_err());
        assert_eq!(ranges(&[0, 1, 2, 5, 7, 8]), ["1..3", "6..6", "8..9"]);
    }

    proptest! {
        /// Parts cover a schedule without a gap, and differ by one pair at most.
        #[test]
        fn parts_are_a_whole(pairs in 0_usize..2_000, of in 1_u32..300) {
            let mut end = 0;
            for index in 1..=of {
                let part = Share::Part { index, of }.places(pairs).unwrap();
                prop_assert_eq!(part.start, end);
                let least = pairs / of as usize;
                prop_assert!(part.len() == least || part.len() == least + 1);
                end = part.end;
            }
            prop_assert_eq!(end, pairs);
        }
    }
}
