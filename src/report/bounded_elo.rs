//! How an Elo is shown that is only bounded: one side won every game.
//!
//! The order of such groups is certain, and a bound after few games may contradict it: an entrant
//! that won all of two games would stand as `>120` above one with `180`. A table shows who won or
//! lost all, and a bound only where it agrees with the order of the table.

use super::standings::StandingsRow;
use super::text::{bound_sign, rounded_tenths, tenths};
use crate::stats::rating::BoundDirection;

/// `won all` or `lost all` for an entrant whose Elo is only bounded because of that.
pub fn sweep(row: &StandingsRow) -> Option<&'static str> {
    let results = &row.results;
    match row.bound? {
        BoundDirection::AtLeast if results.draws + results.losses == 0 => Some("won all"),
        BoundDirection::AtMost if results.draws + results.wins == 0 => Some("lost all"),
        _ => None,
    }
}

/// Whether the number of a row that is only bounded is on the wrong side of a number that stands
/// above or below it.
pub fn contradicts_the_order(row: &StandingsRow, rows: &[StandingsRow]) -> bool {
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

/// The Elo for people: the number, or who won or lost all, with the bound where it agrees with the
/// order.
pub fn elo_text(row: &StandingsRow) -> String {
    let Some(elo) = row.elo else {
        return String::new();
    };
    let sign = bound_sign(row.bound);
    match (sweep(row), row.is_bound_misleading) {
        (Some(words), true) => words.to_owned(),
        (Some(words), false) => format!("{words} {sign}{}", tenths(elo)),
        (None, true) => sign.to_owned(),
        (None, false) => format!("{sign}{}", tenths(elo)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::tally::Results;

    fn row(rank: usize, elo: f64, bound: &str, results: Results) -> StandingsRow {
        StandingsRow {
            pool: Some(1),
            rank: Some(rank),
            elo: Some(elo),
            bound: match bound {
                ">" => Some(BoundDirection::AtLeast),
                "<" => Some(BoundDirection::AtMost),
                _ => None,
            },
            results,
            ..StandingsRow::without_games("ada")
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
        let texts = |mut rows: Vec<StandingsRow>| {
            for place in 0..rows.len() {
                rows[place].is_bound_misleading = contradicts_the_order(&rows[place], &rows);
            }
            rows.iter().map(elo_text).collect::<Vec<_>>()
        };
        let rows = vec![
            row(1, 1358.0, ">", all),
            row(2, 1200.0, "", some),
            row(3, 900.0, "<", none),
        ];
        assert_eq!(
            texts(rows),
            ["won all >1358.0", "1200.0", "lost all <900.0"]
        );
        // What the games say of the order, the bounds do not.
        let rows = vec![
            row(1, 1358.0, ">", all),
            row(2, 1467.0, ">", some),
            row(3, 1400.0, "", some),
            row(4, 1450.0, "<", none),
        ];
        assert_eq!(texts(rows), ["won all", ">", "1400.0", "lost all"]);
        // Equals, and entrants of another pool, contradict nothing.
        let other = StandingsRow {
            pool: Some(2),
            ..row(1, 2000.0, "", some)
        };
        let rows = vec![row(1, 50.0, ">", all), row(1, 50.0, ">", some), other];
        assert_eq!(texts(rows), ["won all >50.0", ">50.0", "2000.0"]);
    }
}
