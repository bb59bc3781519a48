//! Parses what a bot writes; no byte of it is trusted.

use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;
use std::num::NonZeroU32;
use thiserror::Error;

/// The largest `info` that is kept, in bytes.
pub const INFO_BYTES: usize = 4096;
/// The longest name and the longest version that are kept, in characters.
const NAME_CHARACTERS: usize = 40;
/// How much of a bot's line an error quotes, in characters.
const QUOTED: usize = 120;

/// A bot's description of itself.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Eq)]
pub struct Ready {
    /// The program's name.
    pub name: Option<String>,
    /// Its version.
    pub version: Option<String>,
    /// Its author.
    pub author: Option<String>,
    /// The highest version of the protocol that it understands; `None` is version 1.
    pub protocol: Option<NonZeroU32>,
}

impl Ready {
    /// Name and version, as in `ada v1.2`; `None` if it gives neither. Hostile text, of bounded
    /// length.
    pub fn introduction(&self) -> Option<String> {
        let short = |text: &Option<String>| -> Option<String> {
            let text = text.as_deref()?.trim();
            (!text.is_empty()).then(|| text.chars().take(NAME_CHARACTERS).collect())
        };
        let version = short(&self.version).map(|version| {
            if version.starts_with('v') {
                version
            } else {
                format!("v{version}")
            }
        });
        match (short(&self.name), version) {
            (Some(name), Some(version)) => Some(format!("{name} {version}")),
            (one, other) => one.or(other),
        }
    }
}

/// An answer to `turn`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BotAnswer {
    /// Plays a pit.
    Move {
        /// 0–5 in a correct answer.
        pit: i64,
        /// The `info` object as JSON text on one line. One that is too large or invalid is replaced
        /// by an object with the single key `dropped`, which says why.
        info: Option<String>,
        /// Why the bot's own `info` was replaced.
        dropped_info: Option<String>,
    },
    /// Resigns.
    Resign,
}

/// A line that does not answer the request: the mistake, for the bot's author. Quotes the
/// bot, in a form that is safe for a terminal.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("{0}")]
pub struct AnswerError(String);

#[derive(Deserialize)]
struct AnswerKind<'a> {
    #[serde(borrow, rename = "type")]
    kind: std::borrow::Cow<'a, str>,
}

#[derive(Deserialize)]
struct MoveFields<'a> {
    #[serde(borrow, rename = "type")]
    kind: std::borrow::Cow<'a, str>,
    pit: i64,
    #[serde(default)]
    turn: Option<u32>,
    #[serde(borrow, default)]
    info: Option<&'a RawValue>,
}

impl MoveFields<'_> {
    fn answer(self, turn: u32) -> Result<BotAnswer, AnswerError> {
        check_turn(self.turn, turn)?;
        let (info, dropped_info) = self.info.map_or((None, None), kept_info);
        Ok(BotAnswer::Move {
            pit: self.pit,
            info,
            dropped_info,
        })
    }
}

#[derive(Deserialize)]
struct ResignFields {
    #[serde(default)]
    turn: Option<u32>,
}

/// Parses an answer to `hello` or `new-game`.
///
/// # Errors
/// The mistake in the line, for the bot's author.
pub fn parse_ready(line: &[u8]) -> Result<Ready, AnswerError> {
    let text = object_text(line)?;
    match kind(text)?.as_ref() {
        "ready" => fields(text),
        other => Err(unexpected(other, "\"ready\"")),
    }
}

/// Parses an answer to the turn of this number.
///
/// # Errors
/// The mistake in the line, for the bot's author.
pub fn parse_turn_answer(line: &[u8], turn: u32) -> Result<BotAnswer, AnswerError> {
    if let Some(answer) = shortest_move(line) {
        return Ok(answer);
    }
    let text = object_text(line)?;
    // Nearly all answers are moves without a mistake: these are read once.
    if let Ok(fields) = serde_json::from_str::<MoveFields<'_>>(text)
        && fields.kind == "move"
    {
        return fields.answer(turn);
    }
    match kind(text)?.as_ref() {
        "move" => fields::<MoveFields<'_>>(text)?.answer(turn),
        "resign" => {
            let fields: ResignFields = fields(text)?;
            check_turn(fields.turn, turn)?;
            Ok(BotAnswer::Resign)
        }
        other => Err(unexpected(other, "\"move\" or \"resign\"")),
    }
}

/// The shortest form of a move, which the fastest bots write. Every other form is read as JSON, and
/// so would be this one.
fn shortest_move(line: &[u8]) -> Option<BotAnswer> {
    let rest = line.strip_prefix(b"{\"type\":\"move\",\"pit\":")?;
    let &[digit @ b'0'..=b'9', b'}'] = rest else {
        return None;
    };
    Some(BotAnswer::Move {
        pit: i64::from(digit - b'0'),
        info: None,
        dropped_info: None,
    })
}

/// The line as text, if it can be a JSON object: serde would also accept an array.
fn object_text(line: &[u8]) -> Result<&str, AnswerError> {
    let no_object = |what: &str, text: &str| AnswerError(format!("{what}: {}", quoted(text)));
    let text = std::str::from_utf8(line)
        .map_err(|_| no_object("not UTF-8", &String::from_utf8_lossy(line)))?;
    if text.trim_start().starts_with('{') {
        Ok(text)
    } else {
        Err(no_object("not a JSON object", text))
    }
}

fn kind(text: &str) -> Result<std::borrow::Cow<'_, str>, AnswerError> {
    fields::<AnswerKind<'_>>(text).map(|kind| kind.kind)
}

fn fields<'a, T: Deserialize<'a>>(text: &'a str) -> Result<T, AnswerError> {
    let read = serde_json::from_str(text);
    read.map_err(|error| AnswerError(format!("{error} in {}", quoted(text))))
}

fn unexpected(kind: &str, wanted: &str) -> AnswerError {
    AnswerError(format!("type {} where {wanted} was expected", quoted(kind)))
}

fn check_turn(answered: Option<u32>, asked: u32) -> Result<(), AnswerError> {
    match answered {
        Some(answered) if answered != asked => {
            let words = format!("answered turn {answered} when asked for turn {asked}");
            Err(AnswerError(words))
        }
        _ => Ok(()),
    }
}

/// The `info` that is kept, and why it is another one than the bot's.
fn kept_info(info: &RawValue) -> (Option<String>, Option<String>) {
    let text = info.get();
    let dropped = |why: String| {
        let instead = serde_json::json!({ "dropped": why }).to_string();
        (Some(instead), Some(why))
    };
    if text.len() > INFO_BYTES {
        return dropped(format!(
            "{} bytes; at most {INFO_BYTES} are kept",
            text.len()
        ));
    }
    // Parsed and written again, so that readers of the journal meet no deep nesting, no invalid
    // numbers and no control characters.
    match serde_json::from_str(text) {
        Ok(Value::Object(object)) => (Some(Value::Object(object).to_string()), None),
        Ok(_) => dropped("not an object".to_owned()),
        Err(error) => dropped(error.to_string()),
    }
}

/// A bot's text in a message: shortened, and without characters that move a cursor or are
/// invisible.
fn quoted(text: &str) -> String {
    let mut short: String = text.chars().take(QUOTED).collect();
    if short.len() < text.len() {
        short.push('…');
    }
    format!("{short:?}")
}

/// The line of a bot that is ready, with a newline.
pub fn ready_line(name: &str, version: &str) -> String {
    let message = serde_json::json!({ "type": "ready", "name": name, "version": version });
    format!("{message}\n")
}

/// The line of a bot that plays `pit` (0–5), with a newline; `info` is a JSON object or null.
pub fn move_line(pit: u8, turn: u32, info: &Value) -> String {
    let mut message = serde_json::json!({ "type": "move", "pit": pit, "turn": turn });
    if info.is_object() {
        message["info"] = info.clone();
    }
    format!("{message}\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn played(pit: i64) -> BotAnswer {
        BotAnswer::Move {
            pit,
            info: None,
            dropped_info: None,
        }
    }

    #[test]
    fn moves_are_read() {
        assert_eq!(
            parse_turn_answer(br#"{"type":"move","pit":3}"#, 7),
            Ok(played(3))
        );
        assert_eq!(
            parse_turn_answer(br#" {"pit":3,"x":[{}],"type":"move"} "#, 7),
            Ok(played(3))
        );
        assert_eq!(
            parse_turn_answer(b"{\"type\":\"move\",\"pit\":0,\"turn\":7}\r", 7),
            Ok(played(0))
        );
        assert_eq!(
            parse_turn_answer(br#"{"type":"move","pit":-1}"#, 7),
            Ok(played(-1))
        );
        assert_eq!(
            parse_turn_answer(br#"{"type":"move","pit":99}"#, 7),
            Ok(played(99))
        );
        assert_eq!(
            parse_turn_answer(br#"{"type":"mo\u0076e","pit":1}"#, 7),
            Ok(played(1))
        );
        assert_eq!(
            parse_turn_answer(br#"{"type":"resign"}"#, 7),
            Ok(BotAnswer::Resign)
        );
        assert_eq!(
            parse_turn_answer(move_line(5, 2, &Value::Null).as_bytes(), 2),
            Ok(played(5))
        );
    }

    /// A space, which changes nothing, makes the shortest form an ordinary one.
    #[test]
    fn the_shortest_form_is_read_like_every_other() {
        for last in (0..=255).map(char::from) {
            let short = format!("{{\"type\":\"move\",\"pit\":{last}}}");
            let long = format!("{{ \"type\":\"move\",\"pit\":{last}}}");
            let [short, long] = [short, long].map(|line| parse_turn_answer(line.as_bytes(), 9));
            assert_eq!(short.ok(), long.ok(), "{last}");
        }
    }

    #[test]
    fn garbage_is_refused_in_words() {
        for (line, said) in [
            (&b""[..], "not a JSON object: \"\""),
            (b"3", "not a JSON object: \"3\""),
            (br#"["move",3]"#, "not a JSON object"),
            (br#"{"type":"move","pit":3"#, "EOF while parsing"),
            (br#"{"type":"move","pit":3}{}"#, "trailing characters"),
            (br#"{"type":"move"}"#, "missing field `pit`"),
            (br#"{"pit":3}"#, "missing field `type`"),
            (br#"{"type":7}"#, "invalid type"),
            (
                br#"{"type":"mvoe","pit":3}"#,
                "type \"mvoe\" where \"move\" or \"resign\"",
            ),
            (br#"{"type":"move","pit":"3"}"#, "invalid type: string"),
            (
                br#"{"type":"move","pit":3.0}"#,
                "invalid type: floating point",
            ),
            (br#"{"type":"move","pit":null}"#, "invalid type: null"),
            (br#"{"type":"move","pit":1e400}"#, "number out of range"),
            (
                br#"{"type":"move","pit":3,"pit":4}"#,
                "duplicate field `pit`",
            ),
            (
                br#"{"type":"move","pit":3,"turn":8}"#,
                "answered turn 8 when asked for turn 7",
            ),
            (br#"{"type":"resign","turn":8}"#, "answered turn 8"),
            (
                br#"{"type":"move","pit":3,"turn":"7"}"#,
                "invalid type: string",
            ),
            (b"{\"type\":\"move\",\"pit\":3,\"x\":\"\xff\"}", "not UTF-8"),
            (
                b"{\"type\":\"move\",\"pit\":3,\"x\":\"\0\"}",
                "control character",
            ),
        ] {
            let error = parse_turn_answer(line, 7).unwrap_err();
            assert!(error.to_string().contains(said), "{line:?}: {error}");
        }
    }

    #[test]
    fn messages_quote_hostile_text_harmlessly() {
        let line = format!("\u{1b}[2J{}", "x".repeat(100_000));
        let error = parse_turn_answer(line.as_bytes(), 0).unwrap_err();
        let error = error.to_string();
        assert!(
            error.starts_with("not a JSON object: \"\\u{1b}[2Jxxx"),
            "{error}"
        );
        assert!(error.len() < 300);
    }

    #[test]
    fn nesting_without_end_neither_crashes_nor_gets_into_the_journal() {
        let deep = format!("{}{}", "[".repeat(30_000), "]".repeat(30_000));
        let line = format!(r#"{{"type":"move","pit":3,"x":{deep}}}"#);
        assert_eq!(parse_turn_answer(line.as_bytes(), 0), Ok(played(3)));
        let nested = format!("{{\"a\":{}{}}}", "[".repeat(1000), "]".repeat(1000));
        let line = format!(r#"{{"type":"move","pit":3,"info":{nested}}}"#);
        let Ok(BotAnswer::Move {
            info: Some(info), ..
        }) = parse_turn_answer(line.as_bytes(), 0)
        else {
            panic!("a move with info")
        };
        assert!(info.starts_with("{\"dropped\":\"recursion limit"), "{info}");
    }

    #[test]
    fn info_is_kept_up_to_its_limit() {
        let both = |info: &str| {
            let line = format!(r#"{{"type":"move","pit":3,"info":{info}}}"#);
            match parse_turn_answer(line.as_bytes(), 0) {
                Ok(BotAnswer::Move {
                    info, dropped_info, ..
                }) => (info, dropped_info),
                other => panic!("{other:?}"),
            }
        };
        let answer = |info| both(info).0;
        assert_eq!(both("7").1.as_deref(), Some("not an object"));
        // A bot may write the same words itself.
        let own = r#"{"dropped":"not an object"}"#;
        assert_eq!(both(own), (Some(own.to_owned()), None));
        assert_eq!(answer(r#"{ "depth": 9 }"#).unwrap(), r#"{"depth":9}"#);
        assert_eq!(answer("7").unwrap(), r#"{"dropped":"not an object"}"#);
        let just_fits = format!("{{\"comment\":\"{}\"}}", "x".repeat(INFO_BYTES - 14));
        assert_eq!(just_fits.len(), INFO_BYTES);
        assert_eq!(answer(&just_fits).unwrap(), just_fits);
        let too_large = format!("{{\"comment\":\"{}\"}}", "x".repeat(INFO_BYTES - 13));
        assert!(
            answer(&too_large)
                .unwrap()
                .starts_with("{\"dropped\":\"4097 bytes")
        );
        assert_eq!(answer("null"), None);
    }

    #[test]
    fn names_and_versions_introduce_a_bot() {
        for (fields, expected) in [
            (r#","name":"ada","version":"1.2""#, Some("ada v1.2")),
            (r#","name":" ada ","version":"""#, Some("ada")),
            (r#","version":"1.2","author":"nobody""#, Some("v1.2")),
            (r#","name":" ""#, None),
            ("", None),
        ] {
            let line = format!(r#"{{"type":"ready"{fields}}}"#);
            let ready = parse_ready(line.as_bytes()).unwrap();
            assert_eq!(ready.introduction().as_deref(), expected, "{line}");
        }
        let long = "é".repeat(3000);
        let ready = Ready {
            version: Some(long.clone()),
            name: Some(long),
            author: None,
            protocol: None,
        };
        let introduction = ready.introduction().unwrap();
        assert_eq!(introduction.chars().count(), 40 + 2 + 40);
    }

    #[test]
    fn ready_is_read() {
        let ready = parse_ready(ready_line("greedy", "1.2").as_bytes()).unwrap();
        assert_eq!(ready.name.as_deref(), Some("greedy"));
        assert_eq!(
            parse_ready(br#"{"type":"ready","more":1}"#),
            Ok(Ready::default())
        );
        for (version, is_read) in [("1", true), ("7", true), ("0", false), ("\"1\"", false)] {
            let line = format!(r#"{{"type":"ready","protocol":{version}}}"#);
            let ready = parse_ready(line.as_bytes());
            let read = ready.ok().and_then(|ready| ready.protocol);
            assert_eq!(
                read.map(|it| it.to_string()),
                is_read.then(|| version.to_owned())
            );
        }
        assert!(
            parse_ready(br#"{"type":"move","pit":1}"#)
                .unwrap_err()
                .to_string()
                .contains("\"ready\"")
        );
    }
}
