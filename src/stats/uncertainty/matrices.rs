//! The matrices behind all ratings and differences at once: what is measured of any of them.

use super::{Measured, Share, concentration};
use crate::stats::errors::{Bread, Covariance, Design, FreeRating, Surplus};
use std::collections::BTreeMap;

/// Products of entrants, entrants and cells beyond which what openings make of a difference is put
/// together from what they make of the two ratings.
const MOST_EXACT: f64 = 1e9;

/// What all ratings and differences are made of.
#[derive(Clone, Debug, PartialEq)]
pub struct Matrices {
    /// By the sandwich or the bootstrap, before any factor.
    scatter: Covariance,
    /// What the fit hides of the model's covariance.
    unseen: Covariance,
    /// The inverse of the information matrix.
    inverse: Covariance,
    /// The covariance of each free rating with the advantage.
    with_advantage: Vec<f64>,
    /// What was played from openings, those alike taken together.
    designs: Vec<Design>,
    /// What came of it, by kind of cluster.
    surpluses: Vec<Surplus>,
    /// Of every entrant.
    places: Vec<FreeRating>,
    /// Where each block begins in a vector of all free ratings.
    starts: Vec<usize>,
    /// Of every rating, where there are too many differences to look at each: the share, and the
    /// concentration.
    ratings: Option<Vec<(Share, f64)>>,
}

impl Matrices {
    /// From a fit's information, the designs of its openings, what came of them, and their scatter.
    pub fn new(
        bread: &Bread<'_>,
        designs: Vec<Design>,
        surpluses: Vec<Surplus>,
        scatter: Covariance,
    ) -> Self {
        let layout = bread.layout();
        let mut known = Self {
            unseen: bread.unseen(&designs),
            inverse: bread.inverse(),
            with_advantage: bread.factors.with_advantage(),
            scatter,
            places: layout.places.clone(),
            starts: layout.blocks.iter().map(|block| block.start).collect(),
            designs,
            surpluses,
            ratings: None,
        };
        let designs = known.designs.iter().map(|design| design.cells.len());
        let surpluses = known.surpluses.iter().map(|it| it.cells.len());
        let cells = designs.chain(surpluses).sum::<usize>();
        if (layout.size * layout.size) as f64 * cells as f64 > MOST_EXACT {
            let share =
                |entrant| known.share(&known.row(entrant, None), known.border(entrant, None));
            let shares: Vec<Share> = (0..known.places.len()).map(share).collect();
            let concentrations = known.concentrations();
            known.ratings = Some(shares.into_iter().zip(concentrations).collect());
        }
        known
    }

    /// What is measured of `upper − lower`; without `lower`, of `upper` against the mean of its
    /// group.
    pub fn of(&self, upper: usize, lower: Option<usize>) -> Measured {
        let of = |covariance: &Covariance| self.variance(covariance, upper, lower);
        let (share, concentration) = match (&self.ratings, lower) {
            (Some(ratings), None) => ratings[upper],
            (Some(ratings), Some(lower)) => self.put_together(upper, lower, ratings),
            (None, _) => {
                let (row, border) = (self.row(upper, lower), self.border(upper, lower));
                (self.share(&row, border), self.concentration(&row, border))
            }
        };
        Measured {
            scatter: of(&self.scatter),
            unseen: of(&self.unseen),
            share,
            concentration,
        }
    }

    /// The model's variance of a number, square logits.
    pub fn by_model(&self, upper: usize, lower: Option<usize>) -> f64 {
        self.variance(&self.inverse, upper, lower)
    }

    fn variance(&self, covariance: &Covariance, upper: usize, lower: Option<usize>) -> f64 {
        match lower {
            Some(lower) => covariance.of_difference(&self.places, upper, lower),
            None => covariance.of_rating(&self.places, upper),
        }
    }

    /// What is measured of the advantage.
    pub fn of_advantage(&self) -> Measured {
        let mut row = vec![0.0; self.places.len()];
        for (value, place) in row.iter_mut().zip(&self.places) {
            if let Some(index) = self.index(*place) {
                *value = self.with_advantage[index];
            }
        }
        Measured {
            scatter: self.scatter.advantage,
            unseen: self.unseen.advantage,
            share: self.share(&row, self.inverse.advantage),
            concentration: self.concentration(&row, self.inverse.advantage),
        }
    }

    fn put_together(&self, upper: usize, lower: usize, ratings: &[(Share, f64)]) -> (Share, f64) {
        let [(one, of_one), (other, of_other)] = [ratings[upper], ratings[lower]];
        let sum = self.inverse.of_difference(&self.places, upper, lower);
        let both = one.sum + other.sum;
        // Between two that are held.
        if both <= 0.0 {
            return (Share::default(), 0.0);
        }
        let share = Share {
            sum,
            squares: (one.squares + other.squares) * (sum / both).powi(2),
        };
        let [one, other] = [upper, lower].map(|it| self.variance(&self.scatter, it, None));
        let fourths = of_one * one * one + of_other * other * other;
        (share, concentration(one + other, fourths))
    }

    /// `a` for a number, of each entrant.
    fn row(&self, upper: usize, lower: Option<usize>) -> Vec<f64> {
        let difference = |other: usize| {
            let below = lower.map_or(0.0, |lower| self.covariance(lower, other));
            self.covariance(upper, other) - below
        };
        (0..self.places.len()).map(difference).collect()
    }

    /// `a` for a number, of the advantage.
    fn border(&self, upper: usize, lower: Option<usize>) -> f64 {
        let of = |entrant: usize| {
            let index = self.index(self.places[entrant]);
            index.map_or(0.0, |index| self.with_advantage[index])
        };
        of(upper) - lower.map_or(0.0, of)
    }

    fn index(&self, place: FreeRating) -> Option<usize> {
        place.map(|(block, row)| self.starts[block] + row)
    }

    /// The model's covariance of two ratings, square logits; 0 for what is not free.
    pub fn covariance(&self, one: usize, other: usize) -> f64 {
        let (Some((block, row)), Some((other_block, column))) =
            (self.places[one], self.places[other])
        else {
            return 0.0;
        };
        if block == other_block {
            return self.inverse.blocks[block].at(row, column);
        }
        if self.inverse.advantage == 0.0 {
            return 0.0;
        }
        let border = |block: usize, row: usize| self.with_advantage[self.starts[block] + row];
        border(block, row) * border(other_block, column) / self.inverse.advantage
    }

    fn share(&self, row: &[f64], border: f64) -> Share {
        let mut share = Share {
            sum: 0.0,
            squares: 0.0,
        };
        for design in &self.designs {
            let cells = design.cells.iter();
            let one: f64 = cells
                .map(|cell| {
                    let moved = row[cell.south] - row[cell.north] + border;
                    cell.information * moved * moved
                })
                .sum();
            share.sum += design.count * one;
            share.squares += design.count * one * one;
        }
        share
    }
    /// The same as [`Matrices::concentration`] of every rating, by what each opening moves all of
    /// them.
    fn concentrations(&self) -> Vec<f64> {
        let count = self.places.len();
        let borders: Vec<f64> = (0..count).map(|it| self.border(it, None)).collect();
        let mut sums = vec![(0.0, 0.0); count];
        for surplus in &self.surpluses {
            let mut scores: BTreeMap<usize, f64> = BTreeMap::new();
            let mut advantage = 0.0;
            for cell in &surplus.cells {
                *scores.entry(cell.south).or_default() += cell.points;
                *scores.entry(cell.north).or_default() -= cell.points;
                advantage += cell.points;
            }
            for (entrant, (squares, fourths)) in sums.iter_mut().enumerate() {
                let of = |(&other, score): (&usize, &f64)| score * self.covariance(entrant, other);
                let moved = scores.iter().map(of).sum::<f64>() + borders[entrant] * advantage;
                *squares += surplus.count * moved.powi(2);
                *fourths += surplus.count * moved.powi(4);
            }
        }
        sums.into_iter()
            .map(|(squares, fourths)| concentration(squares, fourths))
            .collect()
    }

    /// `Σ s⁴ / (Σ s²)²` of what each opening moved a number by.
    fn concentration(&self, row: &[f64], border: f64) -> f64 {
        let (mut squares, mut fourths) = (0.0, 0.0);
        for surplus in &self.surpluses {
            let cells = surplus.cells.iter();
            let moved: f64 = cells
                .map(|cell| cell.points * (row[cell.south] - row[cell.north] + border))
                .sum();
            let square = moved * moved;
            squares += surplus.count * square;
            fourths += surplus.count * square * square;
        }
        concentration(squares, fourths)
    }
}
