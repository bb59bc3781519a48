//! What identifies an entrant's program. A plan holds it as JSON.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The properties of an entrant's program that decide games.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct ProgramIdentity {
    /// The program and its arguments, as typed.
    pub command: Vec<String>,
    /// The working directory, as typed: a project can move to another place, but `python3 -m bot`
    /// in another folder is another bot.
    pub dir: String,
    /// The version of awale, for a house bot.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub awale_version: Option<String>,
    /// SHA-256 of each file that the command names, by its word in the command.
    #[serde(default, rename = "sha256")]
    pub files: BTreeMap<String, String>,
    /// SHA-256 of the tree of its own folder.
    #[serde(
        default,
        rename = "tree-sha256",
        skip_serializing_if = "Option::is_none"
    )]
    pub tree: Option<String>,
    /// The command that builds it from its folder, as typed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub build: Vec<String>,
    /// Folders that it may also read, as typed.
    #[serde(default)]
    pub readable: Vec<String>,
    /// Its environment variables.
    #[serde(default)]
    pub env: BTreeMap<String, String>,
    /// When it is restarted, as named in a configuration.
    pub restart: String,
    /// Its limits, as named in a configuration, with their units.
    pub limits: BTreeMap<String, String>,
}

impl ProgramIdentity {
    /// The identity of a plan's entrant; `None` if the JSON is not one.
    pub fn of(program: &serde_json::Value) -> Option<Self> {
        serde_json::from_value(program.clone()).ok()
    }

    /// The JSON that a plan holds.
    ///
    /// # Panics
    /// Never: this text can always be written.
    pub fn to_json(&self) -> serde_json::Value {
        serde_json::to_value(self).expect("texts")
    }

    /// Whether the program is part of awale.
    pub const fn is_house_bot(&self) -> bool {
        self.awale_version.is_some()
    }
}
