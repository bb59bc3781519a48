//! Elo ratings of all entrants at once, from all their games.
//!
//! # Model
//! One joint maximum-likelihood fit (R. A. Bradley and M. E. Terry 1952, with an advantage for one
//! side as R. R. Davidson and R. J. Beaver 1977). The expected score of South is
//! `1 / (1 + 10^−((R_south − R_north + A) / 400))`, a draw is half a win for each, and A is the
//! advantage of moving first, one number for the whole tournament. Nothing is pooled and nothing
//! updated game by game: the result is a function of the set of games.
//!
//! # Zero point
//! In each component the mean of the entrants rated without a bound is 0 (see below for components
//! that have none). Entrants that no chain of games links are in different components, which have
//! no common scale.
//!
//! # Rules for extremes
//! * Ratings are estimated inside groups (see [`super::connectivity`]), in which everybody took a
//!   point from everybody else down some chain. The largest group of a component is its base and
//!   gives the zero point. The others, among them every entrant with 100 % or 0 % and every one
//!   that has it once such entrants are removed, have a likelihood-ratio bound at 95 % ([`Bound`]):
//!   the rating at which their one-sided games have become so unlikely that a test refuses it, the
//!   ratings of those they met held fixed. They change nobody else's rating. Below three games such
//!   a bound can lie under the opponents' level: so little do two wins prove.
//! * If no group is largest (two entrants, ten games, ten wins: each is a group) those in the
//!   middle are each the base in turn and the results are averaged: +135 and −135, difference ">
//!   +270".
//! * An advantage that cannot be told from strength (one entrant always South) is left out with a
//!   warning; one without finite estimate (South won every game) gets a bound of the same kind and
//!   ratings are fitted with it held there.
//!
//! # Errors
//! 95 % half-widths from the inverse of the information matrix, relative to the mean of the group.
//! [`Ratings::difference`] gives the error of a difference, which is another number. An entrant
//! with a bound has none.

use super::advantage::{AdvantageFit, Finding, fit_with_advantage};
use super::bounds::{Placement, Placer};
use super::connectivity::Connectivity;
use super::elo::{ELO_PER_LOGIT, NORMAL_95};
use super::likelihood::{Advantage, Fit, Problem};
use super::matrix::Symmetric;
use super::separation::separate;
use super::tally::{Cell, EntrantIndex, Results, Tally};

pub use super::bounds::Bound;

/// What is fitted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RatingModel {
    /// Whether South has an advantage to be estimated; otherwise it is 0.
    pub first_move_advantage: bool,
}

impl Default for RatingModel {
    fn default() -> Self {
        Self {
            first_move_advantage: true,
        }
    }
}

/// One entrant's rating.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rating {
    /// Whose it is.
    pub entrant: EntrantIndex,
    /// Elo above the zero point of its component; always finite.
    pub elo: f64,
    /// Half the width of the 95 % interval, Elo, relative to the mean of its group. `None` for a
    /// bound, for an entrant alone in its group, and where the advantage is only bounded.
    pub error95: Option<f64>,
    /// Whether `elo` is only a bound.
    pub bound: Option<Bound>,
    /// The component: numbers of different components cannot be compared.
    pub component: usize,
    /// The group inside which it was fitted.
    pub group: usize,
    /// Wins, draws and losses.
    pub results: Results,
}

/// The advantage of moving first.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AdvantageEstimate {
    /// Elo that South gains; always finite.
    pub elo: f64,
    /// Half the width of the 95 % interval, Elo; `None` for a bound.
    pub error95: Option<f64>,
    /// Whether `elo` is only a bound.
    pub bound: Option<Bound>,
}

/// How far one entrant stands above another.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Difference {
    /// Elo.
    pub elo: f64,
    /// Half the width of the 95 % interval, Elo; `None` for a bound.
    pub error95: Option<f64>,
    /// Whether `elo` is only a bound.
    pub bound: Option<Bound>,
}

/// What a reader of the ratings must be told.
#[derive(Clone, Debug, PartialEq)]
pub enum Warning {
    /// There is no game at all.
    NoGames,
    /// This entrant has no game: its rating says nothing.
    Unplayed(EntrantIndex),
    /// So many sets of entrants never met, directly or by way of others: no common scale.
    Disconnected {
        /// Number of components with games.
        components: usize,
    },
    /// Two groups of several entrants met and one won every game.
    NeverLost {
        /// The members of the group that won.
        winners: Vec<EntrantIndex>,
        /// The members of the other.
        losers: Vec<EntrantIndex>,
    },
    /// No game, direct or by a chain of wins, tells these from the base of their component; their
    /// bounds hold against the opponents they met only.
    Incomparable(Vec<EntrantIndex>),
    /// The first-move advantage cannot be told from strength; it was left out.
    AdvantageInseparable,
    /// The first-move advantage has no finite estimate; it was held at its bound, or at 0 if the
    /// bound lies on the other side of 0.
    AdvantageUnbounded(Bound),
    /// The fit did not reach its goal; this is the largest partial derivative left (points per
    /// logit).
    NotConverged {
        /// Points per logit.
        gradient: f64,
    },
}

/// The ratings of all entrants.
#[derive(Clone, Debug, PartialEq)]
pub struct Ratings {
    /// One for each entrant, in their order.
    pub ratings: Vec<Rating>,
    /// `None` if it was not asked for or cannot be estimated.
    pub advantage: Option<AdvantageEstimate>,
    /// Components and groups.
    pub connectivity: Connectivity,
    /// In a fixed order.
    pub warnings: Vec<Warning>,
    /// Square logits; ratings, then the advantage if it was estimated.
    covariance: Option<Symmetric>,
}

/// Rates all entrants of a tally.
pub fn rate(tally: &Tally, model: RatingModel) -> Ratings {
    let connectivity = Connectivity::of(tally);
    let cells: Vec<Cell> = tally.cells().collect();
    let inside: Vec<Cell> = cells
        .iter()
        .copied()
        .filter(|cell| is_inside(cell, &connectivity))
        .collect();
    let problem = Problem::new(&inside, &connectivity);
    let AdvantageFit { fit, finding } = if model.first_move_advantage {
        fit_with_advantage(&problem, &separate(&inside, tally.entrants()))
    } else {
        AdvantageFit {
            fit: problem.maximise(Advantage::Held(0.0), None),
            finding: Finding::Unknown,
        }
    };
    // With an advantage that is only bounded the information matrix knows half the truth.
    let covariance = match finding {
        Finding::Bounded(..) => None,
        Finding::Unknown | Finding::Estimated => problem.covariance(&fit),
    };

    let placer = Placer::new(&cells, &connectivity, &fit.ratings, fit.advantage);
    let placements: Vec<Placement> = (0..connectivity.components.len())
        .map(|component| placer.place(component))
        .collect();
    let results = tally.results();
    let ratings = results
        .iter()
        .enumerate()
        .map(|(position, &results)| {
            let (component, group) = (
                connectivity.component_of[position],
                connectivity.group_of[position],
            );
            let (offset, bound) = placements[component].places[&group];
            let alone = connectivity.groups[group].len() == 1;
            let error95 = covariance
                .as_ref()
                .filter(|_| bound.is_none() && !alone)
                .map(|covariance| half_width(covariance.at(position, position)));
            Rating {
                entrant: EntrantIndex::at(position),
                elo: (fit.ratings[position] + offset) * ELO_PER_LOGIT,
                error95,
                bound,
                component,
                group,
                results,
            }
        })
        .collect();
    Ratings {
        ratings,
        advantage: estimate(finding, &fit, covariance.as_ref()),
        warnings: warnings(&results, &connectivity, &placements, finding, model, &fit),
        connectivity,
        covariance,
    }
}

impl Ratings {
    /// How far `upper` stands above `lower`, with the error of the difference. `None` if no game
    /// tells: different components, or groups of which neither is above the other.
    pub fn difference(&self, upper: EntrantIndex, lower: EntrantIndex) -> Option<Difference> {
        let (mine, other) = (
            self.ratings[upper.position()],
            self.ratings[lower.position()],
        );
        let elo = mine.elo - other.elo;
        if mine.group == other.group {
            let error95 = self.covariance.as_ref().map(|covariance| {
                let (i, j) = (upper.position(), lower.position());
                half_width(covariance.at(i, i) + covariance.at(j, j) - 2.0 * covariance.at(i, j))
            });
            Some(Difference {
                elo,
                error95,
                bound: None,
            })
        } else if self.connectivity.is_above(mine.group, other.group) {
            Some(Difference {
                elo,
                error95: None,
                bound: Some(Bound::AtLeast),
            })
        } else if self.connectivity.is_above(other.group, mine.group) {
            Some(Difference {
                elo,
                error95: None,
                bound: Some(Bound::AtLeast.reversed()),
            })
        } else {
            None
        }
    }
}

/// Half the width of a 95 % interval in Elo, from a variance in square logits.
fn half_width(variance: f64) -> f64 {
    // An entrant's difference from itself may come out a rounding below 0.
    NORMAL_95 * variance.max(0.0).sqrt() * ELO_PER_LOGIT
}

fn is_inside(cell: &Cell, connectivity: &Connectivity) -> bool {
    connectivity.group_of[cell.south.position()] == connectivity.group_of[cell.north.position()]
}

fn estimate(
    finding: Finding,
    fit: &Fit,
    covariance: Option<&Symmetric>,
) -> Option<AdvantageEstimate> {
    let last = fit.ratings.len();
    match finding {
        Finding::Unknown => None,
        Finding::Estimated => Some(AdvantageEstimate {
            elo: fit.advantage * ELO_PER_LOGIT,
            error95: covariance.map(|covariance| half_width(covariance.at(last, last))),
            bound: None,
        }),
        Finding::Bounded(logits, bound) => Some(AdvantageEstimate {
            elo: logits * ELO_PER_LOGIT,
            error95: None,
            bound: Some(bound),
        }),
    }
}

fn warnings(
    results: &[Results],
    connectivity: &Connectivity,
    placements: &[Placement],
    finding: Finding,
    model: RatingModel,
    fit: &Fit,
) -> Vec<Warning> {
    if results.iter().all(|results| results.games() == 0) {
        return vec![Warning::NoGames];
    }
    let mut warnings: Vec<Warning> = results
        .iter()
        .enumerate()
        .filter(|(_, results)| results.games() == 0)
        .map(|(position, _)| Warning::Unplayed(EntrantIndex::at(position)))
        .collect();
    let components = connectivity
        .components
        .iter()
        .filter(|members| members.len() > 1)
        .count();
    if components > 1 {
        warnings.push(Warning::Disconnected { components });
    }
    for (winner, losers) in connectivity.beaten_by.iter().enumerate() {
        for &loser in losers {
            let (winners, losers) = (&connectivity.groups[winner], &connectivity.groups[loser]);
            if winners.len() > 1 && losers.len() > 1 {
                let (winners, losers) = (winners.clone(), losers.clone());
                warnings.push(Warning::NeverLost { winners, losers });
            }
        }
    }
    for placement in placements {
        let mut beside: Vec<EntrantIndex> = placement
            .beside
            .iter()
            .flat_map(|&group| connectivity.groups[group].iter().copied())
            .collect();
        beside.sort_unstable();
        if !beside.is_empty() {
            warnings.push(Warning::Incomparable(beside));
        }
    }
    match finding {
        Finding::Unknown if model.first_move_advantage => {
            warnings.push(Warning::AdvantageInseparable);
        }
        Finding::Bounded(_, bound) => warnings.push(Warning::AdvantageUnbounded(bound)),
        Finding::Unknown | Finding::Estimated => {}
    }
    if !fit.converged {
        warnings.push(Warning::NotConverged {
            gradient: fit.gradient,
        });
    }
    warnings
}
