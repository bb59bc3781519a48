//! What keeps ratings from being what they seem, found in a finished fit.

use crate::stats::advantage::AdvantageFinding;
use crate::stats::bounds::Placement;
use crate::stats::connectivity::Connectivity;
use crate::stats::error_basis::ErrorBasis;
use crate::stats::errors::ErrorSource;
use crate::stats::game::RatedEntrant;
use crate::stats::likelihood::Fit;
use crate::stats::ratings::{Rating, RatingModel};
use crate::stats::tally::{Results, Sample};
use crate::stats::warning::Warning;

/// What warnings are drawn from.
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
        if self.errors.method != ErrorSource::None && self.mixed_pairs > 0 {
            warnings.push(Warning::MixedPairs(self.mixed_pairs));
        }
        let open = self.without_error();
        if self.errors.method == ErrorSource::None && !open.is_empty() {
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
