//! A journal of another plan, and advice about it.

use crate::tournament::document::KeyDifference;
use thiserror::Error;

/// A journal of another plan.
#[derive(Debug, Error, PartialEq, Eq)]
#[error(
    "this folder holds the games of another plan; what differs: {}\n\
     {}, or play this one in another folder with --output DIR",
    describe(differences),
    advice(differences)
)]
pub struct PlanDifference {
    /// The keys with their values in the journal and in the present plan.
    pub differences: Vec<KeyDifference>,
}

pub fn describe(differences: &[KeyDifference]) -> String {
    let value = |value: &Option<String>| value.clone().unwrap_or_else(|| "absent".to_owned());
    differences.iter().fold(String::new(), |text, it| {
        let note = if it.is_of_secret() {
            " (short hashes)"
        } else {
            ""
        };
        format!(
            "{text}\n  {}: there {}, here {}{note}",
            it.key,
            value(&it.there),
            value(&it.here)
        )
    })
}

/// With the right configuration, the cause can still be another command, or a machine that has
/// changed.
pub fn advice(differences: &[KeyDifference]) -> String {
    if let [
        KeyDifference {
            key,
            there: Some(level),
            here: Some(_),
        },
    ] = differences
        && key == "isolation.level"
    {
        return format!(
            "this machine isolates otherwise than when they began: go on with --isolation {level}"
        );
    }
    if let [only] = differences
        && only.is_of_secret()
    {
        return "to go on with theirs, which the folder keeps, leave `secret` out of the \
                configuration and run the same command again"
            .to_owned();
    }
    let mut tests = differences.iter().filter(|it| it.key.starts_with("sprt"));
    let advice = match tests.next().map(|it| (&it.there, &it.here)) {
        Some((Some(_), None)) => {
            "those are the games of a test: finish it with `awale sprt`, without --pairs"
        }
        Some((None, Some(_))) => {
            "those are not games of a test: finish them with `awale run`, or `awale sprt --pairs`"
        }
        _ => "finish that tournament with its own configuration",
    };
    advice.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_plan_is_refused_with_the_way_out() {
        let text = |text: &str| Some(text.to_owned());
        let level = ("isolation.level", text("landlock"), text("box"));
        let seed = ("tournament.seed", text("1"), text("2"));
        let secret = ("tournament.secret", text("1f"), text("2e"));
        let test = ("sprt.elo0", text("0"), None);
        let tournament = ("sprt.elo0", None, text("0"));
        for (differences, words) in [
            (vec![level.clone()], "go on with --isolation landlock, or"),
            (vec![level, seed], "with its own configuration, or"),
            (vec![secret], "leave `secret` out"),
            (vec![test], "finish it with `awale sprt`"),
            (vec![tournament], "finish them with `awale run`"),
        ] {
            let named = |(key, there, here): (&str, _, _)| KeyDifference {
                key: key.to_owned(),
                there,
                here,
            };
            let differences = differences.into_iter().map(named).collect();
            let message = PlanDifference { differences }.to_string();
            assert!(message.contains(words), "{message}");
        }
    }
}
