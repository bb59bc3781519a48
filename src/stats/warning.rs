//! What a reader of ratings must be told, found after the fit.

use super::bounds::BoundDirection;
use super::tally::Sample;
use crate::stats::error_basis::ErrorBasis;
use crate::stats::game::RatedEntrant;

/// What a reader of the ratings must be told.
#[derive(Clone, Debug, PartialEq)]
pub enum Warning {
    /// There is no game at all.
    NoGames,
    /// This entrant has no game: its rating says nothing.
    Unplayed(RatedEntrant),
    /// This many sets of entrants never met, directly or by way of others: no common scale.
    Disconnected {
        /// Number of components with games.
        components: usize,
    },
    /// No anchor is linked to these by any game: the mean of theirs is 0, whatever the anchors are.
    NotAnchored(Vec<RatedEntrant>),
    /// Two groups of several entrants met and one won every game.
    NeverLost {
        /// The members of the group that won.
        winners: Vec<RatedEntrant>,
        /// The members of the other.
        losers: Vec<RatedEntrant>,
    },
    /// No game, direct or by a chain of wins, tells these from the base of their component; their
    /// bounds hold against the opponents they met only.
    Incomparable(Vec<RatedEntrant>),
    /// The first-move advantage cannot be told from strength; it was left out.
    AdvantageInseparable,
    /// The first-move advantage has no finite estimate; it was held at its bound, or at 0 if the
    /// bound lies on the other side of 0.
    AdvantageUnbounded(BoundDirection),
    /// Games were played again to the move: they do not count as new in any error.
    Duplicates(Sample),
    /// So many pairs have games of different entrants, as where each pairing counts its pairs anew:
    /// each was taken as one observation.
    MixedPairs(u64),
    /// Too few openings for seeing how they scatter: no error is known.
    /// See [`ErrorSource::None`](crate::stats::errors::ErrorSource::None).
    FewOpenings(ErrorBasis),
    /// The ratings of these rest on a single opening: they have no error yet, though others do.
    OneOpening(Vec<RatedEntrant>),
    /// The fit did not reach its goal; this is the largest partial derivative left (points per
    /// logit).
    NotConverged {
        /// Points per logit.
        gradient: f64,
    },
}
