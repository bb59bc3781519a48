//! What the bot is examined under, and what is not the same in every game of the examination.

use super::scene::RulePosition;
use crate::referee::{ClockSettings, Measure};
use crate::rules::{Pit, Position, Preset, RuleSet, Side};
use std::time::Duration;

/// Plies after which a whole game is adjudicated, as in a tournament.
const MAX_PLIES: u32 = 600;

/// What the bot is examined under.
#[derive(Clone, Copy, Debug)]
pub struct ExaminationTerms {
    /// The preset that the rules started from.
    pub preset: Preset,
    /// The rules.
    pub rules: RuleSet,
    /// Limit of each move.
    pub move_limit: Duration,
}

impl ExaminationTerms {
    /// How long an answer is waited for: long enough to tell slow from never.
    pub fn time_limit(&self) -> Duration {
        (self.move_limit * 10).clamp(Duration::from_secs(2), Duration::from_secs(30))
    }

    /// The clock of the examination. The bot sees the true limit; the margin is added to it
    /// silently.
    pub fn clock(&self) -> ClockSettings {
        ClockSettings {
            move_limit: Some(self.move_limit),
            bank: None,
            increment: Duration::ZERO,
            margin: self.time_limit(),
            measure: Measure::Wall,
        }
    }
}

/// What is not the same in every game of the examination.
pub struct Arrangement {
    pub start: Position,
    pub bot: Side,
    /// The partner's first moves.
    pub first: Vec<Pit>,
    pub plies: u32,
    pub rules: RuleSet,
    pub clock: ClockSettings,
    pub seed: u64,
    pub is_blind: bool,
}

impl Arrangement {
    /// A whole game from the start.
    pub fn whole(terms: &ExaminationTerms, bot: Side) -> Self {
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
    pub fn short(terms: &ExaminationTerms, bot: Side, plies: u32) -> Self {
        Self {
            plies,
            ..Self::whole(terms, bot)
        }
    }

    /// A position, and some plies from there.
    pub fn scene(terms: &ExaminationTerms, scene: &RulePosition) -> Self {
        Self {
            start: scene.position(),
            first: scene.first_moves(),
            plies: scene.plies,
            rules: scene.rules(&terms.rules),
            ..Self::whole(terms, scene.bot)
        }
    }
}
