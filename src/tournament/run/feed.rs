//! What is still to be played, in schedule order.

use super::progress::Progress;
use crate::record::{GameId, GameRecord};
use crate::tournament::schedule::{Pair, Schedule};
use crate::tournament::slots::Job;
use std::collections::{HashMap, VecDeque};

/// How often a game that the host spoils is tried in one run.
const ATTEMPTS: u32 = 3;

/// What is still to be played, in schedule order; spoilt games come again before new ones.
pub(super) struct Feed<'a> {
    schedule: std::slice::Iter<'a, Pair>,
    by_id: &'a Schedule,
    progress: &'a Progress,
    again: VecDeque<Job>,
    /// Jobs that slots have not finished.
    pub(super) out: usize,
    tried: HashMap<GameId, u32>,
}

impl<'a> Feed<'a> {
    pub(super) fn new(schedule: &'a Schedule, progress: &'a Progress) -> Self {
        Self {
            schedule: schedule.pairs.iter(),
            by_id: schedule,
            progress,
            again: VecDeque::new(),
            out: 0,
            tried: HashMap::new(),
        }
    }

    pub(super) fn next(&mut self) -> Option<Job> {
        if let Some(job) = self.again.pop_front() {
            return Some(job);
        }
        self.schedule.by_ref().find_map(|pair| {
            let games: Vec<_> = pair
                .game_ids()
                .into_iter()
                .filter(|&game| !self.progress.is_done(game))
                .map(|game| (game.number, self.progress.next_attempt(game)))
                .collect();
            (!games.is_empty()).then_some(Job { pair: *pair, games })
        })
    }

    /// Puts a spoilt game back; false if it was tried often enough.
    pub(super) fn put_back(&mut self, record: &GameRecord) -> bool {
        let tried = self.tried.entry(record.id).or_insert(0);
        *tried += 1;
        let Some(pair) = self
            .by_id
            .pair(record.id.pair)
            .filter(|_| *tried < ATTEMPTS)
        else {
            return false;
        };
        let games = vec![(record.id.number, record.attempt + 1)];
        self.again.push_back(Job { pair: *pair, games });
        true
    }
}
