//! A game that does not count because the host disturbed it: a value with what is known of it.

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
    /// The side whose processes the host disturbed, as far as the referee saw.
    pub active: Option<Side>,
    /// Time of the turn in µs without what the host took of it, if the void is about time.
    pub late_us: Option<u64>,
    /// CPU time of South's and North's families in that turn, in µs: of the side on turn, if that
    /// is known.
    pub cpu_us: [Option<u64>; 2],
}

impl Void {
    /// A void of which only the cause is known.
    pub fn new(cause: impl Into<String>) -> Self {
        Self {
            cause: cause.into(),
            ..Self::default()
        }
    }

    /// The same with the side whose processes the host disturbed.
    #[must_use]
    pub fn of(self, side: Side) -> Self {
        Self {
            active: Some(side),
            ..self
        }
    }

    /// The same with the side that was on turn, whose processes the host disturbed if nothing else
    /// is known.
    #[must_use]
    pub fn on_turn(self, side: Side) -> Self {
        Self {
            on_turn: Some(side),
            active: self.active.or(Some(side)),
            ..self
        }
    }

    /// The side that the void may have spared a loss: the one whose processes were disturbed.
    /// Nothing for games of older journals, which do not say.
    pub const fn spared(&self) -> Option<Side> {
        match (self.active, self.on_turn) {
            (Some(side), _) | (None, Some(side)) => Some(side),
            (None, None) => None,
        }
    }
}
