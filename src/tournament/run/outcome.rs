//! How a run ends.

use crate::record::Exclusions;
use crate::tournament::counted_games::UnfoundedWithdrawal;
use crate::tournament::formats::DealtRound;
use crate::tournament::sequential::TestProgress;
use std::io;
use thiserror::Error;

/// Why a run had to be stopped.
#[derive(Debug, Error)]
pub enum RunError {
    /// The journal could not be written. Everything written before is safe.
    #[error("cannot write to the journal; the games before are safe in it")]
    Journal(#[source] io::Error),
    /// The host could not provide a slot's thread or runtime.
    #[error("cannot start a slot")]
    Slot(#[source] io::Error),
    /// The journal contains a withdrawal that its games do not lead to.
    #[error(transparent)]
    Withdrawal(#[from] UnfoundedWithdrawal),
    /// The host disturbed every examination, and without one nothing can be played.
    #[error(
        "no entrant could be examined: the host disturbed every admission game, the last one of \
         {entrant:?} ({cause}); repair the host (`awale doctor` shows what does not work, \
         docs/design/clocks.md what a busy host needs) and run the same command again"
    )]
    Examination {
        /// The entrant that was examined last.
        entrant: String,
        /// The last disturbance. May quote the bot: hostile text.
        cause: String,
    },
    /// A bot cannot be started although no other bot lives, or only its opponent.
    #[error(
        "no bot of {entrant} can be started: {cause}. The games before are safe. Repair the host \
         (`awale doctor` shows what does not work) and run the same command again"
    )]
    Unstarted {
        /// The entrant whose bot was to be started.
        entrant: String,
        /// Why it could not. May quote the bot: hostile text.
        cause: String,
    },
    /// On every slot a process of a bot survives SIGKILL.
    #[error(
        "no slot is left to play on: processes of {entrant} do not end ({remains}); the games \
         before are safe. End them, or restart the host, and run the same command again"
    )]
    Blocked {
        /// The bot's entrant, on the last slot.
        entrant: String,
        /// The processes that survive.
        remains: String,
    },
}

/// How a run ended.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RunOutcome {
    /// Whether it was interrupted before every game was played.
    pub interrupted: bool,
    /// Whether nothing may be played: too few entrants were admitted, or not all where all must be.
    pub barred: bool,
    /// Whether all necessary games were played.
    pub complete: bool,
    /// The number of games that count or, as far as is known, will count.
    pub games: usize,
    /// What does not count.
    pub exclusions: Exclusions,
    /// The state of the sequential test, if there is one.
    pub test: Option<TestProgress>,
    /// The log-likelihood ratio before the first pair, and after each that counts; empty without a
    /// sequential test.
    pub test_path: Vec<f64>,
    /// The rounds that results have decided; empty where the plan alone decides who meets whom.
    pub rounds: Vec<DealtRound>,
}
