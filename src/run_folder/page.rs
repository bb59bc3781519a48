//! Writes `report.html` of a run, or the page of one entrant alone, from the journal and the
//! evidence of faults. The journal is read once more: the tables need neither the times of single
//! plies nor what bots said.

use super::fault_rows::fault_rows;
use super::feedback::trace_rules;
use super::folder::RunFolder;
use super::folder_error::{FillError, FolderError};
use super::game_page::shown_fault;
use super::page_threads::PageThreads;
use super::run_results::RunResults;
use super::whole_file::{JOURNAL, write_file};
use crate::record::{Exclusions, GameId, GameRecord, GameSummary};
use crate::report::{
    GameColumns, GameDetails, InfoLimit, PackedGames, PageFacts, PageSummary, ShownFault,
    TestCurve, TimeHistograms, write_page,
};
use crate::rules::Side;
use crate::stats::sprt::State;
use crate::text::{counted, printable, time_text};
use crate::tournament::{
    Entry, IdentifiedGame, JournalError, JournalReader, Plan, TestProgress, label,
};
use serde::Serialize;
use serde_json::{Value, json};
use std::collections::HashMap;
use std::io;
use std::path::Path;

/// The page of the run.
pub const REPORT: &str = "report.html";
/// Bytes of all `info` objects of a page. Compressed, they take some 13 MiB.
const INFO_BYTES: usize = 40 << 20;
/// Bytes of standard error of all games of a page, and of one game.
const STANDARD_ERROR_BYTES: [usize; 2] = [2 << 20, 4 << 10];

/// What a page needs besides the results of its run.
#[derive(Clone, Copy)]
pub struct PageInputs<'a> {
    /// The results.
    pub results: &'a RunResults<'a>,
    /// The folder with the journal.
    pub source: &'a RunFolder,
    /// Notes for readers of the tables.
    pub notes: &'a [String],
    /// The number of games that count or will count.
    pub planned: usize,
    /// The entrant whose own page is written: its games, and nothing that others wrote.
    pub own: Option<&'a str>,
}

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
    let mut games = PageGames::find(inputs, &names);
    games.read(inputs)?;
    let PageGames {
        columns,
        packed,
        times,
        info_dropped,
        ..
    } = games;
    let name = inputs.own.map_or_else(|| REPORT.to_owned(), page_of);
    let faults = fault_rows(inputs.results.games, inputs.results.exclusions);
    let facts = facts(inputs, columns.len(), info_dropped);
    let summary = PageSummary::new(inputs.results.tables, facts, &faults, &times);
    write_file(target, &name, |file| {
        let blocks = packed.finish()?;
        let out = io::BufWriter::new(&mut *file);
        write_page(&summary, &columns, &blocks, out).map_err(FillError::from)
    })
}

/// The same as data, without the moves of the games and the times of single plies.
pub fn page_data(inputs: &PageInputs<'_>) -> PageData {
    let names = inputs.results.run.plan.names();
    let columns = PageGames::find(inputs, &names).columns;
    let faults = fault_rows(inputs.results.games, inputs.results.exclusions);
    let facts = facts(inputs, columns.len(), false);
    let times = TimeHistograms::new(&[]);
    let summary = PageSummary::new(inputs.results.tables, facts, &faults, &times);
    PageData {
        summary: json_text(&summary),
        columns: json_text(&columns),
    }
}

/// The games of a page, in the order of the schedule.
struct PageGames {
    columns: GameColumns,
    /// The numbers of games. This map is only looked up, never iterated.
    numbers: HashMap<GameId, usize>,
    packed: PackedGames,
    times: TimeHistograms,
    info_dropped: bool,
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
            standard_error: each.min(all / faults.max(1)),
        }
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

fn facts<'a>(inputs: &PageInputs<'a>, played: usize, info_dropped: bool) -> PageFacts<'a> {
    let RunResults {
        run,
        complete,
        test,
        test_path,
        exclusions,
        ..
    } = inputs.results;
    let plan = &run.plan;
    let (rules, set) = trace_rules(plan);
    let verdict = test.map(|test| verdict(test, exclusions, *complete));
    PageFacts {
        tournament: &run.settings.name,
        own: inputs.own,
        folder: match inputs.own {
            None => inputs.results.folder.to_str().map(str::to_owned),
            Some(_) => None,
        },
        facts: conditions(plan, played),
        state: state(inputs, played, verdict.as_deref()),
        // Notes quote what other entrants wrote.
        notes: if inputs.own.is_none() {
            inputs.notes
        } else {
            &[]
        },
        trace: json!({ "rules": rules, "set": Value::Object(set) }),
        info_dropped,
        test: test.map(|test| TestCurve {
            path: test_path.iter().map(|llr| hundredths(*llr)).collect(),
            lower: hundredths(test.evaluation.lower),
            upper: hundredths(test.evaluation.upper),
            verdict: verdict.unwrap_or_default(),
        }),
    }
}

/// What the games were played by, in a few words each.
fn conditions(plan: &Plan, played: usize) -> Vec<String> {
    let mut facts = vec![
        counted(plan.entrants.len(), "entrant", "entrants"),
        counted(played, "game", "games"),
        format!("rules {}", plan.preset.name()),
    ];
    let clock = &plan.clock;
    facts.extend(
        clock
            .move_limit
            .map(|it| format!("{} a move", time_text(it))),
    );
    facts.extend(clock.bank.map(|it| format!("{} a game", time_text(it))));
    facts.push(format!("isolation {}", plan.conditions.isolation));
    facts
}

/// What a reader must know first.
fn state(inputs: &PageInputs<'_>, played: usize, verdict: Option<&str>) -> Vec<String> {
    if inputs.own.is_some() {
        return Vec::new();
    }
    let mut state: Vec<String> = verdict.map(str::to_owned).into_iter().collect();
    if !inputs.results.complete {
        let planned = inputs.planned;
        state.push(format!(
            "The run is not finished: this is after {played} of {planned} games."
        ));
    }
    state
}

/// The result of a sequential test.
fn verdict(test: &TestProgress, exclusions: &Exclusions, is_complete: bool) -> String {
    if let Some(withdrawal) = exclusions.withdrawn.first() {
        let entrant = printable(&withdrawal.entrant);
        return format!("Nothing was tested: {entrant} lost too many games by faults.");
    }
    let pairs = match test.counts.total() {
        1 => "1 pair that counts".to_owned(),
        pairs => format!("{pairs} pairs that count"),
    };
    match test.evaluation.state {
        State::H0 => format!("The test has failed after {pairs}: H0 is accepted."),
        State::H1 => format!("The test has passed after {pairs}: H1 is accepted."),
        State::Continue if is_complete => {
            format!("The test is inconclusive: all pairs are played, {pairs}.")
        }
        State::Continue => format!("The test is not decided after {pairs}."),
    }
}

fn hundredths(number: f64) -> f64 {
    (number * 100.0).round() / 100.0 + 0.0
}

/// Values of a page are made of text, numbers and lists: each of them can be written as JSON.
pub fn json_text(value: &impl Serialize) -> String {
    serde_json::to_string(value).expect("the values of a page are JSON")
}
