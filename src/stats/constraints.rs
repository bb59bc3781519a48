//! What is given before a fit: the scale of the anchors, and the weight of the games of one
//! opening.

use std::collections::BTreeMap;

use super::clusters::{ClusterKind, SeatedResult};
use super::elo::ELO_PER_LOGIT;
use super::tally::Tally;
use crate::stats::game::RatedEntrant;

/// As evidence of strength an opening counts for no more than one pair, whichever entrants played
/// it, because similar bots play similarly from a position. A pair has two games: the advantage
/// that the position gives South goes once to each of the two.
pub const OF_STRENGTH: f64 = 2.0;
/// As evidence of the first-move advantage an opening counts for no more than one game: it favours
/// South in all of them.
pub const OF_ADVANTAGE: f64 = 1.0;

/// The numbers that are given before a fit.
#[derive(Clone, Debug)]
pub struct Constraints {
    /// Number of entrants.
    pub entrants: u32,
    /// The anchors, if there are several: the differences between them are given.
    pub fixed: Vec<RatedEntrant>,
    /// The given logits of each entrant in `fixed`.
    pub held: Vec<Option<f64>>,
}

impl Constraints {
    /// `anchors` in Elo. An anchor that is not an entrant of the tally is ignored.
    pub fn new(tally: &Tally, anchors: &BTreeMap<RatedEntrant, f64>) -> Self {
        let known = anchors.range(..RatedEntrant(tally.entrants()));
        let fixed: Vec<RatedEntrant> = known.map(|(&anchor, _)| anchor).collect();
        let fixed = if fixed.len() > 1 { fixed } else { Vec::new() };
        let mut held = vec![None; tally.entrants() as usize];
        for anchor in &fixed {
            held[anchor.position()] = Some(anchors[anchor] / ELO_PER_LOGIT);
        }
        Self {
            entrants: tally.entrants(),
            fixed,
            held,
        }
    }
}

/// The weight of one of this many games of an opening, if an opening counts for no more than `most`
/// games.
pub fn weight(games_of_opening: u64, most: f64) -> f64 {
    (most / games_of_opening as f64).min(1.0)
}

/// The weights of the games between each South and North, by set of games: games of one set and one
/// opening share a weight of at most `most`. `set` returns the set of a game, if it has one.
pub fn evidence<Set: Ord>(
    kinds: &[ClusterKind],
    most: f64,
    set: impl Fn(&SeatedResult) -> Option<Set>,
) -> BTreeMap<Set, BTreeMap<(RatedEntrant, RatedEntrant), f64>> {
    let mut evidence: BTreeMap<Set, BTreeMap<_, f64>> = BTreeMap::new();
    for kind in kinds {
        let mut sets: BTreeMap<Set, Vec<&(SeatedResult, u64)>> = BTreeMap::new();
        for entry in &kind.results {
            if let Some(set) = set(&entry.0) {
                sets.entry(set).or_default().push(entry);
            }
        }
        for (set, entries) in sets {
            let all = entries.iter().map(|(_, games)| games).sum();
            let cells = evidence.entry(set).or_default();
            for (result, games) in entries {
                let counted = (kind.distinct * games) as f64 * weight(all, most);
                *cells.entry((result.south, result.north)).or_default() += counted;
            }
        }
    }
    evidence
}
