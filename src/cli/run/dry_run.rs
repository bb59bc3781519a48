//! `--dry-run`: the schedule, the number of games, how long they take if the folder has some, and an
//! upper bound of the time.

use super::estimate::{about, remaining};
use crate::config::Resolved;
use crate::run_folder::RunFolder;
use crate::text::{counted, long_time, printable};
use crate::tournament::{Pair, Progress, Schedule, pair_count};
use std::fmt::Write as _;
use std::path::Path;
use std::time::Duration;

/// Pairs that are shown, unless all of them are.
const FIRST_PAIRS: usize = 10;

/// The first pairs of the schedule or all of them, in its own order, and its size.
pub fn describe(resolved: &Resolved, schedule: &Schedule, all: bool) -> String {
    let plan = &resolved.plan;
    let mut text = String::new();
    let shown_pairs = if all { usize::MAX } else { FIRST_PAIRS };
    for pair in schedule.pairs.iter().take(shown_pairs) {
        let [first, second] = pair
            .entrants
            .map(|entrant| &plan.entrants[entrant.index()].name);
        let opening = if plan.secret.is_some() {
            let (number, opening) = resolved.openings.of_pair(pair);
            format!("opening {number} ({})", opening.text())
        } else {
            "an opening that is drawn when the run begins".to_owned()
        };
        let _ = writeln!(
            text,
            "pair {}: {first} and {second} from {opening}",
            pair.id
        );
    }
    if let Some(more @ 1..) = schedule.pairs.len().checked_sub(shown_pairs) {
        let more = counted(more, "more pair", "more pairs");
        let _ = writeln!(text, "and {more}; --list shows all");
    }
    for warning in &resolved.warnings {
        let _ = writeln!(text, "warning: {warning}");
    }
    for (entrant, refusal) in &resolved.gate.unfit {
        let name = &plan.entrants[entrant.index()].name;
        let reason = printable(refusal.detail());
        let _ = writeln!(text, "not admitted: {name}: {reason}");
    }
    let toolchains: Vec<String> = resolved.toolchains.iter().map(|it| shown(it)).collect();
    if !toolchains.is_empty() {
        let _ = writeln!(text, "every bot may read: {}", toolchains.join(", "));
    }
    let examined = resolved.gate.candidates.len();
    if examined > 0 {
        let _ = writeln!(
            text,
            "admission first: {examined} of the entrants, two games each"
        );
    }
    // Where results decide who meets whom, it is a bound.
    let pairs = pair_count(plan);
    let most = if plan.is_dealt() { "at most " } else { "" };
    let _ = writeln!(
        text,
        "{}, {most}{}, {} on {}, into {}",
        counted(plan.entrants.len(), "entrant", "entrants"),
        counted(pairs, "pair", "pairs"),
        counted(2 * pairs, "game", "games"),
        counted(resolved.settings.slots as usize, "slot", "slots"),
        resolved.output.display()
    );
    text.push_str(&times(resolved, schedule));
    text
}

/// How much is played, and how long the rest takes.
fn times(resolved: &Resolved, schedule: &Schedule) -> String {
    let mut text = String::new();
    let run = RunFolder::open_to_read(&resolved.output).ok();
    let found = run.and_then(|it| it.read_for(&resolved.plan).ok());
    let (games, progress) = found.unwrap_or_default();
    let remaining = remaining(resolved, schedule, (&games, &progress));
    let played = progress.games_done();
    // Where results decide who meets whom, it is not known how many follow.
    let left = match remaining.games_open() {
        _ if resolved.plan.is_dealt() => String::new(),
        left => format!(", {left} left"),
    };
    if played > 0 {
        let played = counted(played, "game is", "games are");
        let _ = writeln!(text, "{played} played already{left}");
    }
    if played > 0 && !resolved.plan.is_dealt() && remaining.games_open() == 0 {
        return text;
    }
    let time = about(&remaining, resolved.settings.slots);
    let _ = writeln!(
        text,
        "{}; at most {}, if every new-game and every move takes its whole time and every game {} \
         plies; starting the bots comes on top",
        time.filter(|_| !resolved.plan.is_dealt())
            .unwrap_or_else(|| "how long that takes is known after the first games".to_owned()),
        long_time(upper_bound(resolved, schedule, &progress)),
        resolved.plan.max_plies
    );
    text
}

fn shown(folder: &Path) -> String {
    printable(&folder.to_string_lossy())
}

fn upper_bound(resolved: &Resolved, schedule: &Schedule, progress: &Progress) -> Duration {
    let plan = &resolved.plan;
    let (south, north) = (plan.max_plies.div_ceil(2), plan.max_plies / 2);
    let moves = plan.longest(south) + plan.longest(north);
    // All entrants have the same limits.
    let ready = resolved
        .entrants
        .first()
        .map_or(Duration::ZERO, |entrant| entrant.bot.new_game);
    let game = moves.saturating_add(2 * ready);
    // The slot with the most games plays whole pairs.
    let is_open = |pair: &&Pair| !pair.game_ids().iter().all(|it| progress.is_done(it));
    let open = schedule.pairs.iter().filter(is_open).count();
    let to_deal = pair_count(plan) - schedule.pairs.len();
    let pairs = (open + to_deal).div_ceil(resolved.settings.slots.max(1) as usize);
    game.saturating_mul(u32::try_from(2 * pairs).unwrap_or(u32::MAX))
}
