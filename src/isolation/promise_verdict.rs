//! The result of testing a promise of the sandbox.

/// The result of one promise.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PromiseVerdict {
    /// It held.
    Pass,
    /// The same, by other means than a limit of the kernel; contains which.
    PassBy(&'static str),
    /// It did not; contains what the probe could do.
    Fail(String),
    /// The level has no means to keep it here.
    Untried,
}

impl PromiseVerdict {
    /// Whether it held.
    pub const fn holds(&self) -> bool {
        matches!(self, Self::Pass | Self::PassBy(_))
    }

    /// What is to be said of the result: what the probe could do, or what stopped it.
    pub fn how(&self) -> Option<&str> {
        match self {
            Self::PassBy(means) => Some(means),
            Self::Fail(how) => Some(how),
            Self::Pass | Self::Untried => None,
        }
    }

    /// The word in output and files.
    pub const fn word(&self) -> &'static str {
        match self {
            Self::Pass | Self::PassBy(_) => "PASS",
            Self::Fail(_) => "FAIL",
            Self::Untried => "–",
        }
    }
}
