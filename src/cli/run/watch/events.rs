//! The events of `--json`: one object per line on standard output, and for the pages of those who
//! watch. `awale schema --events` prints their JSON Schema, which is made from these types: their
//! comments are its descriptions.

use super::{WatchStyle, Watcher};
use crate::record::GameRecord;
use crate::rules::GameResult;
use crate::stats::sprt::{SprtEvaluation, State};
use crate::tournament::TestProgress;
use crate::web::LivePage;
use schemars::{JsonSchema, generate::SchemaSettings};
use serde::Serialize;
use serde_json::Value;
use std::io::{self, Write as _};
use std::net::SocketAddr;

/// The version of the events of `--json`. Removing a field or changing its meaning raises it.
const VERSION: u32 = 1;

/// An event of awale run --json and awale sprt --json, one in each line; later versions may add
/// keys.
#[derive(Serialize, JsonSchema)]
struct VersionedEvent {
    /// The version of the events.
    v: u32,
    #[serde(flatten)]
    event: RunEvent,
}

/// The events.
#[derive(Serialize, JsonSchema)]
#[serde(tag = "event", rename_all = "lowercase")]
pub enum RunEvent {
    /// A problem that does not stop the run.
    Warning { text: String },
    /// Something about the machines that play, such as one that joins.
    Notice { text: String },
    /// The run begins or goes on.
    Started {
        name: String,
        /// The run's folder.
        output: String,
        /// In a test: at most.
        games: usize,
        /// Games that were played earlier.
        done: usize,
    },
    /// The page of the run is served.
    Live { url: String },
    /// Programs are built before the first game.
    Building { programs: usize },
    /// Before the examinations.
    Examining { entrants: usize },
    /// After each examination.
    Admission {
        entrant: String,
        admitted: bool,
        /// The opponent of the game with the fault.
        against: Option<&'static str>,
        fault: Option<&'static str>,
        /// Text of a bot: hostile.
        detail: Option<String>,
    },
    /// The host disturbed an examination, which is repeated later.
    Postponed { entrant: String, cause: String },
    /// After each game.
    Game {
        game: String,
        attempt: u32,
        south: String,
        north: String,
        /// `south`, `north` or `draw`; null if it is void.
        result: Option<&'static str>,
        ending: &'static str,
        /// `south` or `north`, if a fault ended it.
        fault_side: Option<&'static str>,
        plies: usize,
        stores: [u8; 2],
    },
    /// A game was void each time, and its pair is played again later.
    Open {
        game: String,
        pair: String,
        cause: String,
    },
    /// The results so far have decided who meets whom in the next round.
    Round {
        /// From 1.
        number: u32,
        /// Such as `round 3` or `semi-finals`.
        name: String,
        matches: Vec<[String; 2]>,
        /// Who meets nobody in it.
        byes: Vec<String>,
    },
    /// An entrant is withdrawn.
    Withdrawn {
        entrant: String,
        /// A game.
        after: String,
        faults: u32,
        games: u32,
    },
    /// A pair of a test counts.
    Test {
        new: String,
        #[serde(flatten)]
        state: TestState,
        percent_to_h0: f64,
        percent_to_h1: f64,
        expected_pairs_left: Option<f64>,
    },
    /// After the first Ctrl-C.
    Stopping,
    /// The last event.
    Finished(Box<Finished>),
}

/// The state of a sequential test.
#[derive(Serialize, JsonSchema)]
pub struct TestState {
    pairs: u64,
    distinct_pairs: u64,
    /// The games without those that repeat another to the move.
    distinct_games: u64,
    /// Pairs LL, LD, DD or WL, WD, WW.
    counts: [u64; 5],
    /// Log-likelihood ratio, natural logarithm.
    llr: f64,
    /// The bound of H0.
    lower: f64,
    /// The bound of H1.
    upper: f64,
    /// `continue`, `h0` or `h1`.
    state: &'static str,
}

/// How a run ended.
#[derive(Default, Serialize, JsonSchema)]
pub struct Finished {
    pub interrupted: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub notes: Option<Vec<String>>,
    /// Of a tournament.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub standings: Option<Vec<Standing>>,
    /// Of a test or a match: `h1`, `h0`, `inconclusive`, `faulty`, `continue` or `match`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub verdict: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub new: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub base: Option<String>,
    /// Why nothing was played.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Of two entrants.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub summary: Option<Value>,
    /// Of a test.
    #[serde(flatten)]
    pub test: Option<FinishedTest>,
}

/// An entrant in the standings.
#[derive(Serialize, JsonSchema)]
pub struct Standing {
    pub rank: Option<usize>,
    pub entrant: String,
    pub elo: Option<f64>,
}

/// The end of a test.
#[derive(Serialize, JsonSchema)]
pub struct FinishedTest {
    #[serde(flatten)]
    pub state: TestState,
    /// The estimate that allows for the stop.
    pub unbiased: Value,
    /// The place of the test in its ledger.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ledger: Option<InLedger>,
}

/// A test among those of its ledger.
#[derive(Serialize, JsonSchema)]
pub struct InLedger {
    /// The evidence against H0.
    pub e_value: f64,
    /// The e-value with which the test passes, as the others stand.
    pub needed: f64,
    /// The number of tests in the ledger.
    pub tests: usize,
    /// Whether it passes at a false discovery rate of 5 %.
    pub passed_fdr5: bool,
}

impl TestState {
    /// The state after these pairs.
    pub fn of(progress: &TestProgress) -> Self {
        let SprtEvaluation {
            llr,
            lower,
            upper,
            state,
            ..
        } = progress.evaluation;
        Self {
            pairs: progress.counts.total(),
            distinct_pairs: progress.counts.total(),
            distinct_games: progress.distinct_games,
            counts: progress.counts.0,
            llr,
            lower,
            upper,
            state: state_name(state),
        }
    }
}

/// The state, in the words of the JSON.
pub const fn state_name(state: State) -> &'static str {
    match state {
        State::Continue => "continue",
        State::H0 => "h0",
        State::H1 => "h1",
    }
}

impl RunEvent {
    /// The end of a game.
    pub fn of_game(record: &GameRecord) -> Self {
        let [south, north] = record.entrants.clone();
        Self::Game {
            game: record.id.to_string(),
            attempt: record.attempt,
            south,
            north,
            result: record.result().map(GameResult::name),
            ending: record.ending.name(),
            fault_side: record.fault().map(|(side, _)| side.name()),
            plies: record.plies.len(),
            stores: record.stores,
        }
    }
}

/// The JSON Schema (draft 2020-12) of every event.
pub fn schema_of_events() -> Value {
    let mut settings = SchemaSettings::draft2020_12().for_serialize();
    settings.inline_subschemas = true;
    settings
        .into_generator()
        .into_root_schema_for::<VersionedEvent>()
        .to_value()
}

/// Prints an event as one line of standard output.
pub fn emit(event: RunEvent) -> io::Result<()> {
    print(&versioned(event))
}

fn versioned(event: RunEvent) -> Value {
    let event = VersionedEvent { v: VERSION, event };
    serde_json::to_value(event).expect("an object with text as keys")
}

fn print(event: &Value) -> io::Result<()> {
    let mut out = io::stdout().lock();
    writeln!(out, "{event}").and_then(|()| out.flush())
}

impl Watcher<'_> {
    /// Tells programs an event: those that read standard output with `--json`, and the pages of
    /// those who watch. A reader that has gone does not stop a tournament.
    pub(super) fn publish(&self, event: impl FnOnce() -> RunEvent) {
        if self.style != WatchStyle::Json && self.live.is_none() {
            return;
        }
        let event = versioned(event());
        if let Some(live) = &self.live {
            live.tell(&event);
        }
        if self.style == WatchStyle::Json {
            let _ = print(&event);
        }
    }

    /// Shows the run on a page too.
    pub fn show_live(&mut self, page: LivePage) {
        page.count(self.earlier, self.total);
        self.live = Some(page);
    }

    /// Nothing more is played: the page shows the last results.
    pub fn finish_live(&mut self, interrupted: bool) {
        if let Some(page) = self.live.take() {
            page.finish(interrupted);
        }
    }

    /// The address of the page on which the run can be watched: port 0 is not known before.
    pub fn live_at(&self, address: SocketAddr) {
        self.publish(|| RunEvent::Live {
            url: format!("http://{address}/"),
        });
        if self.style != WatchStyle::Quiet {
            self.print(&format!("watch it at http://{address}/"));
        }
        if !address.ip().is_loopback() {
            self.warn(
                "everybody who can reach this machine can watch: games, names, and what bots say \
                 and write to standard error",
            );
        }
    }

    /// Tells the page how many games are played.
    pub(super) fn count_live(&self) {
        if let Some(page) = &self.live {
            page.count(self.earlier + self.played, self.total);
        }
    }
}
