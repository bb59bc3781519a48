//! What the games of each opening make of a number's vector: `H_c a`.

use super::played::{Cluster, ClusterGames, Kept};
use super::solver::{CLOSE, Lanes};
use crate::stats::sparse::measuring::Measuring;

/// Parts that are solved for at a time.
pub const LANES: usize = 8;

/// One cluster's part of `Ha`.
#[derive(Clone, Debug)]
pub struct ClusterPart<'a> {
    cluster: &'a Cluster,
    pub pairings: Vec<Change>,
    /// `q_c`
    pub sum: f64,
}

/// `H_k a` of the games of a pairing k in a cluster.
#[derive(Clone, Copy, Debug)]
pub struct Change {
    pub low: u32,
    pub high: u32,
    /// What the rating of `low` gets and that of `high` loses.
    pub ratings: f64,
    pub advantage: f64,
    /// `aᵀH_k a`
    pub sum: f64,
}

impl Change {
    /// Whether the owner of a rating plays in it.
    pub fn is_of(&self, owner: usize) -> bool {
        self.low as usize == owner || self.high as usize == owner
    }
}

impl<'a> ClusterPart<'a> {
    /// How many clusters are alike.
    pub fn count(&self) -> f64 {
        self.cluster.count
    }

    /// By cluster, from the pairings that matter to the number of a lane.
    pub fn all<const L: usize>(
        played: &'a ClusterGames,
        kept: &[Kept],
        ratings: &[Lanes<L>],
        advantage: f64,
        lane: usize,
    ) -> Vec<Self> {
        let same = |one: &Kept, other: &Kept| one.cluster == other.cluster;
        let part = |kept: &[Kept]| {
            let pairings = kept.iter().map(|it| {
                let it = &played.pairings[it.pairing as usize];
                let difference = ratings[it.low as usize][lane] - ratings[it.high as usize][lane];
                let (ratings, of_advantage) = it.times(difference, advantage);
                Change {
                    low: it.low,
                    high: it.high,
                    ratings,
                    advantage: of_advantage,
                    sum: it.adds(difference, advantage),
                }
            });
            let pairings: Vec<Change> = pairings.collect();
            Self {
                cluster: &played.clusters[kept[0].cluster as usize],
                sum: pairings.iter().map(|it| it.sum).sum(),
                pairings,
            }
        };
        kept.chunk_by(same).map(part).collect()
    }
}

/// `aᵀH_c H⁺ H_c a` of at most [`LANES`] parts.
pub fn energies(what: &Measuring<'_>, parts: &[(usize, &ClusterPart<'_>)]) -> Lanes<LANES> {
    let size = what.layout.size;
    let mut ratings = vec![[0.0; LANES]; size + 1];
    let mut advantage = [0.0; LANES];
    for (lane, (_, part)) in parts.iter().enumerate() {
        for it in &part.pairings {
            ratings[it.low as usize][lane] += it.ratings;
            ratings[it.high as usize][lane] -= it.ratings;
            advantage[lane] += it.advantage;
        }
    }
    let right = advantage;
    what.factors
        .solve_lanes(&mut ratings[..size], &mut advantage, CLOSE);
    // A held rating does not move.
    ratings[size] = [0.0; LANES];
    let mut energies = [0.0; LANES];
    for (lane, (_, part)) in parts.iter().enumerate() {
        energies[lane] = right[lane] * advantage[lane];
        for it in &part.pairings {
            let at = |index: u32| ratings[index as usize][lane];
            energies[lane] += it.ratings * (at(it.low) - at(it.high));
        }
    }
    energies
}
