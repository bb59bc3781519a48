//! The leaders beside the bar, as many as fit.

use super::{WatchStyle, Watcher};
use rustix::termios::tcgetwinsize;
use std::io;

/// The number of leaders that are shown.
const LEADERS: usize = 3;

/// The columns of a bar without the leaders, at its widest.
const BAR_COLUMNS: usize = 66;

impl Watcher<'_> {
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

/// The columns of a terminal that the bar leaves for the leaders.
fn room_for_leaders() -> usize {
    let columns = tcgetwinsize(io::stderr()).map_or(80, |size| usize::from(size.ws_col));
    columns.saturating_sub(BAR_COLUMNS)
}
