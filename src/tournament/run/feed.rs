//! What is still to be played, in schedule order.

use crate::record::{Exclusions, GameId, GameRecord, Withdrawal};
use crate::tournament::plan::Plan;
use crate::tournament::progress::{Fate, Progress};
use crate::tournament::ruling::{Ruling, UnfoundedWithdrawal, is_given_up};
use crate::tournament::schedule::{Pair, Schedule};
use crate::tournament::slots::Job;
use std::collections::VecDeque;

/// How many pairs for each slot are played ahead of the first that is not settled, where games
/// that were played ahead may be in vain. Many enough that one slow pair among many entrants does
/// not leave the other slots without work.
const LOOK_AHEAD: usize = 32;

/// What is still to be played, in schedule order; spoilt games come again before new ones.
pub(super) struct Feed<'a> {
    schedule: &'a Schedule,
    /// Pairs of the schedule that were handed out or passed over.
    passed: usize,
    /// How far to go beyond what is settled, in pairs.
    look_ahead: usize,
    progress: Progress,
    ruling: Ruling<'a>,
    again: VecDeque<Job>,
    /// Jobs that slots have not finished.
    pub(super) out: usize,
}

/// What follows from a record.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Consequences {
    /// The host has spoilt the game once too often.
    pub(super) given_up: bool,
    pub(super) withdrawn: Vec<Withdrawal>,
}

impl<'a> Feed<'a> {
    /// What a tournament lacks of which so much is known.
    pub(super) fn new(
        plan: &'a Plan,
        schedule: &'a Schedule,
        slots: usize,
        progress: Progress,
    ) -> Self {
        let look_ahead = match plan.max_faults {
            Some(_) => LOOK_AHEAD * slots.max(1),
            None => usize::MAX,
        };
        Self {
            schedule,
            passed: 0,
            look_ahead,
            progress,
            ruling: Ruling::new(plan, schedule),
            again: VecDeque::new(),
            out: 0,
        }
    }

    /// Settles what was known from the beginning; returns the withdrawals that nobody was told
    /// of: the run before was killed between a game and what followed from it.
    ///
    /// # Errors
    /// The journal speaks of one that its games do not lead to.
    pub(super) fn begin(&mut self) -> Result<Vec<Withdrawal>, UnfoundedWithdrawal> {
        let mut withdrawn = self.ruling.advance(&self.progress);
        let announced = self.progress.announced();
        self.ruling.check(announced)?;
        withdrawn.retain(|it| !announced.contains(it));
        Ok(withdrawn)
    }

    pub(super) fn next(&mut self) -> Option<Job> {
        while let Some(job) = self.again.pop_front() {
            if self.wants(&job) {
                return Some(job);
            }
        }
        let horizon = self.ruling.settled().saturating_add(self.look_ahead);
        while self.passed < self.schedule.pairs.len().min(horizon) {
            let pair = self.schedule.pairs[self.passed];
            self.passed += 1;
            let games: Vec<_> = pair
                .game_ids()
                .into_iter()
                .filter(|&game| self.progress.fate(game) == Fate::Open)
                .map(|game| (game.number, self.progress.next_attempt(game)))
                .collect();
            let job = Job { pair, games };
            if !job.games.is_empty() && self.wants(&job) {
                return Some(job);
            }
        }
        None
    }

    /// Whether a job that was to be played still is.
    pub(super) fn wants(&self, job: &Job) -> bool {
        self.ruling.plays(&job.pair) && !is_given_up(&job.pair, &self.progress)
    }

    /// Takes note of a finished game; a spoilt one comes again, if not too often.
    pub(super) fn note(&mut self, record: &GameRecord) -> Consequences {
        self.progress.note(record);
        let mut given_up = false;
        if record.is_void()
            && let Some(&pair) = self.schedule.pair(record.id.pair)
        {
            match self.progress.fate(record.id) {
                Fate::Open => self.play_again(pair, record.id),
                Fate::GivenUp => given_up = self.ruling.plays(&pair),
                Fate::Done(_) => {}
            }
        }
        Consequences {
            given_up,
            withdrawn: self.ruling.advance(&self.progress),
        }
    }

    fn play_again(&mut self, pair: Pair, game: GameId) {
        let games = vec![(game.number, self.progress.next_attempt(game))];
        self.again.push_back(Job { pair, games });
    }

    /// Games that count or will.
    pub(super) fn games(&self) -> usize {
        self.ruling.games()
    }

    /// Whether every game is played that is to be.
    pub(super) const fn is_complete(&self) -> bool {
        self.ruling.is_complete()
    }

    /// What does not count.
    pub(super) fn exclusions(&self) -> Exclusions {
        self.ruling.exclusions(&self.progress)
    }
}
