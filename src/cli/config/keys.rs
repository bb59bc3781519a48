//! Every key of a configuration as a table of names, and the answer to a name that is not in it.

use super::error::{Origin, Trouble};
use super::names::visible;
use super::tree::{Entry, Table, Value};

/// A table of the configuration and its keys, in the order of the manual.
pub(super) struct Keys {
    /// As it is written: `[clock]`.
    pub(super) table: &'static str,
    pub(super) keys: &'static [&'static str],
}

pub(super) const TOP: Keys = Keys {
    table: "the file",
    keys: &[
        "tournament",
        "clock",
        "rules",
        "admission",
        "isolation",
        "limits",
        "sprt",
        "entrant",
        "provenance",
    ],
};
pub(super) const TOURNAMENT: Keys = Keys {
    table: "[tournament]",
    keys: &[
        "name",
        "folder",
        "format",
        "champions",
        "rules",
        "pairs",
        "seed",
        "secret",
        "slots",
        "openings",
        "max-plies",
        "max-faults",
        "restart",
        "start-up",
        "new-game",
        "threads-per-bot",
        "logs",
        "blind",
        "anchor",
        "errors",
    ],
};
pub(super) const OPENINGS: Keys = Keys {
    table: "`openings` of [tournament]",
    keys: &["plies", "file", "shared"],
};
pub(super) const MAX_FAULTS: Keys = Keys {
    table: "`max-faults` of [tournament]",
    keys: &["count", "share", "after"],
};
pub(super) const CLOCK: Keys = Keys {
    table: "[clock]",
    keys: &["move", "bank", "increment", "margin", "measure"],
};
pub(super) const RULES: Keys = Keys {
    table: "[rules]",
    keys: &[
        "capture",
        "grand-slam",
        "must-feed",
        "majority-ends",
        "row-empty-ends",
        "dead-position-ends",
        "repetition",
        "no-move-gift",
    ],
};
pub(super) const REPETITION: Keys = Keys {
    table: "[rules.repetition]",
    keys: &["occurrences", "remaining"],
};
pub(super) const ADMISSION: Keys = Keys {
    table: "[admission]",
    keys: &["mode"],
};
pub(super) const ISOLATION: Keys = Keys {
    table: "[isolation]",
    keys: &["level", "freeze", "readable"],
};
pub(super) const LIMITS: Keys = Keys {
    table: "[limits]",
    keys: &[
        "memory",
        "processes",
        "temporary",
        "files",
        "submission-size",
        "line",
        "output",
        "stderr-head",
        "stderr-tail",
    ],
};
pub(super) const SPRT: Keys = Keys {
    table: "[sprt]",
    keys: &["new", "elo0", "elo1", "alpha", "beta", "model", "max-pairs"],
};
pub(super) const ENTRANT: Keys = Keys {
    table: "[[entrant]]",
    keys: &[
        "name",
        "command",
        "dir",
        "readable",
        "env",
        "restart",
        "deterministic",
        "limits",
    ],
};
pub(super) const ENTRANT_LIMITS: Keys = Keys {
    table: "[entrant.limits]",
    keys: LIMITS.keys,
};

/// The tables that a misplaced key may belong to, the likeliest first.
const HOMES: [&Keys; 9] = [
    &TOURNAMENT,
    &CLOCK,
    &RULES,
    &LIMITS,
    &ISOLATION,
    &ADMISSION,
    &SPRT,
    &ENTRANT,
    &REPETITION,
];

/// Limits that one would expect, and that nothing would hold a bot to.
const UNENFORCED: [&str; 3] = ["disk", "cpu", "network"];

/// The tables of a file, as a user writes them. `[provenance]` is left out: nobody writes it, and
/// only plans that awale wrote have it.
const TABLES: &str =
    "[tournament], [clock], [rules], [admission], [isolation], [limits], [sprt], [[entrant]]";

/// Refuses the first key that is not in the list.
pub(super) fn check(keys: &Keys, table: &Table) -> Result<(), Trouble> {
    let known = |key: &str| keys.keys.contains(&key);
    match table.entries().find(|entry| !known(&entry.key)) {
        None => Ok(()),
        Some(entry) => {
            let message = if keys.keys == TOP.keys {
                unknown_at_top(entry)
            } else {
                unknown(keys, entry)
            };
            Err(Trouble::new(&entry.key_origin, message))
        }
    }
}

fn unknown_at_top(entry: &Entry) -> String {
    let key = visible(&entry.key);
    let is_table = matches!(entry.node.value, Value::Table(_) | Value::Array(_));
    if let Some(near) = nearest(&entry.key, TOP.keys) {
        return format!("unknown table [{key}]; did you mean [{near}]? Allowed: {TABLES}");
    }
    if let Some(home) = home(&entry.key) {
        return format!("`{key}` stands outside any table; {}", belongs(entry, home));
    }
    let what = if is_table {
        format!("[{key}]")
    } else {
        format!("`{key}`")
    };
    format!("unknown {what}; allowed are the tables {TABLES}")
}

fn unknown(keys: &Keys, entry: &Entry) -> String {
    let key = visible(&entry.key);
    let allowed = keys.keys.join(", ");
    let table = keys.table;
    if keys.keys == LIMITS.keys && UNENFORCED.contains(&entry.key.as_str()) {
        return format!(
            "this version of awale does not enforce `{key}` in {table}: no bot would be held to \
             it; leave it out. Allowed: {allowed}"
        );
    }
    if let Some(near) = nearest(&entry.key, keys.keys) {
        return format!(
            "unknown key `{key}` in {table}; did you mean `{near}`? Allowed: {allowed}"
        );
    }
    if let Some(home) = home(&entry.key) {
        return format!(
            "unknown key `{key}` in {table}; {}. Allowed here: {allowed}",
            belongs(entry, home)
        );
    }
    format!("unknown key `{key}` in {table}; allowed: {allowed}")
}

/// The table that has a key of this name.
fn home(key: &str) -> Option<&'static Keys> {
    HOMES.into_iter().find(|home| home.keys.contains(&key))
}

fn belongs(entry: &Entry, home: &Keys) -> String {
    let name = home.table.trim_matches(['[', ']']);
    match entry.key_origin {
        Origin::Flag(_) if name != "entrant" => format!("write {name}.{}", entry.key),
        _ => format!("it belongs in {}", home.table),
    }
}

/// The name that was probably meant, if one is near.
pub(in crate::cli) fn nearest<'a>(word: &str, names: &[&'a str]) -> Option<&'a str> {
    let word = word.to_lowercase().replace(['_', ' '], "-");
    names
        .iter()
        .map(|name| (distance(&word, &name.to_lowercase()), *name))
        .filter(|(steps, name)| *steps <= ((name.chars().count() + 1) / 3).max(1))
        .min_by_key(|(steps, _)| *steps)
        .filter(|(steps, name)| *steps < name.chars().count())
        .map(|(_, name)| name)
}

/// Letters inserted, deleted, replaced, or swapped with their neighbour, between two words.
fn distance(one: &str, other: &str) -> usize {
    let one: Vec<char> = one.chars().take(64).collect();
    let other: Vec<char> = other.chars().take(64).collect();
    let mut rows = vec![(0..=other.len()).collect::<Vec<usize>>()];
    for i in 1..=one.len() {
        let mut row = vec![i];
        for j in 1..=other.len() {
            let replaced = rows[i - 1][j - 1] + usize::from(one[i - 1] != other[j - 1]);
            let mut least = replaced.min(rows[i - 1][j] + 1).min(row[j - 1] + 1);
            let swapped =
                i > 1 && j > 1 && one[i - 1] == other[j - 2] && one[i - 2] == other[j - 1];
            if swapped {
                least = least.min(rows[i - 2][j - 2] + 1);
            }
            row.push(least);
        }
        rows.push(row);
    }
    rows[one.len()][other.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances_are_those_of_the_textbook() {
        for (one, other, steps) in [
            ("", "abc", 3),
            ("kitten", "sitting", 3),
            ("pairs", "pairs", 0),
            ("piars", "pairs", 1),
            ("pair", "pairs", 1),
        ] {
            assert_eq!(distance(one, other), steps, "{one} {other}");
            assert_eq!(distance(other, one), steps, "{other} {one}");
        }
    }

    #[test]
    fn only_near_names_are_suggested() {
        let nearest_key = |word| nearest(word, TOURNAMENT.keys);
        assert_eq!(nearest_key("pair"), Some("pairs"));
        assert_eq!(nearest_key("max_plies"), Some("max-plies"));
        assert_eq!(nearest_key("Seed"), Some("seed"));
        assert_eq!(nearest_key("startup"), Some("start-up"));
        assert_eq!(nearest_key("colour"), None);
        assert_eq!(nearest_key(""), None);
    }
}
