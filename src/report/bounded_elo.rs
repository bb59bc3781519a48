//! How an Elo is shown that is only bounded: one side won every game.
//!
//! The order of such groups is certain, and a bound after few games may contradict it: an entrant
//! that won all of two games would stand as `>120` above one with `180`. A table shows who won or
//! lost all, and a bound only where it agrees with the order of the table.

use super::ranking::{Place, places};
use super::text::{bound_sign, rounded_tenths, tenths};
use crate::stats::rating::BoundDirection;
use crate::stats::ratings::Ratings;
use crate::stats::tally::Results;

/// An entrant's rating as a row of a table has it, with its place.
#[derive(Clone, Copy, Debug)]
pub struct RatedRow<'a> {
    /// The pool, if it has games.
    pub pool: Option<usize>,
    /// Its rank in the pool.
    pub rank: Option<usize>,
    /// Its Elo, or the bound of it.
    pub elo: Option<f64>,
    /// Whether `elo` is a bound.
    pub bound: Option<BoundDirection>,
    /// Half the width of its 95 % interval, in Elo.
    pub error95: Option<f64>,
    /// Its games.
    pub results: &'a Results,
}

/// The rows of a table of these ratings, in its order.
pub fn rated_rows(ratings: &Ratings) -> Vec<RatedRow<'_>> {
    let row = |place: Place| {
        let rating = &ratings.ratings[place.entrant];
        RatedRow {
            pool: Some(place.pool),
            rank: Some(place.rank),
            elo: Some(rating.elo),
            bound: rating.bound,
            error95: rating.error95,
            results: &rating.results,
        }
    };
    places(ratings).into_iter().map(row).collect()
}

/// The cells `Elo` and `±95 %` of each row, in the same order.
pub fn elo_cells(rows: &[RatedRow<'_>]) -> Vec<[String; 2]> {
    rows.iter().map(|row| cells_of(row, rows)).collect()
}

/// `won all` or `lost all` for an entrant whose Elo is only bounded because of that.
pub fn sweep(row: &RatedRow<'_>) -> Option<&'static str> {
    let results = row.results;
    match row.bound? {
        BoundDirection::AtLeast if results.draws + results.losses == 0 => Some("won all"),
        BoundDirection::AtMost if results.draws + results.wins == 0 => Some("lost all"),
        _ => None,
    }
}

/// Whether the number of a row that is only bounded is on the wrong side of a number that stands
/// above or below it.
pub fn contradicts_the_order(row: &RatedRow<'_>, rows: &[RatedRow<'_>]) -> bool {
    let (Some(elo), Some(rank), true) = (row.elo, row.rank, row.bound.is_some()) else {
        return false;
    };
    let own = rounded_tenths(elo);
    let mut others = rows.iter().filter(|other| other.pool == row.pool);
    others.any(|other| match (other.elo.map(rounded_tenths), other.rank) {
        (Some(number), Some(place)) => place < rank && number < own || place > rank && number > own,
        _ => false,
    })
}

fn cells_of(row: &RatedRow<'_>, rows: &[RatedRow<'_>]) -> [String; 2] {
    let Some(elo) = row.elo else {
        return Default::default();
    };
    if row.bound.is_none() {
        return [tenths(elo), row.error95.map(tenths).unwrap_or_default()];
    }
    let sign = bound_sign(row.bound);
    let is_shown = !contradicts_the_order(row, rows);
    let number = if is_shown {
        format!("{sign}{}", tenths(elo))
    } else {
        String::new()
    };
    match sweep(row) {
        Some(words) => [
            format!("{words} {number}").trim_end().to_owned(),
            String::new(),
        ],
        None if is_shown => [number, String::new()],
        None => [sign.to_owned(), String::new()],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row<'a>(rank: usize, elo: f64, bound: &str, results: &'a Results) -> RatedRow<'a> {
        RatedRow {
            pool: Some(1),
            rank: Some(rank),
            elo: Some(elo),
            bound: match bound {
                ">" => Some(BoundDirection::AtLeast),
                "<" => Some(BoundDirection::AtMost),
                _ => None,
            },
            error95: bound.is_empty().then_some(12.0),
            results,
        }
    }

    #[test]
    fn bounds_are_shown_where_they_agree_with_the_order() {
        let results = |wins, draws, losses| Results {
            wins,
            draws,
            losses,
        };
        let [all, none, some] = [results(4, 0, 0), results(0, 0, 4), results(3, 0, 1)];
        let cells = |rows: &[RatedRow<'_>]| {
            let cells = elo_cells(rows).into_iter();
            cells
                .map(|[elo, error]| format!("{elo}|{error}"))
                .collect::<Vec<_>>()
        };
        let rows = [
            row(1, 1358.0, ">", &all),
            row(2, 1200.0, "", &some),
            row(3, 900.0, "<", &none),
        ];
        assert_eq!(
            cells(&rows),
            ["won all >1358.0|", "1200.0|12.0", "lost all <900.0|"]
        );
        // What the games say of the order, the bounds do not.
        let rows = [
            row(1, 1358.0, ">", &all),
            row(2, 1467.0, ">", &some),
            row(3, 1400.0, "", &some),
            row(4, 1450.0, "<", &none),
        ];
        assert_eq!(cells(&rows), ["won all|", ">|", "1400.0|12.0", "lost all|"]);
        // Equals, and entrants of another pool, contradict nothing.
        let other = RatedRow {
            pool: Some(2),
            ..row(1, 2000.0, "", &some)
        };
        let rows = [row(1, 50.0, ">", &all), row(1, 50.0, ">", &some), other];
        assert_eq!(cells(&rows), ["won all >50.0|", ">50.0|", "2000.0|12.0"]);
    }
}
