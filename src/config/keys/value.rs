//! Makes typed values of what was typed, and TOML of typed values; values that are chosen by their
//! names, and the variables of an entrant.

use crate::bot::{Level, Restart};
use crate::config::error::{Diagnostic, Diagnostics, Located, Origin};
use crate::config::keys::check::{KeyPlace, boolean_of, integer_of, number_of, text_of};
use crate::config::keys::declaration::{Keys, Kind};
use crate::config::tree::{Node, TomlEntry, TomlTable, Value};
use crate::record::ShownNames;
use crate::referee::Measure;
use crate::rules::{Capture, GrandSlam, Preset, Remaining};
use crate::stats::sprt::Model;
use crate::text::{
    parse_size, parse_time, printable, quoted, size_text, time_text, toml_array, toml_string,
};
use crate::tournament::{AdmissionMode, Toolchains};
use serde::de::DeserializeOwned;
use std::time::Duration;

/// The type of a key's value. [`KeyPlace::check`] has accepted what it is read from, so that only
/// values of a form that a [`Kind`] cannot describe can be refused.
pub trait KeyValue: Sized {
    /// Makes the value without a key, if there is one.
    const UNSET: Option<fn() -> Self> = None;

    fn from_node(place: KeyPlace, node: &Node) -> Result<Self, Diagnostic>;

    /// The value as TOML.
    fn to_toml(&self) -> String;
}

/// The field of a key: a value that always exists, with or without its origin, or a value that may
/// be missing.
pub trait TypedField: Sized {
    const IS_NEEDED: bool;

    fn read(section: &Section<'_>, name: &str) -> Result<Self, Diagnostic>;

    /// The value as TOML, if there is one.
    fn toml(&self) -> Option<String>;
}

/// A table of a configuration; its keys are known.
pub struct Section<'a> {
    keys: &'static Keys,
    table: &'a TomlTable,
    origin: &'a Origin,
}

impl<'a> Section<'a> {
    pub fn new(keys: &'static Keys, node: &'a Node) -> Self {
        let Value::Table(table) = &node.value else {
            unreachable!(
                "the check of names refuses anything else for {}",
                keys.table
            )
        };
        Self {
            keys,
            table,
            origin: &node.origin,
        }
    }

    /// The value of a key as typed, which its declaration accepts.
    pub fn get(&self, name: &str) -> Result<Option<(KeyPlace, &'a Node)>, Diagnostic> {
        let place = self.place(name);
        match self.table.get(name) {
            Some(node) => place.check(node).map(|()| Some((place, node))),
            None => Ok(None),
        }
    }

    fn place(&self, name: &str) -> KeyPlace {
        let (table, key) = (self.keys.table, self.keys.get(name));
        let key = key.unwrap_or_else(|| unreachable!("{name} is declared in {table}"));
        KeyPlace { table, key }
    }

    /// The error for a key that has no default.
    fn missing(&self, name: &str) -> Diagnostic {
        let (Kind::Text(example) | Kind::Texts(example)) = self.place(name).key.kind else {
            unreachable!("default.toml has {name}")
        };
        let table = self.keys.table;
        let message = format!("this {table} has no `{name}`; write {name} = {example}");
        Diagnostic::new(self.origin, message)
    }
}

impl<T: KeyValue> TypedField for Option<Located<T>> {
    const IS_NEEDED: bool = false;

    fn read(section: &Section<'_>, name: &str) -> Result<Self, Diagnostic> {
        let Some((place, node)) = section.get(name)? else {
            return Ok(None);
        };
        let origin = node.origin.clone();
        T::from_node(place, node).map(|value| Some(Located { value, origin }))
    }

    fn toml(&self) -> Option<String> {
        self.as_ref().map(|located| located.value.to_toml())
    }
}

impl<T: KeyValue> TypedField for Located<T> {
    const IS_NEEDED: bool = true;

    fn read(section: &Section<'_>, name: &str) -> Result<Self, Diagnostic> {
        let typed: Option<Self> = TypedField::read(section, name)?;
        typed.ok_or_else(|| section.missing(name))
    }

    fn toml(&self) -> Option<String> {
        Some(self.value.to_toml())
    }
}

impl<T: KeyValue> TypedField for T {
    const IS_NEEDED: bool = T::UNSET.is_none();

    fn read(section: &Section<'_>, name: &str) -> Result<Self, Diagnostic> {
        match section.get(name)? {
            Some((place, node)) => T::from_node(place, node),
            None => T::UNSET.map_or_else(|| Err(section.missing(name)), |unset| Ok(unset())),
        }
    }

    fn toml(&self) -> Option<String> {
        Some(self.to_toml())
    }
}

/// A value that was checked.
fn checked<T>(value: Option<T>) -> T {
    value.expect("the declaration of the key accepts only values of its type")
}

impl KeyValue for Vec<Located<String>> {
    const UNSET: Option<fn() -> Self> = Some(Self::new);

    fn from_node(_: KeyPlace, node: &Node) -> Result<Self, Diagnostic> {
        let Value::Array(items) = &node.value else {
            return Ok(checked(None));
        };
        let item = |item: &Node| Located {
            value: checked(text_of(item)),
            origin: item.origin.clone(),
        };
        Ok(items.iter().map(item).collect())
    }

    fn to_toml(&self) -> String {
        toml_array(self.iter().map(|item| toml_string(&item.value)))
    }
}

/// A list of tables, or of forms.
impl<T: KeyValue> KeyValue for Vec<T> {
    const UNSET: Option<fn() -> Self> = Some(Self::new);

    fn from_node(place: KeyPlace, node: &Node) -> Result<Self, Diagnostic> {
        let Value::Array(items) = &node.value else {
            return Ok(checked(None));
        };
        let mut errors = Diagnostics::default();
        let read = items.iter().map(|it| errors.take(T::from_node(place, it)));
        let items: Vec<Option<T>> = read.collect();
        errors.end()?;
        Ok(items.into_iter().flatten().collect())
    }

    fn to_toml(&self) -> String {
        toml_array(self.iter().map(T::to_toml))
    }
}

/// A size.
#[derive(Clone, Copy, Debug)]
pub struct Bytes(pub u64);

/// Types of simple values: how each is read from what was typed, and written as TOML.
macro_rules! simple_values {
    ($($type:ty: $read:expr, $write:expr;)*) => {$(
        impl KeyValue for $type {
            fn from_node(_: KeyPlace, node: &Node) -> Result<Self, Diagnostic> {
                let read: fn(&Node) -> Option<Self> = $read;
                Ok(checked(read(node)))
            }

            fn to_toml(&self) -> String {
                let write: fn(&Self) -> String = $write;
                write(self)
            }
        }
    )*};
}

simple_values! {
    String: text_of, |text| toml_string(text);
    u64: integer_of, u64::to_string;
    u8: |node| integer_of(node)?.try_into().ok(), u8::to_string;
    u32: |node| integer_of(node)?.try_into().ok(), u32::to_string;
    f64: number_of, |number| format!("{number:?}");
    bool: boolean_of, bool::to_string;
    Duration: |node| parse_time(&text_of(node)?), |time| toml_string(&time_text(*time));
    Bytes: |node| parse_size(&text_of(node)?).map(Self), |size| toml_string(&size_text(size.0));
}

impl<T: NamedChoice> KeyValue for T {
    fn from_node(_: KeyPlace, node: &Node) -> Result<Self, Diagnostic> {
        let text = text_of(node).unwrap_or_default();
        let mut choices = T::all().into_iter();
        Ok(checked(choices.find(|(name, _)| *name == text)).1)
    }

    fn to_toml(&self) -> String {
        toml_string(name(*self))
    }
}

/// Pairs as an inline table.
pub fn inline_table(pairs: impl Iterator<Item = String>) -> String {
    let pairs: Vec<String> = pairs.collect();
    if pairs.is_empty() {
        "{}".to_owned()
    } else {
        format!("{{ {} }}", pairs.join(", "))
    }
}

/// Keys with their values as an inline table.
pub fn inline_keys(named: impl IntoIterator<Item = (&'static str, String)>) -> String {
    let named = named.into_iter();
    inline_table(named.map(|(key, value)| format!("{key} = {value}")))
}

/// A value with serde's derives, from keys with their values.
pub fn from_keys<T: DeserializeOwned>(
    named: Vec<(&'static str, String)>,
) -> Result<T, toml::de::Error> {
    let lines = named.into_iter();
    let lines = lines.map(|(key, value)| format!("{key} = {value}\n"));
    toml::from_str(&lines.collect::<String>())
}

/// Declares tables: for each its keys, and a type with a field for each of them, which is read from
/// what was typed and written as TOML.
macro_rules! declare {
    ($(
        $(#[$doc:meta])*
        $keys:ident, $name:ident = $table:literal $(, checked by $check:path)? {
            $($field:ident: $type:ty = $key:literal, $kind:expr;)*
        }
    )*) => {$(
        $(#[$doc])*
        #[derive(Clone, Debug)]
        pub struct $name {
            $(
                #[doc = concat!("The key `", $key, "`.")]
                pub $field: $type,
            )*
        }

        $(#[$doc])*
        pub const $keys: Keys = Keys {
            table: $table,
            keys: &[$(ConfigKey {
                name: $key,
                kind: $kind,
                is_needed: <$type as TypedField>::IS_NEEDED,
            },)*],
        };

        impl KeyValue for $name {
            fn from_node(_: KeyPlace, node: &Node) -> Result<Self, Diagnostic> {
                Self::read(node)
            }

            fn to_toml(&self) -> String {
                inline_keys(self.named())
            }
        }

        impl $name {
            /// Reads the table; its keys are known.
            pub fn read(node: &Node) -> Result<Self, Diagnostic> {
                let section = Section::new(&$keys, node);
                let mut errors = Diagnostics::default();
                $(let $field: Option<$type> = errors.take(TypedField::read(&section, $key));)*
                errors.end()?;
                let read = "every key without an error has a value";
                let table = Self { $($field: $field.expect(read),)* };
                $($check(&table, node)?;)?
                Ok(table)
            }

            /// The keys that have a value, with their values as TOML.
            pub fn named(&self) -> Vec<(&'static str, String)> {
                let named = [$(($key, TypedField::toml(&self.$field)),)*].into_iter();
                named.filter_map(|(name, value)| Some((name, value?))).collect()
            }
        }
    )*};
}

pub(super) use declare;

pub const VARIABLES_ALLOWED: &str = "a table of texts, as in env = { LEVEL = \"3\" }";

/// Names and values.
pub type Variables = Vec<(String, String)>;

impl KeyValue for Variables {
    const UNSET: Option<fn() -> Self> = Some(Self::new);

    fn from_node(place: KeyPlace, node: &Node) -> Result<Self, Diagnostic> {
        let variables = node.entries().map(|entry| variable(place, entry));
        let mut variables = variables.collect::<Result<Self, _>>()?;
        variables.sort();
        Ok(variables)
    }

    fn to_toml(&self) -> String {
        let variable = |(name, value): &(String, String)| {
            format!("{} = {}", toml_string(name), toml_string(value))
        };
        inline_table(self.iter().map(variable))
    }
}

fn variable(place: KeyPlace, entry: &TomlEntry) -> Result<(String, String), Diagnostic> {
    if entry.key.is_empty() || entry.key.contains(['=', '\0']) {
        let name = quoted(&entry.key);
        let message = format!("{name} cannot name a variable in `env`: a name is a text without =");
        return Err(Diagnostic::new(&entry.key_origin, message));
    }
    let value = text_of(&entry.node).ok_or_else(|| {
        let name = format!("env.{}", printable(&entry.key));
        place.refuse_as(&name, &entry.node, "a text in quotes")
    })?;
    Ok((entry.key.clone(), value))
}

/// A value that is chosen by its name.
pub trait NamedChoice: Copy + PartialEq + 'static {
    /// All choices by their names, in the order of messages.
    fn all() -> Vec<(&'static str, Self)>;
}

/// The names of all choices.
pub fn names<T: NamedChoice>() -> Vec<&'static str> {
    T::all().into_iter().map(|(name, _)| name).collect()
}

/// The name of a choice.
pub fn name<T: NamedChoice>(choice: T) -> &'static str {
    let named = T::all().into_iter().find(|(_, it)| *it == choice);
    named.expect("every choice has a name").0
}

/// Who meets whom.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FormatName {
    RoundRobin,
    Gauntlet,
    Swiss,
    Knockout,
    Groups,
    Divisions,
}

/// Whether games end as soon as perfect play is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EndgameMode {
    /// All games are played to their end.
    Off,
    /// By a database.
    On,
}

/// Which of the programs that an author of a class has handed in counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Counts {
    /// The last one that was admitted.
    #[default]
    LastAdmitted,
    /// The last one, admitted or not.
    Latest,
    /// Of those that were admitted, the one that scored most against the yardsticks.
    Best,
}

/// The order in which the openings of a file are played.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OpeningOrder {
    /// As they stand, the same in all pairings.
    File,
    /// Drawn from the run's secret.
    Random,
}

/// The games whose standard error is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Logs {
    /// Of games that ended by a fault, and of void games.
    Faults,
    /// Of every game.
    All,
    /// Of every game, with all that the bots were sent and answered.
    Transcript,
    /// Of none.
    None,
}

impl Logs {
    /// Whether the standard error of every game is kept.
    pub const fn are_all(self) -> bool {
        matches!(self, Self::All | Self::Transcript)
    }
}

macro_rules! choices {
    ($($type:ident { $($name:literal $value:ident,)* })*) => {$(
        impl NamedChoice for $type {
            fn all() -> Vec<(&'static str, Self)> {
                vec![$(($name, Self::$value)),*]
            }
        }
    )*};
}

choices! {
    FormatName {
        "round-robin" RoundRobin, "gauntlet" Gauntlet, "swiss" Swiss, "knockout" Knockout,
        "groups" Groups, "divisions" Divisions,
    }
    EndgameMode { "off" Off, "on" On, }
    ShownNames { "full" Full, "pseudonyms" Pseudonyms, }
    Counts { "last-admitted" LastAdmitted, "latest" Latest, "best" Best, }
    OpeningOrder { "file" File, "random" Random, }
    Logs { "faults" Faults, "all" All, "transcript" Transcript, "none" None, }
    Toolchains { "same" Same, "any" Any, }
    Capture { "chain" Chain, "last-pit" LastPit, }
    GrandSlam {
        "no-capture" NoCapture,
        "forbidden" Forbidden,
        "forbidden-unless-only" ForbiddenUnlessOnly,
        "forbidden-unless-only-capture" ForbiddenUnlessOnlyCapture,
        "capture" Capture,
    }
    Remaining { "nobody" Nobody, "own-row" OwnRow, }
    Measure { "wall" Wall, "cpu" Cpu, }
    Restart { "never" Never, "each-game" EachGame, }
    AdmissionMode { "on" On, "off" Off, "required" Required, }
    Model { "logistic" Logistic, "normalized" Normalised, }
}

/// `None` requests the strongest level that is available.
impl NamedChoice for Option<Level> {
    fn all() -> Vec<(&'static str, Self)> {
        let levels = [Level::Box, Level::Landlock, Level::None];
        let levels = levels.map(|level| (level.name(), Some(level)));
        [("auto", None)].into_iter().chain(levels).collect()
    }
}

impl NamedChoice for Preset {
    fn all() -> Vec<(&'static str, Self)> {
        Self::ALL.map(|preset| (preset.name(), preset)).to_vec()
    }
}
