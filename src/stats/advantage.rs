//! The first-move advantage in a fit: estimated where the games determine it, and held otherwise.

use super::bounds::{BoundDirection, smallest_with};
use super::clusters::ClusterKind;
use super::connectivity::Connectivity;
use super::elo::LIKELIHOOD_DROP_95;
use super::layout::RatingLayout;
use super::likelihood::{AdvantageModel, Fit, Problem};
use super::separation::{Escape, Separation};
use super::tally::Cell;
use crate::stats::constraints::{Constraints, OF_ADVANTAGE, evidence};

/// A fit, and how far its games determine the advantage.
pub struct AdvantageFit {
    /// The maximum, with the advantage estimated or held.
    pub fit: Fit,
    /// How far the games determine the advantage.
    pub finding: AdvantageFinding,
}

/// How far games determine the first-move advantage.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum AdvantageFinding {
    /// Nothing; it was held at 0.
    Unknown,
    /// The fit holds its estimate.
    Estimated,
    /// It has no finite estimate but this likelihood-ratio bound, in logits. The fit was made with
    /// the bound, or with 0 if the bound is on the other side of 0.
    Bounded(f64, BoundDirection),
}

/// Fits with an advantage that the games were found to determine so far. `kinds` are the clusters
/// of the games fitted.
pub fn fit_with_advantage(
    problem: &Problem<'_>,
    layout: &RatingLayout,
    given: &Constraints,
    kinds: &[ClusterKind],
    separation: &Separation,
) -> AdvantageFit {
    let bounded = |escape, bound| fit_bounded(problem, layout, (given, kinds), escape, bound);
    match separation {
        Separation::Finite => AdvantageFit {
            fit: problem.maximise(AdvantageModel::Free, None),
            finding: AdvantageFinding::Estimated,
        },
        Separation::Inseparable => AdvantageFit {
            fit: problem.maximise(AdvantageModel::Held(0.0), None),
            finding: AdvantageFinding::Unknown,
        },
        Separation::UnboundedAbove(escape) => bounded(escape, BoundDirection::AtLeast),
        Separation::UnboundedBelow(escape) => bounded(escape, BoundDirection::AtMost),
    }
}

/// The bound is the value at which the likelihood, with ratings refitted, has fallen from its limit
/// at infinity by half the 95 % point of χ². An opening counts no more than one game as evidence
/// for the bound; afterwards the ratings are fitted to all games.
fn fit_bounded(
    problem: &Problem<'_>,
    layout: &RatingLayout,
    (given, kinds): (&Constraints, &[ClusterKind]),
    escape: &Escape,
    bound: BoundDirection,
) -> AdvantageFit {
    let sign = if bound == BoundDirection::AtLeast {
        1.0
    } else {
        -1.0
    };
    let counted = evidence(kinds, OF_ADVANTAGE, |_| Some(()))
        .remove(&())
        .unwrap_or_default();
    let weighed = |cell: &Cell| Cell {
        weight: counted[&(cell.south, cell.north)] / cell.games() as f64,
        ..*cell
    };
    let uncertain = &escape.uncertain;
    let connectivity = Connectivity::of_cells(given.entrants, uncertain, &given.fixed);
    let limit = RatingLayout::new(&connectivity, given.held.clone());
    // In the games that stay uncertain, ratings can take the place of the advantage.
    let limit = Problem::new(uncertain.iter().map(weighed).collect(), &limit)
        .maximise(AdvantageModel::Held(0.0), None);
    let floor = limit.log_likelihood - LIKELIHOOD_DROP_95;
    let evidence = Problem::new(problem.cells().iter().map(weighed).collect(), layout);
    let start = |size: f64| {
        let mut start = layout.start();
        let direction = &escape.direction;
        // All held ratings move together in this direction: the others move against them.
        let held = given
            .fixed
            .first()
            .map_or(0.0, |fixed| direction[fixed.position()]);
        for (rating, units) in start.iter_mut().zip(direction) {
            *rating += (units - held) * size;
        }
        Some(start)
    };
    let fit_at = |evidence: &Problem<'_>, size: f64| {
        evidence.maximise(AdvantageModel::Held(sign * size), start(size))
    };
    let least = smallest_with(|size| fit_at(&evidence, size).log_likelihood >= floor);
    // A few games can give a bound on the wrong side of 0. It is correct, but not a value to fit
    // with.
    AdvantageFit {
        fit: fit_at(problem, least.max(0.0)),
        finding: AdvantageFinding::Bounded(sign * least, bound),
    }
}
