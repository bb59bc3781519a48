//! `history.csv`: the standings after each revision of a run's plan.

use super::standings::StandingsRow;
use super::text::{bound_sign, tenths};
use crate::report::csv_writer::CsvWriter;
use crate::stats::ratings::ZeroPoint;
use std::collections::BTreeMap;
use std::io::{self, Write};

/// Writes the standings of all revisions, the first one first. Columns: `revision` from 1, and
/// `rank`, `entrant`, `elo`, `bound`, `error95`, `games`, which have the meaning and the order
/// that they have in `standings.csv`. Without anchors the zero point of `elo` moves with the
/// entrants; so the Elo of earlier revisions is moved until the mean of those that every
/// revision rates without a bound is what it is in the last one. `error95` is still relative to
/// the mean of its revision.
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
    let revisions: Vec<&[StandingsRow]> = revisions.into_iter().collect();
    let shifts = shifts(&revisions);
    let mut csv = CsvWriter::new(out, &columns)?;
    for ((revision, rows), shift) in (1..).zip(revisions).zip(shifts) {
        for row in rows {
            write_row(revision, row, shift, &mut csv)?;
        }
    }
    csv.finish()
}

/// By revision, what is added to its Elo.
fn shifts(revisions: &[&[StandingsRow]]) -> Vec<f64> {
    // Ratings of the first pool that count for the zero point.
    let rated = |rows: &[StandingsRow]| -> BTreeMap<String, f64> {
        let rows = rows.iter().filter(|row| {
            row.bound.is_none() && row.pool == Some(1) && row.zero_point == Some(ZeroPoint::Mean)
        });
        rows.filter_map(|row| Some((row.entrant.clone(), row.elo?)))
            .collect()
    };
    let all: Vec<BTreeMap<String, f64>> = revisions.iter().map(|rows| rated(rows)).collect();
    let Some(last) = all.last() else {
        return Vec::new();
    };
    let is_common = |name: &&String| all.iter().all(|rows| rows.contains_key(*name));
    let common: Vec<&String> = last.keys().filter(is_common).collect();
    let sum = |rows: &BTreeMap<String, f64>| common.iter().map(|&it| rows[it]).sum::<f64>();
    let count = common.len().max(1) as f64;
    all.iter()
        .map(|rows| (sum(last) - sum(rows)) / count)
        .collect()
}

fn write_row<W: Write>(
    revision: u32,
    row: &StandingsRow,
    shift: f64,
    csv: &mut CsvWriter<W>,
) -> io::Result<()> {
    csv.number(Some(revision))?;
    csv.number(row.rank)?;
    csv.text(&row.entrant)?;
    csv.number(row.elo.map(|elo| tenths(elo + shift)))?;
    csv.text(bound_sign(row.bound))?;
    csv.number(row.error95.map(tenths))?;
    csv.number(Some(row.results.games()))?;
    csv.end_row()
}
