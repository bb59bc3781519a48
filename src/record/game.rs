//! The record of one game. Its serde form is a line of the journal: `docs/data.md` describes it.
//!
//! Absent keys have their default, so that journals of earlier versions stay readable.

use super::fault::{Fault, FaultKind};
use super::game_id::GameId;
use crate::rules::{EndReason, GameResult, Pit, Position, Side};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::hash::{DefaultHasher, Hash, Hasher};

/// One ply: the move and its times.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlyRecord {
    /// The pit that was played.
    pub pit: Pit,
    /// Time from just before the request to the arrival of the answer, in µs.
    pub time_us: u64,
    /// CPU time of the bot's family in that time, in µs, if known. That of a ply which took only a
    /// moment is in the game's `short_cpu_us`.
    pub cpu_us: Option<u64>,
    /// The part of `time_us` in which other programs kept the bot from its processor, in µs. No
    /// clock charges it.
    pub preempted_us: u64,
    /// The `info` object that the bot sent with the move, as JSON text. Hostile text.
    pub info: Option<String>,
}

impl PlyRecord {
    /// By how many seeds its bot will win, as it said with the move: the `score` of its `info`.
    pub fn score(&self) -> Option<f64> {
        #[derive(Deserialize)]
        struct Scored {
            score: f64,
        }
        let scored = serde_json::from_str::<Scored>(self.info.as_deref()?);
        scored.ok().map(|it| it.score).filter(|it| it.is_finite())
    }
}

impl Hash for PlyRecord {
    fn hash<H: Hasher>(&self, state: &mut H) {
        let Self {
            pit,
            time_us,
            cpu_us,
            preempted_us,
            // No table shows it.
            info: _,
        } = self;
        (pit, time_us, cpu_us, preempted_us).hash(state);
    }
}

/// What a bot said of its move, as far as it is known what it means.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Said {
    /// Its score, in seeds for itself if it keeps to the protocol. Never infinite.
    pub score: Option<f64>,
    /// The depth of its search, in plies.
    pub depth: Option<u64>,
}

impl PlyRecord {
    /// The score and the depth of its `info`.
    pub fn said(&self) -> Said {
        let info = self.info.as_deref().and_then(|info| {
            let info: Value = serde_json::from_str(info).ok()?;
            Some(Said {
                score: info.get("score").and_then(Value::as_f64),
                depth: info.get("depth").and_then(Value::as_u64),
            })
        });
        info.unwrap_or_default()
    }
}

/// A game that the host disturbed, and that does not count.
///
/// `on_turn` and `active` differ where a bot's process ends while its opponent is on turn.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Deserialize, Serialize)]
#[serde(default)]
pub struct Void {
    /// The cause, as a sentence. May quote a bot: hostile text.
    pub cause: String,
    /// The side that was on turn, or was getting ready.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub on_turn: Option<Side>,
    /// The side whose processes the host disturbed, as far as the referee noticed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub active: Option<Side>,
    /// The time of the turn in µs without the part that the host took, if the void is about time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub late_us: Option<u64>,
    /// CPU time of South's and North's families in that turn, in µs; of the side on turn, if known.
    #[serde(skip_serializing_if = "is_default")]
    pub cpu_us: [Option<u64>; 2],
}

impl Void {
    /// A void with only its cause.
    pub fn new(cause: impl Into<String>) -> Self {
        Self {
            cause: cause.into(),
            ..Self::default()
        }
    }

    /// Adds the side whose processes the host disturbed.
    #[must_use]
    pub fn of(self, side: Side) -> Self {
        Self {
            active: Some(side),
            ..self
        }
    }

    /// Adds the side that was on turn; it is also the disturbed side if that is unknown.
    #[must_use]
    pub fn on_turn(self, side: Side) -> Self {
        Self {
            on_turn: Some(side),
            active: self.active.or(Some(side)),
            ..self
        }
    }
}

/// How a game ended.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum GameEnding {
    /// By the rules.
    Rules(EndReason),
    /// After the configured number of plies: own row each, then seeds.
    Adjudicated,
    /// With so few seeds on the board that their value is known: the stores are those to which
    /// perfect play of both sides leads.
    Endgame,
    /// Both bots said that this side will win, by as many seeds and for as long as the plan wants.
    AgreedWin(Side),
    /// Both bots said that nobody will win.
    AgreedDraw,
    /// This side resigned.
    Resignation(Side),
    /// This side's bot was at fault.
    Fault(Side, Fault),
    /// The host disturbed the game: neither side loses, and the game is played again.
    Void(Void),
}

impl GameEnding {
    /// The word of the tables and messages: `majority`, `timeout`, `void`, …
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Rules(reason) => reason.name(),
            Self::Adjudicated => "adjudicated",
            Self::Endgame => "endgame",
            Self::AgreedWin(_) => "agreed-win",
            Self::AgreedDraw => "agreed-draw",
            Self::Resignation(_) => "resignation",
            Self::Fault(_, fault) => fault.kind.name(),
            Self::Void(_) => "void",
        }
    }

    /// The winner of a game that ended like this with these final stores; `None` if it is void.
    pub fn result(&self, stores: [u8; 2]) -> Option<GameResult> {
        match self {
            Self::Rules(_) | Self::Adjudicated | Self::Endgame => {
                Some(GameResult::of_stores(stores))
            }
            Self::AgreedWin(winner) => Some(GameResult::Win(*winner)),
            Self::AgreedDraw => Some(GameResult::Draw),
            Self::Resignation(loser) | Self::Fault(loser, _) => {
                Some(GameResult::Win(loser.opponent()))
            }
            Self::Void(_) => None,
        }
    }

    /// How the host disturbed the game, if it did.
    pub const fn void(&self) -> Option<&Void> {
        match self {
            Self::Void(void) => Some(void),
            _ => None,
        }
    }

    /// The kind of the fault that ended the game, and the side at fault.
    pub const fn fault(&self) -> Option<(Side, FaultKind)> {
        match self {
            Self::Fault(side, fault) => Some((*side, fault.kind)),
            _ => None,
        }
    }
}

/// The record of a finished game.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Deserialize, Serialize)]
pub struct GameRecord {
    /// Which game of the tournament.
    pub id: GameId,
    /// The attempt: 1, or more if void games were played again.
    #[serde(default = "one")]
    pub attempt: u32,
    /// Names of the entrants that were South and North.
    pub entrants: [String; 2],
    /// Number of the opening in the tournament's list, from 1.
    #[serde(default = "one")]
    pub opening: u32,
    /// The opening's moves, empty if it was given as a position.
    #[serde(default, with = "moves_as_text")]
    pub opening_moves: Vec<Pit>,
    /// The position after the opening, with South to move.
    #[serde(default = "start_position", with = "as_text")]
    pub start: Position,
    /// The plies after the opening.
    #[serde(default, with = "plies_as_columns")]
    pub plies: Vec<PlyRecord>,
    /// How it ended.
    pub ending: GameEnding,
    /// Final stores of South and North, with the remaining seeds divided as the ending requires.
    pub stores: [u8; 2],
    /// How long South and North took to answer `new-game`, in µs, if known.
    #[serde(default, skip_serializing_if = "is_default")]
    pub ready_us: [Option<u64>; 2],
    /// The longest delay of a wake-up in any of its turns, in µs, if known.
    #[serde(default, skip_serializing_if = "is_default")]
    pub lateness_us: Option<u64>,
    /// CPU time of South's and North's families in all turns of the other side, in µs, if known.
    #[serde(default, skip_serializing_if = "is_default")]
    pub off_turn_us: [Option<u64>; 2],
    /// CPU time of South's and North's families in all their plies without a `cpu_us` of their own,
    /// each with the moment after its answer, in µs, if known.
    #[serde(default, skip_serializing_if = "is_default")]
    pub short_cpu_us: [Option<u64>; 2],
    /// What South's and North's programs called themselves when they were started for this game, as
    /// in `ada v1.2`. Hostile text.
    #[serde(default, skip_serializing_if = "is_default")]
    pub introductions: [Option<String>; 2],
    /// Where it was played, if that was not the machine of its run.
    #[serde(default, skip_serializing_if = "is_default")]
    pub at: Option<PlayedAt>,
}

/// The machine on which a game of a shard was played.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct PlayedAt {
    /// The name of the machine. Hostile text.
    pub host: String,
    /// The programs that it has in another version than the plan, if it was allowed to play all the
    /// same. Hostile text.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub other_programs: Vec<String>,
}

const fn one() -> u32 {
    1
}

const fn start_position() -> Position {
    Position::START
}

fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

/// A value as the text by which it is shown and parsed.
mod as_text {
    use serde::de::Error as _;
    use serde::{Deserialize as _, Deserializer, Serializer};
    use std::borrow::Cow;
    use std::fmt::Display;
    use std::str::FromStr;

    pub fn serialize<S: Serializer>(value: &impl Display, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(value)
    }

    pub fn deserialize<'d, D: Deserializer<'d>, T>(from: D) -> Result<T, D::Error>
    where
        T: FromStr<Err: Display>,
    {
        let text = Cow::<str>::deserialize(from)?;
        text.parse().map_err(D::Error::custom)
    }
}

/// Moves as their letters.
mod moves_as_text {
    use crate::rules::{Pit, moves_text, parse_moves};
    use serde::de::Error as _;
    use serde::{Deserialize as _, Deserializer, Serialize as _, Serializer};
    use std::borrow::Cow;

    pub fn serialize<S: Serializer>(moves: &[Pit], to: S) -> Result<S::Ok, S::Error> {
        moves_text(moves).serialize(to)
    }

    pub fn deserialize<'d, D: Deserializer<'d>>(from: D) -> Result<Vec<Pit>, D::Error> {
        parse_moves(&Cow::<str>::deserialize(from)?).map_err(D::Error::custom)
    }
}

/// Plies as a text of moves and lists of numbers, which takes a quarter of the bytes of a list of
/// plies.
mod plies_as_columns {
    use super::{Pit, PlyRecord, is_default, moves_as_text};
    use serde::de::Error as _;
    use serde::{Deserialize, Deserializer, Serialize, Serializer};
    use serde_json::value::RawValue;
    use std::collections::BTreeMap;

    #[derive(Default, Deserialize, Serialize)]
    struct Columns {
        #[serde(with = "moves_as_text")]
        moves: Vec<Pit>,
        #[serde(default)]
        times_us: Vec<u64>,
        /// Empty if no time is known.
        #[serde(default, skip_serializing_if = "is_default")]
        cpu_us: Vec<Option<u64>>,
        /// By the index of the ply, from 0; other plies were not preempted.
        #[serde(default, skip_serializing_if = "is_default")]
        preempted_us: BTreeMap<usize, u64>,
        #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
        infos: BTreeMap<usize, Box<RawValue>>,
    }

    pub fn serialize<S: Serializer>(plies: &[PlyRecord], to: S) -> Result<S::Ok, S::Error> {
        let mut columns = Columns::default();
        for (number, ply) in plies.iter().enumerate() {
            columns.moves.push(ply.pit);
            columns.times_us.push(ply.time_us);
            columns.cpu_us.push(ply.cpu_us);
            if ply.preempted_us > 0 {
                columns.preempted_us.insert(number, ply.preempted_us);
            }
            let info = ply.info.clone();
            let info = info.and_then(|info| RawValue::from_string(info).ok());
            columns.infos.extend(info.map(|info| (number, info)));
        }
        if columns.cpu_us.iter().all(Option::is_none) {
            columns.cpu_us.clear();
        }
        columns.serialize(to)
    }

    pub fn deserialize<'d, D: Deserializer<'d>>(from: D) -> Result<Vec<PlyRecord>, D::Error> {
        let Columns {
            moves,
            times_us,
            cpu_us,
            preempted_us,
            mut infos,
        } = Columns::deserialize(from)?;
        let count = moves.len();
        for (times, what) in [(times_us.len(), "times"), (cpu_us.len(), "CPU times")] {
            if times != count && times != 0 {
                return Err(D::Error::custom(format!(
                    "{count} moves but {times} {what}"
                )));
            }
        }
        let plies = moves
            .into_iter()
            .enumerate()
            .map(|(number, pit)| PlyRecord {
                pit,
                time_us: times_us.get(number).copied().unwrap_or_default(),
                cpu_us: cpu_us.get(number).copied().flatten(),
                preempted_us: preempted_us.get(&number).copied().unwrap_or_default(),
                info: infos
                    .remove(&number)
                    .map(|info| Box::<str>::from(info).into()),
            });
        Ok(plies.collect())
    }
}

impl GameRecord {
    /// The winner, or `None` if the game is void.
    pub fn result(&self) -> Option<GameResult> {
        self.ending.result(self.stores)
    }

    /// Whether the host made the game void.
    pub const fn is_void(&self) -> bool {
        self.ending.void().is_some()
    }

    /// The name of the host on which it was played, if it was a named one. Hostile text.
    pub fn host(&self) -> Option<&str> {
        let host = self.at.as_ref().map(|at| at.host.as_str());
        host.filter(|host| !host.is_empty())
    }

    /// The moves after the opening.
    pub fn moves(&self) -> Vec<Pit> {
        self.plies.iter().map(|ply| ply.pit).collect()
    }

    /// A hash of what was played: the opening, every move and the ending. Two games with equal
    /// hashes and the same entrants on the same sides are the same game twice, and no more evidence
    /// than one. The hash is valid within one run of the program only: never store it.
    pub fn played_hash(&self) -> u64 {
        let ending = (self.ending.name(), self.stores);
        let opening = (self.opening, &self.opening_moves, self.start);
        // Without keys, so that equal games get equal hashes; a collision is of no use to anyone.
        let mut hasher = DefaultHasher::new();
        (opening, self.moves(), ending).hash(&mut hasher);
        hasher.finish()
    }

    /// How the host disturbed the game, if it did.
    pub const fn void(&self) -> Option<&Void> {
        self.ending.void()
    }

    /// The fault that ended the game, and the side at fault.
    pub const fn fault(&self) -> Option<(Side, FaultKind)> {
        self.ending.fault()
    }

    /// One side's plies. South plays the plies 0, 2, 4, …
    fn plies_of(&self, side: Side) -> impl Iterator<Item = &PlyRecord> {
        self.plies.iter().skip(side.index()).step_by(2)
    }

    /// The times of one side's plies, in µs.
    pub fn times_us(&self, side: Side) -> impl Iterator<Item = u64> + '_ {
        self.plies_of(side).map(|ply| ply.time_us)
    }

    /// The sum of the preempted times of one side's plies, in µs. A journal can claim any time.
    pub fn preempted_us(&self, side: Side) -> u64 {
        let times = self.plies_of(side).map(|ply| ply.preempted_us);
        times.fold(0, u64::saturating_add)
    }

    /// The number of one side's plies whose CPU time is only known as a sum.
    pub fn short_plies(&self, side: Side) -> usize {
        self.plies_of(side)
            .filter(|ply| ply.cpu_us.is_none())
            .count()
    }

    /// The known CPU times of one side's plies, in µs.
    pub fn cpu_times_us(&self, side: Side) -> impl Iterator<Item = u64> + '_ {
        self.plies_of(side).filter_map(|ply| ply.cpu_us)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_side_that_resigns_loses_with_any_stores() {
        let ending = GameEnding::Resignation(Side::South);
        assert_eq!(ending.result([25, 23]), Some(GameResult::Win(Side::North)));
        assert_eq!(GameEnding::Void(Void::default()).result([25, 0]), None);
    }
}
