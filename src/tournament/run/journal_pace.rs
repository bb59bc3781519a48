//! How often finished games are given to the journal.
//!
//! A sync takes as much of a processor as half a game of fast bots. So while no game has failed,
//! the journal pauses after each sync, and the games of that time are synced together. Nothing
//! follows from such games but the end of a test. Once a game has failed, a withdrawal may follow:
//! then each sync begins as soon as the one before has ended, and few games are played meanwhile.

use crate::record::GameRecord;
use std::time::Duration;
use tokio::time::Instant;

/// Games of a slot that may wait for the journal before the slots get no more, once a game has
/// failed. What follows from a game is known when it is in the journal: more games would be played
/// in vain.
const MOST_UNKEPT: usize = 4;
/// The same before.
const MOST_UNKEPT_WITHOUT_FAILURES: usize = 24;
/// Games of a slot that can be under way when it gets no more: a pair that is being played, and one
/// that was handed out.
const MOST_HANDED_OUT: usize = 4;
/// The most games of a slot that are appended to the journal together from one on that failed.
/// Withdrawals that follow from the first of them come after the last.
pub const MOST_TOGETHER: usize = MOST_UNKEPT + MOST_HANDED_OUT;

/// A rest is this many times as long as the sync before it.
const PAUSE_FACTOR: u32 = 2;
/// The shortest rest: a sync wakes three threads, and the games of both fast slots of two cores fit
/// in.
const MIN_PAUSE: Duration = Duration::from_millis(8);
/// The longest rest.
const MAX_PAUSE: Duration = Duration::from_millis(20);

/// The pace of a run's journal.
#[derive(Debug)]
pub struct JournalPace {
    /// Whether a game has ended by a fault or was void.
    has_failures: bool,
    /// When the games that are with the journal were given to it.
    given: Option<Instant>,
    /// Until when the journal pauses.
    pub paused_until: Option<Instant>,
}

impl JournalPace {
    /// The pace of a journal in which a game has failed, or not.
    pub const fn new(has_failures: bool) -> Self {
        Self {
            has_failures,
            given: None,
            paused_until: None,
        }
    }

    /// Notes a game that has ended.
    pub fn note_game(&mut self, record: &GameRecord) {
        if record.fault().is_some() || record.is_void() {
            self.has_failures = true;
            self.paused_until = None;
        }
    }

    /// Games of a slot that may wait for the journal.
    pub const fn most_unkept(&self) -> usize {
        if self.has_failures {
            MOST_UNKEPT
        } else {
            MOST_UNKEPT_WITHOUT_FAILURES
        }
    }

    /// The journal gets games now.
    pub const fn note_given(&mut self, now: Instant) {
        self.given = Some(now);
    }

    /// The journal has synced them.
    pub fn note_kept(&mut self, now: Instant) {
        let given = self.given.take().filter(|_| !self.has_failures);
        self.paused_until =
            given.map(|given| now + (PAUSE_FACTOR * (now - given)).clamp(MIN_PAUSE, MAX_PAUSE));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::{Fault, FaultKind, GameEnding, Void, sample};
    use crate::rules::{EndReason, Side};

    fn game(ending: GameEnding) -> GameRecord {
        sample::game("ada~bob.1.1", ["ada", "bob"], [0, 0]).ended(ending)
    }

    #[test]
    fn the_journal_rests_for_twice_the_time_of_a_sync_until_a_game_fails() {
        let ms = Duration::from_millis;
        let fault = GameEnding::Fault(Side::South, Fault::new(FaultKind::Crash, "x"));
        let ends = [fault, GameEnding::Void(Void::new("x"))];
        for ending in ends {
            let mut pace = JournalPace::new(false);
            let mut now = Instant::now();
            for (sync, rest) in [(ms(1), ms(8)), (ms(5), ms(10)), (ms(500), ms(20))] {
                pace.note_game(&game(GameEnding::Rules(EndReason::NoMove)));
                pace.note_given(now);
                now += sync;
                pace.note_kept(now);
                assert_eq!(pace.paused_until, Some(now + rest));
                assert_eq!(pace.most_unkept(), MOST_UNKEPT_WITHOUT_FAILURES);
            }
            pace.note_game(&game(ending));
            assert_eq!((pace.paused_until, pace.most_unkept()), (None, MOST_UNKEPT));
            pace.note_given(now);
            pace.note_kept(now + ms(3));
            assert_eq!(pace.paused_until, None);
        }
    }
}
