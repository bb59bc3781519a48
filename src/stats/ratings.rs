//! The ratings of a pool as values: the model and the results.

use crate::stats::bound_levels::BoundLevels;
use crate::stats::bounds::BoundDirection;
use crate::stats::connectivity::Connectivity;
use crate::stats::game::RatedEntrant;
use crate::stats::tally::{Results, Sample};
use crate::stats::uncertainty::Uncertainty;
use crate::stats::warning::Warning;
use std::collections::BTreeMap;

/// The games of an entrant on one side against one other of its group.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SeatGames {
    /// The other one.
    pub opponent: usize,
    /// Logits that the first-move advantage gives the entrant.
    pub side: f64,
    /// Points that the entrant took.
    pub points: f64,
    /// Points that the other one took.
    pub lost: f64,
}

/// The model to fit.
#[derive(Clone, Debug, PartialEq)]
pub struct RatingModel {
    /// Whether South's advantage is estimated; otherwise it is 0.
    pub first_move_advantage: bool,
    /// The given Elo of entrants; finite. Entrants outside the tally are ignored.
    pub anchors: BTreeMap<RatedEntrant, f64>,
    /// How many times as wide intervals are than for one look: 1 for a tournament that has ended,
    /// else [`widening`](super::anytime::widening).
    pub widening: f64,
}

impl Default for RatingModel {
    fn default() -> Self {
        Self {
            first_move_advantage: true,
            anchors: BTreeMap::new(),
            widening: 1.0,
        }
    }
}

/// The zero point of a rating and its error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ZeroPoint {
    /// The mean of the entrants of its group.
    Mean,
    /// The anchors of its component.
    Anchor,
}

/// One entrant's rating.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rating {
    /// The entrant.
    pub entrant: RatedEntrant,
    /// Elo above the zero point of its component; always finite.
    pub elo: f64,
    /// Half the width of the 95 % interval, Elo; 0 for an anchor. `None` for a bound, for an
    /// entrant alone in its group, and where there are too few openings.
    pub error95: Option<f64>,
    /// The zero point of `elo` and `error95`.
    pub zero_point: ZeroPoint,
    /// Whether `elo` is only a bound.
    pub bound: Option<BoundDirection>,
    /// The component: ratings of different components cannot be compared.
    pub component: usize,
    /// The group inside which it was fitted.
    pub group: usize,
    /// Wins, draws and losses.
    pub results: Results,
}

/// The advantage of moving first.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AdvantageEstimate {
    /// Elo that South gains; always finite.
    pub elo: f64,
    /// Half the width of the 95 % interval, Elo; `None` for a bound.
    pub error95: Option<f64>,
    /// Whether `elo` is only a bound.
    pub bound: Option<BoundDirection>,
}

/// The data on which errors rest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ErrorBasis {
    /// Whether any error is known: there are openings enough to see how they scatter.
    pub known: bool,
    /// Different openings (else pairs, else games) with a game inside a group.
    pub clusters: u64,
    /// Free parameters of the fit.
    pub parameters: u64,
}

/// The ratings of all entrants.
#[derive(Clone, Debug, PartialEq)]
pub struct Ratings {
    /// One for each entrant, in their order.
    pub ratings: Vec<Rating>,
    /// `None` if the model excludes it or it cannot be estimated.
    pub advantage: Option<AdvantageEstimate>,
    /// Components and groups; several anchors are in one of each.
    pub connectivity: Connectivity,
    /// The data behind the errors.
    pub errors: ErrorBasis,
    /// The number of games, and how many of them were new.
    pub sample: Sample,
    /// How many times as wide all intervals are than for one look.
    pub widening: f64,
    /// In a fixed order.
    pub warnings: Vec<Warning>,
    /// Logits of each entrant inside its group.
    pub(super) logits: Vec<f64>,
    /// Logits that moving first is worth in the fit: estimated, or held.
    pub(super) held_advantage: f64,
    /// `None` if rounding errors make it useless.
    pub(super) uncertainty: Option<Uncertainty>,
    /// By entrant: its games inside its group.
    pub(super) played: Vec<Vec<SeatGames>>,
    /// By entrant: whether its rating is given, together with others.
    pub(super) is_held: Vec<bool>,
    /// Where groups stand at other levels than 95 %; `None` if no two groups are compared.
    pub(super) levels: Option<BoundLevels>,
}
