//! `faults.csv`: a row for each fault that counts.

use super::table::{Column, write_csv};
use crate::record::{GameId, GameSummary, Refusal};
use crate::rules::Side;
use crate::text::printable;
use std::collections::HashMap;
use std::io::{self, Write};

/// A fault that counts, or an entrant that was not admitted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FaultRow {
    /// The entrant at fault.
    pub entrant: String,
    /// The game that it lost; `None` for an entrant that was not admitted.
    pub game: Option<LostGame>,
    /// The name of its kind; empty if the host prevented its examination.
    pub fault: &'static str,
    /// What happened. Hostile text.
    pub detail: String,
    /// The folder of the evidence, relative to the run's folder, if there is one.
    pub folder: Option<String>,
}

/// The columns of `faults.csv`.
pub const FAULTS: &[Column<FaultRow>] = &[
    Column::new(&["entrant"], "the entrant at fault", |row, cells| {
        cells.text(&row.entrant);
    }),
    Column::new(
        &["game"],
        "the game that it lost; empty if it was not admitted",
        |row, cells| cells.number(row.game.as_ref().map(|game| &game.id)),
    ),
    Column::new(
        &["fault"],
        "the kind of the fault: [`runs.md`](runs.md#faults); empty if the host prevented \
                its examination",
        |row, cells| cells.text(row.fault),
    ),
    Column::new(
        &["detail"],
        "what happened, with the cause ([`faults.md`](faults.md#the-cause-of-an-end)); \
                control characters are escapes",
        |row, cells| cells.text(&printable(&row.detail)),
    ),
    Column::new(
        &["folder"],
        "the folder of the evidence in the run's folder; empty if there is none: an entrant \
                whose files were refused",
        |row, cells| cells.text(row.folder.as_deref().unwrap_or_default()),
    ),
];

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

/// The first of the faults of an entrant and a kind whose details are the same but for numbers, and
/// how many there are; in the order of the first.
pub fn like_faults(rows: &[FaultRow]) -> Vec<(&FaultRow, usize)> {
    let mut groups: Vec<(&FaultRow, usize)> = Vec::new();
    // This map is only looked up, never iterated.
    let mut places: HashMap<(&str, &str, String), usize> = HashMap::new();
    for row in rows {
        let detail = without_numbers(&row.detail);
        let place = places.entry((&row.entrant, row.fault, detail));
        let place = *place.or_insert(groups.len());
        match groups.get_mut(place) {
            Some((_, count)) => *count += 1,
            None => groups.push((row, 1)),
        }
    }
    groups
}

/// A detail without its numbers and the signs between them: times and lists of pits differ from
/// game to game.
fn without_numbers(detail: &str) -> String {
    let is_of_number = |it: char| it.is_ascii_digit() || ",.[] ".contains(it);
    detail.replace(is_of_number, "")
}

/// Writes `faults.csv` from its rows in their order.
///
/// # Errors
/// Those of `out`.
pub fn write_faults_csv<'r>(
    rows: impl IntoIterator<Item = &'r FaultRow>,
    out: impl Write,
) -> io::Result<()> {
    write_csv(FAULTS, rows, out)
}
