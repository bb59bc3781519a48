//! Recognises the installation of a toolchain on the disk: its prefix, and the settings of a
//! virtual environment, which are read as data.

use std::fs::File;
use std::io::Read as _;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

/// Programs that cannot run without the folders of their installation.
const LANGUAGES: [&str; 10] = [
    "python", "node", "java", "ruby", "perl", "lua", "php", "julia", "deno", "bun",
];
/// The size limit of a virtual environment's settings, in bytes.
const LONGEST_SETTINGS: u64 = 64 << 10;

/// Whether a program has the name of a language.
pub fn is_language(program: &Path) -> bool {
    let name = program.file_name().unwrap_or_default().to_string_lossy();
    LANGUAGES.iter().any(|language| name.starts_with(language))
}

/// The virtual environment of a program, and the home in its settings.
pub fn virtual_environment(program: &Path) -> Option<(PathBuf, PathBuf)> {
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
