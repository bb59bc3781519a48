//! `history.csv`: the standings after each revision of a run's plan.

use super::standings::{ELO, ENTRANT, RANK, StandingsRow};
use super::table::{Column, fill, write_csv};
use crate::stats::ratings::ZeroPoint;
use std::collections::BTreeMap;
use std::io::{self, Write};

/// The standings after a revision, numbered from 1.
type HistoryRow = (u32, StandingsRow);

/// The columns of `history.csv`.
pub const HISTORY: &[Column<HistoryRow>] = &[
    Column::new(
        &["revision"],
        "the revision of the plan, from 1",
        |(revision, _), cells| cells.number(Some(revision)),
    ),
    Column::new(
        &["rank", "entrant", "elo", "bound", "error95", "games"],
        "as in `standings.csv`, at the end of the revision; `elo` on the zero point of the \
                last one, `error95` relative to the mean of its own",
        |(_, row), cells| {
            fill(&[RANK, ENTRANT, ELO], row, cells);
            cells.number(Some(row.results.games()));
        },
    ),
];

/// Writes the standings of all revisions, the first one first. Without anchors the zero point of
/// `elo` moves with the entrants; so the Elo of earlier revisions is moved until the mean of those
/// that every revision rates without a bound is what it is in the last one.
///
/// # Errors
/// Those of `out`.
pub fn write_history_csv<'a>(
    revisions: impl IntoIterator<Item = &'a [StandingsRow]>,
    out: impl Write,
) -> io::Result<()> {
    let revisions: Vec<&[StandingsRow]> = revisions.into_iter().collect();
    let shifts = shifts(&revisions);
    let numbered = (1..).zip(revisions).zip(shifts);
    let rows = numbered.flat_map(|((revision, rows), shift)| {
        rows.iter().map(move |row| {
            let elo = row.elo.map(|elo| elo + shift);
            (revision, StandingsRow { elo, ..row.clone() })
        })
    });
    write_csv(HISTORY, rows, out)
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
