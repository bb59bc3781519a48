//! What every box has of the system: the host's programs and libraries, a small `/etc`, and this
//! program for house bots. The files are beside the stage, a folder of the run with files of bots.

use crate::bot::sandbox::bwrap_args::SystemPath;
use crate::files::unless_missing;
use std::fs::{self, FileType, Permissions};
use std::io;
use std::os::unix::fs::{PermissionsExt as _, symlink};
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

/// The users and hosts of a box.
const OWN_ETC: [(&str, &str); 4] = [
    (
        "passwd",
        "root:x:0:0:root:/:/bin/false\nbot:x:1000:1000:bot:/tmp:/bin/sh\n",
    ),
    ("group", "root:x:0:\nbot:x:1000:\n"),
    ("hosts", "127.0.0.1 localhost\n::1 localhost\n"),
    (
        "nsswitch.conf",
        "passwd: files\ngroup: files\nhosts: files\n",
    ),
];

/// The names of our own files in `/etc`.
pub fn own_names() -> impl Iterator<Item = &'static str> {
    OWN_ETC.iter().map(|(name, _)| *name)
}

/// Makes a small `/etc` unless it is there: copies of these paths of the host's, and our own files.
/// A box gets it as one folder, because bubblewrap takes long for each.
pub fn etc(folder: &Path, host: &[PathBuf]) -> io::Result<()> {
    make_once(folder, |part| write_etc(part, host))
}

/// Makes a folder unless it is there: whole, or not at all.
pub fn make_once(folder: &Path, write: impl FnOnce(&Path) -> io::Result<()>) -> io::Result<()> {
    if folder.exists() {
        return Ok(());
    }
    let part = folder.with_extension("part");
    // An attempt that failed may have left read-only files.
    unless_missing(fs::remove_dir_all(&part))?;
    write(&part)?;
    fs::rename(part, folder)
}

fn write_etc(part: &Path, host: &[PathBuf]) -> io::Result<()> {
    for path in host {
        let place = part.join(path.strip_prefix(ETC).unwrap_or(path));
        folder_for_all(place.parent().unwrap_or(part))?;
        let found = fs::symlink_metadata(path);
        unless_missing(found.and_then(|it| copy_for_all(path, it.file_type(), &place)))?;
    }
    folder_for_all(part)?;
    for (name, text) in OWN_ETC {
        let path = part.join(name);
        fs::write(&path, text)?;
        fs::set_permissions(&path, Permissions::from_mode(0o444))?;
    }
    Ok(())
}

/// Copies what every user of the host can read. There may be hundreds of links: nothing more is
/// asked about them than their folder says, and those to pages of manuals are left out.
fn copy_for_all(from: &Path, kind: FileType, to: &Path) -> io::Result<()> {
    if kind.is_symlink() {
        return symlink(fs::read_link(from)?, to);
    }
    let mode = fs::symlink_metadata(from)?.permissions().mode();
    if kind.is_file() && mode & 0o004 != 0 {
        fs::copy(from, to)?;
        return fs::set_permissions(to, Permissions::from_mode(0o444));
    }
    if kind.is_dir() && mode & 0o005 == 0o005 {
        folder_for_all(to)?;
        for entry in fs::read_dir(from)? {
            let entry = entry?;
            let name = entry.file_name();
            let (from, kind) = (from.join(&name), entry.file_type()?);
            if !is_manual(&from, kind) {
                unless_missing(copy_for_all(&from, kind, &to.join(&name)))?;
            }
        }
    }
    Ok(())
}

/// Whether this is a link to a page of a manual: most of the chosen alternatives of a Debian.
fn is_manual(path: &Path, kind: FileType) -> bool {
    kind.is_symlink() && path.extension().is_some_and(|ending| ending == "gz")
}

/// Creates a folder that every user can read.
pub fn folder_for_all(path: &Path) -> io::Result<()> {
    fs::create_dir_all(path)?;
    fs::set_permissions(path, Permissions::from_mode(0o755))
}

/// Copies a file of the organiser to the stage, readable for every user. The copy is there whole or
/// not at all.
pub fn copy_file(from: &Path, to: &Path) -> io::Result<()> {
    let part = to.with_extension("part");
    unless_missing(fs::remove_file(&part))?;
    fs::copy(from, &part)?;
    let runs = fs::metadata(from)?.permissions().mode() & 0o111 != 0;
    let mode = if runs { 0o555 } else { 0o444 };
    fs::set_permissions(&part, Permissions::from_mode(mode))?;
    fs::rename(part, to)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_small_etc_has_what_every_user_can_read() {
        let place = tempfile::tempdir().unwrap();
        let host = place.path().join("java");
        folder_for_all(&host.join("closed")).unwrap();
        for (name, mode) in [("open", 0o604), ("private", 0o640), ("closed/file", 0o644)] {
            fs::write(host.join(name), name).unwrap();
            fs::set_permissions(host.join(name), Permissions::from_mode(mode)).unwrap();
        }
        symlink("nowhere", host.join("link")).unwrap();
        symlink("java-17.1.gz", host.join("java.1.gz")).unwrap();
        fs::set_permissions(host.join("closed"), Permissions::from_mode(0o750)).unwrap();
        let (copy, etc) = (place.path().join("copy"), place.path().join("etc"));
        let folder = fs::metadata(&host).unwrap().file_type();
        copy_for_all(&host, folder, &copy).unwrap();
        let names = fs::read_dir(&copy).unwrap();
        let mut names: Vec<_> = names.map(|entry| entry.unwrap().file_name()).collect();
        names.sort();
        assert_eq!(names, ["link", "open"]);
        let mode = fs::metadata(copy.join("open"))
            .unwrap()
            .permissions()
            .mode();
        assert_eq!(mode & 0o777, 0o444);
        assert_eq!(
            fs::read_link(copy.join("link")).unwrap(),
            Path::new("nowhere")
        );
        let cache = PathBuf::from("/etc/ld.so.cache");
        let missing = PathBuf::from("/etc/missing-here");
        super::etc(
            &etc,
            &[cache.clone(), "/etc/ssl/openssl.cnf".into(), missing],
        )
        .unwrap();
        assert!(!etc.join("missing-here").exists());
        assert!(own_names().all(|name| etc.join(name).is_file()));
        assert_eq!(etc.join("ld.so.cache").exists(), cache.exists());
        // The run finds what its self-test has made.
        assert!(super::etc(&etc, &[]).is_ok());
    }
}
