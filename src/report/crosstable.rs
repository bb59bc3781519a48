//! `crosstable.csv`: how each entrant did against each other.

use super::excluded::Status;
use super::sheet::Sheet;
use crate::record::Exclusions;
use crate::stats::tally::{Results, Tally};
use std::collections::BTreeMap;
use std::io::{self, Write};

/// One entrant against one other, over both sides. Each pairing that has a game has two rows, one
/// seen from each entrant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CrosstableRow {
    /// `entrant`: whose wins and losses these are.
    pub entrant: String,
    /// `opponent`: the other.
    pub opponent: String,
    /// `games`, `wins`, `draws`, `losses` of the entrant, and its `score`: points divided by
    /// games, from 0 to 1, to four decimals; a draw is half a point.
    pub results: Results,
    /// `status`: of the entrant; empty, or `withdrawn`.
    pub status: Status,
}

/// All rows, by entrant, then opponent, both in the order of the plan.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Crosstable {
    /// The rows.
    pub rows: Vec<CrosstableRow>,
}

const COLUMNS: [&str; 8] = [
    "entrant", "opponent", "games", "wins", "draws", "losses", "score", "status",
];

impl Crosstable {
    pub(super) fn new(names: &[String], tally: &Tally, exclusions: &Exclusions) -> Self {
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
        let rows = meetings
            .into_iter()
            .map(|([entrant, opponent], results)| CrosstableRow {
                entrant: names[entrant].clone(),
                opponent: names[opponent].clone(),
                results,
                status: status[entrant],
            })
            .collect();
        Self { rows }
    }

    pub(super) fn write_csv(&self, out: impl Write) -> io::Result<()> {
        let mut sheet = Sheet::new(out, &COLUMNS)?;
        for row in &self.rows {
            sheet.text(&row.entrant)?;
            sheet.text(&row.opponent)?;
            write_results(&mut sheet, &row.results)?;
            sheet.text(row.status.name())?;
            sheet.end_row()?;
        }
        sheet.finish()
    }
}

/// The columns `games`, `wins`, `draws`, `losses`, `score`.
pub(super) fn write_results<W: Write>(sheet: &mut Sheet<W>, results: &Results) -> io::Result<()> {
    for count in [results.games(), results.wins, results.draws, results.losses] {
        sheet.number(Some(count))?;
    }
    sheet.number(score(results).map(|score| format!("{score:.4}")))
}

/// Points divided by games, from 0 to 1; `None` without games.
pub(super) fn score(results: &Results) -> Option<f64> {
    (results.games() > 0).then(|| results.points() / results.games() as f64)
}
