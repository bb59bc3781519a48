//! The first-move advantage in a fit: estimated where the games determine it, held where not.

use super::bounds::{Bound, smallest_with};
use super::connectivity::Connectivity;
use super::elo::LIKELIHOOD_DROP_95;
use super::likelihood::{Advantage, Fit, Problem};
use super::separation::{Escape, Separation};
use super::tally::Cell;

/// A fit, and what it could say of the advantage.
pub(super) struct AdvantageFit {
    /// The maximum, the advantage estimated or held.
    pub(super) fit: Fit,
    /// What to tell of it.
    pub(super) finding: Finding,
}

/// What the games say of the advantage.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Finding {
    /// Nothing; it was held at 0.
    Unknown,
    /// The fit holds its estimate.
    Estimated,
    /// It has no finite estimate but this likelihood-ratio bound, in logits. The fit was made with
    /// the bound, or with 0 if the bound is on the other side of 0.
    Bounded(f64, Bound),
}

/// Fits with an advantage that the games were found to determine so far.
pub(super) fn fit_with_advantage(problem: &Problem<'_>, separation: &Separation) -> AdvantageFit {
    match separation {
        Separation::Finite => AdvantageFit {
            fit: problem.maximise(Advantage::Free, None),
            finding: Finding::Estimated,
        },
        Separation::Inseparable => AdvantageFit {
            fit: problem.maximise(Advantage::Held(0.0), None),
            finding: Finding::Unknown,
        },
        Separation::UnboundedAbove(escape) => fit_bounded(problem, escape, Bound::AtLeast),
        Separation::UnboundedBelow(escape) => fit_bounded(problem, escape, Bound::AtMost),
    }
}

/// The bound is where the likelihood, ratings refitted at each value, has fallen by half the 95 %
/// point of χ² from its limit at infinity.
fn fit_bounded(problem: &Problem<'_>, escape: &Escape, bound: Bound) -> AdvantageFit {
    let sign = if bound == Bound::AtLeast { 1.0 } else { -1.0 };
    let cells: Vec<Cell> = escape.uncertain.cells().collect();
    let connectivity = Connectivity::of(&escape.uncertain);
    // In the games that stay uncertain ratings can stand in for the advantage.
    let limit = Problem::new(&cells, &connectivity).maximise(Advantage::Held(0.0), None);
    let floor = limit.log_likelihood - LIKELIHOOD_DROP_95;
    let fit_at = |size: f64| {
        let start: Vec<f64> = escape.direction.iter().map(|units| units * size).collect();
        problem.maximise(Advantage::Held(sign * size), Some(start))
    };
    let least = smallest_with(|size| fit_at(size).log_likelihood >= floor);
    // A handful of games gives a bound on the wrong side of 0. It is true, but no value to fit by.
    AdvantageFit {
        fit: fit_at(least.max(0.0)),
        finding: Finding::Bounded(sign * least, bound),
    }
}
