//! `[sprt]`: the test of `awale sprt`. `awale run` checks this table and ignores it.

use super::error::{Diagnostic, Located, Origin};
use super::section::Section;
use crate::config::error::WHOLE;
use crate::config::names::no_entrant;
use crate::config::section::given;
use crate::stats::sprt::{Model, Settings, SettingsError, Sprt};
use crate::text::quoted;
use crate::tournament::{EntrantIndex, SequentialTest};

/// Engines cannot be told apart beyond this Elo.
const MOST_ELO: f64 = 4000.0;

const MODELS: [(&str, Model); 2] = [
    ("logistic", Model::Logistic),
    ("normalized", Model::Normalised),
];

fn name_of(model: Model) -> &'static str {
    let named = MODELS.iter().find(|(_, it)| *it == model);
    named.expect("every model has a name").0
}

/// The table as typed.
#[derive(Clone, Debug)]
pub struct TypedSprt {
    new: Option<Located<String>>,
    elo0: Located<f64>,
    elo1: Located<f64>,
    alpha: Located<f64>,
    beta: Located<f64>,
    model: Model,
    pub max_pairs: Located<u32>,
}

impl TypedSprt {
    pub fn read(section: &Section<'_>) -> Result<Self, Diagnostic> {
        Ok(Self {
            new: section.text("new", "\"new\"")?,
            elo0: given(section.number("elo0", -MOST_ELO..=MOST_ELO)?),
            elo1: given(section.number("elo1", -MOST_ELO..=MOST_ELO)?),
            alpha: given(section.number("alpha", 0.0..=0.5)?),
            beta: given(section.number("beta", 0.0..=0.5)?),
            model: given(section.choice("model", &MODELS)?).value,
            max_pairs: given(section.count("max-pairs", 1..=MOST_PAIRS)?),
        })
    }

    /// The table's keys with their values as TOML.
    pub fn named_values(&self) -> Vec<(&'static str, String)> {
        let new = self.new.iter().map(|new| ("new", quoted(&new.value)));
        let numbers = [
            ("elo0", self.elo0.value),
            ("elo1", self.elo1.value),
            ("alpha", self.alpha.value),
            ("beta", self.beta.value),
        ];
        new.chain(numbers.map(|(key, number)| (key, format!("{number:?}"))))
            .chain([
                ("model", quoted(name_of(self.model))),
                ("max-pairs", self.max_pairs.value.to_string()),
            ])
            .collect()
    }
}

/// The new entrant: the first one, or the one that is named.
pub fn new_entrant(typed: &TypedSprt, names: &[&str]) -> Result<EntrantIndex, Diagnostic> {
    if names.len() != 2 {
        let count = names.len();
        let message = format!(
            "`awale sprt` compares two entrants, the new one and the one it is to replace, and \
             there are {count}; write two [[entrant]]"
        );
        return Err(Diagnostic::new(WHOLE, message));
    }
    let Some(new) = &typed.new else {
        return Ok(EntrantIndex(0));
    };
    match names.iter().position(|name| *name == new.value) {
        Some(0) => Ok(EntrantIndex(0)),
        Some(_) => Ok(EntrantIndex(1)),
        None => {
            let what = format!("`new` = {} in [sprt]", quoted(&new.value));
            let message = no_entrant(&what, &new.value, names);
            Err(Diagnostic::new(&new.origin, message))
        }
    }
}

/// The test, if its numbers are valid.
pub fn test(typed: &TypedSprt, new: EntrantIndex) -> Result<SequentialTest, Diagnostic> {
    let sprt = Sprt::new(Settings {
        elo0: typed.elo0.value,
        elo1: typed.elo1.value,
        alpha: typed.alpha.value,
        beta: typed.beta.value,
        model: typed.model,
    });
    let sprt = sprt.map_err(|error| {
        let places = match error {
            SettingsError::Probability { name: "alpha", .. } => vec![&typed.alpha],
            SettingsError::Probability { .. } => vec![&typed.beta],
            SettingsError::Elo { name: "elo0", .. } => vec![&typed.elo0],
            SettingsError::Elo { .. } => vec![&typed.elo1],
            SettingsError::Order { .. } => vec![&typed.elo1, &typed.elo0],
        };
        let mut origins = places.into_iter().map(|placed| &placed.origin);
        let origin = origins.find(|it| **it != Origin::Whole);
        let message = format!("[sprt] makes no test: {error}");
        Diagnostic::new(origin.unwrap_or(WHOLE), message)
    })?;
    Ok(SequentialTest { sprt, new })
}

/// The most pairs for each pairing.
pub const MOST_PAIRS: u32 = 1_000_000;
