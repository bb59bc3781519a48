//! Which pair is handed out next. Pairs are handed out in the order of play, within bounds that the
//! schedule sets:
//!
//! * The round that has the first unsettled pair may be played whole, and a few pairs beyond it.
//! * Where the order of play is that of the schedule, only those few pairs beyond the settled ones.
//! * A pair of an entrant that has so many known faults that it will probably be withdrawn waits
//!   until the schedule is nearly there: if the withdrawal is decided first, it is not played.
//!
//! Nothing here decides a result: the first unsettled pair can always be handed out, and the
//! decisions are made in schedule order whatever was played before.

use crate::tournament::counted_games::CountedGames;
use crate::tournament::plan::{EntrantIndex, MaxFaults, Plan};
use crate::tournament::play_order::PlayOrder;
use crate::tournament::progress::{Done, Fate, Progress};
use crate::tournament::schedule::{Pair, Schedule};
use std::collections::BTreeSet;

/// The pairs that were not handed out yet.
#[derive(Debug)]
pub struct PairOrder<'a> {
    schedule: &'a Schedule,
    order: PlayOrder,
    /// The number of positions of the order of play that were handed out or skipped.
    passed: usize,
    /// The skipped pairs that may be handed out later, by their index in the schedule.
    postponed: BTreeSet<usize>,
    max_faults: Option<MaxFaults>,
    known: Vec<KnownGames>,
}

/// The games of an entrant that have a result, and those that ended by its fault.
#[derive(Clone, Copy, Debug, Default)]
struct KnownGames {
    games: u32,
    faults: u32,
}

impl<'a> PairOrder<'a> {
    /// All pairs of a plan's schedule.
    pub fn new(plan: &Plan, schedule: &'a Schedule, order: PlayOrder) -> Self {
        Self {
            schedule,
            order,
            passed: 0,
            postponed: BTreeSet::new(),
            max_faults: plan.max_faults,
            known: vec![KnownGames::default(); plan.entrants.len()],
        }
    }

    /// Notes the games that were known from the beginning.
    pub fn begin(&mut self, counted: &CountedGames<'_>, progress: &Progress) {
        for (known, entrant) in self.known.iter_mut().zip((0..).map(EntrantIndex)) {
            let [games, faults] = counted.games_and_faults(entrant);
            *known = KnownGames { games, faults };
        }
        let open = &self.schedule.pairs[counted.settled()..];
        for pair in open {
            for game in pair.game_ids() {
                if let Fate::Done(done) = progress.fate(&game, 0) {
                    self.note(pair.sides(game.number), done);
                }
            }
        }
    }

    /// Notes the result of a game between South and North.
    pub fn note(&mut self, sides: [EntrantIndex; 2], done: Done) {
        for entrant in sides {
            self.known[entrant.index()].games += 1;
        }
        if let Some(guilty) = done.fault {
            self.known[sides[guilty.index()].index()].faults += 1;
        }
    }

    /// The next pair, when so many pairs are settled, and so many beyond them, or beyond their round,
    /// may be handed out; `None` if no further one may be handed out now.
    pub fn next(&mut self, settled: usize, look_ahead: usize) -> Option<&'a Pair> {
        let near = settled.saturating_add(look_ahead);
        while let Some(index) = self.postponed.first().copied().filter(|it| *it < near) {
            self.postponed.remove(&index);
            if index >= settled {
                return Some(&self.schedule.pairs[index]);
            }
        }
        let round = self.order.open_round(settled);
        let horizon = round.end.saturating_add(look_ahead);
        self.passed = self.passed.max(round.start);
        while self.passed < self.schedule.pairs.len().min(horizon) {
            let index = self.order.index(self.passed);
            self.passed += 1;
            if index < settled {
                continue;
            }
            let pair = &self.schedule.pairs[index];
            if index < near || !self.is_leaving(pair) {
                return Some(pair);
            }
            self.postponed.insert(index);
        }
        None
    }

    /// Whether the known faults of an entrant of the pair are enough for a withdrawal.
    fn is_leaving(&self, pair: &Pair) -> bool {
        let mut known = pair.entrants.iter().map(|it| self.known[it.index()]);
        self.max_faults
            .is_some_and(|limit| known.any(|it| limit.withdraws(it.faults, it.games)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::{GameResult, Position, Side};
    use crate::tournament::Secret;
    use proptest::prelude::*;

    fn plan(entrants: u32, pairs: u32) -> Plan {
        let all: Vec<String> = (0..entrants).map(|entrant| entrant.to_string()).collect();
        let names = all.iter().map(String::as_str);
        Plan {
            max_faults: Some(TWO_FAULTS),
            ..Plan::round_robin(names, pairs, Secret::from_bytes([1; 32]))
        }
    }

    const TWO_FAULTS: MaxFaults = MaxFaults {
        count: Some(2),
        share: None,
    };
    const LOSS_BY_FAULT: Done = Done {
        result: GameResult::Win(Side::North),
        stores: [0; 2],
        fault: Some(Side::South),
        start: Position::START,
        content: 0,
    };

    proptest! {
        #![proptest_config(ProptestConfig {
            failure_persistence: None,
            cases: 64,
            ..ProptestConfig::default()
        })]

        /// Pairs are settled in the order of the schedule as soon as they were handed out, and
        /// entrants become suspect at any time.
        #[test]
        fn every_pair_is_handed_out_once(
            entrants in 2..12_u32,
            processes in 0..9_usize,
            look_ahead in 1..40_usize,
            faulty in proptest::collection::vec(0..12_u32, 0..20),
        ) {
            let plan = plan(entrants, 3);
            let schedule = Schedule::new(&plan);
            let order = PlayOrder::new(&plan, processes);
            let mut pairs = PairOrder::new(&plan, &schedule, order);
            let (mut handed_out, mut settled) = (BTreeSet::new(), 0);
            let mut faulty = faulty.into_iter().map(|it| EntrantIndex(it % entrants));
            while settled < schedule.pairs.len() {
                let pair = pairs.next(settled, look_ahead).expect("the first unsettled pair at least");
                prop_assert!(handed_out.insert(pair.id.index()), "{} twice", pair.id);
                if let Some(entrant) = faulty.next() {
                    pairs.note([entrant, EntrantIndex(0)], LOSS_BY_FAULT);
                }
                while handed_out.contains(&Some(settled)) {
                    settled += 1;
                }
            }
            prop_assert_eq!(pairs.next(settled, look_ahead), None);
            prop_assert_eq!(handed_out.len(), schedule.pairs.len());
        }
    }

    /// Entrant 1 has two faults: only what the schedule reaches next is handed out of its pairs.
    #[test]
    fn pairs_of_an_entrant_that_will_be_withdrawn_wait() {
        let plan = plan(8, 1);
        let schedule = Schedule::new(&plan);
        let order = PlayOrder::new(&plan, 4);
        let mut pairs = PairOrder::new(&plan, &schedule, order);
        let [one, zero] = [1, 0].map(EntrantIndex);
        let first = pairs.next(0, 3).expect("a pair");
        assert_eq!(first.entrants, [zero, one]);
        pairs.note([one, zero], LOSS_BY_FAULT);
        pairs.note([one, zero], LOSS_BY_FAULT);
        let mut played = 1;
        while let Some(pair) = pairs.next(0, 3) {
            assert!(!pair.entrants.contains(&one), "{}", pair.id);
            played += 1;
        }
        // Seven of the 28 pairs are those of entrant 1, and six of them wait.
        assert_eq!(played, 22);
        // Seven pairs of entrant 0 are settled: the next three are those of entrant 1.
        let near: Vec<_> = std::iter::from_fn(|| pairs.next(7, 3)).collect();
        assert_eq!(near.len(), 3);
        assert!(near.iter().all(|pair| pair.entrants.contains(&one)));
    }
}
