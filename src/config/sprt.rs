//! `[sprt]`: the test of `awale sprt`. `awale run` checks this table and ignores it.

use super::error::{Diagnostic, Origin};
use super::keys::tables::TypedSprt;
use crate::config::error::WHOLE;
use crate::config::names::no_entrant;
use crate::stats::sprt::{Settings, SettingsError, Sprt};
use crate::text::quoted;
use crate::tournament::{EntrantIndex, SequentialTest};

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
    Ok(SequentialTest {
        sprt,
        new,
        repeat_openings: typed.repeat_openings,
    })
}
