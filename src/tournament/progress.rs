//! The state of a tournament's games, from the entries of the journal.

use super::journal::Entry;
use crate::record::{Admission, GameId, GameKey, GameRecord, Withdrawal};
use crate::rules::{GameResult, Position, Side};
use crate::stats::disturbance::Turns;
use std::collections::{BTreeMap, HashMap};

/// How often a game is played at most: a void one is repeated three times.
pub const ATTEMPTS: u32 = 4;

/// The state of a tournament's games. It does not depend on the order of the entries.
#[derive(Clone, Debug, Default)]
pub struct Progress {
    games: HashMap<GameKey, GameProgress>,
    admissions: BTreeMap<String, Admission>,
    announced: Vec<Withdrawal>,
}

#[derive(Clone, Debug)]
struct GameProgress {
    fate: Fate,
    known: KnownAttempts,
}

/// The attempts at a game, sorted by number. Nearly all games have one, and there are many games.
#[derive(Clone, Debug)]
enum KnownAttempts {
    One(Attempt),
    Several(Vec<Attempt>),
}

impl KnownAttempts {
    const fn as_slice(&self) -> &[Attempt] {
        match self {
            Self::One(attempt) => std::slice::from_ref(attempt),
            Self::Several(attempts) => attempts.as_slice(),
        }
    }

    /// The number of the last attempt.
    fn last(&self) -> u32 {
        self.as_slice().last().map_or(0, |attempt| attempt.number)
    }

    /// Adds an attempt. One that is added twice counts once.
    fn add(&mut self, attempt: &Attempt) {
        let known = self.as_slice();
        if let Err(place) = known.binary_search_by_key(&attempt.number, |it| it.number) {
            let mut attempts = known.to_vec();
            attempts.insert(place, attempt.clone());
            *self = Self::Several(attempts);
        }
    }
}

/// What an attempt at a game says about the host.
#[derive(Clone, Debug, PartialEq)]
pub struct Attempt {
    /// The number of the attempt, from 1.
    pub number: u32,
    /// South's and North's turns.
    pub turns: [Turns; 2],
    /// The side that the host disturbed, if the attempt is void and the side is known.
    pub hit: Option<Box<Hit>>,
}

/// A void that may have saved a side from a loss.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hit {
    /// The side.
    pub side: Side,
    /// The part of the turn that the side itself used, in µs, if the void is about time: its CPU
    /// time, or its wall time if that is unknown.
    pub late_us: Option<u64>,
    /// The position at the beginning of the game.
    pub start: Position,
    /// The [`GameRecord::played_hash`] of the game as a loss of the side.
    pub content: u64,
}

/// What a finished game adds to the progress.
#[derive(Clone, Debug)]
pub struct NotedGame {
    attempt: Attempt,
    /// `None` if the game is void.
    done: Option<Done>,
}

impl NotedGame {
    /// The part of a record that the progress needs; `content` is its
    /// [`GameRecord::played_hash`].
    pub fn of(record: &GameRecord, content: u64) -> Self {
        Self {
            attempt: Attempt::new(record),
            done: record.result().map(|result| Done {
                result,
                fault: record.fault().map(|(side, _)| side),
                start: record.start,
                content,
            }),
        }
    }
}

impl Attempt {
    fn new(record: &GameRecord) -> Self {
        let turns = Side::BOTH.map(|side| {
            let mut turns = Turns::default();
            for ply in record.plies.iter().skip(side.index()).step_by(2) {
                turns.add(ply.time_us.saturating_sub(ply.held_up_us));
            }
            turns
        });
        let hit = record.void().and_then(|void| {
            let side = void.spared()?;
            let used = |wall| void.cpu_us[side.index()].unwrap_or(wall);
            Some(Box::new(Hit {
                side,
                late_us: void.late_us.map(used),
                start: record.start,
                content: record.charged_to(side).played_hash(),
            }))
        });
        Self {
            number: record.attempt,
            turns,
            hit,
        }
    }
}

/// The state of a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// It must be played, or played again.
    Open,
    /// It has a result.
    Done(Done),
    /// The host has made it void too often.
    GivenUp,
}

/// A game that has a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Done {
    /// The result.
    pub result: GameResult,
    /// The side whose fault ended it, if any.
    pub fault: Option<Side>,
    /// The position at its beginning.
    pub start: Position,
    /// Its [`GameRecord::played_hash`].
    pub content: u64,
}

impl Progress {
    /// Notes an entry of the journal.
    pub fn note_entry(&mut self, entry: &Entry) {
        match entry {
            Entry::Game(record) => self.note(record),
            Entry::Admission(admission) => self.note_admission(admission),
            Entry::Withdrawal(withdrawal) => self.note_withdrawal(withdrawal),
        }
    }

    /// Notes a withdrawal of the journal.
    pub fn note_withdrawal(&mut self, withdrawal: &Withdrawal) {
        self.announced.push(withdrawal.clone());
    }

    /// Notes a record.
    pub fn note(&mut self, record: &GameRecord) {
        self.note_game(&record.id, &NotedGame::of(record, record.played_hash()));
    }

    /// The same from what is needed of the record.
    pub fn note_game(&mut self, game: &GameId, noted: &NotedGame) {
        let NotedGame { attempt, done } = noted;
        let entry = self.games.entry(game.key());
        let entry = entry.or_insert_with(|| GameProgress {
            fate: Fate::Open,
            known: KnownAttempts::One(attempt.clone()),
        });
        entry.known.add(attempt);
        if let Some(done) = done {
            entry.fate = Fate::Done(*done);
        } else if entry.fate == Fate::Open && entry.known.last() >= ATTEMPTS {
            entry.fate = Fate::GivenUp;
        }
    }

    /// Notes an examination. One that the host disturbed never replaces another.
    pub fn note_admission(&mut self, admission: &Admission) {
        let name = &admission.entrant;
        let known = self.admissions.get(name).is_some_and(Admission::is_settled);
        if !known || admission.is_settled() {
            self.admissions.insert(name.clone(), admission.clone());
        }
    }

    /// Whether an examination has refused this entrant.
    pub fn is_refused(&self, entrant: &str) -> bool {
        let admission = self.admissions.get(entrant);
        admission.is_some_and(|it| it.is_settled() && it.refusal.is_some())
    }

    /// Whether a game has a record that is not void.
    pub fn is_done(&self, game: &GameId) -> bool {
        matches!(self.fate(game), Fate::Done(_))
    }

    /// The number of games with a record that is not void.
    pub fn games_done(&self) -> usize {
        let done = |played: &&GameProgress| matches!(played.fate, Fate::Done(_));
        self.games.values().filter(done).count()
    }

    /// Whether a game has ended by a fault, or was void.
    pub fn has_failures(&self) -> bool {
        let went_well = |played: &GameProgress| {
            let is_first = matches!(played.known, KnownAttempts::One(_));
            is_first && matches!(played.fate, Fate::Done(Done { fault: None, .. }))
        };
        !self.games.values().all(went_well)
    }

    /// Forgets a game that will not be asked for again, so that memory does not grow with the
    /// number of games.
    pub(super) fn forget(&mut self, game: &GameId) {
        self.games.remove(&game.key());
    }

    pub(super) fn fate(&self, game: &GameId) -> Fate {
        self.games
            .get(&game.key())
            .map_or(Fate::Open, |played| played.fate)
    }

    /// The attempts at a game, sorted by number.
    pub(super) fn attempts(&self, game: &GameId) -> &[Attempt] {
        self.games
            .get(&game.key())
            .map_or(&[], |played| played.known.as_slice())
    }

    pub(super) fn next_attempt(&self, game: &GameId) -> u32 {
        self.games
            .get(&game.key())
            .map_or(1, |played| played.known.last().saturating_add(1))
    }

    /// The result of an entrant's examination, if there is one.
    pub(super) fn admission(&self, entrant: &str) -> Option<&Admission> {
        self.admissions.get(entrant)
    }

    /// The withdrawals in the journal.
    pub(super) fn announced(&self) -> &[Withdrawal] {
        &self.announced
    }
}
