//! What makes an entrant's program this one and no other. A plan carries it as JSON.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// An entrant's program as it decides games.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct ProgramIdentity {
    /// The program and its arguments, as typed.
    pub command: Vec<String>,
    /// The folder that it runs in, as typed: a whole project can move to another place, but
    /// `python3 -m bot` in another folder is another bot.
    pub dir: String,
    /// Of a house bot, the version of awale that it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub awale_version: Option<String>,
    /// SHA-256 of each file that the command names, by its word there.
    #[serde(default, rename = "sha256")]
    pub files: BTreeMap<String, String>,
    /// SHA-256 of the tree of its own folder.
    #[serde(
        default,
        rename = "tree-sha256",
        skip_serializing_if = "Option::is_none"
    )]
    pub tree: Option<String>,
    /// Folders that it may read besides, as typed.
    #[serde(default)]
    pub readable: Vec<String>,
    /// Variables that it is given.
    #[serde(default)]
    pub env: BTreeMap<String, String>,
    /// When it is started anew, by its name in a configuration.
    pub restart: String,
    /// What it may use, by the names in a configuration, with their units.
    pub limits: BTreeMap<String, String>,
}

impl ProgramIdentity {
    /// The identity of a plan's entrant; `None` if the JSON is none.
    pub fn of(program: &serde_json::Value) -> Option<Self> {
        serde_json::from_value(program.clone()).ok()
    }

    /// As a plan carries it.
    ///
    /// # Panics
    /// Never: texts can always be written.
    pub fn to_json(&self) -> serde_json::Value {
        serde_json::to_value(self).expect("texts")
    }

    /// Whether it is a bot that is part of awale.
    pub const fn is_house_bot(&self) -> bool {
        self.awale_version.is_some()
    }
}
