//! What trying a promise of the sandbox has come to.

/// What became of one promise.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PromiseVerdict {
    /// It held.
    Pass,
    /// It did not, and what the probe could do.
    Fail(String),
    /// The level has no means for it here.
    Untried,
}

impl PromiseVerdict {
    /// As it is printed and stored.
    pub const fn word(&self) -> &'static str {
        match self {
            Self::Pass => "PASS",
            Self::Fail(_) => "FAIL",
            Self::Untried => "–",
        }
    }
}
