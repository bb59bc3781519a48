//! What collector and workers say to each other, as JSON, and its bounds. Whatever a worker says is
//! hostile text.

use crate::record::GameNumber;
use crate::rules::RuleSet;
use crate::tournament::{AssignedGame, Assignment, Opening, Schedule, Told, parse_openings};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

/// The most bytes of a message that is no played pair.
const MOST_BYTES: usize = 1 << 20;
/// The longest name of a host, of a program or of a reason, in bytes.
const LONGEST_NAME: usize = 255;
/// The most programs that differ.
const MOST_PROGRAMS: usize = 100;
/// The most slots of a worker.
pub const MOST_SLOTS: u32 = 1024;

/// A run that has work.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub struct Offer {
    /// The version of awale that collects.
    pub awale: String,
    /// The name of the run.
    pub run: String,
    /// SHA-256 of the list of its files, which is in the bucket.
    pub parcel: String,
}

/// What a worker says of itself.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Hello {
    /// A number that the worker has drawn.
    pub worker: String,
    /// The name of its machine.
    pub host: String,
    /// Its version of awale.
    pub awale: String,
    /// The hash of the plan that its files give, without the secret.
    pub plan: String,
    /// Its level of isolation.
    pub level: String,
    /// How many games it plays at a time.
    pub slots: u32,
    /// Nodes that it searches in a second.
    pub speed: u64,
    /// The programs that it has in another version than the plan.
    pub other_programs: Vec<String>,
    /// Why it gets no more work, if it wants none.
    pub leaves: Option<String>,
}

impl Hello {
    /// Whether each of its texts is as long as it may be.
    pub fn is_bounded(&self) -> bool {
        let own = [
            &self.worker,
            &self.host,
            &self.awale,
            &self.plan,
            &self.level,
        ];
        let mut texts = own
            .into_iter()
            .chain(&self.other_programs)
            .chain(&self.leaves);
        let is_short = |text: &String| text.len() <= LONGEST_NAME;
        self.other_programs.len() <= MOST_PROGRAMS
            && (1..=MOST_SLOTS).contains(&self.slots)
            && texts.all(is_short)
            && !self.worker.is_empty()
            && !self.host.is_empty()
    }
}

/// The answer.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// Nothing yet.
    Wait,
    /// Play this pair, to show that it plays as elsewhere.
    Prove(Box<BatchPair>),
    /// Take batches.
    Play,
    /// Begin no more games.
    Finish,
    /// There is no more work for this worker.
    Leave(String),
}

/// Pairs that one worker plays.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub struct Batch {
    /// The pairs.
    pub pairs: Vec<BatchPair>,
}

/// A pair with what its bots are told.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub struct BatchPair {
    /// Its place in the schedule.
    pub place: usize,
    /// The number of its opening.
    pub number: u32,
    /// Its opening: moves, or a position.
    pub opening: String,
    /// Its games.
    pub games: Vec<BatchGame>,
}

/// A game of it.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub struct BatchGame {
    /// Its number in the pair.
    pub number: GameNumber,
    /// The number of the attempt.
    pub attempt: u32,
    /// What its bots are told.
    pub told: Told,
}

impl BatchPair {
    /// An assignment on its way.
    pub fn of(place: usize, assignment: &Assignment) -> Self {
        let (number, opening) = &assignment.opening;
        let games = assignment.games.iter().map(|it| BatchGame {
            number: it.number,
            attempt: it.attempt,
            told: it.told.clone(),
        });
        Self {
            place,
            number: *number,
            opening: opening.text(),
            games: games.collect(),
        }
    }

    /// The assignment. `None` if this is none of the schedule.
    pub fn assignment(self, schedule: &Schedule, rules: &RuleSet) -> Option<Assignment> {
        let pair = schedule.pairs.get(self.place)?.clone();
        let opening = match self.opening.as_str() {
            "" => Opening::NONE,
            text => parse_openings(rules, text).ok()?.into_iter().next()?,
        };
        let is_sound = matches!(self.games.len(), 1..=2);
        let games = self.games.into_iter().map(|it| AssignedGame {
            number: it.number,
            attempt: it.attempt,
            told: it.told,
        });
        is_sound.then(|| Assignment {
            pair,
            opening: (self.number, opening),
            games: games.collect(),
        })
    }
}

/// A message as bytes.
pub fn written(message: &impl Serialize) -> Vec<u8> {
    serde_json::to_vec(message).expect("texts and numbers")
}

/// A message of bytes, if they are one.
pub fn read<T: DeserializeOwned>(bytes: &[u8]) -> Option<T> {
    (bytes.len() <= MOST_BYTES)
        .then(|| serde_json::from_slice(bytes).ok())
        .flatten()
}
