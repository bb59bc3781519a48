//! `secret` in `[tournament]`: typed, kept in the run's folder, or drawn. No message contains it.

use super::error::Diagnostic;
use super::keys::check::KeyPlace;
use super::keys::value::KeyValue;
use super::tree::{Node, Value};
use crate::config::error::WHOLE;
use crate::text::toml_string;
use crate::tournament::Secret;
use std::path::Path;

/// The source of a plan's secret that is not typed.
#[derive(Clone, Copy, Debug, Default)]
pub enum SecretSource {
    /// None: the plan is only examined.
    #[default]
    Nowhere,
    /// The run's folder, through this function, if it has one: the plan is shown.
    Folder(fn(&Path) -> Option<Secret>),
    /// The same, or otherwise a new one: the plan is played.
    FolderOrDrawn(fn(&Path) -> Option<Secret>),
}

impl SecretSource {
    /// The secret of the run in this folder.
    pub(super) fn secret(self, output: &Path) -> Result<Option<Secret>, Diagnostic> {
        match self {
            Self::Nowhere => Ok(None),
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
