//! The order of the entrants in the table.
//!
//! ```text
//! pool   entrants that a chain of games links: ranks hold inside it, and start again in the next
//! rank   1 + the number of entrants of the pool that stand before; equals share a rank
//! ```
//!
//! Higher Elo comes first, with one exception. Between groups (see [`crate::stats::connectivity`])
//! one side won every game, and an Elo with `>` or `<` is only a bound; after two wins it can be
//! below the opponents' Elo. The games do determine the order of groups, and no bound reverses it:
//! an entrant that won everything is ranked before those it beat, and one that lost everything is
//! ranked behind.

use crate::stats::rating::BoundDirection;
use crate::stats::ratings::{Rating, Ratings};
use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap};

use super::text::rounded_tenths;

/// The place of an entrant that has games.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// Index in the order of the plan.
    pub entrant: usize,
    /// The rank from 1, inside the pool.
    pub rank: usize,
    /// The pool from 1, in the order of the first entrant of each.
    pub pool: usize,
}

/// What decides between entrants: tenths of an Elo, as in the tables, then the bound.
type ComparedStrength = (i64, i8);

/// The places of all entrants with games: by pool, then rank, then the order of the plan.
pub fn places(ratings: &Ratings) -> Vec<Place> {
    let mut pools: Vec<&[_]> = ratings
        .connectivity
        .components
        .iter()
        .map(Vec::as_slice)
        // No entrant plays against itself, so an entrant with a game is not alone.
        .filter(|members| members.len() > 1)
        .collect();
    pools.sort_by_key(|members| members.first().copied());
    let mut places = Vec::with_capacity(ratings.ratings.len());
    for (members, pool) in pools.into_iter().zip(1..) {
        let order = strongest_first(ratings, members.iter().map(|entrant| entrant.position()));
        let ranks = shared_ranks(ratings, &order);
        places.extend(order.into_iter().zip(ranks).map(|(entrant, rank)| Place {
            entrant,
            rank,
            pool,
        }));
    }
    places
}

/// Repeatedly takes the strongest entrant whose superiors are all placed.
fn strongest_first(ratings: &Ratings, members: impl Iterator<Item = usize>) -> Vec<usize> {
    let connectivity = &ratings.connectivity;
    let groups: BTreeSet<usize> = members
        .map(|member| connectivity.group_of[member])
        .collect();
    let mut superiors = vec![0_usize; connectivity.groups.len()];
    let mut waiting = vec![0_usize; connectivity.groups.len()];
    for &group in &groups {
        waiting[group] = connectivity.groups[group].len();
        for &loser in &connectivity.beaten_by[group] {
            superiors[loser] += 1;
        }
    }
    let mut free = BinaryHeap::new();
    let release = |group: usize, free: &mut BinaryHeap<(ComparedStrength, Reverse<usize>)>| {
        for member in &connectivity.groups[group] {
            let member = member.position();
            free.push((strength(&ratings.ratings[member]), Reverse(member)));
        }
    };
    for &group in groups.iter().filter(|&&group| superiors[group] == 0) {
        release(group, &mut free);
    }
    let mut order = Vec::new();
    while let Some((_, Reverse(member))) = free.pop() {
        order.push(member);
        let group = connectivity.group_of[member];
        waiting[group] -= 1;
        if waiting[group] > 0 {
            continue;
        }
        for &loser in &connectivity.beaten_by[group] {
            superiors[loser] -= 1;
            if superiors[loser] == 0 {
                release(loser, &mut free);
            }
        }
    }
    order
}

/// Competition ranking (1, 2, 2, 4) of an order.
fn shared_ranks(ratings: &Ratings, order: &[usize]) -> Vec<usize> {
    let mut ranks = Vec::with_capacity(order.len());
    // The beginning of the run of equals that ends at the current entrant.
    let mut start = 0;
    for (position, &entrant) in order.iter().enumerate() {
        let is_equal = |&earlier: &usize| {
            let [earlier, entrant] = [earlier, entrant].map(|index| &ratings.ratings[index]);
            strength(earlier) == strength(entrant)
                && !ratings.connectivity.is_above(earlier.group, entrant.group)
        };
        if !order[start..position].iter().all(is_equal) {
            start = position;
        }
        ranks.push(start + 1);
    }
    ranks
}

fn strength(rating: &Rating) -> ComparedStrength {
    let bound = match rating.bound {
        Some(BoundDirection::AtLeast) => 1,
        None => 0,
        Some(BoundDirection::AtMost) => -1,
    };
    (rounded_tenths(rating.elo), bound)
}
