//! What is shown while a tournament runs: a bar on a terminal, plain lines elsewhere, an event a
//! line for programs, or nothing.
//!
//! Progress goes to standard error, the final table (or the events) to standard output. Names of
//! entrants and words of bots are strangers' text: they are printed escaped.

use super::super::exit::tell;
use crate::record::{Admission, GameId, GameRecord, Withdrawal};
use crate::report::{Leaders, Tables, printable};
use crate::rules::GameResult;
use crate::tournament::Event;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};
use serde_json::{Value, json};
use std::fmt;
use std::io::{self, IsTerminal as _, Write as _};
use std::path::Path;
use std::time::{Duration, Instant};

/// The version of the events of `--json`; a field that is taken away or changes its meaning
/// raises it.
const EVENTS: u32 = 1;
/// How often leaders are worked out anew for the bar.
const LEADERS_EVERY: Duration = Duration::from_millis(500);
/// How often a plain line is written.
const LINE_EVERY: Duration = Duration::from_secs(10);
/// Columns of a banner.
const BANNER: usize = 78;
/// How many leaders are shown.
const LEADERS: usize = 3;

/// How progress is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Style {
    Bar,
    Lines,
    Json,
    Quiet,
}

impl Style {
    /// What the flags and the terminal call for.
    pub(super) fn choose(quiet: bool, json: bool) -> Self {
        match (json, quiet, io::stderr().is_terminal()) {
            (true, ..) => Self::Json,
            (_, true, _) => Self::Quiet,
            (.., true) => Self::Bar,
            _ => Self::Lines,
        }
    }
}

/// Whoever watches a run.
pub(super) struct Watcher<'a> {
    style: Style,
    bar: ProgressBar,
    leaders: Leaders<'a>,
    total: usize,
    /// Games that were played before this run.
    earlier: usize,
    played: usize,
    started: Instant,
    shown: Instant,
    /// What else is said under the tables.
    notes: Vec<String>,
}

impl<'a> Watcher<'a> {
    /// `leaders` are those of the `earlier` games, which an earlier run played.
    pub(super) fn new(style: Style, leaders: Leaders<'a>, total: usize, earlier: usize) -> Self {
        let target = match style {
            Style::Bar => ProgressDrawTarget::stderr(),
            _ => ProgressDrawTarget::hidden(),
        };
        let bar = ProgressBar::with_draw_target(Some(total as u64), target);
        bar.set_style(bar_style());
        bar.set_position(earlier as u64);
        bar.reset_eta();
        let now = Instant::now();
        Self {
            style,
            bar,
            leaders,
            total,
            earlier,
            played: 0,
            started: now,
            shown: now,
            notes: Vec::new(),
        }
    }

    /// Something that has to stand under the tables.
    pub(super) fn add_note(&mut self, note: Option<String>) {
        self.notes.extend(note);
    }

    /// Lines that nobody may overlook; nothing, if there are none.
    pub(super) fn banner(&self, lines: &[String]) {
        if lines.is_empty() {
            return;
        }
        if self.style == Style::Json {
            emit(&json!({ "event": "warning", "text": lines.join("; ") }));
            return;
        }
        let rule = "=".repeat(BANNER);
        self.print(&rule);
        for line in lines {
            self.print(&format!("  {}", printable(line)));
        }
        self.print(&rule);
    }

    pub(super) fn started(&self, name: &str, output: &Path) {
        match self.style {
            Style::Json => emit(&json!({
                "event": "started", "name": name, "games": self.total, "done": self.earlier,
                "output": output.display().to_string(),
            })),
            Style::Bar | Style::Lines => {
                let name = printable(name);
                let going_on = match self.earlier {
                    0 => String::new(),
                    earlier => format!(", {earlier} of them played already"),
                };
                let output = output.display();
                self.print(&format!(
                    "{name}: {} games{going_on}, into {output}",
                    self.total
                ));
            }
            Style::Quiet => {}
        }
    }

    /// Something that the user should know and that stops nothing.
    pub(super) fn warn(&self, warning: &str) {
        if self.style == Style::Json {
            emit(&json!({ "event": "warning", "text": warning }));
        } else {
            self.print(&format!("warning: {}", printable(warning)));
        }
    }

    pub(super) fn hear(&mut self, event: &Event<'_>) {
        match event {
            // The game is shown once it counts.
            Event::Fault { .. } | Event::Failed(_) => {}
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
            }
            Event::NotPinned { slot, reason } => self.warn(&format!(
                "slot {slot} runs unpinned, so times are less even: {reason}"
            )),
            Event::GivenUp { game, cause, games } => {
                self.expect(*games);
                self.given_up(*game, cause);
            }
            Event::Withdrawn { withdrawal, games } => {
                self.expect(*games);
                self.withdrawn(withdrawal);
            }
            Event::Stopping => self.stopping(),
        }
    }

    fn finished_game(&mut self, record: &GameRecord) {
        let _ = self.leaders.add(record);
        if self.style == Style::Json {
            emit(&game_event(record));
        }
        if record.is_void() {
            self.warn(&format!("game {} was spoilt by the host", record.id));
            return;
        }
        self.played += 1;
        self.bar.inc(1);
        self.show_progress();
    }

    fn show_progress(&mut self) {
        let every = match self.style {
            Style::Bar => LEADERS_EVERY,
            Style::Lines => LINE_EVERY,
            Style::Json | Style::Quiet => return,
        };
        if self.shown.elapsed() < every {
            return;
        }
        self.shown = Instant::now();
        if self.style == Style::Bar {
            self.bar.set_message(self.leaders.line(LEADERS));
        } else {
            self.print(&self.progress_line());
        }
    }

    fn progress_line(&self) -> String {
        let rate = self.played as f64 / self.started.elapsed().as_secs_f64().max(1e-3);
        // Games that were played in vain are no part of the total.
        let done = (self.earlier + self.played).min(self.total);
        let left = (self.total - done) as f64 / rate.max(1e-9);
        let leaders = self.leaders.line(LEADERS);
        format!(
            "{done}/{} games, {rate:.1} games/s, {left:.0} s left; {leaders}",
            self.total
        )
    }

    fn examining(&self, entrants: usize) {
        match self.style {
            Style::Json => emit(&json!({ "event": "examining", "entrants": entrants })),
            Style::Quiet => {}
            Style::Bar | Style::Lines => {
                let who = match entrants {
                    1 => "1 entrant plays against itself".to_owned(),
                    many => format!("{many} entrants play against themselves"),
                };
                self.print(&format!("admission: {who} and random first"));
            }
        }
    }

    fn examined(&self, admission: &Admission) {
        let entrant = &admission.entrant;
        if self.style == Style::Json {
            let refusal = admission.refusal.as_ref();
            emit(&json!({
                "event": "admission", "entrant": entrant, "admitted": refusal.is_none(),
                "against": refusal.map(|it| it.against.name()),
                "fault": refusal.map(|it| it.fault.kind.name()),
                "detail": refusal.map(|it| &it.fault.detail),
            }));
        } else if let Some(refusal) = &admission.refusal {
            self.warn(&format!(
                "{entrant} is not admitted: {} against {}: {}",
                refusal.fault.kind, refusal.against, refusal.fault.detail
            ));
        }
    }

    /// Another number of games than was thought will count.
    fn expect(&mut self, games: usize) {
        self.total = games;
        self.bar.set_length(games as u64);
    }

    fn given_up(&self, game: GameId, cause: &str) {
        if self.style == Style::Json {
            emit(&json!({
                "event": "given-up", "game": game.to_string(), "pair": game.pair.0, "cause": cause,
            }));
        } else {
            self.warn(&format!(
                "game {game} was spoilt four times: its pair is left out of the tables ({cause})"
            ));
        }
    }

    fn withdrawn(&self, withdrawal: &Withdrawal) {
        let Withdrawal {
            entrant,
            after,
            faults,
            games,
        } = withdrawal;
        if self.style == Style::Json {
            emit(&json!({
                "event": "withdrawn", "entrant": entrant, "after": after.to_string(),
                "faults": faults, "games": games,
            }));
        } else {
            self.warn(&format!(
                "{entrant} is withdrawn after game {after}: {faults} faults in {games} games"
            ));
        }
    }

    fn stopping(&self) {
        match self.style {
            Style::Json => emit(&json!({ "event": "stopping" })),
            Style::Quiet => {}
            Style::Bar | Style::Lines => {
                self.print(
                    "stopping: games that are being played may end; Ctrl-C again drops them",
                );
            }
        }
    }

    /// Takes the bar off the screen.
    pub(super) fn close(&self) {
        self.bar.finish_and_clear();
    }

    /// The final table, or the last event. Whoever has closed his end has seen enough, and how the
    /// run ended is told by its exit code all the same.
    pub(super) fn finished(&self, tables: &Tables<'_>, interrupted: bool) -> io::Result<()> {
        let said = match self.style {
            Style::Quiet => Ok(()),
            // Where the last event cannot be written, the ones before were lost as well.
            Style::Json => try_emit(&self.finished_event(tables, interrupted)),
            Style::Bar | Style::Lines => self.print_tables(tables),
        };
        said.or_else(|error| match error.kind() {
            io::ErrorKind::BrokenPipe => Ok(()),
            _ => Err(error),
        })
    }

    fn print_tables(&self, tables: &Tables<'_>) -> io::Result<()> {
        let mut out = io::stdout().lock();
        writeln!(out, "{}", tables.terminal())?;
        for note in self.all_notes(tables) {
            writeln!(out, "{note}")?;
        }
        out.flush()
    }

    fn finished_event(&self, tables: &Tables<'_>, interrupted: bool) -> Value {
        let standings: Vec<Value> = tables
            .standings()
            .rows()
            .iter()
            .map(|row| json!({ "rank": row.rank, "entrant": row.entrant, "elo": row.elo }))
            .collect();
        json!({
            "event": "finished",
            "interrupted": interrupted,
            "standings": standings,
            "notes": self.all_notes(tables),
        })
    }

    fn all_notes(&self, tables: &Tables<'_>) -> Vec<String> {
        let mut notes = tables.notes();
        notes.extend(self.notes.iter().cloned());
        notes
    }

    /// A line on standard error, above the bar if there is one.
    fn print(&self, line: &str) {
        if self.style == Style::Bar {
            self.bar.suspend(|| tell(line));
        } else {
            tell(line);
        }
    }
}

/// One line, so that nothing of it is left on the screen whatever else is printed.
fn bar_style() -> ProgressStyle {
    ProgressStyle::with_template("{bar:20} {pos}/{len} games, {rate}, {eta} left  {wide_msg}")
        .expect("a template without mistakes")
        .with_key("rate", |state: &ProgressState, out: &mut dyn fmt::Write| {
            // A terminal that takes no text takes no error either.
            let _ = write!(out, "{:.1} games/s", state.per_sec());
        })
}

fn game_event(record: &GameRecord) -> Value {
    let [south, north] = &record.entrants;
    json!({
        "event": "game",
        "game": record.id.to_string(),
        "attempt": record.attempt,
        "south": south,
        "north": north,
        "result": record.result().map(GameResult::name),
        "ending": record.ending.name(),
        "fault_side": record.fault().map(|(side, _)| side.name()),
        "plies": record.plies.len(),
        "stores": record.stores,
    })
}

/// One event, one line. Whoever does not listen any more does not stop a tournament.
fn emit(event: &Value) {
    let _ = try_emit(event);
}

fn try_emit(event: &Value) -> io::Result<()> {
    let mut event = event.clone();
    event["v"] = json!(EVENTS);
    let mut out = io::stdout().lock();
    writeln!(out, "{event}").and_then(|()| out.flush())
}
