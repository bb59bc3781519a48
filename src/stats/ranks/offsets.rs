//! Where groups stand that won or lost every game against the others.
//!
//! No distance fits such games, only bounds. As for the likelihood of superiority (see
//! [`crate::stats::superiority`]) the expected score of a group against what it met is anything
//! from 0 to 1 alike before the games, and every game that was won or lost has its likelihood.
//! Where the largest group shows how far strengths are spread, that takes the place of "from 0 to 1
//! alike": one lucky game does not make an entrant the best of thirty.
//!
//! One group after the other is placed by drawing from that, on a grid of distances, against those
//! that stand already: first the largest group, then those that met one of them.

use super::prior::Population;
use super::random::Normal;
use crate::stats::elo::log_sigmoid;
use crate::stats::ratings::Ratings;

/// Logits between two points of the grid.
const STEP: f64 = 0.5;
/// Points of the grid on either side of those whom a group met.
const HALF: i32 = 30;

/// The groups of a component, in the order in which they are placed.
pub struct Offsets {
    groups: Vec<OffsetGroup>,
    /// Where nothing is known of the spread of strengths: each distance of the grid, with the
    /// logarithm of its density before the games.
    before: Vec<(f64, f64)>,
}

/// A group to be placed.
struct OffsetGroup {
    members: Vec<usize>,
    /// Its games against those that stand already.
    games: Vec<OffsetGames>,
    /// Where it may stand, as the last table had it.
    grid: Option<OffsetGrid>,
}

/// What decides where a group may stand in a table.
#[derive(Clone, Debug, PartialEq)]
struct OffsetView {
    /// For each entry of the group's games, how far the member is ahead, logits.
    leads: Vec<f64>,
    /// The mean strength of the members, and what the largest group's are drawn from.
    population: Option<(f64, Population)>,
}

/// Where a group may stand.
struct OffsetGrid {
    view: OffsetView,
    /// The distance at which it is level with those whom it met, logits.
    level: f64,
    /// Evenly spaced distances from there, with their densities.
    points: Vec<(f64, f64)>,
    /// The sum of the densities.
    sum: f64,
}

/// Games of one entrant against one other, all with the same result.
struct OffsetGames {
    member: usize,
    opponent: usize,
    /// 1 if the member won them, −1 if it lost.
    sign: f64,
    /// Logits that the first-move advantage gave the winner.
    side: f64,
    count: f64,
}

impl Offsets {
    /// Of these groups, of which the first one stands.
    pub fn new(ratings: &Ratings, groups: &[usize]) -> Self {
        let mut waiting = groups.to_vec();
        let mut standing: Vec<usize> = vec![waiting.remove(0)];
        let mut placed = Vec::new();
        while !waiting.is_empty() {
            let next = waiting
                .iter()
                .position(|&group| !games(ratings, group, &standing).is_empty())
                .expect("games link the groups of a component");
            let group = waiting.remove(next);
            placed.push(OffsetGroup {
                members: ratings.connectivity.groups[group]
                    .iter()
                    .map(|it| it.position())
                    .collect(),
                games: games(ratings, group, &standing),
                grid: None,
            });
            standing.push(group);
        }
        let distances = (-HALF..=HALF).map(|point| STEP * f64::from(point));
        Self {
            groups: placed,
            before: distances
                .map(|it| (it, log_sigmoid(it) + log_sigmoid(-it)))
                .collect(),
        }
    }

    /// Numbers to work out for a table.
    pub fn work(&self) -> usize {
        let games: usize = self.groups.iter().map(|group| group.games.len()).sum();
        // Logarithms take longer than sums.
        games * 20 * (2 * HALF.unsigned_abs() as usize + 1)
    }

    /// Moves each group, of which the strengths inside are drawn already, to where it stands.
    /// `population` is what the largest group's are drawn from, if that is known.
    pub fn draw(
        &mut self,
        population: Option<Population>,
        normal: &mut Normal,
        strengths: &mut [f64],
    ) {
        for group in &mut self.groups {
            let offset = group.offset(&self.before, population, normal, strengths);
            for &member in &group.members {
                strengths[member] += offset;
            }
        }
    }
}

impl OffsetGroup {
    fn offset(
        &mut self,
        before: &[(f64, f64)],
        population: Option<Population>,
        normal: &mut Normal,
        strengths: &[f64],
    ) -> f64 {
        let view = self.view(population, strengths);
        // Single entrants are where they are in every table, and so is what they may be.
        let grid = match self.grid.take() {
            Some(grid) if grid.view == view => grid,
            _ => OffsetGrid::new(&self.games, view, before),
        };
        self.grid.insert(grid).draw(normal)
    }

    fn view(&self, population: Option<Population>, strengths: &[f64]) -> OffsetView {
        let members = self.members.iter();
        let mean = members.map(|&it| strengths[it]).sum::<f64>() / self.members.len() as f64;
        let games = self.games.iter();
        OffsetView {
            leads: games
                .map(|games| strengths[games.member] - strengths[games.opponent])
                .collect(),
            population: population.map(|population| (mean, population)),
        }
    }
}

impl OffsetGrid {
    fn new(games: &[OffsetGames], view: OffsetView, before: &[(f64, f64)]) -> Self {
        let games = || games.iter().zip(&view.leads);
        let count: f64 = games().map(|(games, _)| games.count).sum();
        let level = games()
            .map(|(games, lead)| -lead * games.count)
            .sum::<f64>()
            / count;
        let logarithm = |(distance, before): (f64, f64)| {
            let of_games: f64 = games()
                .map(|(games, lead)| {
                    let lead = games.sign * (lead + level + distance) + games.side;
                    games.count * log_sigmoid(lead)
                })
                .sum();
            let before = match view.population {
                Some((mean, of)) => {
                    let off = (mean + level + distance - of.mean) / of.deviation;
                    -0.5 * off * off
                }
                None => before,
            };
            of_games + before
        };
        let mut points: Vec<(f64, f64)> = before
            .iter()
            .map(|&point| (point.0, logarithm(point)))
            .collect();
        let most = points
            .iter()
            .map(|it| it.1)
            .fold(f64::NEG_INFINITY, f64::max);
        for (_, density) in &mut points {
            *density = (*density - most).exp();
        }
        let sum = points.iter().map(|it| it.1).sum();
        Self {
            view,
            level,
            points,
            sum,
        }
    }

    /// A distance by its density.
    fn draw(&self, normal: &mut Normal) -> f64 {
        let mut left = normal.uniform() * self.sum;
        for (distance, density) in &self.points {
            if left < *density {
                // Evenly over the step around the point.
                return self.level + (distance + STEP * (left / density - 0.5));
            }
            left -= density;
        }
        self.level + self.points.last().map_or(0.0, |last| last.0)
    }
}

/// The games of a group against groups that stand.
fn games(ratings: &Ratings, group: usize, standing: &[usize]) -> Vec<OffsetGames> {
    let mut games = Vec::new();
    for &other in standing {
        for (key, sign) in [((group, other), 1.0), ((other, group), -1.0)] {
            for sweep in ratings.sweeps.get(&key).into_iter().flatten() {
                let (member, opponent) = if sign > 0.0 {
                    (sweep.winner, sweep.loser)
                } else {
                    (sweep.loser, sweep.winner)
                };
                games.push(OffsetGames {
                    member,
                    opponent,
                    sign,
                    side: sweep.side,
                    count: sweep.games,
                });
            }
        }
    }
    games
}

#[cfg(test)]
mod tests {
    use super::*;

    fn group() -> OffsetGroup {
        let won = |opponent, count| OffsetGames {
            member: 2,
            opponent,
            sign: 1.0,
            side: 0.1,
            count,
        };
        OffsetGroup {
            members: vec![2],
            games: vec![won(0, 2.0), won(1, 1.0)],
            grid: None,
        }
    }

    /// A group that keeps its grid from table to table stands where one stands that never had any.
    #[test]
    fn a_kept_grid_is_that_of_its_table() {
        let before: Vec<(f64, f64)> = (-HALF..=HALF)
            .map(|point| (STEP * f64::from(point), 0.0))
            .collect();
        let population = |mean| Population {
            mean,
            deviation: 1.5,
        };
        let mut kept = group();
        let [mut one, mut other] = [Normal::new(3), Normal::new(3)];
        for (strengths, population) in [
            ([0.0, 1.0, 0.0], None),
            ([0.0, 1.0, 0.0], None),
            ([0.0, 2.0, 0.0], None),
            ([-3.0, 2.0, 0.0], None),
            ([-3.0, 2.0, 0.0], Some(population(0.0))),
            ([-3.0, 2.0, 0.0], Some(population(4.0))),
            ([0.0, 1.0, 0.0], None),
        ] {
            let found = kept.offset(&before, population, &mut one, &strengths);
            let expected = group().offset(&before, population, &mut other, &strengths);
            assert!(found.total_cmp(&expected).is_eq(), "{found} {expected}");
        }
    }
}
