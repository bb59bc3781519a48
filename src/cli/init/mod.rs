//! `awale init`: a first configuration, or a first bot. It writes new files and replaces none. The
//! starter bots are those of `bots/`, under the names by which a class starts them. Beside a starter
//! lie two files that need no awale: `practice.py` plays it, `play.html` plays against its author.

use super::args::InitArguments;
use super::exit::{Exit, Failure, tell};
use crate::report::play_page;
use crate::text::{printable, shell_word, toml_string};
use clap::ValueEnum;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write as _};
use std::path::Path;

const TOURNAMENT: &str = include_str!("tournament.toml");
const CLASS: &str = include_str!("class.toml");
/// A program with which a bot practises on any system that has Python.
const PRACTICE: &str = include_str!("../../../bots/practice.py");

/// Writes the files and tells what to do next.
///
/// # Errors
/// A file exists already or cannot be written.
pub fn init(arguments: &InitArguments) -> Result<Exit, Failure> {
    match (arguments.bot, &arguments.class) {
        (Some(language), _) => bot(language, arguments.path.as_deref()),
        (None, Some(submissions)) => class(submissions, arguments.path.as_deref()),
        (None, None) => tournament(arguments.path.as_deref()),
    }?;
    Ok(Exit::Done)
}

fn tournament(path: Option<&Path>) -> Result<(), Failure> {
    let path = path.unwrap_or(Path::new("tournament.toml"));
    let file = checked(path)?;
    write_new(path, &filled(TOURNAMENT, path, ""))?;
    tell(&format!("{file} is a tournament that can be played:"));
    tell(&format!("  awale run {file}"));
    Ok(())
}

fn class(submissions: &str, path: Option<&Path>) -> Result<(), Failure> {
    let path = path.unwrap_or(Path::new("class.toml"));
    let file = checked(path)?;
    let beside = path.parent().unwrap_or(Path::new(""));
    let folder = beside.join(submissions);
    fs::create_dir_all(&folder).map_err(|error| cannot("make", &folder, &error))?;
    write_new(path, &filled(CLASS, path, submissions))?;
    let folder = shown(&folder);
    tell(&format!(
        "{file} is a class. Put a folder for each submission into {folder}, then:"
    ));
    tell(&format!("  awale check {file}"));
    tell(&format!("  awale run {file}"));
    Ok(())
}

fn bot(language: Language, folder: Option<&Path>) -> Result<(), Failure> {
    let folder = folder.unwrap_or(Path::new("my-bot"));
    let starter = language.starter();
    for (name, text) in starter.files {
        write_new(&folder.join(name), text)?;
    }
    for (name, text) in practice_files() {
        write_new(&folder.join(name), &text)?;
    }
    let place = shown(folder);
    tell(&format!(
        "{place} is a bot that plays. Change its function `choose`, and try it:"
    ));
    tell(&format!("  cd {place}"));
    if let Some(build) = starter.build {
        tell(&format!("  {build}"));
    }
    let command = shell_word(starter.command);
    tell(&format!("  awale check {command}"));
    tell(&format!("  awale duel {command} greedy"));
    tell("practice.py plays it on any system that has Python, and shows every move:");
    tell(&format!("  python3 practice.py {}", starter.command));
    tell("play.html, in a browser, is a game between you and a bot.");
    Ok(())
}

/// What a student gets besides a starter: the names of the files, and their contents.
pub fn practice_files() -> [(&'static str, String); 2] {
    [
        ("practice.py", PRACTICE.to_owned()),
        ("play.html", play_page()),
    ]
}

/// A template for a file of this name.
fn filled(template: &str, path: &Path, submissions: &str) -> String {
    let name = path.file_stem().unwrap_or_default().to_string_lossy();
    let file = path.file_name().unwrap_or_default().to_string_lossy();
    template
        .replace("{name}", &name)
        .replace("{file}", &file)
        .replace("{quoted}", &toml_string(submissions))
        .replace("{submissions}", &printable(submissions))
}

/// The path of a configuration, for a shell. The name of its file becomes that of the tournament.
fn checked(path: &Path) -> Result<String, Failure> {
    let name = path.file_stem().unwrap_or_default().to_string_lossy();
    let fits = |it: char| it.is_alphanumeric() || "-_. ".contains(it);
    let is_name = !name.is_empty() && name.chars().all(fits) && !name.starts_with('-');
    if !is_name || path.extension().is_none_or(|it| it != "toml") {
        return Err(Failure::usage(format!(
            "cannot write a configuration to {}: its name is a word of letters, digits, - and _, \
             and ends with .toml, as in spring.toml",
            printable(&path.to_string_lossy())
        )));
    }
    Ok(shown(path))
}

/// Writes a file that does not exist yet.
fn write_new(path: &Path, text: &str) -> Result<(), Failure> {
    if let Some(folder) = path.parent().filter(|it| *it != Path::new("")) {
        fs::create_dir_all(folder).map_err(|error| cannot("make", folder, &error))?;
    }
    let created = OpenOptions::new().write(true).create_new(true).open(path);
    match created {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Err(Failure::usage(format!(
            "{} exists already, and is left as it is; name another path",
            printable(&path.to_string_lossy())
        ))),
        Err(error) => Err(cannot("write", path, &error)),
        Ok(file) => fill(file, text).map_err(|error| {
            // Half a file would be in the way of the next try.
            let _ = fs::remove_file(path);
            cannot("write", path, &error)
        }),
    }
}

fn fill(mut file: File, text: &str) -> io::Result<()> {
    file.write_all(text.as_bytes())?;
    file.sync_all()
}

fn cannot(what: &str, path: &Path, error: &io::Error) -> Failure {
    Failure::machine(format!("cannot {what} {}: {error}", shown(path)))
}

fn shown(path: &Path) -> String {
    printable(&shell_word(&path.to_string_lossy()))
}

/// A language with a starter bot.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Language {
    /// Python 3
    Python,
    /// Node.js
    Javascript,
    /// C
    C,
    /// C++17
    Cpp,
    /// Java 11
    Java,
    /// Rust
    Rust,
    /// Go
    Go,
}

/// A starter bot.
struct Starter {
    /// Paths relative to its folder, and contents.
    files: &'static [(&'static str, &'static str)],
    /// The command that builds it, if it must be built.
    build: Option<&'static str>,
    /// The command that starts it.
    command: &'static str,
}

macro_rules! file {
    ($path:literal) => {
        include_str!(concat!("../../../bots/", $path))
    };
}

impl Language {
    /// The starter bot of this language.
    const fn starter(self) -> Starter {
        match self {
            Self::Python => Starter {
                files: &[("main.py", file!("python/bot.py"))],
                build: None,
                command: "python3 main.py",
            },
            Self::Javascript => Starter {
                files: &[("bot.js", file!("javascript/bot.js"))],
                build: None,
                command: "node bot.js",
            },
            Self::C => Starter {
                files: &[("main.c", file!("c/bot.c"))],
                build: Some("cc -std=gnu11 -Wall -O2 -o bot main.c"),
                command: "./bot",
            },
            Self::Cpp => Starter {
                files: &[("main.cpp", file!("cpp/main.cpp"))],
                build: Some("c++ -std=c++17 -Wall -O2 -o bot main.cpp"),
                command: "./bot",
            },
            Self::Java => Starter {
                files: &[("Bot.java", file!("java/Bot.java"))],
                build: Some("javac Bot.java"),
                command: "java -Xmx256m -XX:+UseSerialGC Bot",
            },
            Self::Rust => Starter {
                files: &[
                    ("Cargo.toml", file!("rust/Cargo.toml")),
                    ("src/main.rs", file!("rust/src/main.rs")),
                ],
                build: Some("cargo build --release"),
                command: "target/release/my-bot",
            },
            Self::Go => Starter {
                files: &[("main.go", file!("go/main.go"))],
                build: Some("go build -o bot main.go"),
                command: "./bot",
            },
        }
    }
}
