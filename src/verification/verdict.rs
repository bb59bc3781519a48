//! How complete a tournament is.

use crate::record::GameId;

/// How complete a tournament is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Completeness {
    /// The number of games that count, or of records if that is unknown.
    pub games: usize,
    /// The number of games to be played, if known.
    pub planned: Option<usize>,
    /// Whether all games were played, if known.
    pub finished: Option<bool>,
    /// The first missing games.
    pub open: Vec<GameId>,
}

impl Completeness {
    /// All games were played.
    pub const fn finished(games: usize) -> Self {
        Self {
            games,
            planned: Some(games),
            finished: Some(true),
            open: Vec::new(),
        }
    }

    /// Some games must still be played.
    pub const fn unfinished(games: usize, planned: usize, open: Vec<GameId>) -> Self {
        Self {
            games,
            planned: Some(planned),
            finished: Some(false),
            open,
        }
    }

    /// Only the number of records is known.
    pub const fn of_journal(records: usize) -> Self {
        Self {
            games: records,
            planned: None,
            finished: None,
            open: Vec::new(),
        }
    }
}
