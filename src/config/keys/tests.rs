//! The declarations against the manual, and against the types of the fields.

use super::check::KeyPlace;
use super::declaration::{ConfigKey, Keys, Kind, LONGEST_TIME};
use super::tables::FILE;
use crate::config::keys::declaration::{ManualEntry, manual};
use crate::config::tree::Node;
use crate::config::{Overrides, read};
use crate::rules::Preset;
use crate::text::{size_text, time_text};
use crate::tournament::override_rules;
use serde_json::{Map, Value};

/// A key, its table in the manual, and its name there.
struct Declared {
    table: &'static str,
    name: String,
    place: KeyPlace,
}

/// The keys of all tables, except those that are tables of their own.
fn declared() -> Vec<Declared> {
    let tables = FILE.keys.iter().flat_map(|table| match table.kind {
        Kind::Table(keys) | Kind::Tables(keys) => keys_of(table.name, "", keys),
        _ => Vec::new(),
    });
    tables.collect()
}

fn keys_of(table: &'static str, before: &str, keys: &'static Keys) -> Vec<Declared> {
    let all = keys.keys.iter().flat_map(|key| match key.kind {
        Kind::Table(inner) if table == "rules" => keys_of(table, &format!("{}.", key.name), inner),
        _ => vec![Declared {
            table,
            name: format!("{before}{}", key.name),
            place: KeyPlace {
                table: keys.table,
                key,
            },
        }],
    });
    all.collect()
}

fn entry_of(key: &Declared) -> Option<ManualEntry> {
    let mut entries = manual().into_iter();
    entries.find(|entry| entry.table == key.table && entry.key == key.name)
}

#[test]
fn the_manual_has_every_declared_key_with_its_documentation() {
    let keys = declared();
    assert!(keys.len() > 50, "the keys are found");
    for key in keys {
        let name = format!("{}.{}", key.table, key.name);
        let entry = entry_of(&key).unwrap_or_else(|| panic!("{name} is not in the manual"));
        assert!(entry.doc.len() > 5, "{name}: {entry:?}");
        if key.place.key.is_needed && !["entrant", "start"].contains(&key.table) {
            assert!(entry.is_default, "{name} has no default");
        }
        if let Kind::Form { keys, .. } | Kind::Forms { keys, .. } = key.place.key.kind {
            let words = format!("{} {}", entry.value, entry.doc);
            for inner in keys.names() {
                assert!(words.contains(&format!("{inner} = ")), "{name}.{inner}");
            }
        }
    }
}

#[test]
fn every_key_of_the_manual_is_declared_and_takes_the_value_there() {
    let keys = declared();
    for ManualEntry {
        table, key, value, ..
    } in manual()
    {
        let mut found = keys.iter();
        let found = found.find(|it| it.table == table && it.name == key);
        let found = found.unwrap_or_else(|| panic!("{table}.{key} is not declared"));
        let node = Node::from_flag(&value, "--set").unwrap();
        assert_eq!(found.place.check(&node), Ok(()), "{table}.{key} = {value}");
    }
}

#[test]
fn the_manual_shows_the_rules_of_the_first_preset() {
    for key in declared().iter().filter(|key| key.table == "rules") {
        let value = entry_of(key).unwrap().value;
        let name = Value::from(value.trim_matches('"'));
        let set = Map::from_iter([(key.name.clone(), name)]);
        let rules = Preset::Awale.rules();
        assert_eq!(override_rules(rules, &set), Ok(rules), "{}", key.name);
    }
}

#[test]
fn entries_of_the_manual_are_read_whole() {
    let entries = manual();
    let entry = |table: &str, key: &str| {
        let mut found = entries
            .iter()
            .filter(|it| it.table == table && it.key == key);
        found.next().unwrap().clone()
    };
    let faults = entry("tournament", "max-faults");
    assert_eq!(faults.value, "{ count = 10, share = \"10%\", after = 50 }");
    assert!(
        faults
            .doc
            .starts_with("an entrant is withdrawn with 10 faults")
    );
    assert!(faults.doc.ends_with("or \"off\""), "{}", faults.doc);
    let anchor = entry("tournament", "anchor");
    assert_eq!(
        (anchor.value.as_str(), anchor.is_default),
        ("{ greedy = 1000 }", false)
    );
    assert!(entry("limits", "memory").is_default);
    assert!(!entry("entrant", "name").is_default);
}

/// Values at the bounds of a kind, or each that it has.
fn samples(kind: &Kind) -> Vec<String> {
    let ends = |least: u64, most: u64| vec![least.to_string(), most.to_string()];
    let quoted = |names: Vec<&str>| names.iter().map(|name| format!("\"{name}\"")).collect();
    match kind {
        Kind::Text(example) | Kind::Texts(example) => vec![(*example).to_owned()],
        Kind::Integer(bounds) => ends(*bounds.start(), *bounds.end()),
        Kind::Number(bounds) => [bounds.start(), bounds.end()].map(f64::to_string).to_vec(),
        Kind::Size { bounds, example } => [bounds.start(), bounds.end(), example]
            .map(|&size| format!("\"{}\"", size_text(size)))
            .to_vec(),
        Kind::Time(least) => [*least, LONGEST_TIME]
            .map(|time| format!("\"{}\"", time_text(time)))
            .to_vec(),
        Kind::Choice(names) => quoted(names()),
        Kind::Boolean => truths(),
        _ => Vec::new(),
    }
}

fn truths() -> Vec<String> {
    ["true", "false"].map(str::to_owned).to_vec()
}

/// No value that a declaration accepts is too large, or of another type, for its field.
#[test]
fn every_field_holds_the_values_of_its_declaration() {
    let mut count = 0;
    for Declared { table, name, place } in declared() {
        let ConfigKey { kind, .. } = place.key;
        for sample in samples(kind) {
            let text = match table {
                "entrant" if ["name", "command"].contains(&name.as_str()) => continue,
                // All of its keys are texts.
                "start" => continue,
                "entrant" => {
                    format!("[[entrant]]\nname = \"ada\"\ncommand = [\"ada\"]\n{name} = {sample}\n")
                }
                _ => format!("[{table}]\n{name} = {sample}\n"),
            };
            let typed = read(text.as_bytes(), &Overrides::default());
            assert!(typed.is_ok(), "{text}: {typed:?}");
            count += 1;
        }
    }
    assert!(count > 100, "{count} samples");
}
