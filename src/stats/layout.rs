//! Which numbers a fit can choose, and their indices in vectors and matrices.
//!
//! Inside a group all ratings are free except for their mean, which no game determines: the block
//! is *tied*. A group with several anchors has a given scale: the anchors are held and the others
//! are free. An entrant alone in its group has nothing to fit.

use super::connectivity::Connectivity;

/// Up to this many ratings are fitted with dense matrices, whose inverse gives the errors of all
/// differences.
const MOST_DENSE: usize = 1500;

/// How systems of equations are solved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SolverKind {
    /// With every entry of the matrices.
    Dense,
    /// With the non-zero entries only: see [`super::sparse`].
    Sparse,
}

/// The free ratings of one group.
#[derive(Clone, Debug)]
pub struct Block {
    /// Entrants, by position, ascending.
    pub members: Vec<usize>,
    /// Whether only their differences matter.
    pub tied: bool,
    /// The index of the block's first rating in a vector of all free ratings.
    pub start: usize,
}

/// The free ratings of all groups.
#[derive(Clone, Debug)]
pub struct RatingLayout {
    /// One for each group with something to fit.
    pub blocks: Vec<Block>,
    /// The block of each entrant and its row there; `None` if its rating is not free.
    pub places: Vec<Option<(usize, usize)>>,
    /// Logits of the entrants that are held at a value.
    pub held: Vec<Option<f64>>,
    /// The number of ratings in blocks.
    pub size: usize,
    /// The kind of solver.
    pub way: SolverKind,
}

impl RatingLayout {
    /// `held` has the logits of entrants whose ratings are given, and `None` for all others. All
    /// held entrants are in one group.
    /// entrants are in one group.
    pub(super) fn new(connectivity: &Connectivity, held: Vec<Option<f64>>) -> Self {
        let mut layout = Self {
            blocks: Vec::new(),
            places: vec![None; held.len()],
            held,
            size: 0,
            way: SolverKind::Dense,
        };
        for group in connectivity.groups.iter().filter(|group| group.len() > 1) {
            let all = group.iter().map(|member| member.position());
            let members: Vec<usize> = all.filter(|&m| layout.held[m].is_none()).collect();
            if members.is_empty() {
                continue;
            }
            for (row, &member) in members.iter().enumerate() {
                layout.places[member] = Some((layout.blocks.len(), row));
            }
            let start = layout.size;
            layout.size += members.len();
            layout.blocks.push(Block {
                tied: members.len() == group.len(),
                members,
                start,
            });
        }
        if layout.size > MOST_DENSE {
            layout.way = SolverKind::Sparse;
        }
        layout
    }

    /// The same for another kind of solver.
    pub(super) fn by(mut self, way: SolverKind) -> Self {
        self.way = way;
        self
    }

    /// The number of free parameters without the advantage.
    pub(super) fn parameters(&self) -> usize {
        self.size - self.blocks.iter().filter(|block| block.tied).count()
    }

    /// The index of an entrant's rating in a vector of all free ratings.
    pub(super) fn index(&self, entrant: usize) -> Option<usize> {
        let (block, row) = self.places[entrant]?;
        Some(self.blocks[block].start + row)
    }

    /// The start of the iteration: all ratings equal, at the mean of those that are held.
    pub(super) fn start(&self) -> Vec<f64> {
        let (sum, count) = self
            .held
            .iter()
            .flatten()
            .fold((0.0, 0.0), |(sum, count), logits| {
                (sum + logits, count + 1.0)
            });
        let mean = if count > 0.0 { sum / count } else { 0.0 };
        let mut ratings = vec![0.0; self.held.len()];
        for block in self.blocks.iter().filter(|block| !block.tied) {
            for &member in &block.members {
                ratings[member] = mean;
            }
        }
        self.settle(&mut ratings);
        ratings
    }

    /// Sets the held ratings to their values, and the mean of every tied block to 0.
    pub(super) fn settle(&self, ratings: &mut [f64]) {
        for (rating, held) in ratings.iter_mut().zip(&self.held) {
            if let Some(held) = held {
                *rating = *held;
            }
        }
        for block in self.blocks.iter().filter(|block| block.tied) {
            let sum: f64 = block.members.iter().map(|&member| ratings[member]).sum();
            let mean = sum / block.members.len() as f64;
            for &member in &block.members {
                ratings[member] -= mean;
            }
        }
    }
}
