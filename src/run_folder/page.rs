//! Writes `report.html` of a run, or the page of one entrant alone, from the journal and the
//! evidence of faults.

use super::evidence::fault_rows;
use super::folder::RunFolder;
use super::folder_error::{FillError, FolderError};
use super::page_games::{PageGames, json_text};
use super::run_results::RunResults;
use super::whole_file::{open_target, write_file};
use crate::record::GameSummary;
use crate::report::{
    ClassFacts, PageFacts, PageSummary, Reader, TestCurve, TimeHistograms, write_page,
};
use crate::stats::sprt::State;
use crate::text::{counted, printable};
use crate::tournament::{Plan, RunOutcome, TestProgress, changed_fields, label};
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;
use std::io;
use std::path::Path;

/// The page of the run.
pub const REPORT: &str = "report.html";
/// The same for the organiser, with everything, of a class whose names are hidden on the other.
pub const ORGANISER_PAGE: &str = "organiser.html";

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
    let mut games = PageGames::find(inputs, &shown_names(inputs));
    games.read(inputs)?;
    let chains = games.longest_chains();
    let PageGames {
        columns,
        packed,
        times,
        info_dropped,
        ..
    } = games;
    let faults = fault_rows(inputs.results.games, &inputs.results.outcome.exclusions);
    let facts = PageFacts {
        chains,
        info_dropped,
        ..facts(inputs, columns.len())
    };
    let summary = PageSummary::new(inputs.results.tables, facts, &faults, &times);
    let is_hidden = inputs.results.run.settings.hides_names();
    let name = match inputs.reader {
        Reader::Author(own) => page_of(own),
        Reader::Organiser if is_hidden => ORGANISER_PAGE.to_owned(),
        Reader::Organiser | Reader::Public => REPORT.to_owned(),
    };
    write_file(&open_target(target)?, &name, |file| {
        let blocks = packed.finish()?;
        let out = io::BufWriter::new(&mut *file);
        write_page(&summary, &columns, &blocks, out).map_err(FillError::from)
    })
}

/// The same as data, without the moves of the games and the times of single plies.
pub fn page_data(inputs: &PageInputs<'_>) -> PageData {
    let columns = PageGames::find(inputs, &shown_names(inputs)).columns;
    let faults = fault_rows(inputs.results.games, &inputs.results.outcome.exclusions);
    let facts = facts(inputs, columns.len());
    let times = TimeHistograms::new(&[]);
    let summary = PageSummary::new(inputs.results.tables, facts, &faults, &times);
    PageData {
        summary: json_text(&summary),
        columns: json_text(&columns),
    }
}

/// What a page needs besides the results of its run.
#[derive(Clone, Copy)]
pub struct PageInputs<'a> {
    /// The results.
    pub results: &'a RunResults<'a>,
    /// The folder with the journal.
    pub source: &'a RunFolder,
    /// Notes for readers of the tables.
    pub notes: &'a [String],
    /// Who reads it.
    pub reader: Reader<'a>,
    /// The students, if the entrants are a class.
    pub class: Option<&'a ClassFacts>,
}

impl PageInputs<'_> {
    /// Whether a game is more than one of yardsticks with each other.
    pub fn is_worth_showing(&self, game: &GameSummary) -> bool {
        let is_yardstick = |name| self.class.is_some_and(|it| it.yardsticks.contains(name));
        !game.entrants.iter().all(is_yardstick)
    }
}

/// Students who have left a class are not on the page that everybody reads.
fn hidden(inputs: &PageInputs<'_>) -> BTreeSet<String> {
    match inputs.reader {
        Reader::Public => inputs.results.run.settings.hidden_entrants(),
        Reader::Organiser | Reader::Author(_) => BTreeSet::new(),
    }
}

/// The entrants of the page, in the order of the plan.
fn shown_names(inputs: &PageInputs<'_>) -> Vec<String> {
    let hidden = hidden(inputs);
    let mut names = inputs.results.run.plan.names();
    names.retain(|name| !hidden.contains(name));
    names
}

/// How `awale trace` is told the rules of a plan: the preset, and the fields that differ from it.
pub fn trace_rules(plan: &Plan) -> (&'static str, Map<String, Value>) {
    let changed = changed_fields(&plan.rules, plan.preset);
    (plan.preset.name(), changed.into_iter().collect())
}

/// The facts of a page with this many games, as far as they are known without their moves.
fn facts<'a>(inputs: &PageInputs<'a>, played: usize) -> PageFacts<'a> {
    let RunResults { run, outcome, .. } = inputs.results;
    let plan = &run.plan;
    let (rules, set) = trace_rules(plan);
    let verdict = outcome.test.as_ref().map(|test| verdict(test, outcome));
    PageFacts {
        tournament: &run.settings.name,
        reader: inputs.reader,
        folder: match inputs.reader {
            Reader::Organiser => inputs.results.folder.to_str().map(str::to_owned),
            Reader::Author(_) | Reader::Public => None,
        },
        hidden: hidden(inputs),
        class: inputs.class.filter(|_| inputs.reader.own().is_none()),
        chains: Vec::new(),
        facts: conditions(plan, shown_names(inputs).len(), played),
        state: state(inputs, played, verdict.as_deref()),
        // Notes quote what other entrants wrote.
        notes: if inputs.reader == Reader::Organiser {
            inputs.notes
        } else {
            &[]
        },
        trace: json!({ "rules": rules, "set": Value::Object(set) }),
        info_dropped: false,
        test: outcome.test.as_ref().map(|test| TestCurve {
            path: outcome
                .test_path
                .iter()
                .map(|llr| hundredths(*llr))
                .collect(),
            lower: hundredths(test.evaluation.lower),
            upper: hundredths(test.evaluation.upper),
            verdict: verdict.unwrap_or_default(),
        }),
    }
}

/// What the games were played by, in a few words each.
fn conditions(plan: &Plan, entrants: usize, played: usize) -> Vec<String> {
    let mut facts = vec![
        counted(entrants, "entrant", "entrants"),
        counted(played, "game", "games"),
        format!("rules {}", plan.preset.name()),
    ];
    facts.extend(plan.clock.words());
    if plan.has_odds() {
        facts.push("not the same clock for all".to_owned());
    }
    facts.push(format!("isolation {}", plan.conditions.isolation));
    facts
}

/// What a reader must know first.
fn state(inputs: &PageInputs<'_>, played: usize, verdict: Option<&str>) -> Vec<String> {
    if inputs.reader.own().is_some() {
        return Vec::new();
    }
    let mut state: Vec<String> = verdict.map(str::to_owned).into_iter().collect();
    let RunOutcome {
        complete, games, ..
    } = inputs.results.outcome;
    if !complete {
        state.push(format!(
            "The run is not finished: this is after {played} of {games} games."
        ));
    }
    state
}

/// The result of a sequential test, as a sentence.
pub fn verdict(test: &TestProgress, outcome: &RunOutcome) -> String {
    if let Some(withdrawal) = outcome.exclusions.withdrawn.first() {
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
        State::Continue if outcome.complete => {
            format!("The test is inconclusive: all pairs are played, {pairs}.")
        }
        State::Continue => format!("The test is not decided after {pairs}."),
    }
}

fn hundredths(number: f64) -> f64 {
    (number * 100.0).round() / 100.0 + 0.0
}
