//! The plan: what the journal says against its own hash, against `plan.toml`, and against the bots'
//! files on this machine.

use super::findings::{Check, Findings, Place};
use super::older;
use super::openings::{self, OpeningBook};
use crate::bot::ProgramIdentity;
use crate::files;
use crate::run_folder::{JOURNAL, PLAN, RunFolder};
use crate::text::quoted;
use crate::tournament::{
    Entrant, KeyDifference, OpeningSource, Openings, Plan, Recorded, RecordedPlan, RunDocument,
    RunSettings,
};
use std::collections::{BTreeMap, BTreeSet};

/// No `plan.toml` of a run has more, in MiB: with 10,000 entrants it has some 10.
pub const MOST_PLAN_MIB: u64 = 64;
/// What stands for the tree of an entrant's folder among its files.
pub const TREE: &str = "dir";
/// What stands for the version of a house bot among its files.
pub const VERSION: &str = "version of awale";

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
pub type ReadPlan<'a> = &'a dyn Fn(bool) -> Result<RunDocument, PlanFileError>;

/// What of an entrant's program is compared with this machine: SHA-256 of its files, by how
/// messages name them, and a house bot's version.
pub type ProgramFiles = BTreeMap<String, String>;

/// What is known of a run before its games are looked at.
#[derive(Debug)]
pub struct KnownPlan {
    /// The run.
    pub run: RunDocument,
    /// What the openings of games are compared with; `None` if the journal does not say it.
    pub openings: Option<OpeningBook>,
    /// Entrants whose programs here are not those that played.
    pub others: BTreeSet<String>,
    /// What of `plan.toml` changes no game, if its entrants are those of the journal.
    pub file_settings: Option<RunSettings>,
    /// Whether `plan.toml` gives the plan of the journal.
    pub file_fits: bool,
}

/// The run as it can be used to check its games; `None` if there is none. What is wrong is among
/// the findings.
pub fn compare(
    folder: &RunFolder,
    recorded: Option<&RecordedPlan>,
    read_plan: ReadPlan<'_>,
    findings: &mut Findings,
) -> Option<KnownPlan> {
    if recorded.is_some_and(|it| !it.hash_fits) {
        let message = "the hash of the plan is not that of what the line says of it";
        findings.problem(Check::Plan, Place::line(JOURNAL, 1), message);
    }
    let here = read_plan(recorded.is_some_and(RecordedPlan::is_test));
    if let Err(PlanFileError { line, message }) = &here {
        let place = line.map_or_else(|| Place::file(PLAN), |line| Place::line(PLAN, line));
        findings.problem(Check::Plan, place, message);
    }
    let Some(recorded) = recorded else {
        let run = here.ok()?;
        let message = "the plan in the journal is damaged: games are compared with plan.toml alone";
        findings.warning(Check::Plan, Place::file(PLAN), message);
        findings.leave_out(Check::Bots, "the journal does not say what played");
        return Some(KnownPlan {
            openings: Openings::of(&run.plan).map(OpeningBook::Known),
            run,
            others: BTreeSet::new(),
            file_settings: None,
            file_fits: false,
        });
    };
    match &recorded.what {
        Recorded::Run(run) => Some(compare_run(folder, recorded, run, here.ok(), findings)),
        Recorded::Keys { identity, .. } => {
            let keys = older::RecordedKeys { recorded, identity };
            keys.compare(folder, here.ok()?, findings)
        }
    }
}

/// The run of the journal against the one of `plan.toml`.
fn compare_run(
    folder: &RunFolder,
    recorded: &RecordedPlan,
    run: &RunDocument,
    here: Option<RunDocument>,
    findings: &mut Findings,
) -> KnownPlan {
    let mut known = KnownPlan {
        run: run.clone(),
        openings: Openings::of(&run.plan).map(OpeningBook::Known),
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

/// What of two plans differs, but for what may have changed on this machine since.
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
        findings.problem(Check::Plan, Place::file(PLAN), &message);
    }
}

/// A list of openings here against the one that was played, which the journal has.
fn compare_openings(run: &RunDocument, here: &RunDocument, findings: &mut Findings) {
    let are_listed = matches!(run.plan.openings, OpeningSource::Listed(_));
    if are_listed && run.plan.openings != here.plan.openings {
        let message = openings::changed(&here.plan.openings);
        findings.warning(Check::Openings, Place::file(PLAN), message);
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
    }
}

/// The files of all entrants, by name.
pub fn files_of(plan: &Plan) -> BTreeMap<String, ProgramFiles> {
    let files = plan.entrants.iter().map(|entrant| {
        let identity = ProgramIdentity::of(&entrant.program).unwrap_or_default();
        let files = identity.files.into_iter();
        let mut files: ProgramFiles = files.map(|(word, hash)| (quoted(&word), hash)).collect();
        files.extend(identity.tree.map(|hash| (TREE.to_owned(), hash)));
        files.extend(identity.awale_version.map(|it| (VERSION.to_owned(), it)));
        (entrant.name.clone(), files)
    });
    files.collect()
}

/// What `plan.toml` says of where it was made, against the journal: its hash, and what the files
/// were.
pub fn compare_provenance(
    folder: &RunFolder,
    plan_hash: &str,
    played: &BTreeMap<String, ProgramFiles>,
    findings: &mut Findings,
) {
    let mut problem = |message: &str| findings.problem(Check::Plan, Place::file(PLAN), message);
    let text = files::read(&folder.file(PLAN), MOST_PLAN_MIB).unwrap_or_default();
    let table: toml::Table = toml::from_slice(&text).unwrap_or_default();
    let none = toml::Table::new();
    let provenance = table.get("provenance").and_then(toml::Value::as_table);
    let provenance = provenance.unwrap_or(&none);
    let hash = provenance.get("plan-sha256").and_then(toml::Value::as_str);
    if hash != Some(plan_hash) {
        let hash = hash.unwrap_or("nothing");
        problem(&format!(
            "plan-sha256 is {hash}, and the games are those of {plan_hash}"
        ));
    }
    let entrants = provenance.get("entrant").and_then(toml::Value::as_array);
    let mut missing = played.clone();
    for files in missing.values_mut() {
        files.remove(VERSION);
    }
    for entrant in entrants.into_iter().flatten() {
        let name = entrant.get("name").and_then(toml::Value::as_str);
        let name = name.unwrap_or_default();
        let hashes = entrant.get("sha256").and_then(toml::Value::as_table);
        let hashes = hashes.into_iter().flatten();
        let hashes = hashes.map(|(word, hash)| (quoted(word), hash));
        let tree = entrant.get("tree-sha256");
        for (file, hash) in hashes.chain(tree.map(|hash| (TREE.to_owned(), hash))) {
            let there = missing.get_mut(name).and_then(|files| files.remove(&file));
            if hash.as_str() != there.as_deref() {
                let there = there.as_deref().unwrap_or("nothing");
                problem(&format!(
                    "the hash of {file} of {name:?} is {hash}, and the games were played with \
                     {there}"
                ));
            }
        }
    }
    for (name, files) in missing {
        for (file, there) in files {
            problem(&format!(
                "entrant {name:?} SHA-256 of {file}: the games were played with {there}, and it \
                 has no such hash"
            ));
        }
    }
}

/// The bots' files here against those that played. They decide nothing about games that were
/// played: what differs is a warning. Returns whose differ.
pub fn compare_bots(
    plan: &Plan,
    there: &BTreeMap<String, ProgramFiles>,
    here: &BTreeMap<String, ProgramFiles>,
    findings: &mut Findings,
) -> BTreeSet<String> {
    let (mut same, mut others) = (0, BTreeSet::new());
    let none = ProgramFiles::new();
    for name in plan.entrants.iter().map(|entrant| &entrant.name) {
        let [there, here] = [there, here].map(|files| files.get(name).unwrap_or(&none));
        let files: BTreeSet<&String> = there.keys().chain(here.keys()).collect();
        for file in files {
            let Some(message) = stranger(file, there.get(file), here.get(file)) else {
                same += 1;
                continue;
            };
            others.insert(name.clone());
            let message = format!("{}: {message}", quoted(name));
            findings.warning(Check::Bots, Place::default(), &message);
        }
    }
    let what = format!("{same} files and versions as they played");
    findings.done(Check::Bots, what);
    others
}

/// Which of these entrants is found here now as another one than the journal has.
pub fn changed(run: &RunDocument, found: &Plan, names: &BTreeSet<String>) -> Option<String> {
    let is_changed =
        |entrant: &&Entrant| names.contains(&entrant.name) && !run.plan.entrants.contains(entrant);
    let entrant = found.entrants.iter().find(is_changed)?;
    Some(entrant.name.clone())
}

/// How a file or a version differs from the one that played; `None` if it does not.
fn stranger(file: &str, there: Option<&String>, here: Option<&String>) -> Option<String> {
    if there == here {
        return None;
    }
    if file == VERSION {
        let [there, here] = [there, here].map(|it| it.map_or("none", String::as_str));
        return Some(format!(
            "it played as a house bot of awale {there}, and this is awale {here}"
        ));
    }
    Some(match (there, here) {
        (Some(_), None) => {
            format!("{file} is not on this machine, and cannot be compared with what played")
        }
        (None, _) => format!("{file} is a file now, and was none when it played"),
        (Some(_), Some(_)) => format!(
            "{file} is on this machine with other contents than what played: its games cannot be \
             played again here"
        ),
    })
}
