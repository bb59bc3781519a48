//! `secret` in `[tournament]`: typed, kept in the run's folder, or drawn. No message contains it.
//! The text of its key is hidden even where a line is not TOML.

use crate::config::error::{Diagnostic, WHOLE};
use crate::config::keys::check::KeyPlace;
use crate::config::keys::value::KeyValue;
use crate::config::tree::{Node, Value};
use crate::text::toml_string;
use crate::tournament::Secret;
use std::path::Path;

/// The source of a plan's secret that is not typed.
#[derive(Clone, Debug, Default)]
pub enum SecretSource {
    /// None: the plan is only examined.
    #[default]
    Nowhere,
    /// The run's folder, through this function, if it has one: the plan is shown.
    Folder(fn(&Path) -> Option<Secret>),
    /// The same, or otherwise a new one: the plan is played.
    FolderOrDrawn(fn(&Path) -> Option<Secret>),
    /// The plan of the run, which is a file.
    Given(Option<Secret>),
}

impl SecretSource {
    /// The secret of the run in this folder.
    pub(super) fn secret(&self, output: &Path) -> Result<Option<Secret>, Diagnostic> {
        match self {
            Self::Nowhere => Ok(None),
            Self::Given(secret) => Ok(secret.clone()),
            Self::Folder(kept) => Ok(kept(output)),
            Self::FolderOrDrawn(kept) => kept(output).map_or_else(draw, Ok).map(Some),
        }
    }
}

/// Draws 256 bits of the system's randomness.
fn draw() -> Result<Secret, Diagnostic> {
    Secret::drawn().map_err(|error| {
        let message = format!(
            "cannot draw a secret for the run from the system's randomness: {error}; write \
             `secret` in [tournament], as from `openssl rand -hex 32`"
        );
        Diagnostic::new(WHOLE, message)
    })
}

impl KeyValue for Secret {
    fn from_node(_: KeyPlace, node: &Node) -> Result<Self, Diagnostic> {
        let found = match &node.value {
            Value::Text(text) => match text.parse() {
                Ok(secret) => return Ok(secret),
                Err(_) if text.chars().count() == 64 => "other characters among its 64".to_owned(),
                Err(_) => format!("{} characters", text.chars().count()),
            },
            _ => "no quotes".to_owned(),
        };
        let message = format!(
            "`secret` in [tournament] takes 64 hexadecimal digits in quotes, as from `openssl \
             rand -hex 32`, and this has {found}; without `secret`, a run draws one and keeps it \
             in its folder"
        );
        Err(Diagnostic::new(&node.origin, message))
    }

    fn to_toml(&self) -> String {
        toml_string(&self.digits())
    }
}

/// The value of `--set tournament.secret=…`: digits are a text here, even if TOML reads a number.
pub fn from_flag(value: &str, flag: &str) -> Result<Node, Diagnostic> {
    let quotes = ['"', '\''];
    let bare = |quote| value.strip_prefix(quote)?.strip_suffix(quote);
    let text = quotes.into_iter().find_map(bare).unwrap_or(value);
    Node::from_flag(&toml_string(text), flag)
}

/// The path of the key.
pub const PATH: [&str; 2] = ["tournament", "secret"];

/// Replaces a value that may be a secret.
pub const HIDDEN: &str = "…";

/// A `KEY=VALUE` for a message.
pub fn shown(set: &str) -> String {
    match set.split_once('=') {
        Some((key, _)) if set.contains(PATH[1]) => format!("{key}={HIDDEN}"),
        _ => set.to_owned(),
    }
}

/// A line of a configuration for a message: without what follows the word `secret`, and without
/// long runs of hexadecimal digits. The line may not be TOML, so that the key cannot be known.
pub fn hidden_in(line: &str) -> String {
    let word = PATH[1];
    if let Some(start) = line.find(word) {
        return format!("{}{word} {HIDDEN}", without_digits(&line[..start]));
    }
    without_digits(line)
}

/// Replaces runs of hexadecimal digits that may be a part of a secret.
fn without_digits(line: &str) -> String {
    const LONG: usize = 16;
    let mut shown = String::new();
    let mut run = String::new();
    for letter in line.chars().map(Some).chain([None]) {
        if let Some(digit) = letter.filter(char::is_ascii_hexdigit) {
            run.push(digit);
            continue;
        }
        shown.push_str(if run.len() < LONG { &run } else { HIDDEN });
        run.clear();
        shown.extend(letter);
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_may_be_a_secret_is_hidden() {
        let digits = "5e".repeat(32);
        let half = &digits[..16];
        for (line, shown) in [
            (format!("secret = \"{digits}"), "secret …".to_owned()),
            (
                format!("tournament.secret = {digits}"),
                "tournament.secret …".to_owned(),
            ),
            (format!("\"secret\" = {digits}"), "\"secret …".to_owned()),
            (
                format!("t = {{ pairs = 2, secret = {digits}"),
                "t = { pairs = 2, secret …".to_owned(),
            ),
            (digits.clone(), "…".to_owned()),
            (format!("{half}\\"), "…\\".to_owned()),
            (format!("x = {digits} secret"), "x = … secret …".to_owned()),
            (
                "name = \"Bernadette\" # é".to_owned(),
                "name = \"Bernadette\" # é".to_owned(),
            ),
            (String::new(), String::new()),
        ] {
            assert_eq!(hidden_in(&line), shown, "{line}");
        }
    }
}
