//! Talking to a process: one request out and one line in, both before one absolute deadline.

use super::family_limits::FamilyLimits;
use super::fast_path::CpuAccounting;
use super::observers::WaitObservers;
use super::off_turn::{BOOKING, GameCpu, ShortTurns};
use super::pipes::ExchangeError;
use super::watch::Watch;
use super::{Process, RunState};
use crate::bot::sandbox::Level;
use crate::record::{COMPUTED_ALL_THE_TIME, Evidence, Fault, FaultKind, ProcessEnd};
use crate::referee::{HostDelay, Stop};
use crate::text::{exact_ms, micros};
use std::fmt::Write as _;
use std::time::{Duration, Instant};

/// The time between two wake-ups of a waiting thread, each of which measures its own delay.
pub const TICK: Duration = Duration::from_millis(10);
/// A bot that other programs held up gets that time back after the deadline: at most this many
/// times the deadline,
const MOST_TIMES: u32 = 5;
/// or this long after it, whichever is later.
const MOST_GIVEN_BACK: Duration = Duration::from_secs(10);
/// The referee gives back no delay shorter than this: the scheduler and its clocks are not more
/// exact.
const WORTH_WHILE: Duration = Duration::from_millis(1);

/// The times of an answer: from just before the request to its newline, the part of that time in
/// which other programs held the bot up, and the bot's CPU time.
pub struct Reply {
    pub time: Duration,
    pub preempted: Duration,
    pub cpu: Option<Duration>,
}

/// How late the host was in the last exchange.
#[derive(Debug, Default)]
pub struct LastExchange {
    /// The time that the host took, if the exchange missed its deadline.
    pub delay: Option<HostDelay>,
    /// The same for any exchange that was long enough to be measured.
    looked: Option<HostDelay>,
    /// The longest delay of a wake-up.
    pub latest: Duration,
    /// Whether the process ended or closed a pipe during an exchange.
    saw_end: bool,
}

impl Process {
    /// Sends a request and waits for a line, both before one absolute deadline that is never
    /// extended by input. The clock is read before the write: otherwise a bot on the same core
    /// could think before its clock starts.
    ///
    /// `pipes.answer` has the line then, without its newline.
    pub async fn exchange(
        &mut self,
        request: &[u8],
        deadline: Duration,
        accounting: CpuAccounting,
    ) -> Result<Reply, Stop> {
        self.fast_path.give_way(self.watch.begun).await;
        self.last.delay = None;
        self.last.looked = None;
        // Whether a new process writes `ready` before or after its greeting depends on the host's
        // timing.
        let is_greeted = self.pipes.has_begun();
        if is_greeted && let Err(error) = self.pipes.reject_unasked() {
            return Err(self.stop(error).await);
        }
        let accounting = if self.fast_path.is_revoked {
            CpuAccounting::Exchange
        } else {
            accounting
        };
        let has_first_moment = is_greeted && self.has_first_moment(deadline, accounting);
        let started = Instant::now();
        self.pipes.record_request(started, request);
        self.begin_wait(started, accounting);
        let mut rest = request;
        if has_first_moment {
            let pipes = &mut self.pipes;
            match self.fast_path.exchange(pipes, &mut rest, started) {
                Some(Ok(now)) => return Ok(self.answered_at_once(now - started)),
                Some(Err(error)) => {
                    return Err(self.end_of_exchange(error, started.elapsed()).await);
                }
                None => {}
            }
        }
        let mut watch = std::mem::take(&mut self.watch);
        let mut observers = self.begin_to_observe(request);
        self.begin_long_wait(&mut watch, started);
        if rest.is_empty() {
            watch.asked(self.fast_path.written);
        }
        let answered = self
            .await_answer(rest, started, deadline, (&mut watch, &mut observers))
            .await;
        self.end_to_observe(observers);
        let time = started.elapsed();
        watch.note_wakeup(started + time);
        self.cpu.now = watch.family.read();
        self.cpu.short_turns = ShortTurns::default();
        let is_answer = matches!(answered, Some(Ok(())));
        let is_late = is_answer && self.freeze_after(started + time);
        let preempted = self.look_back(&mut watch, time, deadline, is_answer);
        let cpu = self.cpu_of_turn();
        self.cpu.game.note_measured(self.cpu.of_turn());
        // Making a box takes CPU time that the bot did not use. Without an answer the process ends.
        if is_answer && is_greeted && cpu.is_some_and(|cpu| cpu >= TICK) {
            self.share_processor();
        }
        if is_late {
            self.cpu.now = watch.family.read();
        }
        self.watch = watch;
        match answered {
            Some(Ok(())) => Ok(Reply {
                time,
                preempted,
                cpu,
            }),
            Some(Err(error)) => Err(self.end_of_exchange(error, time).await),
            None if !self.has_started() => Err(Stop::Unstarted(format!(
                "the host had not made a bot's box after {:.3} s",
                time.as_secs_f64()
            ))),
            None => Err(self.or_shortage(Stop::Fault(self.silence_fault(time, preempted, cpu)))),
        }
    }

    /// Begins an exchange. The clock of a bot that is known to run on is not read: what it used
    /// counts in the sum of the game.
    fn begin_wait(&mut self, started: Instant, accounting: CpuAccounting) {
        let runs_on = self.run_state == RunState::RunsOn;
        let counts_in_sum = runs_on && accounting == CpuAccounting::Game;
        // The CPU time of the opponent's turn was read at the end of that turn.
        let is_known = self.cpu.answered.take().is_none() && self.cpu.now.is_some() && !runs_on;
        if !is_known && !counts_in_sum {
            self.cpu.now = self.watch.family.read();
            self.cpu.short_turns = ShortTurns::default();
        }
        self.cpu.before = self.cpu.now.filter(|_| !counts_in_sum);
        self.last.latest = Duration::ZERO;
        self.watch.begun = Some(started);
        self.thaw();
    }

    /// An answer within the first moment: the bot runs on until the other side's turn has lasted as
    /// long.
    fn answered_at_once(&mut self, time: Duration) -> Reply {
        self.run_state = RunState::RunsOn;
        self.cpu.game.has_short_turns = true;
        self.cpu.short_turns.add(time);
        Reply {
            time,
            preempted: Duration::ZERO,
            cpu: None,
        }
    }

    /// Begins to measure an exchange that lasts longer than the first moment. If the family's clock
    /// was not read before it, the family counts as busy since: at most one moment too much.
    fn begin_long_wait(&mut self, watch: &mut Watch, started: Instant) {
        if self.cpu.before.is_none() {
            let now = watch.family.read();
            let since = started.elapsed().saturating_mul(watch.cores());
            let before = now.map(|now| now.saturating_sub(since));
            self.cpu.before = before.max(self.cpu.now.filter(|_| before.is_some()));
        }
        watch.begin(started, self.cpu.before);
    }

    /// What an error of an exchange means. No clock runs while the referee finds out how the
    /// process ended.
    async fn end_of_exchange(&mut self, error: ExchangeError, time: Duration) -> Stop {
        self.last.saw_end = matches!(error, ExchangeError::Ended);
        let stop = self.stop(error).await;
        stop.map_fault(|fault| fault.after(micros(time)))
    }

    /// Begins the first turn of a game: the bot is ready.
    pub fn begin_turns(&mut self) {
        if self.level == Level::Box && self.pipes.end_of_first.is_none() {
            self.pipes.end_of_first = self.status_channel.end_of_first();
        }
        self.freeze_if_sleepless();
        self.cpu.game = GameCpu::new(self.watch.family.read());
        // What it wrote so far is not about its end, should it end later.
        self.error.forget();
    }

    /// Evaluates a wait that took `time`: how late the host was, and how long other programs held
    /// the bot up. A delay below [`WORTH_WHILE`] counts as zero.
    fn look_back(
        &mut self,
        watch: &mut Watch,
        time: Duration,
        deadline: Duration,
        is_answer: bool,
    ) -> Duration {
        self.last.latest = watch.latest;
        if time >= TICK.min(deadline) {
            // A silence was judged by the reading at its deadline.
            let judged = self.last.delay.take();
            let delay = judged.unwrap_or_else(|| watch.delay(time, is_answer));
            self.last.looked = Some(delay);
            self.last.delay = (time > deadline).then_some(delay);
            // Processes that only this look found belong to this turn.
            if !watch.family.is_exact() {
                self.cpu.now = watch.family.read();
            }
            watch.settle();
        }
        self.preempted()
    }

    /// How long other programs held the bot up, by the last look.
    fn preempted(&self) -> Duration {
        let lost = self.last.looked.map(|delay| delay.lost());
        lost.filter(|&lost| lost >= WORTH_WHILE).unwrap_or_default()
    }

    /// CPU time of the last turn. The kernel may have charged stolen time to the family, so the
    /// result is at most what the hypervisor left.
    fn cpu_of_turn(&self) -> Option<Duration> {
        let most = self
            .last
            .looked
            .map_or(Duration::MAX, |delay| delay.most_cpu());
        self.cpu.of_turn().map(|cpu| cpu.min(most))
    }

    /// Called for an answer that seems late: waits until the kernel has booked what a hypervisor
    /// stole, then evaluates the times again.
    pub async fn reconsider(&mut self, mut reply: Reply) -> Reply {
        let Some(delay) = self.last.looked.filter(HostDelay::may_grow) else {
            return reply;
        };
        tokio::time::sleep(BOOKING).await;
        let delay = self.watch.with_booked(delay);
        self.last.looked = Some(delay);
        self.last.delay = self.last.delay.and(Some(delay));
        reply.preempted = self.preempted();
        reply.cpu = self.cpu_of_turn();
        reply
    }

    /// Waits for the answer until the deadline. If the bot is still silent then and other programs
    /// held it up, it gets that time back first.
    async fn await_answer(
        &mut self,
        mut request: &[u8],
        started: Instant,
        deadline: Duration,
        (watch, observers): (&mut Watch, &mut WaitObservers),
    ) -> Option<Result<(), ExchangeError>> {
        let mut end = deadline;
        let mut is_booked = false;
        loop {
            let answered = tokio::select! {
                biased;
                answered = self.pipes.write_and_read(&mut request) => Some(answered),
                fault = observers.fault() => Some(Err(ExchangeError::Stop(Stop::Fault(fault)))),
                () = watch.until(started + end) => None,
            };
            if answered.is_some() {
                return answered;
            }
            let elapsed = started.elapsed();
            let delay = watch.delay(elapsed, false);
            let lost = delay.lost();
            let most = deadline
                .saturating_mul(MOST_TIMES)
                .max(deadline + MOST_GIVEN_BACK);
            end = deadline.saturating_add(lost).min(most);
            if elapsed < end {
                is_booked = false;
            } else if is_booked || !delay.may_grow() {
                self.last.delay = Some(delay);
                return None;
            } else {
                is_booked = true;
                end = elapsed + BOOKING;
            }
        }
    }

    /// Waits for output or an end that the bot must not have outside its turn.
    pub async fn misbehaviour(&mut self) -> Stop {
        if self.pipes.lines.unread().is_empty()
            && let Err(error) = self.pipes.read_more().await
        {
            return self.stop(error).await;
        }
        Stop::Fault(self.pipes.unasked())
    }

    /// The fault of a family that has too many processes now, where only the referee limits them.
    pub fn too_many_processes(&self) -> Option<Fault> {
        self.limits.as_ref().and_then(FamilyLimits::too_many)
    }

    /// Whether the program itself runs: the time to make a box is not the bot's.
    fn has_started(&self) -> bool {
        self.level < Level::Box || self.status_channel.has_started()
    }

    fn silence_fault(&self, time: Duration, preempted: Duration, cpu: Option<Duration>) -> Fault {
        let half = match self.pipes.lines.unread().len() {
            0 => String::new(),
            bytes => format!(" (half a line of {bytes} bytes without its newline)"),
        };
        let own_time = time.saturating_sub(preempted);
        let computed = cpu.is_some_and(|cpu| cpu * 10 >= own_time * 9);
        let cpu = cpu.map_or("unknown".to_owned(), exact_ms);
        let mut detail = format!("no answer after {}{half}", exact_ms(time));
        if computed {
            let _ = write!(detail, "; {COMPUTED_ALL_THE_TIME}");
        }
        let preempted = exact_ms(preempted);
        Fault {
            figures: format!("preempted for {preempted}; CPU time {cpu}"),
            ..Fault::new(FaultKind::Timeout, detail).after(micros(time))
        }
    }

    /// The fault of a process that has ended by now. An exchange that was dropped could not return
    /// it.
    pub async fn fault_so_far(&mut self) -> Option<Stop> {
        let (_, has_ended) = self.pipes.poll_state();
        if self.last.saw_end || self.ending.is_over || has_ended {
            return Some(self.stop(ExchangeError::Ended).await);
        }
        None
    }

    /// Turns the error into what the referee receives. The future may be dropped and called again.
    pub async fn stop(&mut self, error: ExchangeError) -> Stop {
        match error {
            ExchangeError::Stop(stop) => stop,
            ExchangeError::Ended => {
                let stop = self.crash().await;
                self.or_shortage(stop)
            }
        }
    }

    /// The bytes in both directions, how the process ended and what it used.
    pub fn evidence(&mut self) -> Evidence {
        if !self.ending.is_over {
            return Evidence {
                transcript: self.pipes.transcript.last_game(),
                ..Evidence::default()
            };
        }
        Evidence {
            transcript: std::mem::take(&mut self.pipes.transcript),
            end: Some(match &self.ending.own {
                Some((end, _)) => *end,
                None => ProcessEnd::Stopped,
            }),
            usage: self.ending.usage,
        }
    }
}
