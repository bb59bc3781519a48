//! The configuration as typed: every value has the right type, and nothing is looked up. The result
//! does not depend on the machine, the environment or other files.

use super::error::{Diagnostic, Diagnostics};
use super::keys::limits::{LIMITS, TypedLimits};
use super::keys::tables::{
    TypedAdmission, TypedBuild, TypedClass, TypedClock, TypedEntrant, TypedIsolation, TypedRules,
    TypedSprt, TypedStart, TypedTournament,
};
use super::tree::{Node, TomlTable, Value};
use crate::config::keys::check;

use crate::rules::RuleSet;

/// A whole configuration, with defaults where nothing was typed.
#[derive(Clone, Debug)]
pub struct Typed {
    /// `[tournament]`.
    pub tournament: TypedTournament,
    /// `[clock]`.
    pub clock: TypedClock,
    /// `[rules]`.
    pub rules: TypedRules,
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

impl Typed {
    /// The rules of the games.
    pub fn rules(&self) -> RuleSet {
        self.rules.over(self.tournament.preset)
    }

    /// The entrants' names, in the order of the file.
    pub fn names(&self) -> Vec<&str> {
        let entrants = self.entrants.iter();
        entrants.map(|it| it.name.value.as_str()).collect()
    }

    /// Reads a tree that the defaults have completed.
    pub fn read(table: &TomlTable) -> Result<Self, Diagnostic> {
        let mut errors = Diagnostics::default();
        let checked = check::check_file(table, &mut errors);
        if let Err(error) = checked {
            // Values of such a file cannot be read.
            errors.push(error);
            errors.end()?;
        }
        let node = |key: &str| table.get(key).expect("default.toml has every table");
        let tournament = errors.take(TypedTournament::read(node("tournament")));
        let clock = errors.take(TypedClock::read(node("clock")));
        let rules = errors.take(TypedRules::read(node("rules")));
        let admission = errors.take(TypedAdmission::read(node("admission")));
        let isolation = errors.take(TypedIsolation::read(node("isolation")));
        let limits = errors.take(TypedLimits::of_table(&LIMITS, node("limits")));
        let sprt = errors.take(TypedSprt::read(node("sprt")));
        let class = errors.take(TypedClass::read(node("class")));
        let build = errors.take(TypedBuild::read(node("build")));
        let starts = tables(table, "start").map(TypedStart::read);
        let starts = starts.filter_map(|it| errors.take(it)).collect();
        let entrants = tables(table, "entrant").map(TypedEntrant::read);
        let entrants = entrants.filter_map(|it| errors.take(it)).collect();
        errors.end()?;
        let read = "a table without an error was read";
        Ok(Self {
            tournament: tournament.expect(read),
            clock: clock.expect(read),
            rules: rules.expect(read),
            admission: admission.expect(read),
            isolation: isolation.expect(read),
            limits: limits.expect(read),
            sprt: sprt.expect(read),
            class: class.expect(read),
            build: build.expect(read),
            starts,
            entrants,
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
