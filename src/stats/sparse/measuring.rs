//! What the numbers of a large table are measured on.

use crate::stats::clusters::ClusterKind;
use crate::stats::information::Factors;
use crate::stats::layout::Layout;
use crate::stats::likelihood::{Fit, Term};

/// What measures are made of.
#[derive(Clone, Copy, Debug)]
pub(in crate::stats) struct Measuring<'a> {
    pub(in crate::stats) layout: &'a Layout,
    pub(in crate::stats) fit: &'a Fit,
    /// Sparse ones, of the fit's information.
    pub(in crate::stats) factors: &'a Factors,
    pub(in crate::stats) terms: &'a [Term],
    /// Clusters inside groups.
    pub(in crate::stats) kinds: &'a [ClusterKind],
}
