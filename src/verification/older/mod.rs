//! What journals of older formats lack: their runs are verified by the rules of their version.
//! Columns that are new, or follow a newer rule, are excluded from the comparison and named.
//!
//! ```text
//! keys  the definition of the plan in the first line, up to format 4
//! ```

mod keys;

pub use keys::RecordedKeys;

use crate::tournament::RecordedPlan;
use crate::verification::older::keys::is_without_secret;

/// Columns that were added with format 3, with their tables. Every new column must be listed here,
/// because folders of older formats lack it.
const NEW_COLUMNS: [(&str, &str); 11] = [
    ("standings.csv", "max_new_game_time_us"),
    ("standings.csv", "process_limit"),
    ("standings.csv", "busy_off_turn"),
    ("standings.csv", "voids_on_turn"),
    ("standings.csv", "voids_charged"),
    ("games.csv", "held_up_time_south_us"),
    ("games.csv", "held_up_time_north_us"),
    ("games.csv", "off_turn_cpu_time_south_us"),
    ("games.csv", "off_turn_cpu_time_north_us"),
    ("noise.csv", "on_turn"),
    ("noise.csv", "charged_to"),
];

/// Columns that were added before format 3 within a format: folders may lack them.
const EARLIER_COLUMNS: [(&str, &str); 14] = [
    ("standings.csv", "relative_to"),
    ("standings.csv", "mean_cpu_time_us"),
    ("standings.csv", "max_cpu_time_us"),
    ("standings.csv", "status"),
    ("standings.csv", "last_game"),
    ("crosstable.csv", "status"),
    ("games.csv", "withdrawn"),
    ("games.csv", "mean_cpu_time_south_us"),
    ("games.csv", "max_cpu_time_south_us"),
    ("games.csv", "total_cpu_time_south_us"),
    ("games.csv", "mean_cpu_time_north_us"),
    ("games.csv", "max_cpu_time_north_us"),
    ("games.csv", "total_cpu_time_north_us"),
    ("games.csv", "max_late_time_us"),
];

/// Columns that follow a newer rule since another column was added: the table, the added column,
/// and the columns that follow an older rule where it is missing.
const LATER_RULES: [(&str, &str, &[&str]); 1] =
    [("standings.csv", "relative_to", &["elo", "bound", "error95"])];

/// Columns that were added with format 4, and those that are by opening since then and were by pair
/// before.
const BY_OPENING: [(&str, &str); 11] = [
    ("crosstable.csv", "expected"),
    ("crosstable.csv", "z"),
    ("standings.csv", "planned_games"),
    ("standings.csv", "best"),
    ("standings.csv", "rank_low"),
    ("standings.csv", "rank_high"),
    ("los.csv", "simultaneous95"),
    ("standings.csv", "error95"),
    ("los.csv", "difference"),
    ("los.csv", "error95"),
    ("los.csv", "los"),
];

/// Columns that were added with format 5.
const OF_FORMAT_5: [(&str, &str); 1] = [("standings.csv", "reason")];

/// The column of a number that can be a bound, and the column that says so: bounds are by opening
/// since format 4.
const BOUNDS: (&str, &str, &str) = ("standings.csv", "elo", "bound");

/// The indices of these two columns in a table.
pub fn bounds(table: &str, columns: &[String]) -> Option<(usize, usize)> {
    let (of, number, sense) = BOUNDS;
    let place = |name: &str| columns.iter().position(|column| column == name);
    if table == of {
        Some((place(number)?, place(sense)?))
    } else {
        None
    }
}

/// Whether the tables of a journal have other columns or followed older rules: up to format 4.
pub fn is_older(recorded: Option<&RecordedPlan>) -> bool {
    recorded.is_some_and(|it| it.format <= 4)
}

/// Whether bounds followed an older rule: up to format 3.
pub const fn has_older_bounds(format: u32) -> bool {
    format <= 3
}

/// The columns of a table that are excluded from the comparison with a folder of this older format,
/// whose table has the columns `found`.
pub fn left_out(format: u32, table: &str, made: &[String], found: &[String]) -> Vec<String> {
    let is_new = |column: &str| {
        let column = (table, column);
        OF_FORMAT_5.contains(&column)
            || format <= 3 && BY_OPENING.contains(&column)
            || format <= 2 && NEW_COLUMNS.contains(&column)
    };
    if format >= 3 {
        return made.iter().filter(|it| is_new(it)).cloned().collect();
    }
    let is_changed = |column: &str| {
        LATER_RULES.iter().any(|(of, came, older)| {
            *of == table && older.contains(&column) && !found.iter().any(|it| it == came)
        })
    };
    let is_missing =
        |column: &String| EARLIER_COLUMNS.contains(&(table, column)) && !found.contains(column);
    let is_left_out = |column: &&String| is_new(column) || is_changed(column) || is_missing(column);
    made.iter().filter(is_left_out).cloned().collect()
}

/// Whether the folder of an older journal may lack a table: `faults.csv` was added with format 5,
/// `openings.csv` with format 4, the others within format 2.
pub fn may_be_missing(recorded: Option<&RecordedPlan>, table: &str) -> bool {
    match table {
        "faults.csv" => is_older(recorded),
        "openings.csv" => recorded.is_some_and(|it| it.format <= 3),
        "los.csv" | "noise.csv" => is_without_secret(recorded),
        _ => false,
    }
}
