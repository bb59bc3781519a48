//! How complete a tournament is, and which games must still be played.

use super::schedule::SeenGames;
use crate::record::{Exclusions, GameId};
use crate::tournament::{Plan, Schedule};

/// The number of missing games that are named.
const NAMED: usize = 5;

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

/// The first games that must still be played, in the order of the schedule.
pub fn open_games(
    plan: &Plan,
    schedule: &Schedule,
    seen: &SeenGames,
    exclusions: &Exclusions,
) -> Vec<GameId> {
    let games = schedule.pairs.iter().flat_map(|pair| {
        let games = pair.game_ids().into_iter();
        games.map(|game| (pair.sides(game.number), game))
    });
    let open = games.filter(|(sides, game)| {
        let names = sides.map(|side| plan.entrants[side.index()].name.clone());
        !seen.has_result(game) && exclusions.allow_game(game, &names)
    });
    open.map(|(_, game)| game).take(NAMED).collect()
}
