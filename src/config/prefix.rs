//! Recognises the installation of a toolchain on the disk: its prefix, and the settings of a
//! virtual environment, which are read as data.

use crate::files::Folder;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

/// Programs that cannot run without the folders of their installation.
const LANGUAGES: [&str; 10] = [
    "python", "node", "java", "ruby", "perl", "lua", "php", "julia", "deno", "bun",
];

/// Whether a program has the name of a language.
pub fn is_language(program: &Path) -> bool {
    let name = program.file_name().unwrap_or_default().to_string_lossy();
    LANGUAGES.iter().any(|language| name.starts_with(language))
}

/// The virtual environment of a program, and the home in its settings.
pub fn virtual_environment(program: &Path) -> Option<(PathBuf, PathBuf)> {
    let programs = program.parent().filter(|it| it.ends_with("bin"))?;
    let folder = programs.parent()?;
    let settings = Folder::open(folder).ok()?.read("pyvenv.cfg", 1).ok()?;
    let text = String::from_utf8(settings).ok()?;
    let mut keys = text.lines().filter_map(|line| line.split_once('='));
    let (_, home) = keys.find(|(key, _)| key.trim() == "home")?;
    Some((folder.to_owned(), PathBuf::from(home.trim())))
}

/// Whether a folder looks like the prefix of a toolchain and nothing else.
pub fn is_prefix(folder: &Path, executable: &Path) -> bool {
    let has = |name: &str| folder.join(name).exists();
    let name = executable.file_name().unwrap_or_default();
    let is_for_all = folder
        .file_name()
        .is_some_and(|it| it.as_bytes() == b".local");
    let has_program = folder.join("bin").join(name).exists() || has("bin/python3");
    has_program && !is_for_all && ["pyvenv.cfg", "lib", "release"].into_iter().any(has)
}

/// A program in a `bin` belongs to the parent folder.
pub fn prefix(executable: &Path) -> Option<PathBuf> {
    let folder = executable.parent()?;
    let around = if folder.file_name()? == "bin" {
        folder.parent()?
    } else {
        folder
    };
    // `/bin` belongs to the system.
    around.parent().is_some().then(|| around.to_owned())
}
