//! A sequential test of two entrants. Pairs are counted in schedule order, and after each one the
//! test decides whether the evidence suffices. Counting in the order of finishing would count fast
//! losses first.
//!
//! An observation is a pair with a new opening. Bots play much the same again from an opening that
//! they have played (for bots of fixed depth, results of one opening are correlated by 0.85 to
//! 0.98), and a test that counted such pairs would pass three to nine times too often.
//!
//! With `repeat-openings` every pair counts, for bots whose games vary: then the test is about games
//! from these openings and no others. How often a result comes up stays as it was played, since to
//! drop repeated games would favour whoever varies its wins. But a game that repeats another to the
//! move is no new evidence: the likelihood ratio counts by the share of different games.

use super::progress::Done;
use super::schedule::Pair;
use crate::record::{GameNumber, PairId};
use crate::rules::{GameResult, Position, Side};
use crate::stats::sprt::{self, PairCounts, SprtCounts, SprtEvaluation, State};
use crate::tournament::plan::SequentialTest;
use std::collections::HashSet;

/// The result of a game for the new entrant.
fn seen_by_new(
    test: &SequentialTest,
    pair: &Pair,
    number: GameNumber,
    result: GameResult,
) -> sprt::SprtResult {
    let [south, _] = pair.sides(number);
    let side = if south == test.new {
        Side::South
    } else {
        Side::North
    };
    match result {
        GameResult::Draw => sprt::SprtResult::Draw,
        GameResult::Win(winner) if winner == side => sprt::SprtResult::Win,
        GameResult::Win(_) => sprt::SprtResult::Loss,
    }
}

/// The state of a sequential test.
#[derive(Clone, Debug, PartialEq)]
pub struct TestProgress {
    /// Pairs that count, by the points of the new entrant.
    pub counts: PairCounts,
    /// The log-likelihood ratio and its bounds.
    pub evaluation: SprtEvaluation,
    /// The games of these pairs without those that repeat another to the move.
    pub distinct_games: u64,
    /// The openings of these pairs.
    pub openings: u64,
    /// The last pair that counts, once the test is decided.
    pub decided_after: Option<PairId>,
}

/// A sequential test that counts pairs.
#[derive(Clone, Debug)]
pub struct SequentialTestState {
    test: SequentialTest,
    /// The openings of the pairs that were counted so far.
    seen: HashSet<Position>,
    /// The games that were counted so far: by number in their pairs, which is their sides, and
    /// content.
    games: HashSet<(GameNumber, u64)>,
    pub progress: TestProgress,
    /// The log-likelihood ratio before the first pair, and after each that counts.
    pub path: Vec<f64>,
}

impl SequentialTestState {
    /// A test without pairs.
    pub fn new(test: SequentialTest) -> Self {
        let counts = PairCounts::default();
        let evaluation = test.sprt.evaluate(&SprtCounts::Pairs(counts));
        Self {
            test,
            seen: HashSet::new(),
            games: HashSet::new(),
            path: vec![evaluation.llr],
            progress: TestProgress {
                counts,
                evaluation,
                distinct_games: 0,
                openings: 0,
                decided_after: None,
            },
        }
    }

    /// Counts the next pair of the schedule, both of whose games count, if it is an observation.
    pub fn take(&mut self, pair: &Pair, games: [Done; 2]) {
        let is_new = self.seen.insert(games[0].start);
        if !is_new && !self.test.repeat_openings {
            return;
        }
        let contents = GameNumber::BOTH
            .into_iter()
            .zip(games.map(|game| game.content));
        self.games.extend(contents);
        let [first, second] = games.map(|game| game.result);
        let mut counts = self.progress.counts;
        counts.add(
            seen_by_new(&self.test, pair, GameNumber::First, first),
            seen_by_new(&self.test, pair, GameNumber::Second, second),
        );
        let distinct_games = self.games.len() as u64;
        let mut evaluation = self.test.sprt.evaluate(&SprtCounts::Pairs(counts));
        if self.test.repeat_openings {
            evaluation = evaluation.weighed(distinct_games as f64 / (2 * counts.total()) as f64);
        }
        self.path.push(evaluation.llr);
        self.progress = TestProgress {
            counts,
            evaluation,
            distinct_games,
            openings: self.seen.len() as u64,
            decided_after: (evaluation.state != State::Continue).then(|| pair.id.clone()),
        };
    }
}
