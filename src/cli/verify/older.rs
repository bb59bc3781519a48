//! What journals of older formats did not have: their runs are checked by what they knew. What is
//! new, or follows another rule now, is left out of the comparison and named.

use crate::cli::config::Resolved;
use crate::tournament::{FORMAT, RecordedPlan};
use std::time::Duration;

/// Keys of a plan's identity that came with format 3.
const NEW_KEYS: [&str; 2] = ["tournament.secret", "tournament.new-game"];

/// Columns that came with format 3, with their tables. A column belongs here as soon as a table
/// has it: folders of older formats are without.
const NEW_COLUMNS: [(&str, &str); 10] = [
    ("standings.csv", "max_new_game_time_us"),
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

/// Columns that older formats had, and that another rule fills since format 3.
const CHANGED_COLUMNS: [(&str, &str); 0] = [];

/// Whether a journal was written before this program's format.
pub(super) fn is_older(recorded: Option<&RecordedPlan>) -> bool {
    recorded.is_some_and(|it| it.format < FORMAT)
}

/// Whether a key of the plan says nothing of the games of this journal.
pub(super) fn is_new_key(recorded: &RecordedPlan, key: &str) -> bool {
    is_older(Some(recorded)) && NEW_KEYS.contains(&key)
}

/// What a bot might take to answer `new-game`.
pub(super) fn new_game_budget(resolved: &Resolved, recorded: Option<&RecordedPlan>) -> Duration {
    let bot = &resolved.bots[0];
    if is_older(recorded) {
        bot.start_up
    } else {
        bot.new_game
    }
}

/// Whether a column of a table is left out where a folder of an older format is checked.
pub(super) fn is_left_out(table: &str, column: &str) -> bool {
    NEW_COLUMNS.contains(&(table, column)) || CHANGED_COLUMNS.contains(&(table, column))
}
