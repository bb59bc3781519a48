//! The sandbox of a run: its control groups, its stage, and what is hidden from every bot.

use super::mechanism::Mechanism;
use crate::bot::{
    Abilities, BotSettings, ControlGroups, Level, Sandbox, SandboxSettings, SandboxedBot,
    remove_store,
};
use crate::isolation::supervisor::{Guard, SupervisorKind};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Name of the stage of a test of the mechanism.
const TRIAL: &str = "trial";

/// The sandbox and what has to go with it.
#[derive(Debug)]
pub struct Equipment {
    sandbox: Arc<Sandbox>,
    stage: PathBuf,
    store: PathBuf,
    freeze: bool,
    is_self_test: bool,
}

impl Equipment {
    /// Makes the sandbox; no bot sees the folders in `hidden`.
    ///
    /// # Errors
    /// The host has no place for its files.
    pub fn new(
        mechanism: &Mechanism,
        guard: &Guard,
        freeze: bool,
        hidden: Vec<PathBuf>,
    ) -> io::Result<Self> {
        Self::on_stage("stage", mechanism, guard, freeze, hidden)
    }

    /// The same for a test of the mechanism, after which nothing of it is left.
    ///
    /// # Errors
    /// As above.
    pub fn for_self_test(mechanism: &Mechanism, guard: &Guard) -> io::Result<Self> {
        let mut equipment = Self::on_stage(TRIAL, mechanism, guard, true, Vec::new())?;
        equipment.is_self_test = true;
        Ok(equipment)
    }

    fn on_stage(
        name: &str,
        mechanism: &Mechanism,
        guard: &Guard,
        freeze: bool,
        hidden: Vec<PathBuf>,
    ) -> io::Result<Self> {
        let folder = guard.folder()?;
        let stage = folder.join(name);
        // Submissions are too large for the memory that a namespace has to itself.
        let store = if name == TRIAL {
            stage.join("store")
        } else {
            guard.store_pointer()
        };
        let is_private = *guard.kind() == SupervisorKind::Namespace;
        let sandbox = Sandbox::new(SandboxSettings {
            level: mechanism.level,
            freeze,
            helper: std::env::current_exe()?,
            bubblewrap: mechanism.bubblewrap.clone(),
            groups: Some(ControlGroups::open(guard.run_name())),
            stage: stage.clone(),
            store: store.clone(),
            user: mechanism.user,
            mounts: is_private.then(|| folder.join("mounts")),
            hidden,
        })?;
        Ok(Self {
            sandbox: Arc::new(sandbox),
            stage,
            store,
            freeze,
            is_self_test: false,
        })
    }

    /// What the control groups of the run can do.
    pub fn abilities(&self) -> Abilities {
        let groups = self.sandbox.groups();
        groups.map(ControlGroups::abilities).unwrap_or_default()
    }

    /// Where bots' files are laid out.
    pub fn stage(&self) -> &Path {
        &self.stage
    }

    /// What control groups would give and others only come near to.
    pub fn warnings(&self) -> Vec<String> {
        let able = self.abilities();
        let mut warnings = Vec::new();
        if !able.memory {
            warnings.push(
                "no control group limits memory here: it is looked at ten times a second, and a \
                 bot that is quick can take more for a moment"
                    .to_owned(),
            );
        }
        if self.freeze && !able.freeze && self.sandbox.level() < Level::Box {
            warnings.push(
                "no control group freezes bots here: they are stopped by a signal between turns, \
                 and pondering is possible in a process that has left the bot's group"
                    .to_owned(),
            );
        }
        warnings
    }

    /// Whether the CPU time of a bot and all that it starts is counted exactly.
    pub fn counts_cpu_time(&self) -> bool {
        self.abilities().cpu_time
    }

    /// Lays out every bot's files.
    ///
    /// # Errors
    /// A bot's files cannot be read, or there is no room for them.
    pub fn sandboxed_bots(
        &self,
        bots: &[BotSettings],
    ) -> io::Result<Vec<(BotSettings, SandboxedBot)>> {
        let sandboxed_bot = |bot: &BotSettings| {
            let sandboxed_bot = SandboxedBot::new(&self.sandbox, &bot.launch, bot.limits)?;
            Ok((bot.clone(), sandboxed_bot))
        };
        bots.iter().map(sandboxed_bot).collect()
    }
}

/// When this is dropped, every process of the groups is gone, killed or not.
impl Drop for Equipment {
    fn drop(&mut self) {
        if let Some(groups) = self.sandbox.groups() {
            groups.remove();
        }
        remove_store(&self.store);
        if self.is_self_test {
            let _ = std::fs::remove_dir_all(&self.stage);
        }
    }
}
