//! The standings for people: a table, and one line of leaders for a progress bar.

use super::bounded_elo::elo_cells;
use super::counted::{EntrantNames, RecordsError, add_to_tally, empty_tally};
use super::crosstable::score;
use super::excluded::Status;
use super::ranking::places;
use super::standings::{Standings, StandingsRow};
use super::text::{readable_time, shortened, signed_elo};
use crate::record::{GameId, GameRecord, GameSummary};
use crate::rules::{GameResult, Position};
use crate::stats::anytime::widening;
use crate::stats::game::RatedEntrant;
use crate::stats::rating::rate_each;
use crate::stats::ratings::{RatingModel, Ratings};
use crate::stats::tally::Tally;
use std::collections::BTreeMap;

/// The width of a name in the table, in columns.
const NAME_COLUMNS: usize = 32;
/// The width of a name in the line of leaders, in columns.
const LEADER_COLUMNS: usize = 16;

/// The table, or one for each pool.
pub fn table(standings: &Standings) -> Vec<TextTable> {
    let any = |has: &dyn Fn(&StandingsRow) -> bool| standings.rows().iter().any(has);
    let shown = ShownColumns {
        faults: standings.any_fault(),
        status: any(&|row| row.status != Status::Playing),
        introductions: any(&has_other_name),
    };
    let titles = [
        "#",
        "entrant",
        "Elo",
        "±95 %",
        "games",
        "won",
        "drawn",
        "lost",
        "score",
        "mean time",
        "max time",
    ];
    let more = [
        (shown.faults, "faults"),
        (shown.status, "status"),
        (shown.introductions, "calls itself"),
    ];
    let more = more.into_iter().filter(|(is_shown, _)| *is_shown);
    let titles: Vec<&str> = titles.into_iter().chain(more.map(|it| it.1)).collect();
    let rated: Vec<_> = standings.rows().iter().map(StandingsRow::rated).collect();
    let rows = standings.rows().iter().zip(elo_cells(&rated));
    let rows = rows.map(|(row, elo)| (row.pool, cells(row, elo, shown)));
    tables_of_pools(&titles, rows)
}

/// Whether its program calls itself otherwise than the configuration does: `minimax 2` is no other
/// name for `minimax-3`.
fn has_other_name(row: &StandingsRow) -> bool {
    let own = row.entrant.to_lowercase();
    let said = row.calls_itself.as_deref().unwrap_or_default();
    let name = said.split_whitespace().next();
    name.is_some_and(|name| !own.contains(&name.to_lowercase()))
}

/// The columns that not every table has.
#[derive(Clone, Copy)]
struct ShownColumns {
    faults: bool,
    status: bool,
    introductions: bool,
}

/// A table for people, as cells; the caller decides how it is drawn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextTable {
    /// The heading, if there are several tables.
    pub heading: Option<String>,
    /// The titles of its columns.
    pub titles: Vec<String>,
    /// Its rows, a cell for each title. No character in them can control a terminal.
    pub rows: Vec<Vec<String>>,
}

/// A table, or one for each pool: entrants that cannot be compared are not in one table. The rows
/// of a pool are consecutive, and those without a pool come last.
pub fn tables_of_pools(
    titles: &[&'static str],
    rows: impl Iterator<Item = (Option<usize>, Vec<String>)>,
) -> Vec<TextTable> {
    let mut rows: Vec<_> = rows.collect();
    for (_, cells) in &mut rows {
        cells.truncate(titles.len());
    }
    let table = |heading: Option<String>, rows: &[(Option<usize>, Vec<String>)]| TextTable {
        heading,
        titles: titles.iter().map(|it| (*it).to_owned()).collect(),
        rows: rows.iter().map(|(_, cells)| cells.clone()).collect(),
    };
    let pools: Vec<&[(Option<usize>, Vec<String>)]> =
        rows.chunk_by(|one, other| one.0 == other.0).collect();
    if pools.iter().filter(|rows| rows[0].0.is_some()).count() < 2 {
        return vec![table(None, &rows)];
    }
    let headed = pools.into_iter().map(|rows| {
        let heading = rows[0].0.map_or("Without games".to_owned(), |pool| {
            format!("Pool {pool}, with a scale of its own")
        });
        table(Some(heading), rows)
    });
    headed.collect()
}

fn cells(row: &StandingsRow, [elo, error]: [String; 2], shown: ShownColumns) -> Vec<String> {
    let time = |time_us: Option<u64>| time_us.map(readable_time).unwrap_or_default();
    let number = |number: Option<usize>| number.map(|n| n.to_string()).unwrap_or_default();
    let mut cells = vec![
        number(row.rank),
        shortened(&row.entrant, NAME_COLUMNS),
        elo,
        error,
        row.results.games().to_string(),
        row.results.wins.to_string(),
        row.results.draws.to_string(),
        row.results.losses.to_string(),
        score(&row.results).map_or(String::new(), |score| format!("{:.1} %", 100.0 * score)),
        time(row.times.mean_us()),
        time(row.times.max_us()),
    ];
    if shown.faults {
        cells.push(row.faults_text());
    }
    if shown.status {
        cells.push(row.status.words());
    }
    if shown.introductions {
        let introduction = row.calls_itself.as_deref().filter(|_| has_other_name(row));
        cells.push(shortened(introduction.unwrap_or_default(), NAME_COLUMNS));
    }
    cells
}

/// At most this many leaders in one line; empty without games. With several pools, the first
/// entrants of each come first.
pub fn leaders_line(names: &[String], ratings: &Ratings, most: usize) -> String {
    let mut places = places(ratings);
    places.sort_by_key(|place| place.rank);
    let leaders: Vec<String> = places
        .iter()
        .take(most)
        .map(|place| {
            let rating = &ratings.ratings[place.entrant];
            let name = shortened(&names[place.entrant], LEADER_COLUMNS);
            let elo = signed_elo(rating.elo, rating.bound);
            let error = rating
                .error95
                .map_or(String::new(), |error| format!(" ±{error:.0}"));
            format!("{}. {name} {elo}{error}", place.rank)
        })
        .collect();
    let rest = if !leaders.is_empty() && leaders.len() < places.len() {
        " …"
    } else {
        ""
    };
    leaders.join("  ") + rest
}

/// The leaders during a run: takes each game once and keeps only counts. The fit is computed when
/// the line is requested.
#[derive(Clone, Debug)]
pub struct Leaders<'a> {
    names: &'a [String],
    by_name: EntrantNames<'a>,
    tally: Tally,
    anchors: BTreeMap<RatedEntrant, f64>,
}

impl<'a> Leaders<'a> {
    /// No games yet of these entrants.
    ///
    /// # Errors
    /// Two entrants of one name.
    pub fn new(names: &'a [String]) -> Result<Self, RecordsError> {
        Ok(Self {
            names,
            by_name: EntrantNames::new(names)?,
            tally: empty_tally(names),
            anchors: BTreeMap::new(),
        })
    }

    /// On the scale of these entrants, in Elo; without any, on that of the mean.
    #[must_use]
    pub fn anchored(self, anchors: BTreeMap<RatedEntrant, f64>) -> Self {
        Self { anchors, ..self }
    }

    /// Counts a game, unless it is void.
    ///
    /// # Errors
    /// A game that is not of two of these entrants; it is not counted.
    pub fn add(&mut self, record: &GameRecord) -> Result<(), RecordsError> {
        match record.result() {
            Some(result) => self.count(&record.id, &record.entrants, result, record.start),
            None => Ok(()),
        }
    }

    /// The same from the game's summary.
    ///
    /// # Errors
    /// Those of [`Leaders::add`].
    pub fn add_summary(&mut self, summary: &GameSummary) -> Result<(), RecordsError> {
        match summary.result() {
            Some(result) => self.count(&summary.id, &summary.entrants, result, summary.start),
            None => Ok(()),
        }
    }

    fn count(
        &mut self,
        id: &GameId,
        entrants: &[String; 2],
        result: GameResult,
        start: Position,
    ) -> Result<(), RecordsError> {
        let sides = self.by_name.sides(id, entrants)?;
        // Repetitions are not searched for, because the line is replaced within a second.
        add_to_tally(&mut self.tally, id, sides, result, (start, None));
        Ok(())
    }

    /// At most this many leaders: `1. minimax +312 ±41  2. greedy +20 ±30 …`, with `>` or `<`
    /// before a bound, and safe for a terminal. Empty without games. After this share of all games,
    /// in (0, 1], the intervals are valid for all times at once.
    pub fn line(&self, most: usize, share: f64) -> String {
        let model = RatingModel {
            anchors: self.anchors.clone(),
            widening: widening(share),
            ..RatingModel::default()
        };
        // A configuration with more entrants than can be rated is refused before a run.
        let ratings = rate_each(&self.tally, &model);
        ratings.map_or(String::new(), |ratings| {
            leaders_line(self.names, &ratings, most)
        })
    }
}
