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
        "line {line} of the journal is damaged: {reason}; restore the file from a copy, or set the \
         line aside with `awale repair` and play its game again"
    )]
    Damaged {
        /// Line number, from 1.
        line: usize,
        /// The damage.
        reason: String,
    },
    /// A newer program wrote it.
    #[error(
        "the journal has format {found}, and this version of awale reads formats 1 to {FORMAT}; \
         use the version that wrote it, or a newer one"
    )]
    Newer {
        /// Its format.
        found: u32,
    },
    /// An older program wrote it: it can be read, but not continued.
    #[error(
        "the journal has format {found}, and runs go on in format {FORMAT}, in which games are \
         named by their entrants: `awale verify` checks it as before, and `awale rate` rates its \
         games.csv; to play, choose another folder with --output"
    )]
    Older {
        /// Its format.
        found: u32,
    },
    /// An older program wrote it, without the plan that the tables need.
    #[error(
        "the journal has format {found}, which does not hold the plan of its run; `awale verify` \
         checks its tables, and `awale rate` rates its games.csv"
    )]
    WithoutPlan {
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
            Self::ForeignPlan(_)
                | Self::Newer { .. }
                | Self::Older { .. }
                | Self::WithoutPlan { .. }
                | Self::FewerPairs { .. }
        )
    }
}
