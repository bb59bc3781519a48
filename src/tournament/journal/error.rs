//! Why a journal cannot be used: it is damaged, of another plan, or of a newer version.

use super::FORMAT;
use crate::tournament::document::KeyDifference;
use std::io;
use thiserror::Error;

/// Why a journal cannot be used.
#[derive(Debug, Error)]
pub enum JournalError {
    /// It could not be read.
    #[error("cannot read the journal: {0}")]
    Read(#[from] io::Error),
    /// A line is damaged, and not because its write was interrupted.
    #[error(
        "line {line} of the journal is damaged: {reason}; restore the file from a copy, or let \
         `awale repair` mend the line, or set it aside so that its game is played again"
    )]
    Damaged {
        /// Line number, from 1.
        line: usize,
        /// The damage.
        reason: String,
    },
    /// A newer program wrote it.
    #[error(
        "the journal has format {found}, and this version of awale reads format {FORMAT}; \
         use the version that wrote it, or a newer one"
    )]
    Newer {
        /// Its format.
        found: u32,
    },
    /// A test with fewer pairs than were played.
    #[error(
        "pair {played} of this test is played already, and it may have {pairs} pairs at most; go \
         on with --max-pairs {played} or more, or start anew in another folder with --output"
    )]
    FewerPairs {
        /// A pair that was played.
        played: u32,
        /// The number of pairs of the plan.
        pairs: u32,
    },
    /// It belongs to another plan.
    #[error(transparent)]
    ForeignPlan(#[from] PlanDifference),
}

impl JournalError {
    /// Whether the journal is sound but belongs to another plan or another version of awale.
    pub const fn is_about_the_plan(&self) -> bool {
        matches!(
            self,
            Self::ForeignPlan(_) | Self::Newer { .. } | Self::FewerPairs { .. }
        )
    }
}

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

/// With the right configuration, the cause can still be another command, or a machine that has
/// changed.
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
            "those are not games of a test: finish them with `awale run`, or `awale sprt --pairs`"
        }
        _ => "finish that tournament with its own configuration",
    };
    advice.to_owned()
}
