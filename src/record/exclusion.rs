//! The parts of a tournament that do not count, and why: entrants that were not admitted or were
//! withdrawn, open pairs, and games after the end of a sequential test.

use super::fault::{AT_THE_FIRST_MESSAGE, DOES_NOT_BUILD, Fault, FaultKind};
use super::game_id::{GameId, PairId};
use super::summary::GameSummary;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

/// The opponent of an entrant in an admission game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Examiner {
    /// Another process of its own program.
    Itself,
    /// The house bot `random`.
    Random,
}

impl Examiner {
    /// Both, in the order of the games.
    pub const ALL: [Self; 2] = [Self::Itself, Self::Random];

    /// The name in messages, tables and the journal.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Itself => "itself",
            Self::Random => "random",
        }
    }
}

impl fmt::Display for Examiner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// Why an entrant was not admitted.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Refusal {
    /// It was at fault in an admission game.
    Fault {
        /// Its opponent.
        against: Examiner,
        /// Its fault.
        fault: Fault,
        /// Whether the next start examines it again: a limit that is not its own, or what happened
        /// at that moment, may have caused this.
        #[serde(default)]
        may_pass: bool,
    },
    /// The host disturbed its admission games again and again. This is not a fault, but it says
    /// nothing good about the entrant either. A later run examines it again.
    Disturbed {
        /// Its last opponent.
        against: Examiner,
        /// The number of void admission games.
        #[serde(default)]
        games: u32,
        /// The last disturbance. May quote the bot: hostile text.
        #[serde(default)]
        cause: String,
    },
}

impl Refusal {
    /// Its last opponent.
    pub const fn against(&self) -> Examiner {
        match self {
            Self::Fault { against, .. } | Self::Disturbed { against, .. } => *against,
        }
    }

    /// The fault, if there was one.
    pub const fn fault(&self) -> Option<&Fault> {
        match self {
            Self::Fault { fault, .. } => Some(fault),
            Self::Disturbed { .. } => None,
        }
    }

    /// Whether there was no game because the entrant's files cannot be used.
    pub fn is_of_files(&self) -> bool {
        self.fault().is_some_and(|fault| {
            fault.kind == FaultKind::StartFailure && !fault.detail.starts_with(AT_THE_FIRST_MESSAGE)
        })
    }

    /// Whether its program could not be built.
    pub fn is_of_build(&self) -> bool {
        self.fault()
            .is_some_and(|fault| fault.detail.starts_with(DOES_NOT_BUILD))
    }

    /// The reason in a few words, none of them the bot's: `crash against random`. A program that
    /// does not start has not met an opponent yet.
    pub fn reason(&self) -> String {
        match self {
            Self::Fault { fault, .. } if fault.kind == FaultKind::StartFailure => {
                fault.kind.to_string()
            }
            Self::Fault { against, fault, .. } => format!("{} against {against}", fault.kind),
            Self::Disturbed { games, .. } => {
                format!("the host disturbed {games} of its admission games")
            }
        }
    }

    /// The last game's events, as a sentence. May quote the bot: hostile text.
    pub fn detail(&self) -> &str {
        match self {
            Self::Fault { fault, .. } => &fault.detail,
            Self::Disturbed { cause, .. } => cause,
        }
    }
}

/// The result of an entrant's examination.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub struct Admission {
    /// The entrant.
    pub entrant: String,
    /// Why it was not admitted, if it was not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub refusal: Option<Refusal>,
    /// Its last fault, if it was too late in every examination and is admitted all the same. May
    /// quote the bot: hostile text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub late: Option<String>,
    /// What its side of a game took in its examination, in ms, with the start of its process. Of one
    /// that was admitted in time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub side_ms: Option<u64>,
}

impl Admission {
    /// Whether the result stands. A later run repeats an examination that the host prevented, and
    /// one whose result may pass.
    pub const fn is_settled(&self) -> bool {
        use Refusal::{Disturbed, Fault};
        !matches!(
            self.refusal,
            Some(Disturbed { .. } | Fault { may_pass: true, .. })
        )
    }
}

/// The withdrawal of an entrant because of its faults.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub struct Withdrawal {
    /// The entrant.
    pub entrant: String,
    /// Its last game that counts. Its later games in the schedule do not count, played or not.
    pub after: GameId,
    /// The games that it lost by a fault, up to that game.
    #[serde(default)]
    pub faults: u32,
    /// The games that it played, up to that game.
    #[serde(default)]
    pub games: u32,
}

/// The parts of a tournament that do not count.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Exclusions {
    /// Entrants that were not admitted, with the reason, in the order of the plan.
    pub refused: Vec<(String, Refusal)>,
    /// Entrants that were admitted although they were too late in every examination, with the last
    /// fault: their games count, unless faults exclude them.
    pub late: Vec<(String, String)>,
    /// Entrants that were withdrawn, in the order of their withdrawals.
    pub withdrawn: Vec<Withdrawal>,
    /// Open pairs: a game of each was void every time. They are played again. With their entrants.
    pub open: BTreeMap<PairId, [String; 2]>,
    /// Pairs that were open when an entrant of theirs left, the test was decided, or the next round
    /// was dealt: they are not played again.
    pub left_out: BTreeSet<PairId>,
    /// Pairs that were open once and have counted since, each with the round of repetitions in
    /// which it did: they come after all pairs of earlier rounds.
    pub settled_late: BTreeMap<PairId, u32>,
    /// The number of pairs up to the end of each round, where results decide who meets whom: all
    /// pairs of a round come before those of the next.
    pub round_ends: Vec<usize>,
    /// The pair with which a sequential test was decided. Later pairs, played before the decision
    /// was known, do not count.
    pub decided_after: Option<PairId>,
}

impl Exclusions {
    /// Whether every entrant and every game counts. The end of a test excludes nothing here.
    pub fn is_empty(&self) -> bool {
        self.refused.is_empty() && self.withdrawn.is_empty() && self.open.is_empty()
    }

    /// The game, if it counts.
    pub fn counted<'r>(&self, game: &'r GameSummary) -> Option<&'r GameSummary> {
        let counts = !game.is_void() && self.allow_game(&game.id, &game.entrants);
        counts.then_some(game)
    }

    /// The place of a pair in the order in which pairs count.
    fn place<'p>(&self, pair: &'p PairId) -> (usize, u32, &'p PairId) {
        let ended = |index| self.round_ends.partition_point(|&end| end <= index);
        let late = self.settled_late.get(pair).copied().unwrap_or(0);
        (pair.index().map_or(0, ended), late, pair)
    }

    /// Whether a game comes after this one in the order in which games count.
    fn is_after(&self, game: &GameId, last: &GameId) -> bool {
        (self.place(&game.pair), game.number) > (self.place(&last.pair), last.number)
    }

    /// Whether the exclusions allow the game with this id, between entrants of these names, to
    /// count. Void games are checked elsewhere.
    pub fn allow_game(&self, id: &GameId, entrants: &[String; 2]) -> bool {
        let plays = |name: &String| entrants.contains(name);
        !self.open.contains_key(&id.pair)
            && !self.left_out.contains(&id.pair)
            && self
                .decided_after
                .as_ref()
                .is_none_or(|last| self.place(&id.pair) <= self.place(last))
            && !self.refused.iter().any(|(name, _)| plays(name))
            && !self
                .withdrawn
                .iter()
                .any(|it| self.is_after(id, &it.after) && plays(&it.entrant))
    }
}
