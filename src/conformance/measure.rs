//! Judges what was observed: times, memory, lines, and how a bot ends.

use super::outcome::{Lateness, StepVerdict};
use crate::bot::ExitReport;
use crate::conformance::bot_under_test::BotObservations;
use crate::rules::Pit;
use std::time::Duration;

/// The margin of every move, as in a tournament by default.
const MARGIN: Duration = Duration::from_millis(10);
/// How long a bot may take to quit.
const QUIT_GRACE: Duration = Duration::from_millis(200);
/// The default limit of memory in a tournament.
const MEMORY_KIB: u64 = 512 << 10;

/// Whether the moves came in time. The machine may cause a few late moves: one in a hundred is a
/// note, more are the bot's failure.
pub fn in_time(seen: &BotObservations, limit: Duration) -> StepVerdict {
    let mut times = seen.times.clone();
    times.sort_unstable();
    let Some(longest) = times.last() else {
        return StepVerdict::Note("it made no move".to_owned());
    };
    let late = times.iter().filter(|time| **time > limit + MARGIN).count();
    let (moves, p99) = (times.len(), percentile(&times, 99));
    let what = format!(
        "{moves} moves of {} each: half within {}, 99 % within {}, the longest {}; {late} late",
        in_ms(limit),
        in_ms(percentile(&times, 50)),
        in_ms(p99),
        in_ms(*longest)
    );
    if p99 > limit + MARGIN {
        StepVerdict::Failed {
            what,
            hint: Some(lateness(seen)),
            fix: None,
            lateness: Lateness::PerhapsByHost,
        }
    } else if late > 0 {
        StepVerdict::Note(format!(
            "{what}: each would lose a game, if it was not this machine that was slow"
        ))
    } else {
        StepVerdict::Passed(what)
    }
}

/// Why moves may be late: because of the bot, or of this machine.
fn lateness(seen: &BotObservations) -> String {
    let thinks = "it thinks longer than it may: leave a tenth of the time unused";
    if seen.queued > MARGIN {
        let queued = in_ms(seen.queued);
        format!(
            "{thinks}; but its processes were ready to run and waited {queued} for a processor in \
             all: is this machine busy with something else?"
        )
    } else {
        thinks.to_owned()
    }
}

/// The nearest-rank percentile of sorted times.
fn percentile(sorted: &[Duration], percent: usize) -> Duration {
    let rank = (sorted.len() * percent).div_ceil(100).max(1);
    sorted[rank - 1]
}

/// A time for people: with µs where they matter.
fn in_ms(time: Duration) -> String {
    let digits = if time < Duration::from_millis(10) {
        3
    } else {
        1
    };
    format!("{:.digits$} ms", time.as_secs_f64() * 1e3)
}

/// Whether two games with the same seed are equal. If not, that is only a note, because no rule
/// requires it.
pub fn deterministic(games: &[Option<Vec<Pit>>; 2]) -> StepVerdict {
    let [Some(first), Some(second)] = games else {
        return StepVerdict::Note("there were no two games to compare".to_owned());
    };
    let differs = first
        .iter()
        .zip(second)
        .position(|(one, other)| one != other);
    match differs {
        None if first.len() == second.len() => {
            StepVerdict::Passed(format!("{} plies, twice the same", first.len()))
        }
        None => StepVerdict::Note("one game is longer than the other".to_owned()),
        Some(ply) => StepVerdict::Note(format!("the games differ from ply {ply} on")),
    }
}

/// Whether lines end correctly.
pub fn line_ends(seen: &BotObservations) -> StepVerdict {
    match seen.carriage_returns {
        0 => StepVerdict::Passed(String::new()),
        lines => StepVerdict::Note(format!("{lines} lines ended with \\r\\n")),
    }
}

/// Whether every `info` was kept.
pub fn info(seen: &BotObservations) -> StepVerdict {
    match &seen.dropped_info {
        None => StepVerdict::Passed(String::new()),
        Some(why) => StepVerdict::Note(format!("an info was not kept: {why}")),
    }
}

/// Whether the process stayed below the limit, without its children.
pub fn memory(seen: &BotObservations) -> StepVerdict {
    let Some(peak) = seen.peak_kib else {
        return StepVerdict::Note("this system does not tell how much memory was used".to_owned());
    };
    let what = format!("at most {:.1} MiB", peak as f64 / 1024.0);
    if peak > MEMORY_KIB {
        StepVerdict::failed(what, Lateness::NotLate)
    } else {
        StepVerdict::Passed(what)
    }
}

/// Whether the bot wrote to standard error.
pub fn standard_error(seen: &BotObservations) -> StepVerdict {
    let text = String::from_utf8_lossy(&seen.stray_log);
    let first = text.lines().find(|line| !line.trim().is_empty());
    match first {
        None => StepVerdict::Passed(String::new()),
        Some(line) => {
            let line: String = line.chars().take(200).collect();
            StepVerdict::Note(format!(
                "{} bytes, beginning with: {line}",
                seen.stray_bytes
            ))
        }
    }
}

/// Whether a bot ended when it was asked to, after the time in which it could not know of it.
pub fn exit_report(exit_report: &ExitReport, by_quit: bool, deaf: Duration) -> StepVerdict {
    let asked = if by_quit {
        "quit"
    } else {
        "the end of its input"
    };
    match exit_report.time {
        None => StepVerdict::Failed {
            what: format!("it went on running after {asked} and was killed"),
            hint: Some(
                "is there a thread that is waited for, or a loop that reads on when there is \
                 nothing more to read?"
                    .to_owned(),
            ),
            fix: None,
            lateness: Lateness::PerhapsByHost,
        },
        Some(time) if !exit_report.is_success => StepVerdict::Note(format!(
            "it {} after {asked} ({})",
            exit_report.words,
            in_ms(time)
        )),
        Some(time) if time > QUIT_GRACE + deaf => StepVerdict::Note(format!(
            "it took {}: a tournament kills it after {}",
            in_ms(time),
            in_ms(QUIT_GRACE)
        )),
        Some(time) => StepVerdict::Passed(in_ms(time)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn ms(ms: u64) -> Duration {
        Duration::from_millis(ms)
    }

    fn judged(late: usize, on_time: usize) -> StepVerdict {
        let times = [vec![ms(111); late], vec![ms(110); on_time]].concat();
        let seen = BotObservations {
            times,
            ..BotObservations::default()
        };
        in_time(&seen, ms(100))
    }

    #[test]
    fn one_late_move_in_a_hundred_is_forgiven() {
        assert!(matches!(judged(0, 5), StepVerdict::Passed(_)));
        assert!(matches!(judged(1, 99), StepVerdict::Note(_)));
        assert!(matches!(judged(2, 99), StepVerdict::Failed { .. }));
        assert!(matches!(judged(1, 5), StepVerdict::Failed { .. }));
    }

    #[test]
    fn memory_is_judged_by_its_peak() {
        let judged = |peak_kib| {
            memory(&BotObservations {
                peak_kib,
                ..BotObservations::default()
            })
        };
        assert!(matches!(judged(Some(512 * 1024)), StepVerdict::Passed(_)));
        assert!(matches!(
            judged(Some(512 * 1024 + 1)),
            StepVerdict::Failed { .. }
        ));
        assert!(matches!(judged(None), StepVerdict::Note(_)));
    }

    #[test]
    fn percentiles_are_nearest_ranks() {
        let times: Vec<Duration> = (1..=200).map(ms).collect();
        for (percent, expected) in [(1, 2), (50, 100), (99, 198), (100, 200)] {
            assert_eq!(percentile(&times, percent), ms(expected));
        }
        assert_eq!(percentile(&times[..1], 50), ms(1));
    }
}
