//! Control groups: the kernel's own account of a bot's whole family of processes, with limits that
//! none of them can evade. They need no rights beyond writing the folders. Where those are missing,
//! fewer abilities exist ([`Abilities`]); that is never an error.
//!
//! ```text
//! hierarchy  where this process is in each hierarchy, and where it may create folders
//! family     the processes in a folder: kill them, wait until they have ended, remove it
//! name       the name of a run on this host, and whether that run is alive
//! group      one bot's group
//! host_limits  what the groups around this program allow and have refused
//! ```
//!
//! A run creates one folder in each useful hierarchy, and inside it one for each bot:
//!
//! ```text
//! version 2 with controllers          version 1 beside a version 2 without any
//!   app.slice                           memory   …/own place/awale-17-…/bot   memory limit
//!     us.scope        (we are here)     pids     …/own place/awale-17-…/bot   process limit
//!     awale-17-…      memory, pids, cpu cpuacct  …/own place/awale-17-…/bot   CPU time
//!       bot           everything        cpu      …/own place/awale-17-…/bot   one share of it
//!                                       unified  …/own place/awale-17-…/bot   freeze, kill
//! ```
//!
//! A bot enters `cpu` of version 1 when it uses much time: [`ControlGroup::share_processor`].
//!
//! With version 2, a group that contains processes cannot give its children controllers. So the
//! run's folder is a sibling of our own group: as near as controllers and rights allow.

mod family;
mod group;
mod hierarchy;
mod host_limits;
mod name;
#[cfg(test)]
mod tests;

pub use group::{ControlGroup, CpuClock};
pub use hierarchy::Abilities;
pub use host_limits::{HostLimits, Throttling};
pub use name::{is_stale_run, run_name, self_test_name};

use family::KILL_TIME;
use hierarchy::{Branch, Hierarchy, OwnPlace, hierarchies};
use host_limits::own_places;
use std::ffi::OsStr;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// The same while a run is waiting to begin.
const STALE_TIME: Duration = Duration::from_millis(200);
/// How long entries are expected: a self-test and the first starts.
const ENTRIES_EXPECTED: Duration = Duration::from_millis(150);
/// The kernel is ready for 10 ms or more after an entry.
const BETWEEN_ENTRIES: Duration = Duration::from_millis(5);

/// The folders of one run, one in each useful hierarchy; created once per run.
#[derive(Debug)]
pub struct ControlGroups {
    branches: Vec<Branch>,
    /// The groups around this program that limit processes.
    around: Arc<[PathBuf]>,
}

impl ControlGroups {
    /// Creates the run's folders. `name` is unique on this host: [`run_name`]. Where no folder can
    /// be created there are no abilities, as [`ControlGroups::abilities`] says.
    pub fn open(name: &str) -> Self {
        let hierarchies = hierarchies();
        let branches = hierarchies.iter().filter_map(|found| found.branch(name));
        let mut around = own_places();
        around.retain(|place| place.join("pids.max").exists());
        Self {
            branches: branches.collect(),
            around: around.into(),
        }
    }

    /// Makes the kernel ready for processes that enter groups, while the caller does something
    /// else. Entering waits for a grace period of the kernel, 10 to 25 ms, unless one has just
    /// passed for somebody who entered another group. Groups are neither made nor removed
    /// meanwhile, so a run begins with what needs none.
    pub fn expect_entries() {
        let keep_ready = || {
            let end = Instant::now() + ENTRIES_EXPECTED;
            let hierarchies = hierarchies();
            let mut places = hierarchies.iter().filter_map(Hierarchy::own_place);
            let Some(place) = places.find(OwnPlace::enter) else {
                return;
            };
            while Instant::now() < end && place.enter() {
                std::thread::park_timeout(BETWEEN_ENTRIES);
            }
        };
        // Without the thread, the first process that enters waits.
        let thread = std::thread::Builder::new().name("entry".to_owned());
        drop(thread.spawn(keep_ready));
    }

    /// What its groups can do.
    pub fn abilities(&self) -> Abilities {
        let any = |able: fn(&Abilities) -> bool| {
            let mut branches = self.branches.iter();
            branches.any(|branch| able(&branch.abilities))
        };
        Abilities {
            memory: any(|able| able.memory),
            processes: any(|able| able.processes),
            freeze: any(|able| able.freeze),
            cpu_time: any(|able| able.cpu_time),
            cpu_share: any(|able| able.cpu_share),
            kill: any(|able| able.kill),
        }
    }

    /// What groups of this name could do here. None remains.
    pub fn abilities_here(name: &str) -> Abilities {
        let groups = Self::open(name);
        let abilities = groups.abilities();
        groups.remove();
        abilities
    }

    /// Creates a group for one bot; `name` is unique in this run.
    ///
    /// # Errors
    /// The name is not valid for a folder or is taken, or the host lacks resources.
    pub fn group(&self, name: &str) -> io::Result<ControlGroup> {
        if name.is_empty() || name.starts_with('.') || name.contains('/') {
            return Err(io::ErrorKind::InvalidInput.into());
        }
        ControlGroup::make(&self.branches, name, &self.around)
    }

    /// Whether the kernel reports each group of the run as frozen.
    pub fn are_frozen(&self) -> bool {
        let mut branches = self.branches.iter();
        let branch = branches.find(|branch| branch.abilities.freeze);
        branch.is_some_and(|branch| family::all_below_are_frozen(&branch.folder))
    }

    /// Kills every process in the run's groups and removes all folders, the run's own too. May be
    /// called again.
    pub fn remove(&self) {
        let end = Instant::now() + KILL_TIME;
        let folders = self.branches.iter().map(|branch| branch.folder.clone());
        family::remove(folders.collect(), end);
    }

    /// The same for the run of this name and its self-test, after it has ended.
    pub fn remove_run(name: &str) {
        let of_self_test = self_test_name(name);
        remove_folders(|found| found == name || found == of_self_test, KILL_TIME);
    }

    /// The same for all runs whose first process is dead, where this process may create folders.
    /// Runs of other PID namespaces are left alone: from here all of them look dead.
    pub fn remove_stale() {
        remove_folders(is_stale_run, STALE_TIME);
    }
}

/// Removes the folders of the selected runs, with all processes in them.
fn remove_folders(is_meant: impl Fn(&str) -> bool, longest: Duration) {
    let mut meant: Vec<PathBuf> = Vec::new();
    for folder in hierarchies().iter().flat_map(|found| &found.places) {
        let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
        let paths = entries.map(|entry| entry.path());
        meant.extend(paths.filter(|path| {
            let name = path.file_name().and_then(OsStr::to_str);
            name.is_some_and(&is_meant) && path.is_dir()
        }));
    }
    family::remove(meant, Instant::now() + longest);
}
