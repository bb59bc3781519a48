//! The toolchains of a run: the programs that the organiser's commands and PATH name, and the
//! folders that they live in, which every box shows. The list is made before any submission is
//! looked at; nothing that a submission says changes it.
//!
//! Interpreters are asked where they live, for what PATH names is often a shim that only works
//! from the user's own home (pyenv, nvm). They run outside of any box for that: only programs that
//! [`Grounds::trust`] passes are asked. What a script's first line names is the kernel's business,
//! inside the box.

use super::error::{Placed, Trouble};
use super::grounds::{Grounds, is_unreal, plain};
use super::locate::on_path;
use super::names::quoted;
use super::program::{OURSELVES, Surroundings, shown, wrong};
use super::typed::TypedEntrant;
use crate::bot::Level;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs::File;
use std::io::Read as _;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// How an interpreter is asked for its executable and its folders, one a line.
const QUESTIONS: [(&str, &[&str]); 2] = [
    (
        "python",
        &[
            "-I",
            "-c",
            "import sys; print(sys.executable, sys.prefix, sys.base_prefix, sep='\\n')",
        ],
    ),
    ("node", &["-p", "process.execPath"]),
];
/// Programs that are copied with nothing else make no sense: they have folders of their own.
const LANGUAGES: [&str; 10] = [
    "python", "node", "java", "ruby", "perl", "lua", "php", "julia", "deno", "bun",
];
/// What scripts call them.
const NAMES: [&str; 11] = [
    "python3", "python", "node", "java", "ruby", "perl", "lua", "php", "julia", "deno", "bun",
];
/// Whose programs every box finds anyway.
const OF_SYSTEM: [&str; 3] = ["/usr/local/bin", "/usr/bin", "/bin"];
/// Folders at the root of all files that every box shows anyway.
const OF_SYSTEM_ITSELF: [&str; 6] = ["/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64"];
/// Bytes of the settings of a virtual environment.
const LONGEST_SETTINGS: u64 = 64 << 10;
/// What is said of a folder that is no toolchain's.
const REMEDY: &str = "install it elsewhere, or run with --isolation none";

/// A program with the folders that it needs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Toolchain {
    /// What is really started.
    pub(super) executable: PathBuf,
    /// What it reads.
    pub(super) folders: Vec<PathBuf>,
}

/// The toolchains of a run.
#[derive(Debug, Default)]
pub(super) struct Toolchains {
    /// By the path that a command or PATH leads to.
    known: BTreeMap<PathBuf, Toolchain>,
    /// The same paths in the order in which they were found.
    order: Vec<PathBuf>,
    /// What of PATH was passed over.
    pub(super) warnings: Vec<String>,
}

impl Toolchains {
    /// Finds what the commands of these entrants name, and the usual languages if a command is a
    /// file of an entrant's own, which may be a script.
    pub(super) fn find(
        entrants: &[TypedEntrant],
        surroundings: &Surroundings,
        grounds: &Grounds,
        level: Level,
    ) -> Result<Self, Trouble> {
        let mut found = Self {
            warnings: passed_over(surroundings, grounds),
            ..Self::default()
        };
        if level == Level::None {
            return Ok(found);
        }
        let search = Search {
            surroundings,
            grounds,
        };
        let mut has_scripts = false;
        for entrant in entrants {
            let Some(word) = entrant.command.value.first() else {
                continue;
            };
            if word.value == OURSELVES {
                continue;
            }
            match named(entrant, word, surroundings, grounds) {
                Named::Program(path) => found.add(&search, &path).map_err(|reason| {
                    let name = &entrant.name.value;
                    wrong(name, &word.origin, refusal(&path, &reason))
                })?,
                Named::File => has_scripts = true,
                Named::Nothing => {}
            }
        }
        for name in NAMES.iter().filter(|_| has_scripts) {
            if let Some(path) = on_path(surroundings, grounds, Path::new(name)) {
                // A script that needs it says so in its box.
                let _ = found.add(&search, &path);
            }
        }
        Ok(found)
    }

    fn add(&mut self, search: &Search<'_>, path: &Path) -> Result<(), String> {
        if self.known.contains_key(path) {
            return Ok(());
        }
        let toolchain = search.toolchain(path)?;
        for folder in &toolchain.folders {
            search.check(folder, &toolchain.executable)?;
        }
        self.known.insert(path.to_owned(), toolchain);
        self.order.push(path.to_owned());
        Ok(())
    }

    /// The toolchain that a command's program belongs to.
    pub(super) fn of(&self, program: &Path) -> Option<&Toolchain> {
        self.known.get(program)
    }

    /// Every folder that the boxes show besides the system's own, in the order in which it was
    /// found.
    pub(super) fn folders(&self) -> Vec<PathBuf> {
        let all = self.order.iter().flat_map(|path| &self.known[path].folders);
        let mut folders: Vec<PathBuf> = Vec::new();
        for folder in all {
            let is_systems = OF_SYSTEM_ITSELF.iter().any(|it| folder.starts_with(it));
            if !is_systems && !folders.contains(folder) {
                folders.push(folder.clone());
            }
        }
        folders
    }

    /// Folders with programs, to be searched before the system's; those of `first` before all.
    pub(super) fn programs(&self, first: Option<&Toolchain>) -> Vec<PathBuf> {
        let parent = |it: &Toolchain| it.executable.parent().map(Path::to_owned);
        let own = first.and_then(parent);
        let others = self
            .order
            .iter()
            .filter_map(|path| parent(&self.known[path]));
        let others = others.filter(|path| !OF_SYSTEM.iter().any(|it| path == Path::new(it)));
        let mut programs: Vec<PathBuf> = Vec::new();
        for folder in own.into_iter().chain(others) {
            if !programs.contains(&folder) {
                programs.push(folder);
            }
        }
        programs
    }
}

fn refusal(path: &Path, reason: &str) -> String {
    format!(
        "{} is not used as a toolchain: {reason}; {REMEDY}",
        shown(path)
    )
}

/// What the first word of a command names.
pub(super) enum Named {
    /// A program of the organiser's.
    Program(PathBuf),
    /// A file that belongs to the entrant.
    File,
    /// Nothing that is here.
    Nothing,
}

/// What the first word of this entrant's command names.
pub(super) fn named(
    entrant: &TypedEntrant,
    word: &Placed<String>,
    surroundings: &Surroundings,
    grounds: &Grounds,
) -> Named {
    if !word.value.contains('/') {
        let path = on_path(surroundings, grounds, Path::new(&word.value));
        return path.map_or(Named::Nothing, Named::Program);
    }
    let folder = grounds.folder.as_path();
    let dir = entrant.dir.as_ref().map(|dir| folder.join(&dir.value));
    let path = plain(&dir.as_deref().unwrap_or(folder).join(&word.value));
    if is_interpreter(&path, grounds) {
        Named::Program(path)
    } else {
        Named::File
    }
}

/// Whether a path in a command is an interpreter of the organiser's, and no entrant's file: one
/// outside of the configuration's folder, or of a virtual environment in it.
fn is_interpreter(path: &Path, grounds: &Grounds) -> bool {
    let is_organisers = is_language(path) && grounds.holder(path).is_none() && !is_unreal(path);
    let is_beside = |path: &Path| path.starts_with(&grounds.folder);
    is_organisers && (!is_beside(path) || virtual_environment(path).is_some())
}

/// Whether a program is called like a language.
pub(super) fn is_language(program: &Path) -> bool {
    let name = program.file_name().unwrap_or_default().to_string_lossy();
    LANGUAGES.iter().any(|language| name.starts_with(language))
}

/// The virtual environment that a program belongs to, and what its settings say of its home.
fn virtual_environment(program: &Path) -> Option<(PathBuf, PathBuf)> {
    let programs = program.parent().filter(|it| it.ends_with("bin"))?;
    let folder = programs.parent()?;
    let settings = folder.join("pyvenv.cfg");
    let mut options = File::options();
    options
        .read(true)
        .custom_flags(libc::O_NOFOLLOW | libc::O_NONBLOCK);
    let file = options.open(&settings).ok()?;
    let mut text = String::new();
    let is_file = file.metadata().is_ok_and(|metadata| metadata.is_file());
    let mut file = file.take(LONGEST_SETTINGS);
    file.read_to_string(&mut text).ok().filter(|_| is_file)?;
    let mut keys = text.lines().filter_map(|line| line.split_once('='));
    let (_, home) = keys.find(|(key, _)| key.trim() == "home")?;
    Some((folder.to_owned(), PathBuf::from(home.trim())))
}

/// What PATH names and nothing is run from.
fn passed_over(surroundings: &Surroundings, grounds: &Grounds) -> Vec<String> {
    let folders = surroundings.variable("PATH").map(std::env::split_paths);
    let folders = folders.into_iter().flatten();
    let warning = |folder: PathBuf| {
        let holder = grounds.holder(&super::grounds::real(&folder))?;
        Some(format!(
            "no program is taken from {}, which PATH names: it lies in the folder of entrant {}",
            shown(&folder),
            quoted(holder)
        ))
    };
    let absolute = folders.filter(|folder| folder.is_absolute());
    absolute.filter_map(warning).collect()
}

struct Search<'a> {
    surroundings: &'a Surroundings,
    grounds: &'a Grounds,
}

impl Search<'_> {
    fn toolchain(&self, program: &Path) -> Result<Toolchain, String> {
        if program.starts_with(&self.grounds.folder)
            && !self.is_on_path(program)
            && let Some((folder, home)) = virtual_environment(program)
        {
            // Its files say where it lives: nothing of the configuration's folder is run.
            let base = home.join(program.file_name().unwrap_or_default());
            let mut folders = vec![folder];
            folders.extend(self.toolchain(&base)?.folders);
            return Ok(Toolchain {
                executable: program.to_owned(),
                folders,
            });
        }
        let real = self.grounds.trust(program)?;
        let asked = self.ask(program);
        let looked = || Toolchain {
            folders: prefix(&real).into_iter().collect(),
            executable: program.to_owned(),
        };
        let found = asked.unwrap_or_else(looked);
        self.grounds.trust(&found.executable)?;
        Ok(found)
    }

    fn is_on_path(&self, program: &Path) -> bool {
        let folders = self
            .surroundings
            .variable("PATH")
            .map(std::env::split_paths);
        let mut folders = folders.into_iter().flatten();
        folders.any(|folder| Some(folder.as_path()) == program.parent())
    }

    /// Asks an interpreter that has an answer.
    fn ask(&self, program: &Path) -> Option<Toolchain> {
        let name = program.file_name()?.to_string_lossy().into_owned();
        let (_, question) = QUESTIONS
            .iter()
            .find(|(start, _)| name.starts_with(start))?;
        let others = self.surroundings.variables.iter();
        let others = others.filter(|(name, _)| name != "PATH");
        let answer = Command::new(program)
            .args(*question)
            .env_clear()
            .envs(others.map(|(key, value)| (key, value)))
            .env("PATH", self.trusted_path())
            .current_dir("/")
            .stdin(Stdio::null())
            .output()
            .ok()?;
        let text = String::from_utf8(answer.stdout).ok()?;
        let mut lines = text.lines().map(PathBuf::from);
        let executable = lines
            .next()
            .filter(|path| path.is_absolute() && path.is_file())?;
        let mut folders: Vec<PathBuf> = lines.filter(|path| path.is_absolute()).collect();
        folders.extend(prefix(&executable));
        folders.sort();
        folders.dedup();
        Some(Toolchain {
            executable,
            folders,
        })
    }

    /// A shim starts other programs by their names.
    fn trusted_path(&self) -> OsString {
        let folders = self
            .surroundings
            .variable("PATH")
            .map(std::env::split_paths);
        let folders = folders.into_iter().flatten();
        let trusted = folders.filter(|it| it.is_absolute() && self.grounds.trust(it).is_ok());
        std::env::join_paths(trusted).unwrap_or_default()
    }

    /// Why a folder is not shown to bots, unless it is.
    fn check(&self, folder: &Path, executable: &Path) -> Result<(), String> {
        let holds_others = |reason: String| {
            Err(format!(
                "its folder {} is no toolchain's own: {reason}",
                shown(folder)
            ))
        };
        let real = self.grounds.trust(folder)?;
        for folder in [folder, real.as_path()] {
            if let Some(reason) = self.grounds.objection(folder) {
                return holds_others(reason);
            }
        }
        let is_top = real
            .parent()
            .is_some_and(|around| around.parent().is_none());
        if is_top && !OF_SYSTEM_ITSELF.iter().any(|it| real == Path::new(it)) {
            return holds_others("it holds other things, too".to_owned());
        }
        if self.grounds.is_private(&real) && !is_prefix(&real, executable) {
            return holds_others("it holds other things of yours, too".to_owned());
        }
        Ok(())
    }
}

/// Whether a folder looks like what a toolchain was installed to, and nothing else.
fn is_prefix(folder: &Path, executable: &Path) -> bool {
    let has = |name: &str| folder.join(name).exists();
    let name = executable.file_name().unwrap_or_default();
    let is_for_all = folder
        .file_name()
        .is_some_and(|it| it.as_bytes() == b".local");
    let has_program = folder.join("bin").join(name).exists() || has("bin/python3");
    has_program && !is_for_all && ["pyvenv.cfg", "lib", "release"].into_iter().any(has)
}

/// A program in a `bin` belongs to the folder around it.
fn prefix(executable: &Path) -> Option<PathBuf> {
    let folder = executable.parent()?;
    let around = if folder.file_name()? == "bin" {
        folder.parent()?
    } else {
        folder
    };
    // `/bin` is the system's.
    around.parent().is_some().then(|| around.to_owned())
}
