//! The database that a plan names, and what it says of a game.

use super::{EndgameDatabase, EndgameFileError, build_command, find};
use crate::engine::endgame::EndgameValues;
use crate::referee::EndgameJudge;
use crate::rules::{Game, RuleSet};

impl EndgameJudge for EndgameValues {
    fn final_stores(&self, game: &Game) -> Option<[u8; 2]> {
        self.play_out(game).map(|ending| ending.stores)
    }
}

/// Opens the database in the user's cache folder, up to so many seeds. Its values must have this
/// name, if there is one.
///
/// # Errors
/// The rules have no database; nobody has built it up to so many seeds; it has other values; the
/// file is damaged.
pub fn find_planned(
    rules: &RuleSet,
    seeds: u8,
    sha256: Option<&str>,
) -> Result<EndgameDatabase, EndgameFileError> {
    let database = find(rules).map_err(|error| match error {
        EndgameFileError::Missing { path, .. } => EndgameFileError::Missing {
            path,
            command: build_command(rules, seeds),
        },
        error => error,
    })?;
    if database.seeds() < seeds {
        return Err(EndgameFileError::Fewer {
            path: database.path().to_owned(),
            found: database.seeds(),
            planned: seeds,
            command: build_command(rules, seeds),
        });
    }
    if sha256.is_some_and(|it| it != database.sha256(seeds)) {
        return Err(EndgameFileError::OtherValues {
            path: database.path().to_owned(),
            planned: seeds,
            command: build_command(rules, seeds),
        });
    }
    Ok(database.limited_to(seeds))
}
