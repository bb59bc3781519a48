//! A line of a journal: JSON that begins with a checksum.
//!
//! ```text
//! {"sum":"4f0c…","kind":"game","id":"ada~bob.1.1",…}
//!                ───────────── the sum is of these bytes ─────────────
//! ```
//!
//! After `kind` stands a value of `record`, as serde writes it. Keys and kinds that this version
//! does not know are those of a newer one: they are left out and named.

use super::damage;
use crate::record::{Admission, GameId, GameRecord, GameSummary, Withdrawal};
use crate::tournament::document::RunSettings;
use crate::tournament::formats::DealtRound;
use crate::tournament::sha256::sha256_hex;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Hexadecimal digits of a line's checksum: 64 bits of SHA-256.
pub const SUM_DIGITS: usize = 16;
/// The beginning of every line, before the digits.
pub const SUM_HEAD: &str = "{\"sum\":\"";
const SUM_TAIL: &str = "\",";
/// The beginning of the fields of a game, as it is written.
const GAME: &str = "\"kind\":\"game\",";

/// The text after the checksum, if the checksum is right.
pub fn checked_fields(text: &str) -> Option<&str> {
    let rest = text.strip_prefix(SUM_HEAD)?;
    let sum = rest.get(..SUM_DIGITS)?;
    let fields = rest.get(SUM_DIGITS..)?.strip_prefix(SUM_TAIL)?;
    (checksum(fields) == sum).then_some(fields)
}

fn checksum(fields: &str) -> String {
    let mut sum = sha256_hex(fields.as_bytes());
    sum.truncate(SUM_DIGITS);
    sum
}

/// A line of a journal after the first. A game is its record, or what a reader keeps of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Entry<G = Box<GameRecord>> {
    /// A finished game.
    Game(G),
    /// The result of an entrant's examination.
    Admission(Admission),
    /// The withdrawal of an entrant.
    Withdrawal(Withdrawal),
}

/// A game as a reader keeps it. Its place in the schedule is found after its line was parsed.
pub trait IdentifiedGame {
    /// Its id.
    fn id(&self) -> &GameId;

    /// Its id, for writing.
    fn id_mut(&mut self) -> &mut GameId;

    /// South and North.
    fn entrants(&self) -> &[String; 2];
}

impl IdentifiedGame for Box<GameRecord> {
    fn id(&self) -> &GameId {
        &self.id
    }

    fn id_mut(&mut self) -> &mut GameId {
        &mut self.id
    }

    fn entrants(&self) -> &[String; 2] {
        &self.entrants
    }
}

impl IdentifiedGame for GameSummary {
    fn id(&self) -> &GameId {
        &self.id
    }

    fn id_mut(&mut self) -> &mut GameId {
        &mut self.id
    }

    fn entrants(&self) -> &[String; 2] {
        &self.entrants
    }
}

/// The first line, or a revision: the definition of the run.
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
#[derive(Debug, Default, Deserialize, Serialize)]
#[serde(default)]
pub struct SettingsLine {
    pub settings: RunSettings,
}

/// A line that was set aside, because it was damaged or because it followed from one that was.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Eq, Serialize)]
#[serde(default)]
pub struct SetAsideLine {
    /// Its number in the journal at that time, from 1.
    pub line: usize,
    /// Its bytes, with the newline.
    pub bytes: u64,
    /// SHA-256 of these bytes, in hexadecimal.
    pub sha256: String,
    /// Why it was set aside. May quote the line.
    pub reason: String,
}

/// A repair of the journal.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Eq, Serialize)]
#[serde(default)]
pub struct Repair {
    /// The lines, in their order.
    pub set_aside: Vec<SetAsideLine>,
}

/// The form in which a line is written, without its checksum.
#[derive(Serialize)]
struct Written<'a, T> {
    kind: &'a str,
    #[serde(flatten)]
    value: &'a T,
}

/// Appends a line with its checksum and a newline.
pub fn write_line(kind: &str, value: &impl Serialize, text: &mut Vec<u8>) {
    let line = Written { kind, value };
    let body = serde_json::to_string(&line).expect("a line of strings and numbers");
    let fields = body.strip_prefix('{').expect("a line is an object");
    for part in [SUM_HEAD, &checksum(fields), SUM_TAIL, fields, "\n"] {
        text.extend_from_slice(part.as_bytes());
    }
}

/// A sound line.
#[derive(Debug)]
pub enum ParsedLine<G> {
    Plan(Box<PlanLine>),
    Settings(RunSettings),
    Repair(Repair),
    Round(DealtRound),
    Entry(Entry<G>),
    /// A line of a kind that this version does not know.
    Newer,
}

/// The tag of a line. It is read separately, because a tagged enum cannot hold raw JSON.
#[derive(Deserialize)]
struct LineKind {
    kind: String,
}

/// Reads a line without its newline; `keep` returns what is kept of a game. Keys and kinds of a
/// newer version are appended to `newer`, as in `game.plies.colour` or `appeal`.
pub fn read_line<G>(
    text: &[u8],
    keep: impl FnOnce(Box<GameRecord>) -> G,
    newer: &mut Vec<String>,
) -> Result<ParsedLine<G>, String> {
    let line = std::str::from_utf8(text).ok();
    let fields = line.and_then(|line| Some((line, checked_fields(line)?)));
    let (line, fields) = fields.ok_or_else(|| damage::reason(text))?;
    // Nearly all lines are games: their tag is not read separately.
    let kind = if fields.starts_with(GAME) {
        "game".to_owned()
    } else {
        let tag = serde_json::from_str(line).map_err(|error| error.to_string());
        tag.map(|LineKind { kind }| kind)?
    };
    Ok(match kind.as_str() {
        "plan" => ParsedLine::Plan(parse(line, &kind, newer)?),
        "game" => ParsedLine::Entry(Entry::Game(keep(parse(line, &kind, newer)?))),
        "admission" => ParsedLine::Entry(Entry::Admission(parse(line, &kind, newer)?)),
        "withdrawal" => ParsedLine::Entry(Entry::Withdrawal(parse(line, &kind, newer)?)),
        "settings" => ParsedLine::Settings(parse::<SettingsLine>(line, &kind, newer)?.settings),
        "repair" => ParsedLine::Repair(parse(line, &kind, newer)?),
        "round" => ParsedLine::Round(parse(line, &kind, newer)?),
        other => {
            newer.push(other.to_owned());
            ParsedLine::Newer
        }
    })
}

fn parse<'a, T: Deserialize<'a>>(
    line: &'a str,
    kind: &str,
    newer: &mut Vec<String>,
) -> Result<T, String> {
    let mut json = serde_json::Deserializer::from_str(line);
    let mut tags = 0;
    let value = serde_ignored::deserialize(&mut json, |path| match path.to_string().as_str() {
        "sum" => {}
        "kind" => tags += 1,
        // An optional value is a `?` in its path.
        path => newer.push(format!("{kind}.{path}").replace(".?", "")),
    });
    let value = value.and_then(|value| json.end().map(|()| value));
    match value.map_err(|error| error.to_string())? {
        // Two programs could take it for two things.
        _ if tags > 1 => Err("duplicate field `kind`".to_owned()),
        value => Ok(value),
    }
}

/// Whether a line is a game, as far as its beginning says; it may be damaged.
pub fn begins_as_game(line: &[u8]) -> bool {
    let rest = line.strip_prefix(SUM_HEAD.as_bytes());
    let rest = rest.and_then(|rest| rest.get(SUM_DIGITS..)?.strip_prefix(SUM_TAIL.as_bytes()));
    rest.is_some_and(|fields| fields.starts_with(GAME.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    const REST: &str = r#""attempt":1,"entrants":["a","b"],"opening":1,"opening_moves":"",
        "start":"4-4-4-4-4-4-4-4-4-4-4-4-0-0-S","plies":{"moves":"A","times_us":[7]},
        "ending":{"rules":"no-move"},"stores":[20,28]"#;

    fn read(fields: &str) -> Result<GameRecord, String> {
        let line = format!("{SUM_HEAD}{}{SUM_TAIL}{fields}", checksum(fields));
        match read_line(line.as_bytes(), |record| *record, &mut Vec::new())? {
            ParsedLine::Entry(Entry::Game(game)) => Ok(game),
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
                Some("Newer"),
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
        let names = REST.replace(r#"["a","b"]"#, r#"["\"\u00e9\n\\","b"]"#);
        let record = read(&format!(r#""kind":"game","id":"a~b.1.1",{names}}}"#)).unwrap();
        assert_eq!(record.entrants, ["\"é\n\\", "b"]);
    }

    /// A game with all keys.
    fn sample() -> Value {
        serde_json::json!({
            "id": "a~b.1.2", "attempt": 2, "entrants": ["a", "b"],
            "opening": 3, "opening_moves": "Ab", "start": "4-4-4-4-4-4-4-4-4-4-4-4-0-0-S",
            "plies": {
                "moves": "Bc", "times_us": [7, 8], "cpu_us": [5, null],
                "preempted_us": { "1": 4 }, "infos": { "0": { "depth": 9 } },
            },
            "ending": { "fault": ["north", { "kind": "crash", "detail": "x", "time_us": 6 }] },
            "stores": [20, 28], "ready_us": [1, 2], "lateness_us": 3, "off_turn_us": [null, 4],
            "short_cpu_us": [5, null], "introductions": ["a 1", null],
        })
    }

    fn read_value(
        kind: &str,
        value: &Value,
    ) -> (Result<ParsedLine<GameRecord>, String>, Vec<String>) {
        let (mut text, mut newer) = (Vec::new(), Vec::new());
        write_line(kind, value, &mut text);
        text.pop();
        (read_line(&text, |record| *record, &mut newer), newer)
    }

    /// Removes and adds one key after the other, in this value and those below it.
    fn age(kind: &str, whole: &Value, path: &str, needed: &[&str]) {
        let object = match whole.pointer(path) {
            Some(Value::Array(items)) => {
                let items = 0..items.len();
                return items.for_each(|item| age(kind, whole, &format!("{path}/{item}"), needed));
            }
            Some(Value::Object(object)) => object,
            _ => return,
        };
        let changed = |change: &dyn Fn(&mut serde_json::Map<String, Value>)| {
            let mut changed = whole.clone();
            change(
                changed
                    .pointer_mut(path)
                    .and_then(Value::as_object_mut)
                    .unwrap(),
            );
            read_value(kind, &changed)
        };
        // The only key of these is the name of a variant.
        let is_variant = ["/ending", "/refusal"].contains(&path);
        for key in object.keys() {
            if !is_variant {
                let (read, newer) = changed(&|object| drop(object.remove(key)));
                let is_needed = needed.contains(&key.as_str());
                assert!(
                    newer.is_empty() && read.is_err() == is_needed,
                    "{path} {key}: {read:?}"
                );
                if let Err(error) = read {
                    assert!(
                        error.starts_with(&format!("missing field `{key}`")),
                        "{error}"
                    );
                }
            }
            age(kind, whole, &format!("{path}/{key}"), needed);
        }
        // The keys of these are plies, or the bot's.
        let is_of_plies = path.contains("/infos") || path.ends_with("/preempted_us");
        if !is_variant && !is_of_plies {
            let (read, newer) = changed(&|object| drop(object.insert("hue".into(), "red".into())));
            assert!(read.is_ok(), "{path}: {read:?}");
            let [newer] = &newer[..] else {
                panic!("{path}: {newer:?}");
            };
            assert!(
                newer.starts_with(kind) && newer.split('.').next_back() == Some("hue"),
                "{newer}"
            );
        }
    }

    /// Only keys without which a line is nothing must be there.
    #[test]
    fn lines_age_key_by_key() {
        let of_games = ["id", "entrants", "ending", "stores", "moves", "kind"];
        age("game", &sample(), "", &of_games);
        let mut void = sample();
        void["ending"] = serde_json::json!({ "void": {
            "cause": "x", "on_turn": "south", "active": "north", "late_us": 5, "cpu_us": [1, null],
        } });
        age("game", &void, "", &of_games);
        let left =
            serde_json::json!({ "entrant": "a", "after": "a~b.1.2", "faults": 1, "games": 2 });
        age("withdrawal", &left, "", &["entrant", "after"]);
        let refused = serde_json::json!({ "entrant": "a", "refusal": { "fault": {
            "against": "random", "fault": { "kind": "crash", "detail": "x" }, "may_pass": true,
        } } });
        age(
            "admission",
            &refused,
            "",
            &["entrant", "against", "fault", "kind"],
        );
        let late = serde_json::json!({ "entrant": "a", "late": "timeout" });
        age("admission", &late, "", &["entrant"]);
        let aside = serde_json::json!({ "line": 3, "bytes": 4, "sha256": "x", "reason": "y" });
        age(
            "repair",
            &serde_json::json!({ "set_aside": [aside] }),
            "",
            &[],
        );
        let settings = serde_json::json!({ "settings": {
            "name": "x", "slots": 2, "deterministic": ["a"], "max-pairs": 3,
            "grading": { "points": [] },
        } });
        age("settings", &settings, "", &[]);
    }

    #[test]
    fn a_kind_of_a_newer_version_is_named() {
        let (read, newer) = read_value("appeal", &serde_json::json!({ "by": "a" }));
        assert!(matches!(read, Ok(ParsedLine::Newer)), "{read:?}");
        assert_eq!(newer, ["appeal"]);
    }

    #[test]
    fn a_record_is_read_as_it_was_written() {
        let (read, _) = read_value("game", &sample());
        let Ok(ParsedLine::Entry(Entry::Game(record))) = read else {
            panic!("{read:?}");
        };
        assert_eq!(serde_json::to_value(&record).unwrap(), sample());
    }
}
