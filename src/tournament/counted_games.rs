//! Decides in schedule order which games count: a function of the set of records alone.
//!
//! Pairs are settled one after the other, in the order of the schedule. A pair is *settled* when no
//! later event can change what it counts for:
//!
//! ```text
//! the test was decided before it     nothing of it counts
//! one of its entrants is out         nothing of it counts
//! all attempts at a game were void   it comes again after all others, in the next round
//! both games have a result           both count; after each the two entrants' faults are looked
//!                                    at, and one that is over the limit is out from there on
//! otherwise                          it is open, and so is everything that comes after it
//! ```
//!
//! Where results decide who meets whom, each dealt round is settled like this by itself: its
//! repetitions come before the next round. What is open when that is dealt stays open for good.
//!
//! A pair that is open after its four attempts does not hold up the others. It counts in a later
//! round of repetitions, each of four attempts, after all pairs of the round before; the attempt
//! that has the result tells the round. So what was decided before stays as it is.
//!
//! So slots, interruptions and the order of finishing change nothing: a game that was played ahead
//! of an open pair waits for its turn. Games that counted before an entrant was withdrawn still
//! count, for its opponents as well.

use super::plan::Plan;
use super::progress::{Done, Fate, Progress};
use super::schedule::{Pair, Schedule};
use super::sequential::{SequentialTestState, TestProgress};
use crate::record::{Exclusions, GameId, PairId, Withdrawal};
use crate::tournament::plan::EntrantIndex;
use crate::tournament::plan::MaxFaults;
use std::collections::{BTreeMap, VecDeque};
use thiserror::Error;

/// A withdrawal in the journal that its games do not lead to.
#[derive(Debug, Error, PartialEq, Eq)]
#[error(
    "the journal says that {:?} was withdrawn after game {} with {} faults in {} games, and its \
     games do not say so; restore the file from a copy, or start anew in another folder with \
     --output",
    .0.entrant, .0.after, .0.faults, .0.games
)]
pub struct UnfoundedWithdrawal(pub Withdrawal);

/// The games that count, as far as they are settled.
#[derive(Clone, Debug)]
pub struct CountedGames<'a> {
    plan: &'a Plan,
    schedule: &'a Schedule,
    /// The number of settled pairs, which are the first ones of the schedule.
    settled: usize,
    /// The number of games of settled pairs that count.
    counted: usize,
    standings: Vec<Standing>,
    withdrawn: Vec<Withdrawal>,
    /// The round of repetitions: 0 until every pair of the schedule was reached.
    round: u32,
    /// The open pairs that this round repeats, by their indices in the schedule.
    open: VecDeque<usize>,
    /// The pairs that the next round repeats.
    still_open: Vec<usize>,
    /// Pairs that were open when an entrant of theirs was withdrawn or the test was decided.
    left_out: Vec<usize>,
    /// The number of dealt rounds that are over, because the next one was dealt.
    rounds_over: usize,
    /// Pairs that were open when their round was over.
    abandoned: Vec<usize>,
    /// Pairs that were settled in a later round, with that.
    settled_late: BTreeMap<PairId, u32>,
    test: Option<SequentialTestState>,
}

/// The standing of an entrant.
#[derive(Clone, Copy, Debug, Default)]
struct Standing {
    games: u32,
    faults: u32,
    out: bool,
}

impl<'a> CountedGames<'a> {
    /// Starts without a settled pair.
    pub fn new(plan: &'a Plan, schedule: &'a Schedule) -> Self {
        Self {
            plan,
            schedule,
            settled: 0,
            counted: 0,
            standings: vec![Standing::default(); plan.entrants.len()],
            withdrawn: Vec::new(),
            round: 0,
            open: VecDeque::new(),
            still_open: Vec::new(),
            left_out: Vec::new(),
            rounds_over: 0,
            abandoned: Vec::new(),
            settled_late: BTreeMap::new(),
            test: plan.test.map(SequentialTestState::new),
        }
    }

    /// Excludes an entrant before its first game.
    pub fn refuse(&mut self, entrant: EntrantIndex) {
        self.standings[entrant.index()].out = true;
    }

    /// Settles as many pairs as possible and returns the withdrawals that follow.
    pub fn advance(&mut self, progress: &Progress) -> Vec<Withdrawal> {
        let known = self.withdrawn.len();
        while self.advance_by_one(progress) {}
        self.withdrawn[known..].to_vec()
    }

    /// Passes over the next pair; returns false if it is not known enough, or is the last.
    fn advance_by_one(&mut self, progress: &Progress) -> bool {
        let is_first_round = self.settled < self.round_end();
        let index = if is_first_round {
            self.settled
        } else {
            if self.open.is_empty() {
                self.begin_round(progress);
            }
            let Some(&index) = self.open.front() else {
                return self.pass_to_next_round();
            };
            index
        };
        let pair = &self.schedule.pairs[index];
        if self.plays(pair) {
            match self.pair_fate(pair, progress) {
                PairFate::Open => return !is_first_round && self.pass_to_next_round(),
                PairFate::AllVoid => self.still_open.push(index),
                PairFate::Done(games) => self.count(pair, games),
            }
        } else if !is_first_round {
            self.left_out.push(index);
        }
        if is_first_round {
            self.settled += 1;
        } else {
            self.open.pop_front();
        }
        true
    }

    /// The number of pairs up to the end of the dealt round that is settled now.
    fn round_end(&self) -> usize {
        let end = self.schedule.ends.get(self.rounds_over).copied();
        end.unwrap_or(self.schedule.pairs.len())
    }

    /// Goes on with the next dealt round, if there is one: what is open stays so.
    fn pass_to_next_round(&mut self) -> bool {
        let is_dealt = self.rounds_over + 1 < self.schedule.ends.len();
        if is_dealt {
            self.rounds_over += 1;
            self.round = 0;
            self.abandoned.extend(self.open.drain(..));
            self.abandoned.append(&mut self.still_open);
        }
        is_dealt
    }

    /// Begins the next round of repetitions in which anything has happened to a pair that is still
    /// open: a journal may have an attempt of any number.
    fn begin_round(&mut self, progress: &Progress) {
        let first_round = |index: &usize| {
            let games = self.schedule.pairs[*index].game_ids();
            let rounds = games.map(|game| progress.first_round(&game));
            rounds.into_iter().max()
        };
        if let Some(round) = self.still_open.iter().filter_map(first_round).min() {
            self.round = round.max(self.round + 1);
        }
        self.open.extend(self.still_open.drain(..));
    }

    fn pair_fate(&self, pair: &Pair, progress: &Progress) -> PairFate {
        let games = pair.game_ids();
        match games.each_ref().map(|game| progress.fate(game, self.round)) {
            [Fate::AllVoid, _] | [_, Fate::AllVoid] => PairFate::AllVoid,
            // A pair counts as a whole or not at all.
            [Fate::Done(first), Fate::Done(second)] => PairFate::Done([first, second]),
            _ => PairFate::Open,
        }
    }

    /// The open pairs that this round of repetitions must still play; none before every pair of the
    /// schedule was reached.
    pub fn repeated(&self) -> Vec<&'a Pair> {
        let pairs = self.open.iter().map(|&index| &self.schedule.pairs[index]);
        pairs.filter(|pair| self.plays(pair)).collect()
    }

    /// The state of a game of a pair that is not settled.
    pub fn fate(&self, game: &GameId, progress: &Progress) -> Fate {
        progress.fate(game, self.round)
    }

    /// Whether all attempts at a game of the pair were void in this round.
    pub fn is_all_void(&self, pair: &Pair, progress: &Progress) -> bool {
        let mut games = pair.game_ids().into_iter();
        games.any(|game| self.fate(&game, progress) == Fate::AllVoid)
    }

    /// Whether both entrants of a pair are still in, and no test was decided before it.
    pub fn plays(&self, pair: &Pair) -> bool {
        let test = self.test.as_ref();
        let is_decided = test.is_some_and(|test| test.progress.decided_after.is_some());
        let is_in = |entrant: &EntrantIndex| !self.standings[entrant.index()].out;
        !is_decided && pair.entrants.iter().all(is_in)
    }

    /// How far the sequential test has come, if there is one.
    pub fn test(&self) -> Option<TestProgress> {
        Some(self.test.as_ref()?.progress.clone())
    }

    /// The log-likelihood ratios of the sequential test so far; empty without one.
    pub fn test_path(&self) -> &[f64] {
        self.test.as_ref().map_or(&[], |test| &test.path)
    }

    /// Whether any pair has both its entrants still in; where rounds are dealt, whether two
    /// entrants are left for the next one.
    pub fn anybody_plays(&self) -> bool {
        if self.plan.is_dealt() {
            return self.standings.iter().filter(|it| !it.out).count() > 1;
        }
        self.schedule.pairs.iter().any(|pair| self.plays(pair))
    }

    /// The number of settled pairs, which are the first ones of the schedule.
    pub const fn settled(&self) -> usize {
        self.settled
    }

    /// Whether a pair is settled; a pair outside the schedule is not.
    pub fn has_settled(&self, pair: &PairId) -> bool {
        let is_open = |index| self.open.contains(&index) || self.still_open.contains(&index);
        pair.index()
            .is_some_and(|index| index < self.settled && !is_open(index))
    }

    /// Whether every pair was reached, and is settled or open.
    pub const fn is_complete(&self) -> bool {
        self.settled == self.schedule.pairs.len()
    }

    /// The number of games that count or, as far as is known, will count.
    pub fn games(&self) -> usize {
        let ahead = &self.schedule.pairs[self.settled..];
        let open = self.open.iter().chain(&self.still_open);
        let open = open.map(|&index| &self.schedule.pairs[index]);
        self.counted + 2 * ahead.iter().chain(open).filter(|it| self.plays(it)).count()
    }

    /// The counted games of an entrant, and those that ended by its fault.
    pub fn games_and_faults(&self, entrant: EntrantIndex) -> [u32; 2] {
        let standing = self.standings[entrant.index()];
        [standing.games, standing.faults]
    }

    /// Checks that every withdrawal in the journal was also decided here.
    pub fn check(&self, announced: &[Withdrawal]) -> Result<(), UnfoundedWithdrawal> {
        match announced.iter().find(|it| !self.withdrawn.contains(it)) {
            None => Ok(()),
            Some(it) => Err(UnfoundedWithdrawal(it.clone())),
        }
    }

    /// What does not count. A pair is open as soon as all attempts at one of its games were void.
    pub fn exclusions(&self, progress: &Progress) -> Exclusions {
        let name = |entrant: EntrantIndex| self.plan.entrants[entrant.index()].name.clone();
        let ahead = self.schedule.pairs[self.settled..]
            .iter()
            .filter(|pair| self.is_all_void(pair, progress));
        let repeated = self.open.iter().chain(&self.still_open);
        let repeated = repeated.chain(&self.left_out);
        let repeated = repeated.map(|&index| &self.schedule.pairs[index]);
        let all_void = repeated.chain(ahead);
        let (open, left_out): (Vec<_>, Vec<_>) = all_void.partition(|pair| self.plays(pair));
        let refused = self.plan.entrants.iter().filter_map(|entrant| {
            let refusal = progress.admission(&entrant.name)?.refusal.clone()?;
            Some((entrant.name.clone(), refusal))
        });
        let late = self.plan.entrants.iter().filter_map(|entrant| {
            let late = progress.admission(&entrant.name)?.late.clone()?;
            Some((entrant.name.clone(), late))
        });
        Exclusions {
            refused: refused.collect(),
            late: late.collect(),
            withdrawn: self.withdrawn.clone(),
            open: open
                .into_iter()
                .map(|pair| (pair.id.clone(), pair.entrants.map(name)))
                .collect(),
            left_out: left_out
                .into_iter()
                .chain(self.abandoned.iter().map(|&it| &self.schedule.pairs[it]))
                .map(|pair| pair.id.clone())
                .collect(),
            round_ends: self.schedule.ends.clone(),
            settled_late: self.settled_late.clone(),
            decided_after: self.test().and_then(|test| test.decided_after),
        }
    }

    /// Counts a pair's games, up to a game after which an entrant is withdrawn.
    fn count(&mut self, pair: &Pair, done: [Done; 2]) {
        if self.round > 0 {
            self.settled_late.insert(pair.id.clone(), self.round);
        }
        for (game, done) in pair.game_ids().into_iter().zip(done) {
            self.counted += 1;
            let guilty = done.fault.map(|side| pair.sides(game.number)[side.index()]);
            let mut is_out = false;
            for entrant in pair.entrants {
                is_out |= self.count_game(entrant, guilty == Some(entrant), &game);
            }
            if is_out {
                return;
            }
        }
        if let Some(test) = &mut self.test {
            test.take(pair, done);
        }
    }

    /// Counts a game of an entrant; returns whether the entrant is withdrawn after `last`.
    fn count_game(&mut self, entrant: EntrantIndex, at_fault: bool, last: &GameId) -> bool {
        let standing = &mut self.standings[entrant.index()];
        standing.games += 1;
        standing.faults += u32::from(at_fault);
        if standing.out || !over(self.plan.max_faults, standing) {
            return false;
        }
        standing.out = true;
        self.withdrawn.push(Withdrawal {
            entrant: self.plan.entrants[entrant.index()].name.clone(),
            after: last.clone(),
            faults: standing.faults,
            games: standing.games,
        });
        true
    }
}

/// The state of a pair in a round of repetitions.
enum PairFate {
    Open,
    Done([Done; 2]),
    /// All attempts at one of its games were void.
    AllVoid,
}

fn over(limit: Option<MaxFaults>, standing: &Standing) -> bool {
    limit.is_some_and(|limit| limit.withdraws(standing.faults, standing.games))
}
