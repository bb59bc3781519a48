//! Writes TOML line by line, so that comments are where people look for them.

use super::printable;
use std::fmt::{Display, Write as _};

/// A TOML text that grows by lines. Writing to a `String` cannot fail.
#[derive(Debug, Default)]
pub struct TomlWriter(String);

impl TomlWriter {
    /// Appends a line.
    pub fn line(&mut self, text: impl Display) {
        let _ = writeln!(self.0, "{text}");
    }

    /// Appends the header of a table after an empty line.
    pub fn table(&mut self, header: &str) {
        self.line(format_args!("\n{header}"));
    }

    /// Appends a key whose value is TOML.
    pub fn key(&mut self, key: &str, value: impl Display) {
        self.line(format_args!("{key} = {value}"));
    }

    /// Appends a key whose value is a text.
    pub fn text(&mut self, key: &str, value: &str) {
        self.key(key, toml_string(value));
    }

    /// Appends a text under a key that may need quotes.
    pub fn text_under(&mut self, key: &str, value: &str) {
        self.text(&toml_string(key), value);
    }

    /// Appends a key whose value is a list of texts.
    pub fn texts(&mut self, key: &str, values: &[&str]) {
        self.key(
            key,
            toml_array(values.iter().map(|value| toml_string(value))),
        );
    }

    /// The whole text.
    pub fn into_text(self) -> String {
        self.0
    }
}

/// A TOML basic string, with escapes for characters that control a terminal or are invisible.
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

/// A TOML array of values that are TOML.
pub fn toml_array(items: impl Iterator<Item = String>) -> String {
    format!("[{}]", items.collect::<Vec<_>>().join(", "))
}
