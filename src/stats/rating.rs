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
//! In each component the mean of the entrants that are rated without a bound is 0 (components
//! without such entrants are described below). Entrants that no chain of games links are in
//! different components, which have no common scale.
//!
//! Anchors give the scale instead. One anchor moves its component so that the anchor has its Elo.
//! With several anchors the differences between them are given too: they are held in the fit, and
//! all anchors are in one component and one group (see [`super::connectivity`]) even if no games
//! link them, because measuring against one measures against all. A component without an anchor
//! keeps the mean 0, with a warning. An anchor's group is the base of its component: if the anchor
//! won or lost every game against all others, it has its Elo and they have the bounds.
//!
//! # Rules for extremes
//! * Ratings are estimated inside groups (see [`super::connectivity`]), in which each entrant took
//!   a point from each other one, directly or down a chain. The largest group of a component is its
//!   base and gives the zero point. The others, among them every entrant with 100 % or 0 % and
//!   every one that has it once such entrants are removed, have a likelihood-ratio bound at 95 %
//!   ([`BoundDirection`]): the rating at which their one-sided games have become so unlikely that a
//!   test refuses it, the ratings of those they met held fixed. They do not change any other
//!   rating. Below three games such a bound can lie under the opponents' level: so little do two
//!   wins prove.
//! * If no group is largest (two entrants, ten games, ten wins: each is a group) those in the
//!   middle are each the base in turn and the results are averaged: +135 and −135, difference ">
//!   +270".
//! * An advantage that cannot be told from strength (one entrant always South) is left out with a
//!   warning; one without finite estimate (South won every game) gets a bound of the same kind and
//!   ratings are fitted with it held there.
//!
//! # Errors
//! 95 % half-widths, clustered by opening (see `errors`, `uncertainty`), relative to the mean of
//! the group or to the anchors. An advantage that has only a bound is held there: errors are then
//! conditional on that. [`Ratings::difference`] gives the error of a difference, which is another
//! number. An entrant with a bound has none, nor has one whose rating rests on a single opening.
//!
//! # Size
//! The fit works with matrices of all ratings that have an estimate: memory grows with the square
//! of their number, time with the cube. For 2,000 of them it takes some 20 seconds and 300 MiB;
//! more are refused.

use std::fmt;

use super::advantage::{AdvantageFinding, AdvantageFit, fit_with_advantage};
use super::bound_levels::BoundLevels;
use super::bounds::{Placement, Placer};
use super::clusters::{ClusterKind, inside_groups};
use super::connectivity::Connectivity;
use super::elo::{ELO_PER_LOGIT, NORMAL_95};
use super::layout::RatingLayout;
use super::likelihood::{AdvantageModel, Fit, Problem};
use super::separation::separate;
use super::tally::{Cell, Results, Tally};
use super::uncertainty::Uncertainty;
use super::zero_point::ZeroPoints;
use crate::stats::constraints::Constraints;
use crate::stats::game::RatedEntrant;
use crate::stats::ratings::{
    AdvantageEstimate, ErrorBasis, Rating, RatingModel, Ratings, SeatGames,
};
use crate::stats::warning::WarningInput;

pub use super::bounds::BoundDirection;
pub use super::comparison::Difference;
pub use super::warning::Warning;

/// The largest number of ratings that are estimated together.
pub const MOST_RATINGS: usize = 2_000;

/// More ratings to estimate than [`MOST_RATINGS`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooManyRatings {
    /// Entrants with a rating to estimate: without those that won or lost every game.
    pub ratings: usize,
}

impl fmt::Display for TooManyRatings {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            formatter,
            "{} entrants would have to be rated together, and awale rates at most {MOST_RATINGS}: \
             the time grows with the cube of their number; rate fewer of them at a time",
            self.ratings
        )
    }
}

impl std::error::Error for TooManyRatings {}

/// Rates all entrants of a tally.
///
/// # Errors
/// More than [`MOST_RATINGS`] ratings to estimate.
///
/// # Panics
/// If the Elo of an anchor is not finite.
pub fn rate(tally: &Tally, model: &RatingModel) -> Result<Ratings, TooManyRatings> {
    rate_by(tally, model, true)
}

/// The same for a table of ratings that compares no two entrants:
/// [`Ratings::difference`] then does not say how surely one is stronger that has only a bound.
///
/// # Errors
/// More than [`MOST_RATINGS`] ratings to estimate.
///
/// # Panics
/// If the Elo of an anchor is not finite.
pub fn rate_each(tally: &Tally, model: &RatingModel) -> Result<Ratings, TooManyRatings> {
    rate_by(tally, model, false)
}

fn rate_by(
    tally: &Tally,
    model: &RatingModel,
    with_levels: bool,
) -> Result<Ratings, TooManyRatings> {
    assert_finite(model);
    let given = Constraints::new(tally, &model.anchors);
    let cells: Vec<Cell> = tally.cells().collect();
    let connectivity = Connectivity::of_cells(tally.entrants(), &cells, &given.fixed);
    let layout = RatingLayout::new(&connectivity, given.held.clone());
    if layout.size > MOST_RATINGS {
        let ratings = layout.size;
        return Err(TooManyRatings { ratings });
    }
    let inside = inside(&cells, &connectivity);
    let problem = Problem::new(inside.clone(), &layout);
    let all_kinds = tally.cluster_kinds();
    let kinds = inside_groups(&all_kinds, &connectivity);
    let AdvantageFit { fit, finding } = fitted(model, &problem, &layout, &given, (&kinds, &inside));
    let zero = ZeroPoints::new(model, &connectivity, &fit);
    let uncertainty = Uncertainty::new(&problem, &fit, &kinds, model.widening);
    let known = uncertainty.as_ref();
    let placer = Placer::new(&all_kinds, &connectivity, &fit.ratings, fit.advantage);
    let placed = |level| placements(&placer, &zero, &connectivity, level);
    let placements = placed(NORMAL_95 * model.widening);
    let levels = with_levels.then(|| levels(&connectivity, placed));
    let (results, sample) = (tally.results(), tally.sample());
    let rating = |(position, &results): (usize, &Results)| {
        zero.rating(position, results, &connectivity, &fit, &placements, known)
    };
    let ratings: Vec<Rating> = results.iter().enumerate().map(rating).collect();
    let advantage = estimate(finding, &fit, known);
    let errors = ErrorBasis {
        known: is_any_known(&ratings, advantage),
        clusters: kinds.iter().map(|kind| kind.distinct).sum(),
        parameters: layout.parameters() as u64 + u64::from(fit.free),
    };
    let warnings = WarningInput {
        model,
        results: &results,
        sample,
        mixed_pairs: tally.mixed_pairs(),
        connectivity: &connectivity,
        placements: &placements,
        finding,
        fit: &fit,
        errors,
        ratings: &ratings,
    }
    .warnings();
    Ok(Ratings {
        ratings,
        advantage,
        errors,
        sample,
        widening: model.widening,
        warnings,
        played: played(&inside, fit.advantage, results.len()),
        is_held: layout.held.iter().map(Option::is_some).collect(),
        levels: levels.flatten(),
        connectivity,
        held_advantage: fit.advantage,
        logits: fit.ratings,
        uncertainty,
    })
}

/// The fit, with the first-move advantage if the model has one.
fn fitted(
    model: &RatingModel,
    problem: &Problem<'_>,
    layout: &RatingLayout,
    given: &Constraints,
    (kinds, inside): (&[ClusterKind], &[Cell]),
) -> AdvantageFit {
    if !model.first_move_advantage {
        return AdvantageFit {
            fit: problem.maximise(AdvantageModel::Held(0.0), None),
            finding: AdvantageFinding::Unknown,
        };
    }
    let separation = separate(inside, given.entrants, &given.fixed);
    fit_with_advantage(problem, layout, given, kinds, &separation)
}

/// The cells of two entrants of one group.
fn inside(cells: &[Cell], connectivity: &Connectivity) -> Vec<Cell> {
    let group = |entrant: RatedEntrant| connectivity.group_of[entrant.position()];
    let is_inside = |cell: &&Cell| group(cell.south) == group(cell.north);
    cells.iter().filter(is_inside).copied().collect()
}

/// Where the groups of all components are at all levels; `None` if no two groups are compared.
fn levels(
    connectivity: &Connectivity,
    placed: impl Fn(f64) -> Vec<Placement>,
) -> Option<BoundLevels> {
    let count = connectivity.groups.len();
    let offsets = |level| {
        let mut offsets = vec![0.0; count];
        for (group, (offset, _)) in placed(level).into_iter().flat_map(|it| it.places) {
            offsets[group] = offset;
        }
        offsets
    };
    (count > connectivity.components.len()).then(|| BoundLevels::new(offsets))
}

/// The games of each entrant inside its group, as it sees them.
fn played(cells: &[Cell], advantage: f64, entrants: usize) -> Vec<Vec<SeatGames>> {
    let mut played = vec![Vec::new(); entrants];
    for cell in cells {
        let (south, north) = (cell.south.position(), cell.north.position());
        played[south].push(SeatGames {
            opponent: north,
            side: advantage,
            points: cell.south_points(),
            lost: cell.north_points(),
        });
        played[north].push(SeatGames {
            opponent: south,
            side: -advantage,
            points: cell.north_points(),
            lost: cell.south_points(),
        });
    }
    played
}

fn assert_finite(model: &RatingModel) {
    let finite = model.anchors.values().all(|elo| elo.is_finite());
    assert!(finite, "an anchor has a finite Elo");
}

/// Where the groups of each component are, by bounds at a level in standard deviations.
fn placements(
    placer: &Placer<'_>,
    zero: &ZeroPoints<'_>,
    connectivity: &Connectivity,
    level: f64,
) -> Vec<Placement> {
    let place = |component| placer.place(component, zero.anchored(component), level);
    (0..connectivity.components.len()).map(place).collect()
}

/// Whether there is any error; the zero errors of anchors do not count.
fn is_any_known(ratings: &[Rating], advantage: Option<AdvantageEstimate>) -> bool {
    let of_ratings = ratings.iter().filter_map(|it| it.error95);
    let mut known = of_ratings.chain(advantage.and_then(|it| it.error95));
    known.any(|error| error > 0.0)
}

fn estimate(
    finding: AdvantageFinding,
    fit: &Fit,
    uncertainty: Option<&Uncertainty>,
) -> Option<AdvantageEstimate> {
    match finding {
        AdvantageFinding::Unknown => None,
        AdvantageFinding::Estimated => Some(AdvantageEstimate {
            elo: fit.advantage * ELO_PER_LOGIT,
            error95: uncertainty.and_then(|known| Some(known.of_advantage()?.elo())),
            bound: None,
        }),
        AdvantageFinding::Bounded(logits, bound) => Some(AdvantageEstimate {
            elo: logits * ELO_PER_LOGIT,
            error95: None,
            bound: Some(bound),
        }),
    }
}
