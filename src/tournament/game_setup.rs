//! One game of a plan: its settings, and its record.

use crate::record::{GameId, GameRecord};
use crate::referee::{GameSetup, PlayedGame};
use crate::rules::moves_text;
use crate::tournament::openings::Opening;
use crate::tournament::plan::Plan;

/// A game of a plan before it is played.
#[derive(Clone, Debug)]
pub struct PlannedGame<'a> {
    plan: &'a Plan,
    /// Its id in the journal.
    pub id: GameId,
    /// The names of South and North.
    pub names: [&'a str; 2],
    /// The number and the opening from which it starts.
    pub opening: (u32, &'a Opening),
    told_id: String,
    moves: String,
}

impl<'a> PlannedGame<'a> {
    /// A game of this id between entrants of these names.
    ///
    /// # Panics
    /// The plan is blind and has no secret.
    pub fn new(
        plan: &'a Plan,
        id: GameId,
        names: [&'a str; 2],
        opening: (u32, &'a Opening),
    ) -> Self {
        Self {
            told_id: plan.told_id(&id),
            moves: moves_text(&opening.1.moves),
            plan,
            id,
            names,
            opening,
        }
    }

    /// How the referee plays it.
    ///
    /// # Panics
    /// The plan has no secret.
    pub fn setup(&self) -> GameSetup<'_> {
        let (plan, (_, opening)) = (self.plan, self.opening);
        GameSetup {
            id: &self.told_id,
            names: (!plan.blind).then_some(self.names),
            preset: plan.preset,
            rules: plan.rules,
            clock: plan.clock,
            max_plies: plan.max_plies,
            seeds: plan.bot_seeds(&self.id, self.names),
            start: opening.position,
            opening: opening.has_moves().then_some(&self.moves),
        }
    }

    /// The record of it, played in this attempt.
    pub fn record(self, played: PlayedGame, attempt: u32) -> GameRecord {
        let (number, opening) = self.opening;
        GameRecord {
            id: self.id,
            attempt,
            entrants: self.names.map(str::to_owned),
            opening: number,
            opening_moves: opening.moves.clone(),
            start: opening.position,
            plies: played.plies,
            ending: played.ending,
            stores: played.stores,
            ready_us: played.ready_us,
            lateness_us: played.lateness_us,
            off_turn_us: played.off_turn_us,
            short_cpu_us: played.short_cpu_us,
            introductions: played.introductions,
            at: None,
        }
    }
}
