//! Trying a step again that failed on time alone: a busy host must not make a bot look wrong. The
//! process of the try before is gone, so what the step stands on is done anew, too.

use super::arrangement::Arrangement;
use super::examine::Examination;
use super::measure;
use super::outcome::StepVerdict;
use crate::conformance::steps::{Act, Step};
use crate::rules::Side;
use std::time::{Duration, Instant};

/// How often a step is tried at most.
const TRIES: usize = 3;
/// Plies of a game that is played only for the times of its moves.
const TIMED_PLIES: u32 = 60;
/// A step that has taken so long is not tried once more: a bot that never answers is waited for
/// anew in each try.
const LONG_ENOUGH: Duration = Duration::from_secs(20);

impl Examination {
    /// Takes a step, up to three times while it fails on time alone: the last verdict, and what
    /// went wrong before.
    pub async fn take_in_time(&mut self, step: &Step) -> (StepVerdict, Vec<String>) {
        let started = Instant::now();
        let games_before = self.subject.games;
        let mut verdict = self.take(step).await;
        let mut earlier = Vec::new();
        while let StepVerdict::Failed {
            what,
            by_time: true,
            ..
        } = &verdict
        {
            if earlier.len() + 1 == TRIES || started.elapsed() > LONG_ENOUGH {
                break;
            }
            earlier.push(what.clone());
            // Of the tries only the last is shown.
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

    /// So many short games in one process, as South and North in turn.
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

    /// Two games from both sides, for new times.
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

    /// Judges the times of all moves, when no process is left to wait for a processor.
    pub async fn in_time(&mut self) -> StepVerdict {
        self.subject.drop_process().await;
        self.subject.show_slowest();
        measure::in_time(&self.subject.seen, self.terms.move_limit)
    }
}
