//! What the first line of a journal says of its run, and whether a run may go on there.

use super::line::PlanLine;
use crate::tournament::document::{RunDocument, hash_of};
use crate::tournament::journal::journal_error::JournalError;
use crate::tournament::journal::plan_difference::PlanDifference;
use crate::tournament::plan::Plan;
use crate::tournament::secret::Secret;
use crate::tournament::sha256::sha256_hex;
use std::collections::BTreeMap;
use std::fmt::Write as _;

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
    pub what: RecordedIdentity,
}

/// What decided the games of a journal.
#[derive(Clone, Debug, PartialEq)]
pub enum RecordedIdentity {
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
                what: RecordedIdentity::Run(Box::new(RunDocument { plan, settings })),
            });
        }
        let (Some(hash), Some(identity)) = (line.plan.as_str(), line.identity) else {
            return Err("it is not a plan of any format".to_owned());
        };
        Ok(Self {
            format,
            hash_fits: hash_of_keys(&identity) == hash,
            hash: hash.to_owned(),
            what: RecordedIdentity::Keys {
                identity,
                secret: line.secret,
            },
        })
    }

    /// The run, unless the journal is older than format 5.
    pub const fn run(&self) -> Option<&RunDocument> {
        match &self.what {
            RecordedIdentity::Run(run) => Some(run),
            RecordedIdentity::Keys { .. } => None,
        }
    }

    /// What seeds and openings are drawn with.
    pub const fn secret(&self) -> Option<&Secret> {
        match &self.what {
            RecordedIdentity::Run(run) => run.plan.secret.as_ref(),
            RecordedIdentity::Keys { secret, .. } => secret.as_ref(),
        }
    }

    /// Whether it has a sequential test.
    pub fn is_test(&self) -> bool {
        match &self.what {
            RecordedIdentity::Run(run) => run.plan.test.is_some(),
            RecordedIdentity::Keys { identity, .. } => {
                identity.keys().any(|key| key.starts_with("sprt."))
            }
        }
    }

    /// Checks that a run of this plan may go on in the journal. Of a test that may have more pairs
    /// the games that were played stay.
    ///
    /// # Errors
    /// It has an older format, or the games belong to another plan: the keys that differ.
    pub fn check(&self, plan: &Plan) -> Result<(), JournalError> {
        let RecordedIdentity::Run(run) = &self.what else {
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
