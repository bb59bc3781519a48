//! `history.csv`: the standings after each revision of a run's plan.

use super::standings::StandingsRow;
use super::text::{bound_sign, tenths};
use crate::report::csv_writer::CsvWriter;
use std::io::{self, Write};

/// Writes the standings of all revisions, the first one first. Columns: `revision` from 1, and
/// `rank`, `entrant`, `elo`, `bound`, `error95`, `games`, which have the meaning and the order that
/// they have in `standings.csv`.
///
/// # Errors
/// Those of `out`.
pub fn write_history_csv<'a>(
    revisions: impl IntoIterator<Item = &'a [StandingsRow]>,
    out: impl Write,
) -> io::Result<()> {
    let columns = [
        "revision", "rank", "entrant", "elo", "bound", "error95", "games",
    ];
    let mut csv = CsvWriter::new(out, &columns)?;
    for (revision, rows) in (1..).zip(revisions) {
        for row in rows {
            write_row(revision, row, &mut csv)?;
        }
    }
    csv.finish()
}

fn write_row<W: Write>(
    revision: u32,
    row: &StandingsRow,
    csv: &mut CsvWriter<W>,
) -> io::Result<()> {
    csv.number(Some(revision))?;
    csv.number(row.rank)?;
    csv.text(&row.entrant)?;
    csv.number(row.elo.map(tenths))?;
    csv.text(bound_sign(row.bound))?;
    csv.number(row.error95.map(tenths))?;
    csv.number(Some(row.results.games()))?;
    csv.end_row()
}
