//! A table of ratings alone, for games from any source: the table of `rate`.

use super::standings::{ELO, ENTRANT, POOL, RANK, RESULTS, StandingsRow, rated_rows};
use super::standings_table::tables_of_pools;
use super::table::{Column, TextTable, write_csv};
use crate::stats::ratings::Ratings;
use std::io::{self, Write};

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
