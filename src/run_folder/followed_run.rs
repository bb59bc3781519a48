//! A run that is read while it is played: its page, again and again, as its journal grows.
//!
//! Only what was added to the journal is read each time. The reader needs no lock, and the
//! run need not know of it.

use super::folder::RunFolder;
use super::folder_error::FolderError;
use super::game_page::{find_game, shown_fault};
use super::journal_games::{JournalGames, note};
use super::page::{PageData, PageInputs, json_text, page_data};
use super::run_results::{RunResults, notes_for_readers};
use super::tables::{TableInputs, TablesError, count};
use crate::record::{Exclusions, GameSummary};
use crate::report::{GameDetails, InfoLimit};
use crate::tournament::{Judgement, Progress, RunDocument, Schedule, judge};
use std::io;
use std::path::{Path, PathBuf};

/// Bytes of `info` and of standard error of one game.
const INFO_BYTES: usize = 256 << 10;
const STANDARD_ERROR_BYTES: usize = 4 << 10;

/// A run that is being played.
#[derive(Debug)]
pub struct FollowedRun {
    folder: RunFolder,
    path: PathBuf,
    run: RunDocument,
    names: Vec<String>,
    schedule: Schedule,
    games: JournalGames,
    progress: Progress,
    exclusions: Exclusions,
}

impl FollowedRun {
    /// Follows the run in this folder, which is played by this definition. Nothing is read yet.
    ///
    /// # Errors
    /// The folder has no journal, or it cannot be read.
    pub fn new(path: &Path, run: RunDocument) -> io::Result<Self> {
        Ok(Self {
            folder: RunFolder::look(path)?,
            path: path.to_owned(),
            names: run.plan.names(),
            schedule: Schedule::new(&run.plan),
            games: JournalGames::counting_for(&run.plan),
            progress: Progress::default(),
            exclusions: Exclusions::default(),
            run,
        })
    }

    /// Reads what was added since the last time, up to the last whole line. Returns whether there
    /// was anything.
    ///
    /// # Errors
    /// The journal cannot be read.
    pub fn read_on(&mut self) -> Result<bool, FolderError> {
        let before = self.games.bytes_read();
        let Self {
            games, progress, ..
        } = self;
        self.folder.read_on(games, &mut |_, entry| {
            note(progress, entry);
            Ok(())
        })?;
        Ok(self.games.bytes_read() > before)
    }

    /// The page of what was read.
    ///
    /// # Errors
    /// The journal has games of other entrants.
    pub fn page(&mut self) -> Result<PageData, TablesError> {
        let Judgement {
            exclusions,
            games,
            complete,
            test,
            test_path,
        } = judge(&self.run.plan, &self.schedule, self.progress.clone());
        let inputs = TableInputs {
            plan: &self.run.plan,
            names: &self.names,
            exclusions: &exclusions,
            model: &self.run.rating_model(),
            grading: self.run.settings.grading.as_ref(),
            history: &[],
        };
        let (tables, noise) = count(self.games.store(), &inputs)?;
        let notes = notes_for_readers(&tables, &noise, self.games.state());
        let results = RunResults {
            run: &self.run,
            games: self.games.store(),
            exclusions: &exclusions,
            complete,
            tables: &tables,
            folder: &self.path,
            test: test.as_ref(),
            test_path: &test_path,
        };
        let data = page_data(&PageInputs {
            results: &results,
            source: &self.folder,
            notes: &notes,
            planned: games,
            own: None,
        });
        drop(tables);
        self.exclusions = exclusions;
        Ok(data)
    }

    /// What the replay of a game shows, as JSON; `None` if the last page has no such game.
    ///
    /// # Errors
    /// The journal cannot be read.
    pub fn game(&self, id: &str) -> Result<Option<String>, FolderError> {
        let Some(record) = find_game(&self.folder, &self.run.plan, id)? else {
            return Ok(None);
        };
        let summary = GameSummary::of(&record);
        let Some(game) = self.exclusions.counted(&summary) else {
            return Ok(None);
        };
        let limit = InfoLimit {
            bytes: INFO_BYTES,
            only: None,
        };
        let (mut details, _) = GameDetails::of(&record, self.run.plan.rules, limit);
        details.fault = shown_fault(&game, &self.path, STANDARD_ERROR_BYTES);
        Ok(Some(json_text(&details)))
    }
}
