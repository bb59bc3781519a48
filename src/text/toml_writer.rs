//! TOML, written line by line, so that comments stand where people look for them.

use super::printable;
use std::fmt::{Display, Write as _};

/// A TOML text that grows by lines. Writing to a `String` cannot fail.
#[derive(Debug, Default)]
pub struct TomlWriter(String);

impl TomlWriter {
    /// A line as it is.
    pub fn line(&mut self, text: impl Display) {
        let _ = writeln!(self.0, "{text}");
    }

    /// The header of a table, an empty line before it.
    pub fn table(&mut self, header: &str) {
        self.line(format_args!("\n{header}"));
    }

    /// A key whose value is TOML already.
    pub fn key(&mut self, key: &str, value: impl Display) {
        self.line(format_args!("{key} = {value}"));
    }

    /// A key whose value is a text.
    pub fn text(&mut self, key: &str, value: &str) {
        self.key(key, toml_string(value));
    }

    /// A text under a key that may need quotes.
    pub fn text_under(&mut self, key: &str, value: &str) {
        self.text(&toml_string(key), value);
    }

    /// A key whose value is a list of texts.
    pub fn texts(&mut self, key: &str, values: &[&str]) {
        self.key(
            key,
            toml_array(values.iter().map(|value| toml_string(value))),
        );
    }

    /// All of it.
    pub fn into_text(self) -> String {
        self.0
    }
}

/// A TOML basic string: whatever a terminal would obey or hide is an escape.
pub fn toml_string(text: &str) -> String {
    let mut quoted = String::from("\"");
    for character in text.chars() {
        match character {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            _ if printable(character.encode_utf8(&mut [0; 4])).starts_with('\\') => {
                let _ = write!(quoted, "\\U{:08X}", u32::from(character));
            }
            _ => quoted.push(character),
        }
    }
    quoted.push('"');
    quoted
}

/// A TOML array of values that are TOML already.
pub fn toml_array(items: impl Iterator<Item = String>) -> String {
    format!("[{}]", items.collect::<Vec<_>>().join(", "))
}
