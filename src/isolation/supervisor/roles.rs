//! The role of a process: hidden arguments before those of the user.

use super::guard::{RefereeContext, SupervisorKind};
use crate::bot::OWN_PROGRAM;
use crate::log::VARIABLE;
use std::ffi::{OsStr, OsString};
use std::io;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use tracing::level_filters::LevelFilter;

const GATE: &str = "__gate";
const FIRST_PROCESS: &str = "__first-process";
const REFEREE: &str = "__referee";

/// The role of a process.
#[derive(Debug, PartialEq, Eq)]
pub enum Role {
    /// The process that the user started.
    User,
    /// Enter new namespaces and start the first process there.
    Gate {
        /// Name of the run.
        run: String,
    },
    /// Be number 1 of a PID namespace.
    FirstProcess {
        /// Name of the run.
        run: String,
    },
    /// Run the user's command, guarded.
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
        let role = role(&words).filter(|(_, hidden)| words.len() > *hidden);
        let (role, hidden) = role.unwrap_or((Role::User, 0));
        if hidden > 0 {
            words.drain(1..=hidden);
        }
        Self { role, words }
    }
}

/// The role, and the number of hidden arguments that name it.
fn role(words: &[OsString]) -> Option<(Role, usize)> {
    let text = |place: usize| words.get(place).and_then(|word| word.to_str());
    let run = || text(2).map(str::to_owned);
    match text(1)? {
        GATE => Some((Role::Gate { run: run()? }, 2)),
        FIRST_PROCESS => Some((Role::FirstProcess { run: run()? }, 2)),
        REFEREE => {
            let kind = match (text(3)?, text(4)?) {
                ("namespace", _) => SupervisorKind::Namespace,
                (_, reason) => SupervisorKind::Subreaper {
                    reason: reason.to_owned(),
                },
            };
            let place = RefereeContext {
                run: run()?,
                kind,
                folder: PathBuf::from(words.get(5)?),
            };
            Some((Role::Referee(place), 5))
        }
        _ => None,
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
    match role {
        Role::User => {}
        Role::Gate { run } => {
            command.args([GATE, run]);
        }
        Role::FirstProcess { run } => {
            command.args([FIRST_PROCESS, run]);
        }
        Role::Referee(place) => {
            let (kind, reason) = match &place.kind {
                SupervisorKind::Namespace => ("namespace", "-"),
                SupervisorKind::Subreaper { reason } => ("subreaper", reason.as_str()),
            };
            command.args([REFEREE, &place.run, kind, reason]);
            command.arg(OsStr::new(&place.folder));
        }
    }
    command.args(words.iter().skip(1)).env("TMPDIR", temporary);
    if LevelFilter::current() > LevelFilter::OFF {
        command.env(VARIABLE, LevelFilter::current().to_string());
    }
    command.stdin(input).spawn()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(words: &[&str]) -> CommandLine {
        CommandLine::of(words.iter().map(OsString::from).collect())
    }

    #[test]
    fn hidden_words_are_taken_out() {
        let own = ["./awale", "run", "a b.toml"];
        let plain = of(&own);
        assert_eq!(plain.role, Role::User);
        assert_eq!(plain.words, own);
        let gate = of(&["./awale", GATE, "awale-1-2-3", "run", "a b.toml"]);
        let run = "awale-1-2-3".to_owned();
        assert_eq!(gate.role, Role::Gate { run: run.clone() });
        assert_eq!(gate.words, own);
        let words = ["./awale", FIRST_PROCESS, "awale-1-2-3", "run", "a b.toml"];
        assert_eq!(of(&words).role, Role::FirstProcess { run: run.clone() });
        for (kind, reason) in [
            (SupervisorKind::Namespace, "-"),
            (
                SupervisorKind::Subreaper {
                    reason: "no".to_owned(),
                },
                "no",
            ),
        ] {
            let name = match kind {
                SupervisorKind::Namespace => "namespace",
                SupervisorKind::Subreaper { .. } => "subreaper",
            };
            let words = [
                &["./awale", REFEREE, &run, name, reason, "/dev/shm/x"],
                &own[1..],
            ]
            .concat();
            let referee = of(&words);
            let folder = PathBuf::from("/dev/shm/x");
            let run = run.clone();
            assert_eq!(
                referee.role,
                Role::Referee(RefereeContext { run, kind, folder })
            );
            assert_eq!(referee.words, own);
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
            &["awale", GATE],
            &["awale", REFEREE, "run", "namespace"],
            &["awale", "run", GATE, "x"],
        ] {
            let line = of(words);
            assert_eq!(line.role, Role::User, "{words:?}");
            assert_eq!(line.words, words);
        }
    }
}
