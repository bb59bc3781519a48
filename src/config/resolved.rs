//! A configuration that can be played: everything looked up, nothing left to default.

use super::typed::{Logs, Typed};
use crate::bot::{BotSettings, Level};
use crate::config::found_program::FoundProgram;
use crate::tournament::{EntrantIndex, Gate, Openings, Plan, RunDocument, RunSettings};
use std::path::PathBuf;

/// What a configuration is read for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Purpose {
    /// A tournament: `awale run`.
    #[default]
    Tournament,
    /// A sequential test of two entrants that ends when it is decided: `awale sprt`.
    Test,
    /// As many pairs of two entrants as are named: `awale sprt --pairs N`.
    Match,
}

/// An entrant that can be played.
#[derive(Clone, Debug)]
pub struct ResolvedEntrant {
    /// How its bot is run.
    pub bot: BotSettings,
    /// Whether it plays the same in the same game, so that the game can be played again and
    /// compared. That decides no game, and is not part of the plan.
    pub deterministic: bool,
    pub(super) program: FoundProgram,
}

/// A tournament that can be played: everything looked up, nothing left to default.
#[derive(Clone, Debug)]
pub struct Resolved {
    /// What decides the games.
    pub plan: Plan,
    /// What is known of each entrant, in the order of the plan's entrants.
    pub entrants: Vec<ResolvedEntrant>,
    /// The entrants that are examined before the first game: all but our own bots.
    pub gate: Gate,
    /// The openings of the plan.
    pub openings: Openings,
    /// Which of two entrants is the new one, unless this is a tournament.
    pub new: Option<EntrantIndex>,
    /// What changes no game: the tournament's name, slots, what the tables go by.
    pub settings: RunSettings,
    /// Processors that each slot takes.
    pub cores_per_slot: u32,
    /// The processors that slots are pinned to: slot s takes the numbers s × `cores_per_slot` and
    /// following of this list, from its beginning again after its end.
    pub processors: Vec<usize>,
    /// The run's folder.
    pub output: PathBuf,
    /// Whose standard error is kept.
    pub logs: Logs,
    /// How far bots are kept from the host.
    pub level: Level,
    /// Whether a bot that is not on turn is frozen.
    pub freeze: bool,
    /// What the user should know although it can be played.
    pub warnings: Vec<String>,
    pub(super) typed: Typed,
    /// Folders of toolchains that every box shows.
    pub toolchains: Vec<PathBuf>,
    /// Where relative paths start.
    pub folder: PathBuf,
    pub(super) host: String,
}

impl Resolved {
    /// What it was read for.
    pub fn purpose(&self) -> Purpose {
        match (&self.plan.test, self.new) {
            (Some(_), _) => Purpose::Test,
            (None, Some(_)) => Purpose::Match,
            (None, None) => Purpose::Tournament,
        }
    }

    /// How the entrants' bots are run, in the order of the plan.
    pub fn bots(&self) -> Vec<BotSettings> {
        self.entrants.iter().map(|it| it.bot.clone()).collect()
    }

    /// The run as its journal keeps it.
    pub fn document(&self) -> RunDocument {
        RunDocument::new(self.plan.clone(), self.settings.clone())
    }
}
