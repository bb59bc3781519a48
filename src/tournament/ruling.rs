//! Which games count, decided in schedule order: a function of the set of records alone.
//!
//! Pairs are looked at one after the other, as the schedule has them. A pair is *settled* when
//! nothing that is still to come can change what it counts for:
//!
//! ```text
//! the test was decided before it     nothing of it counts
//! one of its entrants is out         nothing of it counts
//! the host spoilt a game too often   nothing of it counts
//! both games have a result           both count; after each the two entrants' faults are looked
//!                                    at, and one that is over the limit is out from there on
//! otherwise                          it is open, and so is everything that comes after it
//! ```
//!
//! So slots, interruptions and the order of finishing change nothing: a game that was played ahead
//! of an open pair waits for its turn. What counted for an entrant before it was withdrawn still
//! counts, for its opponents as well.

use super::max_faults::MaxFaults;
use super::plan::{EntrantIndex, Plan};
use super::progress::{Done, Fate, Progress};
use super::schedule::{Pair, Schedule};
use super::sequential::{Fold, TestProgress};
use crate::record::{Exclusions, GameId, PairId, Withdrawal};
use std::collections::BTreeSet;
use thiserror::Error;

/// A journal that speaks of a withdrawal that its games do not lead to.
#[derive(Debug, Error, PartialEq, Eq)]
#[error(
    "the journal says that {entrant:?} was withdrawn after game {after} with {faults} faults in \
     {games} games, and its games do not say so; restore the file from a copy, or start anew in \
     another folder with --output"
)]
pub struct UnfoundedWithdrawal {
    /// Who is said to have been withdrawn.
    pub entrant: String,
    /// After which game.
    pub after: GameId,
    /// With how many faults.
    pub faults: u32,
    /// In how many games.
    pub games: u32,
}

/// Which games count, as far as that is settled.
#[derive(Clone, Debug)]
pub(super) struct Ruling<'a> {
    plan: &'a Plan,
    schedule: &'a Schedule,
    /// Pairs that are settled: the first so many of the schedule.
    settled: usize,
    /// Games of settled pairs that count.
    counted: usize,
    standings: Vec<Standing>,
    withdrawn: Vec<Withdrawal>,
    given_up: BTreeSet<PairId>,
    test: Option<Fold>,
}

/// How an entrant stands.
#[derive(Clone, Copy, Debug, Default)]
struct Standing {
    games: u32,
    faults: u32,
    out: bool,
}

impl<'a> Ruling<'a> {
    /// Nothing is settled yet.
    pub(super) fn new(plan: &'a Plan, schedule: &'a Schedule) -> Self {
        Self {
            plan,
            schedule,
            settled: 0,
            counted: 0,
            standings: vec![Standing::default(); plan.entrants.len()],
            withdrawn: Vec::new(),
            given_up: BTreeSet::new(),
            test: plan.test.map(Fold::new),
        }
    }

    /// Takes an entrant out before its first game.
    pub(super) fn refuse(&mut self, entrant: EntrantIndex) {
        self.standings[entrant.index()].out = true;
    }

    /// Settles what can be settled; returns who is withdrawn by that.
    pub(super) fn advance(&mut self, progress: &Progress) -> Vec<Withdrawal> {
        let before = self.withdrawn.len();
        while let Some(&pair) = self.schedule.pairs.get(self.settled) {
            if !self.settle(&pair, progress) {
                break;
            }
            self.settled += 1;
        }
        self.withdrawn[before..].to_vec()
    }

    /// Whether both entrants of a pair are still in, and no test was decided before it.
    pub(super) fn plays(&self, pair: &Pair) -> bool {
        !self.test.as_ref().is_some_and(Fold::is_decided)
            && pair
                .entrants
                .iter()
                .all(|entrant| !self.standings[entrant.index()].out)
    }

    /// How far the sequential test has come, if there is one.
    pub(super) fn test(&self) -> Option<TestProgress> {
        self.test.as_ref().map(Fold::progress)
    }

    /// Whether any pair has both its entrants still in.
    pub(super) fn anybody_plays(&self) -> bool {
        self.schedule.pairs.iter().any(|pair| self.plays(pair))
    }

    /// Pairs at the schedule's beginning that are settled.
    pub(super) const fn settled(&self) -> usize {
        self.settled
    }

    /// Whether every pair is settled.
    pub(super) const fn is_complete(&self) -> bool {
        self.settled == self.schedule.pairs.len()
    }

    /// Games that count or, as far as is known, will.
    pub(super) fn games(&self) -> usize {
        let ahead = &self.schedule.pairs[self.settled..];
        self.counted + 2 * ahead.iter().filter(|pair| self.plays(pair)).count()
    }

    /// Whether every withdrawal of which the journal speaks was found here as well.
    pub(super) fn check(&self, announced: &[Withdrawal]) -> Result<(), UnfoundedWithdrawal> {
        match announced.iter().find(|it| !self.withdrawn.contains(it)) {
            None => Ok(()),
            Some(it) => Err(UnfoundedWithdrawal {
                entrant: it.entrant.clone(),
                after: it.after,
                faults: it.faults,
                games: it.games,
            }),
        }
    }

    /// What does not count. Of what is not settled only pairs that are sure to be given up.
    pub(super) fn exclusions(&self, progress: &Progress) -> Exclusions {
        let name = |entrant: EntrantIndex| self.plan.entrants[entrant.index()].name.clone();
        let ahead = self.schedule.pairs[self.settled..]
            .iter()
            .filter(|pair| self.plays(pair) && is_given_up(pair, progress));
        let settled = self
            .given_up
            .iter()
            .filter_map(|&id| self.schedule.pair(id));
        let refused = self.plan.entrants.iter().filter_map(|entrant| {
            let refusal = progress.admission(&entrant.name)?.refusal.clone()?;
            Some((entrant.name.clone(), refusal))
        });
        Exclusions {
            refused: refused.collect(),
            withdrawn: self.withdrawn.clone(),
            given_up: settled
                .chain(ahead)
                .map(|pair| (pair.id, pair.entrants.map(name)))
                .collect(),
            decided_after: self.test().and_then(|test| test.decided_after),
        }
    }

    /// Settles a pair, if what is known is enough.
    fn settle(&mut self, pair: &Pair, progress: &Progress) -> bool {
        if !self.plays(pair) {
            return true;
        }
        if is_given_up(pair, progress) {
            self.given_up.insert(pair.id);
            return true;
        }
        // Nothing of a pair counts before all of it does: the host may yet spoil its second game.
        let mut standings = pair.entrants.map(|entrant| self.standings[entrant.index()]);
        let mut withdrawn = Vec::new();
        let mut counted: Vec<Done> = Vec::with_capacity(2);
        for game in pair.game_ids() {
            let Fate::Done(done) = progress.fate(game) else {
                return false;
            };
            counted.push(done);
            let guilty = done.fault.map(|side| pair.seats(game.number)[side.index()]);
            for (&entrant, standing) in pair.entrants.iter().zip(&mut standings) {
                standing.games += 1;
                standing.faults += u32::from(guilty == Some(entrant));
                if over(self.plan.max_faults, standing) {
                    standing.out = true;
                    withdrawn.push(Withdrawal {
                        entrant: self.plan.entrants[entrant.index()].name.clone(),
                        after: game,
                        faults: standing.faults,
                        games: standing.games,
                    });
                }
            }
            if !withdrawn.is_empty() {
                break;
            }
        }
        for (entrant, standing) in pair.entrants.iter().zip(standings) {
            self.standings[entrant.index()] = standing;
        }
        self.withdrawn.extend(withdrawn);
        self.counted += counted.len();
        if let (Some(test), &[first, second]) = (&mut self.test, counted.as_slice()) {
            test.take(pair, [first, second]);
        }
        true
    }
}

fn over(limit: Option<MaxFaults>, standing: &Standing) -> bool {
    limit.is_some_and(|limit| limit.withdraws(standing.faults, standing.games))
}

/// Whether the host has spoilt a game of the pair too often.
pub(super) fn is_given_up(pair: &Pair, progress: &Progress) -> bool {
    pair.game_ids()
        .into_iter()
        .any(|game| progress.fate(game) == Fate::GivenUp)
}
