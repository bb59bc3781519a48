//! Can the first-move advantage be told from strength, and does it have a finite estimate?
//!
//! Inside groups (see `connectivity`) the likelihood of the ratings alone always has a maximum. With
//! the advantage as one more unknown it lacks one exactly if a direction (v, a) with a = +1 or −1
//! exists along which no game becomes less likely: `v_south − v_north + a` is ≥ 0 for every game
//! that South won, ≤ 0 for every game that North won, 0 for every draw (A. Albert and
//! J. A. Anderson 1984). For fixed a these are difference constraints, which can be met exactly if
//! the graph of them has no negative cycle (Bellman and Ford). If both signs can be met their sum is
//! a direction with a = 0, of which inside groups only the trivial one exists: then the likelihood
//! is flat and the advantage cannot be told from strength.

use super::tally::Cell;

/// What the games inside groups say of the first-move advantage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Separation {
    /// It has one finite estimate.
    Finite,
    /// Ratings can stand in for it in every game: it cannot be estimated.
    Inseparable,
    /// The larger it is, the likelier the games.
    UnboundedAbove,
    /// The smaller it is, the likelier the games.
    UnboundedBelow,
}

/// Classifies the games of cells inside groups.
pub(super) fn separate(cells: &[Cell], entrants: usize) -> Separation {
    match (can_grow(cells, entrants, 1), can_grow(cells, entrants, -1)) {
        (false, false) => Separation::Finite,
        (true, true) => Separation::Inseparable,
        (true, false) => Separation::UnboundedAbove,
        (false, true) => Separation::UnboundedBelow,
    }
}

/// Whether ratings `v` exist with which an advantage moving by `sign` makes no game less likely.
fn can_grow(cells: &[Cell], entrants: usize, sign: i64) -> bool {
    // (from, to, weight) stands for v_to ≤ v_from + weight.
    let mut constraints: Vec<(usize, usize, i64)> = Vec::with_capacity(2 * cells.len());
    for cell in cells {
        let (south, north) = (cell.south.position(), cell.north.position());
        if cell.south_wins + cell.draws > 0 {
            constraints.push((south, north, sign));
        }
        if cell.north_wins + cell.draws > 0 {
            constraints.push((north, south, -sign));
        }
    }
    if has_negative_two_cycle(&constraints) {
        return false;
    }
    let lowest = -i64::try_from(entrants).expect("fewer entrants than 2^63");
    let mut potential = vec![0_i64; entrants];
    loop {
        let mut changed = false;
        for &(from, to, weight) in &constraints {
            if potential[from] + weight < potential[to] {
                potential[to] = potential[from] + weight;
                // A path without a repeated entrant cannot fall below minus its length.
                if potential[to] <= lowest {
                    return false;
                }
                changed = true;
            }
        }
        if !changed {
            return true;
        }
    }
}

/// The usual case, found without search: two entrants that both did on one side what speaks against
/// this sign of the advantage.
fn has_negative_two_cycle(constraints: &[(usize, usize, i64)]) -> bool {
    let negative: std::collections::BTreeSet<(usize, usize)> = constraints
        .iter()
        .filter(|&&(_, _, weight)| weight < 0)
        .map(|&(from, to, _)| (from, to))
        .collect();
    negative
        .iter()
        .any(|&(from, to)| negative.contains(&(to, from)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::tally::EntrantIndex;

    fn classify(entrants: usize, cells: &[(u32, u32, u64, u64, u64)]) -> Separation {
        let cells: Vec<Cell> = cells
            .iter()
            .map(|&(south, north, south_wins, draws, north_wins)| Cell {
                south: EntrantIndex(south),
                north: EntrantIndex(north),
                south_wins,
                draws,
                north_wins,
            })
            .collect();
        separate(&cells, entrants)
    }

    #[test]
    fn table_of_cases() {
        use Separation::{Finite, Inseparable, UnboundedAbove, UnboundedBelow};
        type Row = (
            &'static str,
            usize,
            &'static [(u32, u32, u64, u64, u64)],
            Separation,
        );
        let rows: &[Row] = &[
            ("no game", 2, &[], Inseparable),
            ("one side always", 2, &[(0, 1, 3, 1, 2)], Inseparable),
            (
                "a chain of one-sided pairings",
                3,
                &[(0, 1, 1, 0, 1), (1, 2, 1, 0, 1)],
                Inseparable,
            ),
            (
                "both sides, mixed",
                2,
                &[(0, 1, 2, 0, 1), (1, 0, 2, 0, 1)],
                Finite,
            ),
            (
                "a draw on each side",
                2,
                &[(0, 1, 0, 1, 0), (1, 0, 0, 1, 0)],
                Finite,
            ),
            (
                "South always wins",
                2,
                &[(0, 1, 4, 0, 0), (1, 0, 1, 0, 0)],
                UnboundedAbove,
            ),
            (
                "North always wins",
                2,
                &[(0, 1, 0, 0, 4), (1, 0, 0, 0, 1)],
                UnboundedBelow,
            ),
            (
                "South, one draw",
                2,
                &[(0, 1, 4, 1, 0), (1, 0, 3, 0, 0)],
                UnboundedAbove,
            ),
            (
                "South, a draw on each side",
                2,
                &[(0, 1, 4, 1, 0), (1, 0, 3, 1, 0)],
                Finite,
            ),
            // Round a cycle of three the advantage does not cancel.
            (
                "drawn cycle",
                3,
                &[(0, 1, 0, 1, 0), (1, 2, 0, 1, 0), (2, 0, 0, 1, 0)],
                Finite,
            ),
            (
                "won cycle",
                3,
                &[(0, 1, 1, 0, 0), (1, 2, 1, 0, 0), (2, 0, 1, 0, 0)],
                UnboundedAbove,
            ),
            (
                "lost cycle",
                3,
                &[(0, 1, 0, 0, 1), (1, 2, 0, 0, 1), (2, 0, 0, 0, 1)],
                UnboundedBelow,
            ),
        ];
        for (name, entrants, cells, expected) in rows {
            assert_eq!(classify(*entrants, cells), *expected, "{name}");
        }
    }
}
