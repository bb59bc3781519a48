//! What a box shows of the machine. Most of `/proc`, apart from the processes, describes the whole
//! host: what other programs do, how much memory they share, how many requests they have open. Two
//! boxes could exchange messages through any such number. Files of the run cover all of it except a
//! few that never change on a host. Files that a newer kernel adds are covered too, without being
//! known by name.

use crate::bot::sandbox::bwrap_args::Bind;
use crate::bot::sandbox::system::{folder_for_all, make_once};
use crate::bot::submission::make_parent;
use std::fmt::Write as _;
use std::fs::{self, Permissions};
use std::io;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

/// Files that describe the box itself, or never change on this host.
const HONEST: [&str; 6] = [
    "self",
    "thread-self",
    "mounts",
    "net",
    "version",
    "filesystems",
];
/// This file is covered for each entrant separately: see [`memory`].
const MEMORY: &str = "meminfo";
/// Settings, not counters, that runtimes read. Boxes see the values of the host when the first
/// box of the run was made.
const SETTINGS: [&str; 18] = [
    "fs/file-max",
    "fs/nr_open",
    "fs/pipe-max-size",
    "kernel/cap_last_cap",
    "kernel/ngroups_max",
    "kernel/osrelease",
    "kernel/ostype",
    "kernel/pid_max",
    "kernel/randomize_va_space",
    "kernel/seccomp/actions_avail",
    "kernel/threads-max",
    "kernel/version",
    "net/core/somaxconn",
    "vm/max_map_count",
    "vm/mmap_min_addr",
    "vm/nr_hugepages",
    "vm/overcommit_memory",
    "vm/overcommit_ratio",
];
/// Longer files are cut: a host with many processors has long ones.
const MOST_BYTES: usize = 4 << 20;

/// All covers as one folder, for process 1 of a box.
pub fn all_covers(folder: &Path) -> Bind {
    Bind::new(folder.to_owned(), COVERS)
}

/// Makes a folder with the files that cover `/proc` in every box, unless it is there. Each file has
/// the name of what it covers; returns which covers which.
///
/// # Errors
/// The folder cannot be made.
pub fn covers(folder: &Path) -> io::Result<Vec<Bind>> {
    make_once(folder, write_covers)?;
    let bind =
        |entry: fs::DirEntry| Bind::new(entry.path(), Path::new(PROC).join(entry.file_name()));
    let entries = fs::read_dir(folder)?;
    entries.map(|entry| entry.map(bind)).collect()
}

fn write_covers(folder: &Path) -> io::Result<()> {
    folder_for_all(folder)?;
    for entry in fs::read_dir(PROC)? {
        let entry = entry?;
        let Some(name) = entry.file_name().to_str().map(str::to_owned) else {
            continue;
        };
        let is_process = name.bytes().all(|byte| byte.is_ascii_digit());
        let is_covered = !HONEST.contains(&name.as_str()) && name != MEMORY;
        if is_process || !is_covered {
            continue;
        }
        // A process may end, and a kernel module may be removed, after the listing.
        let metadata = match entry.metadata() {
            Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
            metadata => metadata?,
        };
        // Other users cannot read this file anyway. A link shows nothing itself, and where it leads
        // is covered if it is in `/proc`, and not there in a box otherwise.
        if metadata.permissions().mode() & 0o004 == 0 || metadata.is_symlink() {
            continue;
        }
        let host = folder.join(&name);
        if name == SYS {
            settings(&host)?;
        } else if metadata.is_dir() {
            folder_for_all(&host)?;
        } else {
            write(&host, &text(&name))?;
        }
    }
    Ok(())
}

/// Writes the memory file of a box: it shows the entrant's own limit, in bytes, all of it free.
///
/// # Errors
/// The stage cannot be written.
pub fn memory(stage: &Path, limit_bytes: u64) -> io::Result<Bind> {
    folder_for_all(stage)?;
    Ok(Bind::new(
        write(&stage.join(MEMORY), &memory_text(limit_bytes >> 10))?,
        Path::new(PROC).join(MEMORY),
    ))
}

fn memory_text(kib: u64) -> String {
    let mut text = String::new();
    let own = ["MemTotal", "MemFree", "MemAvailable"].map(|name| (name, kib));
    let zero = [
        "Buffers",
        "Cached",
        "SwapCached",
        "SwapTotal",
        "SwapFree",
        "Shmem",
    ];
    for (name, kib) in own.into_iter().chain(zero.map(|name| (name, 0))) {
        let _ = writeln!(text, "{:<16}{kib:>8} kB", format!("{name}:"));
    }
    text.push_str(
        "HugePages_Total:       0\nHugePages_Free:        0\nHugepagesize:       2048 kB\n",
    );
    text
}

/// The text that replaces a file of `/proc`; most are empty.
fn text(name: &str) -> String {
    match name {
        "stat" => processors(&read(name)),
        "cgroups" => controllers(&read(name)),
        // A copy from the start of the run: the frequencies of processors change with their load.
        "cpuinfo" => read(name),
        "loadavg" => "0.00 0.00 0.00 1/1 1\n".to_owned(),
        "uptime" => "1.00 1.00\n".to_owned(),
        "swaps" => "Filename\t\t\t\tType\t\tSize\t\tUsed\t\tPriority\n".to_owned(),
        _ => String::new(),
    }
}

/// The processors of `/proc/stat`, which runtimes count, each with zero time used.
fn processors(stat: &str) -> String {
    const ZEROS: &str = "0 0 0 0 0 0 0 0 0 0";
    let names = stat.lines().filter_map(|line| line.split(' ').next());
    let mut text = String::new();
    for name in names.filter(|name| name.starts_with("cpu")) {
        let _ = writeln!(text, "{name} {ZEROS}");
    }
    text.push_str("intr 0\nctxt 0\nbtime 0\nprocesses 1\nprocs_running 1\nprocs_blocked 0\n");
    text
}

/// The controllers of `/proc/cgroups`, each with one group: the real number is the host's.
fn controllers(table: &str) -> String {
    let line = |line: &str| {
        let words: Vec<&str> = line.split_whitespace().collect();
        match words[..] {
            [name, hierarchy, _, enabled] if !name.starts_with('#') => {
                format!("{name}\t{hierarchy}\t1\t{enabled}\n")
            }
            _ => format!("{line}\n"),
        }
    };
    table.lines().map(line).collect()
}

/// A small `/proc/sys`.
fn settings(folder: &Path) -> io::Result<()> {
    for name in SETTINGS {
        let text = read(&format!("sys/{name}"));
        if !text.is_empty() {
            let place = folder.join(name);
            make_parent(&place)?;
            write(&place, &text)?;
        }
    }
    write(&folder.join("kernel/hostname"), "box\n")?;
    Ok(())
}

fn read(name: &str) -> String {
    let mut text = fs::read_to_string(Path::new(PROC).join(name)).unwrap_or_default();
    if let Some(end) = text
        .char_indices()
        .map(|(at, _)| at)
        .find(|&at| at >= MOST_BYTES)
    {
        text.truncate(end);
    }
    text
}

fn write(place: &Path, text: &str) -> io::Result<PathBuf> {
    fs::write(place, text)?;
    fs::set_permissions(place, Permissions::from_mode(0o444))?;
    Ok(place.to_owned())
}

/// The host's own path, and the path at which a box sees its own.
pub const PROC: &str = "/proc";
/// The settings of the kernel, below that path.
pub const SYS: &str = "sys";
/// Where process 1 of a box finds all covers, before it covers this place too.
pub const COVERS: &str = "/proc/sys";

/// The program that mounts the covers. The box is the same with both.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ProcMask {
    /// Process 1 of the box, before it starts the bot. It needs the right to mount in its own user
    /// namespace, which it gives up before the bot exists.
    #[default]
    FirstProcess,
    /// bubblewrap. It reads the whole table of mounts again for each mount, so forty more of them
    /// take as long as the rest of a start. Hosts that let bubblewrap pass on no rights need it,
    /// such as Ubuntu with its profile for `AppArmor`.
    Bubblewrap,
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::Command;
    use std::sync::atomic::{AtomicBool, Ordering};

    #[test]
    fn processes_that_end_meanwhile_are_no_trouble() {
        let is_over = AtomicBool::new(false);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                while !is_over.load(Ordering::Relaxed) {
                    let mut program = Command::new("true").spawn().unwrap();
                    program.wait().unwrap();
                }
            });
            let stage = tempfile::tempdir().unwrap();
            let outcomes: Vec<_> = (0..100)
                .map(|number: u32| covers(&stage.path().join(number.to_string())))
                .collect();
            is_over.store(true, Ordering::Relaxed);
            for outcome in outcomes {
                outcome.unwrap();
            }
        });
    }

    #[test]
    fn everything_of_the_host_is_covered() {
        let place = tempfile::tempdir().unwrap();
        let folder = place.path().join("machine");
        let covers = covers(&folder).unwrap();
        let covered = |name: &str| {
            covers
                .iter()
                .any(|it| it.inside == Path::new(PROC).join(name))
        };
        for name in [
            "sys",
            "stat",
            "loadavg",
            "vmstat",
            "interrupts",
            "cmdline",
            "uptime",
        ] {
            assert!(covered(name), "{name}");
        }
        for name in ["self", "net", "version", "meminfo", "1"] {
            assert!(!covered(name), "{name}");
        }
        for bind in &covers {
            let (host, inside) = (fs::metadata(&bind.host), fs::metadata(&bind.inside));
            assert_eq!(host.unwrap().is_dir(), inside.unwrap().is_dir(), "{bind:?}");
            // Process 1 of a box finds them by their names.
            assert_eq!(bind.host.file_name(), bind.inside.file_name());
            assert!(bind.host.starts_with(all_covers(&folder).host));
        }
        // The run uses what its self-test has made.
        let again = super::covers(&folder).unwrap();
        assert_eq!(again.len(), covers.len());
    }

    #[test]
    fn numbers_of_others_are_left_out() {
        let stat = "cpu  5 6 7\ncpu0 5 6 7\ncpu1 0 0 0\nintr 9 9\nprocesses 77\n";
        let text = processors(stat);
        assert_eq!(
            text.lines().filter(|line| line.starts_with("cpu")).count(),
            3
        );
        assert!(!text.contains('5') && !text.contains('9'), "{text}");
        let table = "#subsys_name\thierarchy\tnum_cgroups\tenabled\nmemory\t4\t117\t1\n";
        let expected = "#subsys_name\thierarchy\tnum_cgroups\tenabled\nmemory\t4\t1\t1\n";
        assert_eq!(controllers(table), expected);
    }

    #[test]
    fn memory_is_the_limit() {
        let text = memory_text(524_288);
        assert!(text.starts_with("MemTotal:         524288 kB\n"), "{text}");
        assert!(text.contains("Shmem:                 0 kB\n"), "{text}");
    }
}
