//! A game under the rules: a position, its history, and whether it is over.
//!
//! The history of a game is what repetition needs: the positions since the last capture, because
//! no position can come back after one.

use crate::rules::ending::{EndReason, Ending};
use crate::rules::moves::{IllegalMove, Played};
use crate::rules::pit::{Pit, PitSet};
use crate::rules::position::Position;
use crate::rules::rule_set::RuleSet;
use std::fmt;

/// Games are rarely longer, so that a record of this size does not grow.
const USUAL_PLIES: usize = 160;

/// A game from a given position on. Moves are checked.
#[derive(Clone, Debug)]
pub struct Game {
    rules: RuleSet,
    start: Position,
    position: Position,
    /// The legal moves of the position: the referee asks for them several times.
    legal: PitSet,
    history: History,
    moves: Vec<Pit>,
    ending: Option<Ending>,
}

/// Why a move was not played; the game is unchanged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PlayError {
    /// The rules do not allow the move.
    Illegal(IllegalMove),
    /// The game is over.
    Over {
        /// The pit of the move.
        pit: Pit,
        /// Why the game had ended.
        reason: EndReason,
    },
}

impl fmt::Display for PlayError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Illegal(illegal) => illegal.fmt(f),
            Self::Over { pit, reason } => {
                write!(f, "move {pit} after the end of the game ({reason})")
            }
        }
    }
}

impl std::error::Error for PlayError {}

impl Game {
    /// A game that starts in `start`, which is its own first occurrence. It may be over at once.
    pub fn new(rules: RuleSet, start: Position) -> Self {
        let mut game = Self {
            rules,
            start,
            position: start,
            legal: rules.legal_moves(start),
            history: History::new(start),
            moves: Vec::with_capacity(USUAL_PLIES),
            ending: None,
        };
        game.ending = game.ending_at(1);
        game
    }

    /// Plays a move.
    ///
    /// # Errors
    /// The game is over, or the move is not legal; the game is then unchanged.
    pub fn play(&mut self, pit: Pit) -> Result<Played, PlayError> {
        if let Some(Ending { reason, .. }) = self.ending {
            return Err(PlayError::Over { pit, reason });
        }
        let legal = self.legal;
        if !legal.contains(pit) {
            return Err(PlayError::Illegal(IllegalMove { pit, legal }));
        }
        let played = self.rules.play_unchecked(self.position, pit);
        self.position = played.position;
        self.legal = self.rules.legal_moves(played.position);
        self.moves.push(pit);
        let occurrences = self.history.push(played.position, played.captured);
        self.ending = self.ending_at(occurrences);
        Ok(played)
    }

    fn ending_at(&self, occurrences: usize) -> Option<Ending> {
        let repeated = occurrences >= usize::from(self.rules.repetition.occurrences);
        let reason = self
            .rules
            .ends_at(self.position)
            .or(repeated.then_some(EndReason::Repetition))?;
        Some(Ending {
            reason,
            stores: self.rules.settle(self.position, reason),
        })
    }

    /// The rules of the game.
    pub fn rules(&self) -> &RuleSet {
        &self.rules
    }

    /// The position in which the game started.
    pub fn start(&self) -> Position {
        self.start
    }

    /// The position on the board; after an ending, before the remaining seeds are divided.
    pub fn position(&self) -> Position {
        self.position
    }

    /// The legal moves: none when the game is over.
    pub fn legal_moves(&self) -> PitSet {
        match self.ending {
            Some(_) => PitSet::empty(self.position.to_move()),
            None => self.legal,
        }
    }

    /// The moves so far.
    pub fn moves(&self) -> &[Pit] {
        &self.moves
    }

    /// The positions that can still recur.
    pub fn history(&self) -> &History {
        &self.history
    }

    /// How the game ended, or `None` if it is not over.
    pub fn ending(&self) -> Option<Ending> {
        self.ending
    }
}

/// Stretches without a capture are rarely longer.
const USUAL_POSITIONS: usize = 64;

/// The positions of a game that can still recur.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct History {
    positions: Vec<Position>,
}

impl History {
    /// A history in which `start` has occurred once.
    pub fn new(start: Position) -> Self {
        let mut positions = Vec::with_capacity(USUAL_POSITIONS);
        positions.push(start);
        Self { positions }
    }

    /// Adds the position after a ply in which `captured` seeds were captured, and returns how many
    /// times it has occurred, 1 for the first time.
    pub fn push(&mut self, position: Position, captured: u8) -> usize {
        if captured > 0 {
            self.positions.clear();
        }
        self.positions.push(position);
        self.occurrences(position)
    }

    /// How many times a position has occurred since the last capture.
    pub fn occurrences(&self, position: Position) -> usize {
        // Without a capture the stores are the same too, so whole values can be compared.
        self.positions
            .iter()
            .filter(|&&earlier| earlier == position)
            .count()
    }

    /// The number of stored positions: plies since the last capture, plus one.
    pub fn len(&self) -> usize {
        self.positions.len()
    }

    /// A history contains at least the current position.
    pub fn is_empty(&self) -> bool {
        self.positions.is_empty()
    }

    /// The positions since the last capture, oldest first.
    pub fn positions(&self) -> &[Position] {
        &self.positions
    }
}
