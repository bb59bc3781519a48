//! The bar while entrants are examined before the first game: how many of them are done, and who
//! was the last.

use super::bar_style::bar_style;
use super::{BAR, TEST_BAR, Watcher};
use crate::text::printable;

const EXAMINATION_BAR: &str = "{bar:20} admission: {pos} of {len} entrants, {elapsed}  {wide_msg}";

impl Watcher<'_> {
    /// Shows the examination of this many entrants in place of the games.
    pub fn show_examination(&mut self, candidates: usize) {
        self.to_examine = candidates;
        self.bar.set_style(bar_style(EXAMINATION_BAR, 0));
        self.bar.set_length(candidates as u64);
        self.bar.set_position(0);
        self.bar.enable_steady_tick(super::TICK);
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

    /// Shows the games, whether or not somebody is still to be examined.
    pub fn show_games(&mut self) {
        self.to_examine = 0;
        self.bar.disable_steady_tick();
        self.bar.set_message("");
        let done = self.earlier + self.played;
        let template = if self.test.is_none() { BAR } else { TEST_BAR };
        self.bar.set_style(bar_style(template, done));
        self.bar.set_length(self.total as u64);
        self.bar.set_position(done.min(self.total) as u64);
    }
}
