//! The display during a tournament: a progress bar on a terminal, plain lines elsewhere, one event
//! per line for programs, or nothing.
//!
//! ```text
//! events    the events for programs, and for the page on which the run can be watched
//! bar       the bar, of examinations and of games, with the leaders
//! announce  first faults, entrants that drop out, and interruptions
//! closing   the last line: where the results are
//! ```
//! Progress goes to standard error, the final table (or the events) to standard output. Names of
//! entrants and text of bots are hostile: they are printed escaped.

mod announce;
mod bar;
mod closing;
mod events;

use super::super::exit::tell_painted;
use crate::cli::paint::{Paint, takes_escapes};
use crate::cli::terminal_table::{print_notes, print_tables};
use crate::record::{GameRecord, GameSummary};
use crate::report::{Leaders, Tables};
use crate::text::printable;
use crate::tournament::{Event, RemainingTime, TestProgress};
use crate::web::LivePage;
use bar::{BAR, TEST_BAR, about, bar_style};
use events::Standing;
pub use events::{
    Finished, FinishedTest, InLedger, RunEvent, TestState, emit, schema_of_events, state_name,
};
use indicatif::{ProgressBar, ProgressDrawTarget};
use std::collections::BTreeSet;
use std::io::{self, Write as _};
use std::time::{Duration, Instant};

/// How often the leaders are computed for the bar.
const LEADERS_EVERY: Duration = Duration::from_millis(500);
/// After each computation, nothing is computed for this many times its duration: a fit of very many
/// entrants must not take even a hundredth of the games' time.
const REST: u32 = 200;
/// The time between plain lines.
const LINE_EVERY: Duration = Duration::from_secs(10);
/// The form of the display.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WatchStyle {
    Bar,
    Lines,
    Json,
    Quiet,
}

impl WatchStyle {
    /// The form for these flags and this terminal.
    pub fn choose(quiet: bool, json: bool) -> Self {
        match (json, quiet, takes_escapes(&io::stderr())) {
            (true, ..) => Self::Json,
            (_, true, _) => Self::Quiet,
            (.., true) => Self::Bar,
            _ => Self::Lines,
        }
    }
}

/// The observer of a run.
pub struct Watcher<'a> {
    style: WatchStyle,
    bar: ProgressBar,
    leaders: Leaders<'a>,
    total: usize,
    /// Whether these are a part of the run.
    is_part: bool,
    /// The number of games that were played before this run.
    earlier: usize,
    played: usize,
    started: Instant,
    /// The beginning of the first game, after all examinations.
    games_since: Instant,
    /// How long the other games take, unless that is not to be told.
    remaining: Option<RemainingTime>,
    /// The number of slots, if all are of this machine.
    slots: Option<u32>,
    shown: Instant,
    /// The shortest pause after that.
    pause: Duration,
    /// The number of entrants that are still to be examined.
    to_examine: usize,
    /// The entrants of which a fault was told.
    faulty: BTreeSet<String>,
    /// Notes under the tables.
    notes: Vec<String>,
    /// Shows the state of a sequential test in place of the leaders.
    test: Option<ShowTest<'a>>,
    test_line: String,
    /// The page on which the run can be watched.
    live: Option<LivePage>,
}

/// Turns the state of a sequential test into its display.
pub type ShowTest<'a> = Box<dyn FnMut(&TestProgress) -> TestLine + 'a>;

/// The display of a sequential test.
pub struct TestLine {
    /// For people.
    pub text: String,
    /// For people, shorter than a line of a terminal: the estimate of the games so far.
    pub estimate: String,
    /// For programs.
    pub event: RunEvent,
}

impl<'a> Watcher<'a> {
    /// `leaders` are those of the `earlier` games, which an earlier run played.
    pub fn new(style: WatchStyle, leaders: Leaders<'a>, total: usize, earlier: usize) -> Self {
        let target = match style {
            WatchStyle::Bar => ProgressDrawTarget::stderr(),
            _ => ProgressDrawTarget::hidden(),
        };
        let bar = ProgressBar::with_draw_target(Some(total as u64), target);
        bar.set_style(bar_style(BAR, earlier));
        bar.set_position(earlier.min(total) as u64);
        let now = Instant::now();
        Self {
            style,
            bar,
            leaders,
            total,
            is_part: false,
            earlier,
            played: 0,
            started: now,
            games_since: now,
            remaining: None,
            slots: None,
            shown: now,
            pause: Duration::ZERO,
            to_examine: 0,
            faulty: BTreeSet::new(),
            notes: Vec::new(),
            test: None,
            test_line: String::new(),
            live: None,
        }
    }

    /// Only a part of the run is played: what is known of the whole is not shown.
    pub fn show_part(&mut self) {
        self.is_part = true;
    }

    /// Estimates how long the games take that are to be played, on this number of slots if it is
    /// known.
    pub fn estimate_by(&mut self, remaining: RemainingTime, slots: Option<u32>) {
        self.remaining = Some(remaining);
        self.slots = slots;
    }

    /// Shows a sequential test in place of the leaders.
    pub fn show_test(&mut self, show: ShowTest<'a>) {
        self.bar.set_style(bar_style(TEST_BAR, self.earlier));
        self.test = Some(show);
    }

    /// Adds a note under the tables.
    pub fn add_note(&mut self, note: Option<String>) {
        self.notes.extend(note);
    }

    /// Adds what the tables say of themselves, before all other notes.
    pub fn add_notes_of_tables(&mut self, notes: Vec<String>) {
        self.notes.splice(0..0, notes);
    }

    /// Prints lines that must not be overlooked; nothing, if there are none.
    pub fn banner(&self, lines: &[String]) {
        if lines.is_empty() {
            return;
        }
        self.publish(|| RunEvent::Warning {
            text: lines.join("; "),
        });
        for (number, line) in lines.iter().enumerate() {
            let paint = Paint::for_standard_error();
            let before = if number == 0 {
                &paint.yellow("warning:")
            } else {
                " "
            };
            self.print(&format!("{before} {}", printable(line)));
        }
    }

    /// Prints a warning that stops nothing.
    pub fn warn(&self, warning: &str) {
        self.publish(|| RunEvent::Warning {
            text: warning.to_owned(),
        });
        self.alert(warning);
    }

    /// Prints a warning for people, of which programs hear otherwise.
    fn alert(&self, warning: &str) {
        let head = Paint::for_standard_error().yellow("warning:");
        self.print(&format!("{head} {}", printable(warning)));
    }

    pub fn on_event(&mut self, event: &Event<'_>) {
        match event {
            // The game is shown once it counts.
            Event::Fault { .. } | Event::Failed(_) | Event::Played { .. } => {}
            Event::Finished { record, .. } => self.finished_game(record),
            Event::Beginning { candidates, games } => {
                self.expect(*games);
                if *candidates > 0 {
                    self.examining(*candidates);
                }
            }
            // What follows from it is told when it is in the journal.
            Event::Examined { admission, games } => {
                self.expect(*games);
                self.examined(admission);
                self.estimate(admission);
            }
            Event::Postponed { entrant, cause } => self.postponed(entrant, cause),
            Event::NotPinned { slot, reason } => self.warn(&format!(
                "slot {slot} runs unpinned, so times are less even: {reason}"
            )),
            Event::Notice { text, is_warning } if *is_warning => self.warn(text),
            Event::Notice { text, .. } => self.notice(text),
            Event::StartFailed { entrant, cause } => self.warn(&format!(
                "cannot start a bot of {entrant}: no other game begins until that works ({cause})"
            )),
            Event::Blocked {
                slot,
                entrant,
                remains,
            } => self.warn(&format!(
                "processes of {entrant} do not end: {remains}; nothing more is played on slot \
                 {slot}"
            )),
            Event::Open { game, cause, games } => {
                self.expect(*games);
                self.open(game, cause);
            }
            Event::Withdrawn { withdrawal, games } => {
                self.expect(*games);
                if let Some(remaining) = &mut self.remaining {
                    remaining.note_withdrawal(&withdrawal.entrant);
                }
                self.withdrawn(withdrawal);
            }
            Event::Tested { test, games } => {
                self.expect(*games);
                self.tested(test);
            }
            Event::Dealt(round) => {
                if let Some(remaining) = &mut self.remaining {
                    remaining.note_dealt(round);
                }
                self.dealt(round);
            }
            Event::Stopping => self.stopping(),
        }
    }

    fn finished_game(&mut self, record: &GameRecord) {
        let summary = GameSummary::of(record);
        let _ = self.leaders.add(&summary);
        if let Some(remaining) = &mut self.remaining {
            remaining.note_played(&summary);
        }
        self.publish(|| RunEvent::of_game(record));
        if record.is_void() {
            self.warn(&format!("game {} is void because of the host", record.id));
            return;
        }
        self.tell_first_fault(record);
        if self.to_examine > 0 {
            self.show_games();
        }
        self.played += 1;
        self.bar.inc(1);
        self.count_live();
        self.show_progress();
    }

    fn tested(&mut self, test: &TestProgress) {
        let Some(show) = &mut self.test else {
            return;
        };
        let line = show(test);
        self.publish(|| line.event);
        self.test_line = line.text;
        self.bar.set_prefix(line.estimate);
    }

    /// Games that are played, of all games.
    fn share_played(&self) -> f64 {
        let done = (self.earlier + self.played).max(1);
        (done as f64 / self.total.max(done) as f64).min(1.0)
    }

    fn show_progress(&mut self) {
        let every = match self.style {
            WatchStyle::Bar => LEADERS_EVERY,
            WatchStyle::Lines => LINE_EVERY,
            WatchStyle::Json | WatchStyle::Quiet => return,
        };
        if self.shown.elapsed() < every.max(self.pause) {
            return;
        }
        let start = Instant::now();
        if self.style == WatchStyle::Bar {
            self.bar.set_message(self.middle());
            if self.test.is_none() {
                self.bar.set_prefix(self.left());
            }
        } else {
            self.print(&self.progress_line());
        }
        self.shown = Instant::now();
        self.pause = REST * start.elapsed();
    }

    fn progress_line(&self) -> String {
        let rate = self.played as f64 / self.games_since.elapsed().as_secs_f64().max(1e-3);
        let done = self.done();
        let middle = self.middle();
        if self.test.is_some() {
            let estimate = self.bar.prefix();
            return format!("{done} games, {rate:.1} games/s; {middle}; {estimate}");
        }
        format!(
            "{done}/{} games, {rate:.1} games/s, {} left; {middle}",
            self.total,
            self.left()
        )
    }

    /// The number of games that are played. Games that do not count are not part of the total.
    fn done(&self) -> usize {
        (self.earlier + self.played).min(self.total)
    }

    /// About how long the rest takes. The games that this run played tell how the time of moves
    /// becomes time of the run; without moves, the other games take as long as those.
    fn left(&self) -> String {
        let measured = self.remaining.as_ref().and_then(|it| {
            let played = it.played().as_secs_f64();
            let rest = it.time()?.as_secs_f64() / played;
            (played > 0.0).then_some(rest)
        });
        let by_games = (self.total - self.done()) as f64 / self.played as f64;
        about(measured.unwrap_or(by_games) * self.games_since.elapsed().as_secs_f64())
    }

    /// Another number of games than was thought will count.
    fn expect(&mut self, games: usize) {
        if self.is_part {
            return;
        }
        self.total = games;
        self.count_live();
        if self.to_examine == 0 {
            self.bar.set_length(games as u64);
        }
    }

    /// Takes the bar off the screen.
    pub fn close(&self) {
        self.bar.finish_and_clear();
    }

    /// What a test or a match came to, with the notes, or the last event.
    pub fn concluded(&self, (text, end): (&str, Finished)) -> io::Result<()> {
        let said = match self.style {
            WatchStyle::Quiet => Ok(()),
            WatchStyle::Json => {
                let notes = Some(self.notes.clone());
                emit(RunEvent::Finished(Box::new(Finished { notes, ..end })))
            }
            WatchStyle::Bar | WatchStyle::Lines => {
                let mut out = io::stdout().lock();
                print_notes(&mut out, &self.notes)
                    .and_then(|()| write!(out, "{}", Paint::for_standard_output().bold_head(text)))
                    .and_then(|()| out.flush())
            }
        };
        or_closed(said)
    }

    /// The final table, or the last event. A reader that has closed its end has seen enough, and
    /// how the run ended is told by its exit code all the same.
    pub fn finished(&self, tables: &Tables<'_>, interrupted: bool) -> io::Result<()> {
        let said = match self.style {
            WatchStyle::Quiet => Ok(()),
            // Where the last event cannot be written, the ones before were lost as well.
            WatchStyle::Json => {
                let rows = tables.standings().rows().iter();
                let standings = rows.map(|row| Standing {
                    rank: row.rank,
                    entrant: row.entrant.clone(),
                    elo: row.elo,
                });
                emit(RunEvent::Finished(Box::new(Finished {
                    interrupted,
                    notes: Some(self.notes.clone()),
                    standings: Some(standings.collect()),
                    ..Finished::default()
                })))
            }
            WatchStyle::Bar | WatchStyle::Lines => print_tables(tables, &self.notes),
        };
        or_closed(said)
    }

    /// A line for people that want progress.
    fn announce(&self, line: &str) {
        if matches!(self.style, WatchStyle::Bar | WatchStyle::Lines) {
            self.print(line);
        }
    }

    /// A line for people on standard error, above the bar if there is one.
    fn print(&self, line: &str) {
        match self.style {
            WatchStyle::Bar => self.bar.suspend(|| tell_painted(line)),
            WatchStyle::Lines | WatchStyle::Quiet => tell_painted(line),
            WatchStyle::Json => {}
        }
    }
}

/// A reader that has closed its end has seen enough.
fn or_closed(said: io::Result<()>) -> io::Result<()> {
    said.or_else(|error| match error.kind() {
        io::ErrorKind::BrokenPipe => Ok(()),
        _ => Err(error),
    })
}
