//! Void games: games that do not count because the host disturbed them.

use crate::rules::Side;

/// What is known of a game that the host disturbed.
///
/// `on_turn` and `active` differ where a bot's process ends while its opponent is on turn.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Void {
    /// What happened, in words. May quote a bot: hostile text.
    pub cause: String,
    /// The side that was on turn, or was getting ready.
    pub on_turn: Option<Side>,
    /// The side whose processes the host disturbed, as far as the referee noticed.
    pub active: Option<Side>,
    /// The time of the turn in µs without the part that the host took, if the void is about time.
    pub late_us: Option<u64>,
    /// CPU time of South's and North's families in that turn, in µs; of the side on turn, if known.
    pub cpu_us: [Option<u64>; 2],
}

impl Void {
    /// A void with only its cause.
    pub fn new(cause: impl Into<String>) -> Self {
        Self {
            cause: cause.into(),
            ..Self::default()
        }
    }

    /// Adds the side whose processes the host disturbed.
    #[must_use]
    pub fn of(self, side: Side) -> Self {
        Self {
            active: Some(side),
            ..self
        }
    }

    /// Adds the side that was on turn; it is also the disturbed side if that is unknown.
    #[must_use]
    pub fn on_turn(self, side: Side) -> Self {
        Self {
            on_turn: Some(side),
            active: self.active.or(Some(side)),
            ..self
        }
    }
}
