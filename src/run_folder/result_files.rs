//! Writes what follows from the games of a run: the tables, and the page.

use super::folder::RunFolder;
use super::folder_error::FolderError;
use super::journal_games::JournalGames;
use super::page::{PageInputs, write_report};
use super::put_aside::put_aside_note;
use super::run_results::{RunResults, earlier_standings, notes_for_readers};
use super::tables::{self, TableInputs, TablesError};
use crate::report::{ClassFacts, HostNoise, Reader, StandingsRow, Tables};
use crate::tournament::{RunDocument, RunOutcome};
use std::path::Path;

/// A run whose results are written.
#[derive(Clone, Copy, Debug)]
pub struct ResultFiles<'n, 'a> {
    /// The run.
    pub run: &'a RunDocument,
    /// Its entrants, in the order of the plan.
    pub names: &'n [String],
    /// Its folder.
    pub source: &'a RunFolder,
    /// The same as a path.
    pub folder: &'a Path,
    /// All games of its journal.
    pub games: &'a JournalGames,
    /// What counts of them.
    pub outcome: &'a RunOutcome,
}

impl<'n> ResultFiles<'n, '_> {
    /// Writes the tables to the folder `target`.
    ///
    /// # Errors
    /// The folders fail, or the journal has games of other entrants.
    pub fn write_tables(&self, target: &Path) -> Result<(Tables<'n>, HostNoise), TablesError> {
        let history = earlier_standings(self.source, &self.games.state().earlier)?;
        let analyst = tables::find_analyst(&self.run.plan.rules).ok().flatten();
        let inputs = TableInputs {
            analyst: analyst.as_ref(),
            ..self.table_inputs(&history)
        };
        tables::write(self.games.store(), target, &inputs)
    }

    /// The tables, without writing them.
    ///
    /// # Errors
    /// The journal has games of other entrants.
    pub fn tables(&self) -> Result<Tables<'n>, TablesError> {
        Ok(tables::count(self.games.store(), &self.table_inputs(&[]))?.0)
    }

    /// What readers of these tables should know.
    pub fn notes(&self, tables: &Tables<'_>, noise: &HostNoise) -> Vec<String> {
        let mut notes = notes_for_readers(tables, noise, self.games.state());
        notes.extend(put_aside_note(self.source));
        notes
    }

    /// Writes the page to the folder `target`, and pages of these entrants alone. `class` has the
    /// students, if the entrants are a class.
    ///
    /// # Errors
    /// The folders fail.
    pub fn write_pages(
        &self,
        results: &RunResults<'_>,
        notes: &[String],
        target: &Path,
        (entrants, class): (&[String], Option<&ClassFacts>),
    ) -> Result<(), FolderError> {
        let page = PageInputs {
            results,
            source: self.source,
            notes,
            reader: Reader::Organiser,
            class,
        };
        write_report(&page, target)?;
        if self.run.settings.hides_names() {
            let reader = Reader::Public;
            write_report(&PageInputs { reader, ..page }, target)?;
        }
        entrants.iter().try_for_each(|entrant| {
            let reader = Reader::Author(entrant);
            write_report(&PageInputs { reader, ..page }, target)
        })
    }

    const fn table_inputs<'i>(&'i self, history: &'i [Vec<StandingsRow>]) -> TableInputs<'n, 'i> {
        TableInputs {
            run: self.run,
            names: self.names,
            exclusions: &self.outcome.exclusions,
            history,
            analyst: None,
        }
    }

    /// The run with these tables.
    pub const fn results<'r>(&'r self, tables: &'r Tables<'r>) -> RunResults<'r> {
        RunResults {
            run: self.run,
            games: self.games.store(),
            outcome: self.outcome,
            tables,
            folder: self.folder,
        }
    }
}
