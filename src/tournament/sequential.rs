//! A sequential test of two entrants: pairs are counted in schedule order, and after each the test
//! says whether there is enough. Never in the order of finishing: fast losses would vote first.
//!
//! Pairs that repeat an earlier one to the last move say nothing new. Their results stay in the
//! frequencies, since leaving them out would favour what is rare, but the test is told of as many
//! observations as there are different pairs.

use super::plan::EntrantIndex;
use super::progress::Done;
use super::schedule::Pair;
use crate::record::{GameNumber, PairId};
use crate::rules::{GameResult, Side};
use crate::stats::sprt::{
    self, Counts, Evaluation, Model, PairCounts, Sample, Settings, Sprt, State,
};
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
    /// Pairs that count, by the points of the new entrant, and how many of them are different.
    pub sample: Sample,
    /// The log-likelihood ratio and its bounds.
    pub evaluation: Evaluation,
    /// The last pair that counts, once the test is decided.
    pub decided_after: Option<PairId>,
}

/// A sequential test that is being fed.
#[derive(Clone, Debug)]
pub(super) struct Fold {
    test: SequentialTest,
    /// What was played in the pairs so far.
    seen: HashSet<[u64; 2]>,
    counts: PairCounts,
    progress: TestProgress,
}

impl Fold {
    pub(super) fn new(test: SequentialTest) -> Self {
        let counts = PairCounts::default();
        let sample = Sample::new(Counts::Pairs(counts));
        Self {
            test,
            seen: HashSet::new(),
            counts,
            progress: TestProgress {
                sample,
                evaluation: test.sprt.evaluate(&sample),
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

    /// Counts the next pair of the schedule, of which both games count.
    pub(super) fn take(&mut self, pair: &Pair, games: [Done; 2]) {
        let [first, second] = games.map(|game| game.result);
        self.counts.add(
            self.test.seen_by_new(pair, GameNumber::First, first),
            self.test.seen_by_new(pair, GameNumber::Second, second),
        );
        self.seen.insert(games.map(|game| game.content));
        let sample = Sample::with_distinct(Counts::Pairs(self.counts), self.seen.len() as u64)
            .expect("each different pair is one of the pairs");
        let evaluation = self.test.sprt.evaluate(&sample);
        self.progress = TestProgress {
            sample,
            evaluation,
            decided_after: (evaluation.state != State::Continue).then_some(pair.id),
        };
    }
}
