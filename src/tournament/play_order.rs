//! The order in which the pairs of a round are played, so that a slot can use the processes that it
//! has. Only the order of play is decided here: ids, decisions and tables follow the schedule.
//!
//! Where a slot keeps a process of every entrant, the order of the schedule serves. A slot that
//! keeps fewer, `k`, goes through the table of pairings in rows. It keeps k - 2 entrants, the rows,
//! and lets all later entrants, the columns, meet them one after the other. Then it takes the next
//! rows. The way turns at the end of each column, so consecutive pairs share an entrant:
//!
//! ```text
//!          column 1   column 2   column 3   column 4
//! row 0       1 ──▶      3 ──▶      4          9 ──▶
//!                        ▲          ▼          ▲
//! row 1                  2          5          8
//!                                   ▼          ▲
//! row 2                             6 ──▶      7
//! ```
//!
//! The places for the last two columns make the least recently used process always that of an old
//! column: all rows have played since. A round of n entrants starts about n² / 2k processes, the
//! order of the schedule n² / 2.
//!
//! The rows go through the schedule from its beginning to its end, so few pairs that are played
//! wait for a decision about an earlier one.

use super::plan::Plan;
use crate::tournament::plan::EntrantIndex;
use crate::tournament::rounds::Rounds;
use std::collections::BTreeMap;
use std::ops::Range;

/// A slot with so many processes holds only the two of its pair.
const TWO: usize = 2;

/// The order of play of a plan's pairs; by default that of the schedule.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PlayOrder {
    /// The rounds; `None` for the order of the schedule.
    blocks: Option<Vec<BlockOrder>>,
}

/// The order of play in the rounds of one block.
#[derive(Clone, Debug, PartialEq, Eq)]
struct BlockOrder {
    /// The places of its pairs in the schedule.
    places: Range<usize>,
    /// The places of a round's pairings, in the order of play.
    round: Vec<usize>,
}

impl BlockOrder {
    /// The places of the round that has this place.
    fn round_at(&self, place: usize) -> Range<usize> {
        let begin = place - (place - self.places.start) % self.round.len();
        begin..begin + self.round.len()
    }
}

impl PlayOrder {
    /// The order for slots that have at most this many processes each.
    pub fn new(plan: &Plan, processes: usize) -> Self {
        let is_useful = TWO < processes && processes < plan.entrants.len();
        Self {
            blocks: is_useful.then(|| blocks(plan, processes)),
        }
    }

    /// The index in the schedule of the pair that is played at this position.
    pub fn index(&self, position: usize) -> usize {
        self.block(position).map_or(position, |block| {
            let begin = block.round_at(position).start;
            begin + block.round[position - begin]
        })
    }

    fn block(&self, position: usize) -> Option<&BlockOrder> {
        let mut blocks = self.blocks.iter().flatten();
        blocks.find(|it| it.places.contains(&position))
    }

    /// The positions of the round that has the first unsettled pair. In the order of the schedule
    /// no pair must be played with others.
    pub fn open_round(&self, settled: usize) -> Range<usize> {
        let block = self.block(settled);
        block.map_or(settled..settled, |block| block.round_at(settled))
    }
}

fn blocks(plan: &Plan, processes: usize) -> Vec<BlockOrder> {
    let (ranks, rounds) = (ranks(plan), Rounds::of(plan));
    let order = rounds.blocks.iter().map(|block| {
        let playing = block.pairings.iter();
        let playing = playing.map(|&pairing| rounds.pairings[pairing as usize]);
        BlockOrder {
            places: block.before..block.before + block.pair_count(),
            round: round(&ranks, playing, processes),
        }
    });
    order.collect()
}

/// The places of the pairings of a round in the order of play.
fn round(
    ranks: &[usize],
    pairings: impl Iterator<Item = [EntrantIndex; 2]>,
    processes: usize,
) -> Vec<usize> {
    let (entrants, rows) = (ranks.len(), processes - TWO);
    let mut places = BTreeMap::new();
    for (place, pairing) in pairings.enumerate() {
        let [one, other] = pairing.map(|entrant| ranks[entrant.index()]);
        places.insert([one.min(other), one.max(other)], place);
    }
    let mut order = Vec::new();
    let mut is_forward = true;
    for first in (0..entrants).step_by(rows) {
        for column in first + 1..entrants {
            let place = |row| places.get(&[row, column]).copied();
            let met = (first..column.min(first + rows)).filter_map(place);
            let before = order.len();
            order.extend(met);
            if !is_forward {
                order[before..].reverse();
            }
            is_forward ^= order.len() > before;
        }
    }
    order
}

/// The rank of each entrant: champions of a gauntlet and yardsticks come first, because they meet
/// all others, or have more pairs.
fn ranks(plan: &Plan) -> Vec<usize> {
    let all = (0..).map(EntrantIndex).take(plan.entrants.len());
    let (first, rest): (Vec<_>, Vec<_>) =
        all.partition(|&it| plan.is_champion(it) || plan.entrants[it.index()].yardstick);
    let mut ranks = vec![0; plan.entrants.len()];
    for (rank, entrant) in first.into_iter().chain(rest).enumerate() {
        ranks[entrant.index()] = rank;
    }
    ranks
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tournament::schedule::{Pair, Schedule};
    use crate::tournament::{Format, Secret};
    use proptest::prelude::*;

    fn plan(entrants: u32, pairs: u32, champions: &[u32]) -> Plan {
        let all: Vec<String> = (0..entrants).map(|entrant| entrant.to_string()).collect();
        let names = all.iter().map(String::as_str);
        let plan = Plan::round_robin(names, pairs, Secret::from_bytes([1; 32]));
        let champions: Vec<_> = champions.iter().map(u32::to_string).collect();
        let format = if champions.is_empty() {
            Format::RoundRobin
        } else {
            Format::Gauntlet(champions)
        };
        Plan { format, ..plan }
    }

    /// The pairs of a plan in the order of play.
    fn played(plan: &Plan, processes: usize) -> Vec<Pair> {
        let (schedule, order) = (Schedule::new(plan), PlayOrder::new(plan, processes));
        let positions = 0..schedule.pairs.len();
        positions
            .map(|position| schedule.pairs[order.index(position)].clone())
            .collect()
    }

    /// How many processes one slot starts that keeps the most recently used ones.
    fn starts(pairs: &[Pair], processes: usize) -> usize {
        let mut kept: Vec<EntrantIndex> = Vec::new();
        let mut starts = 0;
        for pair in pairs {
            for entrant in pair.entrants {
                let before = kept.len();
                kept.retain(|it| *it != entrant);
                starts += usize::from(kept.len() == before);
                kept.push(entrant);
            }
            kept.drain(..kept.len().saturating_sub(processes));
        }
        starts
    }

    proptest! {
        #![proptest_config(ProptestConfig {
            failure_persistence: None,
            cases: 64,
            ..ProptestConfig::default()
        })]

        #[test]
        fn each_round_is_played_whole_and_once(
            entrants in 2..24_u32,
            processes in 0..30_usize,
            champions in proptest::collection::btree_set(0..24_u32, 0..4),
        ) {
            let champions: Vec<u32> = champions.into_iter().filter(|it| *it < entrants).collect();
            let plan = plan(entrants, 3, &champions);
            let schedule = Schedule::new(&plan);
            let order = PlayOrder::new(&plan, processes);
            let round = schedule.pairs.len() / 3;
            for begin in [0, round, 2 * round] {
                let mut places: Vec<_> = (begin..begin + round).map(|it| order.index(it)).collect();
                places.sort_unstable();
                prop_assert_eq!(places, (begin..begin + round).collect::<Vec<_>>());
                let open = order.open_round(begin + round / 2);
                prop_assert!(open.is_empty() || open == (begin..begin + round));
            }
        }

        /// Before the next rows there may be no common entrant.
        #[test]
        fn consecutive_pairs_share_an_entrant(entrants in 4..30_u32, processes in 3..12_usize) {
            prop_assume!(processes < entrants as usize);
            let pairs = played(&plan(entrants, 1, &[]), processes);
            let shares = |pairs: &&[Pair]| {
                pairs[0].entrants.iter().any(|it| pairs[1].entrants.contains(it))
            };
            let apart = pairs.windows(2).filter(|pairs| !shares(pairs)).count();
            let times = (entrants as usize).div_ceil(processes - 2);
            prop_assert!(apart < times, "{apart} times apart, {times} times other rows");
        }
    }

    #[test]
    fn the_schedule_serves_where_the_order_of_play_changes_nothing() {
        let plan = plan(9, 2, &[]);
        for processes in [0, 1, 2, 9, 32] {
            assert_eq!(played(&plan, processes), Schedule::new(&plan).pairs);
        }
    }

    /// Entrants, champions, processes of a slot, and how many are started in a round.
    #[test]
    fn few_processes_are_started() {
        for (entrants, champions, processes, expected) in [
            // All fit: each is started once.
            (5, &[][..], 32, 5),
            (30, &[], 32, 30),
            (32, &[], 32, 32),
            // 30 rows and 30 columns; of the next 30 rows only the last column is there.
            (60, &[], 32, 60 + 29),
            // One row at a time: 0 meets all four; 1 is new and so are the three that it meets; 2
            // is new and meets two that are there.
            (5, &[], 3, 5 + 4 + 1),
            // Each of the others meets the champions one after the other.
            (40, &[7, 39], 4, 40),
            (40, &[7], 3, 40),
        ] {
            let pairs = played(&plan(entrants, 1, champions), processes);
            let started = starts(&pairs, processes);
            assert_eq!(
                started, expected,
                "{entrants} entrants, {processes} processes"
            );
        }
    }
}
