//! The uncertainty of a fit's numbers: from matrices of all of them, or for each rating separately.

use super::bootstrap::{Resampling, resampled, resampled_each};
use super::clusters::ClusterKind;
use super::connectivity::Connectivity;
use super::errors::{Bread, ErrorSource, designs, surpluses};
use super::information::Factors;
use super::layout::{RatingLayout, SolverKind};
use super::likelihood::{Fit, Problem};
use super::sparse::{Measuring, Number, measure};
use super::uncertainty::{Each, Matrices, Measured, Uncertainty};
use crate::stats::error_basis::ErrorBasis;
use crate::stats::game::RatedEntrant;
use crate::stats::ratings::Errors;

/// Which errors somebody will look at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Wanted {
    /// Those of ratings and of all their differences.
    Differences,
    /// Those of ratings: enough of them are measured each alone.
    Ratings,
}

/// What is appraised.
pub struct Appraised<'a> {
    pub problem: &'a Problem<'a>,
    pub layout: &'a RatingLayout,
    pub fit: &'a Fit,
    /// Clusters inside groups.
    pub kinds: &'a [ClusterKind],
    pub errors: Errors,
    pub wanted: Wanted,
    /// By entrant: against whom its rating is measured; `None` is the mean of its group.
    pub against: Vec<Option<usize>>,
}

/// What was found.
pub struct Appraisal {
    pub errors: ErrorBasis,
    /// `None` if rounding errors ruin it.
    pub uncertainty: Option<Uncertainty>,
}

/// Of each cluster what was played inside groups.
pub fn inside_groups(all: &[ClusterKind], connectivity: &Connectivity) -> Vec<ClusterKind> {
    let group = |entrant: RatedEntrant| connectivity.group_of[entrant.position()];
    let mut kinds = all.to_vec();
    for kind in &mut kinds {
        kind.results
            .retain(|(result, _)| group(result.south) == group(result.north));
    }
    kinds.retain(|kind| !kind.results.is_empty());
    kinds
}

/// The errors of a fit, and what they rest on.
pub fn appraise(what: &Appraised<'_>) -> Appraisal {
    let clusters: u64 = what.kinds.iter().map(|kind| kind.distinct).sum();
    let mut errors = ErrorBasis {
        method: ErrorSource::None,
        clusters,
        parameters: what.layout.parameters() as u64 + u64::from(what.fit.free),
    };
    let way = match what.wanted {
        Wanted::Differences => SolverKind::Dense,
        Wanted::Ratings => what.layout.way,
    };
    let layout = what.layout.clone().by(way);
    let information = what.problem.information_by(&layout, what.fit);
    let Some(factors) = information.factor(&layout, 0.0) else {
        return Appraisal {
            errors,
            uncertainty: None,
        };
    };
    errors.method = match what.errors {
        Errors::Sandwich => ErrorSource::Sandwich,
        Errors::Bootstrap { .. } => ErrorSource::Bootstrap,
    };
    let (games, information) = what.played();
    let games = (games / clusters as f64, information / games);
    let uncertainty = match way {
        SolverKind::Dense => Uncertainty::of_all(what.matrices(&layout, &factors), games),
        SolverKind::Sparse => Uncertainty::of_each(what.each(&layout, &factors), games),
    };
    Appraisal {
        errors,
        uncertainty: Some(uncertainty),
    }
}

impl Appraised<'_> {
    /// The number of games, and their information.
    fn played(&self) -> (f64, f64) {
        let terms = self.problem.terms().iter();
        terms.fold((0.0, 0.0), |(games, information), term| {
            let here = term.south_points + term.north_points;
            (games + here, information + here * self.fit.variance(term))
        })
    }

    fn matrices(&self, layout: &RatingLayout, factors: &Factors) -> Matrices {
        let bread = Bread::new(layout, self.fit, factors);
        let scatter = match self.errors {
            Errors::Sandwich => bread.sandwich(self.kinds),
            Errors::Bootstrap { seed, resamples } => {
                resampled(&self.resampling(layout, factors), seed, resamples)
            }
        };
        let designs = designs(self.fit, self.kinds);
        Matrices::new(&bread, designs, surpluses(self.fit, self.kinds), scatter)
    }

    fn each(&self, layout: &RatingLayout, factors: &Factors) -> Each {
        let entrants = self.against.iter().enumerate();
        let mut numbers: Vec<Number> = entrants
            .map(|(entrant, &against)| Number::Rating(entrant, against))
            .collect();
        if self.fit.free {
            numbers.push(Number::Advantage);
        }
        let measuring = Measuring {
            layout,
            fit: self.fit,
            factors,
            terms: self.problem.terms(),
            kinds: self.kinds,
        };
        let mut ratings = measure(&measuring, &numbers);
        if let Errors::Bootstrap { seed, resamples } = self.errors {
            let what = self.resampling(layout, factors);
            let scatters = resampled_each(&what, seed, resamples, &numbers);
            for (measured, scatter) in ratings.iter_mut().zip(scatters) {
                measured.scatter = scatter;
            }
        }
        let advantage = if self.fit.free { ratings.pop() } else { None };
        Each {
            against: self.against.clone(),
            ratings,
            advantage: advantage.unwrap_or(Measured::default()),
        }
    }

    fn resampling<'a>(&'a self, layout: &'a RatingLayout, factors: &'a Factors) -> Resampling<'a> {
        Resampling {
            problem: self.problem,
            layout,
            fit: self.fit,
            factors,
            kinds: self.kinds,
        }
    }
}
