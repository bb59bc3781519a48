//! How a process is asked to quit and is ended. Every wait is bounded: a process that survives
//! SIGKILL is named and left alone.

use super::off_turn::used;
use super::verdict::{process_end, slow_to_quit, verdict};
use super::{Process, kill};
use crate::bot::sandbox::{LastWords, Level};
use crate::files::remove_folder;
use crate::log::LogError as _;
use crate::procfs::{Stat, family, thread_states};
use crate::record::{ProcessEnd, Usage};
use crate::referee::Stop;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use std::collections::BTreeSet;
use std::process::ExitStatus;
use std::sync::PoisonError;
use std::time::{Duration, Instant};

/// How long a bot may take to quit when it is asked to.
const QUIT_GRACE: Duration = Duration::from_millis(200);
/// How long a killed process may take to end, and then its family: longer than any that does end. A
/// process that still lives then is named and left alone. A box is told to end, and bubblewrap is
/// killed only then.
const LONGEST_END: Duration = Duration::from_secs(5);
/// How long it is awaited at most while it is runnable: it needs a processor in order to end, and a
/// host that is overloaded, or stands still, has none for it. Each thread may also have a second of
/// work left in the kernel.
const LONGEST_STARVATION: Duration = Duration::from_secs(300);
/// CPU time that a family may use once it was told to quit or was killed. Memory that is given back
/// takes a tenth of it.
const SLOW_END: Duration = Duration::from_secs(1);
/// The same for a process that is dropped in the middle of a game, when no other code can go on.
const DROPPED_END: Duration = Duration::from_secs(2);
/// The time between two looks at what a family uses while it ends: nothing shows that afterwards.
const USE_PAUSE: Duration = Duration::from_millis(50);
/// The pause before a killed family is checked again.
const FAMILY_PAUSE: Duration = Duration::from_millis(1);

/// How a process ended, as far as that is known.
#[derive(Debug, Default)]
pub struct Ending {
    /// Whether the bot runs, as process 1 of its box has reported.
    pub started: bool,
    /// How it ended, as the program that started it has reported.
    pub last_words: Option<LastWords>,
    /// Whether the process closed a pipe and ran on until it was killed.
    pub ran_on: bool,
    /// Whether the referee has ended it.
    pub is_over: bool,
    /// How the process ended before the referee ended it, and what that means.
    pub own: Option<(ProcessEnd, Stop)>,
    /// The family's CPU clock when it was told to quit, or killed.
    used_alive: Option<Duration>,
    pub usage: Usage,
    /// A description of the processes that survived SIGKILL.
    pub remains: Option<String>,
}

impl Process {
    /// Asks the bot to quit, waits a moment, and ends the rest of its family. Returns a
    /// description of the processes that could not be ended.
    pub async fn quit(&mut self, request: &[u8]) -> Option<String> {
        self.ending.used_alive = self.family_cpu();
        self.thaw();
        let _ = self.pipes.post(request);
        self.pipes.close_input();
        let _ = self.pipes.ends_within(QUIT_GRACE).await;
        self.end().await;
        self.ending.remains.take()
    }

    /// Kills the whole family and reaps the process, in bounded time. `ending.remains` names
    /// processes that survive. The future may be dropped and called again.
    pub async fn end(&mut self) -> Option<ExitStatus> {
        if !self.ending.is_over {
            self.ending.usage = self.used();
            self.watch.family.refresh();
            self.ending.used_alive = self.ending.used_alive.or_else(|| self.family_cpu());
            self.kill();
            // bubblewrap ends by itself after the last process of its box.
            let killed = Instant::now();
            let mut is_over = false;
            while !is_over && killed.elapsed() < LONGEST_END {
                is_over = self.pipes.ends_within(USE_PAUSE).await;
                self.note_slow_end();
            }
            if !is_over {
                self.child.kill().log_error("kill a bot's process");
                self.wait_for_exit().await;
            }
            self.ending.usage = self.ending.usage.then(self.used());
            self.ending.usage.wall_us = Some(self.pipes.time_us(Instant::now()));
            self.ending.is_over = true;
        }
        // The status is read here, or std has kept it.
        let status = self.child.try_wait().ok().flatten();
        if let Some(limits) = &mut self.limits {
            limits.ended().await;
        }
        self.limits = None;
        let family = self.wait_for_family().await;
        let own = status.is_none().then(|| vec![self.child.id()]);
        self.ending.remains = own.or(family).map(|processes| in_words(&processes));
        // Everything that the process wrote is in the pipe by now. Another process may hold the
        // pipe open, so its end is not awaited.
        if let Some(drain) = self.drain.take() {
            drain.abort();
            let _ = drain.await;
        }
        self.clear_up();
        status
    }

    /// Kills everything that the bot started, by every means that this host has.
    fn kill(&mut self) {
        if let Some(limits) = &mut self.limits {
            limits.begin_end();
        }
        self.status_channel.cut();
        if let Some(family) = &self.family {
            family.kill();
        }
        if self.level < Level::Box {
            kill(&mut self.child, self.group);
        }
    }

    /// Waits until the process has ended, or seems never to end.
    async fn wait_for_exit(&self) {
        let end = Instant::now() + LONGEST_STARVATION;
        while !self.pipes.ends_within(LONGEST_END).await {
            if Instant::now() >= end || !is_runnable(self.child.id()) {
                return;
            }
        }
    }

    /// Waits until the family is empty. Its first process has ended, but the kernel may still be
    /// ending the others. Processes that only lack a processor are awaited longer, but not a family
    /// that has new members after all this time: it escapes, and would do so forever.
    async fn wait_for_family(&mut self) -> Option<Vec<u32>> {
        let begun = Instant::now();
        let mut starving: Option<Vec<u32>> = None;
        loop {
            let members = self.living();
            let waited = begun.elapsed();
            if members.is_empty() {
                return None;
            }
            if waited >= LONGEST_END {
                let known = starving.get_or_insert_with(|| members.clone());
                let starve = members.iter().all(|process| known.contains(process))
                    && members.iter().any(|process| is_runnable(*process));
                if !starve || waited >= LONGEST_STARVATION {
                    return Some(members);
                }
            }
            if let Some(family) = &self.family {
                family.kill();
            }
            tokio::time::sleep(FAMILY_PAUSE).await;
        }
    }

    /// The processes of the family that still live. Without a control group, those that were there
    /// when it was killed; at level `none`, where some may have left the process group, none.
    fn living(&mut self) -> Vec<u32> {
        match &self.family {
            Some(family) if family.is_empty() => Vec::new(),
            Some(family) => family.members(),
            None if self.level == Level::None => Vec::new(),
            None => self.watch.family.living(),
        }
    }

    /// CPU time of the family so far: what its control group counts, else that of its living
    /// processes and of those that they have reaped.
    fn family_cpu(&mut self) -> Option<Duration> {
        if self.watch.family.is_exact() {
            return self.watch.family.read();
        }
        let members = family(self.number()).into_iter();
        let used = members.filter_map(|it| Stat::of(it)?.cpu_time_us());
        Some(Duration::from_micros(used.sum()))
    }

    /// Notes for the bot's next game that its processes used much CPU time after they were told to
    /// end.
    fn note_slow_end(&mut self) {
        let used = used(self.ending.used_alive, self.family_cpu());
        if let Some(used) = used.filter(|used| *used > SLOW_END) {
            let mut noted = self
                .bot
                .slow_end
                .lock()
                .unwrap_or_else(PoisonError::into_inner);
            *noted = Some(slow_to_quit(used, SLOW_END));
        }
    }

    /// Removes the temporary folder; no process is left to write there.
    fn clear_up(&mut self) {
        if let Some(folder) = self.temporary.take() {
            remove_folder(&folder).log_error("remove a bot's temporary files");
        }
    }
}

/// A game that is dropped in the middle leaves no process behind.
impl Drop for Process {
    fn drop(&mut self) {
        if let Some(drain) = &self.drain {
            drain.abort();
        }
        if !self.ending.is_over {
            self.kill();
            self.child.kill().log_error("kill a bot's process");
            let longest = Timespec::try_from(DROPPED_END).ok();
            // If this wait is interrupted, a process that has not ended is left alone.
            let _ = poll(
                &mut [PollFd::new(&self.pipes.exit, PollFlags::IN)],
                longest.as_ref(),
            );
            self.child.try_wait().log_error("wait for a bot's process");
        }
        self.clear_up();
    }
}

/// Whether a thread of a process waits for nothing but a processor, or the process has ended.
fn is_runnable(process: u32) -> bool {
    let states = states(process);
    states.is_empty() || states.contains(&'R')
}

/// The letters of the states of its threads.
fn states(process: u32) -> Vec<char> {
    i32::try_from(process).map_or_else(|_| Vec::new(), thread_states)
}

/// Describes processes that survive SIGKILL, with the letters of their states (proc(5)). Their ids
/// are those of the run's own PID namespace and mean nothing outside, so they are not shown.
fn in_words(processes: &[u32]) -> String {
    let states: BTreeSet<char> = processes
        .iter()
        .flat_map(|process| states(*process))
        .collect();
    let states: Vec<String> = states.into_iter().map(String::from).collect();
    format!(
        "{} {} after SIGKILL, state {}",
        processes.len(),
        if processes.len() == 1 {
            "process does not end"
        } else {
            "processes do not end"
        },
        states.join(" ")
    )
}

/// How a process ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExitReport {
    /// The time until it ended; `None` if it had to be killed.
    pub time: Option<Duration>,
    /// Whether it ended by itself with code 0.
    pub is_success: bool,
    /// Describes how it ended: `exited with code 1`.
    pub words: String,
}

impl Process {
    /// Reads on until the process has ended or the time is over, then ends the rest of its family.
    pub async fn part(&mut self, grace: Duration) -> ExitReport {
        let started = Instant::now();
        let until = tokio::time::Instant::from_std(started + grace);
        let read = async { while self.pipes.read_more().await.is_ok() {} };
        let _ = tokio::time::timeout_at(until, read).await;
        // A process that closes its output may still be running.
        let gone = tokio::time::timeout_at(until, self.pipes.exit.readable()).await;
        let time = started.elapsed();
        let is_gone = gone.is_ok();
        let status = self.end().await;
        if !is_gone {
            return ExitReport {
                time: None,
                is_success: false,
                words: "went on running".to_owned(),
            };
        }
        self.hear_last_words();
        let evidence = self.evidence_of_end(status);
        let is_success = process_end(&evidence) == ProcessEnd::Exited(0);
        let end = verdict(&evidence);
        let end = if is_success {
            end
        } else {
            self.with_cause(end)
        };
        ExitReport {
            time: Some(time),
            is_success,
            words: end.reason().to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::Command;

    #[test]
    fn only_a_process_that_waits_for_something_is_blocked() {
        let mut sleeping = Command::new("sleep").arg("100").spawn().unwrap();
        let mut computing = Command::new("sh")
            .args(["-c", "while :; do :; done"])
            .spawn()
            .unwrap();
        // Each is in its state as soon as its program has begun.
        let until = |is_so: &dyn Fn() -> bool| {
            while !is_so() {
                std::thread::yield_now();
            }
        };
        until(&|| !is_runnable(sleeping.id()));
        until(&|| is_runnable(computing.id()));
        for child in [&mut sleeping, &mut computing] {
            child.kill().unwrap();
            child.wait().unwrap();
            assert!(is_runnable(child.id()), "what has ended blocks nothing");
        }
    }
}
