//! The tables as the page reads them.

use super::headline::headline;
use super::packing::BLOCK_GAMES;
use super::times::TimeHistograms;
use crate::record::{FaultKind, hint};
use crate::report::bounded_elo::{RatedRow, contradicts_the_order, sweep};
use crate::report::faults::FaultRow;
use crate::report::standings::StandingsRow;
use crate::report::text::{bound_sign, rounded_tenths};
use crate::report::{Status, Tables};
use serde::Serialize;
use serde_json::Value;
use std::collections::{BTreeMap, HashMap};

/// The version of what a page contains.
const FORMAT: u32 = 1;
/// Matrices of more entrants are left out: nobody can read them.
const MOST_IN_MATRIX: usize = 100;

/// What the page says of the run besides its tables.
#[derive(Clone, Debug, Default)]
pub struct PageFacts<'a> {
    /// The name of the tournament.
    pub tournament: &'a str,
    /// The entrant whose own page this is: what only others may see is left out.
    pub own: Option<&'a str>,
    /// The run's folder as a command line names it; `None` on the page of one entrant.
    pub folder: Option<String>,
    /// What the games were played by, in a few words each.
    pub facts: Vec<String>,
    /// What a reader must know: that the run goes on, for example. Comes before the headline.
    pub state: Vec<String>,
    /// Notes on the tables.
    pub notes: &'a [String],
    /// The fields of a line of `awale trace` that name the rules.
    pub trace: Value,
    /// Whether anything that bots said is left out.
    pub info_dropped: bool,
    /// The sequential test, if there is one.
    pub test: Option<TestCurve>,
}

/// The way of a sequential test.
#[derive(Clone, Debug, Serialize)]
pub struct TestCurve {
    /// The log-likelihood ratio before the first pair, and after each that counts.
    pub path: Vec<f64>,
    /// The bound of H0.
    pub lower: f64,
    /// The bound of H1.
    pub upper: f64,
    /// The result in words.
    pub verdict: String,
}

/// Everything of the page but its games.
#[derive(Debug, Serialize)]
pub struct PageSummary<'a> {
    format: u32,
    tournament: &'a str,
    own: Option<&'a str>,
    folder: Option<String>,
    headline: Vec<String>,
    facts: Vec<String>,
    notes: &'a [String],
    names: &'a [String],
    standings: Vec<StandingsCells<'a>>,
    crosstable: Vec<CrosstableCells<'a>>,
    /// Numbers of two entrants, and the probability that the first is stronger.
    superiority: Vec<(usize, usize, Option<f64>)>,
    faults: Vec<FaultCells>,
    test: Option<TestCurve>,
    times: Vec<Vec<u64>>,
    time_starts: &'static [u64],
    block_games: usize,
    info_dropped: bool,
    trace: Value,
}

#[derive(Debug, Serialize)]
struct StandingsCells<'a> {
    rank: Option<usize>,
    entrant: &'a str,
    elo: Option<f64>,
    bound: &'static str,
    /// `won all` or `lost all`, where that is why there is only a bound.
    sweep: Option<&'static str>,
    /// Whether the bound contradicts the order, which is certain.
    is_bound_misleading: bool,
    error95: Option<f64>,
    /// What its program calls itself.
    calls_itself: Option<&'a str>,
    rank_low: Option<usize>,
    rank_high: Option<usize>,
    games: u64,
    wins: u64,
    draws: u64,
    losses: u64,
    score: Option<f64>,
    first_player_score: Option<f64>,
    fault_count: u64,
    faults: BTreeMap<&'static str, u64>,
    mean_time_us: Option<u64>,
    max_time_us: Option<u64>,
    pool: Option<usize>,
    status: &'static str,
    reason: &'a str,
}

#[derive(Debug, Serialize)]
struct CrosstableCells<'a> {
    entrant: &'a str,
    opponent: &'a str,
    wins: u64,
    draws: u64,
    losses: u64,
    score: Option<f64>,
}

/// Faults of one entrant and kind whose details are the same but for numbers.
#[derive(Clone, Debug, Serialize)]
pub struct FaultCells {
    entrant: String,
    /// Empty if the host prevented its examination.
    kind: &'static str,
    /// Hostile text.
    detail: String,
    /// The first game; `None` for an entrant that was not admitted.
    game: Option<String>,
    plies: usize,
    /// The number of games.
    count: usize,
    advice: Option<&'static str>,
    folder: Option<String>,
}

impl FaultCells {
    /// The rows of the table of faults, like faults of an entrant once.
    pub fn grouped(rows: &[FaultRow]) -> Vec<Self> {
        let mut groups: Vec<Self> = Vec::new();
        // This map is only looked up, never iterated.
        let mut places: HashMap<(&str, &str, String), usize> = HashMap::new();
        for row in rows {
            let key = (
                row.entrant.as_str(),
                row.fault,
                without_numbers(&row.detail),
            );
            if let Some(&place) = places.get(&key) {
                groups[place].count += 1;
                continue;
            }
            places.insert(key, groups.len());
            let kind = FaultKind::from_name(row.fault);
            groups.push(Self {
                entrant: row.entrant.clone(),
                kind: row.fault,
                detail: row.detail.clone(),
                game: row.game.as_ref().map(|game| game.id.to_string()),
                plies: row.game.as_ref().map_or(0, |game| game.plies),
                count: 1,
                advice: kind.and_then(|kind| hint(kind, &row.detail)),
                folder: row.folder.clone(),
            });
        }
        groups
    }
}

/// A detail without its numbers and the signs between them: times and lists of pits differ from
/// game to game.
fn without_numbers(detail: &str) -> String {
    let is_of_number = |it: char| it.is_ascii_digit() || ",.[] ".contains(it);
    detail.replace(is_of_number, "")
}

impl<'a> PageSummary<'a> {
    /// The summary of these tables.
    pub fn new(
        tables: &'a Tables<'a>,
        facts: PageFacts<'a>,
        faults: &[FaultRow],
        times: &TimeHistograms,
    ) -> Self {
        let is_shown = |row: &&FaultRow| facts.own.is_none_or(|own| row.entrant == own);
        let faults: Vec<FaultRow> = faults.iter().filter(is_shown).cloned().collect();
        let has_matrix = tables.names.len() <= MOST_IN_MATRIX;
        let rows = tables.standings().rows().iter();
        let rated: Vec<_> = rows.clone().map(StandingsRow::rated).collect();
        let mut sentences = facts.state;
        sentences.extend(headline(tables));
        Self {
            format: FORMAT,
            tournament: facts.tournament,
            own: facts.own,
            folder: facts.folder,
            headline: sentences,
            facts: facts.facts,
            notes: facts.notes,
            names: tables.names,
            standings: rows
                .map(|row| StandingsCells::of(row, &rated, facts.own))
                .collect(),
            crosstable: if has_matrix {
                crosstable(tables)
            } else {
                Vec::new()
            },
            superiority: if has_matrix {
                superiority(tables)
            } else {
                Vec::new()
            },
            faults: FaultCells::grouped(&faults),
            test: facts.test,
            times: own_rows(times.rows(), tables.names, facts.own),
            time_starts: TimeHistograms::starts(),
            block_games: BLOCK_GAMES,
            info_dropped: facts.info_dropped,
            trace: facts.trace,
        }
    }

    /// The name of the tournament.
    pub const fn tournament(&self) -> &str {
        self.tournament
    }
}

/// The rows of all entrants, or of one alone: the others are empty.
fn own_rows(rows: Vec<Vec<u64>>, names: &[String], own: Option<&str>) -> Vec<Vec<u64>> {
    let rows = rows.into_iter().zip(names);
    let shown = rows.map(|(row, name)| {
        if own.is_none_or(|own| own == name) {
            row
        } else {
            Vec::new()
        }
    });
    shown.collect()
}

impl<'a> StandingsCells<'a> {
    /// The reason of another entrant may quote its standard error.
    fn of(row: &'a StandingsRow, rated: &[RatedRow<'_>], own: Option<&str>) -> Self {
        let is_shown = own.is_none_or(|own| own == row.entrant);
        let kinds = FaultKind::ALL.into_iter().zip(row.faults);
        let faults = kinds.filter(|(_, count)| *count > 0);
        Self {
            rank: row.rank,
            entrant: &row.entrant,
            elo: row.elo.map(elo),
            bound: bound_sign(row.bound),
            sweep: sweep(&row.rated()),
            is_bound_misleading: contradicts_the_order(&row.rated(), rated),
            error95: row.error95.map(elo),
            calls_itself: row.calls_itself.as_deref().filter(|_| is_shown),
            rank_low: row.ranks.map(|it| it.low),
            rank_high: row.ranks.map(|it| it.high),
            games: row.results.games(),
            wins: row.results.wins,
            draws: row.results.draws,
            losses: row.results.losses,
            score: share(row.results.points(), row.results.games()),
            first_player_score: share(row.as_south.points(), row.as_south.games()),
            fault_count: row.fault_count(),
            faults: faults.map(|(kind, count)| (kind.name(), count)).collect(),
            mean_time_us: row.times.mean_us(),
            max_time_us: row.times.max_us(),
            pool: row.pool,
            status: match row.status {
                Status::Playing => "",
                Status::Withdrawn(_) => "withdrawn",
                Status::NotAdmitted => "not-admitted",
            },
            reason: if is_shown { &row.reason } else { "" },
        }
    }
}

fn crosstable<'a>(tables: &'a Tables<'_>) -> Vec<CrosstableCells<'a>> {
    let rows = tables.crosstable().rows.iter();
    let cells = rows.map(|row| CrosstableCells {
        entrant: &row.entrant,
        opponent: &row.opponent,
        wins: row.results.wins,
        draws: row.results.draws,
        losses: row.results.losses,
        score: share(row.results.points(), row.results.games()),
    });
    cells.collect()
}

fn superiority(tables: &Tables<'_>) -> Vec<(usize, usize, Option<f64>)> {
    let numbers: HashMap<&str, usize> = tables.names.iter().map(String::as_str).zip(0..).collect();
    let rows = tables.superiority().map(|row| {
        let [entrant, opponent] = [&row.entrant, &row.opponent].map(|it| numbers[it.as_str()]);
        (entrant, opponent, row.los.map(|los| rounded(los, 6)))
    });
    rows.collect()
}

fn share(points: f64, games: u64) -> Option<f64> {
    (games > 0).then(|| rounded(points / games as f64, 4))
}

/// The number that the tables print with this many decimals; 0 has no sign.
fn rounded(number: f64, decimals: usize) -> f64 {
    let text = format!("{number:.decimals$}");
    text.parse().unwrap_or(number) + 0.0
}

/// Elo as the tables print it.
fn elo(number: f64) -> f64 {
    rounded_tenths(number) as f64 / 10.0
}
