//! The sandbox of a run: its control groups, its stage, and what is hidden from every bot.

use super::Isolation;
use crate::bot::{BotSettings, Cell, ControlGroups, Sandbox, SandboxSettings};
use crate::cli::guardian::{Guard, Kind};
use std::io;
use std::path::PathBuf;
use std::sync::Arc;

/// The sandbox and what has to go with it.
#[derive(Debug)]
pub(in crate::cli) struct Equipment {
    sandbox: Arc<Sandbox>,
}

impl Equipment {
    /// Makes the sandbox; no bot sees the folders in `hidden`.
    ///
    /// # Errors
    /// The host has no place for its files.
    pub(in crate::cli) fn new(
        isolation: &Isolation,
        guard: &Guard,
        freeze: bool,
        hidden: Vec<PathBuf>,
    ) -> io::Result<Self> {
        let folder = guard.folder()?;
        let is_private = *guard.kind() == Kind::Namespace;
        let sandbox = Sandbox::new(SandboxSettings {
            level: isolation.level,
            freeze,
            helper: std::env::current_exe()?,
            bubblewrap: isolation.bubblewrap.clone(),
            groups: Some(ControlGroups::open(guard.run_name())),
            stage: folder.join("stage"),
            user: isolation.user,
            mounts: is_private.then(|| folder.join("mounts")),
            hidden,
        })?;
        Ok(Self {
            sandbox: Arc::new(sandbox),
        })
    }

    /// Lays out every bot's files.
    ///
    /// # Errors
    /// A bot's files cannot be read, or there is no room for them.
    pub(in crate::cli) fn cells(
        &self,
        bots: &[BotSettings],
    ) -> io::Result<Vec<(BotSettings, Cell)>> {
        let cell = |bot: &BotSettings| {
            let cell = Cell::new(&self.sandbox, &bot.launch, bot.limits)?;
            Ok((bot.clone(), cell))
        };
        bots.iter().map(cell).collect()
    }
}

/// Killed or not, whoever was in the groups is gone when this is.
impl Drop for Equipment {
    fn drop(&mut self) {
        if let Some(groups) = self.sandbox.groups() {
            groups.remove();
        }
    }
}
