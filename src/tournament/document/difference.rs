//! The keys in which two plans differ.

use crate::tournament::secret::Secret;
use serde_json::Value;
use std::collections::BTreeSet;

/// The path of the entrants.
pub const ENTRANTS: &str = "entrants";
/// The path of the secret, whose values are shown as short hashes.
const SECRET: &str = "secret";

/// A key and its values in two plans.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyDifference {
    /// As named in the configuration, for example `clock.move` or `entrant "ada" program.command`.
    pub key: String,
    /// The value in the first plan as JSON; of the secret, a short hash.
    pub there: Option<String>,
    /// The value in the second plan.
    pub here: Option<String>,
}

impl KeyDifference {
    /// Whether this key is the secret.
    pub fn is_of_secret(&self) -> bool {
        self.key == "tournament.secret"
    }
}

/// The keys of the configuration that a plan's document has under another path. The other paths are
/// those of `[tournament]`, or of a table of their own.
const CONFIG_KEYS: [(&str, &str); 19] = [
    ("endgame.seeds", "adjudication.seeds"),
    ("endgame.sha256", "adjudication.sha256"),
    ("endgame", "adjudication.endgame"),
    ("resign", "adjudication.resign"),
    ("draw", "adjudication.draw"),
    ("longer", "class.longer"),
    ("house-pairs", "class.house-pairs"),
    ("preset", "tournament.rules"),
    ("format.gauntlet", "tournament.champions"),
    ("sharing", "tournament.openings.shared"),
    ("opening-start", "tournament.openings.start"),
    ("openings.random", "tournament.openings"),
    ("openings.listed", "tournament.openings.file"),
    ("conditions.isolation", "isolation.level"),
    ("conditions.freeze", "isolation.freeze"),
    ("conditions.readable", "isolation.readable"),
    ("conditions.admission", "admission.mode"),
    ("conditions", "tournament"),
    ("test", "sprt"),
];
/// The tables that a document has under their own names.
const TABLES: [&str; 3] = ["clock", "rules", ENTRANTS];

/// The key of the configuration at a path of a plan's document.
fn config_key(path: &str) -> String {
    let below = |table: &str| {
        let rest = path.strip_prefix(table)?;
        (rest.is_empty() || rest.starts_with('.')).then_some(rest)
    };
    let mut renamed = CONFIG_KEYS.iter();
    if let Some(key) = renamed.find_map(|(at, key)| Some(format!("{key}{}", below(at)?))) {
        return key;
    }
    if path.starts_with("entrant ") || TABLES.iter().any(|table| below(table).is_some()) {
        return path.to_owned();
    }
    format!("tournament.{path}")
}

/// The keys of the configuration in which the documents of two plans differ.
pub fn plan_differences(there: &Value, here: &Value) -> Vec<KeyDifference> {
    let found = differences(there, here).into_iter();
    let named = found.map(|it| KeyDifference {
        key: config_key(&it.key),
        ..it
    });
    named.collect()
}

/// All keys in which two documents differ, in the order of their paths.
pub fn differences(there: &Value, here: &Value) -> Vec<KeyDifference> {
    let mut found = Vec::new();
    compare("", Some(there), Some(here), &mut found);
    found
}

/// The number of values that are not objects; a list counts as one.
pub fn leaves(value: &Value) -> usize {
    match value {
        Value::Object(keys) => keys.values().map(leaves).sum(),
        Value::Array(items) if items.iter().any(Value::is_object) => items.iter().map(leaves).sum(),
        _ => 1,
    }
}

fn compare(
    path: &str,
    there: Option<&Value>,
    here: Option<&Value>,
    found: &mut Vec<KeyDifference>,
) {
    if there == here {
        return;
    }
    let objects = [there, here].map(|value| value.and_then(Value::as_object));
    if let [Some(there), Some(here)] = objects {
        let keys: BTreeSet<&String> = there.keys().chain(here.keys()).collect();
        for key in keys {
            compare(&below(path, key), there.get(key), here.get(key), found);
        }
        return;
    }
    if path == ENTRANTS
        && let [Some(there), Some(here)] = [there, here]
    {
        return compare_entrants(there, here, found);
    }
    found.push(KeyDifference {
        key: path.to_owned(),
        there: there.map(|value| shown(path, value)),
        here: here.map(|value| shown(path, value)),
    });
}

/// Appends a key to a path: keys of the configuration as they are, names from users in quotes.
fn below(path: &str, key: &str) -> String {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-';
    match (path, key.bytes().all(is_plain)) {
        ("", _) => key.to_owned(),
        (_, true) => format!("{path}.{key}"),
        (_, false) => format!("{path} {key:?}"),
    }
}

/// Compares entrants of the same name; of all others only the names.
fn compare_entrants(there: &Value, here: &Value, found: &mut Vec<KeyDifference>) {
    let [before, now] = [there, here].map(named);
    let names = |entrants: &[(&str, &Value)]| {
        let names: Vec<&str> = entrants.iter().map(|(name, _)| *name).collect();
        format!("{names:?}")
    };
    let [names_there, names_here] = [&before, &now].map(|entrants| names(entrants));
    if names_there != names_here {
        return found.push(KeyDifference {
            key: "entrants".to_owned(),
            there: Some(names_there),
            here: Some(names_here),
        });
    }
    for ((name, there), (_, here)) in before.into_iter().zip(now) {
        let own = of_entrant(there, here).into_iter();
        found.extend(own.map(|difference| KeyDifference {
            key: format!("entrant {name:?} {}", difference.key),
            ..difference
        }));
    }
}

/// The keys in which the documents of two entrants of one name differ. Keys of the program stand
/// alone.
pub fn of_entrant(there: &Value, here: &Value) -> Vec<KeyDifference> {
    let mut found = Vec::new();
    for key in ["program", "yardstick", "clock"] {
        let path = if key == "program" { "" } else { key };
        compare(path, there.get(key), here.get(key), &mut found);
    }
    found
}

fn named(entrants: &Value) -> Vec<(&str, &Value)> {
    let entrants = entrants.as_array().into_iter().flatten();
    let named = entrants.map(|entrant| {
        let name = entrant.get("name").and_then(Value::as_str);
        (name.unwrap_or_default(), entrant)
    });
    named.collect()
}

fn shown(path: &str, value: &Value) -> String {
    let text = value.as_str();
    if path == SECRET {
        let secret = text.and_then(|text| text.parse::<Secret>().ok());
        return secret.map_or_else(|| "no secret".to_owned(), |it| it.short_hash());
    }
    text.map_or_else(|| value.to_string(), str::to_owned)
}
