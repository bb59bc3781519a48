//! Finds the program of a command: a name is searched in PATH, a word with a slash is a path. No
//! file is opened.
//!
//! The first word of a command names a program of the organiser, or a file of the entrant.

use crate::config::context::{HOUSE_BOTS, HostEnv};
use crate::config::error::{Diagnostic, Located, Medium, wrong};
use crate::config::finder::Finder;
use crate::config::keys::tables::TypedEntrant;
use crate::config::toolchains::{is_language, virtual_environment};
use crate::config::trust::{TrustBoundary, is_unreal, plain, real};
use crate::config::trust::{absolute, shown};
use crate::files;
use crate::text::{nearest, printable, quoted};
use rustix::fs::{Access, access};
use std::os::unix::fs::FileTypeExt as _;
use std::path::{Path, PathBuf};

/// Suffixes of files that an interpreter runs: if such a file is missing, every game would fail.
const SCRIPTS: [&str; 11] = [
    "py", "js", "mjs", "cjs", "rb", "pl", "lua", "sh", "php", "jar", "jl",
];

/// The protocols of `awale adapter`, as they stand before a program.
const ADAPTERS: [&str; 2] = ["uci:", "codingame:"];

const ADAPTERS_ALLOWED: &str = "they are uci: and codingame:";

/// Letters and a colon before a path, which look like an adapter that does not exist: `xboard:`.
fn foreign_adapter(program: &str) -> Option<&str> {
    let (name, _) = program.split_once(':')?;
    let is_word = !name.is_empty() && name.bytes().all(|it| it.is_ascii_alphabetic());
    is_word.then(|| &program[..=name.len()])
}

/// The adapter before a program, and the program: `uci:` and `./aalina`. Most have no adapter.
pub fn split_adapter(word: &str) -> (&str, &str) {
    let adapter = ADAPTERS.into_iter().find(|it| word.starts_with(it));
    word.split_at(adapter.map_or(0, str::len))
}

/// The program of a command's first word.
pub fn program_word(word: &str) -> &str {
    split_adapter(word).1
}

impl Finder<'_> {
    /// The absolute path of a program: a name with a slash is a path, any other is searched in
    /// PATH.
    pub fn locate(
        &self,
        entrant: &str,
        word: &Located<String>,
        directory: &Path,
    ) -> Result<PathBuf, Diagnostic> {
        let refuse = |message: String| Err(wrong(entrant, &word.origin, message));
        let program = program_word(&word.value);
        if program.is_empty() {
            return refuse("the first word of `command` is empty; it names the program".to_owned());
        }
        if program.contains('/') {
            let path = absolute(&directory.join(program));
            return match unusable(&path, self.medium).filter(|_| special(&path).is_none()) {
                None if is_unreal(&plain(&path)) => refuse(format!(
                    "{} is of the host's own, and no program; give the path of a file",
                    shown(&path)
                )),
                None => Ok(path),
                Some(reason) => refuse(match foreign_adapter(program) {
                    Some(prefix) => format!("{reason}; {prefix} is no adapter: {ADAPTERS_ALLOWED}"),
                    None => reason,
                }),
            };
        }
        match on_path(self.host_env, self.boundary, Path::new(program)) {
            Some(path) => Ok(path),
            None if directory.join(program).is_file() => refuse(format!(
                "no program {} in PATH; for the file in {} write \"{}./{}\"",
                quoted(program),
                shown(directory),
                split_adapter(&word.value).0,
                printable(program)
            )),
            None if let Some(house) = nearest(program, &HOUSE_BOTS) => refuse(format!(
                "no program {} in PATH; did you mean the house bot {house}{}?",
                quoted(program),
                match self.medium {
                    Medium::CommandLine => String::new(),
                    Medium::File => {
                        format!(", {}", self.medium.command(&["awale", "bot", house]))
                    }
                }
            )),
            None => refuse(format!(
                "no program {} in PATH; install it, or give its path, as in \"./bot\" (relative \
                 to {})",
                quoted(program),
                shown(directory)
            )),
        }
    }
}

/// The program of this name in PATH. Files in entrants' folders are skipped.
pub fn on_path(host_env: &HostEnv, boundary: &TrustBoundary, name: &Path) -> Option<PathBuf> {
    let is_trusted = |path: &Path| {
        let folder = path.parent().unwrap_or(path);
        boundary.holder(&real(folder)).is_none() && boundary.holder(&real(path)).is_none()
    };
    programs_on_path(host_env, name).find(|path| is_trusted(path))
}

/// The programs of this name in PATH, in its order: executable files.
pub fn programs_on_path<'a>(
    host_env: &'a HostEnv,
    name: &'a Path,
) -> impl Iterator<Item = PathBuf> + 'a {
    files::programs(host_env.path(), name)
}

/// The first argument of an interpreter is the bot itself: if it looks like a script, it must
/// exist.
pub fn check_script(
    entrant: &str,
    arguments: &[Located<String>],
    directory: &Path,
    medium: Medium,
) -> Result<(), Diagnostic> {
    let Some(script) = arguments.iter().find(|word| !word.value.starts_with('-')) else {
        return Ok(());
    };
    let path = absolute(&directory.join(&script.value));
    let ending = Path::new(&script.value)
        .extension()
        .and_then(|ending| ending.to_str());
    if ending.is_some_and(|ending| SCRIPTS.contains(&ending)) && !path.exists() {
        let message = format!(
            "there is no file {}; write its path relative to {}",
            shown(&path),
            medium.folder()
        );
        return Err(wrong(entrant, &script.origin, message));
    }
    Ok(())
}

/// Why a path is not a program; `None` if it is one.
pub fn unusable(path: &Path, medium: Medium) -> Option<String> {
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
            "{shown} is not a regular file; `command` begins with a program"
        ));
    }
    access(path, Access::EXEC_OK).err().map(|_| {
        format!(
            "{shown} is not executable; run chmod +x on it, or begin with its interpreter, as in \
             {}",
            medium.command(&["python3", "ada.py"])
        )
    })
}

/// That a program is a file that nothing can be read from, or that would wait for ever.
pub fn special(path: &Path) -> Option<String> {
    let kind = path.symlink_metadata().ok()?.file_type();
    let is_special = kind.is_fifo() || kind.is_socket();
    is_special.then(|| {
        format!(
            "{} is a named pipe or a socket, and no program",
            shown(path)
        )
    })
}

/// What the first word of a command names.
pub enum CommandTarget {
    /// A program of the organiser.
    Program(PathBuf),
    /// A file of the entrant.
    File,
    /// Nothing that exists here.
    Missing,
}

/// What the first word of this entrant's command names.
pub fn named(
    entrant: &TypedEntrant,
    word: &Located<String>,
    host_env: &HostEnv,
    boundary: &TrustBoundary,
) -> CommandTarget {
    let program = program_word(&word.value);
    if !program.contains('/') {
        let path = on_path(host_env, boundary, Path::new(program));
        return path.map_or(CommandTarget::Missing, CommandTarget::Program);
    }
    let folder = boundary.folder.as_path();
    let dir = entrant.dir.as_ref().map(|dir| folder.join(&dir.value));
    let path = plain(&dir.as_deref().unwrap_or(folder).join(program));
    if is_interpreter(&path, boundary) {
        CommandTarget::Program(path)
    } else {
        CommandTarget::File
    }
}

/// Whether a path in a command is the organiser's interpreter, and not an entrant's file: one
/// outside of the configuration's folder, or of a virtual environment in it.
fn is_interpreter(path: &Path, boundary: &TrustBoundary) -> bool {
    let is_organisers = is_language(path) && boundary.holder(path).is_none() && !is_unreal(path);
    let is_beside = |path: &Path| path.starts_with(&boundary.folder);
    is_organisers && (!is_beside(path) || virtual_environment(path).is_some())
}
