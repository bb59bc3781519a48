//! The ranks that an entrant may have.

/// The ranks that an entrant may have among those of its component, with 95 %.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RankSet {
    /// The best one; 1 is the strongest.
    pub low: usize,
    /// The worst one.
    pub high: usize,
}

impl RankSet {
    /// Whether nobody is significantly stronger.
    pub const fn may_be_best(&self) -> bool {
        self.low == 1
    }
}
