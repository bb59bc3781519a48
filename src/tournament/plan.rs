//! The plan of a tournament: everything that decides its games, resolved.

use super::max_faults::MaxFaults;
use super::secret::Secret;
use crate::record::GameId;
use crate::referee::ClockSettings;
use crate::rules::{Preset, RuleSet, Side};
use crate::tournament::entrant::{Entrant, EntrantIndex};
use crate::tournament::openings::opening::Opening;
use crate::tournament::sequential_test::SequentialTest;
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// What is required of an entrant before it may play.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum AdmissionMode {
    /// Two games without a fault; an entrant that fails is left out.
    On,
    /// Nothing.
    #[default]
    Off,
    /// Two games without a fault of every entrant; otherwise nothing is played.
    Required,
}

/// Conditions of all games besides the rules and the entrants.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Conditions {
    /// The level of isolation, by its name.
    pub isolation: String,
    /// Whether a bot that is not on turn is frozen.
    pub freeze: bool,
    /// Folders that every bot may read, as typed.
    pub readable: Vec<String>,
    /// The time for starting a bot, until its first `ready`.
    pub start_up: Duration,
    /// The time for each preparation of a game.
    pub new_game: Duration,
    /// Processors that each slot takes.
    pub threads_per_bot: u32,
    /// What is required of an entrant before it may play.
    pub admission: AdmissionMode,
}

/// Who meets whom.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Format {
    /// Every entrant meets every other one.
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
    /// A list that was read and checked.
    Listed(Vec<Opening>),
}

/// Which openings a pairing plays.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OpeningSharing {
    /// Its own order of the openings, derived from the names of the two entrants.
    #[default]
    Own,
    /// The same for all pairings: pair i of every pairing has the same opening.
    Shared,
}

/// Everything that decides the games of a tournament.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    /// Who meets whom.
    pub format: Format,
    /// The preset from which the rules were derived.
    pub preset: Preset,
    /// The rules, with overrides applied.
    pub rules: RuleSet,
    /// Pairs of each pairing.
    pub pairs: u32,
    /// Varies openings and the bots' seeds, together with the secret.
    pub seed: u64,
    /// The key from which openings and the bots' seeds are derived. `None` in a plan that is shown
    /// before its run has drawn one; it cannot be played.
    pub secret: Option<Secret>,
    /// Where the openings come from.
    pub openings: OpeningSource,
    /// Which openings a pairing plays.
    pub sharing: OpeningSharing,
    /// Plies after which a game is adjudicated, without those of the opening.
    pub max_plies: u32,
    /// The clock of every game.
    pub clock: ClockSettings,
    /// The faults with which an entrant is withdrawn; `None` withdraws no entrant.
    pub max_faults: Option<MaxFaults>,
    /// Whether players are not told whom they meet.
    pub blind: bool,
    /// Other conditions of all games.
    pub conditions: Conditions,
    /// A test that ends the games once it is decided; with `None` all pairs are played.
    pub test: Option<SequentialTest>,
    /// The entrants, in the order of the configuration.
    pub entrants: Vec<Entrant>,
}

impl Plan {
    /// A plan in which every entrant meets every other one at awalé, with `pairs` pairs for each
    /// two: openings of four random plies, 100 ms a move, no admission games. The other fields can
    /// be set afterwards.
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
            max_plies: 600,
            clock: ClockSettings {
                move_limit: Some(Duration::from_millis(100)),
                margin: Duration::from_millis(10),
                ..ClockSettings::default()
            },
            max_faults: None,
            blind: false,
            conditions: Conditions::default(),
            test: None,
            entrants: entrants.collect(),
        }
    }

    /// The id of a game that bots are told: its own, or in a blind tournament one that reveals
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

    /// The bots' seeds of a game, South's first.
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

/// All pairings, in each the entrant listed first before the other.
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
