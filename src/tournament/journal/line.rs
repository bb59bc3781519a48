//! Lines of a journal: JSON that begins with a checksum.

use super::damage;
use crate::record::{Fault, FaultKind, GameEnding, GameId, GameRecord, PlyRecord, Void};
use crate::rules::{EndReason, Position, Side, moves_text, parse_moves};
use crate::tournament::document::run_settings::RunSettings;
use crate::tournament::journal::admission_lines::{AdmissionLine, WithdrawalLine};
use crate::tournament::journal::checksum::{
    SUM_DIGITS, SUM_HEAD, SUM_TAIL, checked_fields, checksum,
};
use crate::tournament::journal::numbers::Numbers;
use crate::tournament::journal::repair_line::Repair;
use serde::de::IgnoredAny;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::collections::BTreeMap;

/// Any line, without its checksum.
#[derive(Debug, Serialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum JournalLine<'a> {
    Plan(PlanLine),
    Game(Box<GameLine<'a>>),
    Admission(AdmissionLine),
    Withdrawal(WithdrawalLine),
    Settings(SettingsLine),
    Repair(Repair),
}

/// The beginning of the fields of a game, as it is written.
const GAME: &str = "\"kind\":\"game\",";

/// The tag of a line. It is read separately, because a tagged enum cannot hold raw JSON.
#[derive(Deserialize)]
struct LineKind {
    kind: String,
}

/// The first line: the definition of the run.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub struct PlanLine {
    pub format: u32,
    pub plan: Value,
    /// The plan's hash.
    #[serde(default)]
    pub sha256: String,
    #[serde(default)]
    pub settings: RunSettings,
}

/// Other settings, with which the run was resumed.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub struct SettingsLine {
    pub settings: RunSettings,
}

/// A finished game.
#[derive(Debug, Deserialize, Serialize)]
pub struct GameLine<'a> {
    /// The tag, which is written by the enum; a second one is damage.
    #[serde(default, rename = "kind", skip_serializing)]
    _kind: IgnoredAny,
    #[serde(borrow)]
    id: Cow<'a, str>,
    attempt: u32,
    #[serde(borrow)]
    south: Cow<'a, str>,
    #[serde(borrow)]
    north: Cow<'a, str>,
    opening: u32,
    #[serde(borrow)]
    opening_moves: Cow<'a, str>,
    #[serde(borrow)]
    start: Cow<'a, str>,
    #[serde(borrow)]
    moves: Cow<'a, str>,
    times_us: Numbers<u64>,
    /// One for each move, or absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    cpu_us: Option<Numbers<Option<u64>>>,
    /// By the index of the ply, from 0; other plies were not held up.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    preempted_us: BTreeMap<u32, u64>,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    infos: BTreeMap<u32, Box<RawValue>>,
    #[serde(borrow)]
    ending: Cow<'a, str>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    side: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    detail: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    fault_time_us: Option<u64>,
    /// For a void game: the side on turn, the side that was disturbed, and the turn's time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    on_turn: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    active: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    void_late_us: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    void_cpu_us: Option<[Option<u64>; 2]>,
    stores: [u8; 2],
    /// South's and North's, or absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    ready_us: Option<[Option<u64>; 2]>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    lateness_us: Option<u64>,
    /// South's and North's.
    #[serde(default, skip_serializing_if = "is_unknown")]
    off_turn_us: [Option<u64>; 2],
    #[serde(default, skip_serializing_if = "is_unknown")]
    short_cpu_us: [Option<u64>; 2],
    /// South's and North's, or absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    introductions: Option<[Option<String>; 2]>,
}

fn is_unknown(times: &[Option<u64>; 2]) -> bool {
    *times == [None; 2]
}

/// Appends a line with its checksum and a newline.
pub fn write_line(line: &JournalLine<'_>, text: &mut Vec<u8>) {
    let body = serde_json::to_string(line).expect("a line of strings and numbers");
    let fields = body.strip_prefix('{').expect("a line is an object");
    text.extend_from_slice(SUM_HEAD.as_bytes());
    text.extend_from_slice(checksum(fields).as_bytes());
    text.extend_from_slice(SUM_TAIL.as_bytes());
    text.extend_from_slice(fields.as_bytes());
    text.push(b'\n');
}

/// Reads a line without its newline.
pub fn read_line(text: &[u8]) -> Result<JournalLine<'_>, String> {
    let line = std::str::from_utf8(text).ok();
    let fields = line.and_then(|line| Some((line, checked_fields(line)?)));
    let (line, fields) = fields.ok_or_else(|| damage::reason(text))?;
    // Nearly all lines are games: their tag is not read separately.
    if fields.starts_with(GAME) {
        return game_line(line);
    }
    match parse::<LineKind>(line)?.kind.as_str() {
        "plan" => parse(line).map(JournalLine::Plan),
        "game" => game_line(line),
        "admission" => parse(line).map(JournalLine::Admission),
        "withdrawal" => parse(line).map(JournalLine::Withdrawal),
        "settings" => parse(line).map(JournalLine::Settings),
        "repair" => parse(line).map(JournalLine::Repair),
        other => Err(format!("no line is of kind {other:?}")),
    }
}

/// Whether a line is a game, as far as its beginning says; it may be damaged.
pub fn begins_as_game(line: &[u8]) -> bool {
    let rest = line.strip_prefix(SUM_HEAD.as_bytes());
    let rest = rest.and_then(|rest| rest.get(SUM_DIGITS..)?.strip_prefix(SUM_TAIL.as_bytes()));
    rest.is_some_and(|fields| fields.starts_with(GAME.as_bytes()))
}

/// Parses a line; keys that the type does not have, such as the checksum, are skipped.
fn parse<'a, T: Deserialize<'a>>(line: &'a str) -> Result<T, String> {
    serde_json::from_str(line).map_err(|error| error.to_string())
}

fn game_line(line: &str) -> Result<JournalLine<'_>, String> {
    parse(line).map(|game| JournalLine::Game(Box::new(game)))
}

impl<'a> GameLine<'a> {
    pub fn new(record: &'a GameRecord) -> Self {
        let (side, detail, fault_time_us) = match &record.ending {
            GameEnding::Rules(_) | GameEnding::Adjudicated => (None, None, None),
            GameEnding::Resignation(side) => (Some(*side), None, None),
            GameEnding::Fault(side, fault) => {
                (Some(*side), Some(fault.detail.clone()), fault.time_us)
            }
            GameEnding::Void(void) => (None, Some(void.cause.clone()), None),
        };
        let void = record.void();
        let name = |side: Side| side.name().to_owned();
        let [south, north] = &record.entrants;
        Self {
            _kind: IgnoredAny,
            id: record.id.to_string().into(),
            attempt: record.attempt,
            south: south.into(),
            north: north.into(),
            opening: record.opening,
            opening_moves: moves_text(&record.opening_moves).into(),
            start: record.start.to_string().into(),
            moves: moves_text(&record.moves()).into(),
            times_us: Numbers(record.plies.iter().map(|ply| ply.time_us).collect()),
            cpu_us: cpu_times(&record.plies),
            preempted_us: preempted_times(&record.plies),
            infos: infos(&record.plies),
            ending: record.ending.name().into(),
            side: side.map(name),
            detail,
            fault_time_us,
            on_turn: void.and_then(|it| it.on_turn).map(name),
            active: void.and_then(|it| it.active).map(name),
            void_late_us: void.and_then(|it| it.late_us),
            void_cpu_us: void
                .map(|it| it.cpu_us)
                .filter(|times| times.iter().any(Option::is_some)),
            stores: record.stores,
            ready_us: Some(record.ready_us).filter(|ready| *ready != [None; 2]),
            lateness_us: record.lateness_us,
            off_turn_us: record.off_turn_us,
            short_cpu_us: record.short_cpu_us,
            introductions: Some(record.introductions.clone()).filter(|it| *it != [None, None]),
        }
    }

    /// The record of the line.
    pub fn record(self) -> Result<GameRecord, String> {
        let ending = self.ending()?;
        let plies = self.plies()?;
        Ok(GameRecord {
            id: self
                .id
                .parse::<GameId>()
                .map_err(|()| format!("no game is named {:?}", self.id))?,
            attempt: self.attempt,
            opening: self.opening,
            opening_moves: parse_moves(&self.opening_moves).map_err(|error| error.to_string())?,
            start: self
                .start
                .parse::<Position>()
                .map_err(|error| error.to_string())?,
            plies,
            ending,
            stores: self.stores,
            ready_us: self.ready_us.unwrap_or_default(),
            lateness_us: self.lateness_us,
            off_turn_us: self.off_turn_us,
            short_cpu_us: self.short_cpu_us,
            introductions: self.introductions.unwrap_or_default(),
            entrants: [self.south, self.north].map(Cow::into_owned),
        })
    }

    fn plies(&self) -> Result<Vec<PlyRecord>, String> {
        let moves = parse_moves(&self.moves).map_err(|error| error.to_string())?;
        let (count, times_us) = (moves.len(), &self.times_us.0);
        if count != times_us.len() {
            return Err(format!("{count} moves but {} times", times_us.len()));
        }
        let cpu_us = self.cpu_us.as_ref().map(|times| &times.0);
        if let Some(times) = cpu_us
            && times.len() != count
        {
            return Err(format!("{count} moves but {} CPU times", times.len()));
        }
        let info = |ply: u32| self.infos.get(&ply).map(|info| info.get().to_owned());
        let timed = moves.into_iter().zip(times_us).zip(0_u32..);
        Ok(timed
            .map(|((pit, &time_us), ply)| PlyRecord {
                pit,
                time_us,
                cpu_us: cpu_us.and_then(|times| times[ply as usize]),
                preempted_us: self.preempted_us.get(&ply).copied().unwrap_or_default(),
                info: info(ply),
            })
            .collect())
    }

    fn ending(&self) -> Result<GameEnding, String> {
        let detail = || self.detail.clone().unwrap_or_default();
        if let Some(reason) = EndReason::ALL
            .into_iter()
            .find(|it| it.name() == self.ending)
        {
            return Ok(GameEnding::Rules(reason));
        }
        let kind = FaultKind::from_name(&self.ending);
        if let Some(kind) = kind {
            let fault = Fault {
                time_us: self.fault_time_us,
                ..Fault::new(kind, detail())
            };
            return Ok(GameEnding::Fault(self.side()?, fault));
        }
        match &*self.ending {
            "adjudicated" => Ok(GameEnding::Adjudicated),
            "resignation" => Ok(GameEnding::Resignation(self.side()?)),
            "void" => self.void(detail()).map(GameEnding::Void),
            other => Err(format!("no ending is named {other:?}")),
        }
    }

    /// Older journals contain less about a void; the rest stays unknown.
    fn void(&self, cause: String) -> Result<Void, String> {
        let known = |name: &Option<String>| match name.as_deref() {
            None => Ok(None),
            Some(name) => named_side(name)
                .map(Some)
                .ok_or_else(|| format!("no side is named {name:?}")),
        };
        Ok(Void {
            cause,
            on_turn: known(&self.on_turn)?,
            active: known(&self.active)?,
            late_us: self.void_late_us,
            cpu_us: self.void_cpu_us.unwrap_or_default(),
        })
    }

    fn side(&self) -> Result<Side, String> {
        let side = self.side.as_deref().and_then(named_side);
        side.ok_or_else(|| "it does not say whose".to_owned())
    }
}

fn named_side(name: &str) -> Option<Side> {
    Side::BOTH.into_iter().find(|side| side.name() == name)
}

/// `None` if no time is known.
fn cpu_times(plies: &[PlyRecord]) -> Option<Numbers<Option<u64>>> {
    let times: Vec<Option<u64>> = plies.iter().map(|ply| ply.cpu_us).collect();
    times.iter().any(Option::is_some).then_some(Numbers(times))
}

fn preempted_times(plies: &[PlyRecord]) -> BTreeMap<u32, u64> {
    let times = (0..).zip(plies.iter().map(|ply| ply.preempted_us));
    times
        .filter(|(_, preempted_us)| *preempted_us > 0)
        .collect()
}

fn infos(plies: &[PlyRecord]) -> BTreeMap<u32, Box<RawValue>> {
    let raw = |ply: &PlyRecord| RawValue::from_string(ply.info.clone()?).ok();
    (0..)
        .zip(plies)
        .filter_map(|(number, ply)| Some((number, raw(ply)?)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const REST: &str = r#""attempt":1,"south":"a","north":"b","opening":1,"opening_moves":"",
        "start":"4-4-4-4-4-4-4-4-4-4-4-4-0-0-S","moves":"A","times_us":[7],"ending":"no-move",
        "stores":[20,28]"#;

    fn read(fields: &str) -> Result<GameRecord, String> {
        let line = format!("{SUM_HEAD}{}{SUM_TAIL}{fields}", checksum(fields));
        match read_line(line.as_bytes())? {
            JournalLine::Game(game) => game.record(),
            other => Err(format!("{other:?}")),
        }
    }

    #[test]
    fn the_tag_of_a_game_counts_wherever_it_stands() {
        for (fields, reason) in [
            (format!(r#""kind":"game","id":"a~b.1.1",{REST}}}"#), None),
            (format!(r#""id":"a~b.1.1",{REST},"kind":"game"}}"#), None),
            (
                format!(r#""kind":"g\u0061me","id":"a~b.1.1",{REST}}}"#),
                None,
            ),
            (
                format!(r#""kind":"game","id":"a~b.1.1",{REST},"kind":"plan"}}"#),
                Some("duplicate field"),
            ),
            (
                format!(r#""kind":"plan","id":"a~b.1.1",{REST},"kind":"game"}}"#),
                Some("duplicate field"),
            ),
            (format!(r#""id":"a~b.1.1",{REST}}}"#), Some("missing field")),
            (
                format!(r#""kind":"gam","id":"a~b.1.1",{REST}}}"#),
                Some("no line is of kind"),
            ),
            (
                format!(r#""kind":"game","id":"a~b.1.1",{REST}}} {{}}"#),
                Some("trailing"),
            ),
        ] {
            match (read(&fields), reason) {
                (Ok(record), None) => assert_eq!(record.id.to_string(), "a~b.1.1"),
                (Err(error), Some(reason)) => assert!(error.contains(reason), "{fields}: {error}"),
                (read, _) => panic!("{fields}: {read:?}"),
            }
        }
    }

    #[test]
    fn names_with_escapes_are_read_too() {
        let names = REST.replace(r#""south":"a""#, r#""south":"\"\u00e9\n\\""#);
        let record = read(&format!(r#""kind":"game","id":"a~b.1.1",{names}}}"#)).unwrap();
        assert_eq!(record.entrants, ["\"é\n\\", "b"]);
    }
}
