//! How long the games of a run will take, in words.

use crate::config::Resolved;
use crate::run_folder::JournalGames;
use crate::text::{counted, long_time};
use crate::tournament::{Progress, RemainingTime, Schedule};

/// What is known of the times of the games that are to be played, from those of the journal.
pub fn remaining(
    resolved: &Resolved,
    schedule: &Schedule,
    (games, progress): (&JournalGames, &Progress),
) -> RemainingTime {
    let mut remaining = RemainingTime::new(&resolved.plan, schedule, &resolved.gate, progress);
    for game in games.store().results() {
        remaining.measure(game);
    }
    remaining
}

/// How long the games that are still to be played will take; `None` if that is not known.
pub fn about(remaining: &RemainingTime, slots: u32) -> Option<String> {
    let time = remaining.time().filter(|_| remaining.games_open() > 0)?;
    let slots = slots.max(1);
    let basis = match remaining.games_measured() {
        0 => "the games of the admission".to_owned(),
        games => counted(games, "game so far", "games so far"),
    };
    Some(format!(
        "about {} on {}, as {basis} went",
        long_time(time / slots),
        counted(slots as usize, "slot", "slots")
    ))
}
