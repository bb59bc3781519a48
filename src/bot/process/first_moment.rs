//! The first moment of an exchange: a look at the pipe, a write, a wait and a read, no more.
//!
//! Most bots of a fast tournament answer within some microseconds. For them the exchange costs what
//! the pipe costs: the bot is not frozen after its answer, its CPU clock is not read, and the host
//! is not looked at. All of this begins when an exchange lasts longer than the moment. The bot that
//! waits is frozen then ([`Process::hold_still`]), so it runs unfrozen for one moment of its
//! opponent's turn at most.
//!
//! The wait blocks the thread and does not go through the runtime. Whole runs of bots in C took 12
//! µs a ply so, and 18 µs with the runtime's wait and the clock read at each ply, where the bare
//! exchange took 6. Other tasks of the slot run between exchanges, at least every [`TICK`].

use super::Process;
use super::family_limits::FamilyLimits;
use super::off_turn_total::GRACE;
use super::talk_error::TalkError;
use super::tick::TICK;
use crate::bot::moment_ticker::YOUNG;
use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::Errno;
use std::time::{Duration, Instant};

/// How exactly the CPU time of an exchange must be known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CpuAccounting {
    /// Of this exchange alone: the clock is read, and the bot frozen, whatever time it takes.
    Exchange,
    /// An answer within the first moment counts in the sum of the game.
    Game,
}

impl CpuAccounting {
    /// The exact form for a bot that has lost its moment.
    pub const fn unless(self, is_lost: bool) -> Self {
        if is_lost { Self::Exchange } else { self }
    }
}

/// What ended a wait.
enum Happened {
    Output,
    Tick,
}

impl Process {
    /// Whether an exchange with this deadline begins with a first moment. One in which the family's
    /// limits must be checked does not.
    pub fn has_first_moment(&self, deadline: Duration, accounting: CpuAccounting) -> bool {
        let is_check_due = self.limits.as_ref().is_some_and(FamilyLimits::is_due);
        accounting == CpuAccounting::Game && deadline > GRACE && !is_check_due
    }

    /// Lets other tasks of the slot run, if they have not run for a while: reading of standard
    /// error, and an interruption.
    pub async fn give_way(&mut self) {
        // The last exchange tells the time well enough, and costs no look at a clock.
        let last = self.watch.begun.unwrap_or_else(Instant::now);
        if last.saturating_duration_since(self.moment.gave_way) > TICK {
            tokio::task::yield_now().await;
            self.moment.gave_way = Instant::now();
        }
    }

    /// Writes the request and reads the answer, if it comes within the first moment. Returns when
    /// it came, and `None` if the exchange must go on with the rest of the request.
    pub fn answer_in_first_moment(
        &mut self,
        request: &mut &[u8],
        started: Instant,
    ) -> Option<Result<Instant, TalkError>> {
        self.moment.timer.begin(started);
        let answered = self.write_and_read_at_once(request, started);
        self.moment.timer.end();
        answered
    }

    fn write_and_read_at_once(
        &mut self,
        request: &mut &[u8],
        started: Instant,
    ) -> Option<Result<Instant, TalkError>> {
        if !self.write_now(request) {
            return Some(Err(TalkError::Ended));
        }
        self.moment.written = Instant::now();
        let mut now = self.moment.written;
        while request.is_empty() && !self.lines.take_line(&mut self.answer) {
            match self.poll_output() {
                Ok(Happened::Output) => {}
                Ok(Happened::Tick) if started.elapsed() < YOUNG => continue,
                Ok(Happened::Tick) => return None,
                Err(error) => return Some(Err(error)),
            }
            now = Instant::now();
            if let Err(error) = self.read_now(now) {
                return Some(Err(error));
            }
        }
        request.is_empty().then_some(Ok(now))
    }

    /// Writes what the pipe takes at once; false if the bot has closed its input.
    fn write_now(&self, message: &mut &[u8]) -> bool {
        let Some(input) = &self.input else {
            return false;
        };
        match rustix::io::write(input, message) {
            Ok(written) => {
                *message = &message[written..];
                true
            }
            // The runtime waits for a pipe that is full.
            Err(Errno::AGAIN | Errno::INTR) => true,
            Err(_) => false,
        }
    }

    /// Waits for output or the timer. A bot whose first process has ended does not answer any more,
    /// although one of its children could.
    fn poll_output(&self) -> Result<Happened, TalkError> {
        let mut events = [
            PollFd::new(&self.output, PollFlags::IN),
            PollFd::new(&self.exit, PollFlags::IN),
            self.moment.timer.event(),
        ];
        // A wait that a signal interrupts is like one that found something to read.
        let polled = poll(&mut events, None);
        let [output, exit, tick] = events.map(|event| !event.revents().is_empty());
        if polled.is_err() || output {
            return Ok(Happened::Output);
        }
        if exit {
            return Err(TalkError::Ended);
        }
        if tick {
            self.moment.timer.take_ticks();
        }
        Ok(Happened::Tick)
    }

    /// Reads what is there.
    fn read_now(&mut self, now: Instant) -> Result<(), TalkError> {
        match rustix::io::read(&self.output, &mut self.buffer.bytes[..]) {
            Ok(0) => Err(TalkError::Ended),
            Ok(count) => {
                self.buffer.has_read = true;
                self.feed(count, now)
            }
            // Other errors show again in the runtime's read.
            Err(_) => Ok(()),
        }
    }
}
