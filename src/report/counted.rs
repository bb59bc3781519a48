//! Selects the games that count, and finds their entrants and results.

use crate::record::{GameId, GameKey, GameSummary};
use crate::rules::{GameResult, Position, Side};
use crate::stats::game::{Outcome, RatedEntrant, RatedGame};
use crate::stats::rating::TooManyRatings;
use crate::stats::tally::Tally;
use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, HashMap};
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use thiserror::Error;

/// Records that cannot come from a tournament of these entrants.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum RecordsError {
    /// Two entrants have this name.
    #[error("two entrants have the name {0:?}")]
    TwoEntrantsOfOneName(String),
    /// A game names an entrant that the tournament does not have.
    #[error("game {game} names {name:?}, which is not an entrant")]
    UnknownEntrant {
        /// The game.
        game: GameId,
        /// The name.
        name: String,
    },
    /// One entrant has both sides of this game.
    #[error("game {0} has the same entrant on both sides")]
    OneEntrant(GameId),
    /// Two different records of this game count.
    #[error("game {0} has two records that differ")]
    TwoRecords(GameId),
    /// Too many entrants to be rated together.
    #[error(transparent)]
    TooManyRatings(#[from] TooManyRatings),
}

/// Finds the numbers of entrants by name.
#[derive(Clone, Debug)]
pub struct EntrantNames<'a> {
    indices: BTreeMap<&'a str, RatedEntrant>,
}

impl<'a> EntrantNames<'a> {
    pub fn new(names: &'a [String]) -> Result<Self, RecordsError> {
        let mut indices = BTreeMap::new();
        for (name, index) in names.iter().zip(0..) {
            if indices.insert(name.as_str(), RatedEntrant(index)).is_some() {
                return Err(RecordsError::TwoEntrantsOfOneName(name.clone()));
            }
        }
        Ok(Self { indices })
    }

    /// The entrants of South and North.
    pub fn sides(
        &self,
        id: &GameId,
        entrants: &[String; 2],
    ) -> Result<[RatedEntrant; 2], RecordsError> {
        let [south, north] = entrants.each_ref().map(|name| {
            let unknown = || RecordsError::UnknownEntrant {
                game: id.clone(),
                name: name.clone(),
            };
            self.indices.get(name.as_str()).copied().ok_or_else(unknown)
        });
        let (south, north) = (south?, north?);
        if south == north {
            return Err(RecordsError::OneEntrant(id.clone()));
        }
        Ok([south, north])
    }
}

/// The games that count, taken one by one: only the id and a hash of each are kept.
///
/// Inconsistent records are remembered and reported at the end, the first of them in schedule
/// order: like everything else, the error is a function of the set.
#[derive(Clone, Debug)]
pub struct GameCounter<'a> {
    names: EntrantNames<'a>,
    // This map is only looked up, never iterated.
    fingerprints: HashMap<GameKey, u64>,
    /// The first game with two records.
    differing: Option<GameId>,
    /// The first game with a player that is not an entrant, and the error.
    refused: Option<(GameId, RecordsError)>,
}

/// A game that counts, while its summary is available.
#[derive(Clone, Copy, Debug)]
pub struct CountedGame<'r> {
    pub summary: &'r GameSummary,
    /// South and North.
    pub sides: [RatedEntrant; 2],
    pub result: GameResult,
}

impl<'a> GameCounter<'a> {
    pub fn new(names: &'a [String]) -> Result<Self, RecordsError> {
        Ok(Self {
            names: EntrantNames::new(names)?,
            fingerprints: HashMap::new(),
            differing: None,
            refused: None,
        })
    }

    /// The game, if it counts and is new.
    pub fn take<'r>(&mut self, summary: &'r GameSummary) -> Option<CountedGame<'r>> {
        let result = summary.result()?;
        match self.fingerprints.entry(summary.id.key()) {
            Entry::Occupied(earlier) => {
                if *earlier.get() != summary.fingerprint {
                    let known = self.differing.take().into_iter();
                    self.differing = known.chain([summary.id.clone()]).min();
                }
                return None;
            }
            Entry::Vacant(place) => place.insert(summary.fingerprint),
        };
        match self.names.sides(&summary.id, &summary.entrants) {
            Ok(sides) => Some(CountedGame {
                summary,
                sides,
                result,
            }),
            Err(error) => {
                if self.refused.as_ref().is_none_or(|(id, _)| summary.id < *id) {
                    self.refused = Some((summary.id.clone(), error));
                }
                None
            }
        }
    }

    /// Checks that all records can belong to one tournament.
    pub fn check(self) -> Result<(), RecordsError> {
        match (self.differing, self.refused) {
            (Some(game), _) => Err(RecordsError::TwoRecords(game)),
            (None, Some((_, error))) => Err(error),
            (None, None) => Ok(()),
        }
    }
}

/// A tally for these entrants.
pub fn empty_tally(names: &[String]) -> Tally {
    Tally::new(u32::try_from(names.len()).expect("entrants are numbered with 32 bits"))
}

/// Identifies an opening by its position.
fn fingerprint_of(start: Position) -> u64 {
    let mut hasher = DefaultHasher::new();
    start.hash(&mut hasher);
    hasher.finish()
}

/// Counts a game with known entrants. `start` is its first position; `content` is its
/// [`crate::record::GameRecord::played_hash`], if repetitions are to be found.
pub fn add_to_tally(
    tally: &mut Tally,
    id: &GameId,
    [south, north]: [RatedEntrant; 2],
    result: GameResult,
    (start, content): (Position, Option<u64>),
) {
    let game = RatedGame {
        south,
        north,
        outcome: match result {
            GameResult::Win(Side::South) => Outcome::SouthWins,
            GameResult::Win(Side::North) => Outcome::NorthWins,
            GameResult::Draw => Outcome::Draw,
        },
        opening: Some(fingerprint_of(start)),
        pair: Some(id.pair.key()),
        content,
    };
    tally
        .record(&game)
        .expect("two different entrants of the tally");
}
