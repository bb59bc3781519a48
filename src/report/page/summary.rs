//! The tables as the page reads them.

use super::class::ClassFacts;
use super::games::Chain;
use super::packing::BLOCK_GAMES;
use super::times::TimeHistograms;
use crate::record::{Exclusions, FaultKind, hint};
use crate::report::Tables;
use crate::report::accuracy::{ACCURACY, ENDGAMES, EndgameRow};
use crate::report::bounded_elo::sweep;
use crate::report::crosstable::CROSSTABLE;
use crate::report::faults::{FaultRow, like_faults};
use crate::report::first_place::about_first;
use crate::report::hosts::HOSTS;
use crate::report::rounds::{BRACKET, PLACES, ROUNDS};
use crate::report::standings::{STANDINGS, StandingsRow};
use crate::report::table::json_row;
use crate::report::text::listed;
use crate::text::{counted, printable};
use serde::Serialize;
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// The version of what a page contains.
const FORMAT: u32 = 1;
/// The most entrants with faults that are named.
const MOST_NAMED: usize = 3;
/// Matrices of more entrants are left out: they are too large to read.
const MOST_IN_MATRIX: usize = 100;

/// Who reads a page.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Reader<'a> {
    /// The organiser, who may read everything.
    #[default]
    Organiser,
    /// The author of this entrant, who sees its games, and nothing that others wrote.
    Author(&'a str),
    /// Everybody, of a class whose names are hidden: all games, and nothing that an entrant wrote or
    /// that could name its files.
    Public,
}

impl<'a> Reader<'a> {
    /// The entrant whose own page this is.
    pub const fn own(self) -> Option<&'a str> {
        match self {
            Self::Author(own) => Some(own),
            Self::Organiser | Self::Public => None,
        }
    }

    /// Whether the reader may see what an entrant wrote, and its files.
    pub fn may_read(self, entrant: &str) -> bool {
        match self {
            Self::Organiser => true,
            Self::Author(own) => own == entrant,
            Self::Public => false,
        }
    }
}

/// What the page says of the run besides its tables.
#[derive(Clone, Debug, Default)]
pub struct PageFacts<'a> {
    /// The name of the tournament.
    pub tournament: &'a str,
    /// Who reads it: what only others may see is left out.
    pub reader: Reader<'a>,
    /// Entrants that are not on the page at all: students who have left a class.
    pub hidden: BTreeSet<String>,
    /// The students, if the entrants are a class.
    pub class: Option<&'a ClassFacts>,
    /// The longest chains of captures, the longest first.
    pub chains: Vec<Chain>,
    /// The run's folder as a command line names it; `None` for anybody but the organiser.
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
    /// The result, as a sentence.
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
    notes: Vec<&'a String>,
    names: Vec<&'a String>,
    class: Option<ClassFacts>,
    chains: Vec<Chain>,
    /// Rows by the names of their columns.
    standings: Vec<Map<String, Value>>,
    crosstable: Vec<Map<String, Value>>,
    /// Numbers of two entrants, and the probability that the first is stronger.
    superiority: Vec<(usize, usize, Option<f64>)>,
    faults: Vec<FaultCells>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    hosts: Vec<Map<String, Value>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    endgames: Option<EndgameSummary>,
    #[serde(skip_serializing_if = "Option::is_none")]
    rounds: Option<RoundsSummary>,
    test: Option<TestCurve>,
    times: Vec<Vec<u64>>,
    time_starts: &'static [u64],
    block_games: usize,
    info_dropped: bool,
    trace: Value,
}

/// What a database says of the games.
#[derive(Debug, Serialize)]
struct EndgameSummary {
    /// The seeds of the database.
    seeds: u8,
    accuracy: Vec<Map<String, Value>>,
    /// Some games in which another result came than was due.
    reversals: Vec<Map<String, Value>>,
}

/// The tables of the rounds, where results decide who meets whom.
#[derive(Debug, Serialize)]
struct RoundsSummary {
    matches: Vec<Map<String, Value>>,
    places: Vec<Map<String, Value>>,
    bracket: Vec<Map<String, Value>>,
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
        let groups = like_faults(rows).into_iter();
        let groups = groups.map(|(row, count)| Self {
            entrant: row.entrant.clone(),
            kind: row.fault,
            detail: row.detail.clone(),
            game: row.game.as_ref().map(|game| game.id.to_string()),
            plies: row.game.as_ref().map_or(0, |game| game.plies),
            count,
            advice: FaultKind::from_name(row.fault).and_then(|kind| hint(kind, &row.detail)),
            folder: row.folder.clone(),
        });
        groups.collect()
    }
}

impl<'a> PageSummary<'a> {
    /// The summary of these tables.
    pub fn new(
        tables: &'a Tables<'a>,
        facts: PageFacts<'a>,
        faults: &[FaultRow],
        times: &TimeHistograms,
    ) -> Self {
        let (reader, own) = (facts.reader, facts.reader.own());
        let hidden = &facts.hidden;
        let is_shown = |row: &&FaultRow| {
            own.is_none_or(|own| row.entrant == own) && !hidden.contains(&row.entrant)
        };
        let faults = faults.iter().filter(is_shown).cloned();
        let faults = faults.map(|mut row| {
            if !reader.may_read(&row.entrant) {
                row.detail.clear();
                row.folder = None;
            }
            row
        });
        let faults: Vec<FaultRow> = faults.collect();
        let names = tables.names.iter();
        let names: Vec<&String> = names.filter(|it| !hidden.contains(*it)).collect();
        let has_matrix = names.len() <= MOST_IN_MATRIX;
        let rows = tables.standings().rows().iter();
        let rows = rows.filter(|row| !hidden.contains(&row.entrant));
        let mut sentences = facts.state;
        sentences.extend(headline(tables, hidden));
        let class = facts.class.map(|class| {
            let mut class = class.clone();
            class.students.retain(|it| !hidden.contains(&it.name));
            class.secrets = class.secrets.filter(|_| reader == Reader::Organiser);
            class
        });
        Self {
            format: FORMAT,
            tournament: facts.tournament,
            own,
            folder: facts.folder,
            notes: facts
                .notes
                .iter()
                .filter(|it| !sentences.contains(it))
                .collect(),
            headline: sentences,
            facts: facts.facts,
            class,
            chains: facts.chains,
            standings: rows.map(|row| standing(row, reader)).collect(),
            crosstable: if has_matrix {
                let rows = tables.crosstable().rows.iter();
                let rows = rows.filter(|row| {
                    [&row.entrant, &row.opponent]
                        .iter()
                        .all(|it| !hidden.contains(*it))
                });
                rows.map(|row| json_row(CROSSTABLE, row)).collect()
            } else {
                Vec::new()
            },
            superiority: if has_matrix {
                superiority(tables, &names)
            } else {
                Vec::new()
            },
            faults: FaultCells::grouped(&faults),
            hosts: hosts(tables, reader),
            endgames: endgames(tables, hidden, own),
            rounds: rounds(tables, hidden, own),
            test: facts.test,
            times: own_rows(times.rows(), &names, own),
            time_starts: TimeHistograms::starts(),
            block_games: BLOCK_GAMES,
            info_dropped: facts.info_dropped,
            trace: facts.trace,
            names,
        }
    }

    /// The name of the tournament.
    pub const fn tournament(&self) -> &str {
        self.tournament
    }
}

/// The rows of the hosts, which only the organiser sees.
fn hosts(tables: &Tables<'_>, reader: Reader<'_>) -> Vec<Map<String, Value>> {
    let rows = tables.hosts().iter();
    let rows = rows.filter(|_| reader == Reader::Organiser);
    rows.map(|row| json_row(HOSTS, row)).collect()
}

/// The row with the id of its game as text.
fn reversal(row: &EndgameRow) -> Map<String, Value> {
    let mut cells = json_row(ENDGAMES, row);
    cells.insert("id".to_owned(), row.id.to_string().into());
    cells
}

/// The accuracy of all entrants that are shown, and reversals in games that the reader may see.
fn endgames(
    tables: &Tables<'_>,
    hidden: &BTreeSet<String>,
    own: Option<&str>,
) -> Option<EndgameSummary> {
    let endgames = tables.endgames()?;
    let is_shown = |name: &String| !hidden.contains(name);
    let rows = endgames.accuracy.iter();
    let rows = rows.filter(|row| is_shown(&row.entrant));
    let games = endgames.reversals(|players| {
        players.iter().all(is_shown) && own.is_none_or(|own| players.iter().any(|it| it == own))
    });
    Some(EndgameSummary {
        seeds: endgames.analyst().seeds(),
        accuracy: rows.map(|row| json_row(ACCURACY, row)).collect(),
        reversals: games.map(reversal).collect(),
    })
}

/// The rounds, for all readers of the overview. A match of a hidden entrant is left out. A bracket
/// keeps such a match without the name, or those beside it would lead nowhere.
fn rounds(
    tables: &Tables<'_>,
    hidden: &BTreeSet<String>,
    own: Option<&str>,
) -> Option<RoundsSummary> {
    let rounds = tables.rounds().filter(|_| own.is_none())?;
    let matches = rounds.matches.iter();
    let matches = matches.filter(|row| !row.entrants.iter().any(|it| hidden.contains(it)));
    let places = rounds.places.iter();
    let places = places.filter(|row| !hidden.contains(&row.entrant));
    let mut bracket = rounds.bracket.clone();
    for name in bracket
        .iter_mut()
        .flat_map(|row| row.entrants.iter_mut().chain([&mut row.winner]))
    {
        if hidden.contains(name) {
            name.clear();
        }
    }
    Some(RoundsSummary {
        matches: matches.map(|row| json_row(ROUNDS, row)).collect(),
        places: places.map(|row| json_row(PLACES, row)).collect(),
        bracket: bracket.iter().map(|row| json_row(BRACKET, row)).collect(),
    })
}

/// What happened, in a few sentences, none of which names a hidden entrant.
pub fn headline(tables: &Tables<'_>, hidden: &BTreeSet<String>) -> Vec<String> {
    let standings = tables.standings();
    let mut sentences = tables.match_lines();
    sentences.truncate(1);
    let (ratings, ranks) = (standings.ratings(), standings.ranks());
    sentences.extend(about_first(tables.names, ratings, ranks));
    sentences.retain(|it| !hidden.iter().any(|name| it.contains(&printable(name))));
    let is_shown = |name: &String| !hidden.contains(name);
    let rows = standings.rows().iter();
    sentences.extend(faults(rows.filter(|row| is_shown(&row.entrant))));
    let Exclusions {
        withdrawn, refused, ..
    } = tables.exclusions();
    let withdrawn = withdrawn.iter().map(|it| &it.entrant);
    sentences.extend(about(
        withdrawn.filter(|it| is_shown(it)),
        "withdrawn because of faults",
    ));
    let refused = refused.iter().map(|(name, _)| name);
    sentences.extend(about(refused.filter(|it| is_shown(it)), "not admitted"));
    sentences
}

/// `ada and ben were not admitted.`
fn about<'n>(names: impl Iterator<Item = &'n String>, what: &str) -> Option<String> {
    let names: Vec<&str> = names.map(String::as_str).collect();
    let verb = if names.len() == 1 { "was" } else { "were" };
    let is_some = !names.is_empty();
    is_some.then(|| format!("{} {verb} {what}.", listed(names.into_iter())))
}

fn faults<'r>(rows: impl Iterator<Item = &'r StandingsRow>) -> Vec<String> {
    let mut faulty: Vec<&StandingsRow> = rows.filter(|row| row.fault_count() > 0).collect();
    // The sort is stable: equals stay in the order of the standings.
    faulty.sort_by_key(|row| std::cmp::Reverse(row.fault_count()));
    let sentence = |row: &&StandingsRow| {
        let count = usize::try_from(row.fault_count()).unwrap_or(usize::MAX);
        let games = usize::try_from(row.results.games()).unwrap_or(usize::MAX);
        let only = FaultKind::ALL.into_iter().zip(row.faults);
        let on_time = only
            .clone()
            .all(|(kind, count)| count == 0 || kind == FaultKind::Timeout);
        let how = if on_time {
            "on time".to_owned()
        } else {
            format!("by faults ({})", row.faults_text())
        };
        let name = printable(&row.entrant);
        format!(
            "{name} lost {count} of {} {how}.",
            counted(games, "game", "games")
        )
    };
    let mut sentences: Vec<String> = faulty.iter().take(MOST_NAMED).map(sentence).collect();
    if faulty.len() > MOST_NAMED {
        let others = faulty.len() - MOST_NAMED;
        sentences.push(format!(
            "{} more lost games by faults.",
            counted(others, "entrant", "entrants")
        ));
    }
    sentences
}

/// The rows of all entrants, or of one alone: the others are empty.
fn own_rows(rows: Vec<Vec<u64>>, names: &[&String], own: Option<&str>) -> Vec<Vec<u64>> {
    let rows = rows.into_iter().zip(names);
    let shown = rows.map(|(row, name)| {
        if own.is_none_or(|own| own == *name) {
            row
        } else {
            Vec::new()
        }
    });
    shown.collect()
}

/// The row with what the page says of it besides the columns. The reason of another entrant may
/// quote its standard error.
fn standing(row: &StandingsRow, reader: Reader<'_>) -> Map<String, Value> {
    let mut cells = json_row(STANDINGS, row);
    let is_shown = reader.may_read(&row.entrant);
    if !is_shown {
        cells["reason"] = "".into();
    }
    let kinds = FaultKind::ALL.into_iter().zip(row.faults);
    let faults = kinds.filter(|(_, count)| *count > 0);
    let faults: BTreeMap<_, _> = faults.map(|(kind, count)| (kind.name(), count)).collect();
    let calls_itself = row.calls_itself.as_deref().filter(|_| is_shown);
    let more = [
        ("sweep", json!(sweep(row))),
        ("is_bound_misleading", row.is_bound_misleading.into()),
        ("calls_itself", json!(calls_itself)),
        ("fault_count", row.fault_count().into()),
        ("faults", json!(faults)),
    ];
    cells.extend(more.map(|(name, value)| (name.to_owned(), value)));
    cells
}

fn superiority(tables: &Tables<'_>, names: &[&String]) -> Vec<(usize, usize, Option<f64>)> {
    let numbers = names.iter().map(|it| it.as_str()).zip(0..);
    let numbers: HashMap<&str, usize> = numbers.collect();
    let rows = tables.superiority().filter_map(|row| {
        let [entrant, opponent] = [&row.entrant, &row.opponent].map(|it| numbers.get(it.as_str()));
        Some((*entrant?, *opponent?, row.los.map(|los| rounded(los, 6))))
    });
    rows.collect()
}

/// The number that the tables print with this many decimals; 0 has no sign.
fn rounded(number: f64, decimals: usize) -> f64 {
    let text = format!("{number:.decimals$}");
    text.parse().unwrap_or(number) + 0.0
}
