//! `awale duel`: two bots play against each other, without a configuration. It is a run like any
//! other, in a folder of its own for each two programs.

use super::args::DuelArguments;
use super::exit::{Exit, Failure};
use super::run::{
    ConfigSource, Loaded, OnChange, Session, describe_plan, load_to_play, of_command_line,
    overrides, show_end,
};
use crate::config::{self, KeyFlag, Overrides, Purpose};
use crate::isolation::supervisor::Guard;
use std::path::PathBuf;

/// The folder and the name of the configuration that is made.
const NOWHERE: &str = "duel";

/// Plays or resumes. More pairs than before are added to those that were played.
///
/// # Errors
/// A bot cannot be started, or the run had to stop.
pub fn duel(arguments: &DuelArguments, guard: &Guard) -> Result<Exit, Failure> {
    let loaded = resolve(arguments, Some(guard))?;
    let session = Session::new(&arguments.play, guard, &loaded, OnChange::Play)?;
    show_end(session.play(None)?, &loaded.resolved, false)
}

/// Describes what would be played, and starts nothing.
///
/// # Errors
/// A bot does not exist.
pub fn describe(arguments: &DuelArguments) -> Result<Exit, Failure> {
    let loaded = resolve(arguments, None)?;
    describe_plan(&arguments.play, &loaded.resolved, &loaded.isolation)
}

fn resolve(arguments: &DuelArguments, guard: Option<&Guard>) -> Result<Loaded, Failure> {
    let path = ["tournament", "pairs"];
    let pairs = KeyFlag::typed("--pairs", path, Some(arguments.pairs));
    let flags = Overrides {
        purpose: Purpose::Match,
        ..overrides(&arguments.play, [pairs])
    };
    let text = config::duel([&arguments.one, &arguments.other]).map_err(Failure::usage)?;
    let source = ConfigSource::Text(&text, PathBuf::from(NOWHERE));
    let bots = [&arguments.one, &arguments.other];
    load_to_play(&source, &flags, &arguments.play, guard)
        .map_err(|failure| of_command_line(failure, |entrant| about_bot(entrant, bots)))
}

/// The beginning of a message about this bot. Its name may have been meant as a variable.
fn about_bot(entrant: &str, bots: [&String; 2]) -> String {
    let begin = format!("{entrant}=");
    if bots.iter().any(|bot| bot.starts_with(&begin)) {
        format!(
            "the bot {entrant} ({begin} is the name of the bot that follows; a variable is set by \
             env {begin}…): "
        )
    } else {
        format!("the bot {entrant}: ")
    }
}
