//! A template of `awale tune`: a configuration with one entrant and the table `[tune]`. `{NAME}` in
//! its command or its variables stands for a parameter. For each iteration it becomes a
//! configuration of two entrants that differ in the parameters' values alone.

use crate::stats::spsa::{Parameter, Tuning};
use crate::text::{quoted, some_names};
use serde::Deserialize;
use std::collections::BTreeSet;
use toml::{Table, Value};

/// The most iterations of a tuning, and the most pairs of one.
const MOST: u32 = 1_000_000;
/// The most parameters.
const MOST_PARAMETERS: usize = 100;

/// `[tune]`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct TypedTune {
    #[serde(default = "TypedTune::default_iterations")]
    iterations: u32,
    #[serde(default = "TypedTune::default_pairs")]
    pairs: u32,
    #[serde(default = "TypedTune::default_rate")]
    rate: f64,
    #[serde(default)]
    parameter: Vec<TypedParameter>,
}

impl TypedTune {
    const fn default_iterations() -> u32 {
        200
    }

    const fn default_pairs() -> u32 {
        8
    }

    const fn default_rate() -> f64 {
        0.02
    }
}

/// `[[tune.parameter]]`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct TypedParameter {
    name: String,
    start: Number,
    min: Number,
    max: Number,
    step: Number,
}

#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(untagged)]
enum Number {
    Whole(i32),
    Real(f64),
}

impl Number {
    fn value(self) -> f64 {
        match self {
            Self::Whole(value) => f64::from(value),
            Self::Real(value) => value,
        }
    }
}

/// The part of a template that is read here; everything else is that of a configuration.
#[derive(Deserialize)]
struct TypedTemplate {
    tune: TypedTune,
}

/// A template.
#[derive(Debug)]
pub struct TuneTemplate {
    /// The tuning.
    pub tuning: Tuning,
    /// The names of its parameters.
    pub names: Vec<String>,
    /// Pairs of an iteration.
    pub pairs: u32,
    /// The configuration without `[tune]` and the entrant.
    rest: Table,
    entrant: Table,
}

impl TuneTemplate {
    /// Reads a template.
    ///
    /// # Errors
    /// A description of what is wrong in it.
    pub fn read(text: &str) -> Result<Self, String> {
        let TypedTune {
            iterations,
            pairs,
            rate,
            parameter,
        } = typed(text)?;
        for (key, value) in [("iterations", iterations), ("pairs", pairs)] {
            if !(1..=MOST).contains(&value) {
                return Err(format!(
                    "{key} in [tune] is between 1 and {MOST}, not {value}"
                ));
            }
        }
        if !(rate > 0.0 && rate <= 1.0) {
            return Err(format!(
                "rate in [tune] is above 0 and at most 1, not {rate}"
            ));
        }
        if !(1..=MOST_PARAMETERS).contains(&parameter.len()) {
            return Err(format!(
                "a tuning has 1 to {MOST_PARAMETERS} [[tune.parameter]], not {}",
                parameter.len()
            ));
        }
        let (mut parameters, mut names) = (Vec::new(), Vec::new());
        for typed in parameter {
            parameters.push(checked(&typed)?);
            names.push(typed.name);
        }
        if names.iter().collect::<BTreeSet<_>>().len() < names.len() {
            return Err("two parameters have the same name".to_owned());
        }
        let mut rest: Table = toml::from_str(text).map_err(|error| error.to_string())?;
        rest.remove("tune");
        let entrant = only_entrant(&mut rest)?;
        let used = texts(&entrant).join("\n");
        check_used(&names, &used)?;
        let seed = rest.get("tournament").and_then(|it| it.get("seed"));
        let seed = seed.and_then(Value::as_integer).unwrap_or(1);
        Ok(Self {
            tuning: Tuning {
                parameters,
                iterations,
                rate,
                // Negative ones are refused with the configuration.
                seed: seed.unsigned_abs(),
            },
            names,
            pairs,
            rest,
            entrant,
        })
    }

    /// The configuration of two entrants with these names and values of the parameters. `number`
    /// tells configurations of one tuning apart: each has openings of its own. Only in the first one,
    /// number 1, the entrants are examined: later ones are the same program.
    pub fn configuration(&self, number: u32, entrants: [(&str, &[f64]); 2]) -> String {
        let mut config = self.rest.clone();
        let mut set = |table: &str, key: &str, value: Value| {
            let table = config.entry(table).or_insert_with(|| Table::new().into());
            // Anything else is refused with the configuration.
            if let Some(table) = table.as_table_mut() {
                table.insert(key.to_owned(), value);
            }
        };
        let seed = self.tuning.seed.wrapping_add(u64::from(number)) & u64::from(u32::MAX);
        set("tournament", "seed", Value::Integer(seed.cast_signed()));
        set("sprt", "new", entrants[0].0.into());
        if number > 1 {
            set("admission", "mode", "off".into());
        }
        let entrants = entrants.map(|(name, values)| {
            let mut entrant = self.with(values);
            entrant.insert("name".to_owned(), name.into());
            Value::Table(entrant)
        });
        config.insert("entrant".to_owned(), entrants.to_vec().into());
        config.to_string()
    }

    /// A value of a parameter as bots get it, and as the tables show it: with three digits more
    /// than its step has.
    pub fn shown(&self, parameter: usize, value: f64) -> String {
        let Parameter { step, is_whole, .. } = self.tuning.parameters[parameter];
        if is_whole {
            return format!("{value:.0}");
        }
        let shows = |digits: &i32| step * 10_f64.powi(*digits) >= 1000.0;
        let digits = (0..17).take_while(|it| !shows(it)).count();
        format!("{value:.digits$}")
    }

    fn with(&self, values: &[f64]) -> Table {
        let replaced = |text: &str| {
            let mut text = text.to_owned();
            for (index, name) in self.names.iter().enumerate() {
                let value = self.shown(index, self.tuning.parameters[index].played(values[index]));
                text = text.replace(&placeholder(name), &value);
            }
            text
        };
        let mut entrant = self.entrant.clone();
        for key in KEYS {
            match entrant.get_mut(key) {
                Some(Value::Array(words)) => {
                    for word in words.iter_mut() {
                        if let Value::String(text) = word {
                            *text = replaced(text);
                        }
                    }
                }
                Some(Value::Table(variables)) => {
                    for (_, value) in variables.iter_mut() {
                        if let Value::String(text) = value {
                            *text = replaced(text);
                        }
                    }
                }
                _ => {}
            }
        }
        entrant
    }
}

/// The keys of an entrant that may have placeholders.
const KEYS: [&str; 2] = ["command", "env"];

fn placeholder(name: &str) -> String {
    format!("{{{name}}}")
}

/// The table `[tune]` of a template.
fn typed(text: &str) -> Result<TypedTune, String> {
    let typed: Result<TypedTemplate, _> = toml::from_str(text);
    typed.map(|it| it.tune).map_err(|error| {
        let error = error.to_string();
        if error.contains("missing field `tune`") {
            "it has no table [tune]: docs/tuning.md has an example".to_owned()
        } else {
            error
        }
    })
}

/// Refuses parameters without a place in these texts.
fn check_used(names: &[String], texts: &str) -> Result<(), String> {
    let unused = names.iter().filter(|it| !texts.contains(&placeholder(it)));
    let unused: Vec<&String> = unused.collect();
    if unused.is_empty() {
        return Ok(());
    }
    Err(format!(
        "nothing uses the parameters {}: write each as {{NAME}} in `command` or `env` of the \
         entrant",
        some_names(&unused)
    ))
}

fn checked(typed: &TypedParameter) -> Result<Parameter, String> {
    let TypedParameter { name, .. } = typed;
    let is_name = |it: char| it.is_ascii_alphanumeric() || it == '-' || it == '_';
    if name.is_empty() || name.len() > 40 || !name.chars().all(is_name) {
        return Err(format!(
            "the name of a parameter has up to 40 letters, digits, - and _, unlike {}",
            quoted(name)
        ));
    }
    let values = [typed.start, typed.min, typed.max];
    let is_whole = values.iter().all(|it| matches!(it, Number::Whole(_)));
    let [start, min, max] = values.map(Number::value);
    let step = typed.step.value();
    let wrong = |what: String| Err(format!("the parameter {name}: {what}"));
    if ![start, min, max, step]
        .into_iter()
        .all(|it| it.abs() <= 1e12)
    {
        return wrong("its numbers are at most 1e12".to_owned());
    }
    if !(min < max && min <= start && start <= max) {
        return wrong(format!(
            "start ({start}) is between min ({min}) and max ({max})"
        ));
    }
    let least = if is_whole { 1.0 } else { 1e-12 };
    if !(least..=max - min).contains(&step) {
        return wrong(format!(
            "step is at least {least} and at most {}, not {step}; it is a whole number if start, \
             min and max are: write 10.0 for one that is not",
            max - min
        ));
    }
    Ok(Parameter {
        start,
        min,
        max,
        step,
        is_whole,
    })
}

/// Takes the only entrant out of a configuration.
fn only_entrant(config: &mut Table) -> Result<Table, String> {
    match config.remove("entrant") {
        Some(Value::Array(entrants)) if entrants.len() == 1 => match entrants.into_iter().next() {
            Some(Value::Table(entrant)) => Ok(entrant),
            _ => Err("entrant is a table: write [[entrant]]".to_owned()),
        },
        _ => Err("a template has one [[entrant]], which plays against itself".to_owned()),
    }
}

/// All texts of an entrant that may have placeholders.
fn texts(entrant: &Table) -> Vec<String> {
    let values = KEYS.iter().filter_map(|key| entrant.get(*key));
    let texts = values.flat_map(|value| match value {
        Value::Array(words) => words.clone(),
        Value::Table(variables) => variables.values().cloned().collect(),
        _ => Vec::new(),
    });
    texts
        .filter_map(|it| it.as_str().map(str::to_owned))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEMPLATE: &str = r#"
[tournament]
seed = 7
[tune]
iterations = 30
[[tune.parameter]]
name = "depth"
start = 2
min = 1
max = 5
step = 1
[[tune.parameter]]
name = "weight"
start = 0.5
min = 0
max = 1
step = 0.05
[[entrant]]
name = "bot"
command = ["bot", "--depth={depth}", "{brace}"]
env = { WEIGHT = "{weight}", OTHER = "x" }
"#;

    #[test]
    fn values_take_the_places_of_their_names() {
        let template = TuneTemplate::read(TEMPLATE).unwrap();
        let text = template.configuration(3, [("a", &[2.6, 0.123_456_78]), ("b", &[9.0, -3.0])]);
        let config: Table = toml::from_str(&text).unwrap();
        assert_eq!(config["tournament"]["seed"].as_integer(), Some(10));
        assert_eq!(config["sprt"]["new"].as_str(), Some("a"));
        assert_eq!(config["admission"]["mode"].as_str(), Some("off"));
        let entrants = config["entrant"].as_array().unwrap();
        for (entrant, depth, weight) in [
            (&entrants[0], "3", "0.12346"),
            (&entrants[1], "5", "0.00000"),
        ] {
            let command = entrant["command"].as_array().unwrap();
            assert_eq!(command[1].as_str().unwrap(), format!("--depth={depth}"));
            assert_eq!(command[2].as_str(), Some("{brace}"));
            assert_eq!(entrant["env"]["WEIGHT"].as_str(), Some(weight));
            assert_eq!(entrant["env"]["OTHER"].as_str(), Some("x"));
        }
        assert!(!config.contains_key("tune"));
    }

    #[test]
    fn mistakes_are_told() {
        for (from, to, what) in [
            ("step = 1\n", "stepp = 1\n", "unknown field `stepp`"),
            (
                "iterations = 30",
                "iteration = 30",
                "unknown field `iteration`",
            ),
            (
                "iterations = 30",
                "iterations = 0",
                "iterations in [tune] is between 1 and",
            ),
            ("iterations = 30", "rate = nan", "rate in [tune]"),
            (
                "start = 2",
                "start = 7",
                "the parameter depth: start (7) is between min (1) and",
            ),
            (
                "step = 1\n",
                "step = 0.5\n",
                "step is at least 1 and at most 4, not 0.5",
            ),
            (
                "name = \"weight\"",
                "name = \"we ight\"",
                "up to 40 letters",
            ),
            ("name = \"weight\"", "name = \"depth\"", "the same name"),
            (
                "{weight}",
                "{wieght}",
                "nothing uses the parameters \"weight\"",
            ),
            (
                "[[entrant]]",
                "[[entrant]]\n[[entrant]]",
                "a template has one [[entrant]]",
            ),
        ] {
            assert!(TEMPLATE.contains(from), "{from}");
            let error = TuneTemplate::read(&TEMPLATE.replacen(from, to, 1)).unwrap_err();
            assert!(error.contains(what), "{from} → {to}: {error}");
        }
        let none = TuneTemplate::read("[[entrant]]\nname = \"a\"\n").unwrap_err();
        assert!(none.contains("it has no table [tune]"), "{none}");
    }
}
