//! Where one entrant's files are placed, and the paths by which its bot sees them.
//!
//! Root can read every folder; a bot that runs as another user cannot. A folder that the bot needs
//! and that its user cannot reach is bind-mounted, read-only, at a place that every user can reach.

use crate::bot::launch::{Launch, Own};
use crate::bot::sandbox::bwrap_args::{BOT, Bind, FILES};
use crate::bot::sandbox::{Level, Sandbox, system};
use crate::bot::submission::{SubmissionError, read_file};
use rustix::mount::{MountFlags, mount_bind_recursive, mount_remount};
use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::{fs, io};

/// Where programs of the system are found.
const SYSTEM_PATH: [&str; 3] = ["/usr/local/bin", "/usr/bin", "/bin"];

/// The places of one entrant's files.
pub struct SandboxLayout<'a> {
    sandbox: &'a Sandbox,
    launch: &'a Launch,
    /// The size limit of each file that the command names, in bytes.
    most_bytes: u64,
    /// What the bot sees, the most specific paths first.
    pub binds: Vec<Bind>,
    /// Toolchains that the bot cannot reach.
    unreachable: Vec<PathBuf>,
}

impl<'a> SandboxLayout<'a> {
    pub const fn new(sandbox: &'a Sandbox, launch: &'a Launch, most_bytes: u64) -> Self {
        Self {
            sandbox,
            launch,
            most_bytes,
            binds: Vec::new(),
            unreachable: Vec::new(),
        }
    }

    /// Places a copy of the bot's own folder, or of its own files in a shared one.
    pub fn place_own(&mut self) -> Result<(), SubmissionError> {
        let store = &self.sandbox.store;
        let place = match &self.launch.file_access.own {
            Own::Folder(submission) => store.tree(submission)?,
            Own::Files(files) => {
                let place = store.place()?;
                for file in files {
                    let from = self.launch.directory.join(file);
                    read_file(&from, self.most_bytes, Some(&place.join(file)))?;
                }
                place
            }
        };
        self.show(self.sandbox.reach(&place)?, BOT);
        Ok(())
    }

    /// Places files elsewhere on the host that the command names.
    pub fn place_files(&mut self) -> Result<(), SubmissionError> {
        for (number, file) in self.launch.file_access.files.iter().enumerate() {
            let name = file.named.file_name().unwrap_or(OsStr::new("file"));
            let inside = Path::new(FILES).join(number.to_string()).join(name);
            let place = self.sandbox.store.place()?;
            read_file(&file.source, self.most_bytes, Some(&place.join(name)))?;
            self.show(self.sandbox.reach(&place)?.join(name), inside);
        }
        Ok(())
    }

    /// Places toolchains. One that the bot cannot reach is left out if the bot is not started with
    /// it.
    pub fn place_toolchains(&mut self) -> io::Result<()> {
        let file_access = &self.launch.file_access;
        for folder in &file_access.readable {
            if system::covers(&self.sandbox.system, folder) {
                continue;
            }
            match self.sandbox.reach_by_name(folder) {
                Ok(host) => self.binds.push(Bind {
                    original: Some(folder.clone()),
                    ..Bind::new(host, folder)
                }),
                Err(error) if self.needs(folder) => return Err(error),
                Err(_) => self.unreachable.push(folder.clone()),
            }
        }
        Ok(())
    }

    /// Whether the bot is started with something in this folder, or the folder holds no toolchain.
    fn needs(&self, folder: &Path) -> bool {
        let mut programs = self.launch.file_access.programs.iter();
        self.launch.program.starts_with(folder) || !programs.any(|it| it.starts_with(folder))
    }

    pub fn place_house(&mut self) -> io::Result<()> {
        if self.launch.program == self.sandbox.settings.helper {
            self.binds.push(match self.launch.adapted() {
                Some(_) => self.sandbox.adapter()?,
                None => self.sandbox.house()?,
            });
        }
        Ok(())
    }

    fn show(&mut self, host: PathBuf, inside: impl Into<PathBuf>) {
        self.binds.push(Bind::new(host, inside));
    }

    /// A path of the host as the bot sees it.
    pub fn inside(&self, path: &Path) -> PathBuf {
        let launch = self.launch;
        let boxed = match self.sandbox.level() {
            Level::None => return path.to_owned(),
            Level::Landlock => false,
            Level::Box => true,
        };
        if path == self.sandbox.settings.helper {
            let house = self
                .binds
                .last()
                .expect("a house bot is shown this program");
            return if boxed { &house.inside } else { &house.host }.clone();
        }
        let at = |index: usize| {
            let bind = &self.binds[index];
            if boxed { &bind.inside } else { &bind.host }
        };
        if let Ok(rest) = path.strip_prefix(&launch.directory)
            && self.is_own(rest)
        {
            return if rest.as_os_str().is_empty() {
                at(0).clone()
            } else {
                at(0).join(rest)
            };
        }
        let mut files = launch.file_access.files.iter();
        let number = files.position(|file| file.named == path);
        number.map_or_else(|| path.to_owned(), |number| at(1 + number).clone())
    }

    /// Whether the bot sees this path below the working directory.
    fn is_own(&self, rest: &Path) -> bool {
        match &self.launch.file_access.own {
            Own::Folder(_) => true,
            Own::Files(files) => {
                rest.as_os_str().is_empty() || files.iter().any(|file| file == rest)
            }
        }
    }

    pub fn program(&self) -> OsString {
        self.inside(&self.launch.program).into()
    }

    /// Replaces an argument that names a file by the path at which the bot finds it.
    pub fn argument(&self, word: &OsString) -> OsString {
        let path = self.launch.directory.join(word);
        let mut files = self.launch.file_access.files.iter();
        let elsewhere = files.any(|file| file.named == path);
        if elsewhere || Path::new(word).is_absolute() {
            self.inside(&path).into()
        } else {
            word.clone()
        }
    }

    pub fn environment(&self) -> Vec<(OsString, OsString)> {
        let places = if self.sandbox.level() == Level::None {
            self.launch.host_environment.clone()
        } else {
            let programs = self.launch.file_access.programs.iter().filter(|folder| {
                let mut unreachable = self.unreachable.iter();
                !unreachable.any(|toolchain| folder.starts_with(toolchain))
            });
            let folders = programs.map(|folder| folder.as_os_str());
            let folders = folders.chain(SYSTEM_PATH.iter().map(OsStr::new));
            let path = folders.collect::<Vec<_>>().join(OsStr::new(":"));
            let places = [
                ("PATH", path),
                ("HOME", "/tmp".into()),
                ("TMPDIR", "/tmp".into()),
            ];
            places.map(|(name, value)| (name.into(), value)).into()
        };
        let own = self.launch.environment.iter().cloned();
        let variables: BTreeMap<OsString, OsString> = places.into_iter().chain(own).collect();
        variables.into_iter().collect()
    }
}

/// Others may pass through the folder.
const PASS: u32 = 0o001;
/// Others may list the folder and pass through it.
const LOOK: u32 = 0o005;

/// Whether every user can reach a folder and list it.
pub fn is_open(folder: &Path) -> bool {
    let allows = |path: &Path, wanted: u32| {
        fs::metadata(path).is_ok_and(|metadata| metadata.mode() & wanted == wanted)
    };
    let mut above = folder.ancestors().skip(1);
    allows(folder, LOOK) && above.all(|path| allows(path, PASS))
}

/// Whether every user can pass through a folder, once in the folder around it. One that cannot be
/// looked at is taken as open.
pub fn is_passable(folder: &Path) -> bool {
    fs::metadata(folder).map_or(true, |metadata| metadata.mode() & PASS == PASS)
}

/// Mounts a folder, read-only, at a new place below `mounts`.
///
/// # Errors
/// The kernel refuses the mount.
pub fn mount(folder: &Path, mounts: &Path, number: u64) -> io::Result<PathBuf> {
    let place = mounts.join(number.to_string());
    fs::create_dir_all(&place)?;
    mount_bind_recursive(folder, &place)?;
    mount_remount(&place, MountFlags::BIND | MountFlags::RDONLY, "")?;
    Ok(place)
}
