//! The configuration as typed: every value has the right type, and nothing is looked up. The result
//! does not depend on the machine, the environment or other files.

use super::error::{Diagnostic, Origin};
use super::keys::check::plain_text;
use super::keys::declaration::{Keys, Kind};
use super::keys::limits::{LIMITS, TypedLimits};
use super::keys::tables::{
    CLOCK, RULES, TypedAdmission, TypedBuild, TypedClass, TypedEntrant, TypedIsolation, TypedSprt,
    TypedStart, TypedTournament,
};
use super::keys::unknown;
use super::keys::value::Section;
use super::tree::{Node, TomlTable, Value};
use crate::referee::ClockSettings;
use crate::rules::RuleSet;

/// A whole configuration, with defaults where nothing was typed.
#[derive(Clone, Debug)]
pub struct Typed {
    /// `[tournament]`.
    pub tournament: TypedTournament,
    /// `[clock]`.
    pub clock: TypedClock,
    /// The rules of the preset with every field that was set.
    pub rules: RuleSet,
    /// `[isolation]`.
    pub isolation: TypedIsolation,
    /// `[admission]`.
    pub admission: TypedAdmission,
    /// `[limits]`.
    pub limits: TypedLimits,
    /// `[sprt]`, which only a sequential test uses.
    pub sprt: TypedSprt,
    /// `[class]`.
    pub class: TypedClass,
    /// `[build]`.
    pub build: TypedBuild,
    /// Each `[[start]]`, in the order of the file; without one, those of the manual.
    pub starts: Vec<TypedStart>,
    /// Each `[[entrant]]`, in the order of the file. A class adds its own.
    pub entrants: Vec<TypedEntrant>,
}

/// The clock, which may be none that can be used.
#[derive(Clone, Debug)]
pub struct TypedClock {
    pub settings: ClockSettings,
    /// The origin of the increment, if there is one.
    pub increment: Option<Origin>,
}

impl Typed {
    /// The entrants' names, in the order of the file.
    pub fn names(&self) -> Vec<&str> {
        let entrants = self.entrants.iter();
        entrants.map(|it| it.name.value.as_str()).collect()
    }

    /// Reads a tree that the defaults have completed.
    pub fn read(table: &TomlTable) -> Result<Self, Diagnostic> {
        unknown::check_file(table)?;
        let node = |key: &str| table.get(key).expect("default.toml has every table");
        let tournament = TypedTournament::read(node("tournament"))?;
        let clock = TypedClock::read(node("clock"))?;
        let mut rules = tournament.preset.rules();
        if let Some(node) = table.get("rules") {
            read_rules(&mut rules, &RULES, node)?;
        }
        let entrants: Result<_, _> = tables(table, "entrant").map(TypedEntrant::read).collect();
        Ok(Self {
            tournament,
            clock,
            rules,
            admission: TypedAdmission::read(node("admission"))?,
            isolation: TypedIsolation::read(node("isolation"))?,
            limits: TypedLimits::of_table(&LIMITS, node("limits"))?,
            sprt: TypedSprt::read(node("sprt"))?,
            build: TypedBuild::read(node("build"))?,
            class: TypedClass::read(node("class"))?,
            starts: tables(table, "start")
                .map(TypedStart::read)
                .collect::<Result<_, _>>()?,
            entrants: entrants?,
        })
    }
}

impl TypedClock {
    fn read(node: &Node) -> Result<Self, Diagnostic> {
        let section = Section::new(&CLOCK, node);
        let mut settings = ClockSettings::default();
        for key in CLOCK.keys {
            if let Some((_, node)) = section.get(key.name)? {
                let is_set = settings.set(key.name, &plain_text(node));
                is_set.expect("the clock has every declared key");
            }
        }
        let increment = section.get("increment")?;
        Ok(Self {
            settings,
            increment: increment.map(|(_, node)| node.origin.clone()),
        })
    }
}

/// The tables of a list.
fn tables<'t>(table: &'t TomlTable, key: &str) -> impl Iterator<Item = &'t Node> {
    let nodes = match table.get(key).map(|node| &node.value) {
        Some(Value::Array(nodes)) => nodes.as_slice(),
        _ => &[],
    };
    nodes.iter()
}

fn read_rules(rules: &mut RuleSet, keys: &'static Keys, node: &Node) -> Result<(), Diagnostic> {
    let section = Section::new(keys, node);
    for key in keys.keys {
        match (&key.kind, section.get(key.name)?) {
            (Kind::Rule(field), Some((_, node))) => rules
                .set(field, &plain_text(node))
                .expect("a field takes the values that it declares"),
            (Kind::Table(keys), Some((_, node))) => read_rules(rules, keys, node)?,
            _ => {}
        }
    }
    Ok(())
}
