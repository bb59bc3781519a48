//! The configuration as typed: every value has the right type, and nothing is looked up. The result
//! does not depend on the machine, the environment or other files.

use super::anchor::{self, TypedAnchors};
use super::bounds::{TypedIsolation, TypedLimits};
use super::error::{Diagnostic, Located};
use super::section::{Section, text_of, without_quotes};
use super::sprt::TypedSprt;
use super::tree::{Node, TomlTable, Value};
use super::{admission, keys, max_faults, secret};
use crate::bot::Restart;
use crate::config::section::given;
use crate::config::sprt::MOST_PAIRS;
use crate::protocol::INFO_BYTES;
use crate::referee::Measure;
use crate::rules::{Preset, RuleFieldError, RuleSet};
use crate::text::quoted;
use crate::tournament::{AdmissionMode, ErrorMethod, LONGEST_LINE, MaxFaults, Secret};
use std::time::Duration;

/// The shortest time above 0.
const LEAST: Duration = Duration::from_micros(1);
/// The most plies before adjudication.
const MOST_PLIES: u32 = 100_000;
/// Every line that a run writes can be read again: most of it is plies, each with its `info` and
/// less than 200 bytes of times.
const _: () = assert!(MOST_PLIES as u64 * (INFO_BYTES as u64 + 200) < LONGEST_LINE);
/// Random play rarely lasts longer.
const MOST_OPENING_PLIES: u32 = 200;
/// More than any machine has.
const MOST_SLOTS: u32 = 4_096;
/// The processes that a slot may keep; each takes about ten descriptors.
const MOST_KEPT: u32 = 4_096;
/// TOML's largest integer: a plan could not contain a larger seed.
const MOST_SEED: u64 = i64::MAX as u64;

/// The games whose standard error is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Logs {
    /// Of games that ended by a fault, and of void games.
    Faults,
    /// Of every game.
    All,
    /// Of none.
    None,
}

impl Logs {
    /// Every choice by its name in a configuration.
    pub(super) const NAMES: [(&'static str, Self); 3] = [
        ("faults", Self::Faults),
        ("all", Self::All),
        ("none", Self::None),
    ];
}

pub const ERRORS: [(&str, ErrorMethod); 2] = [
    ("sandwich", ErrorMethod::Sandwich),
    ("bootstrap", ErrorMethod::Bootstrap),
];
pub const RESTARTS: [(&str, Restart); 2] =
    [("never", Restart::Never), ("each-game", Restart::EachGame)];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FormatName {
    RoundRobin,
    Gauntlet,
}

const FORMATS: [(&str, FormatName); 2] = [
    ("round-robin", FormatName::RoundRobin),
    ("gauntlet", FormatName::Gauntlet),
];

/// A whole configuration, with defaults where nothing was typed.
#[derive(Clone, Debug)]
pub struct Typed {
    pub tournament: Tournament,
    pub clock: TypedClock,
    /// The rules of the preset with every field that was set.
    pub rules: RuleSet,
    pub isolation: TypedIsolation,
    pub admission: AdmissionMode,
    pub limits: TypedLimits,
    pub sprt: TypedSprt,
    pub entrants: Vec<TypedEntrant>,
}

#[derive(Clone, Debug)]
pub struct Tournament {
    pub name: Option<Located<String>>,
    pub folder: Option<Located<String>>,
    pub format: Located<FormatName>,
    pub champions: Option<Located<Vec<Located<String>>>>,
    pub preset: Preset,
    pub pairs: Located<u32>,
    pub seed: u64,
    pub secret: Option<Located<Secret>>,
    pub slots: Option<Located<u32>>,
    pub openings: Located<TypedOpenings>,
    pub max_plies: u32,
    pub max_faults: Option<MaxFaults>,
    pub restart: Restart,
    pub start_up: Duration,
    pub new_game: Duration,
    pub threads_per_bot: Located<u32>,
    pub processes_kept: u32,
    pub logs: Logs,
    pub blind: bool,
    pub anchors: TypedAnchors,
    pub errors: ErrorMethod,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TypedOpenings {
    pub source: TypedSource,
    /// Whether all pairings play the same openings.
    pub shared: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TypedSource {
    Plies(u32),
    File(String),
}

#[derive(Clone, Debug)]
pub struct TypedClock {
    pub(super) move_limit: Option<Located<Duration>>,
    pub(super) bank: Option<Located<Duration>>,
    pub(super) increment: Option<Located<Duration>>,
    pub(super) margin: Duration,
    pub(super) measure: Measure,
}

#[derive(Clone, Debug)]
pub struct TypedEntrant {
    pub name: Located<String>,
    pub command: Located<Vec<Located<String>>>,
    pub dir: Option<Located<String>>,
    pub readable: Vec<Located<String>>,
    pub env: Vec<(String, String)>,
    pub restart: Option<Restart>,
    pub deterministic: Option<Located<bool>>,
    pub limits: TypedLimits,
}

impl Typed {
    /// The entrants' names, in the order of the file.
    pub fn names(&self) -> Vec<&str> {
        let entrants = self.entrants.iter();
        entrants.map(|it| it.name.value.as_str()).collect()
    }

    /// Reads a tree that the defaults have completed.
    pub fn read(table: &TomlTable) -> Result<Self, Diagnostic> {
        keys::check(&keys::TOP, table)?;
        let node = |key: &str| table.get(key).expect("default.toml has every table");
        let tournament = Tournament::read(&Section::open(&keys::TOURNAMENT, node("tournament"))?)?;
        let clock = TypedClock::read(&Section::open(&keys::CLOCK, node("clock"))?)?;
        let mut rules = tournament.preset.rules();
        if let Some(node) = table.get("rules") {
            read_rules(&mut rules, &Section::open(&keys::RULES, node)?)?;
        }
        let section = Section::open(&keys::ADMISSION, node("admission"))?;
        let admission = given(section.choice("mode", &admission::MODES)?).value;
        let isolation = TypedIsolation::read(&Section::open(&keys::ISOLATION, node("isolation"))?)?;
        let limits = TypedLimits::read(&Section::open(&keys::LIMITS, node("limits"))?)?;
        let sprt = TypedSprt::read(&Section::open(&keys::SPRT, node("sprt"))?)?;
        let entrants = match table.get("entrant") {
            Some(node) => read_entrants(node)?,
            None => Vec::new(),
        };
        Ok(Self {
            tournament,
            clock,
            rules,
            isolation,
            admission,
            limits,
            sprt,
            entrants,
        })
    }
}

impl Tournament {
    fn read(section: &Section<'_>) -> Result<Self, Diagnostic> {
        let presets = Preset::ALL.map(|preset| (preset.name(), preset));
        Ok(Self {
            name: section.text("name", "\"spring-class\"")?,
            folder: section.text("folder", "\"..\"")?,
            format: given(section.choice("format", &FORMATS)?),
            champions: section.texts("champions", "[\"greedy\"]")?,
            preset: given(section.choice("rules", &presets)?).value,
            pairs: given(section.count("pairs", 1..=MOST_PAIRS)?),
            seed: given(section.integer("seed", 0..=MOST_SEED)?).value,
            secret: secret::read(section)?,
            slots: section.count("slots", 1..=MOST_SLOTS)?,
            openings: read_openings(section)?,
            max_plies: given(section.count("max-plies", 1..=MOST_PLIES)?).value,
            max_faults: max_faults::read(section)?,
            restart: given(section.choice("restart", &RESTARTS)?).value,
            start_up: given(section.time("start-up", LEAST)?).value,
            new_game: given(section.time("new-game", LEAST)?).value,
            threads_per_bot: given(section.count("threads-per-bot", 1..=MOST_SLOTS)?),
            processes_kept: given(section.count("processes-kept", 0..=MOST_KEPT)?).value,
            logs: given(section.choice("logs", &Logs::NAMES)?).value,
            blind: given(section.boolean("blind")?).value,
            anchors: anchor::read(section)?,
            errors: given(section.choice("errors", &ERRORS)?).value,
        })
    }
}

fn read_openings(section: &Section<'_>) -> Result<Located<TypedOpenings>, Diagnostic> {
    const ALLOWED: &str = "{ plies = 4 } or { file = \"openings.txt\" }";
    let node = section.get("openings").expect("default.toml has openings");
    if !matches!(node.value, Value::Table(_)) {
        return Err(section.refuse("openings", node, ALLOWED));
    }
    let table = Section::open(&keys::OPENINGS, node)?;
    let plies = table.count("plies", 0..=MOST_OPENING_PLIES)?;
    let file = table.text("file", "\"openings.txt\"")?;
    let shared = table.boolean("shared")?.is_some_and(|it| it.value);
    let openings = |source: TypedSource| TypedOpenings { source, shared };
    match (plies, file) {
        (Some(plies), None) if plies.value % 2 == 1 => Err(Diagnostic::new(
            &plies.origin,
            format!(
                "`plies` of `openings` cannot be {}: South begins every game, so an opening has \
                 an even number of plies, 0 to {MOST_OPENING_PLIES}",
                plies.value
            ),
        )),
        (Some(plies), None) => Ok(plies.map(|plies| openings(TypedSource::Plies(plies)))),
        (None, Some(file)) => Ok(file.map(|file| openings(TypedSource::File(file)))),
        (None, None) => Err(Diagnostic::new(
            &node.origin,
            format!("`openings` in [tournament] is empty; it takes {ALLOWED}"),
        )),
        (Some(plies), Some(_)) => Err(Diagnostic::new(
            &plies.origin,
            format!("`openings` in [tournament] has both plies and file; it takes {ALLOWED}"),
        )),
    }
}

impl TypedClock {
    fn read(section: &Section<'_>) -> Result<Self, Diagnostic> {
        let measures = Measure::ALL.map(|measure| (measure.name(), measure));
        Ok(Self {
            move_limit: section.time("move", LEAST)?,
            bank: section.time("bank", LEAST)?,
            increment: section.time("increment", Duration::ZERO)?,
            margin: given(section.time("margin", Duration::ZERO)?).value,
            measure: given(section.choice("measure", &measures)?).value,
        })
    }
}

fn read_rules(rules: &mut RuleSet, section: &Section<'_>) -> Result<(), Diagnostic> {
    for key in keys::RULES.keys.iter().filter(|key| **key != "repetition") {
        set_rule(rules, section, key, key)?;
    }
    if let Some(node) = section.get("repetition") {
        let repetition = Section::open(&keys::REPETITION, node)?;
        set_rule(rules, &repetition, "occurrences", "repetition.occurrences")?;
        set_rule(rules, &repetition, "remaining", "repetition.remaining")?;
    }
    Ok(())
}

fn set_rule(
    rules: &mut RuleSet,
    section: &Section<'_>,
    key: &str,
    field: &str,
) -> Result<(), Diagnostic> {
    let Some(node) = section.get(key) else {
        return Ok(());
    };
    let now = rules.get(field).expect("the table of keys has only fields");
    let is_word = now.parse::<bool>().is_err() && now.parse::<u8>().is_err();
    let value = match &node.value {
        // A number or boolean in quotes is a text: it keeps its quotes and is refused.
        Value::Text(text) if is_word => text.clone(),
        _ => node.shown(),
    };
    rules.set(field, &value).map_err(|error| match error {
        RuleFieldError::BadValue { allowed, .. } => {
            let quotes = without_quotes(node, |text| rules.clone().set(field, text).is_ok());
            section.refuse(key, node, &format!("{allowed}{quotes}"))
        }
        RuleFieldError::UnknownField(_) => unreachable!("the table of keys has only fields"),
    })
}

fn read_entrants(node: &Node) -> Result<Vec<TypedEntrant>, Diagnostic> {
    match &node.value {
        Value::Array(nodes) => nodes.iter().map(TypedEntrant::read).collect(),
        _ => Err(Diagnostic::new(
            &node.origin,
            "an entrant is written [[entrant]], with two brackets on each side, once for each",
        )),
    }
}

impl TypedEntrant {
    fn read(node: &Node) -> Result<Self, Diagnostic> {
        let section = Section::open(&keys::ENTRANT, node)?;
        let missing = |key: &str, example: &str| {
            let message = format!("this [[entrant]] has no `{key}`; write {key} = {example}");
            Diagnostic::new(section.origin, message)
        };
        let name = section.text("name", "\"ada\"")?;
        let name = name.ok_or_else(|| missing("name", "\"ada\""))?;
        let example = "[\"python3\", \"ada.py\"]";
        let command = section.texts("command", example)?;
        let command = command.ok_or_else(|| missing("command", example))?;
        let limits = match section.get("limits") {
            Some(node) => TypedLimits::read(&Section::open(&keys::ENTRANT_LIMITS, node)?)?,
            None => TypedLimits::default(),
        };
        Ok(Self {
            name,
            command,
            dir: section.text("dir", "\"submissions/ada\"")?,
            readable: section
                .texts("readable", "[\"/opt/models\"]")?
                .map(|placed| placed.value)
                .unwrap_or_default(),
            env: read_environment(&section)?,
            restart: section
                .choice("restart", &RESTARTS)?
                .map(|placed| placed.value),
            deterministic: section.boolean("deterministic")?,
            limits,
        })
    }
}

/// Variables sorted by their names.
fn read_environment(section: &Section<'_>) -> Result<Vec<(String, String)>, Diagnostic> {
    const ALLOWED: &str = "a table of texts, as in env = { LEVEL = \"3\" }";
    let Some(node) = section.get("env") else {
        return Ok(Vec::new());
    };
    let Value::Table(table) = &node.value else {
        return Err(section.refuse("env", node, ALLOWED));
    };
    let mut variables = Vec::new();
    for entry in table.entries() {
        if entry.key.is_empty() || entry.key.contains(['=', '\0']) {
            let name = quoted(&entry.key);
            let message =
                format!("{name} cannot name a variable in `env`: a name is a text without =");
            return Err(Diagnostic::new(&entry.key_origin, message));
        }
        let Some(value) = text_of(&entry.node) else {
            let name = crate::text::printable(&entry.key);
            return Err(section.refuse(&format!("env.{name}"), &entry.node, "a text in quotes"));
        };
        variables.push((entry.key.clone(), value));
    }
    variables.sort();
    Ok(variables)
}
