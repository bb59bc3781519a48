//! The plan: what the journal says against its own hash, against `plan.toml`, and against the bots'
//! files on this machine.

use crate::bot::ProgramIdentity;
use crate::run_folder::{JOURNAL, PLAN, RunFolder};
use crate::tournament::{
    Entrant, KeyDifference, OpeningSource, Openings, Plan, RecordedPlan, RunDocument, RunSettings,
};
use crate::verification::bot_files::{compare_bots, compare_provenance, files_of};
use crate::verification::findings::{Check, FindingPlace, Findings};
use crate::verification::schedule;
use std::collections::{BTreeMap, BTreeSet};

/// Why a `plan.toml` gives no plan.
#[derive(Clone, Debug)]
pub struct PlanFileError {
    /// The line that is wrong, from 1, if it is one.
    pub line: Option<usize>,
    /// What is wrong.
    pub message: String,
}

/// Reads the `plan.toml` of a folder, with the bots' files as they are on this machine: whether of
/// a test is said first.
pub type ReadPlan<'a> = &'a dyn Fn(Option<&RunDocument>) -> Result<RunDocument, PlanFileError>;

/// The run, if it can be used to check its games. Its problems are among
/// the findings.
pub fn compare(
    folder: &RunFolder,
    recorded: Option<&RecordedPlan>,
    read_plan: ReadPlan<'_>,
    findings: &mut Findings,
) -> Option<KnownPlan> {
    if let Some(recorded) = recorded.filter(|it| !it.hash_fits) {
        let message = "the hash of the plan is not that of what the line says of it";
        let place = FindingPlace::line(JOURNAL, recorded.line);
        findings.problem(Check::Plan, place, message);
    }
    let here = read_plan(recorded.map(|it| &*it.run));
    if let Err(PlanFileError { line, message }) = &here {
        let place = line.map_or_else(
            || FindingPlace::file(PLAN),
            |line| FindingPlace::line(PLAN, line),
        );
        findings.problem(Check::Plan, place, message);
    }
    let Some(recorded) = recorded else {
        let run = here.ok()?;
        let message = "the plan in the journal is damaged: games are compared with plan.toml alone";
        findings.warning(Check::Plan, FindingPlace::file(PLAN), message);
        findings.leave_out(Check::Bots, "the journal does not say what played");
        return Some(KnownPlan {
            openings: Openings::of(&run.plan),
            run,
            others: BTreeSet::new(),
            file_settings: None,
            file_fits: false,
        });
    };
    Some(compare_run(folder, recorded, here.ok(), findings))
}

/// The run of the journal against the one of `plan.toml`.
fn compare_run(
    folder: &RunFolder,
    recorded: &RecordedPlan,
    here: Option<RunDocument>,
    findings: &mut Findings,
) -> KnownPlan {
    let run = &*recorded.run;
    let mut known = KnownPlan {
        run: run.clone(),
        openings: Openings::of(&run.plan),
        others: BTreeSet::new(),
        file_settings: None,
        file_fits: false,
    };
    let Some(here) = here else {
        findings.leave_out(Check::Bots, "plan.toml does not say where they are");
        return known;
    };
    let there = files_of(&run.plan);
    compare_provenance(folder, &recorded.hash, &there, findings);
    let differences = differences(&run.plan, &here.plan);
    tell_of(&differences, "the games were played with", findings);
    findings.done(Check::Plan, format!("{} keys", run.plan.key_count()));
    known.others = compare_bots(&run.plan, &there, &files_of(&here.plan), findings);
    compare_openings(run, &here, findings);
    known.file_fits = differences.is_empty();
    known.file_settings = (run.plan.names() == here.plan.names()).then_some(here.settings);
    known
}

/// The keys in which two plans differ, apart from files that may have changed since.
fn differences(played: &Plan, here: &Plan) -> Vec<KeyDifference> {
    let without_files = |plan: &Plan| Plan {
        entrants: plan.entrants.iter().map(without_files).collect(),
        openings: match &plan.openings {
            // What was played is in the journal.
            OpeningSource::Listed(_) => OpeningSource::Listed(Vec::new()),
            drawn @ OpeningSource::Random { .. } => drawn.clone(),
        },
        ..plan.clone()
    };
    without_files(played).differences(&without_files(here))
}

/// Names the keys of `plan.toml` that differ.
pub fn tell_of(differences: &[KeyDifference], what: &str, findings: &mut Findings) {
    for KeyDifference { key, there, here } in differences {
        let [there, here] = [there, here].map(|it| it.as_deref().unwrap_or("nothing"));
        let message = format!("{key}: {what} {there}, it says {here}");
        findings.problem(Check::Plan, FindingPlace::file(PLAN), &message);
    }
}

/// A list of openings here against the one that was played, which the journal has.
fn compare_openings(run: &RunDocument, here: &RunDocument, findings: &mut Findings) {
    let are_listed = matches!(run.plan.openings, OpeningSource::Listed(_));
    if are_listed && run.plan.openings != here.plan.openings {
        let message = schedule::changed(&here.plan.openings);
        findings.warning(Check::Openings, FindingPlace::file(PLAN), message);
    }
}

fn without_files(entrant: &Entrant) -> Entrant {
    let program = ProgramIdentity::of(&entrant.program).map(|identity| {
        let identity = ProgramIdentity {
            awale_version: None,
            files: BTreeMap::new(),
            tree: None,
            ..identity
        };
        identity.to_json()
    });
    Entrant {
        name: entrant.name.clone(),
        program: program.unwrap_or_else(|| entrant.program.clone()),
        yardstick: entrant.yardstick,
        clock: entrant.clock,
    }
}

/// Which of these entrants is found here now as another one than the journal has.
pub fn changed(run: &RunDocument, found: &Plan, names: &BTreeSet<String>) -> Option<String> {
    let is_changed =
        |entrant: &&Entrant| names.contains(&entrant.name) && !run.plan.entrants.contains(entrant);
    let entrant = found.entrants.iter().find(is_changed)?;
    Some(entrant.name.clone())
}

/// What is known of a run before its games are checked.
#[derive(Debug)]
pub struct KnownPlan {
    /// The run.
    pub run: RunDocument,
    /// The openings for the comparison; `None` if every line of play ends within one.
    pub openings: Option<Openings>,
    /// Entrants whose programs here differ from those that played.
    pub others: BTreeSet<String>,
    /// The settings in `plan.toml`, if its entrants are those of the journal.
    pub file_settings: Option<RunSettings>,
    /// Whether `plan.toml` gives the plan of the journal.
    pub file_fits: bool,
}
