//! Writes what follows from the games of a run: the tables, and the feedback of a class.

use crate::cli::exit::Failure;
use crate::record::Exclusions;
use crate::report::{HostNoise, StandingsRow, Tables};
use crate::run_folder::{
    FoundJournal, PageInputs, RunFolder, RunResults, earlier_standings, notes_for_readers, tables,
    write_feedback, write_report,
};
use crate::stats::ratings::RatingModel;
use crate::tournament::{RunDocument, RunOutcome};
use std::path::Path;

/// A run whose results are written.
pub struct ResultFiles<'a> {
    /// The run.
    pub run: &'a RunDocument,
    /// Its entrants.
    pub names: &'a [String],
    /// Its folder.
    pub output: &'a Path,
}

impl<'a> ResultFiles<'a> {
    /// Reads what was played now, and writes the tables of all games.
    pub fn write(
        &self,
        folder: &RunFolder,
        found: &mut FoundJournal,
        outcome: &RunOutcome,
    ) -> Result<(Tables<'a>, HostNoise), Failure> {
        folder.read_on(&mut found.games, &mut |_, _| Ok(()))?;
        let model = self.run.rating_model();
        let history = earlier_standings(folder, found.games.state().earlier_plans())?;
        let inputs = self.table_inputs(&outcome.exclusions, &model, &history);
        let (tables, noise) = tables::write_from(found.games.store(), self.output, &inputs)?;
        let results = self.results(found, outcome, &tables);
        write_feedback(&results, self.output)?;
        let notes = notes_for_readers(&tables, &noise, found.games.state());
        let page = PageInputs {
            results: &results,
            source: folder,
            notes: &notes,
            planned: outcome.games,
            own: None,
        };
        write_report(&page, self.output)?;
        Ok((tables, noise))
    }

    /// Writes the feedback of entrants of which none may play: there are no tables.
    pub fn write_feedback_alone(
        &self,
        found: &FoundJournal,
        outcome: &RunOutcome,
    ) -> Result<(), Failure> {
        let model = self.run.rating_model();
        let inputs = self.table_inputs(&outcome.exclusions, &model, &[]);
        let (tables, _) = tables::count(found.games.store(), &inputs)?;
        let results = self.results(found, outcome, &tables);
        Ok(write_feedback(&results, self.output)?)
    }

    fn table_inputs<'i>(
        &self,
        exclusions: &'i Exclusions,
        model: &'i RatingModel,
        history: &'i [Vec<StandingsRow>],
    ) -> tables::TableInputs<'a, 'i>
    where
        'a: 'i,
    {
        tables::TableInputs {
            plan: &self.run.plan,
            names: self.names,
            exclusions,
            model,
            grading: self.run.settings.grading.as_ref(),
            history,
        }
    }

    const fn results<'r>(
        &'r self,
        found: &'r FoundJournal,
        outcome: &'r RunOutcome,
        tables: &'r Tables<'r>,
    ) -> RunResults<'r> {
        RunResults {
            run: self.run,
            games: found.games.store(),
            exclusions: &outcome.exclusions,
            complete: outcome.complete,
            tables,
            folder: self.output,
            test: outcome.test.as_ref(),
            test_path: outcome.test_path.as_slice(),
        }
    }
}
