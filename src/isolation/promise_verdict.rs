//! The result of testing a promise of the sandbox.

/// The result of one promise.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PromiseVerdict {
    /// It held.
    Pass,
    /// It did not; contains what the probe could do.
    Fail(String),
    /// The level has no means to keep it here.
    Untried,
}

impl PromiseVerdict {
    /// The word in output and files.
    pub const fn word(&self) -> &'static str {
        match self {
            Self::Pass => "PASS",
            Self::Fail(_) => "FAIL",
            Self::Untried => "–",
        }
    }
}
