//! What journals of older formats did not have: their runs are checked by what they knew. What is
//! new, or follows another rule now, is left out of the comparison and named.
//!
//! ```text
//! keys  what the first line said of the plan, up to format 4
//! ```

mod keys;

pub use keys::RecordedKeys;

use crate::tournament::RecordedPlan;
use crate::verification::older::keys::is_without_secret;

/// Columns that came with format 3, with their tables. A column belongs here as soon as a table
/// has it: folders of older formats are without.
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

/// Columns that came before format 3, while a format was in use: folders may be without.
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

/// Columns that another rule fills since a column came beside them: the table, the column that
/// came, and those that an older rule filled where it is missing.
const LATER_RULES: [(&str, &str, &[&str]); 1] =
    [("standings.csv", "relative_to", &["elo", "bound", "error95"])];

/// Columns that came with format 4, and those that go by openings since then and went by pairs
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

/// Where bounds stand in a table, and what says that they are some: since format 4 they go by
/// openings.
const BOUNDS: (&str, &str, &str) = ("standings.csv", "elo", "bound");

/// The places of a number that may be a bound, and of what says so, in the columns of a table.
pub fn bounds(table: &str, columns: &[String]) -> Option<(usize, usize)> {
    let (of, number, sense) = BOUNDS;
    let place = |name: &str| columns.iter().position(|column| column == name);
    if table == of {
        Some((place(number)?, place(sense)?))
    } else {
        None
    }
}

/// Whether tables were made otherwise when a journal was written: up to format 3.
pub fn is_older(recorded: Option<&RecordedPlan>) -> bool {
    recorded.is_some_and(|it| it.format <= 3)
}

/// The columns of a table, as it is made now, that are left out where a folder of this older format
/// has a table with these columns: what it did not know, and what another rule filled.
pub fn left_out(format: u32, table: &str, made: &[String], found: &[String]) -> Vec<String> {
    if format == 3 {
        let is_by_opening = |column: &&String| BY_OPENING.contains(&(table, column.as_str()));
        return made.iter().filter(is_by_opening).cloned().collect();
    }
    let is_new = |column: &str| {
        NEW_COLUMNS.contains(&(table, column)) || BY_OPENING.contains(&(table, column))
    };
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

/// Whether the folder of an older journal may be without a table: `openings.csv` came with format
/// 4, the others while format 2 was in use.
pub fn may_be_missing(recorded: Option<&RecordedPlan>, table: &str) -> bool {
    match table {
        "openings.csv" => is_older(recorded),
        "los.csv" | "noise.csv" => is_without_secret(recorded),
        _ => false,
    }
}
