//! The openings from which pairs start: random legal ones that derive from the run's secret, or a
//! list. After every opening the game goes on and South is to move.
//!
//! An opening is identified by its position: two move orders to one position would give the same
//! game twice. A pairing repeats an opening only after it has played all of them. Each pairing has
//! its own order, which derives from the secret and the names of its two entrants, so that one
//! entrant more or less changes no openings of the others; also, different openings for each
//! pairing give more information than one opening for many pairings. Everybody meets a yardstick
//! from the same openings, because their scores against it are compared. Or all pairings share one
//! order, for direct comparison.
//!
//! ```text
//! list    the openings of a file
//! random  all openings of a few plies, or drawn ones by number
//! ```

mod list;
mod random;

pub use list::{Opening, OpeningError, parse_openings};

use super::plan::{OpeningSharing, OpeningSource, Plan};
use super::schedule::Pair;
use super::secret::Secret;
use crate::rules::RuleSet;
use crate::tournament::plan::EntrantIndex;
use random::Shuffle;
use random::{DRAWN_NUMBERS, DRAWS_OF_NONE, DrawnOpenings, LISTED_PLIES, PATIENCE, all_openings};
use std::collections::{BTreeMap, HashSet};

/// The numbers in the list from which the pairs of a plan start.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpeningNumbers {
    /// The numbers of all pairings, if they are shared.
    shared: Option<Vec<u32>>,
    /// The numbers of each pairing, otherwise.
    own: BTreeMap<[EntrantIndex; 2], Vec<u32>>,
}

impl OpeningNumbers {
    /// The numbers for a list with this many different openings.
    pub fn of_list(plan: &Plan, count: u32) -> Self {
        let before = plan.opening_start.saturating_sub(1) as usize;
        // After the last opening come those before the first pair's.
        let from_start = |numbers: &dyn Fn() -> Box<dyn Iterator<Item = u32>>, pairs: usize| {
            let numbers = numbers().skip(before).chain(numbers().take(before));
            numbers.take(pairs).collect()
        };
        let in_order = |_: &[&str], pairs: usize| from_start(&|| Box::new(0..count), pairs);
        let shuffled = |names: &[&str], pairs: usize| {
            let key = order_key(plan, names);
            from_start(&|| Box::new(Shuffle::new(count, key)), pairs)
        };
        match (plan.sharing, &plan.openings) {
            (OpeningSharing::Shared, OpeningSource::Listed(_)) => Self::new(plan, in_order),
            _ => Self::new(plan, shuffled),
        }
    }

    /// `of` returns so many numbers for the pairing of two names, for everybody who meets the
    /// yardstick of one name, or shared ones without a name.
    fn new(plan: &Plan, mut of: impl FnMut(&[&str], usize) -> Vec<u32>) -> Self {
        if plan.sharing != OpeningSharing::Own {
            let pairs = plan.pairings().into_values().max().unwrap_or_default();
            let (shared, own) = (Some(of(&[], pairs as usize)), BTreeMap::new());
            return Self { shared, own };
        }
        let name = |entrant: EntrantIndex| plan.entrants[entrant.index()].name.as_str();
        let mut of_yardsticks: BTreeMap<EntrantIndex, Vec<u32>> = BTreeMap::new();
        let own = plan.pairings().into_iter().map(|(entrants, pairs)| {
            let pairs = pairs as usize;
            let numbers = if let Some(yardstick) = plan.yardstick_of(entrants) {
                let shared = of_yardsticks.entry(yardstick).or_default();
                if shared.len() < pairs {
                    *shared = of(&[name(yardstick)], pairs);
                }
                shared.iter().take(pairs).copied().collect()
            } else {
                let mut names = entrants.map(name);
                names.sort_unstable();
                of(&names, pairs)
            };
            (entrants, numbers)
        });
        Self {
            shared: None,
            own: own.collect(),
        }
    }

    fn of_pairing(&self, entrants: [EntrantIndex; 2]) -> &[u32] {
        let own = || self.own.get(&entrants);
        let numbers = self.shared.as_ref().or_else(own);
        numbers.expect("every pairing of the plan has openings")
    }

    /// The number of a pair's opening, from 1; after the last opening of a pairing its first
    /// follows.
    pub fn of_pair(&self, pair: &Pair) -> u32 {
        let numbers = self.of_pairing(pair.entrants);
        numbers[pair.round as usize % numbers.len()] + 1
    }

    fn all(&self) -> impl Iterator<Item = &Vec<u32>> {
        self.shared.iter().chain(self.own.values())
    }
}

/// The openings of a tournament: a list, and the opening of each pair.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Openings {
    /// The openings that are played, and that of examinations, by their number in the list.
    by_number: BTreeMap<u32, Opening>,
    numbers: OpeningNumbers,
    of_examinations: u32,
}

impl Openings {
    /// The openings of a plan; `None` if every line of play ends within an opening. A plan without
    /// a secret gets different openings than its run will have, of the same number and length.
    pub fn of(plan: &Plan) -> Option<Self> {
        match &plan.openings {
            OpeningSource::Listed(list) => Self::of_list(plan, list.clone()),
            OpeningSource::Random { plies } => {
                if *plies <= LISTED_PLIES {
                    Self::of_list(plan, all_openings(&plan.rules, *plies))
                } else {
                    Self::drawn(plan, *plies)
                }
            }
        }
    }

    fn of_list(plan: &Plan, list: Vec<Opening>) -> Option<Self> {
        if list.is_empty() {
            return None;
        }
        let count = u32::try_from(list.len()).unwrap_or(u32::MAX);
        let numbers = OpeningNumbers::of_list(plan, count);
        let of_examinations = Shuffle::new(count, order_key(plan, &[])).next()?;
        let mut wanted: HashSet<u32> = numbers.all().flatten().copied().collect();
        wanted.insert(of_examinations);
        let openings = (0..count).zip(list);
        let openings = openings.filter(|(number, _)| wanted.contains(number));
        Some(Self {
            by_number: openings.collect(),
            numbers,
            of_examinations,
        })
    }

    fn drawn(plan: &Plan, plies: u32) -> Option<Self> {
        let drawn = DrawnOpenings {
            rules: &plan.rules,
            plies,
            key: secret_of(plan).opening_key(plan.seed),
        };
        let mut openings = BTreeMap::new();
        let mut different = |names: &[&str], count: usize| {
            let (mut numbers, mut seen) = (Vec::new(), HashSet::new());
            let mut in_vain = 0;
            let mut order = Shuffle::new(DRAWN_NUMBERS, order_key(plan, names));
            while numbers.len() < count && in_vain < PATIENCE {
                let Some(number) = order.next() else {
                    break;
                };
                let opening = match openings.get(&number) {
                    Some(known) => Some(known).cloned(),
                    None => drawn.get(number),
                };
                in_vain += if opening.is_some() { 1 } else { DRAWS_OF_NONE };
                if let Some(opening) = opening
                    && seen.insert(opening.position)
                {
                    openings.insert(number, opening);
                    numbers.push(number);
                    in_vain = 0;
                }
            }
            numbers
        };
        let of_examinations = *different(&[], 1).first()?;
        let numbers = OpeningNumbers::new(plan, &mut different);
        Some(Self {
            by_number: openings,
            numbers,
            of_examinations,
        })
    }

    /// The largest number of pairs of a pairing for which there are fewer different openings, and
    /// the number of these; `None` if there are enough for all pairs of this plan.
    pub fn shortage(&self, plan: &Plan) -> Option<(u32, usize)> {
        let needed = plan.pairings().into_iter().map(|(entrants, pairs)| {
            let there = self.numbers.of_pairing(entrants).len();
            (pairs, there)
        });
        needed
            .filter(|(pairs, there)| there < &(*pairs as usize))
            .max()
    }

    /// The number (from 1) and the opening of a pair.
    pub fn of_pair(&self, pair: &Pair) -> (u32, &Opening) {
        self.numbered(self.numbers.of_pair(pair) - 1)
    }

    /// The number (from 1) and the opening of admission games.
    pub fn of_examinations(&self) -> (u32, &Opening) {
        self.numbered(self.of_examinations)
    }

    fn numbered(&self, number: u32) -> (u32, &Opening) {
        (number + 1, &self.by_number[&number])
    }
}

/// The openings of so many plies, each position once, in an order that the seed draws. They end when
/// no other position is found.
pub fn seeded_openings(
    rules: &RuleSet,
    plies: u32,
    seed: u64,
) -> Box<dyn Iterator<Item = Opening> + '_> {
    let secret = Secret::from_bytes([0; 32]);
    if plies <= LISTED_PLIES {
        let all = all_openings(rules, plies);
        let count = u32::try_from(all.len()).unwrap_or(u32::MAX);
        let order = Shuffle::new(count, secret.order_key(seed, &[]));
        return Box::new(order.map(move |number| all[number as usize].clone()));
    }
    let drawn = DrawnOpenings {
        rules,
        plies,
        key: secret.opening_key(seed),
    };
    let (mut seen, mut in_vain) = (HashSet::new(), 0);
    let openings = (0..DRAWN_NUMBERS).map_while(move |number| {
        let opening = drawn.get(number);
        in_vain += if opening.is_some() { 1 } else { DRAWS_OF_NONE };
        let new = opening.filter(|opening| seen.insert(opening.position));
        if new.is_some() {
            in_vain = 0;
        }
        (in_vain < PATIENCE).then_some(new)
    });
    Box::new(openings.flatten())
}

/// The key that shuffles the openings between entrants of these names; the shared order has no
/// names.
fn order_key(plan: &Plan, names: &[&str]) -> [u8; 32] {
    secret_of(plan).order_key(plan.seed, names)
}

/// A plan without a secret is only shown, never played: any secret serves.
fn secret_of(plan: &Plan) -> Secret {
    let placeholder = || Secret::from_bytes([0; 32]);
    plan.secret.clone().unwrap_or_else(placeholder)
}
