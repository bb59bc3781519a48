//! What the errors of ratings rest on.

use crate::stats::errors::ErrorSource;

/// What errors rest on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ErrorBasis {
    /// How they were found.
    pub method: ErrorSource,
    /// Different openings (else pairs, else games) with a game inside a group.
    pub clusters: u64,
    /// Free parameters of the fit.
    pub parameters: u64,
}
