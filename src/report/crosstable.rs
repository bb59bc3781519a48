//! `crosstable.csv`: the results of each entrant against each other one; and `los.csv`: the
//! difference of every two entrants, and the probability that one is stronger.

use super::excluded::Status;
use super::table::{Column, RowCells};
use super::text::{bound_sign, hundredths, tenths};
use crate::record::Exclusions;
use crate::stats::fit::{Fits, PairingFit};
use crate::stats::game::RatedEntrant;
use crate::stats::ranks::Ranks;
use crate::stats::rating::BoundDirection;
use crate::stats::ratings::Ratings;
use crate::stats::tally::{Results, Tally};
use std::collections::BTreeMap;

/// One entrant against one other, over both sides. Each pairing that has a game has two rows, one
/// seen from each entrant.
#[derive(Clone, Debug, PartialEq)]
pub struct CrosstableRow {
    /// The entrant whose wins and losses these are.
    pub entrant: String,
    /// The other entrant.
    pub opponent: String,
    /// The results of the entrant.
    pub results: Results,
    /// The score that the ratings of both predict, if neither only bounds the other.
    pub expected: Option<f64>,
    /// By how many standard errors the score is above it, if the games say so.
    pub z: Option<f64>,
    /// The status of the entrant.
    pub status: Status,
}

/// The columns of `crosstable.csv`.
pub const CROSSTABLE: &[Column<CrosstableRow>] = &[
    Column::new(
        &["entrant", "opponent"],
        "the entrant whose wins and losses these are, and the other one",
        |row, cells| {
            cells.text(&row.entrant);
            cells.text(&row.opponent);
        },
    ),
    Column::new(
        &["games", "wins", "draws", "losses", "score"],
        "results of the entrant; score is points per game, a draw is half a point",
        |row, cells| fill_results(&row.results, cells),
    ),
    Column::new(
        &["expected"],
        "the score that the ratings of both predict; empty where one only bounds the other",
        |row, cells| cells.number(row.expected.map(|score| format!("{score:.4}"))),
    ),
    Column::new(
        &["z"],
        "the difference of score and expected score in standard errors; empty where these \
                games alone determine the two ratings, or where there are too few openings",
        |row, cells| cells.number(row.z.map(hundredths)),
    ),
    Column::new(
        &["status"],
        "of the entrant, as in `standings.csv`",
        |row, cells| cells.text(row.status.name()),
    ),
];

/// All rows, by entrant, then opponent, both in the order of the plan.
#[derive(Clone, Debug, PartialEq)]
pub struct Crosstable {
    /// The rows.
    pub rows: Vec<CrosstableRow>,
}

impl Crosstable {
    pub(super) fn new(
        names: &[String],
        tally: &Tally,
        fits: &Fits,
        exclusions: &Exclusions,
    ) -> Self {
        let mut meetings: BTreeMap<[usize; 2], Results> = BTreeMap::new();
        for cell in tally.cells() {
            let (south, north) = (cell.south.position(), cell.north.position());
            let of_south = meetings.entry([south, north]).or_default();
            of_south.wins += cell.south_wins;
            of_south.draws += cell.draws;
            of_south.losses += cell.north_wins;
            let of_north = meetings.entry([north, south]).or_default();
            of_north.wins += cell.north_wins;
            of_north.draws += cell.draws;
            of_north.losses += cell.south_wins;
        }
        let status: Vec<Status> = names
            .iter()
            .map(|name| Status::of(name, exclusions))
            .collect();
        let fit_of = |one: usize, other: usize| {
            let key = |fit: &PairingFit| (fit.one.position(), fit.other.position());
            let place = fits.pairings.binary_search_by_key(&(one, other), key);
            fits.pairings[place.expect("everybody who met has a fit")]
        };
        let row = |([entrant, opponent], results): ([usize; 2], Results)| {
            let fit = fit_of(entrant.min(opponent), entrant.max(opponent));
            let expected = fit.expected.map(|points| points / fit.games as f64);
            let is_one = entrant < opponent;
            CrosstableRow {
                entrant: names[entrant].clone(),
                opponent: names[opponent].clone(),
                results,
                expected: expected.map(|it| if is_one { it } else { 1.0 - it }),
                z: fit.z.map(|z| if is_one { z } else { -z }),
                status: status[entrant].clone(),
            }
        };
        Self {
            rows: meetings.into_iter().map(row).collect(),
        }
    }
}

/// The cells `games`, `wins`, `draws`, `losses`, `score`.
pub fn fill_results(results: &Results, cells: &mut RowCells) {
    for count in [results.games(), results.wins, results.draws, results.losses] {
        cells.number(Some(count));
    }
    cells.number(score(results).map(|score| format!("{score:.4}")));
}

/// Points divided by games, from 0 to 1; `None` without games.
pub fn score(results: &Results) -> Option<f64> {
    (results.games() > 0).then(|| results.points() / results.games() as f64)
}

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
pub fn superiority_rows<'a>(
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
