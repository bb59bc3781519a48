//! A player between two games, while other players have its cores.

use super::launch::Restart;
use super::player::BotPlayer;
use super::process::Process;

impl BotPlayer {
    /// Whether its process may play more than one game.
    pub const fn lives_on(&self) -> bool {
        matches!(self.settings.restart, Restart::Never)
    }

    /// Lets the process stand still while other bots play. False if there is none that may wait.
    pub fn park(&mut self) -> bool {
        self.lives_on() && self.process.as_mut().is_some_and(Process::park)
    }

    /// Bytes of memory that the process and its family hold.
    pub fn held_bytes(&self) -> u64 {
        self.process.as_ref().map_or(0, Process::held_bytes)
    }
}
