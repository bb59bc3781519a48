//! Warnings for readers of ratings, found after the fit.

use super::bounds::BoundDirection;
use super::tally::Sample;
use crate::stats::error_basis::ErrorBasis;
use crate::stats::game::RatedEntrant;

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
    /// See [`ErrorSource::None`](crate::stats::errors::ErrorSource::None).
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
