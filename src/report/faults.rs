//! `faults.csv`: a row for each fault that counts.

use super::csv_writer::CsvWriter;
use crate::record::{GameId, GameSummary, Refusal};
use crate::rules::Side;
use crate::text::printable;
use std::io::{self, Write};

/// A fault that counts, or an entrant that was not admitted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FaultRow {
    /// `entrant`: who was at fault.
    pub entrant: String,
    /// `game`: the game that it lost; `None` for an entrant that was not admitted.
    pub game: Option<LostGame>,
    /// `fault`: the name of its kind; empty if the host prevented its examination.
    pub fault: &'static str,
    /// `detail`: what happened, in words. Hostile text, with line ends and control characters as
    /// escapes in the table.
    pub detail: String,
    /// `folder`: the folder of the evidence, relative to the run's folder; `None` if there is none.
    pub folder: Option<String>,
}

/// A game that was lost by a fault.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LostGame {
    /// The game.
    pub id: GameId,
    /// The side at fault.
    pub side: Side,
    /// The other entrant.
    pub opponent: String,
    /// The number of plies before the fault.
    pub plies: usize,
}

impl FaultRow {
    /// The row of a game as it counts, if it ended by a fault.
    pub fn of_game(game: &GameSummary, folder: Option<String>) -> Option<Self> {
        let (side, kind) = game.fault()?;
        let detail = game.fault_detail().unwrap_or_default();
        Some(Self {
            entrant: game.entrants[side.index()].clone(),
            game: Some(LostGame {
                id: game.id.clone(),
                side,
                opponent: game.entrants[side.opponent().index()].clone(),
                plies: game.moves.len(),
            }),
            fault: kind.name(),
            detail: detail.to_owned(),
            folder,
        })
    }

    /// The row of an entrant that was not admitted.
    pub fn of_refusal(entrant: &str, refusal: &Refusal, folder: Option<String>) -> Self {
        let fault = refusal.fault();
        Self {
            entrant: entrant.to_owned(),
            game: None,
            fault: fault.map_or("", |fault| fault.kind.name()),
            detail: match fault {
                Some(fault) => fault.detail.clone(),
                None => format!("{}: {}", refusal.reason(), refusal.detail()),
            },
            folder,
        }
    }
}

/// Writes `faults.csv` from its rows in their order.
///
/// # Errors
/// Those of `out`.
pub fn write_faults_csv<'r>(
    rows: impl IntoIterator<Item = &'r FaultRow>,
    out: impl Write,
) -> io::Result<()> {
    let columns = ["entrant", "game", "fault", "detail", "folder"];
    let mut csv = CsvWriter::new(out, &columns)?;
    for row in rows {
        csv.text(&row.entrant)?;
        csv.number(row.game.as_ref().map(|game| &game.id))?;
        csv.text(row.fault)?;
        csv.text(&printable(&row.detail))?;
        csv.text(row.folder.as_deref().unwrap_or_default())?;
        csv.end_row()?;
    }
    csv.finish()
}
