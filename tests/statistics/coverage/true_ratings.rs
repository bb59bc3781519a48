//! What intervals must hold: the ratings to which a fit of ever more games of the same schedule
//! would come, found by a plain method of Newton's on the mean scores of a world.

use super::known_strengths::{Played, Tournament, World};
use awale::stats::elo::ELO_PER_LOGIT;

/// Elo, with mean 0 in each group.
#[derive(Clone, Debug)]
pub struct Truth {
    pub elo: Vec<f64>,
    pub advantage: f64,
}

/// How often each entrant was South against each other one, by South and North.
pub struct Weights(Vec<Vec<f64>>);

impl Weights {
    pub fn of(tournament: &Tournament, entrants: usize) -> Self {
        let mut weights = vec![vec![0.0; entrants]; entrants];
        for game in &tournament.games {
            weights[game.south][game.north] += 1.0;
        }
        Self(weights)
    }
}

fn score(logit: f64) -> f64 {
    1.0 / (1.0 + (-logit).exp())
}

/// Solves a system of equations with a positive matrix by Gauss and Jordan; returns the solutions
/// for several right sides.
fn solve(mut matrix: Vec<Vec<f64>>, mut sides: Vec<Vec<f64>>) -> Vec<Vec<f64>> {
    let size = matrix.len();
    for pivot in 0..size {
        let row = matrix[pivot].clone();
        for other in (0..size).filter(|&other| other != pivot) {
            let factor = matrix[other][pivot] / row[pivot];
            for (value, above) in matrix[other].iter_mut().zip(&row).skip(pivot) {
                *value -= factor * above;
            }
            for side in &mut sides {
                side[other] -= factor * side[pivot];
            }
        }
    }
    for side in &mut sides {
        for (index, value) in side.iter_mut().enumerate() {
            *value /= matrix[index][index];
        }
    }
    sides
}

/// The information of games with a known weight, ratings first, the advantage last. That the mean
/// of each group is 0 is one observation more.
fn information(cells: &[(usize, usize, f64)], groups: &[usize]) -> Vec<Vec<f64>> {
    let size = groups.len() + 1;
    let mut matrix = vec![vec![0.0; size]; size];
    for row in 0..groups.len() {
        for column in 0..groups.len() {
            matrix[row][column] = f64::from(u8::from(groups[row] == groups[column]));
        }
    }
    for &(south, north, weight) in cells {
        let signs = [(south, 1.0), (north, -1.0), (size - 1, 1.0)];
        for (row, sign) in signs {
            for (column, other) in signs {
                matrix[row][column] += weight * sign * other;
            }
        }
    }
    matrix
}

impl Truth {
    /// Of the games inside groups. `None` if there is no finite one.
    pub fn new(world: &World, weights: &Weights, groups: &[usize]) -> Option<Self> {
        let entrants = world.entrants;
        let seats = (0..entrants).flat_map(|south| (0..entrants).map(move |north| (south, north)));
        let cells: Vec<(usize, usize, f64, f64)> = seats
            .filter(|&(south, north)| groups[south] == groups[north])
            .map(|(south, north)| (south, north, weights.0[south][north]))
            .filter(|&(.., weight)| weight > 0.0)
            .map(|(south, north, weight)| (south, north, weight, world.expected(south, north)))
            .collect();
        if cells.is_empty() {
            return None;
        }
        let mut numbers = vec![0.0; entrants + 1];
        for _ in 0..200 {
            let expected = |south: usize, north: usize| {
                score(numbers[south] - numbers[north] + numbers[entrants])
            };
            let mut gradient = vec![0.0; entrants + 1];
            for &(south, north, weight, mean) in &cells {
                let above = weight * (mean - expected(south, north));
                gradient[south] += above;
                gradient[north] -= above;
                gradient[entrants] += above;
            }
            let informations: Vec<(usize, usize, f64)> = cells
                .iter()
                .map(|&(south, north, weight, _)| {
                    let expected = expected(south, north);
                    (south, north, weight * expected * (1.0 - expected))
                })
                .collect();
            let step = solve(information(&informations, groups), vec![gradient]).remove(0);
            let longest = step.iter().fold(0.0_f64, |most, it| most.max(it.abs()));
            for (number, step) in numbers.iter_mut().zip(&step) {
                *number += step / longest.max(1.0);
            }
            if numbers
                .iter()
                .any(|number| number.is_nan() || number.abs() > 30.0)
            {
                return None;
            }
            if longest < 1e-10 {
                let elo: Vec<f64> = numbers
                    .iter()
                    .map(|logits| logits * ELO_PER_LOGIT)
                    .collect();
                let (advantage, elo) = elo.split_last().expect("an advantage");
                return Some(Self {
                    elo: elo.to_vec(),
                    advantage: *advantage,
                });
            }
        }
        None
    }
}

/// On how many openings numbers rest: `(Σ q)² / Σ q²` with what each adds to a number's variance.
pub struct Effective {
    /// Of each rating.
    pub ratings: Vec<f64>,
    /// Of each difference.
    pub differences: Vec<Vec<f64>>,
    pub advantage: f64,
}

impl Effective {
    /// Of a tournament in which all are of one group.
    pub fn new(tournament: &Tournament, truth: &Truth) -> Self {
        let entrants = truth.elo.len();
        let weight = |game: &Played| {
            let lead = truth.elo[game.south] - truth.elo[game.north] + truth.advantage;
            let expected = score(lead / ELO_PER_LOGIT);
            expected * (1.0 - expected)
        };
        let games = tournament.games.iter();
        let cells: Vec<_> = games
            .map(|game| (game.south, game.north, weight(game)))
            .collect();
        let units = (0..=entrants).map(|one| {
            let unit = |other: usize| f64::from(u8::from(one == other));
            (0..=entrants).map(unit).collect()
        });
        let inverse = solve(information(&cells, &vec![0; entrants]), units.collect());
        let count = |row: &[f64]| {
            let mut parts = std::collections::BTreeMap::new();
            for (game, &(south, north, weight)) in tournament.games.iter().zip(&cells) {
                let moved = row[south] - row[north] + row[entrants];
                *parts.entry(game.opening).or_insert(0.0) += weight * moved * moved;
            }
            let sum: f64 = parts.values().sum();
            sum * sum / parts.values().map(|part| part * part).sum::<f64>()
        };
        let difference = |one: usize, other: usize| -> f64 {
            let both = inverse[one].iter().zip(&inverse[other]);
            let row: Vec<f64> = both.map(|(one, other)| one - other).collect();
            if one == other { 0.0 } else { count(&row) }
        };
        // A rating is relative to the mean, which is held at 0 by an observation of its own.
        let mean = |column: usize| {
            let rows = inverse[..entrants].iter();
            rows.map(|row| row[column]).sum::<f64>() / entrants as f64
        };
        let means: Vec<f64> = (0..=entrants).map(mean).collect();
        let rating = |one: usize| {
            let above = inverse[one].iter().zip(&means);
            count(&above.map(|(one, mean)| one - mean).collect::<Vec<f64>>())
        };
        Self {
            ratings: (0..entrants).map(rating).collect(),
            differences: (0..entrants)
                .map(|one| (0..entrants).map(|other| difference(one, other)).collect())
                .collect(),
            advantage: count(&inverse[entrants]),
        }
    }
}
