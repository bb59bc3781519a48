//! What the first line of a journal says of its run, and whether a run may go on there.

use super::line::PlanLine;
use super::read::JournalError;
use crate::tournament::document::{KeyDifference, RunDocument, hash_of};
use crate::tournament::plan::{Plan, sha256_hex};
use crate::tournament::secret::Secret;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use thiserror::Error;

/// The first format whose first line has the plan itself.
const FIRST_OF_DOCUMENTS: u32 = 5;

/// What a journal says of its run.
#[derive(Clone, Debug, PartialEq)]
pub struct RecordedPlan {
    /// The version that wrote it.
    pub format: u32,
    /// The plan's hash.
    pub hash: String,
    /// Whether the hash is that of what decided the games.
    pub hash_fits: bool,
    /// What decided the games.
    pub what: Recorded,
}

/// What decided the games of a journal.
#[derive(Clone, Debug, PartialEq)]
pub enum Recorded {
    /// The run itself; with the last settings, once all lines were read.
    Run(Box<RunDocument>),
    /// Up to format 4.
    Keys {
        /// Keys of the configuration and their values.
        identity: BTreeMap<String, String>,
        /// What seeds and openings were drawn with; none up to format 2.
        secret: Option<Secret>,
    },
}

impl RecordedPlan {
    pub(super) fn new(line: PlanLine) -> Result<Self, String> {
        let format = line.format;
        if let Some(settings) = line.settings.filter(|_| format >= FIRST_OF_DOCUMENTS) {
            let plan = Plan::of_document(&line.plan, &settings)?;
            let hash = line.sha256.unwrap_or_default();
            return Ok(Self {
                format,
                hash_fits: hash_of(&line.plan) == hash,
                hash,
                what: Recorded::Run(Box::new(RunDocument { plan, settings })),
            });
        }
        let (Some(hash), Some(identity)) = (line.plan.as_str(), line.identity) else {
            return Err("it is no plan of any format".to_owned());
        };
        Ok(Self {
            format,
            hash_fits: hash_of_keys(&identity) == hash,
            hash: hash.to_owned(),
            what: Recorded::Keys {
                identity,
                secret: line.secret,
            },
        })
    }

    /// The run, unless the journal is older than format 5.
    pub const fn run(&self) -> Option<&RunDocument> {
        match &self.what {
            Recorded::Run(run) => Some(run),
            Recorded::Keys { .. } => None,
        }
    }

    /// What seeds and openings are drawn with.
    pub const fn secret(&self) -> Option<&Secret> {
        match &self.what {
            Recorded::Run(run) => run.plan.secret.as_ref(),
            Recorded::Keys { secret, .. } => secret.as_ref(),
        }
    }

    /// Whether it has a sequential test.
    pub fn is_test(&self) -> bool {
        match &self.what {
            Recorded::Run(run) => run.plan.test.is_some(),
            Recorded::Keys { identity, .. } => identity.keys().any(|key| key.starts_with("sprt.")),
        }
    }

    /// Checks that a run of this plan may go on in the journal. Of a test that may have more pairs
    /// the games that were played stay.
    ///
    /// # Errors
    /// It has an older format, or the games belong to another plan: the keys that differ.
    pub fn check(&self, plan: &Plan) -> Result<(), JournalError> {
        let Recorded::Run(run) = &self.what else {
            return Err(JournalError::Older { found: self.format });
        };
        let differences = run.plan.differences(plan);
        if differences.is_empty() {
            Ok(())
        } else {
            Err(PlanDifference { differences }.into())
        }
    }
}

/// SHA-256 of keys and values, as in journals up to format 4, each with its length so that no two
/// maps run together.
fn hash_of_keys(identity: &BTreeMap<String, String>) -> String {
    let mut text = String::new();
    for (key, value) in identity {
        let _ = writeln!(text, "{} {key} {} {value}", key.len(), value.len());
    }
    sha256_hex(text.as_bytes())
}

/// A journal that was written for another plan.
#[derive(Debug, Error, PartialEq, Eq)]
#[error(
    "this folder holds the games of another plan; what differs: {}\n\
     {}, or play this one in another folder with --output DIR",
    describe(differences),
    advice(differences)
)]
pub struct PlanDifference {
    /// Keys with the value in the journal and the value in the plan at hand.
    pub differences: Vec<KeyDifference>,
}

fn describe(differences: &[KeyDifference]) -> String {
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

/// Who has the right configuration may still play something else: another command, or on a machine
/// that has changed.
fn advice(differences: &[KeyDifference]) -> String {
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
            "those are no games of a test: finish them with `awale run`, or `awale sprt --pairs`"
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
