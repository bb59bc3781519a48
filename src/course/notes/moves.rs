//! Programs that play the same moves: in every position that both have met, the same one. Positions
//! with one legal move say nothing, and a program that plays two moves in one position draws lots.

use super::{Note, NoteKind};
use crate::record::GameSummary;
use crate::rules::{Game, Pit, Position, RuleSet, Side};
use std::collections::HashMap;

/// The most positions of an entrant that are compared, from its first games.
const MOST_POSITIONS: usize = 2000;
/// Fewer positions are alike by chance, or because both follow an opening.
const LEAST_POSITIONS: u32 = 60;

/// The moves of all entrants of a class.
pub struct PlayedMoves<'a> {
    rules: RuleSet,
    entrants: &'a [&'a str],
    /// The moves of each entrant; `None` where it has played several.
    // These are only looked up, never iterated.
    moves: Vec<HashMap<Position, Option<Pit>>>,
}

impl<'a> PlayedMoves<'a> {
    /// No moves of these entrants yet.
    pub fn new(rules: RuleSet, entrants: &'a [&'a str]) -> Self {
        Self {
            rules,
            entrants,
            moves: vec![HashMap::new(); entrants.len()],
        }
    }

    /// Adds the moves of a game.
    pub fn add(&mut self, game: &GameSummary) {
        let number = |side: Side| {
            let name = game.entrants[side.index()].as_str();
            self.entrants.iter().position(|it| *it == name)
        };
        let numbers = Side::BOTH.map(number);
        let is_full = |number: usize| self.moves[number].len() >= MOST_POSITIONS;
        if numbers.iter().flatten().all(|it| is_full(*it)) {
            return;
        }
        let mut replay = Game::new(self.rules, game.start);
        for &pit in &game.moves {
            let position = replay.position();
            if let Some(number) = numbers[position.to_move().index()]
                && replay.legal_moves().iter().count() > 1
            {
                let known = &mut self.moves[number];
                let is_full = known.len() >= MOST_POSITIONS;
                match known.get_mut(&position) {
                    Some(other) if *other != Some(pit) => *other = None,
                    None if !is_full => _ = known.insert(position, Some(pit)),
                    _ => {}
                }
            }
            if replay.play(pit).is_err() {
                // The record is not one of these rules; verification says so.
                return;
            }
        }
    }

    /// Those that play the same moves.
    pub fn notes(&self) -> Vec<Note> {
        let mut notes = Vec::new();
        for (one, moves) in self.entrants.iter().zip(&self.moves) {
            for (other, others) in self.entrants.iter().zip(&self.moves) {
                if one == other {
                    continue;
                }
                if let Some(positions) = same_in(moves, others) {
                    notes.push(Note {
                        entrant: (*one).to_owned(),
                        kind: NoteKind::SameMoves,
                        with: (*other).to_owned(),
                        detail: format!("the same move in {positions} of {positions} positions"),
                    });
                }
            }
        }
        notes
    }
}

/// The number of positions that two have met, if they play the same move in all of them.
fn same_in(
    one: &HashMap<Position, Option<Pit>>,
    other: &HashMap<Position, Option<Pit>>,
) -> Option<u32> {
    let mut positions = 0;
    for (position, pit) in one {
        match (pit, other.get(position)) {
            (_, None) => {}
            (Some(pit), Some(Some(others))) if pit == others => positions += 1,
            _ => return None,
        }
    }
    (positions >= LEAST_POSITIONS).then_some(positions)
}
