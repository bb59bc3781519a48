//! What a running tournament tells its observer.

use super::examination::FailedGame;
use super::sequential::TestProgress;
use crate::record::{Admission, Evidence, GameId, GameRecord, Withdrawal};
use crate::tournament::formats::DealtRound;

/// Events of a tournament. They come from one loop, in the order of the journal.
#[derive(Debug)]
pub enum Event<'a> {
    /// A slot could not be pinned to its cores, so the host schedules it freely.
    NotPinned {
        /// The slot's number, from 0.
        slot: u32,
        /// The reason.
        reason: String,
    },
    /// The host cannot start a bot: no other game begins until it can.
    StartFailed {
        /// The bot's entrant.
        entrant: &'a str,
        /// Why. May quote the bot: hostile text.
        cause: &'a str,
    },
    /// A slot plays nothing more: a process of a bot survives SIGKILL there.
    Blocked {
        /// The slot's number, from 0.
        slot: u32,
        /// The bot's entrant.
        entrant: &'a str,
        /// Describes the processes that survive.
        remains: &'a str,
    },
    /// Something that the user should know of those who play elsewhere.
    Notice {
        /// A sentence. May quote them: hostile text.
        text: &'a str,
        /// Whether something is wrong.
        is_warning: bool,
    },
    /// A game ended by a fault. It is not in the journal yet, so that every fault in the journal
    /// has its evidence. If a crash prevents the entry, the game is played and reported again.
    Fault {
        /// The game.
        record: &'a GameRecord,
        /// The logs of South and North.
        logs: &'a [Vec<u8>; 2],
        /// Other evidence of South and North.
        evidence: &'a [Evidence; 2],
    },
    /// A game has ended, by a fault or not, and is not in the journal yet. Told of faults, and of all
    /// games if transcripts are kept.
    Played {
        /// The game.
        record: &'a GameRecord,
        /// The transcripts of South and North.
        evidence: &'a [Evidence; 2],
    },
    /// A run begins or is resumed.
    Beginning {
        /// The number of entrants that are examined before the first game.
        candidates: usize,
        /// The number of games that count or, as far as is known, will count.
        games: usize,
    },
    /// An entrant was at fault in a game of its examination. The journal does not contain this yet:
    /// if a crash prevents the entry, the examination and this event are repeated.
    Failed(&'a FailedGame),
    /// The host disturbed an examination: it is repeated after those of the others.
    Postponed {
        /// The entrant that was examined.
        entrant: &'a str,
        /// The last disturbance. May quote the bot: hostile text.
        cause: &'a str,
    },
    /// An examination has ended, and its result is in the journal.
    Examined {
        /// How it ended.
        admission: &'a Admission,
        /// The number of games that count or, as far as is known, will count.
        games: usize,
    },
    /// A game has ended and is in the journal.
    Finished {
        /// The game.
        record: &'a GameRecord,
        /// The logs of South and North.
        logs: &'a [Vec<u8>; 2],
    },
    /// The host made a game void so often that its pair stays open: it is played again later.
    Open {
        /// The game.
        game: GameId,
        /// The last disturbance.
        cause: String,
        /// The number of games that count or, as far as is known, will count.
        games: usize,
    },
    /// An entrant has too many faults: its games from here on do not count and are not played.
    Withdrawn {
        /// The entrant, and the game after which.
        withdrawal: &'a Withdrawal,
        /// The number of games that count or, as far as is known, will count.
        games: usize,
    },
    /// The results so far have decided another round, and it is in the journal.
    Dealt(&'a DealtRound),
    /// A sequential test has counted more pairs, in schedule order.
    Tested {
        /// The state of the test.
        test: &'a TestProgress,
        /// The number of games that count or, as far as is known, will count.
        games: usize,
    },
    /// The run was interrupted. Games in progress may still end.
    Stopping,
}
