//! Starts of a player's processes. A box can be set up on a core that no slot has, while the other
//! player of the pair prepares: its process 1 then waits, and starts the bot when this player's own
//! preparation begins.

use super::launch::Restart;
use super::player::BotPlayer;
use super::process::Process;
use crate::protocol::Request;
use crate::record::{AT_THE_FIRST_MESSAGE, Fault, FaultKind};
use crate::referee::Stop;

impl BotPlayer {
    /// Sets up the box of the next process, if there is a core for it. The bot itself is not
    /// started.
    pub(super) fn set_up_next(&mut self) {
        let Some(core) = self.spare_core else {
            return;
        };
        let is_needed = self.process.is_none() || self.settings.restart == Restart::EachGame;
        if is_needed && self.next.is_none() {
            // What the host refuses now is an event of the game only if it refuses it then too.
            let process = Process::set_up(&self.sandboxed_bot, core);
            self.next = process.ok().map(Box::new);
        }
    }

    /// Starts the process, if there is none, and greets it.
    pub(super) async fn start(&mut self) -> Result<(), Stop> {
        if self.settings.restart == Restart::EachGame {
            self.dismiss();
            // They must not compute during a turn.
            self.leaving.await_end().await;
        }
        if self.process.is_some() {
            return Ok(());
        }
        let mut process = match self.next.take() {
            Some(mut process) => {
                process.begin();
                *process
            }
            None => Process::start(&self.sandboxed_bot)?,
        };
        process.moment.is_lost = self.lost_moment;
        if self.is_examined {
            process.watch_for_standstill();
        }
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
        not_its_own @ (Stop::Void(_) | Stop::Exhausted(_)) => not_its_own,
    }
}
