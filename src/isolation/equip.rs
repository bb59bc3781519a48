//! A level with its means on this host, and the sandbox that a run or a self-test makes from it: its
//! control groups, its stage, and the folders hidden from every bot.

use crate::bot::{
    Abilities, BotSettings, ControlGroups, LAST_USER, Level, OWN_PROGRAM, ProcMask, Sandbox,
    SandboxSettings, SandboxedBot, SubmissionError, remove_store, self_test_name,
};
use crate::files::{self, unless_missing};
use crate::isolation::supervisor::{Guard, SupervisorKind};
use crate::log::LogError as _;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The sandbox and its resources.
#[derive(Debug)]
pub struct Equipment {
    sandbox: Arc<Sandbox>,
    /// The folder for bots' files.
    pub stage: PathBuf,
    store: PathBuf,
    freeze: bool,
}

impl Equipment {
    /// Creates the sandbox; no bot sees the folders in `hidden`.
    ///
    /// # Errors
    /// The host has no room for its files.
    pub fn new(
        mechanism: &Mechanism,
        guard: &Guard,
        freeze: bool,
        hidden: Vec<PathBuf>,
    ) -> io::Result<Self> {
        let settings = SandboxSettings {
            freeze,
            hidden,
            ..settings(mechanism, guard, "stage")?
        };
        Self::make(settings, guard)
    }

    /// The same for a self-test, after which nothing of it remains. The run's own boxes may be set
    /// up meanwhile: the self-test must not look at them, nor end them, nor have a part of its
    /// user's processes.
    ///
    /// # Errors
    /// Those of [`Equipment::new`].
    pub fn for_self_test(mechanism: &Mechanism, guard: &Guard) -> io::Result<Self> {
        let settings = settings(mechanism, guard, "trial")?;
        let settings = SandboxSettings {
            store: settings.stage.join("store"),
            groups: Some(self_test_name(guard.run_name())),
            user: mechanism.user.map(|first| first + LAST_USER),
            ..settings
        };
        Self::make(settings, guard)
    }

    fn make(settings: SandboxSettings, guard: &Guard) -> io::Result<Self> {
        let _one_at_a_time = guard.make_files();
        Ok(Self {
            stage: settings.stage.clone(),
            store: settings.store.clone(),
            freeze: settings.freeze,
            sandbox: Arc::new(Sandbox::new(settings)?),
        })
    }

    /// The abilities of the run's control groups.
    pub fn abilities(&self) -> Abilities {
        let groups = self.sandbox.groups();
        groups.map(ControlGroups::abilities).unwrap_or_default()
    }

    /// Whether the kernel reports every bot as frozen.
    pub fn bots_are_frozen(&self) -> bool {
        let groups = self.sandbox.groups();
        groups.is_some_and(ControlGroups::are_frozen)
    }

    /// The limits that can only be approximated here, because control groups are missing.
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

    /// Places a bot's files.
    ///
    /// # Errors
    /// The bot's files cannot be read or have changed, or there is no room for them.
    pub fn sandboxed_bot(&self, bot: &BotSettings) -> Result<SandboxedBot, SubmissionError> {
        SandboxedBot::new(&self.sandbox, &bot.launch, bot.limits)
    }
}

/// The settings of a run's sandbox that freezes bots and hides no folder, on a stage of this name.
fn settings(mechanism: &Mechanism, guard: &Guard, stage: &str) -> io::Result<SandboxSettings> {
    let folder = guard.folder()?;
    let is_private = *guard.kind() == SupervisorKind::Namespace;
    Ok(SandboxSettings {
        level: mechanism.level,
        freeze: true,
        helper: OWN_PROGRAM.into(),
        bubblewrap: mechanism.bubblewrap.clone(),
        proc_mask: mechanism.proc_mask,
        groups: Some(guard.run_name().to_owned()),
        stage: folder.join(stage),
        // Submissions are too large for the memory of a namespace.
        store: guard.store_pointer(),
        user: mechanism.user,
        mounts: is_private.then(|| folder.join("mounts")),
        hidden: Vec::new(),
    })
}

/// Dropping this ends every process in the groups.
impl Drop for Equipment {
    fn drop(&mut self) {
        if let Some(groups) = self.sandbox.groups() {
            groups.remove();
        }
        remove_store(&self.store);
        // Its files are read-only, and a later sandbox of this run has files of these names.
        let removed = unless_missing(std::fs::remove_dir_all(&self.stage));
        removed.log_error("remove the files of a sandbox");
    }
}

/// A level with its means on this host.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mechanism {
    /// The level of isolation.
    pub level: Level,
    /// Absolute path of `bwrap`, if it exists.
    pub bubblewrap: Option<PathBuf>,
    /// Which program covers the files of `/proc` in a box.
    pub proc_mask: ProcMask,
    /// The user id of bots.
    pub user: Option<u32>,
}

/// The first `bwrap` in `PATH`.
pub fn bubblewrap() -> Option<PathBuf> {
    in_path("bwrap")
}

/// The first program of this name in `PATH`.
pub fn in_path(name: &str) -> Option<PathBuf> {
    let folders = std::env::var_os("PATH")?;
    files::programs(std::env::split_paths(&folders), Path::new(name)).next()
}
