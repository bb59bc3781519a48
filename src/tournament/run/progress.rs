//! What is already known of a tournament's games when a run begins: the journal, game by game.

use crate::record::{GameId, GameRecord};
use std::collections::HashMap;

/// What is already known of a tournament's games when a run begins.
#[derive(Clone, Debug, Default)]
pub struct Progress {
    attempts: HashMap<GameId, Played>,
}

#[derive(Clone, Copy, Debug)]
struct Played {
    attempts: u32,
    done: bool,
}

impl Progress {
    /// Takes note of a record of the journal.
    pub fn note(&mut self, record: &GameRecord) {
        let entry = self.attempts.entry(record.id).or_insert(Played {
            attempts: 0,
            done: false,
        });
        entry.attempts = entry.attempts.max(record.attempt);
        entry.done |= !record.is_void();
    }

    /// Whether a game has a record that counts.
    pub fn is_done(&self, game: GameId) -> bool {
        self.attempts.get(&game).is_some_and(|played| played.done)
    }

    /// Games with a record that counts.
    pub fn games_done(&self) -> usize {
        self.attempts.values().filter(|played| played.done).count()
    }

    pub(super) fn next_attempt(&self, game: GameId) -> u32 {
        self.attempts
            .get(&game)
            .map_or(1, |played| played.attempts + 1)
    }
}
