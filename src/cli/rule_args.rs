//! Rules given by name and by single fields, on a command line or in a line of `trace`.

use super::args::RuleArguments;
use super::exit::Failure;
use crate::rules::{Preset, RuleSet};
use crate::tournament::override_rules;
use serde_json::Map;
use thiserror::Error;

/// Why words are not rules.
#[derive(Debug, Error)]
pub enum RuleTextError {
    /// There is no preset of this name.
    #[error("no rules are named {0:?}; the presets are {list}", list = preset_names())]
    UnknownPreset(String),
    /// `--set` without an equals sign.
    #[error("--set {0:?} is not FIELD=VALUE, as in grand-slam=capture")]
    NoEquals(String),
    /// A field or a value does not exist.
    #[error("{0}")]
    Field(String),
}

/// All preset names, with commas.
pub fn preset_names() -> String {
    Preset::ALL.map(Preset::name).join(", ")
}

/// The preset of this name.
pub fn preset(name: &str) -> Result<Preset, RuleTextError> {
    Preset::from_name(name).ok_or_else(|| RuleTextError::UnknownPreset(name.to_owned()))
}

/// The rules that the arguments name.
pub fn rules(arguments: &RuleArguments) -> Result<RuleSet, Failure> {
    parse(arguments).map_err(Failure::usage)
}

fn parse(arguments: &RuleArguments) -> Result<RuleSet, RuleTextError> {
    let mut rules = preset(&arguments.rules)?.rules();
    for set in &arguments.sets {
        let (field, value) = set
            .split_once('=')
            .ok_or_else(|| RuleTextError::NoEquals(set.clone()))?;
        let set = Map::from_iter([(field.trim().to_owned(), value.trim().into())]);
        rules = override_rules(rules, &set).map_err(RuleTextError::Field)?;
    }
    Ok(rules)
}
