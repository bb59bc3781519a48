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
    /// A line is damaged, and not by a write that was cut short.
    #[error(
        "line {line} of the journal is damaged: {reason}; restore the file from a copy, or \
         start anew in another folder with --output"
    )]
    Damaged {
        /// Line number, from 1.
        line: usize,
        /// What is wrong with it.
        reason: String,
    },
    /// Written by a newer program.
    #[error(
        "the journal has format {found}, and this version of awale reads formats 1 to {FORMAT}; \
         use the version that wrote it, or a newer one"
    )]
    Newer {
        /// The format that it names.
        found: u32,
    },
    /// Written by an older program: it can be read, but nothing can be added to it.
    #[error(
        "the journal has format {found}, and runs go on in format {FORMAT}, in which games are \
         named by their entrants: `awale verify` and `awale rate` read it as before; to play, \
         choose another folder with --output"
    )]
    Older {
        /// The format that it names.
        found: u32,
    },
    /// Written by an older program, and without the plan that tables are made by.
    #[error(
        "the journal has format {found}, which does not hold the plan of its run; `awale verify` \
         checks its tables, and `awale rate` rates its games.csv"
    )]
    WithoutPlan {
        /// The format that it names.
        found: u32,
    },
    /// A test that may not play as many pairs as were played.
    #[error(
        "pair {played} of this test is played already, and it may have {pairs} pairs at most; go \
         on with --max-pairs {played} or more, or start anew in another folder with --output"
    )]
    FewerPairs {
        /// A pair that was played.
        played: u32,
        /// Pairs that the plan has.
        pairs: u32,
    },
    /// It belongs to another plan.
    #[error(transparent)]
    ForeignPlan(#[from] PlanDifference),
}

impl JournalError {
    /// Whether the journal is sound, and another plan or another version of awale is wanted.
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
