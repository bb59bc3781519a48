//! Warnings for readers of ratings, found in a finished fit.

use super::advantage::AdvantageFinding;
use super::bounds::{BoundDirection, Placement};
use super::connectivity::Connectivity;
use super::likelihood::Fit;
use super::tally::{Results, Sample};
use crate::stats::game::RatedEntrant;
use crate::stats::ratings::{ErrorBasis, Rating, RatingModel};

/// A warning for a reader of the ratings.
#[derive(Clone, Debug, PartialEq)]
pub enum Warning {
    /// There are no games.
    NoGames,
    /// This entrant has no game: its rating means nothing.
    Unplayed(RatedEntrant),
    /// This many sets of entrants never met, directly or by way of others: no common scale.
    Disconnected {
        /// Number of components with games.
        components: usize,
    },
    /// No game links these entrants to an anchor: their mean is 0, whatever the anchors are.
    NotAnchored(Vec<RatedEntrant>),
    /// Two groups of several entrants met and one won every game.
    NeverLost {
        /// The members of the group that won.
        winners: Vec<RatedEntrant>,
        /// The members of the other.
        losers: Vec<RatedEntrant>,
    },
    /// No game, direct or through a chain of wins, compares these entrants with the base of their
    /// component; their bounds are valid against their own opponents only.
    Incomparable(Vec<RatedEntrant>),
    /// The first-move advantage cannot be told from strength; it was left out.
    AdvantageInseparable,
    /// The first-move advantage has no finite estimate; it was held at its bound, or at 0 if the
    /// bound lies on the other side of 0.
    AdvantageUnbounded(BoundDirection),
    /// Games were repeated move by move: they do not count as new in any error.
    Duplicates(Sample),
    /// This many pairs have games of different entrants, for example because each pairing numbers
    /// its pairs separately: each was treated as one observation.
    MixedPairs(u64),
    /// Too few openings to see how they scatter: no error is known.
    FewOpenings(ErrorBasis),
    /// The ratings of these entrants depend on a single opening: they have no error yet, though
    /// others do.
    OneOpening(Vec<RatedEntrant>),
    /// The fit did not reach its goal; this is the largest remaining partial derivative (points per
    /// logit).
    NotConverged {
        /// Points per logit.
        gradient: f64,
    },
}

/// The results that warnings are drawn from.
pub struct WarningInput<'a> {
    pub model: &'a RatingModel,
    pub results: &'a [Results],
    pub sample: Sample,
    pub mixed_pairs: u64,
    pub connectivity: &'a Connectivity,
    pub placements: &'a [Placement],
    pub finding: AdvantageFinding,
    pub fit: &'a Fit,
    pub errors: ErrorBasis,
    pub ratings: &'a [Rating],
}

impl WarningInput<'_> {
    /// All warnings in a fixed order.
    pub fn warnings(&self) -> Vec<Warning> {
        if self.results.iter().all(|results| results.games() == 0) {
            return vec![Warning::NoGames];
        }
        let unplayed = self.results.iter().enumerate();
        let mut warnings: Vec<Warning> = unplayed
            .filter(|(_, results)| results.games() == 0)
            .map(|(position, _)| Warning::Unplayed(RatedEntrant::at(position)))
            .collect();
        self.warn_of_components(&mut warnings);
        self.warn_of_groups(&mut warnings);
        match self.finding {
            AdvantageFinding::Unknown if self.model.first_move_advantage => {
                warnings.push(Warning::AdvantageInseparable);
            }
            AdvantageFinding::Bounded(_, bound) => {
                warnings.push(Warning::AdvantageUnbounded(bound));
            }
            AdvantageFinding::Unknown | AdvantageFinding::Estimated => {}
        }
        if self.sample.duplicate_games > 0 {
            warnings.push(Warning::Duplicates(self.sample));
        }
        if self.errors.known && self.mixed_pairs > 0 {
            warnings.push(Warning::MixedPairs(self.mixed_pairs));
        }
        let open = self.without_error();
        if !self.errors.known && !open.is_empty() {
            warnings.push(Warning::FewOpenings(self.errors));
        } else if !open.is_empty() {
            warnings.push(Warning::OneOpening(open));
        }
        if !self.fit.converged {
            let gradient = self.fit.gradient;
            warnings.push(Warning::NotConverged { gradient });
        }
        warnings
    }

    /// Entrants that are fitted and have no error.
    fn without_error(&self) -> Vec<RatedEntrant> {
        let is_open = |rating: &&Rating| {
            let is_fitted = self.connectivity.groups[rating.group].len() > 1;
            is_fitted && rating.bound.is_none() && rating.error95.is_none()
        };
        self.ratings
            .iter()
            .filter(is_open)
            .map(|rating| rating.entrant)
            .collect()
    }

    fn warn_of_components(&self, warnings: &mut Vec<Warning>) {
        let played = |member: &RatedEntrant| self.results[member.position()].games() > 0;
        let components: Vec<&Vec<RatedEntrant>> = self
            .connectivity
            .components
            .iter()
            .filter(|members| members.iter().any(played))
            .collect();
        if components.len() > 1 {
            warnings.push(Warning::Disconnected {
                components: components.len(),
            });
        }
        let anchors = &self.model.anchors;
        if !anchors.is_empty() {
            let anchored =
                |members: &[RatedEntrant]| members.iter().any(|m| anchors.contains_key(m));
            let mut adrift: Vec<RatedEntrant> = components
                .into_iter()
                .filter(|members| !anchored(members))
                .flatten()
                .copied()
                .collect();
            adrift.sort_unstable();
            if !adrift.is_empty() {
                warnings.push(Warning::NotAnchored(adrift));
            }
        }
    }

    fn warn_of_groups(&self, warnings: &mut Vec<Warning>) {
        let groups = &self.connectivity.groups;
        for (winner, losers) in self.connectivity.beaten_by.iter().enumerate() {
            for &loser in losers {
                let (winners, losers) = (&groups[winner], &groups[loser]);
                if winners.len() > 1 && losers.len() > 1 {
                    let (winners, losers) = (winners.clone(), losers.clone());
                    warnings.push(Warning::NeverLost { winners, losers });
                }
            }
        }
        for placement in self.placements {
            let mut beside: Vec<RatedEntrant> = placement
                .beside
                .iter()
                .flat_map(|&group| groups[group].iter().copied())
                .collect();
            beside.sort_unstable();
            if !beside.is_empty() {
                warnings.push(Warning::Incomparable(beside));
            }
        }
    }
}
