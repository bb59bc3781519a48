//! `los.csv`: the difference of every two entrants, and the probability that one is stronger.

use super::table::Column;
use super::text::{bound_sign, tenths};
use crate::stats::game::RatedEntrant;
use crate::stats::ranks::Ranks;
use crate::stats::rating::BoundDirection;
use crate::stats::ratings::Ratings;

/// One entrant compared with another. Each two entrants have two rows, one from each side.
#[derive(Clone, Debug, PartialEq)]
pub struct SuperiorityRow {
    /// The entrant that may be stronger.
    pub entrant: String,
    /// The other entrant.
    pub opponent: String,
    /// Its Elo above the other, if games compare them.
    pub difference: Option<f64>,
    /// Whether the difference is only a bound.
    pub bound: Option<BoundDirection>,
    /// Half the width of the 95 % interval of the difference.
    pub error95: Option<f64>,
    /// Half the width of the interval that holds together with all others of the entrant.
    pub simultaneous95: Option<f64>,
    /// The likelihood of superiority, 0 to 1.
    pub los: Option<f64>,
}

/// The columns of `los.csv`.
pub const LOS: &[Column<SuperiorityRow>] = &[
    Column::new(
        &["entrant", "opponent"],
        "the entrant that may be stronger, and the other one",
        |row, cells| {
            cells.text(&row.entrant);
            cells.text(&row.opponent);
        },
    ),
    Column::new(
        &["difference", "bound", "error95"],
        "Elo of the entrant above the opponent; `>` or `<` if it is only a bound; half its \
                95 % interval. Empty if no game compares the two",
        |row, cells| {
            cells.number(row.difference.map(tenths));
            cells.text(bound_sign(row.bound));
            cells.number(row.error95.map(tenths));
        },
    ),
    Column::new(
        &["simultaneous95"],
        "half the interval that holds together with those of all other differences of the \
                entrant (95 %): ranks follow from these; empty for a bound, and where ranks are \
                unknown",
        |row, cells| cells.number(row.simultaneous95.map(tenths)),
    ),
    Column::new(
        &["los"],
        "the probability that the entrant is really stronger; empty where one opening is \
                all that is known",
        |row, cells| cells.number(row.los.map(|los| format!("{los:.6}"))),
    ),
];

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
