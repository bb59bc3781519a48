//! `awale schema`: a JSON Schema (draft 2020-12) of the configuration, for editors that complete
//! and check, or of the events of `--json`. The first is made from the declaration of the keys that
//! the reader of configurations uses, and the descriptions are the comments of the manual. The
//! other is made from the types of the events.

use super::args::SchemaArguments;
use super::exit::{Exit, Failure, say};
use super::run::schema_of_events;
use crate::config::{CONFIG_KEYS, ConfigKey, Keys, Kind, ManualEntry, manual};
use serde_json::{Map, Value, json};

/// A time as a text.
const TIME: &str = r"^[0-9]+(\.[0-9]{1,9})? *(us|µs|ms|s|m|h)$";
/// A size as a text.
const SIZE: &str = r"^[0-9]+(\.[0-9]{1,9})? *(B|KiB|MiB|GiB)$";

/// Prints the schema.
///
/// # Errors
/// Those of standard output.
pub fn schema(arguments: &SchemaArguments) -> Result<Exit, Failure> {
    let schema = if arguments.events {
        schema_of_events()
    } else {
        of_configuration()
    };
    say(&format!("{schema:#}\n"))
}

fn of_configuration() -> Value {
    let mut schema = table(&CONFIG_KEYS, &manual());
    schema["$schema"] = json!("https://json-schema.org/draft/2020-12/schema");
    schema["title"] = json!("a configuration of awale");
    schema
}

/// A table with these keys and no others.
fn table(keys: &Keys, entries: &[ManualEntry]) -> Value {
    let mut properties = Map::new();
    for key in keys.keys {
        let mut value = value(&key.kind, entries);
        if let Some(entry) = entry(keys, key, entries) {
            if !entry.doc.is_empty() {
                value["description"] = json!(entry.doc);
            }
            if entry.is_default {
                value["default"] = toml_value(&entry.value);
            }
        }
        properties.insert(key.name.to_owned(), value);
    }
    let required: Vec<&str> = keys
        .keys
        .iter()
        .filter(|key| is_required(keys, key))
        .map(|key| key.name)
        .collect();
    let mut table = json!({
        "type": "object",
        "properties": properties,
        "additionalProperties": false,
    });
    if !required.is_empty() {
        table["required"] = json!(required);
    }
    table
}

/// What the manual says of a key.
fn entry<'e>(keys: &Keys, key: &ConfigKey, entries: &'e [ManualEntry]) -> Option<&'e ManualEntry> {
    let table = keys.table.trim_matches(['[', ']']);
    entries.iter().find(|it| {
        let whole = format!("{}.{}", it.table, it.key);
        whole == format!("{table}.{}", key.name)
    })
}

/// Only tables that may stand several times get no defaults.
fn is_required(keys: &Keys, key: &ConfigKey) -> bool {
    key.is_needed && keys.table.starts_with("[[")
}

fn value(kind: &Kind, entries: &[ManualEntry]) -> Value {
    match kind {
        Kind::Text(example) => json!({ "type": "string", "examples": [toml_value(example)] }),
        Kind::Texts(example) => json!({
            "type": "array", "items": { "type": "string" }, "examples": [toml_value(example)],
        }),
        Kind::Pattern(pattern) => json!({ "type": "string", "pattern": pattern }),
        Kind::Integer(bounds) => json!({
            "type": "integer", "minimum": bounds.start(), "maximum": bounds.end(),
        }),
        Kind::Number(bounds) => json!({
            "type": "number", "minimum": bounds.start(), "maximum": bounds.end(),
        }),
        Kind::Size { .. } => json!({ "type": "string", "pattern": SIZE }),
        Kind::Time(_) => json!({ "type": "string", "pattern": TIME }),
        Kind::Choice(names) => json!({ "enum": names() }),
        Kind::Boolean => json!({ "type": "boolean" }),
        Kind::Table(keys) => table(keys, entries),
        Kind::Tables(keys) | Kind::Forms { keys, .. } => {
            json!({ "type": "array", "items": table(keys, entries) })
        }
        Kind::Form { keys, word, .. } => {
            let form = table(keys, entries);
            match word {
                Some(word) => json!({ "anyOf": [form, { "const": word }] }),
                None => form,
            }
        }
        Kind::Map { values, .. } => json!({
            "type": "object", "additionalProperties": value(values, entries),
        }),
        Kind::Unread => json!({}),
    }
}

/// A value of TOML as JSON.
fn toml_value(example: &str) -> Value {
    let parsed: Result<toml::Table, _> = format!("example = {example}").parse();
    let parsed = parsed
        .ok()
        .and_then(|table| serde_json::to_value(table).ok());
    parsed.map_or(Value::Null, |table| table["example"].clone())
}
