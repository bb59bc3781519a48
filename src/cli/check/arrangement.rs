//! What the bot is examined under, and what is not the same in every game of the examination.

use super::scene::Scene;
use crate::referee::{ClockSettings, Measure};
use crate::rules::{Pit, Position, Preset, RuleSet, Side};
use std::time::Duration;

/// Plies after which a whole game is adjudicated, as in a tournament.
const MAX_PLIES: u32 = 600;

/// What the bot is examined under.
#[derive(Clone, Copy, Debug)]
pub(super) struct Terms {
    /// The preset that the rules started from.
    pub(super) preset: Preset,
    /// The rules.
    pub(super) rules: RuleSet,
    /// Limit of each move.
    pub(super) move_limit: Duration,
}

impl Terms {
    /// How long an answer is waited for: long enough to tell slow from never.
    pub(super) fn patience(&self) -> Duration {
        (self.move_limit * 10).clamp(Duration::from_secs(2), Duration::from_secs(30))
    }

    /// The clock of the examination. The bot sees the true limit; the margin is our patience.
    pub(super) fn clock(&self) -> ClockSettings {
        ClockSettings {
            move_limit: Some(self.move_limit),
            bank: None,
            increment: Duration::ZERO,
            margin: self.patience(),
            measure: Measure::Wall,
        }
    }
}

/// What is not the same in every game of the examination.
pub(super) struct Arrangement {
    pub(super) start: Position,
    pub(super) bot: Side,
    /// The partner's first moves.
    pub(super) first: Vec<Pit>,
    pub(super) plies: u32,
    pub(super) rules: RuleSet,
    pub(super) clock: ClockSettings,
    pub(super) seed: u64,
    pub(super) is_blind: bool,
}

impl Arrangement {
    /// A whole game from the start.
    pub(super) fn whole(terms: &Terms, bot: Side) -> Self {
        Self {
            start: Position::START,
            bot,
            first: Vec::new(),
            plies: MAX_PLIES,
            rules: terms.rules,
            clock: terms.clock(),
            seed: 1,
            is_blind: false,
        }
    }

    /// Some plies from the start.
    pub(super) fn short(terms: &Terms, bot: Side, plies: u32) -> Self {
        Self {
            plies,
            ..Self::whole(terms, bot)
        }
    }

    /// A position, and some plies from there.
    pub(super) fn scene(terms: &Terms, scene: &Scene) -> Self {
        Self {
            start: scene.position(),
            first: scene.first_moves(),
            plies: scene.plies,
            rules: scene.rules(&terms.rules),
            ..Self::whole(terms, scene.bot)
        }
    }
}
