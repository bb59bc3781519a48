//! How messages are written: like the referee's, or in other ways that a bot must understand too.

use crate::protocol::Request;
use serde_json::{Value, json};
use std::fmt::Write as _;

/// A style of messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MessageStyle {
    /// As in a tournament.
    Plain,
    /// With fields that this version does not have.
    ExtraFields,
    /// With messages in between that this version does not have.
    ExtraMessages,
    /// With keys in alphabetical order, and spaces.
    Spaced,
    /// Against an opponent whose name is hard to parse.
    HardNames,
}

/// A name with everything at which naive parsers split a text.
const HARD_NAME: &str = "é\",\"type\":\"quit\",\"legal\":[9]} \\ 🌱 {[";
/// A message of a future version.
const MESSAGE: &str =
    "{\"type\":\"weather\",\"legal\":[9],\"turn\":7,\"sky\":[{\"type\":\"quit\"}]}\n";

impl MessageStyle {
    /// A message, with its newline.
    pub fn line(self, request: &Request) -> Vec<u8> {
        let mut line = Vec::new();
        match (self, request) {
            (Self::HardNames, Request::NewGame(game)) => {
                let mut game = game.clone();
                game.opponent = Some(HARD_NAME.to_owned());
                Request::NewGame(game).write_line(&mut line);
            }
            (Self::ExtraFields, _) => {
                let mut value = value_of(request);
                add_fields(&mut value);
                line = format!("{value}\n").into_bytes();
            }
            (Self::Spaced, _) => {
                let mut text = String::new();
                write_spaced(&mut text, &value_of(request));
                line = format!("{text}\n").into_bytes();
            }
            (Self::Plain | Self::ExtraMessages | Self::HardNames, _) => {
                request.write_line(&mut line);
            }
        }
        line
    }

    /// The text before a message, if there is any.
    pub fn before(self) -> Option<&'static [u8]> {
        (self == Self::ExtraMessages).then_some(MESSAGE.as_bytes())
    }
}

fn value_of(request: &Request) -> Value {
    serde_json::to_value(request).expect("a message of strings and numbers")
}

/// Adds fields before and after all others, in the message and in its objects.
fn add_fields(value: &mut Value) {
    let Value::Object(object) = value else {
        return;
    };
    object.values_mut().for_each(add_fields);
    let aside = json!({"type": "quit", "legal": [9], "board": [[["]}", null]]]});
    object.insert("aside".to_owned(), aside);
    object.insert("zebra".to_owned(), json!(["\"}\\", -1.5e3, true]));
}

/// Writes JSON as people write it.
fn write_spaced(text: &mut String, value: &Value) {
    match value {
        Value::Object(object) => {
            text.push_str("{ ");
            for (place, (key, value)) in object.iter().enumerate() {
                let comma = if place == 0 { "" } else { " , " };
                let _ = write!(text, "{comma}{} : ", json!(key));
                write_spaced(text, value);
            }
            text.push_str(" }");
        }
        Value::Array(items) => {
            text.push_str("[ ");
            for (place, item) in items.iter().enumerate() {
                text.push_str(if place == 0 { "" } else { " , " });
                write_spaced(text, item);
            }
            text.push_str(" ]");
        }
        other => {
            let _ = write!(text, "{other}");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_style_says_the_same() {
        for request in [Request::hello(), Request::Quit] {
            for style in [
                MessageStyle::Plain,
                MessageStyle::ExtraFields,
                MessageStyle::ExtraMessages,
                MessageStyle::Spaced,
                MessageStyle::HardNames,
            ] {
                let line = String::from_utf8(style.line(&request)).unwrap();
                assert_eq!(line.matches('\n').count(), 1);
                assert_eq!(Request::parse(&line).unwrap(), request, "{style:?}");
            }
        }
        let spaced = MessageStyle::Spaced.line(&Request::hello());
        assert_eq!(
            String::from_utf8(spaced).unwrap(),
            "{ \"game\" : \"awale\" , \"protocol\" : 1 , \"type\" : \"hello\" }\n"
        );
    }
}
