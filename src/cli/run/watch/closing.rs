//! The last line of a run: how many games it has played, how long that took, and where to look.

use super::{WatchStyle, Watcher};
use crate::cli::exit::tell;
use crate::cli::paint::Paint;
use crate::report::{StandingsRow, Tables};
use crate::run_folder::REPORT;
use crate::text::{counted, printable, shell_word};
use std::path::Path;
use std::time::Duration;

impl Watcher<'_> {
    /// Tells people where the results are: `396 games in 2 min 3 s → results/open/report.html`. A
    /// run for programs, or a quiet one, says nothing.
    pub fn tell_results(&self, tables: &Tables<'_>, folder: &Path) {
        if matches!(self.style, WatchStyle::Json | WatchStyle::Quiet) {
            return;
        }
        let played = match self.played {
            0 => "nothing was left to play".to_owned(),
            played => format!(
                "{} in {}",
                counted(played, "game", "games"),
                duration(self.started.elapsed())
            ),
        };
        let all = (self.earlier + self.played) as u64;
        let count = match tables.games() {
            counted if counted < all => format!(", {counted} of {all} count"),
            _ => String::new(),
        };
        let grades = match tables.grades() {
            Some(_) => ", grades.csv, feedback/",
            None => "",
        };
        let report = printable(&folder.join(REPORT).to_string_lossy());
        let rows = tables.standings().rows().iter();
        let lost: u64 = rows.map(StandingsRow::fault_count).sum();
        let refused = tables.exclusions().refused.len() as u64;
        let faults = usize::try_from(lost + refused).unwrap_or(usize::MAX);
        let why = match faults {
            0 => String::new(),
            _ => format!(
                " · {}: awale faults {}",
                counted(faults, "fault", "faults"),
                printable(&shell_word(&folder.to_string_lossy()))
            ),
        };
        let paint = Paint::for_standard_error();
        let (played, why) = (paint.bold(&played), paint.red(&why));
        tell(&format!("{played}{count} → {report}{grades}{why}"));
    }
}

/// A duration in words: `6.9 s`, `2 min 3 s`, `1 h 5 min`.
fn duration(time: Duration) -> String {
    let seconds = time.as_secs();
    match seconds {
        0..60 => format!("{:.1} s", time.as_secs_f64()),
        60..3600 => format!("{} min {} s", seconds / 60, seconds % 60),
        _ => format!("{} h {} min", seconds / 3600, seconds / 60 % 60),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_have_two_units_at_most() {
        for (ms, text) in [
            (6_940, "6.9 s"),
            (59_900, "59.9 s"),
            (123_900, "2 min 3 s"),
            (3_900_000, "1 h 5 min"),
        ] {
            assert_eq!(duration(Duration::from_millis(ms)), text);
        }
    }
}
