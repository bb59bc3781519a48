//! What a reader of ratings must be told, found after the fit.

use super::advantage::Finding;
use super::bounds::{Bound, Placement};
use super::connectivity::Connectivity;
use super::errors::Method;
use super::likelihood::Fit;
use super::rating::{ErrorBasis, Rating, RatingModel};
use super::tally::{EntrantIndex, Results, Sample};

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
    /// No anchor is linked to these by any game: the mean of theirs is 0, whatever the anchors are.
    NotAnchored(Vec<EntrantIndex>),
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
    /// Games were played again to the move: they do not count as new in any error.
    Duplicates(Sample),
    /// So many pairs have games of different entrants, as where each pairing counts its pairs anew:
    /// each was taken as one observation.
    MixedPairs(u64),
    /// Too few openings for seeing how they scatter: no error is known ([`Method::None`]).
    FewOpenings(ErrorBasis),
    /// The ratings of these rest on a single opening: they have no error yet, though others do.
    OneOpening(Vec<EntrantIndex>),
    /// The fit did not reach its goal; this is the largest partial derivative left (points per
    /// logit).
    NotConverged {
        /// Points per logit.
        gradient: f64,
    },
}

/// What warnings are drawn from.
pub(super) struct Outcome<'a> {
    pub(super) model: &'a RatingModel,
    pub(super) results: &'a [Results],
    pub(super) sample: Sample,
    pub(super) mixed_pairs: u64,
    pub(super) connectivity: &'a Connectivity,
    pub(super) placements: &'a [Placement],
    pub(super) finding: Finding,
    pub(super) fit: &'a Fit,
    pub(super) errors: ErrorBasis,
    pub(super) ratings: &'a [Rating],
}

impl Outcome<'_> {
    /// All warnings in a fixed order.
    pub(super) fn warnings(&self) -> Vec<Warning> {
        if self.results.iter().all(|results| results.games() == 0) {
            return vec![Warning::NoGames];
        }
        let unplayed = self.results.iter().enumerate();
        let mut warnings: Vec<Warning> = unplayed
            .filter(|(_, results)| results.games() == 0)
            .map(|(position, _)| Warning::Unplayed(EntrantIndex::at(position)))
            .collect();
        self.warn_of_components(&mut warnings);
        self.warn_of_groups(&mut warnings);
        match self.finding {
            Finding::Unknown if self.model.first_move_advantage => {
                warnings.push(Warning::AdvantageInseparable);
            }
            Finding::Bounded(_, bound) => warnings.push(Warning::AdvantageUnbounded(bound)),
            Finding::Unknown | Finding::Estimated => {}
        }
        if self.sample.duplicate_games > 0 {
            warnings.push(Warning::Duplicates(self.sample));
        }
        if self.errors.method != Method::None && self.mixed_pairs > 0 {
            warnings.push(Warning::MixedPairs(self.mixed_pairs));
        }
        let open = self.without_error();
        if self.errors.method == Method::None && !open.is_empty() {
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

    /// Whoever is fitted and has no error.
    fn without_error(&self) -> Vec<EntrantIndex> {
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
        let played = |member: &EntrantIndex| self.results[member.position()].games() > 0;
        let components: Vec<&Vec<EntrantIndex>> = self
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
                |members: &[EntrantIndex]| members.iter().any(|m| anchors.contains_key(m));
            let mut adrift: Vec<EntrantIndex> = components
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
            let mut beside: Vec<EntrantIndex> = placement
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
