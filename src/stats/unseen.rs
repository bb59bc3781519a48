//! What a fit hides: of the model's covariance, the part that no residual shows.
//!
//! An opening with a few games is taken cell by cell, one with more cells than numbers are fitted
//! by matrices: a class that shares its openings has all its pairings in each.

use std::cell::OnceCell;

use super::errors::{Bread, ClusterScore, Covariance, Design, DesignCell, Scatter};
use super::matrix::Symmetric;

/// With more cells than this many to a fitted number, matrices are faster.
const CELLS_TO_A_NUMBER: usize = 2;

impl Bread<'_> {
    /// What the fit hides of the model's covariance, `H⁺ (Σ H_c H⁺ H_c) H⁺` with the information
    /// `H_c` of each opening: residuals vary less than errors by that.
    pub fn unseen(&self, designs: &[Design]) -> Covariance {
        let inverse = self.inverse();
        let mut scatter = Scatter::none(self.layout());
        let full = OnceCell::new();
        for design in designs {
            if design.cells.len() > CELLS_TO_A_NUMBER * self.layout().size {
                let full = full.get_or_init(|| self.full(&inverse));
                self.add_whole(&mut scatter, design, full);
            } else {
                self.add_cells(&mut scatter, design, &inverse);
            }
        }
        self.sandwich_of(&scatter)
    }

    /// Each cell with each other one.
    fn add_cells(&self, scatter: &mut Scatter, design: &Design, inverse: &Covariance) {
        let scores: Vec<ClusterScore> = design.cells.iter().map(|cell| self.unit(cell)).collect();
        let moves: Vec<f64> = scores.iter().map(|it| self.on_advantage(it)).collect();
        for (one, cell) in design.cells.iter().enumerate() {
            for (other, second) in design.cells.iter().enumerate() {
                let weight = cell.information * second.information;
                let leverage = self.leverage(inverse, [&scores[one], &scores[other]]);
                let moves = [moves[one], moves[other]];
                let scores = [&scores[one], &scores[other]];
                scatter.add_product(scores, moves, design.count * weight * leverage);
            }
        }
    }

    /// The same by matrices of all free numbers, the advantage last.
    fn add_whole(&self, scatter: &mut Scatter, design: &Design, full: &Symmetric) {
        let size = self.layout().size;
        let mut information = Symmetric::zero(size + 1);
        for cell in &design.cells {
            let score = self.unit(cell);
            let ratings = score
                .entries
                .iter()
                .map(|&(index, _, value)| (index, value));
            let values: Vec<(usize, f64)> = ratings.chain([(size, score.advantage)]).collect();
            for (place, &(row, value)) in values.iter().enumerate() {
                for &(column, other) in &values[..=place] {
                    information.add(row, column, cell.information * value * other);
                }
            }
        }
        let mut hidden = information.around(full);
        hidden.scale(design.count);
        let pivot = self.factors.pivot.unwrap_or(f64::INFINITY);
        let lean = self.factors.lean.iter().map(|lean| -lean / pivot);
        let moves: Vec<f64> = lean.chain([1.0 / pivot]).collect();
        let with_advantage = hidden.times(&moves);
        for (block, sum) in self.layout().blocks.iter().zip(&mut scatter.blocks) {
            for row in 0..sum.size() {
                for column in 0..=row {
                    sum.add(
                        row,
                        column,
                        hidden.at(block.start + row, block.start + column),
                    );
                }
            }
        }
        for (sum, value) in scatter.with_advantage.iter_mut().zip(&with_advantage) {
            *sum += value;
        }
        let products = moves.iter().zip(&with_advantage);
        scatter.advantage += products.map(|(one, other)| one * other).sum::<f64>();
    }

    /// The inverse of the information of all free numbers, the advantage last.
    fn full(&self, inverse: &Covariance) -> Symmetric {
        let size = self.layout().size;
        let mut full = Symmetric::zero(size + 1);
        let border = self.factors.with_advantage();
        let pivot = self.factors.pivot.unwrap_or(0.0);
        let block_of = |index: usize| {
            let blocks = self.layout().blocks.iter();
            blocks.take_while(|block| block.start <= index).count() - 1
        };
        for row in 0..size {
            let (block, start) = (block_of(row), self.layout().blocks[block_of(row)].start);
            for column in 0..=row {
                let value = if column >= start {
                    inverse.blocks[block].at(row - start, column - start)
                } else {
                    border[row] * border[column] * pivot
                };
                full.add(row, column, value);
            }
            full.add(size, row, border[row]);
        }
        full.add(size, size, inverse.advantage);
        full
    }

    /// The score of a game whose result is one point above what was expected.
    fn unit(&self, cell: &DesignCell) -> ClusterScore {
        let mut score = ClusterScore::default();
        score.add(self.layout(), cell.south, cell.north, 1.0);
        score
    }

    /// `x H⁺ y` of two games.
    fn leverage(&self, inverse: &Covariance, [one, other]: [&ClusterScore; 2]) -> f64 {
        let pivot = self.factors.pivot;
        let lean = |score: &ClusterScore| -> f64 {
            let entries = score.entries.iter();
            entries
                .map(|&(index, _, value)| self.factors.lean[index] * value)
                .sum()
        };
        let mut sum = 0.0;
        for &(index, (block, row), value) in &one.entries {
            for &(other_index, (other_block, column), second) in &other.entries {
                let covariance = if block == other_block {
                    inverse.blocks[block].at(row, column)
                } else {
                    let lean = &self.factors.lean;
                    pivot.map_or(0.0, |pivot| lean[index] * lean[other_index] / pivot)
                };
                sum += value * second * covariance;
            }
        }
        let border = pivot.map_or(0.0, |pivot| (1.0 - lean(one) - lean(other)) / pivot);
        sum + border
    }
}

impl Scatter {
    /// Adds a multiple of the symmetric part of the product of two scores.
    fn add_product(&mut self, [one, other]: [&ClusterScore; 2], moves: [f64; 2], weight: f64) {
        for &(index, (block, row), value) in &one.entries {
            for &(_, (other_block, column), second) in &other.entries {
                if block == other_block {
                    let share = if row == column { 1.0 } else { 0.5 };
                    self.blocks[block].add(row, column, share * weight * value * second);
                }
            }
            self.with_advantage[index] += 0.5 * weight * value * moves[1];
        }
        for &(index, _, value) in &other.entries {
            self.with_advantage[index] += 0.5 * weight * value * moves[0];
        }
        self.advantage += weight * moves[0] * moves[1];
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::connectivity::Connectivity;
    use crate::stats::errors::designs;
    use crate::stats::game::{Outcome, RatedEntrant, RatedGame};
    use crate::stats::layout::RatingLayout;
    use crate::stats::likelihood::{AdvantageModel, Problem, Term};
    use crate::stats::tally::{Cell, Tally};

    /// Two pools, of four and three, whose games all begin from two openings.
    fn games() -> Vec<RatedGame> {
        let mut games = Vec::new();
        for (from, to) in [(0, 4), (4, 7)] {
            for south in from..to {
                for north in (from..to).filter(|&north| north != south) {
                    for opening in 0..2_u64 {
                        let mixed = (3 * south + 5 * north + u32::from(opening == 1)) % 4;
                        games.push(RatedGame {
                            south: RatedEntrant(south),
                            north: RatedEntrant(north),
                            outcome: [Outcome::SouthWins, Outcome::Draw, Outcome::NorthWins]
                                [mixed.min(2) as usize],
                            opening: Some(opening),
                            pair: None,
                            content: None,
                        });
                    }
                }
            }
        }
        games
    }

    #[test]
    fn cells_and_matrices_agree() {
        let tally = Tally::from_games(7, games()).expect("legal games");
        let cells: Vec<Cell> = tally.cells().collect();
        let connectivity = Connectivity::of_cells(7, &cells, &[]);
        let layout = RatingLayout::new(&connectivity, vec![None; 7]);
        let problem = Problem::new(cells.iter().map(Term::of).collect(), &layout);
        for advantage in [AdvantageModel::Free, AdvantageModel::Held(0.3)] {
            let fit = problem.maximise(advantage, None);
            let factors = problem
                .information(&fit)
                .factor(&layout, 0.0)
                .expect("factors");
            let bread = Bread::new(&layout, &fit, &factors);
            let inverse = bread.inverse();
            let [mut one, mut other] = [Scatter::none(&layout), Scatter::none(&layout)];
            let designs = designs(&fit, &tally.cluster_kinds());
            let full = bread.full(&inverse);
            for design in &designs {
                bread.add_cells(&mut one, design, &inverse);
                bread.add_whole(&mut other, design, &full);
            }
            let numbers = |scatter: &Scatter| -> Vec<f64> {
                let covariance = bread.sandwich_of(scatter);
                let blocks = covariance.blocks.iter();
                let entries = blocks.flat_map(|it| (0..it.size()).flat_map(|row| it.row(row)));
                entries.copied().chain([covariance.advantage]).collect()
            };
            let (one, other) = (numbers(&one), numbers(&other));
            assert_eq!(one.len(), 16 + 9 + 1);
            for (one, other) in one.iter().zip(&other) {
                assert!((one - other).abs() < 1e-12, "{one} {other}");
            }
            // Two openings alike hide half of what the model knows.
            let whole = inverse.blocks[0].at(0, 0);
            assert!((one[0] / whole - 0.5).abs() < 1e-9, "{} of {whole}", one[0]);
        }
    }
}
