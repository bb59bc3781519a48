//! `awale replay-to-bot`: sends the requests of a run to a bot again, without clocks, and says
//! whether it answers the same.
//!
//! ```text
//! fault_replay  a process that was at fault, byte for byte ── recording     the folder of a fault
//! game_replay   any game, from the journal ────────────────── journal_game  the requests of one
//!                                                                           side, and its answers
//! game_answer   what a line answers, and which fault it is
//! last_answer   what the last answer is worth now
//! program       the bot: bytes in, bytes and its end out
//! terminal      what is printed, and when the user is waited for
//! ```

mod fault_replay;
mod game_answer;
mod game_replay;
mod journal_game;
mod last_answer;
mod program;
mod recording;
mod terminal;

use super::args::ReplayToBotArguments;
use super::exit::{Exit, Failure};
use crate::run_folder::JOURNAL;
use crate::run_folder::evidence::{FAULTS, PAGE};
use crate::text::printable;

/// Replays a fault, or any game of a run.
///
/// # Errors
/// The folder is neither evidence nor that of a run with such a game, or there is no program to
/// start.
pub fn replay_to_bot(arguments: &ReplayToBotArguments) -> Result<Exit, Failure> {
    if let Some((id, side)) = arguments.game.as_deref().zip(arguments.side) {
        return game_replay::replay_game(arguments, id, side);
    }
    let folder = &arguments.folder;
    if !folder.join(PAGE).exists() && folder.join(JOURNAL).exists() {
        return Err(Failure::usage(format!(
            "{} is the folder of a run: name a game of it, as in --game ID --side south, or a \
             folder in its {FAULTS}/",
            printable(&folder.to_string_lossy())
        )));
    }
    fault_replay::replay_fault(arguments)
}
