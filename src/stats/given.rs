//! What is known before a fit: the scale that anchors give, and how much of each pairing is news.

use std::collections::BTreeMap;

use super::clusters::pairing;
use super::elo::ELO_PER_LOGIT;
use super::tally::{Cell, EntrantIndex, Tally};

/// What is known before a fit.
#[derive(Clone, Debug)]
pub(super) struct Given {
    /// Number of entrants.
    pub(super) entrants: u32,
    /// The anchors, if there are several: the differences between them are known.
    pub(super) fixed: Vec<EntrantIndex>,
    /// Logits of each entrant in `fixed`.
    pub(super) held: Vec<Option<f64>>,
    /// Different games divided by games, of each pairing in which they are not equal.
    shares: BTreeMap<(EntrantIndex, EntrantIndex), f64>,
}

impl Given {
    /// `anchors` in Elo. An anchor that is no entrant of the tally is none.
    pub(super) fn new(tally: &Tally, anchors: &BTreeMap<EntrantIndex, f64>) -> Self {
        let known = anchors.range(..EntrantIndex(tally.entrants()));
        let fixed: Vec<EntrantIndex> = known.map(|(&anchor, _)| anchor).collect();
        let fixed = if fixed.len() > 1 { fixed } else { Vec::new() };
        let mut held = vec![None; tally.entrants() as usize];
        for anchor in &fixed {
            held[anchor.position()] = Some(anchors[anchor] / ELO_PER_LOGIT);
        }
        let mut games: BTreeMap<_, u64> = BTreeMap::new();
        if !tally.duplicates().is_empty() {
            for cell in tally.cells() {
                *games.entry(pairing(cell.south, cell.north)).or_default() += cell.games();
            }
        }
        let shares = tally.duplicates().iter().map(|(&key, &duplicates)| {
            let games = games[&key];
            (key, (games - duplicates) as f64 / games as f64)
        });
        Self {
            entrants: tally.entrants(),
            fixed,
            held,
            shares: shares.collect(),
        }
    }

    /// Different games divided by games between two entrants, by position: 1 without duplicates.
    pub(super) fn share(&self, south: usize, north: usize) -> f64 {
        if self.shares.is_empty() {
            return 1.0;
        }
        let key = pairing(EntrantIndex::at(south), EntrantIndex::at(north));
        self.shares.get(&key).copied().unwrap_or(1.0)
    }

    /// The games of a cell that were not played before.
    pub(super) fn distinct_games(&self, cell: &Cell) -> f64 {
        cell.games() as f64 * self.share(cell.south.position(), cell.north.position())
    }
}
