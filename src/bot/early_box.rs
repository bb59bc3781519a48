//! The box of a bot that is set up before there is a player for it. Its process 1 waits: nothing of
//! the bot runs before the player's first preparation begins.

use super::process;
use super::sandbox::{SandboxedBot, Started};
use std::io;

/// A box that was set up. Dropping it ends it.
#[derive(Debug)]
pub struct EarlyBox(Option<Started>);

impl EarlyBox {
    /// Sets up the box of an entrant on this core, for a bot that starts on those cores.
    ///
    /// # Errors
    /// The host has no process, descriptor or control group left.
    pub fn set_up(bot: &SandboxedBot, core: usize, begin_on: &[usize]) -> io::Result<Self> {
        let started = bot.set_up_for(core, begin_on.to_vec())?;
        Ok(Self(Some(started)))
    }

    /// What was started, which must be ended by the caller from now on; `None` if it has ended.
    pub(super) fn into_started(mut self) -> Option<Started> {
        let is_there = |started: &mut Started| matches!(started.child.try_wait(), Ok(None));
        self.0.take_if(is_there)
    }
}

impl Drop for EarlyBox {
    fn drop(&mut self) {
        if let Some(started) = &mut self.0 {
            process::end_unused(started);
        }
    }
}
