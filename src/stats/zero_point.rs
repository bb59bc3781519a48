//! The zero point of ratings: the mean of a component's base, or its anchors; and each entrant's
//! rating and error relative to it.

use std::collections::BTreeMap;

use super::bounds::Placement;
use super::connectivity::Connectivity;
use super::elo::ELO_PER_LOGIT;
use super::likelihood::Fit;
use super::tally::Results;
use super::uncertainty::Uncertainty;
use crate::stats::game::RatedEntrant;
use crate::stats::ratings::{Rating, RatingModel, ZeroPoint};

/// The zero points of all components.
pub struct ZeroPoints<'a> {
    anchors: &'a BTreeMap<RatedEntrant, f64>,
    /// By component: the group of its anchors, the logits by which it moves, one of the anchors.
    anchored: BTreeMap<usize, (usize, f64, RatedEntrant)>,
}

impl<'a> ZeroPoints<'a> {
    pub fn new(model: &'a RatingModel, connectivity: &Connectivity, fit: &Fit) -> Self {
        let anchors = &model.anchors;
        let entrants = connectivity.group_of.len();
        let known = anchors
            .iter()
            .filter(|(anchor, _)| anchor.position() < entrants);
        let anchored = known.map(|(&anchor, elo)| {
            let position = anchor.position();
            // Several anchors were held at their values, so they do not move.
            let shift = elo / ELO_PER_LOGIT - fit.ratings[position];
            let (component, group) = (
                connectivity.component_of[position],
                connectivity.group_of[position],
            );
            (component, (group, shift, anchor))
        });
        Self {
            anchors,
            anchored: anchored.collect(),
        }
    }

    /// The group of a component's anchors, and its shift in logits.
    pub fn anchored(&self, component: usize) -> Option<(usize, f64)> {
        let &(group, shift, _) = self.anchored.get(&component)?;
        Some((group, shift))
    }

    /// The rating of one entrant.
    pub fn rating(
        &self,
        position: usize,
        results: Results,
        connectivity: &Connectivity,
        fit: &Fit,
        placements: &[Placement],
        uncertainty: Option<&Uncertainty>,
    ) -> Rating {
        let entrant = RatedEntrant::at(position);
        let (component, group) = (
            connectivity.component_of[position],
            connectivity.group_of[position],
        );
        let (offset, bound) = placements[component].places[&group];
        let anchor = self.anchored.get(&component).map(|&(_, _, anchor)| anchor);
        let given = self.anchors.get(&entrant).copied();
        let alone = connectivity.groups[group].len() == 1;
        let error95 = if given.is_some() {
            Some(0.0)
        } else {
            let known = uncertainty.filter(|_| bound.is_none() && !alone);
            known.and_then(|known| {
                Some(
                    known
                        .of(position, anchor.map(RatedEntrant::position))?
                        .elo(),
                )
            })
        };
        Rating {
            entrant,
            elo: given.unwrap_or((fit.ratings[position] + offset) * ELO_PER_LOGIT),
            error95,
            zero_point: if anchor.is_some() {
                ZeroPoint::Anchor
            } else {
                ZeroPoint::Mean
            },
            bound,
            component,
            group,
            results,
        }
    }
}
