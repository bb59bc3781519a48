//! The window of alpha-beta search.

use super::score::WIN;

/// The values in which a node is interested: what lies outside needs only a bound.
#[derive(Clone, Copy)]
pub struct Window {
    pub alpha: i32,
    pub beta: i32,
}

impl Window {
    pub const FULL: Self = Self {
        alpha: -WIN - 1,
        beta: WIN + 1,
    };

    /// The question whether a value is more than `alpha`.
    pub const fn above(alpha: i32) -> Self {
        Self {
            alpha,
            beta: alpha + 1,
        }
    }

    /// The same one as the opponent sees it.
    pub const fn turned(self) -> Self {
        Self {
            alpha: -self.beta,
            beta: -self.alpha,
        }
    }

    /// Whether it holds no value: then only one question is asked. Principal variations are
    /// searched with wide windows.
    pub const fn is_empty(self) -> bool {
        self.beta - self.alpha == 1
    }
}
