//! What is known of one game: its record, and what pages show of it beside its moves.

use super::evidence::folder_of_game;
use super::evidence::{PAGE, STDERR};
use super::folder::RunFolder;
use super::folder_error::FolderError;
use crate::files::Folder;
use crate::record::{GameId, GameRecord, GameSummary, hint};
use crate::report::ShownFault;
use crate::text::{printable, shell_word};
use crate::tournament::{Entry, JournalReader, PairNames, Plan};
use std::io::{Read as _, Seek as _, SeekFrom};
use std::path::Path;

/// The record of the game that counts, or of the last attempt at one that does not; `None` if the
/// journal has no game of this id.
///
/// # Errors
/// The journal cannot be read.
pub fn find_game(
    folder: &RunFolder,
    plan: &Plan,
    id: &str,
) -> Result<Option<Box<GameRecord>>, FolderError> {
    let Ok(id) = id.parse::<GameId>() else {
        return Ok(None);
    };
    let id = PairNames::new(plan).placed(id);
    let mut found: Option<Box<GameRecord>> = None;
    read_records(folder, plan, &mut |record| {
        if record.id == id && found.as_ref().is_none_or(|it| it.is_void()) {
            found = Some(record);
        }
    })?;
    Ok(found)
}

/// Passes the whole records of the games that this plan counts, void ones included, in the order of
/// the journal.
///
/// # Errors
/// The journal cannot be read.
pub fn read_records(
    folder: &RunFolder,
    plan: &Plan,
    take: &mut dyn FnMut(Box<GameRecord>),
) -> Result<(), FolderError> {
    let mut reader = JournalReader::new(folder.bytes()?).counting_for(plan);
    let read = reader.read_all(&|record| record, &mut |state, entry| {
        let entry = entry?;
        let counts = state.counts(&entry);
        if let Entry::Game(record) = entry
            && counts
        {
            take(record);
        }
        Ok(())
    });
    read.map_err(|error| folder.unusable(error))
}

/// The fault that ended a game, with its evidence in the run's folder. At most `standard_error`
/// bytes of what the bot wrote there are shown.
pub fn shown_fault(
    game: &GameSummary,
    run_folder: &Path,
    standard_error: usize,
) -> Option<ShownFault> {
    let (_, kind) = game.fault()?;
    let detail = game.fault_detail().unwrap_or_default();
    let run = Folder::open(run_folder).ok()?;
    let folder = folder_of_game(game);
    let folder = folder.filter(|it| run.is_file(Path::new(it).join(PAGE)));
    Some(ShownFault {
        detail: detail.to_owned(),
        advice: hint(kind, detail).map(str::to_owned),
        standard_error: folder
            .as_ref()
            .and_then(|it| file_end(&run, &format!("{it}/{STDERR}"), standard_error)),
        replay: folder.as_ref().map(|it| {
            let path = run_folder.join(it);
            let path = printable(&shell_word(&path.to_string_lossy()));
            format!("awale replay-to-bot {path} -- ./mybot")
        }),
        folder,
    })
}

/// The last bytes of a file as text; `None` if it is missing or empty.
fn file_end(folder: &Folder, name: &str, most: usize) -> Option<String> {
    let mut file = folder.file(name).ok()?;
    let length = file.metadata().ok()?.len();
    file.seek(SeekFrom::Start(length.saturating_sub(most as u64)))
        .ok()?;
    let mut bytes = Vec::new();
    file.take(most as u64).read_to_end(&mut bytes).ok()?;
    (!bytes.is_empty()).then(|| String::from_utf8_lossy(&bytes).into_owned())
}
