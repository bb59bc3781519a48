//! Writes what follows from the games of a run: the tables, the feedback of a class, and the page.

use super::feedback::write_feedback;
use super::folder::RunFolder;
use super::journal_games::JournalGames;
use super::page::{PageInputs, write_report};
use super::run_results::{RunResults, earlier_standings, notes_for_readers};
use super::tables::{self, TableInputs, TablesError};
use crate::report::{HostNoise, StandingsRow, Tables};
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
    /// Writes them to the folder `target`, with pages of these entrants alone.
    ///
    /// # Errors
    /// The folders fail, or the journal has games of other entrants.
    pub fn write(
        &self,
        target: &Path,
        entrants: &[String],
    ) -> Result<(Tables<'n>, HostNoise), TablesError> {
        let state = self.games.state();
        let history = earlier_standings(self.source, &state.earlier)?;
        let inputs = self.table_inputs(&history);
        let (tables, noise) = tables::write(self.games.store(), target, &inputs)?;
        let results = self.results(&tables);
        write_feedback(&results, target)?;
        let page = PageInputs {
            results: &results,
            source: self.source,
            notes: &notes_for_readers(&tables, &noise, state),
            own: None,
        };
        write_report(&page, target)?;
        for entrant in entrants {
            let own = Some(entrant.as_str());
            write_report(&PageInputs { own, ..page }, target)?;
        }
        Ok((tables, noise))
    }

    /// Writes the feedback where no entrant may play: there are no tables.
    ///
    /// # Errors
    /// Those of [`ResultFiles::write`].
    pub fn write_feedback_alone(&self) -> Result<(), TablesError> {
        let (tables, _) = tables::count(self.games.store(), &self.table_inputs(&[]))?;
        Ok(write_feedback(&self.results(&tables), self.folder)?)
    }

    const fn table_inputs<'i>(&'i self, history: &'i [Vec<StandingsRow>]) -> TableInputs<'n, 'i> {
        TableInputs {
            run: self.run,
            names: self.names,
            exclusions: &self.outcome.exclusions,
            history,
        }
    }

    const fn results<'r>(&'r self, tables: &'r Tables<'r>) -> RunResults<'r> {
        RunResults {
            run: self.run,
            games: self.games.store(),
            outcome: self.outcome,
            tables,
            folder: self.folder,
        }
    }
}
