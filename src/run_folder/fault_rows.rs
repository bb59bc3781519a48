//! The faults of a run, each with the folder of its evidence.

use super::evidence::{ADMISSION, FAULTS};
use super::game_store::GameStore;
use crate::record::{Exclusions, GameSummary, Refusal};
use crate::report::FaultRow;
use crate::tournament::label;

/// The entrants that were not admitted, in the order of the plan, then the faults of games that
/// count, in that of the schedule.
pub fn fault_rows(games: &GameStore, exclusions: &Exclusions) -> Vec<FaultRow> {
    let refused = exclusions.refused.iter();
    let mut rows: Vec<FaultRow> = refused
        .map(|(name, refusal)| {
            FaultRow::of_refusal(name, refusal, folder_of_refusal(name, refusal))
        })
        .collect();
    let mut last = None;
    for game in games.games().filter(|game| !game.is_void()) {
        if last.as_ref() == Some(&game.id) {
            continue;
        }
        let counted = exclusions.counted(&game);
        let row = counted.and_then(|game| FaultRow::of_game(game, folder_of_game(game)));
        rows.extend(row);
        last = Some(game.id);
    }
    rows
}

/// The folder of an entrant's evidence, relative to that of the run.
pub fn admission_folder(entrant: &str) -> String {
    format!("{FAULTS}/{ADMISSION}{}", label(entrant))
}

/// The folder of a refusal's evidence, relative to that of the run. An entrant that was refused
/// because of its files, or that the host disturbed, has none.
pub fn folder_of_refusal(entrant: &str, refusal: &Refusal) -> Option<String> {
    let has_evidence = refusal.is_of_build() || refusal.fault().is_some() && !refusal.is_of_files();
    has_evidence.then(|| admission_folder(entrant))
}

/// The folder of the evidence of a game that ended by a fault.
pub fn folder_of_game(game: &GameSummary) -> Option<String> {
    game.fault().map(|_| format!("{FAULTS}/{}", game.id))
}
