//! `los.csv`: the difference of every two entrants, and the probability that one is stronger.

use super::standings::Standings;
use super::text::{bound_sign, tenths};
use crate::report::csv_writer::CsvWriter;
use crate::stats::game::RatedEntrant;
use crate::stats::ranks::Ranks;
use crate::stats::rating::BoundDirection;
use crate::stats::ratings::Ratings;
use std::io::{self, Write};

const COLUMNS: [&str; 7] = [
    "entrant",
    "opponent",
    "difference",
    "bound",
    "error95",
    "simultaneous95",
    "los",
];

/// One entrant compared with another. Each two entrants have two rows, one from each side.
#[derive(Clone, Debug, PartialEq)]
pub struct SuperiorityRow {
    /// `entrant`: the entrant that may be stronger.
    pub entrant: String,
    /// `opponent`: the other entrant.
    pub opponent: String,
    /// `difference`: Elo, to a tenth; empty if no game compares them.
    pub difference: Option<f64>,
    /// `bound`: `>` or `<` if the difference is only a bound.
    pub bound: Option<BoundDirection>,
    /// `error95`: half the width of the 95 % interval of the difference, to a tenth; empty for a
    /// bound.
    pub error95: Option<f64>,
    /// `simultaneous95`: half the width of the interval that is valid together with those of all
    /// other differences of `entrant`, with 95 %, to a tenth: ranks follow from these. Empty for a
    /// bound, and where ranks are unknown.
    pub simultaneous95: Option<f64>,
    /// `los`: likelihood of superiority, 0 to 1, to six decimals; empty if no game compares them.
    pub los: Option<f64>,
}

/// All rows by entrant, then opponent, both in the order of the plan.
pub fn rows<'a>(
    names: &'a [String],
    ratings: &'a Ratings,
    ranks: &'a Ranks,
) -> impl Iterator<Item = SuperiorityRow> + 'a {
    let everybody = move || names.iter().zip((0..).map(RatedEntrant));
    everybody().flat_map(move |(entrant, upper)| {
        everybody()
            .filter(move |(_, lower)| *lower != upper)
            .map(move |(opponent, lower)| {
                let difference = ratings.difference(upper, lower);
                let error95 = difference.and_then(|it| it.error95);
                let widening = ranks.widening(upper);
                SuperiorityRow {
                    entrant: entrant.clone(),
                    opponent: opponent.clone(),
                    difference: difference.map(|it| it.elo),
                    bound: difference.and_then(|it| it.bound),
                    error95,
                    simultaneous95: error95.zip(widening).map(|(error, times)| error * times),
                    los: difference.and_then(|it| it.los),
                }
            })
    })
}

pub fn write_csv(names: &[String], standings: &Standings, out: impl Write) -> io::Result<()> {
    let mut csv = CsvWriter::new(out, &COLUMNS)?;
    for row in rows(names, standings.ratings(), standings.ranks()) {
        csv.text(&row.entrant)?;
        csv.text(&row.opponent)?;
        csv.number(row.difference.map(tenths))?;
        csv.text(bound_sign(row.bound))?;
        csv.number(row.error95.map(tenths))?;
        csv.number(row.simultaneous95.map(tenths))?;
        csv.number(row.los.map(|los| format!("{los:.6}")))?;
        csv.end_row()?;
    }
    csv.finish()
}
