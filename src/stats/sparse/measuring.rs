//! What the numbers of a large table are measured on.

use crate::stats::clusters::ClusterKind;
use crate::stats::information::Factors;
use crate::stats::layout::RatingLayout;
use crate::stats::likelihood::{Fit, Term};

/// What measures are made of.
#[derive(Clone, Copy, Debug)]
pub struct Measuring<'a> {
    pub layout: &'a RatingLayout,
    pub fit: &'a Fit,
    /// Sparse ones, of the fit's information.
    pub factors: &'a Factors,
    pub terms: &'a [Term],
    /// Clusters inside groups.
    pub kinds: &'a [ClusterKind],
}
