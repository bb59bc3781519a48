//! The sandbox isolates a bot from everything that is not its own. One [`Sandbox`] serves a run;
//! each entrant gets a [`SandboxedBot`] in it, which starts its processes.
//!
//! ```text
//! bwrap_args      the command line of bubblewrap                              (pure)
//! system          the host's programs and libraries, and the small `/etc` that every box has
//! machine         what a box shows of the machine: our files over those of `/proc`
//! store           copies of submitted files, each content once
//! layout          where an entrant's files are placed, and the paths by which its bot sees them
//! sandboxed_bot   one entrant: what it sees, how its process is started
//! status_channel  the channel between the referee and a box
//! init            `awale __init`: what a process does before it becomes a bot
//! seccomp         the system calls that the kernel refuses
//! ```

mod bwrap_args;
pub mod init;
mod layout;
mod machine;
mod sandboxed_bot;
mod seccomp;
mod status_channel;
mod store;
mod system;

pub use bwrap_args::PLACES;
pub use machine::ProcMask;
pub use sandboxed_bot::{Freezer, SandboxedBot, Started};
pub use status_channel::{
    LastWords, StartError, StatusChannel, receive_descriptor, send_descriptor,
};
pub use store::remove_store;

use super::control_group::ControlGroups;
use super::crowding::Crowding;
use super::fast_reply_watchdog::FastReplyWatchdog;
use super::launch::ADAPTER;
use crate::procfs::may_have_terminal;
use bwrap_args::{Bind, SystemPath};
use std::fs;
use std::io;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

/// How strongly a bot is isolated from the host, the weakest level first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// Limits and deadlines only: the bot can do everything that its user can.
    None,
    /// Only its own files and the system's programs, no network, no signals to other programs.
    Landlock,
    /// Namespaces of its own: the bot sees no other files and processes.
    Box,
}

impl Level {
    /// All levels, the weakest first.
    pub const ALL: [Self; 3] = [Self::None, Self::Landlock, Self::Box];

    /// The name in configurations and results.
    pub const fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Landlock => "landlock",
            Self::Box => "box",
        }
    }

    /// The level of this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|level| level.name() == name)
    }
}

/// The settings of a sandbox.
#[derive(Debug)]
pub struct SandboxSettings {
    /// How strongly bots are isolated from the host.
    pub level: Level,
    /// Whether a bot that is not on turn is frozen.
    pub freeze: bool,
    /// The program `awale`, which starts bots with [`init::COMMAND`]: its absolute path, or
    /// `OWN_PROGRAM` in `awale` itself.
    pub helper: PathBuf,
    /// Absolute path of `bwrap`; only a box needs it.
    pub bubblewrap: Option<PathBuf>,
    /// Which program covers the files of `/proc` in a box.
    pub proc_mask: ProcMask,
    /// The name of the run's control groups, if it has any where the host allows them.
    pub groups: Option<String>,
    /// A folder of the run that every user can read.
    pub stage: PathBuf,
    /// The file that names the folder for copies of submitted files. That folder is beside the
    /// file's own, with room for all of them; it is created when it is needed.
    pub store: PathBuf,
    /// The first of the user ids that bots get if this program runs as root: one for each entrant,
    /// up to 800.
    pub user: Option<u32>,
    /// A folder below which parts of the host may be mounted, because no other program sees it: for
    /// folders that only root can reach, when bots are not root. These mounts are never removed.
    pub mounts: Option<PathBuf>,
    /// Folders that no bot sees, even inside a folder that it may read.
    pub hidden: Vec<PathBuf>,
}

impl SandboxSettings {
    /// Settings that isolate nothing: bots run with all rights of this program, and are not frozen.
    /// `helper` is the absolute path of `awale`.
    pub fn unisolated(helper: PathBuf) -> Self {
        Self {
            level: Level::None,
            freeze: false,
            helper,
            bubblewrap: None,
            proc_mask: ProcMask::default(),
            groups: None,
            stage: PathBuf::new(),
            store: PathBuf::new(),
            user: None,
            mounts: None,
            hidden: Vec::new(),
        }
    }
}

/// The number of user ids for bots, one for each entrant. The kernel limits processes, pages of
/// pipes and watched files for each user, so one bot cannot use up another's. With more entrants
/// than this, some share a user.
const USERS: u32 = 800;
/// What the last of these ids is above the first.
pub const LAST_USER: u32 = USERS - 1;

/// Bots run as another user than root, and root owns a folder on the way to this one.
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

/// A copy of this program that every user can read, made unless it is there: for every box, and
/// elsewhere for the first house bot. It is beside the stage: the run uses the copy that its
/// self-test has made.
fn house_copy(settings: &SandboxSettings) -> io::Result<PathBuf> {
    let copy = settings.stage.with_file_name("awale");
    if !copy.exists() {
        system::copy_file(&settings.helper, &copy)?;
    }
    Ok(copy)
}

/// A copy of this program for programs behind an adapter, which cannot read it: under this name it is
/// an adapter and nothing else, so that none of them plays with our search.
fn adapter_copy(settings: &SandboxSettings) -> io::Result<PathBuf> {
    let copy = settings.stage.with_file_name(ADAPTER);
    if !copy.exists() {
        system::copy_file(&settings.helper, &copy)?;
        fs::set_permissions(&copy, fs::Permissions::from_mode(0o111))?;
    }
    Ok(copy)
}

/// Makes what is the same in every box, unless it is there; returns what covers `/proc`.
fn files_of_boxes(
    settings: &SandboxSettings,
    system: &[SystemPath],
    etc: &Path,
) -> io::Result<Vec<Bind>> {
    let of_etc = system.iter().map(SystemPath::path);
    let of_etc = of_etc.filter(|path| path.starts_with(system::ETC));
    let of_etc: Vec<PathBuf> = of_etc.map(Path::to_owned).collect();
    let machine = settings.stage.with_file_name("machine");
    house_copy(settings)?;
    system::etc(etc, &of_etc)?;
    let covers = machine::covers(&machine)?;
    Ok(match settings.proc_mask {
        ProcMask::FirstProcess => vec![machine::all_covers(&machine)],
        ProcMask::Bubblewrap => covers,
    })
}

/// The sandbox of a run.
#[derive(Debug)]
pub struct Sandbox {
    store: store::Store,
    settings: SandboxSettings,
    groups: Option<ControlGroups>,
    system: Vec<SystemPath>,
    /// A small `/etc`, the same in every box. It is beside the stage: the run uses what its
    /// self-test has made.
    etc: PathBuf,
    /// What bubblewrap mounts below `/proc` in every box.
    covers: Vec<Bind>,
    /// Serialises spawns: a descriptor that is left open for one process must not leak into
    /// another. What the start of another sandbox's process inherits, its first stage closes.
    spawning: Mutex<()>,
    /// The next number for a mount, a memory file or a process.
    count: AtomicU64,
    /// The number of sandboxed bots so far.
    sandboxed_bots: AtomicU32,
    /// The bots' processes that only the referee limits.
    crowding: Arc<Crowding>,
    moments: FastReplyWatchdog,
    /// Whether each box is a session of its own. Linux may share processors between sessions first,
    /// so a box costs less in the session of the referee (`docs/design/performance.md`).
    own_sessions: bool,
}

impl Sandbox {
    /// Prepares the stage, and then the control groups: the kernel may not be ready for groups
    /// until then ([`ControlGroups::expect_entries`]).
    ///
    /// # Errors
    /// The stage cannot be written.
    pub fn new(settings: SandboxSettings) -> io::Result<Self> {
        let system = system::layout();
        let etc = settings.stage.with_file_name("etc");
        if settings.level > Level::None {
            system::folder_for_all(&settings.stage)?;
        }
        let covers = match settings.level {
            Level::Box => files_of_boxes(&settings, &system, &etc)?,
            Level::None | Level::Landlock => Vec::new(),
        };
        Ok(Self {
            store: store::Store::new(settings.store.clone()),
            groups: settings.groups.as_deref().map(ControlGroups::open),
            settings,
            system,
            etc,
            covers,
            spawning: Mutex::new(()),
            count: AtomicU64::new(0),
            sandboxed_bots: AtomicU32::new(0),
            crowding: Arc::default(),
            moments: FastReplyWatchdog::default(),
            own_sessions: may_have_terminal(),
        })
    }

    /// How strongly bots are isolated from the host.
    pub const fn level(&self) -> Level {
        self.settings.level
    }

    /// The control groups of the run.
    pub const fn groups(&self) -> Option<&ControlGroups> {
        self.groups.as_ref()
    }

    /// The path at which the bots' user can reach a folder of the host.
    fn reach(&self, folder: &Path) -> io::Result<PathBuf> {
        let settings = &self.settings;
        if settings.user.is_none() || settings.level == Level::None || layout::is_open(folder) {
            return Ok(folder.to_owned());
        }
        match &settings.mounts {
            Some(mounts) => layout::mount(folder, mounts, self.number()),
            None => Err(closed(folder)),
        }
    }

    /// The same for a folder that bots know by its own path: Landlock cannot show it elsewhere.
    fn reach_by_name(&self, folder: &Path) -> io::Result<PathBuf> {
        let is_closed = self.settings.user.is_some() && !layout::is_open(folder);
        if self.settings.level == Level::Landlock && is_closed {
            return Err(closed(folder));
        }
        self.reach(folder)
    }

    /// What every box shows of the host, and of our own files. A bot that needs a place below
    /// `/etc` gets the files there one by one, because nothing can be added to a folder that is
    /// read-only.
    fn common(&self, one_by_one: bool) -> (Vec<SystemPath>, Vec<Bind>) {
        let bind = |name: &str| Bind::new(self.etc.join(name), Path::new(system::ETC).join(name));
        if one_by_one {
            let own = system::own_names().map(bind).collect();
            return (self.system.clone(), own);
        }
        let system = self.system.iter();
        let system = system.filter(|part| !part.path().starts_with(system::ETC));
        let etc = Bind::new(self.etc.clone(), system::ETC);
        (system.cloned().collect(), vec![etc])
    }

    /// How this sandbox stops bots that are not on turn.
    fn freezer(&self) -> Freezer {
        let groups = self.groups.as_ref();
        match self.settings.level {
            _ if !self.settings.freeze => Freezer::None,
            _ if groups.is_some_and(|groups| groups.abilities().freeze) => Freezer::Group,
            Level::Box => Freezer::Inner,
            Level::None | Level::Landlock => Freezer::Signal,
        }
    }

    /// This program as an adapter.
    fn adapter(&self) -> io::Result<Bind> {
        let inside = Path::new("/").join(ADAPTER);
        Ok(Bind::new(adapter_copy(&self.settings)?, inside))
    }

    /// This program, shown only to house bots: no other bot may play with its search.
    fn house(&self) -> io::Result<Bind> {
        Ok(Bind::new(house_copy(&self.settings)?, bwrap_args::HOUSE))
    }

    /// The user id for the bots of one more entrant.
    fn next_user(&self) -> Option<u32> {
        let before = self.sandboxed_bots.fetch_add(1, Ordering::Relaxed);
        self.settings.user.map(|first| first + before % USERS)
    }

    /// A number that is unique in the run.
    fn number(&self) -> u64 {
        self.count.fetch_add(1, Ordering::Relaxed)
    }
}
