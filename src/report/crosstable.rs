//! `crosstable.csv`: the results of each entrant against each other one.

use super::excluded::Status;
use crate::record::Exclusions;
use crate::report::csv_writer::CsvWriter;
use crate::stats::fit::{Fits, PairingFit};
use crate::stats::tally::{Results, Tally};
use std::collections::BTreeMap;
use std::io::{self, Write};

/// One entrant against one other, over both sides. Each pairing that has a game has two rows, one
/// seen from each entrant.
#[derive(Clone, Debug, PartialEq)]
pub struct CrosstableRow {
    /// `entrant`: the entrant whose wins and losses these are.
    pub entrant: String,
    /// `opponent`: the other entrant.
    pub opponent: String,
    /// `games`, `wins`, `draws`, `losses` of the entrant, and its `score`: points divided by
    /// games, from 0 to 1, to four decimals; a draw is half a point.
    pub results: Results,
    /// `expected`: the score that the ratings of both predict, to four decimals; empty where one of
    /// the two only bounds the other.
    pub expected: Option<f64>,
    /// `z`: by how many standard errors the score is above it, to two decimals; empty where these
    /// games alone determine the two ratings, or where there are too few openings.
    pub z: Option<f64>,
    /// `status`: of the entrant; empty, or `withdrawn`.
    pub status: Status,
}

/// All rows, by entrant, then opponent, both in the order of the plan.
#[derive(Clone, Debug, PartialEq)]
pub struct Crosstable {
    /// The rows.
    pub rows: Vec<CrosstableRow>,
}

const COLUMNS: [&str; 10] = [
    "entrant", "opponent", "games", "wins", "draws", "losses", "score", "expected", "z", "status",
];

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

    pub(super) fn write_csv(&self, out: impl Write) -> io::Result<()> {
        let mut csv = CsvWriter::new(out, &COLUMNS)?;
        for row in &self.rows {
            csv.text(&row.entrant)?;
            csv.text(&row.opponent)?;
            write_results(&mut csv, &row.results)?;
            csv.number(row.expected.map(|score| format!("{score:.4}")))?;
            // Avoids a negative zero, also after rounding.
            csv.number(
                row.z
                    .map(|z| format!("{:.2}", (100.0 * z).round() / 100.0 + 0.0)),
            )?;
            csv.text(row.status.name())?;
            csv.end_row()?;
        }
        csv.finish()
    }
}

/// The columns `games`, `wins`, `draws`, `losses`, `score`.
pub fn write_results<W: Write>(csv: &mut CsvWriter<W>, results: &Results) -> io::Result<()> {
    for count in [results.games(), results.wins, results.draws, results.losses] {
        csv.number(Some(count))?;
    }
    csv.number(score(results).map(|score| format!("{score:.4}")))
}

/// Points divided by games, from 0 to 1; `None` without games.
pub fn score(results: &Results) -> Option<f64> {
    (results.games() > 0).then(|| results.points() / results.games() as f64)
}
