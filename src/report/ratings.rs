//! A table of ratings alone, for games from any source: the table of `rate`.

use super::bounded_elo::{elo_cells, rated_rows};
use super::crosstable::score;
use super::csv_writer::CsvWriter;
use super::ranking::places;
use super::standings_table::{TextTable, tables_of_pools};
use super::text::{bound_sign, shortened, tenths};
use crate::stats::ratings::Ratings;
use std::io::{self, Write};

/// The width of a name, in columns.
const NAME_COLUMNS: usize = 40;

/// Ratings for people, the best first, a table for each pool. `names` are by the entrants' numbers.
pub fn rating_tables(names: &[String], ratings: &Ratings) -> Vec<TextTable> {
    let places = places(ratings);
    let titles = [
        "#", "entrant", "Elo", "±95 %", "games", "won", "drawn", "lost", "score",
    ];
    let rows = places.iter().zip(elo_cells(&rated_rows(ratings)));
    let rows = rows.map(|(place, [elo, error])| {
        let rating = &ratings.ratings[place.entrant];
        let results = &rating.results;
        let cells = vec![
            place.rank.to_string(),
            shortened(&names[place.entrant], NAME_COLUMNS),
            elo,
            error,
            results.games().to_string(),
            results.wins.to_string(),
            results.draws.to_string(),
            results.losses.to_string(),
            score(results).map_or(String::new(), |score| format!("{:.1} %", 100.0 * score)),
        ];
        (Some(place.pool), cells)
    });
    tables_of_pools(&titles, rows)
}

/// The columns of [`write_ratings_csv`].
const COLUMNS: [&str; 11] = [
    "pool", "rank", "entrant", "elo", "bound", "error95", "games", "wins", "draws", "losses",
    "score",
];

/// The same as CSV, with Elo to a tenth, and the score as a share of the points.
///
/// # Errors
/// Those of `out`.
pub fn write_ratings_csv(names: &[String], ratings: &Ratings, out: impl Write) -> io::Result<()> {
    let mut csv = CsvWriter::new(out, &COLUMNS)?;
    for place in places(ratings) {
        let rating = &ratings.ratings[place.entrant];
        let results = &rating.results;
        let share = results.points() / results.games() as f64;
        csv.number(Some(place.pool))?;
        csv.number(Some(place.rank))?;
        csv.text(&names[place.entrant])?;
        csv.number(Some(tenths(rating.elo)))?;
        csv.text(bound_sign(rating.bound))?;
        csv.number(rating.error95.map(tenths))?;
        csv.number(Some(results.games()))?;
        csv.number(Some(results.wins))?;
        csv.number(Some(results.draws))?;
        csv.number(Some(results.losses))?;
        csv.number(Some(format!("{share:.4}")))?;
        csv.end_row()?;
    }
    csv.finish()
}
