//! The rounds of a plan: in each, every pairing that has so many pairs plays its next one. The place
//! of a pair in the schedule follows from its pairing and its round.
//!
//! ```text
//! rounds 0 … 9     ada~ben  ada~greedy  ben~greedy    a block: the same pairings in each round
//! rounds 10 … 99            ada~greedy  ben~greedy    those that have more pairs
//! ```
//!
//! Where results decide who meets whom, each dealt round is a block of its own: all its matches play
//! their first pair, then their second, and so on. The pairs of two entrants that meet again go on
//! counting.

use super::plan::{EntrantIndex, Plan};
use std::collections::BTreeSet;
use std::ops::Range;

/// All rounds of a plan.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rounds {
    /// All pairings, in the order of a round.
    pub pairings: Vec<[EntrantIndex; 2]>,
    /// Blocks of rounds, in their order; none where rounds are dealt.
    pub blocks: Vec<Block>,
    /// Where rounds are dealt, the pairs in their order: the pairing, and its round.
    pub dealt: Vec<(u32, u32)>,
    /// Where rounds are dealt, the places of the pairs of each pairing.
    places: Vec<Vec<usize>>,
    /// The number of pairs up to the end of each dealt round.
    pub ends: Vec<usize>,
}

/// Rounds in which the same pairings play.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Block {
    /// The rounds, from 0.
    pub rounds: Range<u32>,
    /// The number of pairs in all rounds before.
    pub before: usize,
    /// The indices of the pairings, ascending.
    pub pairings: Vec<u32>,
}

impl Block {
    /// The number of pairs in all its rounds.
    pub fn pair_count(&self) -> usize {
        self.rounds.len() * self.pairings.len()
    }
}

impl Rounds {
    /// The rounds of a plan.
    pub fn of(plan: &Plan) -> Self {
        let (pairings, pairs): (Vec<_>, Vec<u32>) = plan.pairings().into_iter().unzip();
        if plan.is_dealt() {
            return Self::dealt(plan, pairings);
        }
        let ends: BTreeSet<u32> = pairs.iter().copied().filter(|&it| it > 0).collect();
        let (mut blocks, mut first, mut before) = (Vec::new(), 0, 0);
        for end in ends {
            let playing = (0..).zip(&pairs).filter(|(_, pairs)| **pairs >= end);
            let block = Block {
                rounds: first..end,
                before,
                pairings: playing.map(|(index, _)| index).collect(),
            };
            (first, before) = (end, before + block.pair_count());
            blocks.push(block);
        }
        Self {
            pairings,
            blocks,
            dealt: Vec::new(),
            places: Vec::new(),
            ends: Vec::new(),
        }
    }

    fn dealt(plan: &Plan, pairings: Vec<[EntrantIndex; 2]>) -> Self {
        let mut places = vec![Vec::new(); pairings.len()];
        let (mut dealt, mut ends) = (Vec::new(), Vec::new());
        for matches in plan.dealt_matches() {
            let most = matches.iter().map(|it| it.1).max().unwrap_or(0);
            for turn in 0..most {
                for (pairing, _) in matches.iter().filter(|it| it.1 > turn) {
                    let number = pairings.binary_search(pairing);
                    let number = number.expect("a pairing of the plan");
                    let rounds: &mut Vec<usize> = &mut places[number];
                    let round = u32::try_from(rounds.len());
                    rounds.push(dealt.len());
                    let number = u32::try_from(number);
                    let fit = "a plan's pairs fit in 32 bits";
                    dealt.push((number.expect(fit), round.expect(fit)));
                }
            }
            ends.push(dealt.len());
        }
        Self {
            pairings,
            blocks: Vec::new(),
            dealt,
            places,
            ends,
        }
    }

    /// The number of pairs.
    pub fn pair_count(&self) -> usize {
        let last = self.blocks.last();
        last.map_or(self.dealt.len(), |block| block.before + block.pair_count())
    }

    /// The place in the schedule, from 0, of a pairing's pair in a round; `None` if it has fewer
    /// pairs.
    pub fn place(&self, pairing: u32, round: u32) -> Option<usize> {
        if let Some(places) = self.places.get(pairing as usize) {
            return places.get(round as usize).copied();
        }
        let block = self.blocks.iter().find(|it| it.rounds.contains(&round))?;
        let place = block.pairings.binary_search(&pairing).ok()?;
        let earlier = (round - block.rounds.start) as usize * block.pairings.len();
        Some(block.before + earlier + place)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tournament::{LongerPairing, Secret};
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        /// Against the literal way: all pairs by round, then pairing, counted.
        #[test]
        fn places_count_the_pairs_of_all_rounds(
            yardsticks in proptest::collection::vec(any::<bool>(), 2..7),
            pairs in 0..6_u32,
            house_pairs in proptest::option::of(0..6_u32),
            longer in proptest::collection::vec((0..6_u32, 0..6_u32, 0..8_u32), 0..4),
        ) {
            let names: Vec<String> = (0..yardsticks.len()).map(|it| it.to_string()).collect();
            let names = names.iter().map(String::as_str);
            let mut plan = Plan::round_robin(names, pairs, Secret::from_bytes([1; 32]));
            plan.house_pairs = house_pairs;
            let longer_pairing = |&(entrant, yardstick, pairs): &(u32, u32, u32)| LongerPairing {
                entrant: entrant.to_string(),
                yardstick: yardstick.to_string(),
                pairs,
            };
            plan.longer = longer.iter().map(longer_pairing).collect();
            for (entrant, &is_yardstick) in plan.entrants.iter_mut().zip(&yardsticks) {
                entrant.yardstick = is_yardstick;
            }
            let rounds = Rounds::of(&plan);
            let mut count = 0;
            for round in 0..8 {
                for (index, pairing) in (0..).zip(plan.pairings().into_keys()) {
                    let [one, other] = pairing.map(|it| yardsticks[it.index()]);
                    let [a, b] = pairing.map(|it| it.0);
                    let of_longer = longer.iter().filter(|(entrant, yardstick, _)| {
                        let is_yardstick = yardsticks.get(*yardstick as usize) == Some(&true);
                        let both = (*entrant, *yardstick);
                        is_yardstick && (both == (a, b) || both == (b, a))
                    });
                    let most = of_longer.map(|it| it.2).max().unwrap_or(0);
                    let has = if one == other {
                        pairs
                    } else {
                        house_pairs.unwrap_or(pairs).max(most)
                    };
                    let place = (round < has).then(|| { count += 1; count - 1 });
                    prop_assert_eq!(rounds.place(index, round), place);
                }
            }
            prop_assert_eq!(rounds.pair_count(), count);
        }
    }
}
