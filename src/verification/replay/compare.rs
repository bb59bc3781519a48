//! A game as the journal has it against the same game played again.

use super::draw::{DecidedEnd, RecordedGame};
use crate::record::{FaultKind, GameEnding, GameRecord};
use crate::rules::{Game, RuleSet, moves_text};

/// What a replay has come to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ReplayOutcome {
    /// The same moves, and the same end.
    Same,
    /// What is different, and where.
    Different(String),
    /// Why it cannot be told.
    Unknown(String),
}

/// Compares the two.
pub fn compare(recorded: &RecordedGame, again: &GameRecord, rules: RuleSet) -> ReplayOutcome {
    let moves = again.moves();
    let both = recorded.moves.iter().zip(&moves);
    let other = both.enumerate().find(|(_, (there, here))| there != here);
    if let Some((ply, (there, here))) = other {
        let side = ply % 2;
        let name = &recorded.entrants[side];
        let position = position(recorded, ply, rules);
        return ReplayOutcome::Different(format!(
            "ply {} is {there} in the journal, and when the game was played again {name:?} played \
             {here}, {position}; all moves then: {}",
            ply + 1,
            moves_text(&moves)
        ));
    }
    if let Some(why) = problem(&again.ending) {
        return ReplayOutcome::Unknown(why);
    }
    let end = DecidedEnd::of(again);
    if recorded.moves.len() == moves.len() && recorded.end == end {
        return ReplayOutcome::Same;
    }
    let told = |end: DecidedEnd, plies: usize| {
        let [south, north] = end.stores;
        let side = end.side.map_or(String::new(), |side| format!(" of {side}"));
        format!("{}{side} after ply {plies} with {south}–{north}", end.name)
    };
    let fault = match &again.ending {
        GameEnding::Fault(_, fault) => format!(" ({})", fault.detail),
        _ => String::new(),
    };
    let ply = recorded.moves.len().min(moves.len());
    ReplayOutcome::Different(format!(
        "it ended by {} in the journal, and by {}{fault} when it was played again, {}",
        told(recorded.end, recorded.moves.len()),
        told(end, moves.len()),
        position(recorded, ply, rules)
    ))
}

/// The position before a ply, which both games have.
fn position(recorded: &RecordedGame, ply: usize, rules: RuleSet) -> String {
    let mut game = Game::new(rules, recorded.start);
    for &pit in &recorded.moves[..ply] {
        if game.play(pit).is_err() {
            return "after a move that is not legal".to_owned();
        }
    }
    format!("in the position {}", game.position())
}

/// What of the host or of time ended a game, so that it says nothing.
fn problem(ending: &GameEnding) -> Option<String> {
    match ending {
        GameEnding::Void(void) => Some(format!("the host made it void: {}", void.cause)),
        GameEnding::Fault(side, fault) => match fault.kind {
            FaultKind::Timeout
            | FaultKind::StartFailure
            | FaultKind::MemoryLimit
            | FaultKind::ProcessLimit
            | FaultKind::TemporaryLimit
            | FaultKind::BusyOffTurn
            | FaultKind::SlowToQuit
            | FaultKind::BlocksStarts => Some(format!(
                "it ended by a fault of {side} that a slower or fuller machine can bring about: \
                 {}, {}",
                fault.kind, fault.detail
            )),
            FaultKind::IllegalMove
            | FaultKind::BadOutput
            | FaultKind::OutputLimit
            | FaultKind::Crash => None,
        },
        GameEnding::Rules(_) | GameEnding::Adjudicated | GameEnding::Resignation(_) => None,
    }
}
