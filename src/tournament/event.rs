//! What a running tournament tells its observer.

use super::examination::FailedGame;
use super::sequential::TestProgress;
use crate::record::{Admission, Charge, Evidence, GameId, GameRecord, Withdrawal};

/// Something that happened. Events come from one loop, in the order of the journal.
#[derive(Debug)]
pub enum Event<'a> {
    /// A slot could not be pinned to its cores and runs wherever the host puts it.
    NotPinned {
        /// The slot's number, from 0.
        slot: u32,
        /// Why.
        reason: String,
    },
    /// Nothing more is played on a slot: something of a bot goes on there that cannot be ended.
    Blocked {
        /// The slot's number, from 0.
        slot: u32,
        /// Whose it is.
        entrant: &'a str,
        /// What goes on, in words.
        remains: &'a str,
    },
    /// A game ended by a fault. It is not in the journal yet: a game that is there has left its
    /// evidence, and one that a crash keeps out of it is played, and tells of its fault, again.
    Fault {
        /// The game.
        record: &'a GameRecord,
        /// What South and North wrote to their logs.
        logs: &'a [Vec<u8>; 2],
        /// What else is known of South and North.
        evidence: &'a [Evidence; 2],
    },
    /// A run begins, or goes on.
    Beginning {
        /// How many entrants are examined before the first game.
        candidates: usize,
        /// Games of the tournament that count or, as far as is known now, will.
        games: usize,
    },
    /// An entrant was at fault in a game of its examination. The journal does not say so yet: if
    /// a crash keeps it from that, the examination is held, and this is told, again.
    Failed(&'a FailedGame),
    /// The host disturbed an examination: it is held again, after those of the others.
    Postponed {
        /// The entrant that was examined.
        entrant: &'a str,
        /// What the host did the last time. May quote the bot: hostile text.
        cause: &'a str,
    },
    /// An examination is over, and its outcome safely in the journal.
    Examined {
        /// How it ended.
        admission: &'a Admission,
        /// Games of the tournament that count or, as far as is known now, will.
        games: usize,
    },
    /// A game is finished and safely in the journal.
    Finished {
        /// The game.
        record: &'a GameRecord,
        /// What South and North wrote to their logs.
        logs: &'a [Vec<u8>; 2],
    },
    /// The host made a game void so often that its pair is given up.
    GivenUp {
        /// The game.
        game: GameId,
        /// What made it void the last time.
        cause: String,
        /// Games of the tournament that count or, as far as is known now, will.
        games: usize,
    },
    /// An entrant's turns were void more often than the host explains: such a void is its loss from
    /// here on.
    Charged {
        /// Who, and from where on.
        charge: &'a Charge,
    },
    /// An entrant has too many faults: its games from here on do not count, and are not played.
    Withdrawn {
        /// Who, and from where on.
        withdrawal: &'a Withdrawal,
        /// Games of the tournament that count or, as far as is known now, will.
        games: usize,
    },
    /// A sequential test has taken in more pairs, in schedule order.
    Tested {
        /// How far it has come.
        test: &'a TestProgress,
        /// Games of the tournament that count or, as far as is known now, will.
        games: usize,
    },
    /// Interrupted: games that are being played may still end.
    Stopping,
}
