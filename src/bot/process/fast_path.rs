//! The first moment of an exchange: a look at the pipe, a write, and a read that waits, no more.
//!
//! Most bots of a fast tournament answer within some microseconds. For them the exchange costs what
//! the pipe costs: the bot is not frozen after its answer, its CPU clock is not read, and the host
//! is not looked at. All of this begins when an exchange lasts longer than the moment. The bot that
//! waits is frozen then ([`Process::freeze_if_running`]), so it runs unfrozen for one moment of its
//! opponent's turn at most.
//!
//! The read blocks the thread and does not go through the runtime; the run's watchdog interrupts it
//! by a signal once the moment is over. Whole runs of bots in C took 12 µs a ply so, and 18 µs with
//! the runtime's wait and the clock read at each ply, where the bare exchange took 6. Other tasks
//! of the slot run between exchanges, at least every [`TICK`].

use super::Process;
use super::exchange::TICK;
use super::family_limits::FamilyLimits;
use super::off_turn::GRACE;
use super::pipes::{ExchangeError, Pipes};
use crate::bot::fast_reply_watchdog::{FastReplyTimer, MIN_AGE};
use rustix::io::Errno;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// How exactly the CPU time of an exchange must be known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CpuAccounting {
    /// Of this exchange alone: the clock is read, and the bot frozen, whatever time it takes.
    Exchange,
    /// An answer within the first moment counts in the sum of the game.
    Game,
}

/// The state of the first moments of one process.
#[derive(Debug)]
pub struct FastPath {
    /// Ends the first moment of an exchange.
    pub timer: Arc<FastReplyTimer>,
    /// Whether the family has worked in the moment after its answers: it is frozen at once, and the
    /// CPU time of each exchange is measured.
    pub is_revoked: bool,
    /// When the last request was written.
    pub written: Instant,
    /// When other tasks of the slot ran last.
    gave_way: Instant,
}

impl FastPath {
    /// The state of a new process on the thread of this timer.
    pub fn new(timer: Arc<FastReplyTimer>) -> Self {
        let now = Instant::now();
        Self {
            timer,
            is_revoked: false,
            written: now,
            gave_way: now,
        }
    }

    /// Lets other tasks of the slot run, if they have not run for a while: reading of standard
    /// error, and an interruption. The begin of the last exchange tells the time well enough, and
    /// costs no look at a clock.
    pub async fn give_way(&mut self, last: Option<Instant>) {
        let last = last.unwrap_or_else(Instant::now);
        if last.saturating_duration_since(self.gave_way) > TICK {
            tokio::task::yield_now().await;
            self.gave_way = Instant::now();
        }
    }

    /// Writes the request and reads the answer, if it comes within the first moment. Returns when
    /// it came, and `None` if the exchange must go on with the rest of the request; an answer that
    /// was read after the moment is in the lines then.
    pub fn exchange(
        &mut self,
        pipes: &mut Pipes,
        request: &mut &[u8],
        started: Instant,
    ) -> Option<Result<Instant, ExchangeError>> {
        self.timer.begin(started);
        let answered = self.write_and_read(pipes, request, started);
        self.timer.end();
        answered
    }

    fn write_and_read(
        &mut self,
        pipes: &mut Pipes,
        request: &mut &[u8],
        started: Instant,
    ) -> Option<Result<Instant, ExchangeError>> {
        if !pipes.write_now(request) {
            return Some(Err(ExchangeError::Ended));
        }
        self.written = Instant::now();
        let mut now = self.written;
        // The watchdog's signal may be late on a busy host, and it interrupts only a read that
        // waits. An answer that is not within the moment is measured, whatever made it late.
        while request.is_empty() && now - started < GRACE {
            if pipes.lines.take_line(&mut pipes.answer) {
                return Some(Ok(now));
            }
            let read = rustix::io::read(&pipes.waiting_output, &mut pipes.buffer[..]);
            now = Instant::now();
            let received = match read {
                Ok(0) => Err(ExchangeError::Ended),
                Ok(count) => pipes.feed(count, now),
                // A signal that was sent for an earlier exchange.
                Err(Errno::INTR) if now - started < MIN_AGE => continue,
                // The moment is over. Any other error shows again in the runtime's read.
                Err(_) => return None,
            };
            if let Err(error) = received {
                return Some(Err(error));
            }
        }
        None
    }
}

impl Pipes {
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
}

impl Process {
    /// Whether an exchange with this deadline begins with a first moment. One in which the family's
    /// limits must be checked does not.
    pub(super) fn has_first_moment(&self, deadline: Duration, accounting: CpuAccounting) -> bool {
        let is_check_due = self.limits.as_ref().is_some_and(FamilyLimits::is_due);
        accounting == CpuAccounting::Game && deadline > GRACE && !is_check_due
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bot::fast_reply_watchdog::WatchdogState;
    use crate::bot::{FileAccess, Launch, Limits, Sandbox, SandboxSettings, SandboxedBot};
    use crate::procfs::Stat;
    use std::path::{Path, PathBuf};

    const MINUTE: Duration = Duration::from_secs(60);

    /// A bot in the folder of test data. No program of awale is there to start it, so it is what
    /// the sandbox starts first.
    fn bot(name: &str) -> Process {
        let program = Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("tests/data")
            .join(name);
        let sandbox = Sandbox::new(SandboxSettings::unisolated(program.clone()));
        let launch = Launch {
            program,
            arguments: Vec::new(),
            directory: PathBuf::from("/"),
            environment: Vec::new(),
            host_environment: Vec::new(),
            file_access: FileAccess::default(),
        };
        let bot = SandboxedBot::new(&Arc::new(sandbox.unwrap()), &launch, Limits::default());
        Process::start(&bot.unwrap()).unwrap()
    }

    fn runtime() -> tokio::runtime::Runtime {
        let mut builder = tokio::runtime::Builder::new_current_thread();
        builder.enable_all().build().unwrap()
    }

    /// The same after it has answered the greeting.
    async fn greeted_bot(name: &str) -> Process {
        let mut process = bot(name);
        let greeted = process.exchange(b"hello\n", MINUTE, CpuAccounting::Game);
        assert!(greeted.await.is_ok());
        process
    }

    /// On a busy host the thread that ends the moment may be late, or that of the slot.
    #[test]
    fn an_answer_after_the_moment_is_measured_although_nothing_interrupted_the_wait() {
        runtime().block_on(async {
            let mut process = greeted_bot("answers_late.sh").await;
            let never_ticks = Arc::<WatchdogState>::default();
            let timer = FastReplyTimer::of_this_thread(never_ticks).unwrap();
            process.fast_path.timer = Arc::new(timer);
            let reply = process
                .exchange(b"turn\n", MINUTE, CpuAccounting::Game)
                .await;
            let Ok(reply) = reply else {
                panic!("an answer")
            };
            assert_eq!(process.pipes.answer, b"move");
            assert!(reply.time >= Duration::from_millis(20));
            assert!(reply.cpu.is_some());
            process.end().await;
        });
    }

    /// The runtime also watches the process, but it does not run while bots answer at once.
    #[test]
    fn a_process_that_has_ended_is_found_although_the_runtime_has_not_run() {
        runtime().block_on(async {
            let mut process = greeted_bot("answers_from_a_child.sh").await;
            let has_ended = || Stat::of(process.number()).is_some_and(|stat| stat.state() == 'Z');
            while !has_ended() {
                std::thread::yield_now();
            }
            assert!(matches!(
                process.pipes.reject_unasked(),
                Err(ExchangeError::Ended)
            ));
            process.end().await;
        });
    }
}
