//! The standings for people: a table, and one line of leaders for a progress bar; and the table of
//! ratings alone, for games from any source, of `awale rate`.

use super::counted::{EntrantNames, RecordsError, add_to_tally, empty_tally};
use super::ranking::places;
use super::standings::{ELO, ENTRANT, POOL, RANK, RESULTS, StandingsRow, rated_rows};
use super::table::{Column, TextTable, write_csv};
use super::text::{shortened_apart, signed_elo};
use crate::record::GameSummary;
use crate::stats::anytime::widening;
use crate::stats::game::RatedEntrant;
use crate::stats::rating::rate_each;
use crate::stats::ratings::{RatingModel, Ratings};
use crate::stats::tally::Tally;
use std::collections::BTreeMap;
use std::io::{self, Write};

/// The width of a name in the line of leaders, in columns.
const LEADER_COLUMNS: usize = 16;

/// A table of these columns, or one for each pool: entrants that cannot be compared are not in one
/// table. The rows of a pool are consecutive, and those without a pool come last.
pub fn tables_of_pools(columns: &[Column<StandingsRow>], rows: &[StandingsRow]) -> Vec<TextTable> {
    let mut all = TextTable::new(columns, rows);
    let pools: Vec<&[StandingsRow]> = rows.chunk_by(|one, other| one.pool == other.pool).collect();
    if pools.iter().filter(|rows| rows[0].pool.is_some()).count() < 2 {
        return vec![all];
    }
    let headed = pools.into_iter().map(|rows| {
        let heading = rows[0].pool.map_or("Without games".to_owned(), |pool| {
            format!("Pool {pool}, with a scale of its own")
        });
        TextTable {
            heading: Some(heading),
            columns: all.columns.clone(),
            rows: all.rows.drain(..rows.len()).collect(),
        }
    });
    headed.collect()
}

/// The columns of `awale rate --csv`.
const RATINGS: &[Column<StandingsRow>] = &[POOL, RANK, ENTRANT, ELO, RESULTS];

/// Ratings for people, the best first, a table for each pool. `names` are by the entrants' numbers.
pub fn rating_tables(names: &[String], ratings: &Ratings) -> Vec<TextTable> {
    tables_of_pools(RATINGS, &rows(names, ratings))
}

/// The same as CSV, with Elo to a tenth, and the score as a share of the points.
///
/// # Errors
/// Those of `out`.
pub fn write_ratings_csv(names: &[String], ratings: &Ratings, out: impl Write) -> io::Result<()> {
    write_csv(RATINGS, rows(names, ratings), out)
}

/// An entrant that has no game has no rating.
fn rows(names: &[String], ratings: &Ratings) -> Vec<StandingsRow> {
    let mut rows = rated_rows(names, ratings);
    rows.retain(|row| row.rank.is_some());
    rows
}

/// At most this many leaders in one line; empty without games. With several pools, the first
/// entrants of each come first.
pub fn leaders_line(names: &[String], ratings: &Ratings, most: usize) -> String {
    let mut places = places(ratings);
    places.sort_by_key(|place| place.rank);
    let first = &places[..most.min(places.len())];
    let shown: Vec<&str> = first.iter().map(|it| names[it.entrant].as_str()).collect();
    let shown = shortened_apart(&shown, LEADER_COLUMNS);
    let leaders: Vec<String> = first
        .iter()
        .zip(shown)
        .map(|(place, name)| {
            let rating = &ratings.ratings[place.entrant];
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
    pub fn add(&mut self, game: &GameSummary) -> Result<(), RecordsError> {
        let Some(result) = game.result() else {
            return Ok(());
        };
        let sides = self.by_name.sides(&game.id, &game.entrants)?;
        // Repetitions are not searched for, because the line is replaced within a second.
        let what = (game.start, None);
        add_to_tally(&mut self.tally, &game.id, sides, result, what);
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
