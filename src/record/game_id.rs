//! The ids of pairs and games. They consist of the names of the two entrants and the round, as in
//! `ada~greedy.3.1`. They contain no running number, so one entrant more or less changes no id of
//! the others.
//!
//! ```text
//! ada ~ greedy . 3 . 1      the label of the entrant listed first, that of the other one,
//!                           the round from 1, the game of the pair: 1 or 2
//! ```
//!
//! Ids are used unescaped in file names and URL fragments: they contain only `A–Z a–z 0–9 . _ ~ -`,
//! and at most [`LONGEST_ID`] bytes.

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::borrow::Cow;
use std::cmp::Ordering;
use std::fmt;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::str::FromStr;
use std::sync::Arc;

/// The longest id of a game, in bytes.
pub const LONGEST_ID: usize = 100;
/// The longest label of an entrant in an id, in bytes: two of them, `~`, a round of seven digits
/// and `.1` fit.
pub const LONGEST_LABEL: usize = 44;
/// Whether a label may contain this byte.
pub const fn is_of_labels(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-')
}

/// A pair: two entrants and a round. Pairs are ordered as in their schedule, where it is known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PairId {
    /// The place in the schedule, from 1; [`PairId::NOWHERE`] if the schedule has no such pair.
    place: u32,
    /// Both labels with `~` between them; empty for a numbered pair.
    pairing: Arc<str>,
    /// The round from 1; the number of a numbered pair.
    round: u32,
}

impl PairId {
    /// The place of a pair outside any known schedule: after all others.
    const NOWHERE: u32 = u32::MAX;

    /// The pair of a pairing (both labels with `~` between them) in a round, at this place of the
    /// schedule; both count from 1.
    pub const fn new(place: u32, pairing: Arc<str>, round: u32) -> Self {
        Self {
            place,
            pairing,
            round,
        }
    }

    /// A pair without the names of entrants, which is in no schedule: that of an admission game has
    /// number 0.
    pub fn numbered(number: u32) -> Self {
        Self::new(Self::NOWHERE, Arc::from(""), number)
    }

    /// The place in the schedule as an index from 0; `None` outside any schedule.
    pub fn index(&self) -> Option<usize> {
        let place = (self.place != Self::NOWHERE).then_some(self.place as usize)?;
        place.checked_sub(1)
    }

    /// A number that identifies the pair: its place, or a hash outside any schedule.
    pub fn key(&self) -> u64 {
        let Some(index) = self.index() else {
            let mut hasher = DefaultHasher::new();
            (&self.pairing, self.round).hash(&mut hasher);
            return hasher.finish() | 1 << 63;
        };
        index as u64 + 1
    }

    /// The pairing's label; empty for a numbered pair.
    pub fn pairing(&self) -> &str {
        &self.pairing
    }

    /// The same pair with other labels.
    #[must_use]
    pub fn relabelled(self, pairing: Arc<str>) -> Self {
        Self { pairing, ..self }
    }

    /// The round from 1; the number of a numbered pair.
    pub const fn round(&self) -> u32 {
        self.round
    }
}

impl PartialOrd for PairId {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for PairId {
    fn cmp(&self, other: &Self) -> Ordering {
        let key = |pair: &Self| (pair.place, pair.round);
        key(self)
            .cmp(&key(other))
            .then_with(|| self.pairing.cmp(&other.pairing))
    }
}

impl Hash for PairId {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (self.place, self.round).hash(state);
    }
}

impl fmt::Display for PairId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.pairing.is_empty() {
            self.round.fmt(f)
        } else {
            write!(f, "{}.{}", self.pairing, self.round)
        }
    }
}

impl FromStr for PairId {
    type Err = ();

    /// Parses an id. The place is unknown.
    fn from_str(text: &str) -> Result<Self, ()> {
        // Each pair has one id, so `+3` and `03` are not valid.
        let number = |text: &str| {
            let number: u32 = text.parse().map_err(|_| ())?;
            (number.to_string() == text).then_some(number).ok_or(())
        };
        let Some((pairing, round)) = text.rsplit_once('.') else {
            return number(text).map(Self::numbered);
        };
        let labels = pairing.split_once('~').ok_or(())?;
        let is_label = |label: &str| {
            let is_first = |first: char| first.is_ascii_alphanumeric() || first == '_';
            label.len() <= LONGEST_LABEL
                && label.starts_with(is_first)
                && label.bytes().all(is_of_labels)
        };
        if !is_label(labels.0) || !is_label(labels.1) {
            return Err(());
        }
        Ok(Self::new(Self::NOWHERE, pairing.into(), number(round)?))
    }
}

/// The number of a game in its pair: the entrants change sides in the second.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize, Serialize)]
pub enum GameNumber {
    /// The entrant listed first is South.
    First,
    /// The entrant listed first is North.
    Second,
}

impl GameId {
    /// The place in the schedule of games as an index from 0; `None` outside any schedule.
    pub fn index(&self) -> Option<usize> {
        let pair = self.pair.index()?;
        pair.checked_mul(2)?.checked_add(self.number as usize)
    }
}

impl GameNumber {
    /// Both games of a pair.
    pub const BOTH: [Self; 2] = [Self::First, Self::Second];

    /// 1 or 2.
    pub const fn number(self) -> u32 {
        self as u32 + 1
    }
}

/// The id of a game: the pair and the game in it, as in `ada~greedy.3.1`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct GameId {
    /// The pair.
    pub pair: PairId,
    /// The number in the pair.
    pub number: GameNumber,
}

/// A small value that identifies a game, for maps with many games.
pub type GameKey = (u64, GameNumber);

impl GameId {
    /// The pair's key and the number.
    pub fn key(&self) -> GameKey {
        (self.pair.key(), self.number)
    }
}

impl fmt::Display for GameId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.pair, self.number.number())
    }
}

impl Serialize for GameId {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(self)
    }
}

impl<'d> Deserialize<'d> for GameId {
    fn deserialize<D: Deserializer<'d>>(from: D) -> Result<Self, D::Error> {
        let text = Cow::<str>::deserialize(from)?;
        let id = text.parse();
        id.map_err(|()| D::Error::custom(format!("no game is named {text:?}")))
    }
}

impl FromStr for GameId {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        let (pair, number) = text.rsplit_once('.').ok_or(())?;
        let number = match number {
            "1" => GameNumber::First,
            "2" => GameNumber::Second,
            _ => return Err(()),
        };
        let pair = pair.parse()?;
        Ok(Self { pair, number })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_go_round() {
        for text in [
            "1.1",
            "17.2",
            "ada~greedy.3.1",
            "v1.2~awale-0.1_b.1000000.2",
            "_-0011223344556677~_b-atrice-0011223344556677.1.1",
        ] {
            assert_eq!(text.parse::<GameId>().unwrap().to_string(), text);
        }
        for text in [
            "",
            "1",
            "1.3",
            "x.1",
            "1.1.1",
            "+3.1",
            "03.1",
            "a~b.1",
            "a~b.01.1",
            "a~b.+1.1",
            "~b.1.1",
            "a~.1.1",
            "a~b~c.1.1",
            "a~b/c.1.1",
            ".a~b.1.1",
            "-a~b.1.1",
            "a b~c.1.1",
            "../a~b.1.1",
            "a~b.1.3",
            "a~b.4294967296.1",
        ] {
            assert!(text.parse::<GameId>().is_err(), "{text}");
        }
    }

    #[test]
    fn pairs_of_no_schedule_come_last() {
        let ids = ["10", "9", "a~b.1"].map(|text| text.parse::<PairId>().unwrap());
        assert!(ids[1] < ids[0]);
        let scheduled = PairId::new(12, "c~d".into(), 12);
        for id in ids {
            assert_eq!(id.index(), None);
            assert!(scheduled < id);
        }
    }
}
