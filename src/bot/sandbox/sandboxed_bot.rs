//! One entrant in the sandbox: where its files are, what it sees, and how its processes start.

use crate::bot::control_group::ControlGroup;
use crate::bot::crowding::Crowding;
use crate::bot::fast_reply_watchdog::FastReplyTimer;
use crate::bot::launch::Launch;
use crate::bot::limits::{LAST_PAGE, Limits};
use crate::bot::sandbox::bwrap_args::{Bind, BoxRecipe};
use crate::bot::sandbox::init::{
    self, InitSpec, InnerSpec, LandlockAccess, OuterSpec, ResourceLimits,
};
use crate::bot::sandbox::layout::{SandboxLayout, is_passable};
use crate::bot::sandbox::status_channel::StatusChannel;
use crate::bot::sandbox::{Level, ProcMask, Sandbox, machine, system};
use crate::bot::submission::SubmissionError;
use crate::record::Fault;
use rustix::io::{FdFlags, fcntl_setfd};
use std::ffi::OsString;
use std::io;
use std::os::fd::{AsRawFd as _, RawFd};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use tracing::debug;

/// An entrant in a sandbox.
#[derive(Clone, Debug)]
pub struct SandboxedBot {
    sandbox: Arc<Sandbox>,
    /// The user that its processes become, if this program runs as root.
    user: Option<u32>,
    /// The bot's command, with the paths that the bot sees.
    command: Vec<OsString>,
    /// Its working directory, as it sees it.
    pub(in crate::bot) directory: PathBuf,
    environment: Vec<(OsString, OsString)>,
    pub(in crate::bot) limits: Limits,
    binds: Vec<Bind>,
    /// The memory file of `/proc` in its box: it shows the entrant's own limit.
    memory: Option<Bind>,
    /// How the last process that was slow to end did so, until its next game is lost for it.
    pub(in crate::bot) slow_end: Arc<Mutex<Option<Fault>>>,
    /// The program and its folder on the host, for messages.
    pub(in crate::bot) place: String,
    /// The program on the host.
    pub(in crate::bot) program: PathBuf,
}

impl SandboxedBot {
    /// Places an entrant's files.
    ///
    /// # Errors
    /// The entrant's files cannot be read or have changed, or the stage cannot be written.
    pub fn new(
        sandbox: &Arc<Sandbox>,
        launch: &Launch,
        limits: Limits,
    ) -> Result<Self, SubmissionError> {
        let limits = limits.on_this_host();
        let mut layout = SandboxLayout::new(sandbox, launch, limits.submission_bytes);
        if sandbox.level() > Level::None {
            layout.place_own()?;
            layout.place_files()?;
            layout.place_toolchains()?;
            layout.place_house()?;
        }
        let mut command = vec![layout.program()];
        command.extend(launch.arguments.iter().map(|word| layout.argument(word)));
        Ok(Self {
            sandbox: Arc::clone(sandbox),
            user: sandbox.next_user(),
            command,
            directory: layout.inside(&launch.directory),
            environment: layout.environment(),
            limits,
            memory: match sandbox.level() {
                Level::Box => Some(machine::memory(
                    &sandbox.settings.stage.join(sandbox.number().to_string()),
                    limits.memory_bytes,
                )?),
                Level::None | Level::Landlock => None,
            },
            binds: layout.binds,
            slow_end: Arc::default(),
            program: launch.program.clone(),
            place: format!(
                "{} in {}",
                launch.known_program().display(),
                launch.directory.display()
            ),
        })
    }

    /// Starts a process of the bot.
    ///
    /// # Errors
    /// The host has no process, descriptor or control group left.
    pub(in crate::bot) fn start(&self) -> io::Result<Started> {
        let sandbox = &self.sandbox;
        let number = sandbox.number();
        let group = match &sandbox.groups {
            Some(groups) => {
                let group = groups.group(&format!("bot-{number}"))?;
                group.limit(self.limits.memory_bytes, self.limits.processes)?;
                Some(group)
            }
            None => None,
        };
        let temporary = self.temporary_folder(number)?;
        let (status_channel, theirs) = StatusChannel::pair()?;
        let mut command = self.helper_command(
            self.words(group.as_ref(), temporary.as_deref(), theirs.as_raw_fd()),
            temporary.as_deref(),
        );
        let one_at_a_time = sandbox.spawning.lock();
        let one_at_a_time = one_at_a_time.unwrap_or_else(PoisonError::into_inner);
        fcntl_setfd(&theirs, FdFlags::empty())?;
        let child = command.spawn()?;
        drop(theirs);
        drop(one_at_a_time);
        debug!("started {} as process {}", self.place, child.id());
        Ok(Started {
            child,
            status_channel,
            group,
            temporary,
            level: sandbox.level(),
            freezer: sandbox.freezer(),
        })
    }

    /// Whether the host limits the memory of its bot.
    pub(in crate::bot) fn limits_memory(&self) -> bool {
        let groups = self.sandbox.groups();
        groups.is_some_and(|groups| groups.abilities().memory)
    }

    /// Whether the host limits the processes of its bot: in a box its user has a limit.
    pub(in crate::bot) fn limits_processes(&self) -> bool {
        let groups = self.sandbox.groups();
        let is_counted = groups.is_some_and(|groups| groups.abilities().processes);
        is_counted || self.sandbox.level() == Level::Box
    }

    /// How processes of the bot were slow to end, once.
    pub fn take_slow_end(&self) -> Option<Fault> {
        let mut slow_end = self.slow_end.lock().unwrap_or_else(PoisonError::into_inner);
        slow_end.take()
    }

    /// The bots' processes of the whole run that only the referee limits.
    pub(in crate::bot) fn crowding(&self) -> &Arc<Crowding> {
        &self.sandbox.crowding
    }

    fn helper_command(&self, words: Vec<OsString>, temporary: Option<&Path>) -> Command {
        let mut command = Command::new(&self.sandbox.settings.helper);
        command
            .arg(init::COMMAND)
            .args(words)
            .env_clear()
            .envs(
                self.environment
                    .iter()
                    .map(|(name, value)| (init::passed_on(name), value)),
            )
            .process_group(0)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        if let Some(folder) = temporary {
            for name in ["TMPDIR", "HOME"] {
                command.env(init::passed_on(name.as_ref()), folder);
            }
        }
        command
    }

    /// The specification of a start, and the command.
    fn words(
        &self,
        group: Option<&ControlGroup>,
        temporary: Option<&Path>,
        status: RawFd,
    ) -> Vec<OsString> {
        let enter = group.map(ControlGroup::entrances).unwrap_or_default();
        let mut spec = OuterSpec {
            enter: enter.into_iter().map(Into::into).collect(),
            status,
            ..OuterSpec::default()
        };
        let mut command = self.command.clone();
        match self.sandbox.level() {
            Level::None => spec.limits = self.limits_of_every_level(),
            Level::Landlock => {
                let writable = system::DEVICES.iter().map(OsString::from);
                spec.user = self.user;
                spec.limits = ResourceLimits {
                    file_bytes: Some(self.limits.temporary_bytes),
                    ..self.limits_of_every_level()
                };
                spec.landlock = Some(LandlockAccess {
                    read: self.readable(),
                    write: writable.chain(temporary.map(Into::into)).collect(),
                });
            }
            Level::Box => {
                let mut words = self.bwrap_command();
                spec.user = self.user;
                spec.boxed = Some((self.first_process(), words.len()));
                words.append(&mut command);
                command = words;
            }
        }
        if spec.boxed.is_none() {
            spec.directory = Some(self.directory.clone().into());
        }
        InitSpec::Outer(spec).words(command)
    }

    /// Limits that any process can set for itself, at every level.
    fn limits_of_every_level(&self) -> ResourceLimits {
        ResourceLimits {
            files: Some(self.limits.files.into()),
            stack_bytes: Some(self.limits.stack_bytes),
            ..ResourceLimits::default()
        }
    }

    /// Process 1 of its box.
    fn first_process(&self) -> InnerSpec {
        InnerSpec {
            covers: self.sandbox.settings.proc_mask == ProcMask::FirstProcess,
            counted: self.limits_memory(),
            limits: ResourceLimits {
                processes: Some(u64::from(self.limits.processes) + 1),
                file_bytes: Some(self.limits.temporary_bytes + LAST_PAGE),
                ..self.limits_of_every_level()
            },
            ..InnerSpec::default()
        }
    }

    /// The timer of the calling thread for the first moment of an exchange.
    ///
    /// # Errors
    /// The host has no descriptor or thread left.
    pub fn fast_reply_timer(&self) -> io::Result<Arc<FastReplyTimer>> {
        self.sandbox.moments.of_this_thread()
    }

    fn bwrap_command(&self) -> Vec<OsString> {
        let settings = &self.sandbox.settings;
        let covers_itself = settings.proc_mask == ProcMask::FirstProcess;
        let rights = init::RIGHTS.map(|(name, _)| name);
        let is_in_etc = |bind: &Bind| bind.inside.starts_with(system::ETC);
        let (system, common) = self.sandbox.common(self.binds.iter().any(is_in_etc));
        let binds: Vec<Bind> = common.into_iter().chain(self.binds.clone()).collect();
        let covers: Vec<Bind> = self
            .sandbox
            .covers
            .iter()
            .chain(&self.memory)
            .cloned()
            .collect();
        BoxRecipe {
            bubblewrap: settings.bubblewrap.as_deref().unwrap_or(Path::new("bwrap")),
            own_session: self.sandbox.own_sessions,
            system: &system,
            binds: &binds,
            covers: &covers,
            counted: self.limits_memory(),
            rights: if covers_itself { &rights } else { &[] },
            hidden: &settings.hidden,
            closed: &self.closed(),
            temporary_bytes: self.limits.temporary_bytes,
            directory: &self.directory,
        }
        .words()
    }

    /// The folders around hidden ones that its user cannot pass through.
    fn closed(&self) -> Vec<PathBuf> {
        let hidden = self.sandbox.settings.hidden.iter();
        let around = hidden.flat_map(|folder| folder.ancestors().skip(1));
        let closed = around.filter(|folder| self.user.is_some() && !is_passable(folder));
        closed.map(Path::to_owned).collect()
    }

    /// The paths that a bot may read behind Landlock.
    fn readable(&self) -> Vec<OsString> {
        let system = self.sandbox.system.iter();
        let system = system.map(|part| part.path().into());
        let own = self.binds.iter().map(|bind| bind.host.clone().into());
        let rest = system::OF_PROC.iter().map(OsString::from);
        system.chain(own).chain(rest).collect()
    }

    /// A folder on the stage for each process behind Landlock, which has no `/tmp` of its own.
    fn temporary_folder(&self, number: u64) -> io::Result<Option<PathBuf>> {
        if self.sandbox.level() != Level::Landlock {
            return Ok(None);
        }
        let folder = self.sandbox.settings.stage.join(format!("tmp-{number}"));
        std::fs::create_dir(&folder)?;
        if let Some(user) = self.user {
            std::os::unix::fs::chown(&folder, Some(user), Some(user))?;
        }
        Ok(Some(folder))
    }
}

/// A process that was just started.
#[derive(Debug)]
pub struct Started {
    pub child: Child,
    pub status_channel: StatusChannel,
    pub group: Option<ControlGroup>,
    /// A folder for temporary files. The caller removes it after the process has ended.
    pub temporary: Option<PathBuf>,
    pub level: Level,
    pub freezer: Freezer,
}

/// How a bot that is not on turn is kept from computing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Freezer {
    /// Nothing stops it.
    None,
    /// The kernel freezes its control group.
    Group,
    /// Process 1 of its box stops all others.
    Inner,
    /// A signal stops its process group; processes that left that group are not stopped.
    Signal,
}
