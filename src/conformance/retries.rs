//! Repeats a step that failed only because of time: a busy host must not make a correct bot look
//! wrong. The process of the previous attempt has ended, so the steps that this one needs are
//! repeated too.

use super::arrangement::Arrangement;
use super::examine::{Examination, Extent};
use super::measure;
use super::outcome::{Lateness, StepVerdict};
use crate::conformance::steps::{Act, Step};
use crate::rules::Side;
use std::time::{Duration, Instant};

/// The most attempts at a step.
const TRIES: usize = 3;
/// Plies of a game that is played only for the times of its moves.
const TIMED_PLIES: u32 = 60;
/// A step that has taken this long is not repeated: a bot that never answers would use up the whole
/// wait in each attempt.
const LONG_ENOUGH: Duration = Duration::from_secs(20);

impl Examination {
    /// Takes a step, up to three times while it fails only because of time. Returns the last
    /// verdict and the earlier failures.
    pub async fn take_in_time(&mut self, step: &Step) -> (StepVerdict, Vec<String>) {
        let started = Instant::now();
        let games_before = self.subject.games;
        let mut verdict = self.take(step).await;
        let mut earlier = Vec::new();
        while let StepVerdict::Failed { what, lateness, .. } = &verdict {
            let is_certain = match lateness {
                Lateness::NotLate => true,
                Lateness::PerhapsByHost => false,
                Lateness::Slept => self.extent == Extent::Verdict,
            };
            if is_certain || earlier.len() + 1 == TRIES || started.elapsed() > LONG_ENOUGH {
                break;
            }
            earlier.push(what.clone());
            // The report shows only the last attempt.
            self.subject.take_transcript();
            verdict = self.take_again(step, games_before).await;
        }
        (verdict, earlier)
    }

    async fn take_again(&mut self, step: &Step, games_before: u32) -> StepVerdict {
        let prepared = match step.act {
            Act::Hello | Act::StartUpTime => match self.subject.start().await {
                Ok(()) => self.hello().await,
                Err(stop) => self.failed(&stop).await,
            },
            Act::FirstMove => self.new_game().await,
            Act::SecondGame => self.whole_game(Side::South).await,
            Act::InTime => return self.in_time_again().await,
            Act::Positions(_) | Act::ManyGames | Act::LargeSeed | Act::Blind | Act::Bank
                if !self.is_fresh =>
            {
                self.short_games(games_before).await
            }
            _ => StepVerdict::Passed(String::new()),
        };
        match step.act {
            Act::Hello => prepared,
            _ if !prepared.carries() => prepared,
            _ => self.take(step).await,
        }
    }

    /// Plays this many short games in one process, alternately as South and North.
    pub async fn short_games(&mut self, count: u32) -> StepVerdict {
        for number in 0..count {
            let side = Side::BOTH[number as usize % 2];
            let verdict = self.game(Arrangement::short(&self.terms, side, 2)).await;
            if !verdict.carries() {
                return verdict;
            }
        }
        StepVerdict::Passed(format!("{count} games"))
    }

    /// Two games, one on each side, for new times.
    async fn in_time_again(&mut self) -> StepVerdict {
        self.subject.forget_times();
        for side in Side::BOTH {
            self.subject.drop_process().await;
            let arrangement = Arrangement::short(&self.terms, side, TIMED_PLIES);
            let verdict = self.game(arrangement).await;
            if !verdict.carries() {
                return verdict;
            }
        }
        self.in_time().await
    }

    /// Judges the times of all moves. No process is left at this point that could wait for a
    /// processor.
    pub async fn in_time(&mut self) -> StepVerdict {
        self.subject.drop_process().await;
        self.subject.show_slowest();
        measure::in_time(&self.subject.seen, self.terms.move_limit)
    }
}
