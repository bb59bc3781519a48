//! Compares the bots' files that played with those on this machine and with `plan.toml`.

use crate::bot::ProgramIdentity;
use crate::run_folder::{PLAN, RunFolder};
use crate::text::quoted;
use crate::tournament::Plan;
use crate::verification::findings::{Check, FindingPlace, Findings};
use std::collections::{BTreeMap, BTreeSet};

/// MiB that no `plan.toml` of a run exceeds: with 10,000 entrants it has about 10.
pub const MOST_PLAN_MIB: u64 = 64;

/// The name of the tree of an entrant's folder among its files.
pub const TREE: &str = "dir";

/// The name of a house bot's version among its files.
pub const VERSION: &str = "version of awale";

/// The parts of an entrant's program that are compared with this machine: SHA-256 of its files, by
/// their names in messages, and a house bot's version.
pub type ProgramFiles = BTreeMap<String, String>;

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

/// Compares what `plan.toml` says of its origin with the journal: its hash, and the hashes of the
/// files.
pub fn compare_provenance(
    folder: &RunFolder,
    plan_hash: &str,
    played: &BTreeMap<String, ProgramFiles>,
    findings: &mut Findings,
) {
    let mut problem =
        |message: &str| findings.problem(Check::Plan, FindingPlace::file(PLAN), message);
    let text = folder.files().read(PLAN, MOST_PLAN_MIB).unwrap_or_default();
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

/// Compares the bots' files here with those that played. They decide nothing about games already
/// played, so a difference is a warning. Returns the entrants that differ.
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
            findings.warning(Check::Bots, FindingPlace::default(), &message);
        }
    }
    let what = format!("{same} files and versions as they played");
    findings.done(Check::Bots, what);
    others
}

/// Describes how a file or a version differs from the one that played; `None` if it does not.
pub fn stranger(file: &str, there: Option<&String>, here: Option<&String>) -> Option<String> {
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
