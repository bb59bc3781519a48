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
use crate::files::Folder;
use crate::record::GameId;
use crate::tournament::{PairNames, Plan};
use std::io;
use std::path::PathBuf;

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
    folder: &Folder,
    before: Counted<'_>,
    after: Counted<'_>,
) -> Result<(), FolderError> {
    let [before, after] = [before, after].map(Owners::new);
    for kind in FOLDERS {
        for name in names_in(folder, kind)? {
            let place = format!("{kind}/{name}");
            if kind == FAULTS && before.is_left_over(&name) {
                let removed = folder.remove(&place);
                removed.map_err(failed("remove", folder.path(&place)))?;
            } else if let Some(revision) = before.revision_of(&name)
                && after.revision_of(&name) != Some(revision)
            {
                rename(folder, &place, &format!("{SUPERSEDED}/{revision}/{place}"))?;
            }
        }
    }
    Ok(())
}

/// Moves back what counts.
///
/// # Errors
/// The disk's.
pub fn bring_back(folder: &Folder, counted: Counted<'_>) -> Result<(), FolderError> {
    let owners = Owners::new(counted);
    for number in names_in(folder, SUPERSEDED)? {
        let Ok(revision) = number.parse::<u32>() else {
            continue;
        };
        for kind in FOLDERS {
            let aside = format!("{SUPERSEDED}/{number}/{kind}");
            for name in names_in(folder, &aside)? {
                if owners.revision_of(&name) == Some(revision) {
                    rename(
                        folder,
                        &format!("{aside}/{name}"),
                        &format!("{kind}/{name}"),
                    )?;
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

/// The game of a log or a transcript, as in `ada~ben.1.1.south.txt`.
fn logged_game(name: &str) -> Option<GameId> {
    let name = name.strip_suffix(".txt").or(name.strip_suffix(".jsonl"))?;
    let mut sides = [".south", ".north"].into_iter();
    let id = sides.find_map(|end| name.strip_suffix(end))?;
    id.parse().ok()
}

fn names_in(folder: &Folder, name: &str) -> Result<Vec<String>, FolderError> {
    let names = folder.names(name);
    names.map_err(failed("list", folder.path(name)))
}

/// Moves a file or folder in place of what a killed run left there; waits until that would survive
/// a crash.
fn rename(folder: &Folder, from: &str, to: &str) -> Result<(), FolderError> {
    let moved = folder
        .remove(to)
        .and_then(|()| folder.rename(from, to)?.sync());
    moved.map_err(failed("move", folder.path(from)))
}

fn failed(attempt: &'static str, path: PathBuf) -> impl FnOnce(io::Error) -> FolderError {
    move |error| FolderError::file(attempt, path, error)
}
