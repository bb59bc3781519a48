//! What is observed of a bot while the referee waits for its answer: excess of its family's limits,
//! and in an examination a standstill. Each ends the wait early.

use super::Process;
use super::family_limits::{FamilyLimits, exceeded};
use super::standstill::StandstillWatch;
use crate::record::Fault;
use std::os::fd::AsFd as _;

/// The observers of one wait.
#[derive(Debug)]
pub struct WaitObservers {
    limits: Option<FamilyLimits>,
    standstill: Option<StandstillWatch>,
}

impl WaitObservers {
    /// Waits for the fault of a family that exceeds its limits or stands still; forever, if there
    /// is nothing to observe. The future may be dropped and called again.
    pub async fn fault(&mut self) -> Fault {
        let exceeded = exceeded(self.limits.as_mut());
        let still = async {
            match &mut self.standstill {
                Some(standstill) => standstill.fault().await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            biased;
            fault = exceeded => fault,
            fault = still => fault,
        }
    }
}

impl Process {
    /// From now on, an exchange ends as soon as the bot is known to stand still.
    pub fn watch_for_standstill(&mut self) {
        self.standstill.is_watched = true;
    }

    /// Whether the last exchange ended because the bot stood still.
    pub const fn stands_still(&self) -> bool {
        self.standstill.is_seen
    }

    /// Begins to observe the wait for the answer to a request.
    pub(super) fn begin_to_observe(&mut self, request: &[u8]) -> WaitObservers {
        self.standstill.is_seen = false;
        let standstill = self.standstill.is_watched.then(|| self.standstill(request));
        WaitObservers {
            limits: self.limits.take(),
            standstill: standstill.flatten(),
        }
    }

    /// Ends the observation.
    pub(super) fn end_to_observe(&mut self, observers: WaitObservers) {
        self.limits = observers.limits;
        let standstill = observers.standstill;
        self.standstill.is_seen = standstill.is_some_and(|standstill| standstill.is_seen);
    }

    fn standstill(&self, request: &[u8]) -> Option<StandstillWatch> {
        let input = self.input.as_ref()?.as_fd();
        StandstillWatch::new((self.number(), self.level), input, request).ok()
    }
}
