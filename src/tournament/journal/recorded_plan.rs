//! The definition of a run in a line of a journal, the first one or a revision, and whether a run
//! of another plan can go on there.

use super::line::PlanLine;
use crate::tournament::document::{RunDocument, hash_of};
use crate::tournament::journal::journal_error::JournalError;
use crate::tournament::journal::plan_difference::PlanDifference;
use crate::tournament::plan::Plan;
use crate::tournament::secret::Secret;
use crate::tournament::sha256::sha256_hex;
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// The first format whose first line holds the whole plan.
const FIRST_OF_DOCUMENTS: u32 = 5;

/// The definition of a run in a journal.
#[derive(Clone, Debug, PartialEq)]
pub struct RecordedPlan {
    /// Its line in the journal, from 1.
    pub line: usize,
    /// The format of the journal.
    pub format: u32,
    /// The plan's hash.
    pub hash: String,
    /// Whether the hash matches the definition.
    pub hash_fits: bool,
    /// What decided the games.
    pub what: RecordedIdentity,
}

/// What decided the games of a journal.
#[derive(Clone, Debug, PartialEq)]
pub enum RecordedIdentity {
    /// The run itself; after the last line, with its last settings.
    Run(Box<RunDocument>),
    /// The form up to format 4.
    Keys {
        /// The keys of the configuration and their values.
        identity: BTreeMap<String, String>,
        /// The key of seeds and openings; `None` up to format 2.
        secret: Option<Secret>,
    },
}

impl RecordedPlan {
    /// The definition in this line, which has this number.
    pub(super) fn new(line: PlanLine, number: usize) -> Result<Self, String> {
        let format = line.format;
        if let Some(settings) = line.settings.filter(|_| format >= FIRST_OF_DOCUMENTS) {
            let plan = Plan::of_document(&line.plan, &settings)?;
            let hash = line.sha256.unwrap_or_default();
            return Ok(Self {
                line: number,
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
            line: number,
            format,
            hash_fits: hash_of_keys(&identity) == hash,
            hash: hash.to_owned(),
            what: RecordedIdentity::Keys {
                identity,
                secret: line.secret,
            },
        })
    }

    /// The run; `None` in journals older than format 5.
    pub const fn run(&self) -> Option<&RunDocument> {
        match &self.what {
            RecordedIdentity::Run(run) => Some(run),
            RecordedIdentity::Keys { .. } => None,
        }
    }

    /// The key of seeds and openings.
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

    /// The run before another plan follows in the same journal.
    ///
    /// # Errors
    /// What forbids that plan there.
    pub(super) fn followed_by(&self, later: &Self) -> Result<RunDocument, &'static str> {
        let (Some(run), Some(revised)) = (self.run(), later.run()) else {
            return Err("a second plan, which its format does not have");
        };
        check_update(&run.plan, &revised.plan)
            .map_err(|_| "a second plan, which no run of the first one has")?;
        Ok(run.clone())
    }

    /// The run, if its plan is another one than this. A test with more pairs than before has the
    /// same plan.
    ///
    /// # Errors
    /// The format is older: no run goes on with it.
    pub fn other_than(&self, plan: &Plan) -> Result<Option<RunDocument>, JournalError> {
        let RecordedIdentity::Run(run) = &self.what else {
            return Err(JournalError::Older { found: self.format });
        };
        let is_same = run.plan.differences(plan).is_empty();
        Ok((!is_same).then(|| RunDocument::clone(run)))
    }
}

/// Checks that a run can change from one plan to another. A sequential test has one plan, and the
/// secret is that of all games.
///
/// # Errors
/// Names the keys that differ.
pub fn check_update(earlier: &Plan, later: &Plan) -> Result<(), PlanDifference> {
    let is_test = earlier.test.is_some() || later.test.is_some();
    let differences = earlier.differences(later);
    if is_test || earlier.secret != later.secret {
        return Err(PlanDifference { differences });
    }
    Ok(())
}

/// SHA-256 of keys and values, as in journals up to format 4. Each has its length before it, so
/// that different maps give different texts.
fn hash_of_keys(identity: &BTreeMap<String, String>) -> String {
    let mut text = String::new();
    for (key, value) in identity {
        let _ = writeln!(text, "{} {key} {} {value}", key.len(), value.len());
    }
    sha256_hex(text.as_bytes())
}
