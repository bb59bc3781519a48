//! What a bot needs of the host besides the system's own programs: its files, and the toolchain
//! that runs it. Found out before the run, so that a bot sees these and nothing else.
//!
//! Interpreters are asked where they live, for what PATH names is often a shim that only works
//! from the user's own home (pyenv, nvm, sdkman). Only programs that the user's PATH or command
//! names are asked; never a file of the bot's own folder, which may be anything.

use super::error::{Placed, Trouble};
use super::program::{Surroundings, absolute, on_path, shown, wrong};
use super::typed::TypedEntrant;
use crate::bot::{Belongings, Own};
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs::File;
use std::io::Read as _;
use std::os::unix::ffi::OsStringExt as _;
use std::path::{Component, Path, PathBuf};
use std::process::{Command, Stdio};

/// A script that is run by a script that is run by a script: nobody needs more.
const LONGEST_CHAIN: usize = 4;
/// The kernel reads no more of the line that names an interpreter.
const FIRST_LINE: u64 = 256;

/// How an interpreter is asked for its executable and its folders, one a line.
const QUESTIONS: [(&str, [&str; 2]); 2] = [
    (
        "python",
        [
            "-c",
            "import sys; print(sys.executable, sys.prefix, sys.base_prefix, sep='\\n')",
        ],
    ),
    ("node", ["-p", "process.execPath"]),
];
/// Programs that are copied with nothing else make no sense: they have folders of their own.
const LANGUAGES: [&str; 10] = [
    "python", "node", "java", "ruby", "perl", "lua", "php", "julia", "deno", "bun",
];

/// What a bot needs, and the program that is really started.
pub(super) struct Needs {
    pub(super) program: PathBuf,
    pub(super) belongings: Belongings,
}

/// A toolchain that was asked for its places.
#[derive(Clone, Debug)]
struct Toolchain {
    executable: PathBuf,
    folders: Vec<PathBuf>,
}

/// Finds what bots need, and remembers the toolchains that it has asked.
pub(super) struct Outfitter<'a> {
    surroundings: &'a Surroundings,
    folder: &'a Path,
    /// What all bots may read.
    common: &'a [Placed<String>],
    toolchains: BTreeMap<PathBuf, Option<Toolchain>>,
}

impl<'a> Outfitter<'a> {
    /// `folder` is where the configuration's relative paths start; `common` is what all may read.
    pub(super) const fn new(
        surroundings: &'a Surroundings,
        folder: &'a Path,
        common: &'a [Placed<String>],
    ) -> Self {
        Self {
            surroundings,
            folder,
            common,
            toolchains: BTreeMap::new(),
        }
    }

    /// What the bot of an entrant needs; its program was found at `program`.
    pub(super) fn outfit(
        &mut self,
        entrant: &TypedEntrant,
        program: &Path,
        directory: &Path,
    ) -> Result<Needs, Trouble> {
        let mut needs = Needs {
            program: program.to_owned(),
            belongings: Belongings::default(),
        };
        let belongings = &mut needs.belongings;
        if entrant.dir.is_some() {
            belongings.own = Own::Folder;
        }
        let words = entrant.command.value.iter().skip(1);
        let arguments = words.map(|word| directory.join(&word.value));
        for file in arguments.filter(|path| path.is_file()) {
            give(belongings, directory, &file);
        }
        let named_with_path = entrant.command.value[0].value.contains('/');
        let is_own = named_with_path && !is_language(program);
        if is_own || program.starts_with(directory) {
            give(belongings, directory, program);
        } else if let Some(toolchain) = self.toolchain(program) {
            needs.program.clone_from(&toolchain.executable);
            self.equip(entrant, belongings, &toolchain)?;
        }
        self.give_interpreters(entrant, belongings, program)?;
        for word in entrant.readable.iter().chain(self.common) {
            let path = absolute(&self.folder.join(&word.value));
            let folder = path.canonicalize().map_err(|error| {
                let message = format!("cannot let it read {}: {error}", shown(&path));
                wrong(&entrant.name.value, &word.origin, message)
            })?;
            belongings.readable.push(folder);
        }
        Ok(needs)
    }

    /// A script needs whatever its first line names, which may be a script again.
    fn give_interpreters(
        &mut self,
        entrant: &TypedEntrant,
        belongings: &mut Belongings,
        program: &Path,
    ) -> Result<(), Trouble> {
        let mut script = program.to_owned();
        for _ in 0..LONGEST_CHAIN {
            let Some(interpreter) = interpreter_of(&script, self.surroundings) else {
                break;
            };
            if let Some(toolchain) = self.toolchain(&interpreter) {
                self.equip(entrant, belongings, &toolchain)?;
            }
            script = interpreter;
        }
        Ok(())
    }

    fn toolchain(&mut self, program: &Path) -> Option<Toolchain> {
        if let Some(known) = self.toolchains.get(program) {
            return known.clone();
        }
        let found = ask(program, self.surroundings).or_else(|| look(program));
        self.toolchains.insert(program.to_owned(), found.clone());
        found
    }

    /// Lets a bot read a toolchain, unless that would show it what is not a toolchain's.
    fn equip(
        &self,
        entrant: &TypedEntrant,
        belongings: &mut Belongings,
        toolchain: &Toolchain,
    ) -> Result<(), Trouble> {
        let home = self.surroundings.variable("HOME").map(PathBuf::from);
        for folder in &toolchain.folders {
            let holds = |path: &Path| path.starts_with(folder);
            if holds(self.folder) || home.as_deref().is_some_and(holds) {
                let message = format!(
                    "{} belongs to no toolchain of its own: {} holds other things too, which no \
                     bot may see. Install it elsewhere, or run with --isolation none",
                    shown(&toolchain.executable),
                    shown(folder)
                );
                let origin = &entrant.command.value[0].origin;
                return Err(wrong(&entrant.name.value, origin, message));
            }
            if !belongings.readable.contains(folder) {
                belongings.readable.push(folder.clone());
            }
        }
        if let Some(programs) = toolchain.executable.parent() {
            belongings.programs.push(programs.to_owned());
        }
        Ok(())
    }
}

/// Gives a bot a file that its command names: one of its own, or one from elsewhere.
fn give(belongings: &mut Belongings, directory: &Path, file: &Path) {
    let plain = absolute(file);
    let inside = plain.strip_prefix(directory).ok();
    let inside = inside.filter(|rest| rest.components().all(|c| matches!(c, Component::Normal(_))));
    match (&mut belongings.own, inside) {
        (Own::Folder, Some(_)) => {}
        (Own::Files(files), Some(rest)) => files.push(rest.to_owned()),
        (_, None) => belongings.files.push(file.to_owned()),
    }
}

fn is_language(program: &Path) -> bool {
    let name = program.file_name().unwrap_or_default().to_string_lossy();
    LANGUAGES.iter().any(|language| name.starts_with(language))
}

/// The program that the first line of a script names.
fn interpreter_of(script: &Path, surroundings: &Surroundings) -> Option<PathBuf> {
    let mut start = Vec::new();
    let file = File::open(script).ok()?;
    file.take(FIRST_LINE).read_to_end(&mut start).ok()?;
    let line = start.split(|&byte| byte == b'\n').next()?;
    let words: Vec<&[u8]> = line
        .strip_prefix(b"#!")?
        .split(u8::is_ascii_whitespace)
        .filter(|word| !word.is_empty())
        .collect();
    let path = |word: &[u8]| PathBuf::from(OsString::from_vec(word.to_owned()));
    let first = path(words.first()?);
    if first.file_name()? != "env" {
        return Some(first);
    }
    let is_name = |word: &&&[u8]| !word.starts_with(b"-") && !word.contains(&b'=');
    let name = words.iter().skip(1).find(is_name)?;
    on_path(surroundings, &path(name))
}

/// Asks an interpreter that has an answer.
fn ask(program: &Path, surroundings: &Surroundings) -> Option<Toolchain> {
    let name = program.file_name()?.to_string_lossy().into_owned();
    let (_, question) = QUESTIONS
        .iter()
        .find(|(start, _)| name.starts_with(start))?;
    let answer = Command::new(program)
        .args(question)
        .env_clear()
        .envs(
            surroundings
                .variables
                .iter()
                .map(|(key, value)| (key, value)),
        )
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
    Some(Toolchain {
        executable,
        folders,
    })
}

/// A program in a `bin` belongs to the folder around it.
fn look(program: &Path) -> Option<Toolchain> {
    let executable = program.canonicalize().ok()?;
    Some(Toolchain {
        folders: prefix(&executable).into_iter().collect(),
        executable: program.to_owned(),
    })
}

fn prefix(executable: &Path) -> Option<PathBuf> {
    let folder = executable.parent()?;
    if folder.file_name()? == "bin" {
        folder
            .parent()
            .map(Path::to_owned)
            .filter(|path| path.parent().is_some())
    } else {
        Some(folder.to_owned())
    }
}
