//! Compares two entrants of one table: their difference, and the probability that one is stronger.

use crate::stats::ratings::{Ratings, Sweep};
use std::collections::BTreeMap;

use super::bounds::BoundDirection;
use super::clusters::{ClusterKind, SeatedResult};
use super::connectivity::Connectivity;
use super::elo::ELO_PER_LOGIT;
use super::superiority::of_winner;
use super::uncertainty::Precision;
use crate::stats::constraints::{OF_STRENGTH, evidence};
use crate::stats::game::{Outcome, RatedEntrant};

/// How far one entrant is rated above another.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Difference {
    /// Elo.
    pub elo: f64,
    /// Half the width of the 95 % interval, Elo; 0 between two anchors. `None` for a bound, which
    /// includes the errors of both, and where there are too few openings.
    pub error95: Option<f64>,
    /// Whether `elo` is only a bound.
    pub bound: Option<BoundDirection>,
}

impl Ratings {
    /// How far `upper` is rated above `lower`, with the error of the difference. `None` if no game
    /// compares them: they are in different components, or in groups neither of which is above the
    /// other.
    pub fn difference(&self, upper: RatedEntrant, lower: RatedEntrant) -> Option<Difference> {
        let (mine, other) = (
            self.ratings[upper.position()],
            self.ratings[lower.position()],
        );
        let bound = if mine.group == other.group {
            None
        } else if self.connectivity.is_above(mine.group, other.group) {
            Some(BoundDirection::AtLeast)
        } else if self.connectivity.is_above(other.group, mine.group) {
            Some(BoundDirection::AtMost)
        } else {
            return None;
        };
        let elo = mine.elo - other.elo;
        // The bound places the groups; each of the two entrants can deviate from its own group.
        let inside = || {
            self.half_width_inside(upper)
                .hypot(self.half_width_inside(lower))
        };
        Some(match bound {
            None => Difference {
                elo,
                error95: self.precision(upper, lower).map(|it| it.elo()),
                bound,
            },
            Some(BoundDirection::AtLeast) => Difference {
                elo: elo - inside(),
                error95: None,
                bound,
            },
            Some(BoundDirection::AtMost) => Difference {
                elo: elo + inside(),
                error95: None,
                bound,
            },
        })
    }

    /// Half the width of the 95 % interval of an entrant's rating inside its group, Elo.
    fn half_width_inside(&self, entrant: RatedEntrant) -> f64 {
        let rating = self.ratings[entrant.position()];
        let is_alone = self.connectivity.groups[rating.group].len() == 1;
        let known = self.uncertainty.as_ref().filter(|_| !is_alone);
        known.map_or(0.0, |known| {
            let position = entrant.position();
            known.of(position, None).map_or_else(
                || known.by_model(position) * ELO_PER_LOGIT,
                |precision| precision.elo(),
            )
        })
    }

    /// The probability that `upper` is stronger than `lower`: Student's t distribution at the
    /// difference in standard errors. For a difference that is only bounded, it follows from their
    /// groups' games against each other, with a uniform prior of the expected score. `None` where
    /// the games do not compare them.
    pub fn los(&self, upper: RatedEntrant, lower: RatedEntrant) -> Option<f64> {
        let difference = self.difference(upper, lower)?;
        match difference.bound {
            None => {
                let precision = self.precision(upper, lower)?;
                Some(precision.probability_above_zero(difference.elo / ELO_PER_LOGIT))
            }
            Some(BoundDirection::AtLeast) => Some(self.of_sweeps(upper, lower)?.0),
            Some(BoundDirection::AtMost) => Some(self.of_sweeps(lower, upper)?.1),
        }
    }

    /// The precision of a difference inside a group.
    pub(super) fn precision(&self, upper: RatedEntrant, lower: RatedEntrant) -> Option<Precision> {
        let uncertainty = self.uncertainty.as_ref()?;
        uncertainty.of(upper.position(), Some(lower.position()))
    }

    /// Probabilities of superiority from the games of two groups against each other.
    fn of_sweeps(&self, winner: RatedEntrant, loser: RatedEntrant) -> Option<(f64, f64)> {
        let group = |entrant: usize| self.ratings[entrant].group;
        let groups = (group(winner.position()), group(loser.position()));
        let sweeps = self.sweeps.get(&groups)?;
        // Differences inside a group are known, wherever the group is placed.
        let above = |one: usize, other: usize| self.logits[one] - self.logits[other];
        let leads: Vec<(f64, f64)> = sweeps
            .iter()
            .map(|sweep| {
                let lead = above(sweep.winner, winner.position())
                    - above(sweep.loser, loser.position())
                    + sweep.side;
                (lead, sweep.games)
            })
            .collect();
        Some(of_winner(&leads))
    }
}

/// Games between groups, by winning and losing group.
pub fn sweeps(
    kinds: &[ClusterKind],
    connectivity: &Connectivity,
    advantage: f64,
) -> BTreeMap<(usize, usize), Vec<Sweep>> {
    let group = |entrant: RatedEntrant| connectivity.group_of[entrant.position()];
    let groups = |result: &SeatedResult| {
        let (south, north) = (group(result.south), group(result.north));
        let south_won = result.outcome == Outcome::SouthWins;
        let (winner, loser) = if south_won {
            (south, north)
        } else {
            (north, south)
        };
        (winner != loser).then_some((winner, loser))
    };
    let sweep = |winners: usize, (south, north): (RatedEntrant, RatedEntrant), games: f64| {
        let (winner, loser, side) = if group(south) == winners {
            (south, north, advantage)
        } else {
            (north, south, -advantage)
        };
        Sweep {
            winner: winner.position(),
            loser: loser.position(),
            side,
            games,
        }
    };
    let evidence = evidence(kinds, OF_STRENGTH, groups).into_iter();
    let sweeps = evidence.map(|(groups, cells)| {
        let cells = cells.into_iter();
        let sweeps = cells.map(|(sides, games)| sweep(groups.0, sides, games));
        (groups, sweeps.collect())
    });
    sweeps.collect()
}
