//! The clocks of a game. All arithmetic is in whole µs; nothing here reads a clock.

use crate::rules::Side;
use crate::text::{parse_time, time_text};
use serde::{Deserialize, Serialize};
use std::time::Duration;
use thiserror::Error;

/// The time that limits and banks measure.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Measure {
    /// Wall time.
    #[default]
    Wall,
    /// CPU time of the player and all processes that it started.
    Cpu,
}

impl Measure {
    /// Both.
    pub const ALL: [Self; 2] = [Self::Wall, Self::Cpu];

    /// The name in configurations and results.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Wall => "wall",
            Self::Cpu => "cpu",
        }
    }

    /// How many times its limit a turn may take in wall time.
    const fn wall_times(self) -> u32 {
        match self {
            Self::Wall => 1,
            Self::Cpu => WALL_STOP,
        }
    }
}

/// With CPU time: how many times its limit a turn may take in wall time.
const WALL_STOP: u32 = 5;

/// The time control of one side of a game: a limit for each move, a bank for the game, or both.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
pub struct ClockSettings {
    /// Limit of each move.
    #[serde(
        default,
        rename = "move",
        with = "time_as_text",
        skip_serializing_if = "Option::is_none"
    )]
    pub move_limit: Option<Duration>,
    /// Time for all moves of a game.
    #[serde(
        default,
        with = "time_as_text",
        skip_serializing_if = "Option::is_none"
    )]
    pub bank: Option<Duration>,
    /// Added to the bank after each move.
    #[serde(
        default,
        with = "time_as_text",
        skip_serializing_if = "Duration::is_zero"
    )]
    pub increment: Duration,
    /// Positions that the bot may look at for a move. It is told of them and trusted: nobody counts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nodes: Option<u64>,
    /// Additional time that is forgiven in each move; the bot is not told of it.
    #[serde(default = "usual_margin", with = "time_as_text")]
    pub margin: Duration,
    /// The time that all of these measure.
    #[serde(default)]
    pub measure: Measure,
}

/// The margin of a document that has none.
const fn usual_margin() -> Duration {
    Duration::from_millis(10)
}

/// Times in documents, as in a configuration: `"100ms"`.
pub mod time_as_text {
    use super::{Duration, parse_time, time_text};
    use serde::de::Error as _;
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    /// Writes a time.
    ///
    /// # Errors
    /// Those of the writer.
    pub fn serialize<T, S>(time: &T, to: S) -> Result<S::Ok, S::Error>
    where
        T: Into<Option<Duration>> + Copy,
        S: Serializer,
    {
        (*time).into().map(time_text).serialize(to)
    }

    /// Reads a time.
    ///
    /// # Errors
    /// There is no such time.
    pub fn deserialize<'d, T, D>(from: D) -> Result<T, D::Error>
    where
        T: From<Duration>,
        D: Deserializer<'d>,
    {
        let text = String::deserialize(from)?;
        let time = parse_time(&text);
        let time = time.ok_or_else(|| D::Error::custom(format!("{text:?} is not a time")));
        time.map(T::from)
    }
}

/// Why settings are not a valid clock.
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
pub enum ClockError {
    /// Neither a limit for each move nor a bank.
    #[error("a clock needs `move`, `bank`, or both")]
    NoLimit,
    /// An increment without a bank.
    #[error("`increment` needs a `bank` that it is added to")]
    IncrementWithoutBank,
    /// A limit of 0.
    #[error("`{0}` must be more than 0")]
    Zero(&'static str),
}

impl ClockSettings {
    /// Checks that the settings are a valid clock.
    ///
    /// # Errors
    /// No limit at all, a limit of 0, or an increment without a bank.
    pub fn check(&self) -> Result<(), ClockError> {
        match (self.move_limit, self.bank) {
            (None, None) => Err(ClockError::NoLimit),
            (Some(Duration::ZERO), _) => Err(ClockError::Zero("move")),
            (_, Some(Duration::ZERO)) => Err(ClockError::Zero("bank")),
            (_, None) if !self.increment.is_zero() => Err(ClockError::IncrementWithoutBank),
            _ => Ok(()),
        }
    }

    /// What a side has, in a few words each: `50ms a move`.
    pub fn words(&self) -> Vec<String> {
        let time =
            |time: Option<Duration>, what| time.map(|it| format!("{} {what}", time_text(it)));
        let increment = Some(self.increment).filter(|it| !it.is_zero());
        let words = [
            time(self.move_limit, "a move"),
            time(self.bank, "a game"),
            time(increment, "more after a move"),
            self.nodes.map(|nodes| format!("{nodes} nodes a move")),
        ];
        words.into_iter().flatten().collect()
    }

    /// The longest wall time that `plies` moves of one side can take.
    pub fn longest(&self, plies: u32) -> Duration {
        let by_move = self.move_limit.map(|limit| limit * plies);
        let by_bank = self.bank.map(|bank| bank + self.increment * plies);
        let longest = match (by_move, by_bank) {
            (Some(one), Some(other)) => one.min(other),
            (one, other) => one.or(other).unwrap_or_default(),
        };
        (longest + self.margin * plies) * self.measure.wall_times()
    }
}

/// The limit of one turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limit {
    /// The limit that the bot is told.
    pub shown: Duration,
    /// The limit with the margin, in the time that is measured.
    pub deadline: Duration,
    /// The time that is measured.
    pub measure: Measure,
}

/// The judgement on a turn's time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Judged {
    /// In time; the bank pays this much.
    InTime(Duration),
    /// Too late by this measure. With CPU time, wall time is only an outer limit.
    Late(Measure),
    /// CPU time is measured, but unknown.
    Unknown,
}

impl Limit {
    /// When the wait for an answer ends, on the wall clock.
    pub fn wall_stop(&self) -> Duration {
        self.deadline * self.measure.wall_times()
    }

    /// Whether the limit is one of CPU time.
    pub fn is_of_cpu(&self) -> bool {
        self.measure == Measure::Cpu
    }

    /// Judges a turn by its wall time and its CPU time.
    pub fn judge(&self, wall: Duration, cpu: Option<Duration>) -> Judged {
        let used = match self.measure {
            _ if wall > self.wall_stop() => return Judged::Late(Measure::Wall),
            Measure::Wall => Some(wall),
            Measure::Cpu => cpu,
        };
        match used {
            None => Judged::Unknown,
            Some(used) if used > self.deadline => Judged::Late(self.measure),
            Some(used) => Judged::InTime(used),
        }
    }
}

/// The clocks of South and North in one game.
#[derive(Clone, Copy, Debug)]
pub struct Clock {
    settings: [ClockSettings; 2],
    banks: [Duration; 2],
}

impl Clock {
    /// Both banks full.
    pub fn new(settings: [ClockSettings; 2]) -> Self {
        Self {
            settings,
            banks: settings.map(|it| it.bank.unwrap_or_default()),
        }
    }

    /// The settings of a side's clock.
    pub const fn settings(&self, side: Side) -> &ClockSettings {
        &self.settings[side.index()]
    }

    /// The rest of a side's bank; `None` without a bank.
    pub fn bank(&self, side: Side) -> Option<Duration> {
        let bank = self.settings(side).bank;
        bank.map(|_| self.banks[side.index()])
    }

    /// The limit of a side's next turn.
    pub fn limit(&self, side: Side) -> Limit {
        let settings = self.settings(side);
        let shown = match (settings.move_limit, self.bank(side)) {
            (Some(limit), Some(bank)) => limit.min(bank),
            (Some(limit), None) => limit,
            (None, bank) => bank.unwrap_or_default(),
        };
        Limit {
            shown,
            deadline: shown + settings.margin,
            measure: settings.measure,
        }
    }

    /// Charges a side for a turn in time: the full time, but not below 0, then the increment.
    pub fn charge(&mut self, side: Side, used: Duration) {
        let increment = self.settings(side).increment;
        let bank = &mut self.banks[side.index()];
        *bank = bank.saturating_sub(used) + increment;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn ms(ms: u64) -> Duration {
        Duration::from_millis(ms)
    }

    fn settings(
        move_limit: Option<Duration>,
        bank: Option<Duration>,
        increment: Duration,
    ) -> ClockSettings {
        ClockSettings {
            move_limit,
            bank,
            increment,
            nodes: None,
            margin: ms(10),
            measure: Measure::Wall,
        }
    }

    #[test]
    fn a_move_limit_is_the_same_every_turn() {
        let mut clock = Clock::new([settings(Some(ms(100)), None, ms(0)); 2]);
        clock.charge(Side::South, ms(105));
        assert_eq!(
            clock.limit(Side::South),
            Limit {
                shown: ms(100),
                deadline: ms(110),
                measure: Measure::Wall,
            }
        );
        assert_eq!(clock.bank(Side::South), None);
    }

    #[test]
    fn a_bank_is_charged_in_full_and_then_gets_its_increment() {
        let mut clock = Clock::new([settings(None, Some(ms(1000)), ms(50)); 2]);
        clock.charge(Side::South, ms(300));
        assert_eq!(clock.bank(Side::South), Some(ms(750)));
        assert_eq!(clock.bank(Side::North), Some(ms(1000)));
        // Within the margin, but the bank is used up: only the increment is left.
        clock.charge(Side::South, ms(758));
        assert_eq!(
            clock.limit(Side::South),
            Limit {
                shown: ms(50),
                deadline: ms(60),
                measure: Measure::Wall,
            }
        );
    }

    #[test]
    fn with_both_the_smaller_limit_holds() {
        let mut clock = Clock::new([settings(Some(ms(100)), Some(ms(150)), ms(0)); 2]);
        assert_eq!(clock.limit(Side::North).shown, ms(100));
        clock.charge(Side::North, ms(90));
        assert_eq!(clock.limit(Side::North).shown, ms(60));
    }

    #[test]
    fn each_side_has_its_own_clock() {
        let mut clock = Clock::new([
            settings(Some(ms(50)), None, ms(0)),
            settings(None, Some(ms(1000)), ms(20)),
        ]);
        for side in Side::BOTH {
            clock.charge(side, ms(40));
        }
        let shown = Side::BOTH.map(|side| clock.limit(side).shown);
        assert_eq!(shown, [ms(50), ms(980)]);
        let banks = Side::BOTH.map(|side| clock.bank(side));
        assert_eq!(banks, [None, Some(ms(980))]);
    }

    #[test]
    fn the_clock_that_rules_judges() {
        use Judged::{InTime, Late, Unknown};
        let judge = |measure, wall, cpu: Option<u64>| {
            let own = ClockSettings {
                measure,
                ..settings(Some(ms(100)), None, ms(0))
            };
            let other = settings(Some(ms(1)), None, ms(0));
            let clock = Clock::new([own, other]);
            clock.limit(Side::South).judge(ms(wall), cpu.map(ms))
        };
        for (measure, wall, cpu, judged) in [
            (Measure::Wall, 110, Some(900), InTime(ms(110))),
            (Measure::Wall, 111, Some(1), Late(Measure::Wall)),
            (Measure::Wall, 1, None, InTime(ms(1))),
            (Measure::Cpu, 550, Some(110), InTime(ms(110))),
            (Measure::Cpu, 1, Some(111), Late(Measure::Cpu)),
            (Measure::Cpu, 551, Some(1), Late(Measure::Wall)),
            (Measure::Cpu, 551, None, Late(Measure::Wall)),
            (Measure::Cpu, 1, None, Unknown),
        ] {
            assert_eq!(
                judge(measure, wall, cpu),
                judged,
                "{measure:?} {wall} {cpu:?}"
            );
        }
    }

    #[test]
    fn impossible_clocks_are_refused() {
        let error = |move_limit, bank, increment| {
            settings(move_limit, bank, increment).check().unwrap_err()
        };
        assert_eq!(error(None, None, ms(0)), ClockError::NoLimit);
        assert_eq!(error(Some(ms(0)), None, ms(0)), ClockError::Zero("move"));
        assert_eq!(error(None, Some(ms(0)), ms(0)), ClockError::Zero("bank"));
        assert_eq!(
            error(Some(ms(1)), None, ms(1)),
            ClockError::IncrementWithoutBank
        );
        assert_eq!(settings(Some(ms(1)), Some(ms(1)), ms(1)).check(), Ok(()));
    }

    #[test]
    fn the_longest_game_is_bounded_by_the_tighter_clock() {
        assert_eq!(settings(Some(ms(100)), None, ms(0)).longest(10), ms(1100));
        assert_eq!(
            settings(Some(ms(100)), Some(ms(300)), ms(5)).longest(10),
            ms(450)
        );
        let by_cpu = ClockSettings {
            measure: Measure::Cpu,
            ..settings(Some(ms(100)), None, ms(0))
        };
        assert_eq!(by_cpu.longest(10), ms(5500));
    }
}
