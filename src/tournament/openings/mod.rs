//! The openings that pairs start from: random legal ones, drawn with the secret of the run, or a
//! list. Every opening leaves South to move in a game that goes on.
//!
//! An opening *is* its position: two ways to one position would be the same game twice. A pairing
//! plays none a second time until it has played all. Each has an order of its own, which the secret
//! and the names of its two entrants give, so that an entrant more or less changes nobody else's
//! openings; what many pairings play from one opening says less than what each plays from its own.
//! Or all share one order, for direct comparison.
//!
//! ```text
//! list    the openings of a file
//! random  all openings of a few plies, or drawn ones by number
//! order   a shuffle by a key
//! older   how openings were drawn up to format 3 of the journal
//! ```

mod list;
mod older;
pub mod opening;
mod order;
mod random;

pub use list::{OpeningError, parse_openings};

use super::plan::{OpeningSharing, OpeningSource, Plan};
use super::schedule::Pair;
use super::secret::Secret;
use crate::tournament::entrant::EntrantIndex;
use crate::tournament::openings::opening::Opening;
use crate::tournament::plan::pairings;
use older::openings_of_format_3;
use order::Shuffle;
use random::{DRAWN_NUMBERS, DrawnOpenings, LISTED_PLIES, PATIENCE, all_openings};
use std::collections::{BTreeMap, HashSet};

/// Which numbers of a list the pairs of a plan start from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpeningNumbers {
    /// For everybody, if they are shared.
    shared: Option<Vec<u32>>,
    /// Of each pairing, if it has its own.
    own: BTreeMap<[EntrantIndex; 2], Vec<u32>>,
}

impl OpeningNumbers {
    /// The numbers of a list of so many openings, all different.
    pub fn of_list(plan: &Plan, count: u32) -> Self {
        let in_order = |_: &[&str]| (0..count).take(plan.pairs as usize).collect();
        let shuffled = |names: &[&str]| {
            let numbers = Shuffle::new(count, order_key(plan, names));
            numbers.take(plan.pairs as usize).collect()
        };
        match (plan.sharing, &plan.openings) {
            (OpeningSharing::OfFormat3, _) | (OpeningSharing::Shared, OpeningSource::Listed(_)) => {
                Self::new(plan, in_order)
            }
            _ => Self::new(plan, shuffled),
        }
    }

    /// `of` gives the numbers of the pairing of two names, or of everybody without names.
    fn new(plan: &Plan, mut of: impl FnMut(&[&str]) -> Vec<u32>) -> Self {
        if plan.sharing != OpeningSharing::Own {
            let (shared, own) = (Some(of(&[])), BTreeMap::new());
            return Self { shared, own };
        }
        let own = pairings(plan).into_iter().map(|entrants| {
            let mut names = entrants.map(|entrant| plan.entrants[entrant.index()].name.as_str());
            names.sort_unstable();
            (entrants, of(&names))
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

    /// The number of a pair's opening, from 1; after a pairing's last its first comes again.
    pub fn of_pair(&self, pair: &Pair) -> u32 {
        let numbers = self.of_pairing(pair.entrants);
        numbers[pair.round as usize % numbers.len()] + 1
    }

    fn all(&self) -> impl Iterator<Item = &Vec<u32>> {
        self.shared.iter().chain(self.own.values())
    }
}

/// The openings of a tournament: a list, and which of it each pair starts from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Openings {
    /// Those that are played, and that of examinations, by their number in the list.
    by_number: BTreeMap<u32, Opening>,
    numbers: OpeningNumbers,
    of_examinations: u32,
}

impl Openings {
    /// The openings of a plan; `None` if there are none, since every line of play ends within them.
    /// Of a plan that has no secret yet they are as many and as long as those that will be played,
    /// but others.
    pub fn of(plan: &Plan) -> Option<Self> {
        match &plan.openings {
            OpeningSource::Listed(list) => Self::of_list(plan, list.clone()),
            OpeningSource::Random { plies } => {
                if plan.sharing == OpeningSharing::OfFormat3 {
                    let (secret, count) = (plan.secret.as_ref(), plan.pairs as usize);
                    let drawn_with = (secret, plan.seed);
                    let list = openings_of_format_3(&plan.rules, *plies, count, drawn_with);
                    Self::of_list(plan, list)
                } else if *plies <= LISTED_PLIES {
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
        let of_examinations = match plan.sharing {
            OpeningSharing::OfFormat3 => 0,
            _ => Shuffle::new(count, order_key(plan, &[])).next()?,
        };
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
                in_vain += 1;
                let Some(number) = order.next() else {
                    break;
                };
                let opening = match openings.get(&number) {
                    Some(known) => Some(known).cloned(),
                    None => drawn.get(number),
                };
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
        let numbers = OpeningNumbers::new(plan, |names| different(names, plan.pairs as usize));
        Some(Self {
            by_number: openings,
            numbers,
            of_examinations,
        })
    }

    /// How many different openings there are for each pairing: as many as it has pairs, or all.
    pub fn for_each_pairing(&self) -> usize {
        self.numbers.all().map(Vec::len).min().unwrap_or(0)
    }

    /// Number (from 1) and opening of a pair of the plan.
    pub fn of_pair(&self, pair: &Pair) -> (u32, &Opening) {
        self.numbered(self.numbers.of_pair(pair) - 1)
    }

    /// Number (from 1) and opening of the games that entrants play to be admitted.
    pub fn of_examinations(&self) -> (u32, &Opening) {
        self.numbered(self.of_examinations)
    }

    fn numbered(&self, number: u32) -> (u32, &Opening) {
        (number + 1, &self.by_number[&number])
    }
}

/// What the order of the openings between entrants of these names is shuffled with; the order that
/// everybody shares has no names.
fn order_key(plan: &Plan, names: &[&str]) -> [u8; 32] {
    secret_of(plan).order_key(plan.seed, names)
}

/// A plan without a secret cannot be played: with any secret it is shown what it amounts to.
fn secret_of(plan: &Plan) -> Secret {
    let placeholder = || Secret::from_bytes([0; 32]);
    plan.secret.clone().unwrap_or_else(placeholder)
}
