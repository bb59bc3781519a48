//! Writes `report.html` of a run, or the page of one entrant alone, from the journal and the
//! evidence of faults. Its games are read once more: the tables need neither the times of single
//! plies nor what bots said. A page that is there already is recognised by a digest of all that it
//! is made from.

use super::fault_rows::fault_rows;
use super::folder_error::{FillError, FolderError};
use super::game_page::shown_fault;
use super::page_facts::{PageInputs, facts};
use super::page_origin::is_made;
use super::page_threads::PageThreads;
use super::whole_file::{JOURNAL, write_file};
use crate::record::{GameId, GameRecord, GameSummary};
use crate::report::{
    GameColumns, GameDetails, InfoLimit, PackedGames, PageSummary, ShownFault, TimeHistograms,
    page_origin, write_page,
};
use crate::rules::Side;
use crate::tournament::{
    Entry, IdentifiedGame, JournalError, JournalReader, Plan, label, sha256_of,
};
use serde::Serialize;
use std::collections::HashMap;
use std::io;
use std::path::Path;

/// The page of the run.
pub const REPORT: &str = "report.html";
/// Bytes of all `info` objects of a page. Compressed, they take some 13 MiB.
const INFO_BYTES: usize = 40 << 20;
/// Bytes of standard error of all games of a page, and of one game.
const STANDARD_ERROR_BYTES: [usize; 2] = [2 << 20, 4 << 10];

/// What a page shows, as JSON.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PageData {
    /// Everything but the games.
    pub summary: String,
    /// What is known of every game at once.
    pub columns: String,
}

/// The name of the page of one entrant.
pub fn page_of(entrant: &str) -> String {
    format!("report-{}.html", label(entrant))
}

/// Writes the page to a folder, whole or not at all.
///
/// # Errors
/// The disk's; the journal cannot be read.
pub fn write_report(inputs: &PageInputs<'_>, target: &Path) -> Result<(), FolderError> {
    let names = inputs.results.run.plan.names();
    let games = PageGames::find(inputs, &names);
    // The page of one entrant says nothing of what others wrote, and nobody looks for it.
    let origin = match inputs.own {
        None => Some(games.origin(inputs)?),
        Some(_) => None,
    };
    write_games(games, origin.as_deref(), inputs, target)
}

/// Writes the page of the run to a folder unless it is there already.
///
/// # Errors
/// Those of [`write_report`].
pub fn renew_report(inputs: &PageInputs<'_>, target: &Path) -> Result<(), FolderError> {
    let names = inputs.results.run.plan.names();
    let games = PageGames::find(inputs, &names);
    let origin = games.origin(inputs)?;
    if is_made(&target.join(REPORT), &origin) {
        return Ok(());
    }
    write_games(games, Some(&origin), inputs, target)
}

fn name_of(inputs: &PageInputs<'_>) -> String {
    inputs.own.map_or_else(|| REPORT.to_owned(), page_of)
}

fn write_games(
    mut games: PageGames,
    origin: Option<&str>,
    inputs: &PageInputs<'_>,
    target: &Path,
) -> Result<(), FolderError> {
    games.read(inputs)?;
    let PageGames {
        columns,
        packed,
        times,
        info_dropped,
        ..
    } = games;
    let faults = fault_rows(inputs.results.games, inputs.results.exclusions);
    let facts = facts(inputs, columns.len(), info_dropped);
    let summary = PageSummary::new(inputs.results.tables, facts, &faults, &times);
    write_file(target, &name_of(inputs), |file| {
        let blocks = packed.finish()?;
        let out = io::BufWriter::new(&mut *file);
        write_page(origin, &summary, &columns, &blocks, out).map_err(FillError::from)
    })
}

/// The same as data, without the moves of the games and the times of single plies.
pub fn page_data(inputs: &PageInputs<'_>) -> PageData {
    let names = inputs.results.run.plan.names();
    let columns = PageGames::find(inputs, &names).columns;
    PageData {
        summary: summary_text(inputs, columns.len()),
        columns: json_text(&columns),
    }
}

/// The summary as JSON, without the times of single plies.
fn summary_text(inputs: &PageInputs<'_>, played: usize) -> String {
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
struct PageGames {
    columns: GameColumns,
    /// The numbers of games. This map is only looked up, never iterated.
    numbers: HashMap<GameId, usize>,
    packed: PackedGames,
    times: TimeHistograms,
    info_dropped: bool,
    has_faults: bool,
    /// The bytes of standard error for each game that was lost by a fault.
    standard_error: usize,
}

impl PageGames {
    /// Finds the games that the page shows: those of `games.csv`.
    fn find(inputs: &PageInputs<'_>, names: &[String]) -> Self {
        let exclusions = inputs.results.exclusions;
        let mut columns = GameColumns::new(names);
        let mut numbers = HashMap::new();
        let mut faults = 0;
        for game in inputs.results.games.games() {
            let is_shown = exclusions.has_result(&game) && !numbers.contains_key(&game.id);
            let Some(game) = exclusions.counted(&game).filter(|_| is_shown) else {
                continue;
            };
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
    fn origin(&self, inputs: &PageInputs<'_>) -> Result<String, FolderError> {
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
            .filter_map(|game| {
                let counted = exclusions.counted(&game)?;
                self.fault(&counted, None, inputs)
            })
            .collect()
    }

    /// Reads the moves of the games from the journal.
    fn read(&mut self, inputs: &PageInputs<'_>) -> Result<(), FolderError> {
        let plan = &inputs.results.run.plan;
        let bytes = inputs.source.bytes()?;
        let mut reader = JournalReader::new(bytes).counting_for(plan);
        let info_bytes = INFO_BYTES / self.numbers.len().max(1);
        let keep = |record: Box<GameRecord>| PageGame::of(&record, plan, inputs.own, info_bytes);
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
        packed.map_err(|error: JournalError| FolderError::Journal {
            path: inputs.source.file(JOURNAL),
            error,
        })
    }

    /// Takes the first record that counts of each game.
    fn take(
        &mut self,
        game: PageGame,
        inputs: &PageInputs<'_>,
        threads: &mut PageThreads,
    ) -> io::Result<()> {
        let exclusions = inputs.results.exclusions;
        let PageGame {
            summary,
            mut details,
            info_dropped,
        } = game;
        let Some(&number) = self.numbers.get(&summary.id) else {
            return Ok(());
        };
        if !self.packed.lacks(number) || !exclusions.has_result(&summary) {
            return Ok(());
        }
        self.info_dropped |= info_dropped;
        if let Some(counted) = exclusions.counted(&summary) {
            let own = inputs.own.and_then(|own| side_of(own, &summary.entrants));
            details.fault = self.fault(&counted, own, inputs);
        }
        self.times.add(&summary.entrants, details.times_us());
        match self.packed.add(number, json_text(&details)) {
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

/// What a page keeps of a record, whether it counts or not: made on any thread.
struct PageGame {
    summary: GameSummary,
    details: GameDetails,
    info_dropped: bool,
}

impl PageGame {
    /// `info_bytes` is the most of `info` objects that are kept; of `own` those alone, if there is
    /// one.
    fn of(record: &GameRecord, plan: &Plan, own: Option<&str>, info_bytes: usize) -> Self {
        let limit = InfoLimit {
            bytes: info_bytes,
            only: own.and_then(|own| side_of(own, &record.entrants)),
        };
        let (details, info_dropped) = GameDetails::of(record, plan.rules, limit);
        Self {
            summary: GameSummary::of(record),
            details,
            info_dropped,
        }
    }
}

impl IdentifiedGame for PageGame {
    fn id(&self) -> &GameId {
        &self.summary.id
    }

    fn id_mut(&mut self) -> &mut GameId {
        &mut self.summary.id
    }

    fn entrants(&self) -> &[String; 2] {
        &self.summary.entrants
    }
}

fn side_of(entrant: &str, entrants: &[String; 2]) -> Option<Side> {
    let mut sides = Side::BOTH.into_iter();
    sides.find(|side| entrants[side.index()] == entrant)
}

/// Values of a page are made of text, numbers and lists: each of them can be written as JSON.
pub fn json_text(value: &impl Serialize) -> String {
    serde_json::to_string(value).expect("the values of a page are JSON")
}
