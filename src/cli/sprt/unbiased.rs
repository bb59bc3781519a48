//! The estimate that corrects for the stop of a test, as text and as JSON.

use crate::stats::sprt::{Sprt, SprtCounts, Strength, Unbiased};
use serde_json::{Value, json};

/// For example `Allowing for the stop: +12.3 Elo (+1.0 to +23.6, 95 %), normalized +20.1 (+1.6 to
/// +38.7).`
pub fn line(sprt: &Sprt, counts: &SprtCounts) -> Option<String> {
    let unbiased = sprt.unbiased(counts)?;
    let scale = |of: fn(&Strength) -> f64| {
        let end = |strength: Option<Strength>, open: &str| {
            strength.map_or(open.to_owned(), |it| signed(of(&it)))
        };
        (
            signed(of(&unbiased.median)),
            end(unbiased.low95, "any"),
            end(unbiased.high95, "any"),
        )
    };
    let (elo, low, high) = scale(|it| it.elo);
    let (normalised, normalised_low, normalised_high) = scale(|it| it.normalised);
    Some(format!(
        "Allowing for the stop: {elo} Elo ({low} to {high}, 95 %), normalized {normalised} \
         ({normalised_low} to {normalised_high})."
    ))
}

/// One decimal, with its sign; zero is +0.0.
fn signed(elo: f64) -> String {
    format!("{:+.1}", (10.0 * elo).round() / 10.0 + 0.0)
}

/// The same as JSON; null if there is no estimate.
pub fn object(sprt: &Sprt, counts: &SprtCounts) -> Value {
    let Some(Unbiased {
        median,
        low95,
        high95,
    }) = sprt.unbiased(counts)
    else {
        return Value::Null;
    };
    json!({
        "elo": median.elo,
        "low95": low95.map(|it| it.elo),
        "high95": high95.map(|it| it.elo),
        "normalized_elo": median.normalised,
        "normalized_low95": low95.map(|it| it.normalised),
        "normalized_high95": high95.map(|it| it.normalised),
    })
}
