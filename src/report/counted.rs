//! Which games count, in schedule order, with their entrants found and their results known.

use crate::record::{GameId, GameRecord};
use crate::rules::{GameResult, Side};
use crate::stats::tally::{EntrantIndex, Game, Outcome, Tally};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

/// Records that no tournament of these entrants leaves behind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RecordsError {
    /// Two entrants have this name.
    TwoEntrantsOfOneName(String),
    /// A game names an entrant that the tournament does not have.
    UnknownEntrant {
        /// The game.
        game: GameId,
        /// The name.
        name: String,
    },
    /// One entrant holds both seats of this game.
    OneEntrant(GameId),
    /// Two different records of this game count.
    TwoRecords(GameId),
}

impl fmt::Display for RecordsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TwoEntrantsOfOneName(name) => write!(f, "two entrants have the name {name:?}"),
            Self::UnknownEntrant { game, name } => {
                write!(f, "game {game} names {name:?}, which is no entrant")
            }
            Self::OneEntrant(game) => {
                write!(f, "game {game} has the same entrant on both sides")
            }
            Self::TwoRecords(game) => write!(f, "game {game} has two records that differ"),
        }
    }
}

impl std::error::Error for RecordsError {}

/// The numbers of entrants, found by name.
#[derive(Clone, Debug)]
pub(super) struct Roll<'a> {
    indices: BTreeMap<&'a str, EntrantIndex>,
}

impl<'a> Roll<'a> {
    pub(super) fn new(names: &'a [String]) -> Result<Self, RecordsError> {
        let mut indices = BTreeMap::new();
        for (name, index) in names.iter().zip(0..) {
            if indices.insert(name.as_str(), EntrantIndex(index)).is_some() {
                return Err(RecordsError::TwoEntrantsOfOneName(name.clone()));
            }
        }
        Ok(Self { indices })
    }

    /// South and North of a game.
    pub(super) fn seats(&self, record: &GameRecord) -> Result<[EntrantIndex; 2], RecordsError> {
        let [south, north] = record.entrants.each_ref().map(|name| {
            let unknown = || RecordsError::UnknownEntrant {
                game: record.id,
                name: name.clone(),
            };
            self.indices.get(name.as_str()).copied().ok_or_else(unknown)
        });
        let (south, north) = (south?, north?);
        if south == north {
            return Err(RecordsError::OneEntrant(record.id));
        }
        Ok([south, north])
    }
}

/// A game that counts.
#[derive(Clone, Copy, Debug)]
pub(super) struct CountedGame<'a> {
    pub(super) record: &'a GameRecord,
    /// South and North.
    pub(super) seats: [EntrantIndex; 2],
    pub(super) result: GameResult,
}

/// All games that count, by id, and the entrants in the order of the plan.
#[derive(Clone, Debug)]
pub(super) struct CountedGames<'a> {
    names: &'a [String],
    games: Vec<CountedGame<'a>>,
}

impl<'a> CountedGames<'a> {
    pub(super) fn new(
        names: &'a [String],
        records: &'a [GameRecord],
    ) -> Result<Self, RecordsError> {
        let roll = Roll::new(names)?;
        let mut by_id: BTreeMap<GameId, &GameRecord> = BTreeMap::new();
        let mut twice: BTreeSet<GameId> = BTreeSet::new();
        for record in records.iter().filter(|record| !record.is_void()) {
            let first = *by_id.entry(record.id).or_insert(record);
            if first != record {
                twice.insert(record.id);
            }
        }
        // The first in schedule order, not in the list: errors too are functions of the set.
        if let Some(&id) = twice.first() {
            return Err(RecordsError::TwoRecords(id));
        }
        let count = |record: &'a GameRecord| {
            let result = record
                .result()
                .expect("a game that is not void has a result");
            roll.seats(record).map(|seats| CountedGame {
                record,
                seats,
                result,
            })
        };
        Ok(Self {
            names,
            games: by_id.into_values().map(count).collect::<Result<_, _>>()?,
        })
    }

    /// Names of the entrants, in the order of the plan.
    pub(super) const fn names(&self) -> &'a [String] {
        self.names
    }

    /// The games, by id.
    pub(super) fn iter(&self) -> impl Iterator<Item = &CountedGame<'a>> {
        self.games.iter()
    }

    /// The games as counts.
    pub(super) fn tally(&self) -> Tally {
        let mut tally = empty_tally(self.names);
        for game in &self.games {
            add_to_tally(&mut tally, game.record.id, game.seats, game.result);
        }
        tally
    }
}

/// A tally for these entrants.
pub(super) fn empty_tally(names: &[String]) -> Tally {
    Tally::new(u32::try_from(names.len()).expect("entrants are numbered with 32 bits"))
}

/// Counts a game whose seats were found in the roll.
pub(super) fn add_to_tally(
    tally: &mut Tally,
    id: GameId,
    [south, north]: [EntrantIndex; 2],
    result: GameResult,
) {
    let game = Game {
        south,
        north,
        outcome: match result {
            GameResult::Win(Side::South) => Outcome::SouthWins,
            GameResult::Win(Side::North) => Outcome::NorthWins,
            GameResult::Draw => Outcome::Draw,
        },
        pair: Some(u64::from(id.pair.0)),
    };
    tally
        .record(&game)
        .expect("the roll gives two different entrants of the tally");
}
