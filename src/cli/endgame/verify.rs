//! `awale endgame verify`.

use super::work::{was_stopped, watched};
use crate::cli::args::EndgameVerifyArguments;
use crate::cli::exit::{Exit, Failure, say};
use crate::endgame_file::{EndgameDatabase, EndgameFileError};
use crate::engine::endgame::positions_below;
use crate::text::counted;
use std::error::Error;

pub fn verify(arguments: &EndgameVerifyArguments) -> Result<Exit, Failure> {
    match check(arguments) {
        Err(Failure::Machine(error)) if is_damage(&*error) => {
            say(&format!("{error}\n"))?;
            Ok(Exit::Attention)
        }
        other => other,
    }
}

fn is_damage(error: &(dyn Error + 'static)) -> bool {
    matches!(error.downcast_ref(), Some(EndgameFileError::Damaged { .. }))
}

fn check(arguments: &EndgameVerifyArguments) -> Result<Exit, Failure> {
    let database = EndgameDatabase::open(&arguments.file)?;
    database.check_sums()?;
    let positions = positions_below(database.seeds() + 1);
    let wrong = watched(positions, arguments.threads, |work, _| {
        database.values().inconsistent_position(work)
    })?;
    let path = database.path().display();
    if let Some(position) = wrong {
        say(&format!(
            "{path}: the value of {position} does not follow from its moves; remove the file, and \
             build it again\n"
        ))?;
        return Ok(Exit::Attention);
    }
    if was_stopped() {
        return Err(Failure::Interrupted("the values were not all checked"));
    }
    say(&format!(
        "{path}: {} of up to {} seeds, checksums and values are right\n",
        counted(
            usize::try_from(positions).unwrap_or(usize::MAX),
            "position",
            "positions"
        ),
        database.seeds()
    ))
}
