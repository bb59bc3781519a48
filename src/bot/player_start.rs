//! Starts of a player's processes. A box can be set up on a core that no slot has, while the other
//! player of the pair prepares: its process 1 then waits, and starts the bot when this player's own
//! preparation begins. The box of a player's first process may be there before the player.

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
            let process = self
                .early_process()
                .or_else(|| Process::set_up(&self.sandboxed_bot, core).ok());
            self.next = process.map(Box::new);
        }
    }

    /// The process of a box that was set up before there was this player, unless that has ended.
    fn early_process(&mut self) -> Option<Process> {
        let started = self.early.take()?.into_started()?;
        Process::set_up_before(&self.sandboxed_bot, started).ok()
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
        let next = self.next.take().map(|process| *process);
        let mut process = match next.or_else(|| self.early_process()) {
            Some(mut process) => {
                process.begin();
                process
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
