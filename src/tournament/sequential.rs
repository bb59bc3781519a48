//! A sequential test of two entrants: pairs are counted in schedule order, and after each the test
//! says whether there is enough. Never in the order of finishing: fast losses would vote first.
//!
//! An observation is a pair of a new opening. What bots do once more from an opening that they have
//! played is much the same again (for bots of fixed depth results of one opening are correlated by
//! 0.85 to 0.98), and a test that took it for news would pass three to nine times too often.

use super::plan::EntrantIndex;
use super::progress::Done;
use super::schedule::Pair;
use crate::record::{GameNumber, PairId};
use crate::rules::{GameResult, Position, Side};
use crate::stats::sprt::{self, Counts, Evaluation, Model, PairCounts, Settings, Sprt, State};
use std::collections::HashSet;

/// What ends a tournament of two entrants early.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SequentialTest {
    /// The test.
    pub sprt: Sprt,
    /// From whose view games are won and lost.
    pub new: EntrantIndex,
}

impl SequentialTest {
    /// What decides when it ends, as keys of the configuration and their values.
    pub(super) fn named_values(&self) -> [(&'static str, String); 5] {
        let Settings {
            elo0,
            elo1,
            alpha,
            beta,
            model,
        } = self.sprt.settings();
        let model = match model {
            Model::Logistic => "logistic",
            Model::Normalised => "normalized",
        };
        [
            ("elo0", elo0.to_string()),
            ("elo1", elo1.to_string()),
            ("alpha", alpha.to_string()),
            ("beta", beta.to_string()),
            ("model", model.to_owned()),
        ]
    }

    /// How a game ended for the new entrant.
    fn seen_by_new(&self, pair: &Pair, number: GameNumber, result: GameResult) -> sprt::GameResult {
        let [south, _] = pair.seats(number);
        let side = if south == self.new {
            Side::South
        } else {
            Side::North
        };
        match result {
            GameResult::Draw => sprt::GameResult::Draw,
            GameResult::Win(winner) if winner == side => sprt::GameResult::Win,
            GameResult::Win(_) => sprt::GameResult::Loss,
        }
    }
}

/// How far a sequential test has come.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TestProgress {
    /// Pairs that count, by the points of the new entrant.
    pub counts: PairCounts,
    /// The log-likelihood ratio and its bounds.
    pub evaluation: Evaluation,
    /// The last pair that counts, once the test is decided.
    pub decided_after: Option<PairId>,
}

/// A sequential test that is being fed.
#[derive(Clone, Debug)]
pub(super) struct Fold {
    test: SequentialTest,
    /// The openings of the pairs so far.
    seen: HashSet<Position>,
    progress: TestProgress,
}

impl Fold {
    pub(super) fn new(test: SequentialTest) -> Self {
        let counts = PairCounts::default();
        Self {
            test,
            seen: HashSet::new(),
            progress: TestProgress {
                counts,
                evaluation: test.sprt.evaluate(&Counts::Pairs(counts)),
                decided_after: None,
            },
        }
    }

    pub(super) const fn progress(&self) -> TestProgress {
        self.progress
    }

    pub(super) const fn is_decided(&self) -> bool {
        self.progress.decided_after.is_some()
    }

    /// Counts the next pair of the schedule, of which both games count, if its opening is new.
    pub(super) fn take(&mut self, pair: &Pair, games: [Done; 2]) {
        if !self.seen.insert(games[0].start) {
            return;
        }
        let [first, second] = games.map(|game| game.result);
        let mut counts = self.progress.counts;
        counts.add(
            self.test.seen_by_new(pair, GameNumber::First, first),
            self.test.seen_by_new(pair, GameNumber::Second, second),
        );
        let evaluation = self.test.sprt.evaluate(&Counts::Pairs(counts));
        self.progress = TestProgress {
            counts,
            evaluation,
            decided_after: (evaluation.state != State::Continue).then_some(pair.id),
        };
    }
}
