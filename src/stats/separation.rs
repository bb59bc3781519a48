//! Can the first-move advantage be told from strength, and does it have a finite estimate?
//!
//! Inside groups (see `connectivity`) the likelihood of the ratings alone always has a maximum.
//! With the advantage as one more unknown it lacks one exactly if a direction (v, a) with a = +1 or
//! −1 exists along which no game becomes less likely: `v_south − v_north + a` is ≥ 0 for every game
//! that South won, ≤ 0 for every game that North won, 0 for every draw (A. Albert and J. A.
//! Anderson 1984). For fixed a these are difference constraints, which can be met exactly if the
//! graph of them has no negative cycle (Bellman and Ford). If both signs can be met, their sum is a
//! direction with a = 0, and inside groups only the trivial one exists: then the likelihood is
//! flat, and the advantage cannot be told from strength.
//!
//! If one sign can be met, the likelihood grows towards that infinity, along the direction, to that
//! of the cells which no such direction makes likelier: those whose constraints lie on a cycle of
//! constraints that leave no room.

use super::connectivity::Connectivity;
use super::tally::Cell;
use crate::stats::game::RatedEntrant;

/// What the games inside groups say of the first-move advantage.
#[derive(Clone, Debug, PartialEq)]
pub enum Separation {
    /// It has one finite estimate.
    Finite,
    /// Ratings can stand in for it in every game: it cannot be estimated.
    Inseparable,
    /// The larger it is, the likelier the games.
    UnboundedAbove(Escape),
    /// The smaller it is, the likelier the games.
    UnboundedBelow(Escape),
}

/// How the likelihood grows with an advantage that has no finite estimate.
#[derive(Clone, Debug, PartialEq)]
pub struct Escape {
    /// By how much each rating moves for each logit that the advantage moves towards infinity.
    pub direction: Vec<f64>,
    /// The games that do not become certain on the way.
    pub uncertain: Vec<Cell>,
}

/// Classifies the games of cells inside groups. The differences between the entrants of `fixed` are
/// given: they cannot stand in for the advantage.
pub fn separate(cells: &[Cell], entrants: u32, fixed: &[RatedEntrant]) -> Separation {
    let escape = |sign| escape(cells, entrants, fixed, sign);
    match (escape(1), escape(-1)) {
        (None, None) => Separation::Finite,
        (Some(_), Some(_)) => Separation::Inseparable,
        (Some(above), None) => Separation::UnboundedAbove(above),
        (None, Some(below)) => Separation::UnboundedBelow(below),
    }
}

/// Ratings with which an advantage moving by `sign` makes no game less likely, if there are any.
fn escape(cells: &[Cell], entrants: u32, fixed: &[RatedEntrant], sign: i64) -> Option<Escape> {
    let potential = potentials(&constraints(cells, fixed, sign), entrants)?;
    // A cell without room in this direction has room in another, unless a cycle of such cells,
    // each followed from a winner to a loser, holds it fast.
    let tight = |cell: &&Cell| {
        sign + potential[cell.south.position()] - potential[cell.north.position()] == 0
    };
    let tight: Vec<Cell> = cells.iter().filter(tight).copied().collect();
    let cycles = Connectivity::of_cells(entrants, &tight, fixed).group_of;
    let held = |cell: &Cell| cycles[cell.south.position()] == cycles[cell.north.position()];
    Some(Escape {
        direction: potential.iter().map(|&units| units as f64).collect(),
        uncertain: tight.into_iter().filter(held).collect(),
    })
}

/// (from, to, weight) stands for `v_to ≤ v_from + weight`.
type Constraint = (usize, usize, i64);

fn constraints(cells: &[Cell], fixed: &[RatedEntrant], sign: i64) -> Vec<Constraint> {
    let mut constraints = Vec::with_capacity(2 * cells.len());
    for cell in cells {
        let (south, north) = (cell.south.position(), cell.north.position());
        if cell.south_wins + cell.draws > 0 {
            constraints.push((south, north, sign));
        }
        if cell.north_wins + cell.draws > 0 {
            constraints.push((north, south, -sign));
        }
    }
    for two in fixed.windows(2) {
        let (one, other) = (two[0].position(), two[1].position());
        constraints.extend([(one, other, 0), (other, one, 0)]);
    }
    constraints
}

/// A solution of the difference constraints, after Bellman and Ford.
fn potentials(constraints: &[Constraint], entrants: u32) -> Option<Vec<i64>> {
    const NONE: usize = usize::MAX;
    if has_negative_two_cycle(constraints) {
        return None;
    }
    let mut potential = vec![0_i64; entrants as usize];
    // The constraint that put each where it is: a cycle of these is a negative cycle.
    let mut put_by = vec![NONE; entrants as usize];
    loop {
        let mut changed = false;
        for &(from, to, weight) in constraints {
            if potential[from] + weight < potential[to] {
                potential[to] = potential[from] + weight;
                put_by[to] = from;
                changed = true;
            }
        }
        if !changed {
            return Some(potential);
        }
        if has_cycle(&put_by) {
            return None;
        }
    }
}

/// Whether following these arrows (to positions in the list, or out of it) ever leads in a circle.
fn has_cycle(next: &[usize]) -> bool {
    // Each position is given the number of the walk that came there first.
    let mut walk_of = vec![0_usize; next.len()];
    (0..next.len()).any(|start| {
        let walk = start + 1;
        let mut place = start;
        while place < next.len() && walk_of[place] == 0 {
            walk_of[place] = walk;
            place = next[place];
        }
        place < next.len() && walk_of[place] == walk
    })
}

/// The usual case, found without search: two entrants that both did on one side what speaks against
/// this sign of the advantage.
fn has_negative_two_cycle(constraints: &[Constraint]) -> bool {
    let mut negative: Vec<(usize, usize)> = constraints
        .iter()
        .filter(|&&(_, _, weight)| weight < 0)
        .map(|&(from, to, _)| (from, to))
        .collect();
    negative.sort_unstable();
    let mut both_ways = negative.iter().map(|&(from, to)| (to, from));
    both_ways.any(|reversed| negative.binary_search(&reversed).is_ok())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::game::RatedEntrant;

    /// South, North, games South won, drawn, North won.
    type Row = (u32, u32, u64, u64, u64);

    fn classify(entrants: u32, rows: &[Row]) -> Separation {
        let cells: Vec<Cell> = rows
            .iter()
            .map(|&(south, north, south_wins, draws, north_wins)| Cell {
                south: RatedEntrant(south),
                north: RatedEntrant(north),
                south_wins,
                draws,
                north_wins,
                weight: 1.0,
            })
            .collect();
        separate(&cells, entrants, &[])
    }

    #[test]
    fn finite() {
        let cases: [(u32, &[Row]); 4] = [
            (2, &[(0, 1, 2, 0, 1), (1, 0, 2, 0, 1)]),
            (2, &[(0, 1, 0, 1, 0), (1, 0, 0, 1, 0)]),
            (2, &[(0, 1, 4, 1, 0), (1, 0, 3, 1, 0)]),
            // Round a cycle of three the advantage does not cancel.
            (3, &[(0, 1, 0, 1, 0), (1, 2, 0, 1, 0), (2, 0, 0, 1, 0)]),
        ];
        for (entrants, rows) in cases {
            assert_eq!(classify(entrants, rows), Separation::Finite, "{rows:?}");
        }
    }

    #[test]
    fn inseparable() {
        let cases: [(u32, &[Row]); 4] = [
            (2, &[]),
            (2, &[(0, 1, 3, 1, 2)]),
            (3, &[(0, 1, 1, 0, 1), (1, 2, 1, 0, 1)]),
            (
                4,
                &[
                    (0, 1, 1, 0, 1),
                    (0, 2, 0, 1, 0),
                    (3, 2, 5, 0, 1),
                    (3, 1, 0, 1, 0),
                ],
            ),
        ];
        for (entrants, rows) in cases {
            assert_eq!(
                classify(entrants, rows),
                Separation::Inseparable,
                "{rows:?}"
            );
        }
    }

    #[test]
    fn unbounded_and_what_stays_uncertain() {
        // With the cells as they are, and with sides swapped; the cells that stay uncertain.
        type Case = (u32, &'static [Row], &'static [(u32, u32)]);
        let cases: [Case; 4] = [
            (2, &[(0, 1, 4, 0, 0), (1, 0, 1, 0, 0)], &[]),
            (3, &[(0, 1, 1, 0, 0), (1, 2, 1, 0, 0), (2, 0, 1, 0, 0)], &[]),
            // The draw ties the ratings to the advantage; the four wins hang on that difference.
            (2, &[(0, 1, 4, 1, 0), (1, 0, 3, 0, 0)], &[(0, 1)]),
            (
                3,
                &[
                    (0, 1, 4, 1, 0),
                    (1, 0, 3, 0, 0),
                    (2, 1, 1, 0, 0),
                    (1, 2, 1, 0, 0),
                ],
                &[(0, 1)],
            ),
        ];
        for (entrants, rows, uncertain) in cases {
            let Separation::UnboundedAbove(above) = classify(entrants, rows) else {
                panic!("{rows:?} grow upwards")
            };
            let left: Vec<_> = above
                .uncertain
                .iter()
                .map(|c| (c.south.0, c.north.0))
                .collect();
            assert_eq!(left, uncertain, "{rows:?}");
            let swapped: Vec<Row> = rows
                .iter()
                .map(|&(s, n, a, b, c)| (n, s, c, b, a))
                .collect();
            let Separation::UnboundedBelow(below) = classify(entrants, &swapped) else {
                panic!("{swapped:?} grow downwards")
            };
            let left: Vec<_> = below
                .uncertain
                .iter()
                .map(|c| (c.north.0, c.south.0))
                .collect();
            assert_eq!(left, uncertain, "{swapped:?}");
        }
    }
}
