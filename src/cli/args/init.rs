//! The arguments of commands that help to begin: `awale init`, `awale schema` and `awale
//! completions`.

use crate::cli::init::starter::Language;
use clap::Args;
use clap_complete::Shell;
use std::path::PathBuf;

/// How `awale init` is used.
pub(super) const INIT_HELP: &str = "\
awale init spring.toml                      a tournament
awale init --class submissions class.toml   a class: each folder in submissions is an entrant
awale init --bot python ada                 a bot in the folder ada

Files that exist are left as they are. Exit code: 0, 2 if a file exists already, 3 if a file \
cannot be written.";

#[derive(Args, Debug)]
pub struct InitArguments {
    /// The file of the configuration (default: tournament.toml or class.toml), or the folder of the
    /// bot (default: my-bot)
    #[arg(value_name = "PATH")]
    pub path: Option<PathBuf>,
    /// Write a class whose entrants are the folders in DIR, relative to the file
    #[arg(long, value_name = "DIR", conflicts_with = "bot")]
    pub class: Option<String>,
    /// Write a starter bot in this language
    #[arg(long, value_name = "LANGUAGE")]
    pub bot: Option<Language>,
}

#[derive(Args, Debug)]
pub struct SchemaArguments {
    /// Of an event that run --json and sprt --json print
    #[arg(long)]
    pub events: bool,
}

#[derive(Args, Debug)]
pub struct CompletionsArguments {
    /// The shell; its output belongs where the shell looks for completions
    #[arg(value_name = "SHELL", required_unless_present = "man")]
    pub shell: Option<Shell>,
    /// Write a manual page for each command into this folder instead
    #[arg(long, value_name = "DIR", conflicts_with = "shell")]
    pub man: Option<PathBuf>,
}
