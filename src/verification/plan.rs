//! The plan: what the journal's first line says against its own hash, against `plan.toml`, and
//! against the bots' files on this machine.

use super::findings::{Check, Findings, Place};
use super::older;
use super::openings::{self, OpeningBook};
use crate::config;
use crate::config::{HouseCommands, MOST_PLAN_MIB, Origin, Purpose, Resolved};
use crate::files;
use crate::run_folder::{JOURNAL, RunFolder};
use crate::text::quoted;
use crate::tournament::{Entrant, OpeningNumbers, OpeningSource, RecordedPlan};
use std::collections::{BTreeMap, BTreeSet};

/// The name of the file.
const FILE: &str = "plan.toml";
/// How the keys of an entrant begin that say what a file was.
const HASH_OF: &str = "SHA-256 of ";
/// How such a key ends that is of the tree of the entrant's folder.
const TREE: &str = "dir";
/// The key of a house bot that says what it was.
pub const VERSION: &str = "version of awale";

/// The plan of a run as it can be used to check its games; `None` if none can. What is wrong is
/// among the findings.
pub fn compare(
    folder: &RunFolder,
    recorded: Option<&RecordedPlan>,
    house: &HouseCommands,
    findings: &mut Findings,
) -> Option<Resolved> {
    if recorded.is_some_and(|it| !it.hash_fits()) {
        let message = "the hash of the plan is not that of what the line says of it";
        findings.problem(Check::Plan, Place::line(JOURNAL, 1), message);
    }
    if recorded.is_some_and(|it| !older::is_without_secret(recorded) && !it.secret_fits()) {
        let message = "the secret is not the one that the plan has the short hash of";
        findings.problem(Check::Plan, Place::line(JOURNAL, 1), message);
    }
    let mut resolved = match config::recorded(&folder.file(FILE), purpose(recorded), house) {
        Ok(resolved) => resolved,
        Err(error) => {
            let place = match error.origin {
                Origin::Line(line) => Place::line(FILE, line),
                Origin::Flag(_) | Origin::Whole => Place::file(FILE),
            };
            findings.problem(Check::Plan, place, &error.message);
            return None;
        }
    };
    let Some(recorded) = recorded else {
        let message = "the plan in the journal is damaged: games are compared with plan.toml alone";
        findings.warning(Check::Plan, Place::file(FILE), message);
        return Some(resolved);
    };
    provenance(folder, recorded, findings);
    older::without_later_rules(&mut resolved, recorded);
    let here = resolved.plan.identity();
    let mut keys: BTreeSet<&String> = recorded.identity.keys().chain(here.keys()).collect();
    keys.retain(|key| !is_of_this_machine(&resolved, key) && !older::is_new_key(recorded, key));
    let names = "entrants";
    if recorded.identity.get(names) != here.get(names) {
        // Of others everything differs.
        keys.retain(|key| !key.starts_with("entrant \""));
    }
    let mut same = true;
    for key in keys {
        let [there, here] = [&recorded.identity, &here].map(|map| map.get(key));
        let is_same = match (there, here) {
            (Some(there), Some(here)) => older::is_same_value(recorded, there, here),
            _ => there == here,
        };
        if !is_same {
            same = false;
            let [there, here] = [there, here].map(|it| it.map_or("nothing", String::as_str));
            let message = format!("{key}: the games were played with {there}, it says {here}");
            findings.problem(Check::Plan, Place::file(FILE), &message);
        }
    }
    findings.done(Check::Plan, format!("{} keys", recorded.identity.len()));
    same.then_some(resolved)
}

/// A plan with a sequential test has its keys.
pub fn purpose(recorded: Option<&RecordedPlan>) -> Purpose {
    let mut keys = recorded.into_iter().flat_map(|it| it.identity.keys());
    if keys.any(|key| key.starts_with("sprt.")) {
        Purpose::Test
    } else {
        Purpose::Tournament
    }
}

/// Whether a key says what was found on the machine where the plan was made.
fn is_of_this_machine(resolved: &Resolved, key: &str) -> bool {
    let listed = matches!(resolved.plan.openings, OpeningSource::Listed(_));
    let mut entrants = resolved.plan.entrants.iter();
    (listed && key == openings::KEY)
        || entrants.any(|entrant| {
            let rest = key.strip_prefix(&prefix(entrant));
            rest.is_some_and(|rest| rest == VERSION || rest.starts_with(HASH_OF))
        })
}

fn prefix(entrant: &Entrant) -> String {
    format!("entrant {:?} ", entrant.name)
}

/// What `plan.toml` says of where it was made, against the journal.
fn provenance(folder: &RunFolder, recorded: &RecordedPlan, findings: &mut Findings) {
    let mut problem = |message: &str| findings.problem(Check::Plan, Place::file(FILE), message);
    let text = files::read(&folder.file(FILE), MOST_PLAN_MIB).unwrap_or_default();
    let table: toml::Table = toml::from_slice(&text).unwrap_or_default();
    let none = toml::Table::new();
    let provenance = table.get("provenance").and_then(toml::Value::as_table);
    let provenance = provenance.unwrap_or(&none);
    let hash = provenance.get("plan-sha256").and_then(toml::Value::as_str);
    if hash != Some(&recorded.hash) {
        let hash = hash.unwrap_or("nothing");
        let message = format!(
            "plan-sha256 is {hash}, and the games are those of {}",
            recorded.hash
        );
        problem(&message);
    }
    let entrants = provenance.get("entrant").and_then(toml::Value::as_array);
    let mut missing = recorded.identity.clone();
    missing
        .retain(|key, _| key.starts_with("entrant \"") && key.contains(&format!("\" {HASH_OF}")));
    for entrant in entrants.into_iter().flatten() {
        let name = entrant.get("name").and_then(toml::Value::as_str);
        let name = name.unwrap_or_default();
        let hashes = entrant.get("sha256").and_then(toml::Value::as_table);
        let hashes = hashes.into_iter().flatten();
        let hashes = hashes.map(|(word, hash)| (quoted(word), hash));
        let tree = entrant.get("tree-sha256");
        for (file, hash) in hashes.chain(tree.map(|hash| (TREE.to_owned(), hash))) {
            let key = format!("entrant {name:?} {HASH_OF}{file}");
            let there = recorded.identity.get(&key).map(String::as_str);
            missing.remove(&key);
            if hash.as_str() != there {
                let message = format!(
                    "the hash of {file} of {name:?} is {hash}, and the games were played with {}",
                    there.unwrap_or("nothing")
                );
                problem(&message);
            }
        }
    }
    for (key, there) in missing {
        let message = format!("{key}: the games were played with {there}, and it has no such hash");
        problem(&message);
    }
}

/// What the openings of games are compared with; `None` if the journal does not say it either.
pub fn opening_book(
    resolved: &Resolved,
    recorded: Option<&RecordedPlan>,
    findings: &mut Findings,
) -> Option<OpeningBook> {
    let here = resolved.plan.identity().remove(openings::KEY);
    let there = recorded.and_then(|it| it.identity.get(openings::KEY));
    if there.is_none() || there == here.as_ref() {
        return Some(OpeningBook::Known(resolved.openings.clone()));
    }
    let count = there.and_then(|it| openings::count_of(it));
    let Some(count) = count else {
        let message = "what the journal says of the openings is no list, and plan.toml names one";
        findings.problem(Check::Openings, Place::file(FILE), message);
        return None;
    };
    let message = match &resolved.plan.openings {
        OpeningSource::Listed(list) if !list.is_empty() => {
            "the file of openings has other openings now than the ones that were played: run \
             again, this would be another tournament"
        }
        _ => "the file of openings is not on this machine, or is none any more",
    };
    findings.warning(Check::Openings, Place::file(FILE), message);
    Some(OpeningBook::Shown {
        count,
        numbers: OpeningNumbers::of_list(&resolved.plan, count),
        shown: BTreeMap::new(),
    })
}

/// The bots' files here against those that played. They decide nothing about games that were
/// played: what differs is a warning. Returns whose differ.
pub fn bots(
    resolved: &Resolved,
    recorded: &RecordedPlan,
    findings: &mut Findings,
) -> BTreeSet<String> {
    let (mut same, mut others) = (0, BTreeSet::new());
    for entrant in &resolved.plan.entrants {
        let prefix = prefix(entrant);
        let there = recorded.identity.iter();
        let there = there.filter_map(|(key, value)| Some((key.strip_prefix(&prefix)?, value)));
        let there: BTreeMap<&str, &String> = there.collect();
        let here = entrant.identity.iter();
        let here: BTreeMap<&str, &String> = here.map(|(key, it)| (key.as_str(), it)).collect();
        let keys: BTreeSet<&str> = there.keys().chain(here.keys()).copied().collect();
        for key in keys {
            let file = key.strip_prefix(HASH_OF);
            if file.is_none() && key != VERSION {
                continue;
            }
            let Some(message) = stranger(file, there.get(key).copied(), here.get(key).copied())
            else {
                same += 1;
                continue;
            };
            others.insert(entrant.name.clone());
            let message = format!("{}: {message}", quoted(&entrant.name));
            findings.warning(Check::Bots, Place::default(), &message);
        }
    }
    let what = format!("{same} files and versions as they played");
    findings.done(Check::Bots, what);
    others
}

/// Which of these entrants is found here now as another one than the journal has.
pub fn changed(
    found: &Resolved,
    recorded: &RecordedPlan,
    names: &BTreeSet<String>,
) -> Option<String> {
    let entrants = found.plan.entrants.iter();
    let mut entrants = entrants.filter(|entrant| names.contains(&entrant.name));
    let is_changed = |entrant: &&Entrant| {
        let prefix = prefix(entrant);
        let mut keys = entrant.identity.iter();
        keys.any(|(key, value)| recorded.identity.get(&format!("{prefix}{key}")) != Some(value))
    };
    let entrant = entrants.find(is_changed)?;
    Some(entrant.name.clone())
}

/// How a file or a version differs from the one that played; `None` if it does not.
fn stranger(file: Option<&str>, there: Option<&String>, here: Option<&String>) -> Option<String> {
    match (file, there, here) {
        (_, there, here) if there == here => None,
        (None, there, here) => {
            let [there, here] = [there, here].map(|it| it.map_or("none", String::as_str));
            Some(format!(
                "it played as a house bot of awale {there}, and this is awale {here}"
            ))
        }
        (Some(file), Some(_), None) => Some(format!(
            "{file} is not on this machine, and cannot be compared with what played"
        )),
        (Some(file), None, _) => Some(format!("{file} is a file now, and was none when it played")),
        (Some(file), Some(_), Some(_)) => Some(format!(
            "{file} is on this machine with other contents than what played: its games cannot be \
             played again here"
        )),
    }
}
