//! From an entrant's command to a program that can be started, and to what makes it this program
//! and no other.

use super::belongings::{Needs, Outfitter};
use super::error::{Origin, Placed, Trouble};
use super::names::{quoted, visible};
use super::typed::TypedEntrant;
use crate::bot::{Belongings, Launch, Level};
use rustix::fs::{Access, access};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fmt::Write as _;
use std::fs::File;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

/// The word that means the running executable.
const OURSELVES: &str = "awale";
/// Endings of files that an interpreter runs: a missing one would fail every game.
const SCRIPTS: [&str; 11] = [
    "py", "js", "mjs", "cjs", "rb", "pl", "lua", "sh", "php", "jar", "jl",
];

/// What the referee's own surroundings give to a resolution.
#[derive(Clone, Debug)]
pub(super) struct Surroundings {
    /// The running executable.
    pub(super) executable: PathBuf,
    /// Variables of the referee that every bot gets, if they are set: PATH, HOME, TMPDIR.
    pub(super) variables: Vec<(String, OsString)>,
}

impl Surroundings {
    /// Those of this process.
    pub(super) fn of_this_process() -> io::Result<Self> {
        let variables = ["PATH", "HOME", "TMPDIR"]
            .iter()
            .filter_map(|name| Some(((*name).to_owned(), std::env::var_os(name)?)))
            .collect();
        Ok(Self {
            executable: std::env::current_exe()?,
            variables,
        })
    }

    /// The value of a variable, if it is set.
    pub(super) fn variable(&self, name: &str) -> Option<&OsString> {
        let variable = self.variables.iter().find(|(known, _)| known == name);
        variable.map(|(_, value)| value)
    }
}

/// A program that was found, and its fingerprints.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Program {
    pub(super) launch: Launch,
    /// SHA-256 of the program and of each argument that is a file, by the word of the command
    /// (from 0). Empty for a house bot: its version says what it is.
    pub(super) fingerprints: BTreeMap<usize, String>,
    pub(super) is_house_bot: bool,
}

/// Finds programs and remembers what it has already hashed.
pub(super) struct Finder<'a> {
    pub(super) surroundings: &'a Surroundings,
    /// Where relative folders start.
    pub(super) folder: &'a Path,
    level: Level,
    outfitter: Outfitter<'a>,
    hashed: BTreeMap<PathBuf, String>,
}

impl<'a> Finder<'a> {
    pub(super) fn new(
        surroundings: &'a Surroundings,
        folder: &'a Path,
        level: Level,
        common: &'a [Placed<String>],
    ) -> Self {
        Self {
            surroundings,
            folder,
            level,
            outfitter: Outfitter::new(surroundings, folder, common),
            hashed: BTreeMap::new(),
        }
    }

    /// The entrant's program, or of a record as much of it as is here.
    pub(super) fn find_or_look(
        &mut self,
        entrant: &TypedEntrant,
        is_record: bool,
    ) -> Result<Program, Trouble> {
        if is_record {
            self.look(entrant)
        } else {
            self.find(entrant)
        }
    }

    /// The entrant's program.
    pub(super) fn find(&mut self, entrant: &TypedEntrant) -> Result<Program, Trouble> {
        let name = &entrant.name.value;
        let words = &entrant.command;
        let Some((first, arguments)) = words.value.split_first() else {
            return Err(wrong(
                name,
                &words.origin,
                "`command` is empty; it takes a program and its arguments, as in \
                 [\"python3\", \"ada.py\"]",
            ));
        };
        let directory = self.directory(entrant)?;
        let is_house_bot = first.value == OURSELVES;
        let program = if is_house_bot {
            self.surroundings.executable.clone()
        } else {
            self.locate(name, first, &directory)?
        };
        let mut fingerprints = BTreeMap::new();
        if is_house_bot {
            let words: Vec<&str> = words.value.iter().map(|word| word.value.as_str()).collect();
            super::house::check(&words)
                .map_err(|message| wrong(name, &entrant.command.origin, message))?;
        } else {
            check_script(name, arguments, &directory)?;
            let files = arguments.iter().map(|word| directory.join(&word.value));
            for (index, path) in [program.clone()].into_iter().chain(files).enumerate() {
                if path.is_file() {
                    let origin = &words.value[index].origin;
                    fingerprints.insert(index, self.fingerprint(name, origin, path)?);
                }
            }
        }
        let needs = self.needs(entrant, program, &directory, is_house_bot)?;
        let launch = Launch {
            program: needs.program,
            arguments: arguments
                .iter()
                .map(|word| word.value.clone().into())
                .collect(),
            directory,
            environment: environment(entrant),
            surroundings: self.surroundings(),
            belongings: needs.belongings,
        };
        Ok(Program {
            launch,
            fingerprints,
            is_house_bot,
        })
    }

    /// As much of the entrant's program as is on this machine: nothing has to be, and no program is
    /// started. Only the fingerprints of what is there are known.
    fn look(&mut self, entrant: &TypedEntrant) -> Result<Program, Trouble> {
        let words = &entrant.command.value;
        let Some(first) = words.first() else {
            return self.find(entrant);
        };
        let is_house_bot = first.value == OURSELVES;
        let directory = match &entrant.dir {
            Some(dir) => absolute(&self.folder.join(&dir.value)),
            None => self.folder.to_owned(),
        };
        let program = self.locate(&entrant.name.value, first, &directory).ok();
        let program = program.filter(|_| !is_house_bot);
        let files = words.iter().skip(1);
        let files = files.map(|word| Some(directory.join(&word.value)));
        let mut fingerprints = BTreeMap::new();
        for (index, path) in [program.clone()].into_iter().chain(files).enumerate() {
            let path = path.filter(|path| !is_house_bot && path.is_file());
            if let Some(path) = path
                && let Ok(hash) = self.fingerprint("", &Origin::Whole, path)
            {
                fingerprints.insert(index, hash);
            }
        }
        let launch = Launch {
            program: program.unwrap_or_default(),
            arguments: Vec::new(),
            directory,
            environment: environment(entrant),
            surroundings: self.surroundings(),
            belongings: Belongings::default(),
        };
        Ok(Program {
            launch,
            fingerprints,
            is_house_bot,
        })
    }

    fn directory(&self, entrant: &TypedEntrant) -> Result<PathBuf, Trouble> {
        let Some(dir) = &entrant.dir else {
            return Ok(self.folder.to_owned());
        };
        let path = absolute(&self.folder.join(&dir.value));
        if path.is_dir() {
            // The bot sees no other path: without the detours of `..`.
            return Ok(path.canonicalize().unwrap_or(path));
        }
        let message = format!(
            "there is no folder {}; `dir` is relative to {}",
            shown(&path),
            shown(self.folder)
        );
        Err(wrong(&entrant.name.value, &dir.origin, message))
    }

    /// The absolute path of a program: a name with a slash is a path, any other is looked for.
    fn locate(
        &self,
        entrant: &str,
        word: &Placed<String>,
        directory: &Path,
    ) -> Result<PathBuf, Trouble> {
        let refuse = |message: String| Err(wrong(entrant, &word.origin, message));
        if word.value.is_empty() {
            return refuse("the first word of `command` is empty; it names the program".to_owned());
        }
        if word.value.contains('/') {
            let path = absolute(&directory.join(&word.value));
            return match unusable(&path) {
                None => Ok(path),
                Some(reason) => refuse(reason),
            };
        }
        match on_path(self.surroundings, Path::new(&word.value)) {
            Some(path) => Ok(path),
            None if directory.join(&word.value).is_file() => refuse(format!(
                "no program {} in PATH; for the file in {} write \"./{}\"",
                quoted(&word.value),
                shown(directory),
                visible(&word.value)
            )),
            None => refuse(format!(
                "no program {} in PATH; install it, or give its path, as in \"./bot\" (relative \
                 to {})",
                quoted(&word.value),
                shown(directory)
            )),
        }
    }

    /// What it needs of the host, if it is to be kept from the rest.
    fn needs(
        &mut self,
        entrant: &TypedEntrant,
        program: PathBuf,
        directory: &Path,
        is_house_bot: bool,
    ) -> Result<Needs, Trouble> {
        if is_house_bot || self.level == Level::None {
            return Ok(Needs {
                program,
                belongings: Belongings::default(),
            });
        }
        self.outfitter.outfit(entrant, &program, directory)
    }

    fn surroundings(&self) -> Vec<(OsString, OsString)> {
        let variables = self.surroundings.variables.iter();
        variables
            .map(|(name, value)| (name.into(), value.clone()))
            .collect()
    }

    fn fingerprint(
        &mut self,
        entrant: &str,
        origin: &Origin,
        path: PathBuf,
    ) -> Result<String, Trouble> {
        if let Some(known) = self.hashed.get(&path) {
            return Ok(known.clone());
        }
        let hash = hash_of_file(&path).map_err(|error| {
            let message = format!("cannot read {}: {error}", shown(&path));
            wrong(entrant, origin, message)
        })?;
        self.hashed.insert(path, hash.clone());
        Ok(hash)
    }
}

/// The program of this name in PATH.
pub(super) fn on_path(surroundings: &Surroundings, name: &Path) -> Option<PathBuf> {
    let folders = surroundings.variable("PATH").map(std::env::split_paths);
    folders
        .into_iter()
        .flatten()
        // A relative folder in PATH would mean something else in every working directory.
        .filter(|folder| folder.is_absolute())
        .map(|folder| folder.join(name))
        .find(|path| unusable(path).is_none())
}

/// Few variables, all of them known: a bot must not depend on who started the tournament.
fn environment(entrant: &TypedEntrant) -> Vec<(OsString, OsString)> {
    let mut variables: BTreeMap<OsString, OsString> = BTreeMap::new();
    variables.insert("LANG".into(), "C.UTF-8".into());
    for (name, value) in &entrant.env {
        variables.insert(name.into(), value.into());
    }
    variables.into_iter().collect()
}

/// The first argument of an interpreter is the bot itself: if it looks like a script it must exist.
fn check_script(
    entrant: &str,
    arguments: &[Placed<String>],
    directory: &Path,
) -> Result<(), Trouble> {
    let Some(script) = arguments.iter().find(|word| !word.value.starts_with('-')) else {
        return Ok(());
    };
    let path = absolute(&directory.join(&script.value));
    let ending = Path::new(&script.value)
        .extension()
        .and_then(|ending| ending.to_str());
    if ending.is_some_and(|ending| SCRIPTS.contains(&ending)) && !path.exists() {
        let message = format!(
            "there is no file {}; write its path relative to the entrant's `dir`",
            shown(&path)
        );
        return Err(wrong(entrant, &script.origin, message));
    }
    Ok(())
}

/// Why a path is no program; `None` if it is one.
fn unusable(path: &Path) -> Option<String> {
    let shown = shown(path);
    let Ok(metadata) = path.metadata() else {
        return Some(format!(
            "there is no program {shown}; compile it first, or correct the path"
        ));
    };
    if metadata.is_dir() {
        return Some(format!(
            "{shown} is a folder; `command` begins with a program"
        ));
    }
    if !metadata.is_file() {
        return Some(format!(
            "{shown} is no regular file; `command` begins with a program"
        ));
    }
    access(path, Access::EXEC_OK).err().map(|_| {
        format!(
            "{shown} is not executable; run chmod +x on it, or begin with its interpreter, as in \
             [\"python3\", \"ada.py\"]"
        )
    })
}

fn hash_of_file(path: &Path) -> io::Result<String> {
    let mut file = File::open(path)?;
    let mut hash = Sha256::new();
    let mut buffer = vec![0; 64 << 10];
    loop {
        let count = file.read(&mut buffer)?;
        if count == 0 {
            break;
        }
        hash.update(&buffer[..count]);
    }
    let digest = hash.finalize();
    Ok(digest.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    }))
}

pub(super) fn wrong(entrant: &str, origin: &Origin, message: impl AsRef<str>) -> Trouble {
    let message = format!("entrant {}: {}", quoted(entrant), message.as_ref());
    Trouble::new(origin, message)
}

/// An absolute path without looking at the disk: links stay links, which virtual environments
/// need.
pub(super) fn absolute(path: &Path) -> PathBuf {
    std::path::absolute(path).unwrap_or_else(|_| path.to_owned())
}

/// A path in a message.
pub(super) fn shown(path: &Path) -> String {
    visible(&path.to_string_lossy())
}
