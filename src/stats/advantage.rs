//! The first-move advantage in a fit: estimated where the games determine it, held where not.

use super::bounds::{Bound, smallest_with};
use super::elo::LIKELIHOOD_DROP_95;
use super::likelihood::{Advantage, Fit, Problem};
use super::separation::Separation;

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
pub(super) fn fit_with_advantage(problem: &Problem<'_>, separation: Separation) -> AdvantageFit {
    match separation {
        Separation::Finite => AdvantageFit {
            fit: problem.maximise(Advantage::Free, None),
            finding: Finding::Estimated,
        },
        Separation::Inseparable => AdvantageFit {
            fit: problem.maximise(Advantage::Held(0.0), None),
            finding: Finding::Unknown,
        },
        Separation::UnboundedAbove => fit_bounded(problem, Bound::AtLeast),
        Separation::UnboundedBelow => fit_bounded(problem, Bound::AtMost),
    }
}

/// The bound is where the likelihood, ratings refitted at each value, has fallen by half the 95 %
/// point of χ² from its least upper bound.
fn fit_bounded(problem: &Problem<'_>, bound: Bound) -> AdvantageFit {
    // The likelihood at this many logits (3,474 Elo) stands for that at infinity. It is a little
    // less, which makes the bound a little more cautious.
    const FAR: f64 = 20.0;
    let sign = if bound == Bound::AtLeast { 1.0 } else { -1.0 };
    let far = problem.maximise(Advantage::Held(sign * FAR), None);
    let floor = far.log_likelihood - LIKELIHOOD_DROP_95;
    let least = smallest_with(|size| {
        problem
            .maximise(Advantage::Held(sign * size), None)
            .log_likelihood
            >= floor
    });
    // A handful of games gives a bound on the wrong side of 0. It is true, but no value to fit by.
    let fit = problem.maximise(Advantage::Held(sign * least.max(0.0)), None);
    AdvantageFit {
        fit,
        finding: Finding::Bounded(sign * least, bound),
    }
}
