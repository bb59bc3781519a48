//! The parts of a tournament that do not count, and why: entrants that were not admitted or were
//! withdrawn, pairs that the host made void, and games after the end of a sequential test.

use super::fault::{AT_THE_FIRST_MESSAGE, DOES_NOT_BUILD, Fault, FaultKind};
use super::game::GameRecord;
use super::game_id::{GameId, PairId};
use super::summary::GameSummary;
use crate::rules::Side;
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;

/// The opponent of an entrant in an admission game.
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
        /// Its opponent.
        against: Examiner,
        /// Its fault.
        fault: Fault,
    },
    /// The host disturbed its admission games again and again. This is not a fault, but it says
    /// nothing good about the entrant either. A later run examines it again.
    Disturbed {
        /// Its last opponent.
        against: Examiner,
        /// The number of void admission games.
        games: u32,
        /// The last disturbance. May quote the bot: hostile text.
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
            Self::Fault { against, fault } => format!("{} against {against}", fault.kind),
            Self::Disturbed { games, .. } => {
                format!("the host disturbed {games} of its admission games")
            }
        }
    }

    /// The last game's events, in words. May quote the bot: hostile text.
    pub fn detail(&self) -> &str {
        match self {
            Self::Fault { fault, .. } => &fault.detail,
            Self::Disturbed { cause, .. } => cause,
        }
    }
}

/// The result of an entrant's examination.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Admission {
    /// The entrant.
    pub entrant: String,
    /// Why it was not admitted, if it was not.
    pub refusal: Option<Refusal>,
}

impl Admission {
    /// Whether the host did not prevent the examination: if so, a later run does not repeat it.
    pub const fn is_settled(&self) -> bool {
        !matches!(self.refusal, Some(Refusal::Disturbed { .. }))
    }
}

/// The withdrawal of an entrant because of its faults.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Withdrawal {
    /// The entrant.
    pub entrant: String,
    /// Its last game that counts. Its later games in the schedule do not count, played or not.
    pub after: GameId,
    /// The games that it lost by a fault, up to that game.
    pub faults: u32,
    /// The games that it played, up to that game.
    pub games: u32,
}

/// The charge of voids to an entrant whose turns were void more often than the host explains: from
/// here on, a void on its turn is its loss.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Charge {
    /// The entrant.
    pub entrant: String,
    /// The pair after which this was decided. In later pairs of the schedule, every game with a
    /// void on the entrant's turn is its loss; in earlier pairs, only games that were given up for
    /// such voids alone; earlier pairs of a sequential test stay as they are.
    pub after: PairId,
    /// The number of voids on its turns, up to that pair.
    pub voids: u32,
}

/// A void attempt at a game that counts as a loss.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ChargedGame {
    /// The attempt.
    pub attempt: u32,
    /// The side that loses.
    pub side: Side,
}

/// The parts of a tournament that do not count.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Exclusions {
    /// Entrants that were not admitted, with the reason, in the order of the plan.
    pub refused: Vec<(String, Refusal)>,
    /// Entrants that were withdrawn, in the order of their withdrawals.
    pub withdrawn: Vec<Withdrawal>,
    /// Pairs with a game that was void too often, with their entrants.
    pub given_up: BTreeMap<PairId, [String; 2]>,
    /// Entrants to which voids are charged, in the order of the decisions.
    pub charged: Vec<Charge>,
    /// Void games that count as losses of these entrants.
    pub charged_games: BTreeMap<GameId, ChargedGame>,
    /// The pair with which a sequential test was decided. Later pairs, played before the decision
    /// was known, do not count.
    pub decided_after: Option<PairId>,
}

impl Exclusions {
    /// Whether every entrant and every game counts. The end of a test excludes nothing here.
    pub fn is_empty(&self) -> bool {
        self.refused.is_empty()
            && self.withdrawn.is_empty()
            && self.given_up.is_empty()
            && self.charged.is_empty()
    }

    /// Whether a record holds the result of its game: it is not void, or it is charged to an
    /// entrant. No other attempt at a charged game does.
    pub fn has_result(&self, game: &GameSummary) -> bool {
        self.charged_games
            .get(&game.id)
            .map_or(!game.is_void(), |it| it.attempt == game.attempt)
    }

    /// The game as it counts: a void one that is charged to an entrant as a loss; `None` if it
    /// does not count.
    pub fn counted<'r>(&self, game: &'r GameSummary) -> Option<Cow<'r, GameSummary>> {
        if let Some(it) = self.charged_games.get(&game.id) {
            return (it.attempt == game.attempt).then(|| Cow::Owned(game.charged_to(it.side)));
        }
        let counts = !game.is_void() && self.allow_game(&game.id, &game.entrants);
        counts.then_some(Cow::Borrowed(game))
    }

    /// Whether the exclusions allow a game to count. Void games are checked elsewhere.
    pub fn allow(&self, record: &GameRecord) -> bool {
        self.allow_game(&record.id, &record.entrants)
    }

    /// The same for the game with this id, between entrants of these names.
    pub fn allow_game(&self, id: &GameId, entrants: &[String; 2]) -> bool {
        let plays = |name: &String| entrants.contains(name);
        !self.given_up.contains_key(&id.pair)
            && self
                .decided_after
                .as_ref()
                .is_none_or(|last| id.pair <= *last)
            && !self.refused.iter().any(|(name, _)| plays(name))
            && !self
                .withdrawn
                .iter()
                .any(|it| *id > it.after && plays(&it.entrant))
    }
}
