//! The last lines of a run: who had faults, how many games it has played, how long that took, and
//! where to look.

use super::{WatchStyle, Watcher};
use crate::cli::exit::tell_painted;
use crate::cli::paint::Paint;
use crate::record::FaultKind;
use crate::report::{StandingsRow, Tables};
use crate::run_folder::REPORT;
use crate::text::{counted, printable, shell_word};
use std::cmp::Reverse;
use std::path::Path;
use std::time::Duration;

/// Entrants with faults that are named at the end.
const FAULTY: usize = 8;

impl Watcher<'_> {
    /// Tells people where the results are: `396 games in 2 min 3 s → results/open/report.html`. A
    /// run for programs, or a quiet one, says nothing.
    pub fn tell_results(&self, tables: &Tables<'_>, of_class: &str, folder: &Path) {
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
        for line in fault_lines(tables) {
            tell_painted(&paint.red(&line));
        }
        let (played, why) = (paint.bold(&played), paint.red(&why));
        tell_painted(&format!("{played}{count} → {report}{of_class}{why}"));
    }
}

/// Who lost games by faults, and by which, those with most faults first.
fn fault_lines(tables: &Tables<'_>) -> Vec<String> {
    let rows = tables.standings().rows().iter();
    let mut faulty: Vec<&StandingsRow> = rows.filter(|row| row.fault_count() > 0).collect();
    faulty.sort_by_key(|row| Reverse(row.fault_count()));
    let lines = faulty.iter().take(FAULTY).map(|row| {
        let kinds = FaultKind::ALL.into_iter().zip(row.faults);
        let kinds = kinds.filter(|(_, count)| *count > 0);
        let kinds: Vec<String> = kinds
            .map(|(kind, count)| format!("{count} {kind}"))
            .collect();
        let faults = usize::try_from(row.fault_count()).unwrap_or(usize::MAX);
        let games = counted(faults, "game", "games");
        let entrant = printable(&row.entrant);
        format!("  {entrant} lost {games} by faults: {}", kinds.join(", "))
    });
    let mut lines: Vec<String> = lines.collect();
    if faulty.len() > FAULTY {
        let more = counted(faulty.len() - FAULTY, "entrant", "entrants");
        lines.push(format!("  and {more} more had faults"));
    }
    lines
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
