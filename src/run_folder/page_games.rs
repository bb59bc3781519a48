//! The games of a page: which of them it shows, their moves from the journal, and what the page is
//! made from.

use super::fault_rows::fault_rows;
use super::folder_error::FolderError;
use super::game_page::shown_fault;
use super::page_ahead::PageAhead;
use super::page_facts::{PageInputs, facts};
use super::page_threads::PageThreads;
use super::shown_game::{PageGame, ShownBy, info_bytes, json_text, side_of};
use crate::record::{GameId, GameRecord, GameSummary};
use crate::report::{
    GameColumns, PackedGames, PageSummary, ShownFault, TimeHistograms, page_origin,
};
use crate::rules::Side;
use crate::tournament::{Entry, JournalReader, sha256_of};
use std::collections::HashMap;
use std::io;

/// Bytes of standard error of all games of a page, and of one game.
const STANDARD_ERROR_BYTES: [usize; 2] = [2 << 20, 4 << 10];

/// The summary as JSON, without the times of single plies.
pub fn summary_text(inputs: &PageInputs<'_>, played: usize) -> String {
    let faults = fault_rows(inputs.results.games, inputs.results.exclusions);
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
    has_faults: bool,
    /// The bytes of standard error for each game that was lost by a fault.
    standard_error: usize,
}

impl PageGames {
    /// Finds the games that the page shows: those of `games.csv`.
    pub fn find(inputs: &PageInputs<'_>, names: &[String]) -> Self {
        let exclusions = inputs.results.exclusions;
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
            has_faults: faults > 0,
            standard_error: each.min(all / faults.max(1)),
        }
    }

    /// What the page is made from: what is known of all games, the journal, and the evidence.
    pub fn origin(&self, inputs: &PageInputs<'_>) -> Result<String, FolderError> {
        let failed = |error| inputs.source.journal_error("read", error);
        let journal = sha256_of(inputs.source.bytes()?).map_err(failed)?;
        let mut origin = page_origin();
        let mut add_all = || {
            origin.add(&summary_text(inputs, self.columns.len()))?;
            origin.add(&self.columns)?;
            origin.add(&self.evidence(inputs))?;
            origin.add(&journal)
        };
        add_all().map_err(failed)?;
        Ok(origin.text())
    }

    /// What the page shows of the evidence of faults.
    fn evidence(&self, inputs: &PageInputs<'_>) -> Vec<ShownFault> {
        if !self.has_faults {
            return Vec::new();
        }
        let exclusions = inputs.results.exclusions;
        let games = inputs.results.games.games();
        let shown = games.filter(|game| self.numbers.contains_key(&game.id));
        shown
            .filter_map(|game| self.fault(exclusions.counted(&game)?, None, inputs))
            .collect()
    }

    /// Takes the moves of the games from what was packed while the tables read the journal, if
    /// those are the games of this page.
    ///
    /// # Errors
    /// None but those of compression in memory.
    pub fn take_ahead(&mut self, ahead: PageAhead, inputs: &PageInputs<'_>) -> io::Result<bool> {
        let ahead = inputs
            .own
            .is_none()
            .then(|| ahead.of_first(self.columns.len()));
        let Some(mut ahead) = ahead.flatten() else {
            return Ok(false);
        };
        self.packed = ahead.packed;
        self.times = ahead.times;
        self.info_dropped = ahead.info_dropped;
        if ahead.faults.is_empty() {
            return Ok(true);
        }
        for game in inputs.results.games.results() {
            let Some(number) = game.id.index() else {
                continue;
            };
            if let Some(shown) = ahead.faults.remove(&number) {
                let fault = self.fault(&game, None, inputs);
                if let Some(block) = self.packed.add(number, shown.into_text(fault.as_ref())) {
                    self.packed.put(block.pack()?);
                }
            }
        }
        Ok(true)
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
        let mut threads = PageThreads::start();
        let read = reader.read_all(&keep, &mut |state, entry| {
            let entry = entry?;
            let counts = state.counts(&entry);
            match entry {
                Entry::Game(game) if counts => Ok(self.take(game, inputs, &mut threads)?),
                _ => Ok(()),
            }
        });
        let packed = read.and_then(|()| Ok(threads.finish(&mut self.packed)?));
        packed.map_err(|error| inputs.source.unusable(error))
    }

    /// Takes the first record that counts of each game.
    fn take(
        &mut self,
        game: PageGame,
        inputs: &PageInputs<'_>,
        threads: &mut PageThreads,
    ) -> io::Result<()> {
        let exclusions = inputs.results.exclusions;
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
        let text = shown.into_text(fault.as_ref());
        match self.packed.add(number, text) {
            Some(block) => threads.pack(block, &mut self.packed),
            None => Ok(()),
        }
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
