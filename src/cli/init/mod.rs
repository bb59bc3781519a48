//! `awale init`: a first configuration, or a first bot. It writes new files and replaces none.

use super::args::InitArguments;
use super::exit::{Exit, Failure, tell};
use crate::course::{STARTERS, practice_files};
use crate::text::{printable, shell_word};
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write as _};
use std::path::Path;

const TOURNAMENT: &str = include_str!("tournament.toml");

/// Writes the files and tells what to do next.
///
/// # Errors
/// A file exists already or cannot be written.
pub fn init(arguments: &InitArguments) -> Result<Exit, Failure> {
    match &arguments.bot {
        Some(language) => bot(language, arguments.path.as_deref()),
        None => tournament(arguments.path.as_deref()),
    }?;
    Ok(Exit::Done)
}

fn tournament(path: Option<&Path>) -> Result<(), Failure> {
    let path = path.unwrap_or(Path::new("tournament.toml"));
    let file = checked(path)?;
    let name = path.file_stem().unwrap_or_default().to_string_lossy();
    let file_name = path.file_name().unwrap_or_default().to_string_lossy();
    let text = TOURNAMENT.replace("{name}", &name);
    write_new(path, &text.replace("{file}", &file_name))?;
    tell(&format!("{file} is a tournament that can be played:"));
    tell(&format!("  awale run {file}"));
    Ok(())
}

fn bot(language: &str, folder: Option<&Path>) -> Result<(), Failure> {
    let folder = folder.unwrap_or(Path::new("my-bot"));
    let starter = STARTERS.iter().find(|it| it.language == language);
    let starter = starter.expect("clap takes these languages alone");
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
