//! Where this process is in each hierarchy of control groups, and where it may create folders.

use crate::bot::control_group::family;
use crate::procfs::{own_control_groups, own_mounts};
use rustix::fs::{Access, AtFlags, CWD, accessat};
use rustix::thread::gettid;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::time::Instant;

/// The two versions of Linux's control groups.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Version {
    /// A hierarchy for each controller.
    One,
    /// One hierarchy for all controllers that are in no hierarchy of version 1.
    Two,
}

/// A tree of control groups that is mounted here.
#[derive(Debug, PartialEq, Eq)]
pub struct Hierarchy {
    version: Version,
    /// The controllers of a hierarchy of version 1.
    controllers: Vec<String>,
    /// The folder of this process, then its parents up to the mount.
    pub places: Vec<PathBuf>,
}

/// The group that this process is in.
#[derive(Debug)]
pub struct OwnPlace {
    entrance: PathBuf,
    /// The groups of this process in all hierarchies, as the kernel lists them.
    groups: String,
}

impl OwnPlace {
    /// Lets the calling thread enter the group that it is in, which changes nothing. False if the
    /// process is in another one by now, or the thread may not enter.
    ///
    /// Only the thread: if somebody moves the process meanwhile, the process stays there. It gives
    /// its number, since for `0` the kernel takes a shorter way, which is not the one of processes.
    pub fn enter(&self) -> bool {
        let thread = gettid().as_raw_nonzero().to_string();
        own_control_groups() == self.groups && write_control(&self.entrance, &thread).is_ok()
    }
}

/// A run's folder in one hierarchy.
#[derive(Clone, Debug)]
pub struct Branch {
    pub version: Version,
    pub folder: PathBuf,
    pub abilities: Abilities,
}

impl Branch {
    /// Whether it can only share the processor, so that a bot need not enter it at its start.
    pub fn only_shares(&self) -> bool {
        let only_share = Abilities {
            cpu_share: true,
            ..Abilities::default()
        };
        self.version == Version::One && self.abilities == only_share
    }
}

/// The files that show how long a quota kept this process and its group from all processors: those
/// of its own group and of all groups above it.
pub fn throttling_files() -> Vec<File> {
    let places = hierarchies().into_iter().flat_map(|found| found.places);
    let files = places.filter_map(|place| File::open(place.join("cpu.stat")).ok());
    files.collect()
}

/// All useful hierarchies; empty without `/proc`.
pub fn hierarchies() -> Vec<Hierarchy> {
    parse(&own_mounts(), &own_control_groups())
}

/// Parses the texts of `/proc/self/mountinfo` and `/proc/self/cgroup`, both in proc(5).
fn parse(mounts: &str, own: &str) -> Vec<Hierarchy> {
    let own: Vec<(Vec<&str>, &str)> = own
        .lines()
        .filter_map(|line| {
            let mut parts = line.splitn(3, ':').skip(1);
            let controllers = parts.next()?.split(',').filter(|name| !name.is_empty());
            Some((controllers.collect(), parts.next()?))
        })
        .collect();
    let mut found: Vec<Hierarchy> = Vec::new();
    for line in mounts.lines() {
        let Some(hierarchy) = mounted(line, &own) else {
            continue;
        };
        // A hierarchy can be mounted twice, as in some containers; the first mount is used.
        let is_new = found.iter().all(|other| {
            (other.version, &other.controllers) != (hierarchy.version, &hierarchy.controllers)
        });
        if is_new {
            found.push(hierarchy);
        }
    }
    found
}

/// The hierarchy of one line of mounts, if it is useful here.
fn mounted(line: &str, own: &[(Vec<&str>, &str)]) -> Option<Hierarchy> {
    let (place, kind) = line.split_once(" - ")?;
    let mut place = place.split(' ').skip(3);
    let (root, mount) = (place.next()?, Path::new(place.next()?));
    let mut kind = kind.split(' ');
    let version = match kind.next()? {
        "cgroup" => Version::One,
        "cgroup2" => Version::Two,
        _ => return None,
    };
    let options: Vec<&str> = kind.nth(1)?.split(',').collect();
    let (controllers, path) = own.iter().find(|(controllers, _)| match version {
        Version::One => {
            !controllers.is_empty() && controllers.iter().all(|name| options.contains(name))
        }
        Version::Two => controllers.is_empty(),
    })?;
    let helps = |name: &&str| ["memory", "pids", "cpuacct", "cpu"].contains(name);
    if version == Version::One && !controllers.iter().any(helps) {
        return None;
    }
    // The mount may show only a part of the tree, and this process may be outside of that part.
    let below = Path::new(path).strip_prefix(root).unwrap_or(Path::new(""));
    let is_inside = below.components().all(|part| part.as_os_str() != "..");
    // Joining the parts removes a slash at the end.
    let own_place: PathBuf = if is_inside {
        mount.join(below).components().collect()
    } else {
        mount.to_path_buf()
    };
    let above = own_place.ancestors();
    Some(Hierarchy {
        version,
        controllers: controllers.iter().map(ToString::to_string).collect(),
        places: above
            .take_while(|place| place.starts_with(mount))
            .map(Path::to_path_buf)
            .collect(),
    })
}

impl Hierarchy {
    /// Creates a run's folder at the nearest place that allows it; with version 2, at the nearest
    /// of the places where most can be limited.
    pub fn branch(&self, name: &str) -> Option<Branch> {
        let mut best: Option<Branch> = None;
        for place in &self.places {
            let made = match self.version {
                Version::One => self.branch_of_one(&place.join(name)),
                Version::Two => branch_of_two(place, &place.join(name)),
            };
            let Some(made) = made else { continue };
            let limits = |branch: &Branch| {
                u8::from(branch.abilities.memory) + u8::from(branch.abilities.processes)
            };
            let (better, worse) = match best {
                Some(best) if limits(&best) >= limits(&made) => (best, Some(made)),
                other => (made, other),
            };
            if let Some(worse) = worse {
                family::remove(vec![worse.folder], Instant::now());
            }
            let enough = self.version == Version::One || limits(&better) == 2;
            best = Some(better);
            if enough {
                break;
            }
        }
        best
    }

    /// The group that this process is in, if its folder is known.
    pub fn own_place(&self) -> Option<OwnPlace> {
        let place = self.places.first()?;
        let is_in_it = family::numbers(place).contains(&std::process::id());
        let entrance = match self.version {
            Version::One => "tasks",
            Version::Two => "cgroup.threads",
        };
        is_in_it.then(|| OwnPlace {
            entrance: place.join(entrance),
            groups: own_control_groups(),
        })
    }

    fn branch_of_one(&self, folder: &Path) -> Option<Branch> {
        fs::create_dir(folder).ok()?;
        let has = |name: &str| self.controllers.iter().any(|own| own == name);
        Some(Branch {
            version: Version::One,
            folder: folder.to_path_buf(),
            abilities: Abilities {
                memory: has("memory"),
                processes: has("pids"),
                cpu_time: has("cpuacct"),
                cpu_share: has("cpu"),
                ..Abilities::default()
            },
        })
    }
}

fn branch_of_two(place: &Path, folder: &Path) -> Option<Branch> {
    // To move a process, one needs the right to write this file of the nearest group above both
    // ends of the move, which is `place`.
    let entrance = place.join("cgroup.procs");
    accessat(CWD, entrance, Access::WRITE_OK, AtFlags::EACCESS).ok()?;
    fs::create_dir(folder).ok()?;
    // No process can enter a group below a threaded group.
    if !fs::read_to_string(folder.join("cgroup.type")).is_ok_and(|kind| kind.trim() == "domain") {
        family::remove(vec![folder.to_path_buf()], Instant::now());
        return None;
    }
    let given = |controller: &str| offers(place, controller) && offers(folder, controller);
    let has = |file: &str| folder.join(file).exists();
    Some(Branch {
        version: Version::Two,
        folder: folder.to_path_buf(),
        abilities: Abilities {
            memory: given("memory"),
            processes: given("pids"),
            freeze: has("cgroup.freeze"),
            cpu_time: has("cpu.stat"),
            cpu_share: given("cpu"),
            kill: has("cgroup.kill"),
        },
    })
}

/// Whether the groups below a group of version 2 have a controller; enables it if needed.
fn offers(folder: &Path, controller: &str) -> bool {
    let lists = |file: &str| {
        let text = fs::read_to_string(folder.join(file)).unwrap_or_default();
        text.split_whitespace().any(|name| name == controller)
    };
    lists("cgroup.subtree_control")
        || lists("cgroup.controllers")
            && write_control(
                &folder.join("cgroup.subtree_control"),
                &format!("+{controller}"),
            )
            .is_ok()
}

/// What control groups can do here.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "six abilities, each there or not, all independent"
)]
pub struct Abilities {
    /// Limit memory.
    pub memory: bool,
    /// Limit the number of processes and threads.
    pub processes: bool,
    /// Stop a whole family and continue it.
    pub freeze: bool,
    /// Count the CPU time of a whole family.
    pub cpu_time: bool,
    /// Give a whole family one share of the processor, with any number of processes and sessions.
    pub cpu_share: bool,
    /// Kill a whole family at once, even while it forks.
    pub kill: bool,
}

/// Writes a control file in one write, as the kernel requires.
pub fn write_control(path: &Path, text: &str) -> io::Result<()> {
    let mut file = OpenOptions::new().write(true).open(path)?;
    file.write_all(text.as_bytes())
}

/// The number after a name in a file with one name and number on each line.
pub fn read_count(path: &Path, name: &str) -> Option<u64> {
    count_in(&fs::read_to_string(path).ok()?, name)
}

/// The same in the text of such a file.
pub fn count_in(text: &str, name: &str) -> Option<u64> {
    let mut lines = text.lines();
    lines.find_map(|line| line.strip_prefix(name)?.strip_prefix(' ')?.parse().ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(mounts: &str, own: &str) -> Vec<(Version, String, Vec<String>)> {
        let shown = |hierarchy: Hierarchy| {
            let places = hierarchy.places.iter();
            let places = places.map(|place| place.display().to_string()).collect();
            (hierarchy.version, hierarchy.controllers.join("+"), places)
        };
        parse(mounts, own).into_iter().map(shown).collect()
    }

    #[test]
    fn a_controller_of_version_2_is_enabled_where_it_is_there() {
        let folder = tempfile::tempdir().unwrap();
        let list = folder.path().join("cgroup.subtree_control");
        assert!(!offers(folder.path(), "memory"));
        fs::write(folder.path().join("cgroup.controllers"), "cpu memory\n").unwrap();
        assert!(!offers(folder.path(), "memory"), "it cannot be enabled");
        for (controller, expected) in [("memory", true), ("pids", false), ("mem", false)] {
            fs::write(&list, "").unwrap();
            assert_eq!(offers(folder.path(), controller), expected, "{controller}");
            let written = if expected { "+memory" } else { "" };
            assert_eq!(fs::read_to_string(&list).unwrap(), written);
        }
        fs::write(&list, "pids\n").unwrap();
        assert!(offers(folder.path(), "pids"));
        assert_eq!(fs::read_to_string(&list).unwrap(), "pids\n");
    }

    #[test]
    fn a_session_of_systemd() {
        let mounts = "26 23 0:5 / /dev rw shared:2 - devtmpfs udev rw,size=1k\n\
         30 23 0:26 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw,nsdelegate\n";
        let own = "0::/user.slice/user@1000.service/app.slice/term.scope\n";
        let places = [
            "/sys/fs/cgroup/user.slice/user@1000.service/app.slice/term.scope",
            "/sys/fs/cgroup/user.slice/user@1000.service/app.slice",
            "/sys/fs/cgroup/user.slice/user@1000.service",
            "/sys/fs/cgroup/user.slice",
            "/sys/fs/cgroup",
        ];
        let places = places.map(str::to_owned).to_vec();
        assert_eq!(found(mounts, own), [(Version::Two, String::new(), places)]);
    }

    #[test]
    fn version_1_beside_version_2_in_a_container() {
        // Two mounts of one hierarchy, one of which shows only our own part; controllers that are
        // mounted together; a hierarchy that is not useful here.
        let mounts = "40 31 0:32 /pod/us /cg/memory rw - cgroup cgroup rw,memory\n\
         41 31 0:32 / /elsewhere rw - cgroup cgroup rw,memory\n\
         42 31 0:33 / /cg/cpu,cpuacct rw - cgroup cgroup rw,cpu,cpuacct\n\
         43 31 0:34 / /cg/freezer rw - cgroup cgroup rw,freezer\n\
         44 31 0:35 /other /cg/unified rw - cgroup2 cgroup2 rw\n";
        let own =
            "9:name=systemd:/\n4:memory:/pod/us/here\n3:cpu,cpuacct:/\n2:freezer:/\n0::/../x\n";
        let strings = |places: &[&str]| places.iter().map(ToString::to_string).collect();
        let expected: [(Version, String, Vec<String>); 3] = [
            (
                Version::One,
                "memory".to_owned(),
                strings(&["/cg/memory/here", "/cg/memory"]),
            ),
            (
                Version::One,
                "cpu+cpuacct".to_owned(),
                strings(&["/cg/cpu,cpuacct"]),
            ),
            (Version::Two, String::new(), strings(&["/cg/unified"])),
        ];
        assert_eq!(found(mounts, own), expected);
    }

    #[test]
    fn lines_that_are_none() {
        for mounts in ["", "1 2 3", "1 2 0:3 / /m rw - cgroup2", "a - b"] {
            assert_eq!(found(mounts, "0::/\n"), []);
        }
        let mounts = "44 31 0:35 / /cg rw - cgroup2 cgroup2 rw\n";
        assert_eq!(found(mounts, ""), []);
        assert_eq!(found(mounts, "0\n"), []);
    }
}
