//! Rules given by name and by single fields, on a command line or in a line of `trace`.

use super::args::RuleArguments;
use super::exit::Failure;
use crate::rules::{Preset, RuleSet};
use crate::tournament::override_rules;
use serde_json::Map;

/// The preset of this name.
pub fn preset(name: &str) -> Result<Preset, String> {
    Preset::from_name(name).ok_or_else(|| {
        let names = Preset::ALL.map(Preset::name).join(", ");
        format!("no rules are named {name:?}; the presets are {names}")
    })
}

/// The rules that the arguments name.
pub fn rules(arguments: &RuleArguments) -> Result<RuleSet, Failure> {
    parse(arguments).map_err(Failure::usage)
}

fn parse(arguments: &RuleArguments) -> Result<RuleSet, String> {
    let mut rules = preset(&arguments.rules)?.rules();
    for set in &arguments.sets {
        let (field, value) = set
            .split_once('=')
            .ok_or_else(|| format!("--set {set:?} is not FIELD=VALUE, as in grand-slam=capture"))?;
        let set = Map::from_iter([(field.trim().to_owned(), value.trim().into())]);
        rules = override_rules(rules, &set)?;
    }
    Ok(rules)
}
