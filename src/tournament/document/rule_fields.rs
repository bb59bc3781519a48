//! The fields of the rules by their dotted names (`repetition.occurrences`), to set some of them
//! and to show them.

use crate::rules::{Preset, RuleSet};
use serde_json::{Map, Value};

/// All fields with their values, sorted by their names.
pub fn rule_fields(rules: &RuleSet) -> Vec<(String, Value)> {
    let mut fields = Vec::new();
    add_fields("", &document(rules), &mut fields);
    fields
}

/// The fields in which rules differ from those of their preset.
pub fn changed_fields(rules: &RuleSet, preset: Preset) -> Vec<(String, Value)> {
    let base = rule_fields(&preset.rules());
    let all = rule_fields(rules).into_iter().zip(base);
    all.filter(|(field, base)| field != base)
        .map(|(field, _)| field)
        .collect()
}

/// The rules with other values of these fields, whose names are dotted or nested. A text can stand
/// for a number or a boolean, as it does on a command line.
///
/// # Errors
/// Names a field that does not exist, or that does not take its value.
pub fn override_rules(rules: RuleSet, set: &Map<String, Value>) -> Result<RuleSet, String> {
    let mut fields = Vec::new();
    for (name, value) in set {
        add_fields(name, value, &mut fields);
    }
    fields.iter().try_fold(rules, |rules, (field, value)| {
        let mut document = document(&rules);
        let mut path = field.split('.');
        let place = path.try_fold(&mut document, |within, key| within.get_mut(key));
        let Some(place) = place.filter(|it| !it.is_object()) else {
            let names: Vec<String> = rule_fields(&rules).into_iter().map(|it| it.0).collect();
            let names = names.join(", ");
            return Err(format!(
                "no rule field is named `{field}`; the fields are {names}"
            ));
        };
        let text = value.as_str().filter(|_| !place.is_string());
        let plain = text.and_then(|text| serde_json::from_str(text).ok());
        *place = plain.unwrap_or_else(|| value.clone());
        serde_json::from_value(document).map_err(|error| {
            let (value, error) = (plain_text(value), error.to_string());
            // What serde expected is what the field takes.
            let expected = error.split_once(", expected ");
            let allowed = expected.map_or(error.as_str(), |(_, it)| it);
            format!("rule field `{field}` cannot be `{value}`; it is {allowed}")
        })
    })
}

/// A text without its quotes, or any other value as JSON.
pub fn plain_text(value: &Value) -> String {
    let text = value.as_str().map(str::to_owned);
    text.unwrap_or_else(|| value.to_string())
}

fn document(rules: &RuleSet) -> Value {
    serde_json::to_value(rules).expect("rules of names, numbers and booleans")
}

fn add_fields(path: &str, value: &Value, fields: &mut Vec<(String, Value)>) {
    let Value::Object(inner) = value else {
        return fields.push((path.to_owned(), value.clone()));
    };
    for (key, value) in inner {
        let dot = if path.is_empty() { "" } else { "." };
        add_fields(&format!("{path}{dot}{key}"), value, fields);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn set(field: &str, value: Value) -> Result<RuleSet, String> {
        override_rules(
            RuleSet::default(),
            &Map::from_iter([(field.to_owned(), value)]),
        )
    }

    #[test]
    fn every_field_takes_every_presets_value() {
        for from in Preset::ALL {
            for to in Preset::ALL {
                let fields = changed_fields(&to.rules(), from);
                let rules = override_rules(from.rules(), &fields.into_iter().collect());
                assert_eq!(rules, Ok(to.rules()));
                let texts = rule_fields(&to.rules()).into_iter();
                let texts = texts.map(|(name, value)| (name, plain_text(&value).into()));
                assert_eq!(
                    override_rules(from.rules(), &texts.collect()),
                    Ok(to.rules())
                );
            }
        }
        let nested = set("repetition", json!({"occurrences": 4})).unwrap();
        assert_eq!(Ok(nested), set("repetition.occurrences", json!("4")));
    }

    #[test]
    fn refusals_name_the_field_and_what_it_takes() {
        for (field, value, said) in [
            (
                "slam",
                json!("capture"),
                "no rule field is named `slam`; the fields are capture, ",
            ),
            (
                "repetition",
                json!(2),
                "no rule field is named `repetition`",
            ),
            (
                "grand-slam",
                json!("often"),
                "it is one of `no-capture`, `forbidden`, `forbidden-unless-only`,",
            ),
            ("must-feed", json!("yes"), "it is a boolean"),
            (
                "repetition.occurrences",
                json!(1),
                "a whole number from 2 to 255",
            ),
            ("no-move-gift", json!(-1), "a whole number from 0 to 48"),
            ("no-move-gift", json!("49"), "a whole number from 0 to 48"),
        ] {
            let message = set(field, value).unwrap_err();
            assert!(
                message.contains(field) && message.contains(said),
                "{message}"
            );
        }
    }
}
