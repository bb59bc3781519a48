//! What of a tournament does not count, and why: entrants that were not admitted or were
//! withdrawn, pairs that the host made void, and what was played beyond the end of a test.

use super::fault::{Fault, FaultKind};
use super::game::GameRecord;
use super::game_id::{GameId, PairId};
use crate::rules::Side;
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;

/// Whom an entrant meets in an admission game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
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

    /// The examiner of this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|it| it.name() == name)
    }
}

impl fmt::Display for Examiner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// Why an entrant was not admitted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// It was at fault in an admission game.
    Fault {
        /// Whom it played.
        against: Examiner,
        /// What it did wrong.
        fault: Fault,
    },
    /// The host disturbed its admission games again and again: no fault, but nothing is known of
    /// the entrant either. A later run examines it again.
    Disturbed {
        /// Whom it played the last time.
        against: Examiner,
        /// Admission games that were void.
        games: u32,
        /// What the host did the last time. May quote the bot: hostile text.
        cause: String,
    },
}

impl Refusal {
    /// Whom it played the last time.
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

    /// Why, in a few words without those of bots: `crash against random`. A program that does not
    /// start has met no opponent yet.
    pub fn reason(&self) -> String {
        match self {
            Self::Fault { fault, .. } if fault.kind == FaultKind::StartFailure => {
                fault.kind.to_string()
            }
            Self::Fault { against, fault } => format!("{} against {against}", fault.kind),
            Self::Disturbed { games, .. } => {
                format!("the host disturbed {games} of its admission games")
            }
        }
    }

    /// What happened in the last game, in words. May quote the bot: hostile text.
    pub fn detail(&self) -> &str {
        match self {
            Self::Fault { fault, .. } => &fault.detail,
            Self::Disturbed { cause, .. } => cause,
        }
    }
}

/// How the examination of an entrant ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Admission {
    /// The entrant.
    pub entrant: String,
    /// Why it was not admitted, if it was not.
    pub refusal: Option<Refusal>,
}

impl Admission {
    /// Whether the host let the examination end: a later run does not repeat it.
    pub const fn is_settled(&self) -> bool {
        !matches!(self.refusal, Some(Refusal::Disturbed { .. }))
    }
}

/// An entrant that plays no further because of its faults.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Withdrawal {
    /// The entrant.
    pub entrant: String,
    /// Its last game that counts. Its games that come later in the schedule do not, whether they
    /// were played or not.
    pub after: GameId,
    /// Games that it lost by a fault, up to there.
    pub faults: u32,
    /// Games that it played, up to there.
    pub games: u32,
}

/// An entrant whose turns were void more often than the host explains: from here on a void on its
/// turn is its loss.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Charge {
    /// The entrant.
    pub entrant: String,
    /// The pair after which that was decided. Of later pairs of the schedule each game with a void
    /// on the entrant's turn is its loss; of earlier ones those that were given up for such voids
    /// alone.
    pub after: PairId,
    /// Voids on its turn, up to there.
    pub voids: u32,
}

/// A void attempt at a game that counts as a loss.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ChargedGame {
    /// The attempt.
    pub attempt: u32,
    /// Whose loss it is.
    pub side: Side,
}

/// What of a tournament does not count.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Exclusions {
    /// Entrants that were not admitted, with the reason, in the order of the plan.
    pub refused: Vec<(String, Refusal)>,
    /// Entrants that were withdrawn, in the order in which they were.
    pub withdrawn: Vec<Withdrawal>,
    /// Pairs of which a game was void too often, with their entrants.
    pub given_up: BTreeMap<PairId, [String; 2]>,
    /// Entrants to which voids are charged, in the order in which that was decided.
    pub charged: Vec<Charge>,
    /// Void games that count as losses of those.
    pub charged_games: BTreeMap<GameId, ChargedGame>,
    /// The pair with which a sequential test was decided. What was played beyond it, ahead of the
    /// decision, does not count.
    pub decided_after: Option<PairId>,
}

impl Exclusions {
    /// Whether no entrant and no game is left out because something went wrong. The end of a test
    /// is no such reason.
    pub fn is_empty(&self) -> bool {
        self.refused.is_empty()
            && self.withdrawn.is_empty()
            && self.given_up.is_empty()
            && self.charged.is_empty()
    }

    /// Whether a record holds the result of its game: it is not void, or is charged to somebody.
    /// Of a charged game no other attempt does.
    pub fn has_result(&self, record: &GameRecord) -> bool {
        self.charged_games
            .get(&record.id)
            .map_or(!record.is_void(), |it| it.attempt == record.attempt)
    }

    /// A record as it counts: a void one that is charged to somebody as a loss; nothing if it does
    /// not count.
    pub fn counted<'r>(&self, record: &'r GameRecord) -> Option<Cow<'r, GameRecord>> {
        match self.charged_games.get(&record.id) {
            Some(it) => {
                (it.attempt == record.attempt).then(|| Cow::Owned(record.charged_to(it.side)))
            }
            None => (!record.is_void() && self.allow(record)).then_some(Cow::Borrowed(record)),
        }
    }

    /// Whether a game may count. A void one never does.
    pub fn allow(&self, record: &GameRecord) -> bool {
        let plays = |name: &String| record.entrants.contains(name);
        let pair = &record.id.pair;
        !self.given_up.contains_key(pair)
            && self.decided_after.as_ref().is_none_or(|last| pair <= last)
            && !self.refused.iter().any(|(name, _)| plays(name))
            && !self
                .withdrawn
                .iter()
                .any(|it| record.id > it.after && plays(&it.entrant))
    }
}
