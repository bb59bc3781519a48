//! What is observed of a bot while the referee waits for its answer: excess of its family's limits,
//! and in an examination whether it sleeps. Each ends the wait early.

use super::Process;
use super::family_limits::{FamilyLimits, exceeded};
use crate::procfs::FamilyState;
use crate::record::{Fault, FaultKind, SLEEPS};
use std::future::pending;
use std::time::{Duration, Instant};

/// An examined bot that sleeps for this long, and uses no CPU time, is not waited for any longer.
const LONGEST_SLEEP: Duration = Duration::from_millis(500);
/// The time between two readings of its state.
const PAUSE: Duration = Duration::from_millis(100);

/// Whether an examination ends its waits for a bot that sleeps, and whether the last one ended so.
/// Games do not.
#[derive(Clone, Copy, Debug, Default)]
pub struct SleepWatch {
    pub is_on: bool,
    pub has_ended_wait: bool,
}

/// The observers of one wait.
#[derive(Debug)]
pub struct WaitObservers {
    limits: Option<FamilyLimits>,
    /// The process that the referee started, if the bot is examined, and the type of its request.
    examined: Option<(i32, String)>,
    is_asleep: bool,
}

impl WaitObservers {
    /// Waits for the fault of a family that exceeds its limits or sleeps; forever, if there is
    /// nothing to observe. The future may be dropped and called again.
    pub async fn fault(&mut self) -> Fault {
        let asleep = async {
            let Some((started, request)) = &self.examined else {
                return pending().await;
            };
            until_asleep(*started).await;
            self.is_asleep = true;
            let detail = format!(
                "{SLEEPS} `{request}`, and has used no CPU time for {} ms: is its output flushed, \
                 with a newline at its end?",
                LONGEST_SLEEP.as_millis()
            );
            Fault::new(FaultKind::Timeout, detail)
        };
        tokio::select! {
            biased;
            fault = exceeded(self.limits.as_mut()) => fault,
            fault = asleep => fault,
        }
    }
}

/// Waits until a family has slept for long enough.
async fn until_asleep(started: i32) {
    let (mut since, mut before) = (Instant::now(), FamilyState::Unknown);
    loop {
        tokio::time::sleep(PAUSE).await;
        let now = FamilyState::of(started);
        if !now.has_slept_since(&before) {
            (since, before) = (Instant::now(), now);
        } else if since.elapsed() >= LONGEST_SLEEP {
            return;
        }
    }
}

/// The type of a request, for messages.
fn kind_of(request: &[u8]) -> String {
    let value: Option<serde_json::Value> = serde_json::from_slice(request).ok();
    let kind = value.as_ref().and_then(|value| value.get("type")?.as_str());
    kind.unwrap_or("the request").to_owned()
}

impl Process {
    /// Begins to observe the wait for the answer to a request.
    pub(super) fn begin_to_observe(&mut self, request: &[u8]) -> WaitObservers {
        let is_examined = self.sleep_watch.is_on;
        WaitObservers {
            limits: self.limits.take(),
            examined: is_examined.then(|| (self.number(), kind_of(request))),
            is_asleep: false,
        }
    }

    /// Ends the observation.
    pub(super) fn end_to_observe(&mut self, observers: WaitObservers) {
        self.limits = observers.limits;
        self.sleep_watch.has_ended_wait = observers.is_asleep;
    }
}
