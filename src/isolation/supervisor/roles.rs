//! The role of a process: a hidden argument of JSON before those of the user.

use super::guard::RefereeContext;
use crate::bot::OWN_PROGRAM;
use crate::log::VARIABLE;
use serde::{Deserialize, Serialize};
use std::ffi::OsString;
use std::io;
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use tracing::level_filters::LevelFilter;

/// The role of a process.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub enum Role {
    /// The process that the user started.
    #[serde(skip)]
    User,
    /// Enter new namespaces and start the first process there.
    #[serde(rename = "__gate")]
    Gate {
        /// Name of the run.
        run: String,
    },
    /// Be number 1 of a PID namespace.
    #[serde(rename = "__first-process")]
    FirstProcess {
        /// Name of the run.
        run: String,
    },
    /// Run the user's command, guarded.
    #[serde(rename = "__referee")]
    Referee(RefereeContext),
}

/// The command line of this process, taken apart.
#[derive(Debug, PartialEq, Eq)]
pub struct CommandLine {
    /// Its role.
    pub role: Role,
    /// The user's own words, the program's name first.
    pub words: Vec<OsString>,
}

impl CommandLine {
    /// Of this process.
    pub fn own() -> Self {
        Self::of(std::env::args_os().collect())
    }

    fn of(mut words: Vec<OsString>) -> Self {
        let hidden = words.get(1).and_then(|word| word.to_str());
        let role = hidden.and_then(|word| serde_json::from_str(word).ok());
        if role.is_some() {
            words.remove(1);
        }
        Self {
            role: role.unwrap_or(Role::User),
            words,
        }
    }
}

/// Whether the user's command is one in which a person plays at the terminal.
pub fn reads_a_terminal(words: &[OsString]) -> bool {
    words.get(1).is_some_and(|command| command == "play")
}

/// Starts this program in another role, with another standard input and this folder for temporary
/// files.
pub fn start(role: &Role, words: &[OsString], input: Stdio, temporary: &Path) -> io::Result<Child> {
    let mut command = Command::new(OWN_PROGRAM);
    if let Some(name) = words.first() {
        command.arg0(name);
    }
    command.arg(serde_json::to_string(role)?);
    command.args(words.iter().skip(1)).env("TMPDIR", temporary);
    if LevelFilter::current() > LevelFilter::OFF {
        command.env(VARIABLE, LevelFilter::current().to_string());
    }
    command.stdin(input).spawn()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::isolation::supervisor::SupervisorKind;

    fn of(words: &[&str]) -> CommandLine {
        CommandLine::of(words.iter().map(OsString::from).collect())
    }

    #[test]
    fn the_hidden_word_is_taken_out() {
        let own = ["./awale", "run", "a b.toml"];
        let plain = of(&own);
        assert_eq!(
            (plain.role, &plain.words[..]),
            (Role::User, &own.map(OsString::from)[..])
        );
        let run = "awale-1-2-3".to_owned();
        let referee = |kind| {
            let (run, folder) = (run.clone(), "/dev/shm/x".into());
            Role::Referee(RefereeContext { run, kind, folder })
        };
        let reason = "no".to_owned();
        for role in [
            Role::Gate { run: run.clone() },
            Role::FirstProcess { run: run.clone() },
            referee(SupervisorKind::Namespace),
            referee(SupervisorKind::Subreaper { reason }),
        ] {
            let hidden = serde_json::to_string(&role).unwrap();
            let line = of(&["./awale", &hidden, "run", "a b.toml"]);
            assert_eq!(
                (line.role, &line.words[..]),
                (role, &own.map(OsString::from)[..])
            );
        }
    }

    #[test]
    fn a_person_plays_in_one_command() {
        for (words, reads) in [
            (&["./awale", "play", "greedy"][..], true),
            (&["./awale", "run", "play"], false),
            (&["./awale"], false),
        ] {
            let words: Vec<OsString> = words.iter().map(OsString::from).collect();
            assert_eq!(reads_a_terminal(&words), reads);
        }
    }

    #[test]
    fn words_that_only_look_hidden_are_the_users() {
        for words in [
            &[][..],
            &["awale"],
            &["awale", "__gate", "x"],
            &["awale", "{\"__gate\":{}}"],
            &["awale", "\"User\""],
            &["awale", "run", "{\"__gate\":{\"run\":\"x\"}}", "x"],
        ] {
            let line = of(words);
            assert_eq!(line.role, Role::User, "{words:?}");
            assert_eq!(line.words, words);
        }
    }
}
