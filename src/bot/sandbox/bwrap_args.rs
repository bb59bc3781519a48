//! The command line of bubblewrap for a box. A pure function, so that it can be read and
//! tested word by word.
//!
//! The root of a box is empty at first. It gets the system's programs and libraries, the bot's
//! files, a small `/etc`, `/proc` and `/dev`, all read-only, and two small writable places in
//! memory that end with the box: `/tmp` and `/dev/shm`.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

/// Where a bot finds its own folder.
pub const BOT: &str = "/bot";
/// Where a bot finds files that its command names and that lie elsewhere.
pub const FILES: &str = "/files";
/// Where a house bot finds this program.
pub const HOUSE: &str = "/awale";
/// Writable places in memory that end with the box.
pub const PLACES: [&str; 2] = ["/tmp", "/dev/shm"];
/// The user id that a bot sees as its own.
const USER: &str = "1000";

/// What a folder of the system is on this host.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SystemPath {
    /// A folder or file.
    Real(PathBuf),
    /// A link and its target.
    Link(PathBuf, PathBuf),
}

impl SystemPath {
    /// Where it is, on the host and in a box.
    pub fn path(&self) -> &Path {
        match self {
            Self::Real(path) | Self::Link(path, _) => path,
        }
    }
}

/// A part of the host at a place in the box, read-only.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bind {
    pub host: PathBuf,
    pub inside: PathBuf,
    /// Where the host has it, if `host` is another mount of it.
    pub original: Option<PathBuf>,
}

impl Bind {
    /// Shows this path of the host at a place in the box.
    pub fn new(host: impl Into<PathBuf>, inside: impl Into<PathBuf>) -> Self {
        Self {
            host: host.into(),
            inside: inside.into(),
            original: None,
        }
    }

    /// Where the host has it.
    pub fn original(&self) -> &Path {
        self.original.as_deref().unwrap_or(&self.host)
    }
}

/// Everything that defines a box.
#[derive(Clone, Debug)]
pub struct BoxRecipe<'a> {
    pub bubblewrap: &'a Path,
    /// Whether it is a session of its own. Without one, the box is in the referee's session, which
    /// must have no terminal.
    pub own_session: bool,
    pub system: &'a [SystemPath],
    pub binds: &'a [Bind],
    /// Files that cover files of `/proc`, which would show the state of the whole host.
    pub covers: &'a [Bind],
    /// Whether a control group counts its memory.
    pub counted: bool,
    /// The rights that process 1 has until it gives them up.
    pub rights: &'a [&'static str],
    /// Folders of the host that stay hidden, even inside one of the folders above.
    pub hidden: &'a [PathBuf],
    /// Folders of the host that the bot cannot pass through. What is below them needs no cover, and
    /// bubblewrap, which is the bot's user, could not make one.
    pub closed: &'a [PathBuf],
    pub temporary_bytes: u64,
    pub directory: &'a Path,
}

impl BoxRecipe<'_> {
    /// bubblewrap's command line, without the program that it starts.
    pub fn words(&self) -> Vec<OsString> {
        let mut line = BwrapArguments(vec![self.bubblewrap.into()]);
        line.separate(self.rights);
        if self.own_session {
            line.put("--new-session", &[]);
        }
        for path in self.system {
            match path {
                SystemPath::Real(path) => {
                    line.put("--ro-bind", &[path.as_os_str(), path.as_os_str()]);
                    self.hide_below(path, path, &mut line);
                }
                SystemPath::Link(path, target) => {
                    line.put("--symlink", &[target.as_os_str(), path.as_os_str()]);
                }
            }
        }
        // Binds below a place that the box has to itself must follow the mount of that place.
        let is_late = |bind: &&Bind| PLACES.iter().any(|place| bind.inside.starts_with(place));
        self.show(self.binds.iter().filter(|bind| !is_late(bind)), &mut line);
        line.put("--proc", &["/proc".as_ref()]);
        for Bind { host, inside, .. } in self.covers {
            line.put("--ro-bind", &[host.as_os_str(), inside.as_os_str()]);
        }
        // A bot must not write there, least of all its own `oom_score_adj`.
        line.put("--remount-ro", &["/proc".as_ref()]);
        line.put("--dev", &["/dev".as_ref()]);
        if !self.counted {
            // Reads the same, but is no memory that stays when no process maps it any more.
            line.put("--dev-bind", &["/dev/full", "/dev/zero"].map(OsStr::new));
        }
        for place in PLACES {
            let size = OsString::from(self.temporary_bytes.to_string());
            line.put("--size", &[&size]);
            line.put("--tmpfs", &[place.as_ref()]);
        }
        self.show(self.binds.iter().filter(is_late), &mut line);
        // Both are file systems in memory without a limit.
        line.put("--remount-ro", &["/dev".as_ref()]);
        line.put("--remount-ro", &["/".as_ref()]);
        line.put("--chdir", &[self.directory.as_os_str()]);
        line.0
    }

    /// Adds parts of the host, read-only.
    fn show<'b>(&self, binds: impl Iterator<Item = &'b Bind>, line: &mut BwrapArguments) {
        for bind in binds {
            let (host, inside) = (bind.host.as_os_str(), bind.inside.as_os_str());
            line.put("--ro-bind", &[host, inside]);
            self.hide_below(bind.original(), &bind.inside, line);
        }
    }

    /// Covers hidden folders inside a part of the host with an empty folder each.
    fn hide_below(&self, host: &Path, inside: &Path, line: &mut BwrapArguments) {
        for folder in self.hidden {
            let Ok(rest) = folder.strip_prefix(host) else {
                continue;
            };
            let way = folder.ancestors().skip(1);
            let mut way = way.take_while(|passed| passed.starts_with(host));
            if way.any(|passed| self.closed.iter().any(|closed| closed == passed)) {
                continue;
            }
            if rest.as_os_str().is_empty() {
                // A bot that works in that folder itself gets all of it except the hidden folders
                // below.
                continue;
            }
            let place = inside.join(rest);
            line.put("--tmpfs", &[place.as_os_str()]);
            line.put("--remount-ro", &[place.as_os_str()]);
        }
    }
}

struct BwrapArguments(Vec<OsString>);

impl BwrapArguments {
    fn put(&mut self, option: &str, values: &[&OsStr]) {
        self.0.push(option.into());
        self.0.extend(values.iter().map(|&value| value.to_owned()));
    }

    /// Names each namespace: `--unshare-all` makes a user namespace only if it can.
    fn separate(&mut self, rights: &[&str]) {
        for namespace in ["user", "pid", "net", "ipc", "uts", "cgroup-try"] {
            self.put(&format!("--unshare-{namespace}"), &[]);
        }
        for flag in ["--disable-userns", "--die-with-parent", "--as-pid-1"] {
            self.put(flag, &[]);
        }
        self.put("--uid", &[USER.as_ref()]);
        self.put("--gid", &[USER.as_ref()]);
        self.put("--hostname", &["box".as_ref()]);
        // As root, a process that keeps its capabilities is not confined.
        self.put("--cap-drop", &["ALL".as_ref()]);
        for right in rights {
            self.put("--cap-add", &[right.as_ref()]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn process_1_has_no_rights_but_those_that_are_named() {
        let named: [(&[&str], &[&str]); 2] = [
            (&[], &["--cap-drop", "ALL"]),
            (
                &["CAP_SYS_ADMIN"],
                &["--cap-drop", "ALL", "--cap-add", "CAP_SYS_ADMIN"],
            ),
        ];
        for (rights, expected) in named {
            let mut line = BwrapArguments(Vec::new());
            line.separate(rights);
            let place = line.0.iter().position(|word| word == "--cap-drop");
            assert_eq!(line.0[place.unwrap()..], *expected);
        }
    }

    #[test]
    fn a_folder_that_was_given_is_shown_and_what_is_hidden_below_it_is_not() {
        let bind = Bind::new("/home/ada", BOT);
        let elsewhere = Bind {
            original: Some("/root/bots".into()),
            ..Bind::new("/dev/shm/run/mounts/1", "/root/bots")
        };
        let hidden = [
            "/home/ada",
            "/home/ada/results/x",
            "/home/bob",
            "/root/bots/results/x",
            "/root/bots/closed/results/y",
        ]
        .map(PathBuf::from);
        let bwrap_command = BoxRecipe {
            bubblewrap: Path::new("bwrap"),
            own_session: false,
            system: &[],
            binds: &[bind, elsewhere],
            covers: &[],
            counted: true,
            rights: &[],
            hidden: &hidden,
            closed: &["/root", "/root/bots/closed"].map(PathBuf::from),
            temporary_bytes: 1,
            directory: Path::new(BOT),
        };
        let words = bwrap_command.words();
        let covered: Vec<&OsString> = words
            .iter()
            .zip(&words[1..])
            .filter(|(option, place)| {
                *option == "--tmpfs" && place.to_string_lossy().contains("results")
            })
            .map(|(_, place)| place)
            .collect();
        assert_eq!(covered, ["/bot/results/x", "/root/bots/results/x"]);
    }
}
