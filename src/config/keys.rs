//! Every key of a configuration as a table of names, and the answer to an unknown key.

use super::error::{Diagnostic, Origin};
use super::tree::{TomlEntry, TomlTable, Value};
use crate::bot::LIMIT_NAMES;
use crate::text::{did_you_mean, printable};

/// A table of the configuration and its keys, in the order of the manual.
pub struct Keys {
    /// The table as written: `[clock]`.
    pub table: &'static str,
    pub keys: &'static [&'static str],
}

pub const TOP: Keys = Keys {
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
pub const TOURNAMENT: Keys = Keys {
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
        "processes-kept",
        "logs",
        "blind",
        "anchor",
        "errors",
    ],
};
pub const OPENINGS: Keys = Keys {
    table: "`openings` of [tournament]",
    keys: &["plies", "file", "shared"],
};
pub const MAX_FAULTS: Keys = Keys {
    table: "`max-faults` of [tournament]",
    keys: &["count", "share", "after"],
};
pub const CLOCK: Keys = Keys {
    table: "[clock]",
    keys: &["move", "bank", "increment", "margin", "measure"],
};
pub const RULES: Keys = Keys {
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
pub const REPETITION: Keys = Keys {
    table: "[rules.repetition]",
    keys: &["occurrences", "remaining"],
};
pub const ADMISSION: Keys = Keys {
    table: "[admission]",
    keys: &["mode"],
};
pub const ISOLATION: Keys = Keys {
    table: "[isolation]",
    keys: &["level", "freeze", "readable"],
};
pub const LIMITS: Keys = Keys {
    table: "[limits]",
    keys: LIMIT_NAMES,
};
pub const SPRT: Keys = Keys {
    table: "[sprt]",
    keys: &["new", "elo0", "elo1", "alpha", "beta", "model", "max-pairs"],
};
pub const ENTRANT: Keys = Keys {
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
pub const ENTRANT_LIMITS: Keys = Keys {
    table: "[entrant.limits]",
    keys: LIMITS.keys,
};

/// The tables to which a misplaced key may belong, the likeliest first.
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

/// Limits that users may expect and that do not exist.
const UNENFORCED: [&str; 3] = ["disk", "cpu", "network"];

/// The tables of a file, as a user writes them. `[provenance]` is excluded: only plans that awale
/// wrote contain it.
const TABLES: &str =
    "[tournament], [clock], [rules], [admission], [isolation], [limits], [sprt], [[entrant]]";

/// Refuses the first key that is not in the list.
pub fn check(keys: &Keys, table: &TomlTable) -> Result<(), Diagnostic> {
    let known = |key: &str| keys.keys.contains(&key);
    match table.entries().find(|entry| !known(&entry.key)) {
        None => Ok(()),
        Some(entry) => {
            let message = if keys.keys == TOP.keys {
                unknown_at_top(entry)
            } else {
                unknown(keys, entry)
            };
            Err(Diagnostic::new(&entry.key_origin, message))
        }
    }
}

fn unknown_at_top(entry: &TomlEntry) -> String {
    let key = printable(&entry.key);
    let is_table = matches!(entry.node.value, Value::Table(_) | Value::Array(_));
    let hint = did_you_mean(&entry.key, TOP.keys, ["[", "]"]);
    if !hint.is_empty() {
        return format!("unknown table [{key}]{hint} Allowed: {TABLES}");
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

fn unknown(keys: &Keys, entry: &TomlEntry) -> String {
    let key = printable(&entry.key);
    let allowed = keys.keys.join(", ");
    let table = keys.table;
    if keys.keys == LIMITS.keys && UNENFORCED.contains(&entry.key.as_str()) {
        return format!(
            "this version of awale does not enforce `{key}` in {table}: no bot would be held to \
             it; leave it out. Allowed: {allowed}"
        );
    }
    let hint = did_you_mean(&entry.key, keys.keys, ["`", "`"]);
    if !hint.is_empty() {
        return format!("unknown key `{key}` in {table}{hint} Allowed: {allowed}");
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

fn belongs(entry: &TomlEntry, home: &Keys) -> String {
    let name = home.table.trim_matches(['[', ']']);
    match entry.key_origin {
        Origin::Flag(_) if name != "entrant" => format!("write {name}.{}", entry.key),
        _ => format!("it belongs in {}", home.table),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::nearest;

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
