//! The openings of journals up to format 3: one list for all pairings, with as many openings as a
//! pairing has pairs. Only verification uses this.

use super::random::{LISTED_PLIES, PATIENCE, all_openings, below, draw_one};
use crate::rules::RuleSet;
use crate::tournament::openings::opening::Opening;
use crate::tournament::secret::Secret;
use rand_chacha::{ChaCha8Rng, ChaCha20Rng};
use rand_core::{Rng, SeedableRng as _};
use std::collections::BTreeSet;

/// Up to `count` different openings of `plies` plies. In formats 1 and 2 the seed alone determined
/// them, and a bot could compute it.
pub fn openings_of_format_3(
    rules: &RuleSet,
    plies: u32,
    count: usize,
    (secret, seed): (Option<&Secret>, u64),
) -> Vec<Opening> {
    match secret {
        Some(secret) => {
            let mut random = ChaCha20Rng::from_seed(secret.opening_key(seed));
            openings_by(rules, plies, count, &mut random)
        }
        None => openings_by(rules, plies, count, &mut ChaCha8Rng::seed_from_u64(seed)),
    }
}

fn openings_by(rules: &RuleSet, plies: u32, count: usize, random: &mut impl Rng) -> Vec<Opening> {
    if plies <= LISTED_PLIES {
        let mut all = all_openings(rules, plies);
        shuffle(&mut all, random);
        all.truncate(count);
        return all;
    }
    draw(rules, plies, count, random)
}

fn draw(rules: &RuleSet, plies: u32, count: usize, random: &mut impl Rng) -> Vec<Opening> {
    let (mut seen, mut drawn) = (BTreeSet::new(), Vec::new());
    let mut in_vain = 0;
    while drawn.len() < count && in_vain < PATIENCE {
        in_vain += 1;
        if let Some(opening) = draw_one(rules, plies, random)
            && seen.insert(opening.position.to_string())
        {
            drawn.push(opening);
            in_vain = 0;
        }
    }
    drawn
}

/// The Fisher–Yates shuffle.
fn shuffle(list: &mut [Opening], random: &mut impl Rng) {
    for last in (1..list.len()).rev() {
        if let Some(chosen) = below(random, last + 1) {
            list.swap(last, chosen);
        }
    }
}
