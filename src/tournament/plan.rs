//! The plan of a tournament: complete, resolved, hashable.

use super::max_faults::MaxFaults;
use super::openings::Opening;
use super::secret::Secret;
use super::sequential::SequentialTest;
use crate::record::GameId;
use crate::referee::ClockSettings;
use crate::rules::{FIELDS, Preset, RuleSet, Side};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// The key of a plan's identity that says which secret it has, as a short hash.
pub(super) const SECRET_KEY: &str = "tournament.secret";

/// The key of a plan's identity that says how many pairs it has; not of a test.
pub const PAIRS_KEY: &str = "tournament.pairs";

/// An entrant's place in the plan's list, from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EntrantIndex(pub u32);

impl EntrantIndex {
    /// For use in a slice.
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// A line of the configuration that plays.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entrant {
    /// Its name, unique in the tournament.
    pub name: String,
    /// What makes it this program and no other (command, hashes of files, limits …), as keys and
    /// values. The tournament only compares them.
    pub identity: BTreeMap<String, String>,
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
    /// The tournament's name.
    pub name: String,
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
    /// Plies after which a game is adjudicated, the opening's not counted.
    pub max_plies: u32,
    /// The clock of every game.
    pub clock: ClockSettings,
    /// With which faults an entrant is withdrawn; `None`: with none.
    pub max_faults: Option<MaxFaults>,
    /// Whether players are not told who they meet.
    pub blind: bool,
    /// Whatever else decides games and belongs to no single entrant (isolation, start-up budget).
    pub circumstances: BTreeMap<String, String>,
    /// What ends the games early, once it is decided; `None`: all pairs are played.
    pub test: Option<SequentialTest>,
    /// The entrants, in the order of the configuration.
    pub entrants: Vec<Entrant>,
}

impl Plan {
    /// Everything that decides games, as keys of the configuration and their values. Two plans
    /// with the same identity play the same tournament.
    pub fn identity(&self) -> BTreeMap<String, String> {
        let mut keys = BTreeMap::new();
        let mut put = |key: &str, value: String| {
            keys.insert(key.to_owned(), value);
        };
        put("tournament.format", self.format_text());
        // A test that is not decided may go on with more pairs: those that were played stay.
        if self.test.is_none() {
            put(PAIRS_KEY, self.pairs.to_string());
        }
        put("tournament.seed", self.seed.to_string());
        // Messages show identities: the secret itself stands nowhere in them.
        if let Some(secret) = &self.secret {
            put(SECRET_KEY, secret.short_hash());
        }
        put("tournament.openings", self.openings_text());
        put("tournament.max-plies", self.max_plies.to_string());
        put("tournament.rules", self.preset.name().to_owned());
        for field in FIELDS {
            put(
                &format!("rules.{field}"),
                self.rules.get(field).unwrap_or_default(),
            );
        }
        // Left out where there is none, as before there could be one.
        if let Some(limit) = self.max_faults {
            put("tournament.max-faults", limit.to_string());
        }
        if let Some(test) = &self.test {
            put("sprt.new", self.entrants[test.new.index()].name.clone());
            for (key, value) in test.named_values() {
                put(&format!("sprt.{key}"), value);
            }
        }
        put("tournament.blind", self.blind.to_string());
        for (key, value) in self.clock.named_values() {
            put(&format!("clock.{key}"), value);
        }
        for (key, value) in &self.circumstances {
            put(key, value.clone());
        }
        let names: Vec<&str> = self
            .entrants
            .iter()
            .map(|entrant| entrant.name.as_str())
            .collect();
        put("entrants", format!("{names:?}"));
        for entrant in &self.entrants {
            for (key, value) in &entrant.identity {
                put(&format!("entrant {:?} {key}", entrant.name), value.clone());
            }
        }
        keys
    }

    /// SHA-256 of the identity, in hexadecimal.
    pub fn hash(&self) -> String {
        hash_of(&self.identity())
    }

    /// The id that bots are told of a game: its own, or in a blind tournament one that tells
    /// nothing of the pairing.
    ///
    /// # Panics
    /// The plan is blind and has no secret.
    pub fn told_id(&self, game: GameId) -> String {
        if self.blind {
            self.known_secret().blind_id(self.seed, game)
        } else {
            game.to_string()
        }
    }

    /// The seeds that South and North get for a game.
    pub(super) fn bot_seeds(&self, game: GameId) -> [u64; 2] {
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

    fn format_text(&self) -> String {
        match &self.format {
            Format::RoundRobin => "round-robin".to_owned(),
            Format::Gauntlet(champions) => {
                let names: Vec<&str> = champions
                    .iter()
                    .map(|champion| self.entrants[champion.index()].name.as_str())
                    .collect();
                format!("gauntlet {names:?}")
            }
        }
    }

    fn openings_text(&self) -> String {
        let source = match &self.openings {
            OpeningSource::Random { plies } => format!("{plies} random plies"),
            OpeningSource::Listed(list) => {
                let texts: Vec<String> = list.iter().map(Opening::text).collect();
                format!(
                    "{} listed, {}",
                    list.len(),
                    sha256_hex(texts.join("\n").as_bytes())
                )
            }
        };
        match self.sharing {
            OpeningSharing::Own => format!("{source}, of each pairing's own"),
            OpeningSharing::Shared => format!("{source}, shared"),
            OpeningSharing::OfFormat3 => source,
        }
    }
}

/// SHA-256 of keys and values, each with its length so that no two maps run together.
pub(super) fn hash_of(identity: &BTreeMap<String, String>) -> String {
    let mut text = String::new();
    for (key, value) in identity {
        let _ = writeln!(text, "{} {key} {} {value}", key.len(), value.len());
    }
    sha256_hex(text.as_bytes())
}

/// SHA-256 in hexadecimal.
pub(super) fn sha256_hex(bytes: &[u8]) -> String {
    Sha256::digest(bytes)
        .iter()
        .fold(String::new(), |mut text, byte| {
            let _ = write!(text, "{byte:02x}");
            text
        })
}
