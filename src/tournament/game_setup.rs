//! One game of a plan: what its bots are told, its settings, and its record.

use crate::record::{GameId, GameRecord};
use crate::referee::{AgreementTerms, GameSetup, PlayedGame};
use crate::rules::moves_text;
use crate::tournament::openings::Opening;
use crate::tournament::plan::Plan;
use serde::{Deserialize, Serialize};

/// What the bots of a game are told that derives from the run's secret, and does not reveal it.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Told {
    /// The id of the game.
    pub id: String,
    /// The seeds of South and North.
    pub seeds: [u64; 2],
}

impl Plan {
    /// What the bots of a game between South and North of these names are told.
    ///
    /// # Panics
    /// The plan has no secret.
    pub fn told(&self, game: &GameId, names: [&str; 2]) -> Told {
        Told {
            id: self.told_id(game),
            seeds: self.bot_seeds(game, names),
        }
    }
}

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
    told: Told,
    moves: String,
}

impl<'a> PlannedGame<'a> {
    /// A game of this id between entrants of these names.
    ///
    /// # Panics
    /// The plan has no secret.
    pub fn new(
        plan: &'a Plan,
        id: GameId,
        names: [&'a str; 2],
        opening: (u32, &'a Opening),
    ) -> Self {
        let told = plan.told(&id, names);
        Self::told(plan, id, names, opening, told)
    }

    /// The same where the secret is not known, but what the bots are told.
    pub fn told(
        plan: &'a Plan,
        id: GameId,
        names: [&'a str; 2],
        opening: (u32, &'a Opening),
        told: Told,
    ) -> Self {
        Self {
            told,
            moves: moves_text(&opening.1.moves),
            plan,
            id,
            names,
            opening,
        }
    }

    /// How the referee plays it, to its end by the rules.
    pub fn setup(&self) -> GameSetup<'_> {
        let (plan, (_, opening)) = (self.plan, self.opening);
        GameSetup {
            id: &self.told.id,
            names: (!plan.blind).then_some(self.names),
            preset: plan.preset,
            rules: plan.rules,
            clocks: self.names.map(|name| plan.clock_of(name)),
            max_plies: plan.max_plies,
            endgame: None,
            agreement: AgreementTerms::default(),
            seeds: self.told.seeds,
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
