//! Which entrants can be compared with each other.
//!
//! * A **component** is a set of entrants linked by games. Different components have no common
//!   scale: no game compares them.
//! * A **group** is a set of entrants. Each took a point (a win or a draw) from each other one,
//!   directly or through a chain: a group is a strongly connected component of the graph "took a
//!   point from". Inside a group all differences have finite estimates. Between groups of one
//!   component the same side won every game, and a difference has only a one-sided bound (L. R.
//!   Ford 1957). An entrant with 100 % or 0 %, or with such a score once such entrants are removed,
//!   is a group by itself.

use std::collections::BTreeSet;

use petgraph::algo::kosaraju_scc;
use petgraph::graph::DiGraph;
use petgraph::unionfind::UnionFind;

use super::tally::{Cell, Tally};
use crate::stats::game::RatedEntrant;

/// A set of groups of one component, as bits.
type Reach = Vec<u64>;

/// Components and groups of a tally. Both are numbered by their first entrant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Connectivity {
    /// The component of each entrant.
    pub component_of: Vec<usize>,
    /// The members of each component, ascending.
    pub components: Vec<Vec<RatedEntrant>>,
    /// The group of each entrant.
    pub group_of: Vec<usize>,
    /// The members of each group, ascending.
    pub groups: Vec<Vec<RatedEntrant>>,
    /// For each group, the groups that it beat in every game against them (at least one).
    pub beaten_by: Vec<BTreeSet<usize>>,
    /// The groups that a chain of such victories leads down to.
    below: Vec<Reach>,
    /// The index of each group among those of its component.
    place_in_component: Vec<usize>,
    /// The component of each group.
    component_of_group: Vec<usize>,
    /// All groups, each after every group below it.
    lowest_first: Vec<usize>,
}

impl Connectivity {
    /// Analyses a tally. Linear in its cells, but for the order of the groups, which costs one bit
    /// for every two groups of a component.
    pub fn of(tally: &Tally) -> Self {
        let cells: Vec<Cell> = tally.cells().collect();
        Self::of_cells(tally.entrants(), &cells, &[])
    }

    /// Analyses cells. The differences between the entrants of `fixed` are given: these entrants
    /// are in one component and one group.
    pub(super) fn of_cells(entrants: u32, cells: &[Cell], fixed: &[RatedEntrant]) -> Self {
        let entrants = entrants as usize;
        let (component_of, components) = weak_components(entrants, cells, fixed);
        let graph = took_a_point(entrants, cells, fixed);
        // Kosaraju's algorithm rather than Tarjan's: petgraph's Tarjan recurses, and a long chain
        // of entrants would exhaust the stack. Both give losers before winners.
        let strong = kosaraju_scc(&graph);
        let mut owner = vec![0; entrants];
        for (label, members) in strong.iter().enumerate() {
            for node in members {
                owner[node.index()] = label;
            }
        }
        let (group_of, groups) = number_by_first(&owner);
        let lowest_first: Vec<usize> = strong
            .iter()
            .map(|members| group_of[members[0].index()])
            .collect();

        let mut beaten_by = vec![BTreeSet::new(); groups.len()];
        for edge in graph.raw_edges() {
            let winner = group_of[edge.source().index()];
            let loser = group_of[edge.target().index()];
            if winner != loser {
                beaten_by[winner].insert(loser);
            }
        }
        let component_of_group: Vec<usize> = groups
            .iter()
            .map(|members| component_of[members[0].position()])
            .collect();
        let mut sizes = vec![0_usize; components.len()];
        let mut place_in_component = Vec::with_capacity(groups.len());
        for &component in &component_of_group {
            place_in_component.push(sizes[component]);
            sizes[component] += 1;
        }
        let mut below: Vec<Reach> = vec![Vec::new(); groups.len()];
        for &group in &lowest_first {
            let mut reach = vec![0_u64; sizes[component_of_group[group]].div_ceil(64)];
            for &loser in &beaten_by[group] {
                let place = place_in_component[loser];
                reach[place / 64] |= 1 << (place % 64);
                for (mine, theirs) in reach.iter_mut().zip(&below[loser]) {
                    *mine |= theirs;
                }
            }
            below[group] = reach;
        }
        Self {
            component_of,
            components,
            group_of,
            groups,
            beaten_by,
            below,
            place_in_component,
            component_of_group,
            lowest_first,
        }
    }

    /// Whether a chain of one-sided results leads from `upper` down to `lower`; false for a group
    /// and itself.
    pub fn is_above(&self, upper: usize, lower: usize) -> bool {
        let place = self.place_in_component[lower];
        self.component_of_group[upper] == self.component_of_group[lower]
            && self.below[upper][place / 64] >> (place % 64) & 1 == 1
    }

    /// All groups, each after every group below it.
    pub fn lowest_first(&self) -> &[usize] {
        &self.lowest_first
    }

    /// The groups of one component, ascending.
    pub fn groups_of_component(&self, component: usize) -> BTreeSet<usize> {
        self.components[component]
            .iter()
            .map(|entrant| self.group_of[entrant.position()])
            .collect()
    }
}

/// The graph "took a point from".
fn took_a_point(entrants: usize, cells: &[Cell], fixed: &[RatedEntrant]) -> DiGraph<(), ()> {
    let mut graph: DiGraph<(), ()> = DiGraph::with_capacity(entrants, 2 * cells.len());
    let nodes: Vec<_> = (0..entrants).map(|_| graph.add_node(())).collect();
    for cell in cells {
        let (south, north) = (nodes[cell.south.position()], nodes[cell.north.position()]);
        if cell.south_wins + cell.draws > 0 {
            graph.add_edge(south, north, ());
        }
        if cell.north_wins + cell.draws > 0 {
            graph.add_edge(north, south, ());
        }
    }
    for two in fixed.windows(2) {
        let (one, other) = (nodes[two[0].position()], nodes[two[1].position()]);
        graph.add_edge(one, other, ());
        graph.add_edge(other, one, ());
    }
    graph
}

/// Entrants linked by games, whatever their results.
fn weak_components(
    entrants: usize,
    cells: &[Cell],
    fixed: &[RatedEntrant],
) -> (Vec<usize>, Vec<Vec<RatedEntrant>>) {
    let mut links: UnionFind<usize> = UnionFind::new(entrants);
    for cell in cells {
        links.union(cell.south.position(), cell.north.position());
    }
    for two in fixed.windows(2) {
        links.union(two[0].position(), two[1].position());
    }
    number_by_first(&links.into_labeling())
}

/// Renumbers labels (each below the number of entrants) as 0, 1, … in the order of the first
/// entrant with each label.
fn number_by_first(labels: &[usize]) -> (Vec<usize>, Vec<Vec<RatedEntrant>>) {
    let mut numbers = vec![None; labels.len()];
    let mut members: Vec<Vec<RatedEntrant>> = Vec::new();
    let mut number_of = Vec::with_capacity(labels.len());
    for (position, &label) in labels.iter().enumerate() {
        let number = *numbers[label].get_or_insert_with(|| {
            members.push(Vec::new());
            members.len() - 1
        });
        members[number].push(RatedEntrant::at(position));
        number_of.push(number);
    }
    (number_of, members)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::game::{Outcome, RatedGame};

    fn analyse(entrants: u32, games: &[(u32, u32, Outcome)]) -> Connectivity {
        let games = games.iter().map(|&(south, north, outcome)| RatedGame {
            south: RatedEntrant(south),
            north: RatedEntrant(north),
            outcome,
            opening: None,
            pair: None,
            content: None,
        });
        Connectivity::of(&Tally::from_games(entrants, games).expect("legal games"))
    }

    #[test]
    fn no_entrants_and_no_games() {
        assert!(analyse(0, &[]).components.is_empty());
        let idle = analyse(3, &[]);
        assert_eq!(idle.component_of, [0, 1, 2]);
        assert_eq!(idle.group_of, [0, 1, 2]);
    }

    #[test]
    fn a_draw_links_both_ways_and_a_win_one_way() {
        let drawn = analyse(2, &[(0, 1, Outcome::Draw)]);
        assert_eq!(drawn.group_of, [0, 0]);
        let won = analyse(2, &[(0, 1, Outcome::NorthWins)]);
        assert_eq!(won.component_of, [0, 0]);
        assert_eq!(won.group_of, [0, 1]);
        assert!(won.is_above(1, 0) && !won.is_above(0, 1) && !won.is_above(0, 0));
    }

    #[test]
    fn a_cycle_is_a_group_and_a_chain_an_order() {
        use Outcome::{NorthWins, SouthWins};
        // 0 → 1 → 2 → 0 is a cycle; 3 beat 0; 2 beat 4; 5 and 6 are elsewhere.
        let mixed = analyse(
            7,
            &[
                (0, 1, SouthWins),
                (2, 1, NorthWins),
                (2, 0, SouthWins),
                (3, 0, SouthWins),
                (4, 2, NorthWins),
                (6, 5, SouthWins),
            ],
        );
        assert_eq!(mixed.component_of, [0, 0, 0, 0, 0, 1, 1]);
        assert_eq!(mixed.group_of, [0, 0, 0, 1, 2, 3, 4]);
        assert!(mixed.is_above(1, 2), "3 is above 4 by way of the cycle");
        assert!(!mixed.is_above(2, 1) && !mixed.is_above(3, 4) && mixed.is_above(4, 3));
        let place = |group| mixed.lowest_first().iter().position(|&g| g == group);
        assert!(place(2) < place(0) && place(0) < place(1) && place(3) < place(4));
        assert_eq!(mixed.groups_of_component(0), BTreeSet::from([0, 1, 2]));
    }

    #[test]
    fn a_chain_of_thousands_does_not_exhaust_the_stack() {
        let games: Vec<_> = (0..1999).map(|i| (i, i + 1, Outcome::SouthWins)).collect();
        let chain = analyse(2000, &games);
        assert_eq!(chain.components.len(), 1);
        assert!(chain.is_above(0, 1999));
    }
}
