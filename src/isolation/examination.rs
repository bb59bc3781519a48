//! The questions to a running probe, and what the host observes.

use super::canaries::Canaries;
use super::equip::Equipment;
use super::promises::{Promise, PromiseLevel, PromiseRow, ROWS};
use crate::bot::{Conversation, Level, Limits, SandboxedBot};
use crate::isolation::probe::{ProbeAnswer, ProbeQuestion};
use crate::isolation::promises::PromiseVerdict;
use crate::isolation::saying;
use crate::isolation::supervisor::{Guard, SupervisorKind};
use crate::record::FaultKind;
use crate::referee::Stop;
use std::ffi::OsString;
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// The longest wait for one answer; a loaded host is slow, and the probe is not in a hurry.
pub const PATIENCE: Duration = Duration::from_secs(10);
/// A frozen process is silent for this long, in which it would write three times,
const SILENCE: Duration = Duration::from_millis(1);
/// this many times in a row, while the kernel reports its group as frozen. On a busy host, a
/// process that is not frozen can be silent by chance, but its group is not reported as frozen.
const SILENCES: u32 = 2;
/// A process that is not silent by then is not frozen.
const FREEZING: Duration = Duration::from_millis(400);
/// The message where only the referee limits temporary files.
const COUNTED_BY_REFEREE: &str = "the referee adds up its files ten times a second and ends it, so \
                                  there can be more for a moment";
/// How long the files stay there that the referee must see.
const SHOWN_MS: u64 = 5000;
/// The message where no control group freezes bots.
const STOPPED_BY_SIGNALS: &str = "without control groups bots are stopped by signals, which a \
                                  process in a long system call heeds late, and at `none` one \
                                  that leaves its group not at all: its CPU time is its fault, \
                                  and thinking ahead is not prevented";
/// The message where there are control groups.
const NOT_FROZEN: &str = "a process goes on: its CPU time is its fault, and thinking ahead is not \
                          prevented";
/// The message where nothing keeps a bot from others, but its own program does not run either.
const NO_START: &str = "a program that was copied for a bot cannot be started; name a folder from \
                        which programs may be started with TMPDIR=…";
/// This long after its end, nothing of a bot may be left.
const LEAVING: Duration = Duration::from_millis(250);
/// Figures about the whole host that must not be readable in a box.
const FIGURES: [&str; 5] = [
    "/proc/sys/fs/aio-nr",
    "/proc/vmstat",
    "/proc/diskstats",
    "/proc/interrupts",
    "/proc/pressure/cpu",
];
/// The pause before the host looks again.
const PAUSE: Duration = Duration::from_millis(2);

/// A running probe and its environment.
pub struct RunningProbe<'a> {
    pub canaries: &'a Canaries,
    pub guard: &'a Guard,
    pub level: Level,
    pub equipment: &'a Equipment,
    pub sandboxed_bot: &'a SandboxedBot,
    pub limits: Limits,
    pub conversation: Conversation,
}

impl RunningProbe<'_> {
    /// Tests one promise after the other.
    ///
    /// # Errors
    /// The probe could not be started, or did not answer.
    pub async fn every_promise(&mut self) -> Result<Vec<PromiseVerdict>, String> {
        if self.done(&ProbeQuestion::Execute).await?.is_empty() {
            return Err(NO_START.to_owned());
        }
        let mut verdicts = Vec::new();
        for row in &ROWS {
            let verdict = if row.promise == Promise::Space && self.level == Level::Landlock {
                self.space_by_referee().await?
            } else if self.is_tried(row) {
                let failure = self.failure(row.promise).await?;
                failure.map_or(PromiseVerdict::Pass, PromiseVerdict::Fail)
            } else {
                PromiseVerdict::Untried
            };
            verdicts.push(verdict);
        }
        Ok(verdicts)
    }

    /// Whether a level can keep a promise here; otherwise it is not tested.
    fn is_tried(&self, row: &PromiseRow) -> bool {
        let able = self.equipment.abilities();
        let by_groups = match row.promise {
            Promise::Memory => able.memory,
            Promise::Processes => able.processes,
            // A group that can be killed at once suffices.
            Promise::Daemons => able.processes || able.kill,
            _ => row.weight(self.level) != PromiseLevel::Absent,
        };
        row.weight(self.level) == PromiseLevel::Decides
            || row.weight(self.level) == PromiseLevel::Told && by_groups
    }

    async fn ask(&mut self, question: &ProbeQuestion) -> Result<ProbeAnswer, Stop> {
        ask(&mut self.conversation, question).await
    }

    /// The actions that the probe reports as done.
    async fn done(&mut self, question: &ProbeQuestion) -> Result<Vec<String>, String> {
        let answer = self.ask(question).await;
        Ok(answer.map_err(told)?.done)
    }

    /// How the probe broke a promise; `None` if it holds.
    async fn failure(&mut self, promise: Promise) -> Result<Option<String>, String> {
        let canaries = self.canaries;
        let done = match promise {
            Promise::Files => return self.files().await,
            Promise::Secrets => return self.secrets().await,
            Promise::Environments => {
                let processes = (!self.in_namespace()).then(|| vec![referee()]);
                let read = self
                    .done(&ProbeQuestion::Environments { processes })
                    .await?;
                read.iter().map(|_| "another process's".into()).collect()
            }
            Promise::Tcp => {
                let addresses = canaries.tcp_addresses();
                let done = self.done(&ProbeQuestion::Tcp { addresses }).await?;
                also(done, canaries.tcp_heard())
            }
            Promise::Udp => {
                let address = canaries.udp_address().map_err(saying("listen"))?;
                self.done(&ProbeQuestion::Udp { address }).await?;
                // A successful send is no evidence: inside a box it reaches only the box's
                // loopback.
                also(Vec::new(), canaries.udp_heard())
            }
            Promise::Abstract => {
                let name = canaries.mark.clone();
                let done = self.done(&ProbeQuestion::Abstract { name }).await?;
                also(done, canaries.abstract_heard())
            }
            Promise::Vsock => self.done(&ProbeQuestion::Vsock).await?,
            Promise::Trace => {
                let first = self.in_namespace().then_some(1);
                let processes = first.into_iter().chain([referee()]).collect();
                self.done(&ProbeQuestion::Trace { processes }).await?
            }
            Promise::Capabilities => self.done(&ProbeQuestion::Capabilities).await?,
            Promise::Nesting => self.done(&ProbeQuestion::Nest).await?,
            Promise::Neighbours => {
                let seen = self.done(&ProbeQuestion::Neighbours).await?;
                seen.iter()
                    .map(|number| format!("process {number}"))
                    .collect()
            }
            Promise::Signals => {
                // All likely process ids; outside a namespace only our own.
                let likely = self.in_namespace().then_some(2..=64);
                let processes = likely.into_iter().flatten().chain([referee()]).collect();
                self.done(&ProbeQuestion::Signals { processes }).await?
            }
            // It can only answer if its box still exists.
            Promise::FirstProcess => self.done(&ProbeQuestion::SignalFirst).await?,
            Promise::Requests => self.done(&ProbeQuestion::Requests).await?,
            Promise::Figures => {
                let files = FIGURES.map(OsString::from).into();
                let read = self.done(&ProbeQuestion::Read { files }).await?;
                let told = read.iter().filter(|text| !text.is_empty());
                told.map(|text| format!("{:?}", text.lines().next().unwrap_or_default()))
                    .collect()
            }
            Promise::Space => return self.space().await,
            Promise::Freezing => return self.freezing().await,
            Promise::Processes => return self.processes().await,
            // This is checked after the probe has ended.
            Promise::Daemons => Vec::new(),
            Promise::Memory => return Ok(self.memory().await),
        };
        Ok((!done.is_empty()).then(|| done.join(", ")))
    }

    /// Whether the run's PID namespace contains all processes that the probe can find.
    fn in_namespace(&self) -> bool {
        *self.guard.kind() == SupervisorKind::Namespace
    }

    async fn files(&mut self) -> Result<Option<String>, String> {
        let fixed = [".", "/", "/usr", "/etc", "/run", "/dev", "/var/tmp"].map(PathBuf::from);
        // The question is text.
        let home = std::env::var("HOME").ok().map(PathBuf::from);
        let ours = [
            self.canaries.folder.join("open"),
            self.equipment.stage.clone(),
        ];
        let folders: Vec<PathBuf> = fixed.into_iter().chain(home).chain(ours).collect();
        // In a box these two files are its own, and small.
        let own: &[&str] = match self.level {
            Level::Box => &["/tmp", "/dev/shm"],
            Level::None | Level::Landlock => &[],
        };
        let question = ProbeQuestion::Write {
            folders: folders.iter().map(OsString::from).collect(),
            own: own.iter().map(OsString::from).collect(),
        };
        let mut done = self.done(&question).await?;
        done.extend(self.canaries.made_in(&folders));
        done.sort();
        done.dedup();
        Ok((!done.is_empty()).then(|| format!("it wrote to {}", done.join(", "))))
    }

    async fn secrets(&mut self) -> Result<Option<String>, String> {
        let secret = self.canaries.folder.join("secret");
        let through = |process: i32| {
            let mut path = OsString::from(format!("/proc/{process}/root"));
            path.push(&secret);
            path
        };
        let first = self.in_namespace().then(|| through(1));
        let files = [secret.clone().into(), through(referee())];
        let files = files.into_iter().chain(first).collect();
        let read = self.done(&ProbeQuestion::Read { files }).await?;
        let betrayed = read.iter().any(|text| text.contains(&self.canaries.secret));
        Ok(betrayed.then(|| "it read a file that was planted".to_owned()))
    }

    async fn space(&mut self) -> Result<Option<String>, String> {
        let answer = self.ask(&ProbeQuestion::Fill { shown_ms: 0 }).await;
        Ok(self.too_much_of(&answer.map_err(told)?))
    }

    fn too_much_of(&self, answer: &ProbeAnswer) -> Option<String> {
        let allowed = self.limits.temporary_bytes >> 20;
        let done = answer.done.join(", ");
        (answer.count > allowed).then(|| format!("{done} of {allowed} allowed"))
    }

    /// The same where only the referee counts the files. The referee ends a probe with too
    /// many, so this is another one.
    async fn space_by_referee(&self) -> Result<PromiseVerdict, String> {
        let mut other = Conversation::start(self.sandboxed_bot).map_err(told)?;
        let question = ProbeQuestion::Fill { shown_ms: SHOWN_MS };
        let answer = ask(&mut other, &question).await;
        other.end().await;
        match answer {
            Err(Stop::Fault(fault)) if fault.kind == FaultKind::TemporaryLimit => {
                Ok(PromiseVerdict::PassBy(COUNTED_BY_REFEREE))
            }
            Err(stop) => Err(told(stop)),
            Ok(answer) => {
                let failure = self.too_much_of(&answer);
                Ok(failure.map_or(PromiseVerdict::Pass, PromiseVerdict::Fail))
            }
        }
    }

    /// Whether a process stands still that has its own group and tries to be woken: otherwise it
    /// writes all the time.
    async fn freezing(&mut self) -> Result<Option<String>, String> {
        if self.done(&ProbeQuestion::Daemon).await?.is_empty() {
            return Err("the probe could start no process".to_owned());
        }
        // With signals, the order of a stop and a wake-up depends on their timing.
        if !self.equipment.abilities().freeze {
            return Ok(Some(STOPPED_BY_SIGNALS.to_owned()));
        }
        let end = Instant::now() + FREEZING;
        let mut silences = 0;
        while Instant::now() < end {
            drop(self.conversation.take_log());
            // Exactly: the runtime counts whole milliseconds, and one more. Nothing else runs here.
            std::thread::sleep(SILENCE);
            let is_silent = self.conversation.take_log().is_empty();
            let is_frozen = is_silent && self.equipment.bots_are_frozen();
            silences = if is_frozen { silences + 1 } else { 0 };
            if silences == SILENCES {
                return Ok(None);
            }
        }
        Ok(Some(NOT_FROZEN.to_owned()))
    }

    async fn processes(&mut self) -> Result<Option<String>, String> {
        let started = self.ask(&ProbeQuestion::Fork).await.map_err(told)?.count;
        let most = started.max(self.canaries.marked(false));
        let allowed = self.limits.processes;
        Ok((most > u64::from(allowed)).then(|| format!("{most} of {allowed} allowed")))
    }

    async fn memory(&mut self) -> Option<String> {
        match self.ask(&ProbeQuestion::Memory).await {
            Err(Stop::Fault(fault)) if fault.kind == FaultKind::MemoryLimit => None,
            Ok(answer) => {
                let allowed = self.limits.memory_bytes >> 20;
                Some(format!("{} MiB of {allowed} allowed", answer.count))
            }
            Err(other) => Some(told(other)),
        }
    }

    /// Ends the probe and checks what is left of it.
    pub async fn close(
        mut self,
        verdicts: Result<Vec<PromiseVerdict>, String>,
    ) -> Result<Vec<PromiseVerdict>, String> {
        if verdicts.is_err() {
            // Waits for the rest of the log.
            tokio::time::sleep(PAUSE).await;
        }
        let log = self.conversation.take_log();
        self.conversation.end().await;
        // If the sandbox could not be created, the log contains the reason.
        let mut verdicts = verdicts.map_err(|reason| with_log(&reason, &log))?;
        let end = Instant::now() + LEAVING;
        let mut left = self.canaries.marked(true);
        while left > 0 && Instant::now() < end {
            tokio::time::sleep(PAUSE).await;
            left = self.canaries.marked(true);
        }
        let place = ROWS.iter().position(|row| row.promise == Promise::Daemons);
        let verdict = &mut verdicts[place.expect("a row for daemons")];
        if *verdict == PromiseVerdict::Pass && left > 0 {
            *verdict = PromiseVerdict::Fail(format!("{left} processes outlived it"));
        }
        Ok(verdicts)
    }
}

/// The answer of a probe.
async fn ask(
    conversation: &mut Conversation,
    question: &ProbeQuestion,
) -> Result<ProbeAnswer, Stop> {
    let mut line = serde_json::to_string(question).expect("a question is JSON");
    line.push('\n');
    let (answer, _) = conversation.ask(line.as_bytes(), PATIENCE).await?;
    serde_json::from_slice(&answer).map_err(|error| {
        let said = String::from_utf8_lossy(&answer).into_owned();
        Stop::Void(format!("the probe said {said:?}: {error}"))
    })
}

/// A reason with the last line of the log, in which bubblewrap reports its errors.
fn with_log(reason: &str, log: &[u8]) -> String {
    let log = String::from_utf8_lossy(log);
    match log.lines().rfind(|line| !line.trim_matches('.').is_empty()) {
        Some(line) => format!("{reason}: {}", line.trim_start_matches('.')),
        None => reason.to_owned(),
    }
}

/// Adds the host's observation to the report of the probe.
fn also(mut done: Vec<String>, was_heard: bool) -> Vec<String> {
    done.extend(was_heard.then(|| "the host noticed".to_owned()));
    done
}

/// Our own process id.
fn referee() -> i32 {
    rustix::process::getpid().as_raw_nonzero().get()
}

/// Describes a stop.
pub fn told(stop: Stop) -> String {
    match stop {
        Stop::Fault(fault) => format!("the probe failed: {}", fault.detail),
        Stop::Void(reason) | Stop::Unstarted(reason) => reason,
    }
}
