//! The bar on a terminal: of entrants while they are examined, then of games, with the leaders
//! beside it, as many as fit. Its rate and its rest count the games of this session alone: a
//! resumed run begins with many that took no time.

use super::{WatchStyle, Watcher};
use crate::text::printable;
use indicatif::{ProgressState, ProgressStyle};
use rustix::termios::tcgetwinsize;
use std::fmt;
use std::io;
use std::time::{Duration, Instant};

/// The bar of a tournament …
pub const BAR: &str = "{bar:20} {pos}/{len} games, {rate}, {prefix} left  {wide_msg}";
/// … and of a test, whose rest only the test knows: longer than a line of 80 columns.
pub const TEST_BAR: &str = "{spinner} {pos} games, {rate}; {prefix}\n{wide_msg}";
/// How often a bar is drawn again while nothing happens.
const TICK: Duration = Duration::from_millis(250);
const EXAMINATION_BAR: &str = "{bar:20} admission: {pos} of {len} entrants, {elapsed}  {wide_msg}";

/// The rest before anything is known of it.
const UNKNOWN: &str = "–";

/// The number of leaders that are shown.
const LEADERS: usize = 3;

/// The columns of a bar without the leaders, at its widest.
const BAR_COLUMNS: usize = 72;

impl Watcher<'_> {
    /// Shows the examination of this many entrants in place of the games.
    pub fn show_examination(&mut self, candidates: usize) {
        self.to_examine = candidates;
        self.bar.set_style(bar_style(EXAMINATION_BAR, 0));
        self.bar.set_length(candidates as u64);
        self.bar.set_position(0);
        self.bar.enable_steady_tick(TICK);
    }

    /// One entrant more was examined; after the last one the games are shown.
    pub fn show_examined(&mut self, entrant: &str) {
        if self.to_examine == 0 {
            return;
        }
        self.to_examine -= 1;
        self.bar.inc(1);
        self.bar
            .set_message(format!("last: {}", printable(entrant)));
        if self.to_examine == 0 {
            self.show_games();
        }
    }

    /// Whether nobody is left to be examined.
    pub const fn has_examined_all(&self) -> bool {
        self.to_examine == 0
    }

    /// Shows the games, whether or not somebody is still to be examined.
    pub fn show_games(&mut self) {
        self.to_examine = 0;
        self.games_since = Instant::now();
        self.bar.set_prefix(UNKNOWN);
        self.bar.disable_steady_tick();
        self.bar.set_message("");
        let done = self.earlier + self.played;
        let template = if self.test.is_none() { BAR } else { TEST_BAR };
        self.bar.set_style(bar_style(template, done));
        self.bar.set_length(self.total as u64);
        self.bar.set_position(done.min(self.total) as u64);
    }

    /// The leaders, or how far the test has come.
    pub(super) fn middle(&self) -> String {
        match self.test {
            Some(_) => self.test_line.clone(),
            None if self.style == WatchStyle::Bar => self.leaders_in(room_for_leaders()),
            None => self.leaders.line(LEADERS, self.share_played()),
        }
    }

    /// As many leaders as fit into these columns.
    fn leaders_in(&self, columns: usize) -> String {
        let share = self.share_played();
        let lines = (1..=LEADERS)
            .rev()
            .map(|most| self.leaders.line(most, share));
        let mut fitting = lines.filter(|line| line.chars().count() <= columns);
        fitting.next().unwrap_or_default()
    }
}

/// A style with the key `rate`; this many games were played before this moment.
pub fn bar_style(template: &str, earlier: usize) -> ProgressStyle {
    let since = Instant::now();
    let rate = move |state: &ProgressState| {
        let played = state.pos().saturating_sub(earlier as u64);
        played as f64 / since.elapsed().as_secs_f64().max(1e-3)
    };
    ProgressStyle::with_template(template)
        .expect("a template without mistakes")
        .with_key(
            "rate",
            move |state: &ProgressState, out: &mut dyn fmt::Write| {
                // A terminal that takes no text takes no error either.
                let _ = write!(out, "{:.1} games/s", rate(state));
            },
        )
}

/// An estimated time, of one unit.
pub fn about(seconds: f64) -> String {
    if !seconds.is_finite() {
        return UNKNOWN.to_owned();
    }
    if seconds < 120.0 {
        format!("about {seconds:.0} s")
    } else if seconds < 7200.0 {
        format!("about {:.0} min", seconds / 60.0)
    } else {
        format!("about {:.1} h", seconds / 3600.0)
    }
}

/// The columns of a terminal that the bar leaves for the leaders.
fn room_for_leaders() -> usize {
    let columns = tcgetwinsize(io::stderr()).map_or(80, |size| usize::from(size.ws_col));
    columns.saturating_sub(BAR_COLUMNS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_left_has_one_unit() {
        for (seconds, text) in [
            (f64::INFINITY, "–"),
            (f64::NAN, "–"),
            (0.0, "about 0 s"),
            (10.4, "about 10 s"),
            (1_000.0, "about 17 min"),
            (10_000.0, "about 2.8 h"),
        ] {
            assert_eq!(about(seconds), text);
        }
    }
}
