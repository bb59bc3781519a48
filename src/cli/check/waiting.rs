//! Shows who is waited for while the entrants of a configuration are examined: on a terminal in a
//! line that changes, elsewhere in a line from time to time.

use crate::cli::paint::takes_escapes;
use crate::text::printable;
use crate::tournament::EntrantIndex;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::collections::BTreeMap;
use std::io;
use std::time::{Duration, Instant};

/// How often the line on a terminal changes.
pub const TICK: Duration = Duration::from_millis(500);
/// The time between plain lines, if nothing else was shown.
const LINE_EVERY: Duration = Duration::from_secs(10);

/// The entrants that are being examined.
pub struct Waiting {
    bar: ProgressBar,
    is_terminal: bool,
    begun: BTreeMap<EntrantIndex, (String, Instant)>,
    said: Instant,
}

impl Waiting {
    /// Nobody of this many entrants is examined yet.
    pub fn new(entrants: usize) -> Self {
        let is_terminal = takes_escapes(&io::stderr());
        let target = if is_terminal {
            ProgressDrawTarget::stderr()
        } else {
            ProgressDrawTarget::hidden()
        };
        let bar = ProgressBar::with_draw_target(Some(entrants as u64), target);
        let style = ProgressStyle::with_template("{pos}/{len} entrants, {wide_msg}");
        bar.set_style(style.expect("a valid template"));
        Self {
            bar,
            is_terminal,
            begun: BTreeMap::new(),
            said: Instant::now(),
        }
    }

    /// The examination of an entrant begins.
    pub fn begin(&mut self, entrant: EntrantIndex, name: &str) {
        let name = printable(name);
        self.begun.insert(entrant, (name, Instant::now()));
    }

    /// It has ended.
    pub fn end(&mut self, entrant: EntrantIndex) {
        self.begun.remove(&entrant);
        self.said = Instant::now();
        self.bar.inc(1);
    }

    /// Shows who is waited for; to be called every [`TICK`].
    pub fn tick(&mut self) {
        if self.is_terminal {
            self.bar.set_message(self.sentence());
            self.bar.tick();
        } else if self.said.elapsed() >= LINE_EVERY && !self.begun.is_empty() {
            eprintln!("{}", self.sentence());
            self.said = Instant::now();
        }
    }

    /// Lets other lines be shown.
    pub fn above(&self, show: impl FnOnce()) {
        self.bar.suspend(show);
    }

    /// Removes the line.
    pub fn close(&self) {
        self.bar.finish_and_clear();
    }

    /// `waiting for hugo (12 s), jonas (3 s)`, the longest first.
    fn sentence(&self) -> String {
        let mut begun: Vec<&(String, Instant)> = self.begun.values().collect();
        begun.sort_by_key(|(_, since)| *since);
        let names = begun.iter();
        let names = names.map(|(name, since)| format!("{name} ({} s)", since.elapsed().as_secs()));
        let names: Vec<String> = names.collect();
        format!("waiting for {}", names.join(", "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_has_begun_first_is_named_first() {
        let mut waiting = Waiting::new(3);
        for (index, name) in [(2, "ada"), (0, "be\u{1b}n"), (1, "cy")] {
            waiting.begin(EntrantIndex(index), name);
        }
        waiting.end(EntrantIndex(1));
        let sentence = waiting.sentence();
        assert_eq!(sentence, "waiting for ada (0 s), be\\u{1b}n (0 s)");
    }
}
