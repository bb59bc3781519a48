//! The terms of an examination, and what varies between its games.

use super::rule_position::RulePosition;
use crate::referee::ClockSettings;
use crate::rules::{Pit, Position, Preset, RuleSet, Side};
use std::time::Duration;

/// Plies after which a whole game is adjudicated, as in a tournament.
const MAX_PLIES: u32 = 600;

/// The terms of an examination.
#[derive(Clone, Copy, Debug)]
pub struct ExaminationTerms {
    /// The preset from which the rules were derived.
    pub preset: Preset,
    /// The rules.
    pub rules: RuleSet,
    /// Limit of each move.
    pub move_limit: Duration,
    /// Whether steps about other rules are taken as well.
    pub all_rules: bool,
}

impl ExaminationTerms {
    /// How long to wait for an answer: long enough to tell a slow bot from one that never answers.
    pub fn time_limit(&self) -> Duration {
        (self.move_limit * 10).clamp(Duration::from_secs(2), Duration::from_secs(30))
    }

    /// The clock of the examination. The bot is told the real limit; the margin is added silently.
    pub fn clock(&self) -> ClockSettings {
        ClockSettings {
            move_limit: Some(self.move_limit),
            margin: self.time_limit(),
            ..ClockSettings::default()
        }
    }
}

/// What varies between the games of an examination.
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
    /// A whole game from the start position.
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

    /// This many plies from the start position.
    pub fn short(terms: &ExaminationTerms, bot: Side, plies: u32) -> Self {
        Self {
            plies,
            ..Self::whole(terms, bot)
        }
    }

    /// This many plies from a given position.
    pub fn from_position(terms: &ExaminationTerms, position: &RulePosition) -> Self {
        Self {
            start: position.position(),
            first: position.first_moves(),
            plies: position.plies,
            rules: position.rules(&terms.rules),
            ..Self::whole(terms, position.bot)
        }
    }
}
