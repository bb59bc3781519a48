//! What a page is made of, and what it says of the run as a whole: what it was played by, its
//! state, and its test.

use super::feedback::trace_rules;
use super::folder::RunFolder;
use super::run_results::RunResults;
use crate::report::{PageFacts, TestCurve};
use crate::stats::sprt::State;
use crate::text::{counted, printable, time_text};
use crate::tournament::{Plan, RunOutcome, TestProgress};
use serde_json::{Value, json};

/// What a page needs besides the results of its run.
#[derive(Clone, Copy)]
pub struct PageInputs<'a> {
    /// The results.
    pub results: &'a RunResults<'a>,
    /// The folder with the journal.
    pub source: &'a RunFolder,
    /// Notes for readers of the tables.
    pub notes: &'a [String],
    /// The entrant whose own page is written: its games, and nothing that others wrote.
    pub own: Option<&'a str>,
}

/// The facts of a page with this many games; `info_dropped` if what bots said is not all there.
pub fn facts<'a>(inputs: &PageInputs<'a>, played: usize, info_dropped: bool) -> PageFacts<'a> {
    let RunResults { run, outcome, .. } = inputs.results;
    let plan = &run.plan;
    let (rules, set) = trace_rules(plan);
    let verdict = outcome.test.as_ref().map(|test| verdict(test, outcome));
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

/// The result of a sequential test.
fn verdict(test: &TestProgress, outcome: &RunOutcome) -> String {
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
