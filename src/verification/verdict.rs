//! How far a tournament is.

use crate::record::GameId;

/// How far the tournament is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Completeness {
    /// Games that count, or records if that cannot be told.
    pub games: usize,
    /// Games that are to be played, if that can be told.
    pub planned: Option<usize>,
    /// Whether all games are played, if that can be told.
    pub finished: Option<bool>,
    /// The first games that are missing.
    pub open: Vec<GameId>,
}

impl Completeness {
    /// Every game is played.
    pub const fn finished(games: usize) -> Self {
        Self {
            games,
            planned: Some(games),
            finished: Some(true),
            open: Vec::new(),
        }
    }

    /// Some are still to be played.
    pub const fn unfinished(games: usize, planned: usize, open: Vec<GameId>) -> Self {
        Self {
            games,
            planned: Some(planned),
            finished: Some(false),
            open,
        }
    }

    /// Nothing is known but that the journal has so many records.
    pub const fn of_journal(records: usize) -> Self {
        Self {
            games: records,
            planned: None,
            finished: None,
            open: Vec::new(),
        }
    }
}
