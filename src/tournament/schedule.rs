//! Plan → pairs with stable ids. A pure function: nothing that happened changes it.

use super::plan::{EntrantIndex, Format, Plan};
use crate::record::{GameId, GameNumber, PairId};

/// Two games of the same two entrants from the same opening, sides swapped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pair {
    /// Unique in the tournament, from 1, in schedule order.
    pub id: PairId,
    /// The entrant listed first, who is South in the pair's first game, and the other one.
    pub entrants: [EntrantIndex; 2],
    /// Which of its pairing's pairs it is, from 0: the one with the pairing's opening of this
    /// number.
    pub round: u32,
}

impl Pair {
    /// Who is South and who is North in one of the games.
    pub const fn seats(&self, number: GameNumber) -> [EntrantIndex; 2] {
        let [first, second] = self.entrants;
        match number {
            GameNumber::First => [first, second],
            GameNumber::Second => [second, first],
        }
    }

    /// The ids of the two games.
    pub fn game_ids(&self) -> [GameId; 2] {
        GameNumber::BOTH.map(|number| GameId {
            pair: self.id,
            number,
        })
    }
}

/// All pairs of a tournament in the order in which they are played: all pairings with their first
/// opening, then all with their second, and so on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Schedule {
    /// The pairs; the pair with id n stands at n − 1.
    pub pairs: Vec<Pair>,
}

impl Schedule {
    /// The schedule of a plan.
    pub fn new(plan: &Plan) -> Self {
        let pairings = pairings(plan);
        let pairs = (0..plan.pairs)
            .flat_map(|round| pairings.iter().map(move |&entrants| (round, entrants)))
            .zip(1..)
            .map(|((round, entrants), id)| Pair {
                id: PairId(id),
                entrants,
                round,
            })
            .collect();
        Self { pairs }
    }

    /// How many games there are.
    pub fn game_count(&self) -> usize {
        2 * self.pairs.len()
    }

    /// The pair of this id.
    pub fn pair(&self, id: PairId) -> Option<&Pair> {
        self.pairs.get((id.0 as usize).checked_sub(1)?)
    }
}

/// How many games a plan has for each entrant; `None` where results decide when to end.
pub fn planned_games(plan: &Plan) -> Option<Vec<u64>> {
    if plan.test.is_some() {
        return None;
    }
    let mut games = vec![0; plan.entrants.len()];
    for entrant in pairings(plan).as_flattened() {
        games[entrant.index()] += 2 * u64::from(plan.pairs);
    }
    Some(games)
}

/// Who meets whom, the entrant listed first before the other.
pub(super) fn pairings(plan: &Plan) -> Vec<[EntrantIndex; 2]> {
    let count = u32::try_from(plan.entrants.len()).expect("a plan's entrants fit in 32 bits");
    let entrants = || (0..count).map(EntrantIndex);
    entrants()
        .flat_map(|first| {
            entrants()
                .filter(move |&second| second > first)
                .map(move |s| [first, s])
        })
        .filter(|[first, second]| match &plan.format {
            Format::RoundRobin => true,
            Format::Gauntlet(champions) => champions.contains(first) || champions.contains(second),
        })
        .collect()
}
