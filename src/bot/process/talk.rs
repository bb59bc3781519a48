//! Talking to a process: a request out, a line in, both under one absolute deadline.

use super::Process;
use super::family_limits::FamilyLimits;
use super::verdict::{micros, out_of_memory, timed};
use super::watch::Watch;
use crate::bot::process::talk_error::{BOOKING, TalkError};
use crate::bot::process::tick::TICK;
use crate::bot::process::used_time::used;
use crate::bot::sandbox::Level;
use crate::record::{Evidence, Fault, FaultKind, ProcessEnd};
use crate::referee::{HostDelay, Stop};
use rustix::process::{WaitId, WaitIdOptions, waitid};
use std::fmt::Write as _;
use std::os::fd::AsFd as _;
use std::time::{Duration, Instant};

/// A bot that other programs held up gets its time back after the deadline: until so many times
/// the deadline,
const MOST_TIMES: u32 = 5;
/// or until so long after it, whichever is later.
const MOST_GIVEN_BACK: Duration = Duration::from_secs(10);
/// Less than this is not given back: the scheduler and its clocks are not more exact.
const WORTH_WHILE: Duration = Duration::from_millis(1);

/// A line, the time from just before the request to its newline, the part of it that the bot was
/// held up, and its CPU time meanwhile.
pub struct Reply {
    pub line: Vec<u8>,
    pub time: Duration,
    pub held_up: Duration,
    pub cpu: Option<Duration>,
}

/// The fault of a family that takes more than it may; never, where it is not for us to look.
async fn exceeded(limits: Option<&mut FamilyLimits>) -> Fault {
    match limits {
        Some(limits) => limits.exceeded().await,
        None => std::future::pending().await,
    }
}

impl Process {
    /// Sends a request and waits for a line, both before one absolute deadline that nothing
    /// re-arms. The clock is read before the write: a bot on the same core would otherwise think
    /// for free.
    pub async fn exchange(&mut self, request: &[u8], deadline: Duration) -> Result<Reply, Stop> {
        self.delay = None;
        self.looked = None;
        // Whether a new process says `ready` before or after it is greeted depends on the host.
        let is_greeted = self.recorder.has_begun();
        if is_greeted && let Err(error) = self.reject_unasked() {
            return Err(self.stop(error).await);
        }
        self.recorder.asked(request);
        let started = Instant::now();
        let mut watch = std::mem::take(&mut self.watch);
        let mut limits = self.limits.take();
        // What a family used in its opponent's turn was asked for at the end of that.
        if self.answered.take().is_some() || self.cpu_now.is_none() {
            self.cpu_now = watch.family.read();
        }
        self.cpu_before = self.cpu_now;
        watch.begin(started, self.cpu_before);
        self.buffer.begin();
        self.thaw();
        let answered = self
            .await_answer(request, started, deadline, (&mut watch, limits.as_mut()))
            .await;
        self.limits = limits;
        let time = started.elapsed();
        watch.end(started + time);
        self.cpu_now = watch.family.read();
        let is_answer = matches!(answered, Some(Ok(_)));
        let is_late = is_answer && self.freeze_after(started + time);
        let held_up = self.look_back(&mut watch, time, deadline, is_answer);
        let cpu = self.cpu_of_turn();
        // Making a box takes CPU time that is not the bot's.
        if is_greeted && cpu.is_some_and(|cpu| cpu >= TICK) {
            self.share_processor();
        }
        if is_late {
            self.cpu_now = watch.family.read();
        }
        self.watch = watch;
        match answered {
            Some(Ok(line)) => Ok(Reply {
                line,
                time,
                held_up,
                cpu,
            }),
            // No clock runs while it is found out how the process ended.
            Some(Err(error)) => {
                self.seen_to_end = matches!(error, TalkError::Ended);
                Err(timed(self.stop(error).await, time))
            }
            None if !self.has_started() => Err(Stop::Void(format!(
                "the host had not made a bot's box after {:.3} s",
                time.as_secs_f64()
            ))),
            None => Err(self.or_memory(Stop::Fault(self.silence_fault(time, held_up, cpu)))),
        }
    }

    /// Looks back at a wait that took `time`: how late the host was, and how long other programs
    /// held the bot up. Less than [`WORTH_WHILE`] is nothing.
    fn look_back(
        &mut self,
        watch: &mut Watch,
        time: Duration,
        deadline: Duration,
        is_answer: bool,
    ) -> Duration {
        self.latest = watch.latest();
        if time >= TICK.min(deadline) {
            // A silence was judged by what was read then.
            let judged = self.delay.take();
            let delay = judged.unwrap_or_else(|| watch.delay(time));
            let delay = HostDelay {
                answered: is_answer,
                ..delay
            };
            self.looked = Some(delay);
            self.delay = (time > deadline).then_some(delay);
            // Processes that were only found by this look are of this turn.
            if !watch.family.is_exact() {
                self.cpu_now = watch.family.read();
            }
            watch.settle();
        }
        self.held_up()
    }

    /// How long other programs held the bot up, by the last look.
    fn held_up(&self) -> Duration {
        let lost = self.looked.map(|delay| delay.lost());
        lost.filter(|&lost| lost >= WORTH_WHILE).unwrap_or_default()
    }

    /// CPU time of the last turn. What a hypervisor took may stand in it, so that it can be no more
    /// than what the hypervisor left.
    fn cpu_of_turn(&self) -> Option<Duration> {
        let most = self.looked.map_or(Duration::MAX, |delay| delay.most_cpu());
        used(self.cpu_before, self.cpu_now).map(|cpu| cpu.min(most))
    }

    /// An answer seems to be late: waits until the kernel has booked what a hypervisor took, and
    /// looks at the times again.
    pub async fn reconsider(&mut self, mut reply: Reply) -> Reply {
        let Some(delay) = self.looked.filter(HostDelay::may_grow) else {
            return reply;
        };
        tokio::time::sleep(BOOKING).await;
        let delay = self.watch.with_booked(delay);
        self.looked = Some(delay);
        self.delay = self.delay.and(Some(delay));
        reply.held_up = self.held_up();
        reply.cpu = self.cpu_of_turn();
        reply
    }

    /// Waits for the answer until the deadline. A bot that is silent then, and that other programs
    /// held up, gets that time back: only then is its silence its own.
    async fn await_answer(
        &mut self,
        mut request: &[u8],
        started: Instant,
        deadline: Duration,
        (watch, mut limits): (&mut Watch, Option<&mut FamilyLimits>),
    ) -> Option<Result<Vec<u8>, TalkError>> {
        let mut end = deadline;
        let mut is_booked = false;
        loop {
            let answered = tokio::select! {
                biased;
                answered = self.write_and_read(&mut request) => Some(answered),
                fault = exceeded(limits.as_deref_mut()) => {
                    Some(Err(TalkError::Stop(Stop::Fault(fault))))
                }
                () = watch.until(started + end) => None,
            };
            if answered.is_some() {
                return answered;
            }
            let elapsed = started.elapsed();
            let delay = watch.delay(elapsed);
            let lost = delay.lost();
            let most = deadline
                .saturating_mul(MOST_TIMES)
                .max(deadline + MOST_GIVEN_BACK);
            end = deadline.saturating_add(lost).min(most);
            if elapsed < end {
                is_booked = false;
            } else if is_booked || !delay.may_grow() {
                self.delay = Some(delay);
                return None;
            } else {
                is_booked = true;
                end = elapsed + BOOKING;
            }
        }
    }

    /// When it was asked last.
    pub const fn asked_at(&self) -> Option<Instant> {
        self.watch.begun
    }

    /// The fault of a family that has more processes than it may now, where only the referee sees
    /// to that.
    pub fn too_many_processes(&self) -> Option<Fault> {
        self.limits.as_ref().and_then(FamilyLimits::too_many)
    }

    /// What the host took from the last exchange, if it took longer than it might.
    pub const fn host_delay(&self) -> Option<HostDelay> {
        self.delay
    }

    /// How late the host was at the latest in the last exchange.
    pub const fn host_lateness(&self) -> Duration {
        self.latest
    }

    /// A bot that lost a process to its memory limit is at fault for that, whatever came of it:
    /// also if it was process 1 of its box that had to go, for then no process is left to say how
    /// it ended.
    fn or_memory(&self, stop: Stop) -> Stop {
        let kills = self.memory_kills();
        if kills == 0 {
            return stop;
        }
        let time_us = match stop {
            Stop::Fault(fault) => fault.time_us,
            Stop::Void(_) | Stop::Exhausted(_) => None,
        };
        Stop::Fault(Fault {
            time_us,
            ..out_of_memory(kills)
        })
    }

    /// Whether the program itself runs: how long a box takes is not the bot's doing.
    fn has_started(&self) -> bool {
        self.level < Level::Box || self.status_channel.has_started()
    }

    fn silence_fault(&self, time: Duration, held_up: Duration, cpu: Option<Duration>) -> Fault {
        let half = match self.lines.rest().len() {
            0 => String::new(),
            bytes => format!(" (half a line of {bytes} bytes without its newline)"),
        };
        let ms = |time: Duration| format!("{:.3} ms", time.as_secs_f64() * 1e3);
        let cpu = cpu.map_or("unknown".to_owned(), ms);
        let mut detail = format!(
            "no answer after {} by the wall clock{half}; CPU time {cpu}",
            ms(time)
        );
        if !held_up.is_zero() {
            let held_up = ms(held_up);
            let _ = write!(
                detail,
                "; other programs held it up for {held_up}, which do not count"
            );
        }
        Fault::new(FaultKind::Timeout, detail).after(micros(time))
    }

    /// How it ended, if it has by now: an exchange was dropped before it could say so.
    pub async fn fault_so_far(&mut self) -> Option<Stop> {
        let asked = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        let ended = || waitid(WaitId::PidFd(self.exit.as_fd()), asked);
        if self.seen_to_end || self.ended || matches!(ended(), Ok(Some(_))) {
            return Some(self.stop(TalkError::Ended).await);
        }
        None
    }

    /// The error as the referee is told it. May be dropped in the middle and asked again.
    pub async fn stop(&mut self, error: TalkError) -> Stop {
        match error {
            TalkError::Stop(stop) => stop,
            TalkError::Ended => {
                let stop = self.crash().await;
                self.or_memory(stop)
            }
        }
    }

    /// What went both ways, how it ended and what it used.
    pub fn evidence(&mut self) -> Evidence {
        if !self.ended {
            return Evidence {
                transcript: self.recorder.last_game(),
                ..Evidence::default()
            };
        }
        Evidence {
            transcript: self.recorder.take(),
            end: Some(match &self.own_end {
                Some((end, _)) => *end,
                None => ProcessEnd::Stopped,
            }),
            usage: self.usage,
        }
    }
}
