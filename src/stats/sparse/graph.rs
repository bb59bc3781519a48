//! The information of games as a graph: ratings are its nodes, games its links.
//!
//! A link of weight w between two ratings adds w to the information of both and takes it from what
//! they share; a game against somebody who is held adds to one rating alone, its *excess*. So the
//! matrix is known by its links and excesses, and no sum of it ever loses digits.

/// Sums of weighted squares of `e_south − e_north`.
#[derive(Clone, Debug)]
pub struct Graph {
    links: Vec<(u32, u32, f64)>,
    excess: Vec<f64>,
}

/// The links of every node, ascending by the other end, each with its weight.
pub type GraphRows = Vec<Vec<(u32, f64)>>;

impl Graph {
    /// No games of this many ratings yet.
    pub fn none(size: usize) -> Self {
        Self {
            links: Vec::new(),
            excess: vec![0.0; size],
        }
    }

    /// Adds a game between two ratings; one that is not free is `None`.
    pub fn add(&mut self, one: Option<usize>, other: Option<usize>, weight: f64) {
        match (one, other) {
            (Some(one), Some(other)) => self.links.push((number(one), number(other), weight)),
            (Some(alone), None) | (None, Some(alone)) => self.excess[alone] += weight,
            (None, None) => {}
        }
    }

    /// The largest entry on the diagonal of the matrix.
    pub fn largest_diagonal(&self) -> f64 {
        let mut diagonal = self.excess.clone();
        for &(one, other, weight) in &self.links {
            diagonal[one as usize] += weight;
            diagonal[other as usize] += weight;
        }
        diagonal.into_iter().fold(0.0, f64::max)
    }

    /// The links of every node, those between the same two added up, and its excess with a ridge.
    pub fn rows(&self, ridge: f64) -> (GraphRows, Vec<f64>) {
        let mut rows: GraphRows = vec![Vec::new(); self.excess.len()];
        for &(one, other, weight) in &self.links {
            rows[one as usize].push((other, weight));
            rows[other as usize].push((one, weight));
        }
        for row in &mut rows {
            // A stable sort: sums are made in the order of the games' cells.
            row.sort_by_key(|&(other, _)| other);
            row.dedup_by(|later, first| {
                let same = later.0 == first.0;
                if same {
                    first.1 += later.1;
                }
                same
            });
            row.shrink_to_fit();
        }
        let excess = self.excess.iter().map(|excess| excess + ridge);
        (rows, excess.collect())
    }
}

/// A position in 32 bits.
pub fn number(position: usize) -> u32 {
    u32::try_from(position).expect("a tally numbers its entrants with 32 bits")
}
