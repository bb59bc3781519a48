//! The sandbox: what keeps a bot from everything that is not its own. One [`Sandbox`] serves a
//! run; each entrant gets a [`SandboxedBot`] in it, from which its processes are started.
//!
//! ```text
//! bwrap_args    what bubblewrap is told                                       (pure)
//! system    the host's programs and libraries, which every bot may read
//! staging     the small files that every box has, and this program for house bots
//! store     copies of what strangers gave, each once
//! sandboxed_bot      one entrant: what it sees, how its process is started
//! level     how far bots are kept from the host
//! layout    where an entrant's files go, and the paths by which its bot knows them
//! machine   what a box sees of the machine: files of our own over those of `/proc`
//! bind_mount     makes what only root can reach reachable for bots
//! started   a process that has just been started
//! status_channel  the channel between the referee and a box
//! init      `awale __init`: what a process does before it becomes a bot
//! seccomp, landlock   what the kernel is asked to refuse
//! ```

mod bind_mount;
mod bwrap_args;
pub mod init;
mod landlock;
mod layout;
mod level;
mod machine;
mod sandboxed_bot;
mod seccomp;
mod staging;
mod started;
mod status_channel;
mod store;
mod system;

pub use level::Level;
pub use sandboxed_bot::SandboxedBot;
pub use started::{Freezer, Started};
pub use status_channel::{LastWords, StartError, StatusChannel};
pub use store::remove_store;

use super::control_group::ControlGroups;
use super::crowding::Crowding;
use bwrap_args::{Bind, SystemPath};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock};

/// What a sandbox is made of.
#[derive(Debug)]
pub struct SandboxSettings {
    /// How far bots are kept from the host.
    pub level: Level,
    /// Whether a bot that is not on turn is frozen.
    pub freeze: bool,
    /// Absolute path of this program, which starts bots with [`init::COMMAND`].
    pub helper: PathBuf,
    /// Absolute path of `bwrap`; only a box needs it.
    pub bubblewrap: Option<PathBuf>,
    /// The control groups of the run, if there are any.
    pub groups: Option<ControlGroups>,
    /// A folder of the run's own, which every user may look into.
    pub stage: PathBuf,
    /// A folder for copies of what strangers gave, with room for all of it. It and the folder
    /// around it are made when they are needed.
    pub store: PathBuf,
    /// The first of the users that bots become, if this program runs as root: one for each entrant,
    /// up to 800.
    pub user: Option<u32>,
    /// A folder below which parts of the host may be mounted, since no other program sees it: for
    /// what only root can reach, when bots are not root. Nothing there is ever removed.
    pub mounts: Option<PathBuf>,
    /// Folders that no bot sees, although they lie below something that it may read.
    pub hidden: Vec<PathBuf>,
}

/// So many users bots may become, one for each entrant: what the kernel counts for a user, as
/// processes, pages of pipes and files that are watched, no bot takes from another. With more
/// entrants than that, some share a user.
const USERS: u32 = 800;

/// Bots are another user than root, which owns the way to a folder.
fn closed(folder: &Path) -> io::Error {
    io::Error::new(
        io::ErrorKind::PermissionDenied,
        format!(
            "only root may look into {}, and bots are another user; open it to all, install it \
             elsewhere, or take level = \"box\"",
            folder.display()
        ),
    )
}

/// The sandbox of a run.
#[derive(Debug)]
pub struct Sandbox {
    store: store::Store,
    settings: SandboxSettings,
    system: Vec<SystemPath>,
    /// The same in every box: a small `/etc`.
    common: Vec<Bind>,
    /// What lies over `/proc` in every box.
    covers: Vec<Bind>,
    /// A copy of this program on the stage, once a house bot has asked for it.
    helper: OnceLock<PathBuf>,
    /// A descriptor that is left open for one process must not slip into another.
    spawning: Mutex<()>,
    /// Cells and processes so far.
    count: AtomicU64,
    /// Cells so far.
    sandboxed_bots: AtomicU32,
    /// The processes of bots that only the referee limits.
    crowding: Arc<Crowding>,
}

impl Sandbox {
    /// Prepares the stage.
    ///
    /// # Errors
    /// The stage cannot be written.
    pub fn new(settings: SandboxSettings) -> io::Result<Self> {
        let (mut common, mut covers) = (Vec::new(), Vec::new());
        if settings.level > Level::None {
            staging::folder_for_all(&settings.stage)?;
        }
        if settings.level == Level::Box {
            let etc = staging::etc(&settings.stage)?.into_iter();
            common.extend(etc.map(|(host, inside)| Bind { host, inside }));
            covers = machine::covers(&settings.stage)?;
        }
        Ok(Self {
            store: store::Store::new(settings.store.clone()),
            settings,
            system: system::layout(),
            common,
            covers,
            helper: OnceLock::new(),
            spawning: Mutex::new(()),
            count: AtomicU64::new(0),
            sandboxed_bots: AtomicU32::new(0),
            crowding: Arc::default(),
        })
    }

    /// How far bots are kept from the host.
    pub const fn level(&self) -> Level {
        self.settings.level
    }

    /// The control groups of the run.
    pub const fn groups(&self) -> Option<&ControlGroups> {
        self.settings.groups.as_ref()
    }

    /// A folder of the host as it can be reached by the user that bots become.
    fn reach(&self, folder: &Path) -> io::Result<PathBuf> {
        let settings = &self.settings;
        if settings.user.is_none() || settings.level == Level::None || bind_mount::is_open(folder) {
            return Ok(folder.to_owned());
        }
        match &settings.mounts {
            Some(mounts) => bind_mount::mount(folder, mounts, self.number()),
            None => Err(closed(folder)),
        }
    }

    /// The same for a folder that bots know by its own name: behind Landlock there is no other
    /// place where it could be shown.
    fn reach_by_name(&self, folder: &Path) -> io::Result<PathBuf> {
        let is_closed = self.settings.user.is_some() && !bind_mount::is_open(folder);
        if self.settings.level == Level::Landlock && is_closed {
            return Err(closed(folder));
        }
        self.reach(folder)
    }

    /// How bots that are not on turn are kept from thinking here.
    fn freezer(&self) -> Freezer {
        let groups = self.settings.groups.as_ref();
        match self.settings.level {
            _ if !self.settings.freeze => Freezer::None,
            _ if groups.is_some_and(|groups| groups.abilities().freeze) => Freezer::Group,
            Level::Box => Freezer::Inner,
            Level::None | Level::Landlock => Freezer::Signal,
        }
    }

    /// This program, for house bots, and only for them: no bot may play with our search.
    fn house(&self) -> io::Result<Bind> {
        let copy = self.settings.stage.join("awale");
        if self.helper.get().is_none() {
            staging::copy_file(&self.settings.helper, &copy)?;
        }
        Ok(Bind {
            host: self.helper.get_or_init(|| copy).clone(),
            inside: bwrap_args::HOUSE.into(),
        })
    }

    /// The user that the bots of one more entrant become.
    fn next_user(&self) -> Option<u32> {
        let before = self.sandboxed_bots.fetch_add(1, Ordering::Relaxed);
        self.settings.user.map(|first| first + before % USERS)
    }

    /// A number that nothing else of the run has.
    fn number(&self) -> u64 {
        self.count.fetch_add(1, Ordering::Relaxed)
    }
}
