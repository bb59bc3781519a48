//! What is known of a tournament's games: the journal, entry by entry.

use super::journal::Entry;
use crate::record::{Admission, GameId, GameRecord, Withdrawal};
use crate::rules::{GameResult, Side};
use std::collections::{BTreeMap, HashMap};

/// How often a game is played, at most: a spoilt one three times again.
pub const ATTEMPTS: u32 = 4;

/// What is known of a tournament's games. The order in which it was learnt changes nothing.
#[derive(Clone, Debug, Default)]
pub struct Progress {
    games: HashMap<GameId, Played>,
    admissions: BTreeMap<String, Admission>,
    announced: Vec<Withdrawal>,
}

#[derive(Clone, Copy, Debug)]
struct Played {
    attempts: u32,
    fate: Fate,
}

/// What has become of a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fate {
    /// It is still to be played, or played again.
    Open,
    /// It has a result.
    Done(Done),
    /// The host has spoilt it too often.
    GivenUp,
}

/// A game that has a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Done {
    /// Who won.
    pub(super) result: GameResult,
    /// Whose fault ended it, if one did.
    pub(super) fault: Option<Side>,
    /// What was played: [`GameRecord::content`].
    pub(super) content: u64,
}

impl Progress {
    /// Takes note of an entry of the journal.
    pub fn note_entry(&mut self, entry: &Entry) {
        match entry {
            Entry::Game(record) => self.note(record),
            Entry::Admission(admission) => self.note_admission(admission),
            Entry::Withdrawal(withdrawal) => self.announced.push(withdrawal.clone()),
        }
    }

    /// Takes note of a record.
    pub fn note(&mut self, record: &GameRecord) {
        let entry = self.games.entry(record.id).or_insert(Played {
            attempts: 0,
            fate: Fate::Open,
        });
        entry.attempts = entry.attempts.max(record.attempt);
        if let Some(result) = record.result() {
            entry.fate = Fate::Done(Done {
                result,
                fault: record.fault().map(|(side, _)| side),
                content: record.content(),
            });
        } else if entry.fate == Fate::Open && entry.attempts >= ATTEMPTS {
            entry.fate = Fate::GivenUp;
        }
    }

    /// An examination that the host disturbed says less than any other.
    pub(super) fn note_admission(&mut self, admission: &Admission) {
        let name = &admission.entrant;
        let known = self.admissions.get(name).is_some_and(Admission::is_settled);
        if !known || admission.is_settled() {
            self.admissions.insert(name.clone(), admission.clone());
        }
    }

    /// Whether a game has a record that is not void.
    pub fn is_done(&self, game: GameId) -> bool {
        matches!(self.fate(game), Fate::Done(_))
    }

    /// Games with a record that is not void.
    pub fn games_done(&self) -> usize {
        let done = |played: &&Played| matches!(played.fate, Fate::Done(_));
        self.games.values().filter(done).count()
    }

    /// Forgets a game that nobody will ask for again: what is kept does not grow with the number
    /// of games.
    pub(super) fn forget(&mut self, game: GameId) {
        self.games.remove(&game);
    }

    pub(super) fn fate(&self, game: GameId) -> Fate {
        self.games
            .get(&game)
            .map_or(Fate::Open, |played| played.fate)
    }

    pub(super) fn next_attempt(&self, game: GameId) -> u32 {
        self.games
            .get(&game)
            .map_or(1, |played| played.attempts + 1)
    }

    /// How an entrant's examination ended, if it has.
    pub(super) fn admission(&self, entrant: &str) -> Option<&Admission> {
        self.admissions.get(entrant)
    }

    /// Withdrawals of which the journal speaks.
    pub(super) fn announced(&self) -> &[Withdrawal] {
        &self.announced
    }
}
