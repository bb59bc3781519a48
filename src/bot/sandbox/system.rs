//! The parts of the host's own programs that every bot may read.

use crate::bot::sandbox::bwrap_args::SystemPath;
use std::fs;
use std::path::{Path, PathBuf};

/// The folder of settings. A box has one of its own.
pub const ETC: &str = "/etc";
/// Folders of the system's programs and libraries.
const FOLDERS: [&str; 10] = [
    "/usr",
    "/bin",
    "/sbin",
    "/lib",
    "/lib32",
    "/lib64",
    "/libx32",
    "/nix/store",
    "/gnu/store",
    "/run/current-system",
];
/// Files of `/etc` that programs need: the paths of libraries, the chosen alternatives, and the
/// settings of OpenSSL (Node starts if that file is missing, but not if it is unreadable).
const OF_ETC: [&str; 5] = [
    "/etc/ld.so.cache",
    "/etc/ld.so.conf",
    "/etc/ld.so.conf.d",
    "/etc/alternatives",
    "/etc/ssl/openssl.cnf",
];
/// Names in `/etc` with this prefix hold the settings of a language, such as Java.
const OF_LANGUAGES: &str = "java";

/// Devices without state of the host, and without memory that stays when no process maps it any
/// more, as that of `/dev/zero` does.
pub const DEVICES: [&str; 4] = ["/dev/null", "/dev/full", "/dev/random", "/dev/urandom"];

/// Files of `/proc` that a bot behind Landlock may read: of its first process, and of the machine.
/// Those that show tables of pages are not among them: one call can read such a file for seconds,
/// and no signal ends that call.
pub const OF_PROC: [&str; 16] = [
    "/proc/self/auxv",
    "/proc/self/cgroup",
    "/proc/self/cmdline",
    "/proc/self/comm",
    "/proc/self/fd",
    "/proc/self/limits",
    "/proc/self/maps",
    "/proc/self/mountinfo",
    "/proc/self/stat",
    "/proc/self/statm",
    "/proc/self/status",
    "/proc/cpuinfo",
    "/proc/meminfo",
    "/proc/stat",
    "/proc/sys/vm",
    "/sys/devices/system/cpu",
];

/// Which folders of the system this host has.
pub fn layout() -> Vec<SystemPath> {
    let languages = fs::read_dir("/etc").into_iter().flatten().flatten();
    let mut languages: Vec<PathBuf> = languages
        .filter(|entry| {
            entry
                .file_name()
                .to_string_lossy()
                .starts_with(OF_LANGUAGES)
        })
        .map(|entry| entry.path())
        .collect();
    languages.sort();
    let fixed = FOLDERS.iter().chain(&OF_ETC).map(PathBuf::from);
    fixed.chain(languages).filter_map(system_path).collect()
}

fn system_path(path: PathBuf) -> Option<SystemPath> {
    let kind = fs::symlink_metadata(&path).ok()?.file_type();
    if kind.is_symlink() {
        let target = fs::read_link(&path).ok()?;
        return Some(SystemPath::Link(path, target));
    }
    (kind.is_dir() || kind.is_file()).then_some(SystemPath::Real(path))
}

/// Whether a path lies in the parts that every bot sees.
pub fn covers(layout: &[SystemPath], path: &Path) -> bool {
    layout.iter().any(|system| match system {
        SystemPath::Real(folder) | SystemPath::Link(folder, _) => path.starts_with(folder),
    })
}
