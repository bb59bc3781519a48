//! The plan of a tournament: everything that decides its games, resolved.

use super::max_faults::MaxFaults;
use super::secret::Secret;
use crate::record::GameId;
use crate::referee::{ClockSettings, Measure};
use crate::rules::{Preset, RuleSet, Side};
use crate::tournament::entrant::{Entrant, EntrantIndex};
use crate::tournament::openings::opening::Opening;
use crate::tournament::sequential_test::SequentialTest;
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// What an entrant must do before it may play.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum AdmissionMode {
    /// Play two games without a fault, or be left out.
    On,
    /// Nothing.
    #[default]
    Off,
    /// Play two games without a fault, or nothing is played.
    Required,
}

/// What decides games and belongs to no single entrant nor to the rules.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Conditions {
    /// The level of isolation, by its name.
    pub isolation: String,
    /// Whether a bot that is not on turn is frozen.
    pub freeze: bool,
    /// Folders that all bots may read, as typed.
    pub readable: Vec<String>,
    /// The time for starting a bot, until its first `ready`.
    pub start_up: Duration,
    /// The time for each preparation of a game.
    pub new_game: Duration,
    /// Processors that each slot takes.
    pub threads_per_bot: u32,
    /// What an entrant must do before it may play.
    pub admission: AdmissionMode,
}

/// Who meets whom.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Format {
    /// Everybody meets everybody.
    RoundRobin,
    /// Each champion meets every other entrant.
    Gauntlet(Vec<EntrantIndex>),
}

/// Where the openings come from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OpeningSource {
    /// Random legal openings of this many plies, an even number.
    Random {
        /// Plies of each opening.
        plies: u32,
    },
    /// A list that was read and validated.
    Listed(Vec<Opening>),
}

/// Whose openings a pairing plays.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OpeningSharing {
    /// Its own: an order of the openings that the names of the two entrants give.
    #[default]
    Own,
    /// Everybody's: pair i of every pairing has the same.
    Shared,
    /// Those of a run whose journal has format 3 or less: everybody's, drawn otherwise. It can be
    /// checked and not be played.
    OfFormat3,
}

/// Everything that decides the games of a tournament.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    /// Who meets whom.
    pub format: Format,
    /// The preset that the rules started from.
    pub preset: Preset,
    /// The rules, overrides applied.
    pub rules: RuleSet,
    /// Pairs of each pairing.
    pub pairs: u32,
    /// Varies openings and the seeds of bots, together with the secret.
    pub seed: u64,
    /// What openings and the seeds of bots are drawn with. `None` of a plan that is shown before
    /// its run has drawn one, and of a plan that a journal of format 1 or 2 belongs to; neither
    /// can be played.
    pub secret: Option<Secret>,
    /// Where the openings come from.
    pub openings: OpeningSource,
    /// Whose openings a pairing plays.
    pub sharing: OpeningSharing,
    /// Whether pairs are numbered in the order of the schedule, as in journals up to format 4. Such
    /// a plan can be checked and not be played.
    pub numbers_pairs: bool,
    /// Plies after which a game is adjudicated, the opening's not counted.
    pub max_plies: u32,
    /// The clock of every game.
    pub clock: ClockSettings,
    /// With which faults an entrant is withdrawn; `None`: with none.
    pub max_faults: Option<MaxFaults>,
    /// Whether players are not told who they meet.
    pub blind: bool,
    /// What else decides games.
    pub conditions: Conditions,
    /// What ends the games early, once it is decided; `None`: all pairs are played.
    pub test: Option<SequentialTest>,
    /// The entrants, in the order of the configuration.
    pub entrants: Vec<Entrant>,
}

impl Plan {
    /// Everybody against everybody at awalé, `pairs` pairs for each two of them: openings of four
    /// random plies, 100 ms a move, no admission games. The other fields can be set afterwards.
    pub fn round_robin<'a>(
        names: impl IntoIterator<Item = &'a str>,
        pairs: u32,
        secret: Secret,
    ) -> Self {
        let entrants = names.into_iter().map(|name| Entrant {
            name: name.to_owned(),
            program: serde_json::Value::Null,
        });
        Self {
            format: Format::RoundRobin,
            preset: Preset::Awale,
            rules: Preset::Awale.rules(),
            pairs,
            seed: 1,
            secret: Some(secret),
            openings: OpeningSource::Random { plies: 4 },
            sharing: OpeningSharing::Own,
            numbers_pairs: false,
            max_plies: 600,
            clock: ClockSettings {
                move_limit: Some(Duration::from_millis(100)),
                bank: None,
                increment: Duration::ZERO,
                margin: Duration::from_millis(10),
                measure: Measure::Wall,
            },
            max_faults: None,
            blind: false,
            conditions: Conditions::default(),
            test: None,
            entrants: entrants.collect(),
        }
    }

    /// The id that bots are told of a game: its own, or in a blind tournament one that tells
    /// nothing of the pairing.
    ///
    /// # Panics
    /// The plan is blind and has no secret.
    pub fn told_id(&self, game: &GameId) -> String {
        if self.blind {
            self.known_secret().blind_id(self.seed, game)
        } else {
            game.to_string()
        }
    }

    /// The seeds that South and North get for a game.
    pub(super) fn bot_seeds(&self, game: &GameId) -> [u64; 2] {
        let secret = self.known_secret();
        Side::BOTH.map(|side| secret.bot_seed(self.seed, game, side))
    }

    fn known_secret(&self) -> &Secret {
        let secret = self.secret.as_ref();
        secret.expect("a plan that is played has a secret")
    }

    /// The entrants' names, in the order of the configuration.
    pub fn names(&self) -> Vec<String> {
        self.entrants
            .iter()
            .map(|entrant| entrant.name.clone())
            .collect()
    }
}

/// Who meets whom, the entrant listed first before the other.
pub fn pairings(plan: &Plan) -> Vec<[EntrantIndex; 2]> {
    let count = u32::try_from(plan.entrants.len()).expect("a plan's entrants fit in 32 bits");
    let entrants = || (0..count).map(EntrantIndex);
    entrants()
        .flat_map(|first| {
            entrants()
                .filter(move |&second| second > first)
                .map(move |s| [first, s])
        })
        .filter(|[first, second]| match &plan.format {
            Format::RoundRobin => true,
            Format::Gauntlet(champions) => champions.contains(first) || champions.contains(second),
        })
        .collect()
}
