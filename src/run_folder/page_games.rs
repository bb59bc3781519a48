//! The games of a page: which of them it shows, and their moves from the journal.

use super::fault_rows::fault_rows;
use super::folder_error::FolderError;
use super::game_page::shown_fault;
use super::page_facts::{PageInputs, facts};
use super::shown_game::{PageGame, ShownBy, info_bytes, json_text, side_of};
use crate::record::{GameId, GameRecord, GameSummary};
use crate::report::{GameColumns, PackedGames, PageSummary, ShownFault, TimeHistograms};
use crate::rules::Side;
use crate::tournament::{Entry, JournalReader};
use std::collections::HashMap;
use std::io;

/// Bytes of standard error of all games of a page, and of one game.
const STANDARD_ERROR_BYTES: [usize; 2] = [2 << 20, 4 << 10];

/// The summary as JSON, without the times of single plies.
pub fn summary_text(inputs: &PageInputs<'_>, played: usize) -> String {
    let faults = fault_rows(inputs.results.games, &inputs.results.outcome.exclusions);
    let facts = facts(inputs, played, false);
    let times = TimeHistograms::new(&[]);
    json_text(&PageSummary::new(
        inputs.results.tables,
        facts,
        &faults,
        &times,
    ))
}

/// The games of a page, in the order of the schedule.
pub struct PageGames {
    pub columns: GameColumns,
    /// The numbers of games. This map is only looked up, never iterated.
    numbers: HashMap<GameId, usize>,
    pub packed: PackedGames,
    pub times: TimeHistograms,
    pub info_dropped: bool,
    /// The bytes of standard error for each game that was lost by a fault.
    standard_error: usize,
}

impl PageGames {
    /// Finds the games that the page shows: those of `games.csv`.
    pub fn find(inputs: &PageInputs<'_>, names: &[String]) -> Self {
        let exclusions = &inputs.results.outcome.exclusions;
        let mut columns = GameColumns::new(names);
        let mut numbers = HashMap::new();
        let mut faults = 0;
        for game in inputs.results.games.games() {
            if exclusions.counted(&game).is_none() || numbers.contains_key(&game.id) {
                continue;
            }
            let is_own = |own: &str| game.entrants.iter().any(|name| name == own);
            if inputs.own.is_none_or(is_own) && columns.add(&game) {
                faults += usize::from(game.fault().is_some());
                numbers.insert(game.id.clone(), numbers.len());
            }
        }
        let [all, each] = STANDARD_ERROR_BYTES;
        Self {
            packed: PackedGames::new(columns.len()),
            columns,
            numbers,
            times: TimeHistograms::new(names),
            info_dropped: false,
            standard_error: each.min(all / faults.max(1)),
        }
    }

    /// Reads the moves of the games from the journal.
    pub fn read(&mut self, inputs: &PageInputs<'_>) -> Result<(), FolderError> {
        let plan = &inputs.results.run.plan;
        let bytes = inputs.source.bytes()?;
        let mut reader = JournalReader::new(bytes).counting_for(plan);
        let by = ShownBy {
            rules: plan.rules,
            info_bytes: info_bytes(self.numbers.len()),
            own: inputs.own,
        };
        let keep = |record: Box<GameRecord>| PageGame::of(&record, by);
        let read = reader.read_all(&keep, &mut |state, entry| {
            let entry = entry?;
            let counts = state.counts(&entry);
            match entry {
                Entry::Game(game) if counts => Ok(self.take(game, inputs)?),
                _ => Ok(()),
            }
        });
        read.map_err(|error| inputs.source.unusable(error))
    }

    /// Takes the first record that counts of each game.
    fn take(&mut self, game: PageGame, inputs: &PageInputs<'_>) -> io::Result<()> {
        let exclusions = &inputs.results.outcome.exclusions;
        let PageGame { summary, shown } = game;
        let Some(&number) = self.numbers.get(&summary.id) else {
            return Ok(());
        };
        if !self.packed.lacks(number) || summary.is_void() {
            return Ok(());
        }
        self.info_dropped |= shown.info_dropped;
        self.times.add(&summary.entrants, &shown.times_us);
        let fault = exclusions.counted(&summary).and_then(|counted| {
            let own = inputs.own.and_then(|own| side_of(own, &summary.entrants));
            self.fault(counted, own, inputs)
        });
        self.packed.add(number, shown.into_text(fault.as_ref()))
    }

    /// The fault that ended a game, unless it is a secret of another entrant.
    fn fault(
        &self,
        game: &GameSummary,
        own: Option<Side>,
        inputs: &PageInputs<'_>,
    ) -> Option<ShownFault> {
        let (side, _) = game.fault()?;
        if own.is_some_and(|own| own != side) {
            return Some(ShownFault::default());
        }
        shown_fault(game, inputs.results.folder, self.standard_error)
    }
}
