//! The sandbox of a run: its control groups, its stage, and what is hidden from every bot.

use super::Isolation;
use crate::bot::{BotSettings, Cell, ControlGroups, Sandbox, SandboxSettings, run_name};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tempfile::TempDir;

/// Where a stage lives and dies with the run: a file system in memory that the guardian mounts for
/// it alone.
const IN_MEMORY: &str = "/dev/shm";

/// The sandbox and what has to go with it.
#[derive(Debug)]
pub(in crate::cli) struct Equipment {
    sandbox: Arc<Sandbox>,
    _stage: TempDir,
}

impl Equipment {
    /// Makes the sandbox; no bot sees the folders in `hidden`.
    ///
    /// # Errors
    /// The host has no place for its files.
    pub(in crate::cli) fn new(
        isolation: &Isolation,
        freeze: bool,
        hidden: Vec<PathBuf>,
    ) -> io::Result<Self> {
        let stage = stage()?;
        let sandbox = Sandbox::new(SandboxSettings {
            level: isolation.level,
            freeze,
            helper: std::env::current_exe()?,
            bubblewrap: isolation.bubblewrap.clone(),
            groups: Some(ControlGroups::open(&run_name())),
            stage: stage.path().to_owned(),
            user: isolation.user,
            mounts: None,
            hidden,
        })?;
        Ok(Self {
            sandbox: Arc::new(sandbox),
            _stage: stage,
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

fn stage() -> io::Result<TempDir> {
    let named = |folder: &Path| tempfile::Builder::new().prefix("awale-").tempdir_in(folder);
    named(Path::new(IN_MEMORY)).or_else(|_| named(&std::env::temp_dir()))
}
