//! A configuration that can be played: everything looked up, nothing left to default.

use super::program::Program;
use super::typed::{Logs, Typed};
use crate::bot::{BotSettings, Level};
use crate::stats::rating::{Errors, RatingModel};
use crate::stats::tally;
use crate::tournament::{EntrantIndex, Gate, Openings, Plan};
use std::collections::BTreeMap;
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

/// A tournament that can be played: everything looked up, nothing left to default.
#[derive(Clone, Debug)]
pub struct Resolved {
    /// What decides the games.
    pub plan: Plan,
    /// How each entrant's bot is run, in the order of the plan's entrants.
    pub bots: Vec<BotSettings>,
    /// Of each of them whether it plays the same in the same game, so that the game can be played
    /// again and compared. That decides no game, and is no part of the plan.
    pub deterministic: Vec<bool>,
    /// Who is examined before the first game: all but our own bots.
    pub gate: Gate,
    /// The openings of the plan.
    pub openings: Openings,
    /// Which of two entrants is the new one, unless this is a tournament.
    pub new: Option<EntrantIndex>,
    /// Entrants whose Elo is given; everybody else's is relative to theirs.
    pub anchors: BTreeMap<EntrantIndex, f64>,
    /// How the errors of the tables are found.
    pub errors: Errors,
    /// Games that are played at a time.
    pub slots: u32,
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
    pub(super) programs: Vec<Program>,
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

    /// What the tables fit.
    pub fn rating_model(&self) -> RatingModel {
        let anchors = self.anchors.iter();
        RatingModel {
            anchors: anchors
                .map(|(entrant, &elo)| (tally::EntrantIndex(entrant.0), elo))
                .collect(),
            errors: self.errors,
            ..RatingModel::default()
        }
    }
}
