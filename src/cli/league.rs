//! `awale league`: a folder of bots that lives for months. Each `play` measures what is least known:
//! who is new or has changed first, then the neighbours of the table.
//!
//! ```text
//! DIR/league.toml   the configuration: its entrants come and go
//! DIR/results/      the run's folder
//! ```

use super::args::{
    LeagueCommand, LeaguePlayArguments, PlayArguments, RunArguments, TableArguments,
};
use super::exit::{Exit, Failure, tell};
use super::{run, table};
use crate::config::LeagueFile;
use crate::files;
use crate::isolation::supervisor::Guard;
use crate::run_folder::{open_target, write_file};
use crate::text::{printable, shell_word};
use std::io::{self, Write as _};
use std::path::Path;
use std::time::Instant;

/// The configuration of a league.
const FILE: &str = "league.toml";
/// Its run.
const RESULTS: &str = "results";
/// The largest configuration that is read, in MiB.
const MOST_MIB: u64 = 16;

/// Adds or removes an entrant, or shows the table.
///
/// # Errors
/// There is no such league or entrant, or the disk fails.
pub fn league(command: &LeagueCommand) -> Result<Exit, Failure> {
    match command {
        LeagueCommand::Add { folder, bot } => add(folder, bot),
        LeagueCommand::Remove { folder, name } => remove(folder, name),
        LeagueCommand::Table { folder } => table::table(&TableArguments {
            folder: folder.join(RESULTS),
            csv: false,
            md: false,
        }),
        LeagueCommand::Play(_) => unreachable!("it is played under a guard"),
    }
}

/// Plays what tells most, until the table is exact enough or the time is over.
///
/// # Errors
/// Those of `awale run`.
pub fn play(arguments: &LeaguePlayArguments, guard: &Guard) -> Result<Exit, Failure> {
    let folder = &arguments.folder;
    if read(folder)?.names().len() < 2 {
        return Err(Failure::usage(format!(
            "a league needs two entrants: add one by awale league add {} BOT",
            shown(folder)
        )));
    }
    let began = Instant::now();
    let exit = run::run(
        &RunArguments {
            config: folder.join(FILE),
            pairs: None,
            plan: None,
            update: true,
            decide: false,
            label: None,
            play: PlayArguments {
                slots: arguments.slots,
                output: Some(folder.join(RESULTS)),
                isolation: arguments.isolation.clone(),
                i_trust_these_bots: arguments.i_trust_these_bots,
                live: arguments.live,
                quiet: arguments.quiet,
                stop_after: arguments.time,
                ..PlayArguments::default()
            },
            strict: false,
        },
        guard,
        None,
    )?;
    let is_time_over = arguments.time.is_some_and(|time| began.elapsed() >= time);
    Ok(match exit {
        Exit::Interrupted if is_time_over => Exit::Done,
        exit => exit,
    })
}

fn add(folder: &Path, bot: &str) -> Result<Exit, Failure> {
    let mut file = if folder.join(FILE).exists() {
        read(folder)?
    } else {
        let name = folder.file_name().unwrap_or_default();
        LeagueFile::new(&name.to_string_lossy())
    };
    let here = std::env::current_dir()
        .map_err(|error| Failure::machine(format!("cannot find the working directory: {error}")))?;
    let name = file.add(bot, &here).map_err(Failure::usage)?;
    write(folder, &file)?;
    tell(&format!(
        "{} is in the league; awale league play {} measures it",
        printable(&name),
        shown(folder)
    ));
    Ok(Exit::Done)
}

fn remove(folder: &Path, name: &str) -> Result<Exit, Failure> {
    let mut file = read(folder)?;
    file.remove(name).map_err(Failure::usage)?;
    write(folder, &file)?;
    tell(&format!("{} is no longer in the league", printable(name)));
    Ok(Exit::Done)
}

fn read(folder: &Path) -> Result<LeagueFile, Failure> {
    let path = folder.join(FILE);
    let text = files::read_text(&path, MOST_MIB).map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => Failure::usage(format!(
            "there is no league in {}: awale league add {} BOT makes one",
            printable(&folder.to_string_lossy()),
            shown(folder)
        )),
        _ => Failure::machine(format!(
            "cannot read {}: {error}",
            printable(&path.to_string_lossy())
        )),
    })?;
    LeagueFile::read(&text).map_err(|reason| {
        Failure::usage(format!("{}: {reason}", printable(&path.to_string_lossy())))
    })
}

fn write(folder: &Path, file: &LeagueFile) -> Result<(), Failure> {
    let target = open_target(folder)?;
    write_file(&target, FILE, |out| {
        Ok(out.write_all(file.text().as_bytes())?)
    })?;
    Ok(())
}

fn shown(folder: &Path) -> String {
    shell_word(&folder.to_string_lossy())
}
