//! What is checked and resolved entrant by entrant: names, champions, limits, identity.

use super::error::{Origin, Placed, Trouble};
use super::keys::nearest;
use super::names::{self, quoted};
use super::program::Program;
use super::typed::{RESTARTS, TypedEntrant, TypedLimits, WHOLE};
use super::units::size_text;
use crate::bot::{Limits, Restart};
use crate::tournament::EntrantIndex;
use std::collections::BTreeMap;

pub(super) fn check_names(entrants: &[TypedEntrant]) -> Result<(), Trouble> {
    let mut seen: BTreeMap<&str, &Origin> = BTreeMap::new();
    for entrant in entrants {
        let Placed { value, origin } = &entrant.name;
        names::check(value).map_err(|message| Trouble::new(origin, message))?;
        if let Some(first) = seen.insert(value, origin) {
            let place = match first {
                Origin::Line(line) => format!(" (the other is in line {line})"),
                _ => String::new(),
            };
            let message = format!(
                "two entrants are named {}{place}; give each its own name",
                quoted(value)
            );
            return Err(Trouble::new(origin, message));
        }
    }
    if entrants.len() < 2 {
        let there = if entrants.is_empty() { "none" } else { "one" };
        let message = format!(
            "a tournament has at least two entrants, and there is {there}; write an [[entrant]] \
             with name and command for each"
        );
        return Err(Trouble::new(WHOLE, message));
    }
    Ok(())
}

pub(super) fn champion_index(
    champion: &Placed<String>,
    names: &[&str],
    earlier: &[EntrantIndex],
) -> Result<EntrantIndex, Trouble> {
    let name = &champion.value;
    let refuse = |message: String| Err(Trouble::new(&champion.origin, message));
    let Some(place) = names.iter().position(|other| other == name) else {
        let hint = match nearest(name, names) {
            Some(near) => format!("; did you mean {}? Allowed", quoted(near)),
            None => "; allowed".to_owned(),
        };
        let (name, allowed) = (quoted(name), listed(names));
        return refuse(format!("champion {name} is no entrant{hint}: {allowed}"));
    };
    let index = EntrantIndex(u32::try_from(place).expect("entrants fit in 32 bits"));
    if earlier.contains(&index) {
        return refuse(format!(
            "champion {} stands here twice; name it once",
            quoted(name)
        ));
    }
    Ok(index)
}

pub(super) fn listed(names: &[&str]) -> String {
    const SHOWN: usize = 20;
    let mut words: Vec<String> = names.iter().take(SHOWN).map(|name| quoted(name)).collect();
    if names.len() > SHOWN {
        words.push(format!("and {} more", names.len() - SHOWN));
    }
    words.join(", ")
}

pub(super) fn resolve_limits(
    entrant: &TypedEntrant,
    common: &TypedLimits,
) -> Result<Limits, Trouble> {
    let own = &entrant.limits;
    let pick = |own: &Option<Placed<usize>>, common: &Option<Placed<usize>>| {
        own.clone()
            .or_else(|| common.clone())
            .expect("default.toml has every limit")
    };
    let line = pick(&own.line, &common.line);
    let output = pick(&own.output, &common.output);
    if line.value > output.value {
        let [line_text, output_text] =
            [line.value, output.value].map(|bytes| size_text(bytes as u64));
        let message = format!(
            "entrant {}: the limit `line` = \"{line_text}\" is more than `output` = \
             \"{output_text}\" of the whole game; make it less or equal",
            quoted(&entrant.name.value)
        );
        // A default is nobody's mistake: point to what was typed.
        let origin = if line.origin == Origin::Whole {
            &output.origin
        } else {
            &line.origin
        };
        return Err(Trouble::new(origin, message));
    }
    Ok(Limits {
        line_bytes: line.value,
        output_bytes: output.value,
        stderr_head_bytes: pick(&own.stderr_head, &common.stderr_head).value,
        stderr_tail_bytes: pick(&own.stderr_tail, &common.stderr_tail).value,
    })
}

/// The limits by their names in a configuration.
pub(super) fn named_limits(limits: Limits) -> [(&'static str, String); 4] {
    let text = |bytes: usize| size_text(bytes as u64);
    [
        ("line", text(limits.line_bytes)),
        ("output", text(limits.output_bytes)),
        ("stderr-head", text(limits.stderr_head_bytes)),
        ("stderr-tail", text(limits.stderr_tail_bytes)),
    ]
}

pub(super) fn restart_name(restart: Restart) -> &'static str {
    let named = RESTARTS.iter().find(|(_, choice)| *choice == restart);
    named.expect("every choice has a name").0
}

/// What makes an entrant this one and no other. `dir` counts as it was typed: a whole project can
/// move to another place, but `python3 -m bot` in another folder is another bot.
pub(super) fn identity(
    entrant: &TypedEntrant,
    program: &Program,
    restart: Restart,
    limits: Limits,
) -> BTreeMap<String, String> {
    let words: Vec<&str> = entrant
        .command
        .value
        .iter()
        .map(|word| word.value.as_str())
        .collect();
    let mut keys = BTreeMap::new();
    keys.insert("command".to_owned(), format!("{words:?}"));
    if program.is_house_bot {
        keys.insert(
            "version of awale".to_owned(),
            env!("CARGO_PKG_VERSION").to_owned(),
        );
    }
    let dir = entrant.dir.as_ref().map_or(".", |dir| dir.value.as_str());
    keys.insert("dir".to_owned(), dir.to_owned());
    for (index, fingerprint) in &program.fingerprints {
        keys.insert(
            format!("SHA-256 of {}", quoted(words[*index])),
            fingerprint.clone(),
        );
    }
    for (name, value) in &entrant.env {
        keys.insert(format!("env.{name}"), value.clone());
    }
    keys.insert("restart".to_owned(), restart_name(restart).to_owned());
    for (name, value) in named_limits(limits) {
        keys.insert(format!("limits.{name}"), value);
    }
    keys
}
