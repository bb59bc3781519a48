//! Decides in schedule order which games count: a function of the set of records alone.
//!
//! Pairs are settled one after the other, in the order of the schedule. A pair is *settled* when no
//! later event can change what it counts for:
//!
//! ```text
//! the test was decided before it     nothing of it counts
//! one of its entrants is out         nothing of it counts
//! a game was void too often         nothing of it counts
//! a void is charged to an entrant    that game is its loss: see `void_charges`
//! both games have a result           both count; after each the two entrants' faults are looked
//!                                    at, and one that is over the limit is out from there on
//! otherwise                          it is open, and so is everything that comes after it
//! ```
//!
//! So slots, interruptions and the order of finishing change nothing: a game that was played ahead
//! of an open pair waits for its turn. Games that counted before an entrant was withdrawn still
//! count, for its opponents as well.

use super::max_faults::MaxFaults;
use super::plan::Plan;
use super::progress::{Done, Fate, Progress};
use super::schedule::{Pair, Schedule};
use super::sequential::{Fold, TestProgress};
use super::void_charges::VoidCharges;
use crate::record::{Charge, Exclusions, GameId, PairId, Withdrawal};
use crate::tournament::entrant::EntrantIndex;
use std::collections::BTreeSet;
use thiserror::Error;

/// A withdrawal in the journal that its games do not lead to.
#[derive(Debug, Error, PartialEq, Eq)]
#[error(
    "the journal says that {entrant:?} was withdrawn after game {after} with {faults} faults in \
     {games} games, and its games do not say so; restore the file from a copy, or start anew in \
     another folder with --output"
)]
pub struct UnfoundedWithdrawal {
    /// The entrant that the journal withdraws.
    pub entrant: String,
    /// The game after which it is withdrawn.
    pub after: GameId,
    /// Its number of faults in the journal.
    pub faults: u32,
    /// Its number of games in the journal.
    pub games: u32,
}

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
    given_up: BTreeSet<PairId>,
    charges: VoidCharges,
    test: Option<Fold>,
}

/// What the last settled pairs decided.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Decisions {
    pub withdrawn: Vec<Withdrawal>,
    pub charged: Vec<Charge>,
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
            given_up: BTreeSet::new(),
            charges: VoidCharges::new(plan),
            test: plan.test.map(|test| Fold::new(test, plan.sharing)),
        }
    }

    /// Excludes an entrant before its first game.
    pub fn refuse(&mut self, entrant: EntrantIndex) {
        self.standings[entrant.index()].out = true;
    }

    /// Settles as many pairs as possible and returns the decisions. A pair waits while `in_play`
    /// says that one of its games is being played: that record tells of the host, whatever it
    /// counts for.
    pub fn advance(&mut self, progress: &Progress, in_play: &dyn Fn(&PairId) -> bool) -> Decisions {
        let (withdrawn, charged) = (self.withdrawn.len(), self.charges.charged().len());
        while let Some(pair) = self.schedule.pairs.get(self.settled) {
            if self.plays(pair) && (in_play(&pair.id) || !self.settle(pair, progress)) {
                break;
            }
            self.settled += 1;
        }
        Decisions {
            withdrawn: self.withdrawn[withdrawn..].to_vec(),
            charged: self.charges.charged()[charged..].to_vec(),
        }
    }

    /// The fate of a game of a pair that is not settled.
    pub fn fate(&self, pair: &Pair, game: &GameId, progress: &Progress) -> Fate {
        let charged = self.charges.result(pair, game, progress);
        charged.map_or_else(|| progress.fate(game), Fate::Done)
    }

    /// Whether a game of the pair was void too often.
    pub fn is_given_up(&self, pair: &Pair, progress: &Progress) -> bool {
        let mut games = pair.game_ids().into_iter();
        games.any(|game| self.fate(pair, &game, progress) == Fate::GivenUp)
    }

    /// Whether both entrants of a pair are still in, and no test was decided before it.
    pub fn plays(&self, pair: &Pair) -> bool {
        !self.test.as_ref().is_some_and(Fold::is_decided)
            && pair
                .entrants
                .iter()
                .all(|entrant| !self.standings[entrant.index()].out)
    }

    /// How far the sequential test has come, if there is one.
    pub fn test(&self) -> Option<TestProgress> {
        self.test.as_ref().map(Fold::progress)
    }

    /// The log-likelihood ratios of the sequential test so far; empty without one.
    pub fn test_path(&self) -> &[f64] {
        self.test.as_ref().map_or(&[], Fold::path)
    }

    /// Whether any pair has both its entrants still in.
    pub fn anybody_plays(&self) -> bool {
        self.schedule.pairs.iter().any(|pair| self.plays(pair))
    }

    /// The number of settled pairs, which are the first ones of the schedule.
    pub const fn settled(&self) -> usize {
        self.settled
    }

    /// Whether a pair is settled; a pair outside the schedule is not.
    pub fn has_settled(&self, pair: &PairId) -> bool {
        pair.index().is_some_and(|index| index < self.settled)
    }

    /// Whether every pair is settled.
    pub const fn is_complete(&self) -> bool {
        self.settled == self.schedule.pairs.len()
    }

    /// The number of games that count or, as far as is known, will count.
    pub fn games(&self) -> usize {
        let ahead = &self.schedule.pairs[self.settled..];
        self.counted + 2 * ahead.iter().filter(|pair| self.plays(pair)).count()
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
            Some(it) => Err(UnfoundedWithdrawal {
                entrant: it.entrant.clone(),
                after: it.after.clone(),
                faults: it.faults,
                games: it.games,
            }),
        }
    }

    /// What does not count. Of unsettled pairs, only those that are certain to be given up.
    pub fn exclusions(&self, progress: &Progress) -> Exclusions {
        let name = |entrant: EntrantIndex| self.plan.entrants[entrant.index()].name.clone();
        let ahead = self.schedule.pairs[self.settled..]
            .iter()
            .filter(|pair| self.plays(pair) && self.is_given_up(pair, progress));
        let settled = self.given_up.iter().filter_map(|id| self.schedule.pair(id));
        let refused = self.plan.entrants.iter().filter_map(|entrant| {
            let refusal = progress.admission(&entrant.name)?.refusal.clone()?;
            Some((entrant.name.clone(), refusal))
        });
        Exclusions {
            refused: refused.collect(),
            withdrawn: self.withdrawn.clone(),
            given_up: settled
                .chain(ahead)
                .map(|pair| (pair.id.clone(), pair.entrants.map(name)))
                .collect(),
            charged: self.charges.charged().to_vec(),
            charged_games: self.charges.games().clone(),
            decided_after: self.test().and_then(|test| test.decided_after),
        }
    }

    /// Settles a pair, if enough is known.
    fn settle(&mut self, pair: &Pair, progress: &Progress) -> bool {
        let games = pair.game_ids();
        let fates = games.each_ref().map(|game| self.fate(pair, game, progress));
        if fates.contains(&Fate::GivenUp) {
            self.given_up.insert(pair.id.clone());
            for (game, fate) in games.into_iter().zip(fates) {
                if fate == Fate::GivenUp {
                    self.charges.give_up(pair, &game, progress);
                }
            }
        } else {
            // A pair counts as a whole or not at all: the host may still disturb its second game.
            let [Fate::Done(first), Fate::Done(second)] = fates else {
                return false;
            };
            self.count(pair, [first, second], progress);
        }
        for entrant in self.charges.weigh(pair, progress) {
            self.charge(entrant, pair);
        }
        true
    }

    /// Counts a pair's games, up to a game after which an entrant is withdrawn.
    fn count(&mut self, pair: &Pair, done: [Done; 2], progress: &Progress) {
        for (game, done) in pair.game_ids().into_iter().zip(done) {
            self.counted += 1;
            self.charges.count(pair, &game, progress);
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

    /// Charges voids to an entrant from the next pair on, with the games that were given up for
    /// them.
    fn charge(&mut self, entrant: EntrantIndex, pair: &Pair) {
        let name = &self.plan.entrants[entrant.index()].name;
        let back = self.test.is_none();
        let [_, last] = pair.game_ids();
        for lost in self.charges.charge(entrant, name, pair, back) {
            self.counted += 1;
            self.count_game(lost.opponent, false, &last);
            self.count_game(entrant, true, &last);
        }
    }
}

fn over(limit: Option<MaxFaults>, standing: &Standing) -> bool {
    limit.is_some_and(|limit| limit.withdraws(standing.faults, standing.games))
}
