//! Which numbers a fit can choose, and their indices in vectors and matrices.
//!
//! Inside a group all ratings are free except for their mean, which no game determines: the block
//! is *tied*. A group with several anchors has a given scale: the anchors are held and the others
//! are free. An entrant alone in its group has nothing to fit. The first-move advantage, if it is
//! estimated, stands behind all ratings.

use std::ops::Range;

use super::connectivity::Connectivity;

/// The free ratings of one group.
#[derive(Clone, Debug)]
pub struct Block {
    /// Entrants, by position, ascending.
    pub members: Vec<usize>,
    /// Whether only their differences matter.
    pub tied: bool,
    /// The index of the block's first rating.
    start: usize,
}

impl Block {
    /// The indices of its ratings.
    pub fn range(&self) -> Range<usize> {
        self.start..self.start + self.members.len()
    }
}

/// The free ratings of all groups.
#[derive(Clone, Debug)]
pub struct RatingLayout {
    /// One for each group with something to fit.
    pub blocks: Vec<Block>,
    /// The index of each entrant's rating; `None` if it is not free.
    pub indices: Vec<Option<usize>>,
    /// Logits of the entrants that are held at a value.
    pub held: Vec<Option<f64>>,
    /// The number of free ratings, and so the index of the advantage.
    pub size: usize,
}

impl RatingLayout {
    /// `held` has the logits of entrants whose ratings are given, and `None` for all others. All
    /// held entrants are in one group.
    pub fn new(connectivity: &Connectivity, held: Vec<Option<f64>>) -> Self {
        let mut layout = Self {
            blocks: Vec::new(),
            indices: vec![None; held.len()],
            held,
            size: 0,
        };
        for group in connectivity.groups.iter().filter(|group| group.len() > 1) {
            let all = group.iter().map(|member| member.position());
            let members: Vec<usize> = all.filter(|&m| layout.held[m].is_none()).collect();
            if members.is_empty() {
                continue;
            }
            let start = layout.size;
            for (index, &member) in (start..).zip(&members) {
                layout.indices[member] = Some(index);
            }
            layout.size += members.len();
            layout.blocks.push(Block {
                tied: members.len() == group.len(),
                members,
                start,
            });
        }
        layout
    }

    /// The number of free parameters without the advantage.
    pub fn parameters(&self) -> usize {
        self.size - self.blocks.iter().filter(|block| block.tied).count()
    }

    /// The non-zero entries of `e_south − e_north + e_advantage`: how South's lead depends on the
    /// free numbers.
    pub fn lead_entries(
        &self,
        south: usize,
        north: usize,
        advantage_is_free: bool,
    ) -> impl Iterator<Item = (usize, f64)> + Clone {
        let entry = |index: Option<usize>, sign| index.map(|index| (index, sign));
        let advantage = advantage_is_free.then_some(self.size);
        [
            entry(self.indices[south], 1.0),
            entry(self.indices[north], -1.0),
            entry(advantage, 1.0),
        ]
        .into_iter()
        .flatten()
    }

    /// The start of the iteration: all ratings equal, at the mean of those that are held.
    pub fn start(&self) -> Vec<f64> {
        let held: Vec<f64> = self.held.iter().flatten().copied().collect();
        let mean = held.iter().sum::<f64>() / held.len().max(1) as f64;
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
    pub fn settle(&self, ratings: &mut [f64]) {
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
