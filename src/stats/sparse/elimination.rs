//! Takes out of a graph what is cheap to take out, one node after the other.
//!
//! Taking out a node links all its neighbours with each other (Gauss's elimination). Of a
//! chain, a ladder or newcomers with few opponents nothing is left at the end, and a system of
//! equations is solved. A graph of random pairings becomes dense instead: there it is better to
//! stop soon and to leave the rest, the *core*, to a method of many small steps. So nodes are taken
//! out by their number of neighbours, the least first, and of all places to stop the one is chosen
//! with the least work for a solution.

use std::collections::BTreeSet;

use super::graph::{Graph, GraphRows, number};

/// A node costs a step in the core as much as this many entries of the matrix.
const ENTRIES_OF_NODE: usize = 8;
/// Entries that may be moved in search of the best place to stop.
const MOST_WORK: usize = 100_000_000;

/// What was taken out, in its order, and what is left.
#[derive(Debug)]
pub struct Elimination {
    pub steps: Vec<EliminatedNode>,
    /// Neighbours at the time, each with its weight over the node's pivot.
    pub shares: Vec<(u32, f64)>,
    pub rows: GraphRows,
    pub excess: Vec<f64>,
    /// Nodes that are left, ascending.
    pub core: Vec<u32>,
}

/// One node that was taken out.
#[derive(Clone, Copy, Debug)]
pub struct EliminatedNode {
    pub node: u32,
    /// Where its shares end; they begin where those of the step before end.
    pub end: usize,
    /// One over its diagonal entry; 0 for the last node of a tied block, which is put at 0.
    pub inverse: f64,
}

/// A graph from which nodes are being taken.
struct EliminationGraph {
    found: Elimination,
    /// By number of neighbours.
    queue: BTreeSet<(usize, u32)>,
    /// Entries off the diagonal that are left.
    entries: usize,
    work: usize,
}

impl Elimination {
    /// `steps_in_core`: how many steps a solution takes in the core, more or less.
    pub fn new(graph: &Graph, ridge: f64, steps_in_core: usize) -> Self {
        let mut search = EliminationGraph::new(graph, ridge);
        let (mut best, mut least) = (0, search.cost(steps_in_core));
        while search.step() {
            let cost = search.cost(steps_in_core);
            if cost <= least {
                (best, least) = (search.found.steps.len(), cost);
            } else if cost > 3 * least || search.work > MOST_WORK {
                break;
            }
        }
        if best < search.found.steps.len() {
            search = EliminationGraph::new(graph, ridge);
            while search.found.steps.len() < best {
                search.step();
            }
        }
        let mut core: Vec<u32> = search.queue.iter().map(|&(_, node)| node).collect();
        core.sort_unstable();
        search.found.core = core;
        search.found
    }
}

impl EliminationGraph {
    fn new(graph: &Graph, ridge: f64) -> Self {
        let (rows, excess) = graph.rows(ridge);
        let nodes = rows.iter().enumerate();
        Self {
            queue: nodes.map(|(node, row)| (row.len(), number(node))).collect(),
            entries: rows.iter().map(Vec::len).sum(),
            work: 0,
            found: Elimination {
                steps: Vec::new(),
                shares: Vec::new(),
                rows,
                excess,
                core: Vec::new(),
            },
        }
    }

    /// The work of a solution if the rest were the core.
    fn cost(&self, steps_in_core: usize) -> usize {
        let core = self.entries + ENTRIES_OF_NODE * self.queue.len();
        2 * self.found.shares.len() + steps_in_core * core
    }

    /// Takes out one node; says whether there was one.
    fn step(&mut self) -> bool {
        let Some((_, node)) = self.queue.pop_first() else {
            return false;
        };
        let row = std::mem::take(&mut self.found.rows[node as usize]);
        let excess = self.found.excess[node as usize];
        let weights: f64 = row.iter().map(|&(_, weight)| weight).sum();
        let pivot = weights + excess;
        let inverse = if pivot == 0.0 { 0.0 } else { 1.0 / pivot };
        self.entries -= 2 * row.len();
        for &(other, weight) in &row {
            self.join(node, other, weight, &row, inverse);
            self.found.excess[other as usize] += weight * inverse * excess;
            self.found.shares.push((other, weight * inverse));
        }
        self.found.steps.push(EliminatedNode {
            node,
            end: self.found.shares.len(),
            inverse,
        });
        true
    }

    /// Links a neighbour of a node that is taken out with all its other neighbours.
    fn join(&mut self, node: u32, other: u32, weight: f64, row: &[(u32, f64)], inverse: f64) {
        let known = std::mem::take(&mut self.found.rows[other as usize]);
        self.work += known.len() + row.len();
        self.queue.remove(&(known.len(), other));
        let mut joined = Vec::with_capacity(known.len() + row.len());
        let mut known_links = known.iter().filter(|link| link.0 != node).peekable();
        for &(third, second) in row.iter().filter(|link| link.0 != other) {
            while let Some(link) = known_links.next_if(|link| link.0 < third) {
                joined.push(*link);
            }
            // The same number whichever of the two is looked at first.
            let new = weight * second * inverse;
            let old = known_links.next_if(|link| link.0 == third);
            joined.push((third, old.map_or(0.0, |link| link.1) + new));
        }
        joined.extend(known_links);
        // The link to the node itself is counted with the node.
        self.entries = self.entries + joined.len() + 1 - known.len();
        self.queue.insert((joined.len(), other));
        self.found.rows[other as usize] = joined;
    }
}
