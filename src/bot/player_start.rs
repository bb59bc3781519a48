//! Starts of a player's processes, when a game needs them.

use super::launch::Restart;
use super::player::BotPlayer;
use super::process::Process;
use crate::protocol::Request;
use crate::record::{AT_THE_FIRST_MESSAGE, Fault, FaultKind};
use crate::referee::Stop;

impl BotPlayer {
    /// Starts a process.
    ///
    /// # Errors
    /// The host cannot start it, in words. Faults of the bot are not looked at.
    pub async fn try_start(&mut self) -> Result<(), String> {
        match self.start().await {
            Err(Stop::Unstarted(cause)) => Err(cause),
            _ => Ok(()),
        }
    }

    /// Whether it has a process.
    pub const fn has_process(&self) -> bool {
        self.process.is_some()
    }

    /// Starts the process, if there is none, and greets it.
    pub(super) async fn start(&mut self) -> Result<(), Stop> {
        if self.settings.restart == Restart::EachGame {
            self.dismiss();
            // They must not compute during a turn.
            self.leaving.await_end().await;
        }
        if let Some(fault) = self.sandboxed_bot.take_slow_end() {
            return Err(Stop::Fault(fault));
        }
        if self.process.is_some() {
            return Ok(());
        }
        let mut process = Process::start(&self.sandboxed_bot)?;
        process.moment.is_revoked = self.fast_path_revoked;
        process.sleep_watch.is_on = self.is_examined;
        self.process = Some(process);
        let budget = self.settings.start_up;
        let ready = self.get_ready(&Request::hello(), budget).await;
        let (_, ready) = ready.map_err(start_failure)?;
        self.introduction = ready.introduction();
        Ok(())
    }
}

/// Every failure before a process's first `ready` is a start failure.
fn start_failure(stop: Stop) -> Stop {
    match stop {
        Stop::Fault(fault) => {
            let detail = format!("{AT_THE_FIRST_MESSAGE}{}", fault.detail);
            Stop::Fault(Fault {
                kind: FaultKind::StartFailure,
                detail,
                ..fault
            })
        }
        not_its_own @ (Stop::Void(_) | Stop::Unstarted(_)) => not_its_own,
    }
}
