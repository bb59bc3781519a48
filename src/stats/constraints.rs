//! What is known before a fit: the scale that anchors give, and how much games of one opening tell.

use std::collections::BTreeMap;

use super::clusters::{ClusterKind, SeatedResult};
use super::elo::ELO_PER_LOGIT;
use super::tally::Tally;
use crate::stats::game::RatedEntrant;

/// As evidence of strength an opening counts for no more than one pair, no matter which entrants
/// played it: what bots of one kind do from a position is much the same. A pair is two games, for
/// what the position does to South it does once to each of the two.
pub const OF_STRENGTH: f64 = 2.0;
/// As evidence of the first-move advantage it counts for no more than one game: what it does to
/// South it does in all of them.
pub const OF_ADVANTAGE: f64 = 1.0;

/// What is known before a fit.
#[derive(Clone, Debug)]
pub struct Constraints {
    /// Number of entrants.
    pub entrants: u32,
    /// The anchors, if there are several: the differences between them are known.
    pub fixed: Vec<RatedEntrant>,
    /// Logits of each entrant in `fixed`.
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

/// What a game counts for that is one of this many of its opening, if an opening counts for no more
/// than `most` games.
pub fn weight(games_of_opening: u64, most: f64) -> f64 {
    (most / games_of_opening as f64).min(1.0)
}

/// What the games between each South and North count for, by set of games: those of one set and one
/// opening share a weight of at most `most`. `set` says which a game belongs to, if any.
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
