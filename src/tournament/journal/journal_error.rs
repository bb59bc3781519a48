//! Why a journal cannot be used.

use crate::tournament::journal::FORMAT;
use crate::tournament::journal::plan_difference::PlanDifference;
use std::io::{self};
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
