//! The state of a tournament's games, from the entries of the journal.

use crate::record::{Admission, GameId, GameKey, GameRecord, GameSummary, Refusal, Withdrawal};
use crate::rules::{GameResult, Position, Side};
use std::collections::{BTreeMap, HashMap};
use std::time::Duration;

/// How often a game is played in one round at most: a void one is repeated three times.
pub const ATTEMPTS: u32 = 4;

/// The state of a tournament's games. It does not depend on the order of the entries.
#[derive(Clone, Debug, Default)]
pub struct Progress {
    games: HashMap<GameKey, GameProgress>,
    admissions: BTreeMap<String, Admission>,
    announced: Vec<Withdrawal>,
}

/// What is known of a game.
#[derive(Clone, Copy, Debug, Default)]
struct GameProgress {
    /// The number of its last attempt.
    attempts: u32,
    /// Its result, and the attempt that has it: the first one, should several have one.
    done: Option<(u32, Done)>,
}

/// The state of a game in a round of repetitions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// It must be played, or played again.
    Open,
    /// It has a result.
    Done(Done),
    /// The host has made all of its attempts up to this round void.
    AllVoid,
}

/// A game that has a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Done {
    /// The result.
    pub result: GameResult,
    /// The side whose fault ended it, if any.
    pub fault: Option<Side>,
    /// The final stores of South and North.
    pub stores: [u8; 2],
    /// The position at its beginning.
    pub start: Position,
    /// Its [`GameRecord::played_hash`].
    pub content: u64,
}

impl Progress {
    /// Notes a withdrawal of the journal.
    pub fn note_withdrawal(&mut self, withdrawal: &Withdrawal) {
        self.announced.push(withdrawal.clone());
    }

    /// Notes a record.
    pub fn note(&mut self, record: &GameRecord) {
        self.note_game(&GameSummary::of(record));
    }

    /// The same from the game's summary.
    pub fn note_game(&mut self, game: &GameSummary) {
        let known = self.games.entry(game.id.key()).or_default();
        known.attempts = known.attempts.max(game.attempt);
        let is_earlier = |(attempt, _)| game.attempt < attempt;
        if let Some(result) = game.result()
            && known.done.is_none_or(is_earlier)
        {
            let done = Done {
                result,
                fault: game.fault().map(|(side, _)| side),
                stores: game.stores,
                start: game.start,
                content: game.content,
            };
            known.done = Some((game.attempt, done));
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

    /// Why an examination has refused this entrant, if one has, and for good.
    pub fn refusal(&self, entrant: &str) -> Option<&Refusal> {
        let admission = self.admissions.get(entrant).filter(|it| it.is_settled());
        admission?.refusal.as_ref()
    }

    /// Whether an examination of this entrant has a result that stands.
    pub fn is_examined(&self, entrant: &str) -> bool {
        let admission = self.admissions.get(entrant);
        admission.is_some_and(Admission::is_settled)
    }

    /// What this entrant's side of a game took in its examination; `None` if that is not known.
    pub fn side_time(&self, entrant: &str) -> Option<Duration> {
        let side_ms = self.admissions.get(entrant)?.side_ms?;
        Some(Duration::from_millis(side_ms))
    }

    /// Whether an examination has admitted this entrant.
    pub fn is_admitted(&self, entrant: &str) -> bool {
        let admission = self.admissions.get(entrant);
        admission.is_some_and(|it| it.refusal.is_none())
    }

    /// Whether this entrant was withdrawn.
    pub fn is_withdrawn(&self, entrant: &str) -> bool {
        self.announced.iter().any(|it| it.entrant == entrant)
    }

    fn known(&self, game: &GameId) -> GameProgress {
        self.games.get(&game.key()).copied().unwrap_or_default()
    }

    /// Whether a game has a record that is not void.
    pub fn is_done(&self, game: &GameId) -> bool {
        self.known(game).done.is_some()
    }

    /// The number of games with a record that is not void.
    pub fn games_done(&self) -> usize {
        self.games.values().filter(|it| it.done.is_some()).count()
    }

    /// Whether a game has ended by a fault, or was void.
    pub fn has_failures(&self) -> bool {
        let went_well = |game: &GameProgress| {
            matches!(game.done, Some((_, Done { fault: None, .. }))) && game.attempts == 1
        };
        !self.games.values().all(went_well)
    }

    /// The result of a game, if it has one.
    pub(super) fn result_of(&self, game: &GameId) -> Option<Done> {
        self.known(game).done.map(|(_, done)| done)
    }

    /// The [`GameRecord::played_hash`] of a game that has a result.
    pub fn content_of(&self, game: &GameId) -> Option<u64> {
        Some(self.known(game).done?.1.content)
    }

    /// Forgets a game that will not be asked for again, so that memory does not grow with the
    /// number of games.
    pub(super) fn forget(&mut self, game: &GameId) {
        self.games.remove(&game.key());
    }

    /// The state of a game in a round of repetitions, the first being 0: each round has
    /// [`ATTEMPTS`] attempts.
    pub(super) fn fate(&self, game: &GameId, round: u32) -> Fate {
        match self.known(game).done {
            _ if round < self.first_round(game) => Fate::AllVoid,
            Some((_, done)) => Fate::Done(done),
            None => Fate::Open,
        }
    }

    /// The first round of repetitions in which not all attempts at a game were void: that of its
    /// result, or that of its next attempt.
    pub(super) fn first_round(&self, game: &GameId) -> u32 {
        let known = self.known(game);
        let void = match known.done {
            Some((attempt, _)) => attempt.saturating_sub(1),
            None => known.attempts,
        };
        void / ATTEMPTS
    }

    /// The number that the next attempt at a game has.
    pub fn next_attempt(&self, game: &GameId) -> u32 {
        self.known(game).attempts.saturating_add(1)
    }

    /// The result of an entrant's examination, if there is one.
    pub fn admission(&self, entrant: &str) -> Option<&Admission> {
        self.admissions.get(entrant)
    }

    /// The withdrawals in the journal.
    pub fn announced(&self) -> &[Withdrawal] {
        &self.announced
    }
}
