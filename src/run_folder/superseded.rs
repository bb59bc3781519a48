//! Evidence and logs of games that no longer count, because the plan of the run changed. They move
//! to `superseded/REVISION/` before the journal gets the new plan, and come back when a later plan
//! asks for these games again.
//!
//! Where a file belongs follows from the journal alone, so a kill at any moment is repaired when
//! the run goes on: before the new line [`set_aside`] moves what will not count, and at every start
//! [`bring_back`] moves what counts. What a killed run left of a game that is not in the journal
//! goes first: under the next plan it could be taken for the evidence of another game.

use super::evidence::{ADMISSION, FAULTS, LOGS};
use super::folder_error::FolderError;
use super::journal_games::JournalGames;
use crate::record::GameId;
use crate::tournament::{PairNames, Plan};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// The folder of everything that no longer counts, inside the run's folder.
pub const SUPERSEDED: &str = "superseded";

/// The folders whose entries belong to games or admissions.
const FOLDERS: [&str; 2] = [FAULTS, LOGS];

/// What of a journal counts for a plan.
#[derive(Clone, Copy, Debug)]
pub struct Counted<'a> {
    /// The plan.
    pub plan: &'a Plan,
    /// The games.
    pub games: &'a JournalGames,
}

/// Moves what counted before a change of the plan, and does not after it.
///
/// # Errors
/// The disk's.
pub fn set_aside(
    folder: &Path,
    before: Counted<'_>,
    after: Counted<'_>,
) -> Result<(), FolderError> {
    let [before, after] = [before, after].map(Owners::new);
    for kind in FOLDERS {
        for name in names_in(&folder.join(kind))? {
            if kind == FAULTS && before.is_left_over(&name) {
                remove(&folder.join(kind).join(&name))?;
            } else if let Some(revision) = before.revision_of(&name)
                && after.revision_of(&name) != Some(revision)
            {
                let aside = folder.join(SUPERSEDED).join(revision.to_string());
                rename(&folder.join(kind).join(&name), &aside.join(kind), &name)?;
            }
        }
    }
    Ok(())
}

/// Moves back what counts.
///
/// # Errors
/// The disk's.
pub fn bring_back(folder: &Path, counted: Counted<'_>) -> Result<(), FolderError> {
    let owners = Owners::new(counted);
    for number in names_in(&folder.join(SUPERSEDED))? {
        let Ok(revision) = number.parse::<u32>() else {
            continue;
        };
        let aside = folder.join(SUPERSEDED).join(&number);
        for kind in FOLDERS {
            for name in names_in(&aside.join(kind))? {
                let place = folder.join(kind);
                if owners.revision_of(&name) == Some(revision) {
                    rename(&aside.join(kind).join(&name), &place, &name)?;
                }
            }
        }
    }
    Ok(())
}

/// The revision of the plan in which the owner of a file was played.
struct Owners<'a> {
    names: PairNames,
    games: &'a JournalGames,
}

impl<'a> Owners<'a> {
    fn new(counted: Counted<'a>) -> Self {
        Self {
            names: PairNames::new(counted.plan),
            games: counted.games,
        }
    }

    /// `None` for a file of a game that does not count, and for any other file.
    fn revision_of(&self, name: &str) -> Option<u32> {
        let store = self.games.store();
        // An entrant may be called `admission-x`.
        if let Ok(id) = name.parse() {
            return store.revision_of_result(&self.names.placed(id));
        }
        if let Some(id) = logged_game(name) {
            return store.revision_of(&self.names.placed(id));
        }
        self.games.examined(name.strip_prefix(ADMISSION)?)
    }

    /// Whether it is the evidence of a game or an examination that is not in the journal.
    fn is_left_over(&self, name: &str) -> bool {
        let is_evidence = name.parse::<GameId>().is_ok() || name.starts_with(ADMISSION);
        is_evidence && self.revision_of(name).is_none()
    }
}

/// The game of a log, as in `ada~ben.1.1.south.txt`.
fn logged_game(name: &str) -> Option<GameId> {
    let mut sides = [".south.txt", ".north.txt"].into_iter();
    let id = sides.find_map(|end| name.strip_suffix(end))?;
    id.parse().ok()
}

/// The names in a folder, in their order; none if it does not exist.
fn names_in(folder: &Path) -> Result<Vec<String>, FolderError> {
    let entries = match fs::read_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries.map_err(failed("list", folder))?,
    };
    let names = entries.map(|entry| Ok(entry?.file_name().into_string().ok()));
    let names: io::Result<Vec<Option<String>>> = names.collect();
    let names = names.map_err(failed("list", folder))?;
    let mut names: Vec<String> = names.into_iter().flatten().collect();
    names.sort_unstable();
    Ok(names)
}

/// Moves a file or folder into a folder, which is made if necessary, in place of what a killed run
/// left there; waits until that would survive a crash.
fn rename(from: &Path, into: &Path, name: &str) -> Result<(), FolderError> {
    remove(&into.join(name))?;
    let moved = fs::create_dir_all(into)
        .and_then(|()| fs::rename(from, into.join(name)))
        .and_then(|()| fs::File::open(into)?.sync_all());
    moved.map_err(failed("move", from))
}

/// Removes a file or folder, if it exists.
fn remove(path: &Path) -> Result<(), FolderError> {
    let removed = match fs::symlink_metadata(path) {
        Ok(found) if found.is_dir() => fs::remove_dir_all(path),
        Ok(_) => fs::remove_file(path),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(error) => Err(error),
    };
    removed.map_err(failed("remove", path))
}

fn failed(attempt: &'static str, path: &Path) -> impl FnOnce(io::Error) -> FolderError {
    let path: PathBuf = path.to_owned();
    move |error| FolderError::File {
        attempt,
        path,
        error,
    }
}
