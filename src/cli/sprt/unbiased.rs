//! The estimate that corrects for the stop of a test, as text and as JSON.

use crate::stats::sprt::{Sprt, SprtCounts, Strength, Unbiased};
use serde_json::{Value, json};

/// For example `Allowing for the stop: +12.3 Elo (+1.0 to +23.6, 95 %), normalized +20.1 (+1.6 to
/// +38.7).` or `Allowing for the stop: at least +21.0 Elo (95 %), normalized at least +30.2.`
pub fn line(sprt: &Sprt, counts: &SprtCounts) -> Option<String> {
    let Unbiased {
        median,
        low95,
        high95,
    } = sprt.unbiased(counts)?;
    let text = |of: fn(&Strength) -> f64, before: &str, (unit, confidence): (&str, &str)| {
        let shown = |strength: Option<Strength>| strength.map(|it| signed(of(&it)));
        let [middle, low, high] = [median, low95, high95].map(shown);
        match (middle, low, high) {
            (Some(middle), low, high) => {
                let [low, high] = [low, high].map(|it| it.unwrap_or_else(|| "any".to_owned()));
                format!("{before}{middle}{unit} ({low} to {high}{confidence})")
            }
            (None, Some(low), _) => format!("{before}at least {low}{unit}"),
            (None, None, high) => format!("{before}at most {}{unit}", high.unwrap_or_default()),
        }
    };
    let elo = text(|it| it.elo, "", (" Elo", ", 95 %"));
    let normalised = text(|it| it.normalised, "normalized ", ("", ""));
    let one_sided = if median.is_none() { " (95 %)" } else { "" };
    Some(format!(
        "Allowing for the stop: {elo}{one_sided}, {normalised}."
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
        "elo": median.map(|it| it.elo),
        "low95": low95.map(|it| it.elo),
        "high95": high95.map(|it| it.elo),
        "normalized_elo": median.map(|it| it.normalised),
        "normalized_low95": low95.map(|it| it.normalised),
        "normalized_high95": high95.map(|it| it.normalised),
    })
}
