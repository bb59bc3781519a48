//! An entrant of the plan.

/// An entrant's place in the plan's list, from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EntrantIndex(pub u32);

impl EntrantIndex {
    /// For use in a slice.
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// A line of the configuration that plays.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entrant {
    /// Its name, unique in the tournament.
    pub name: String,
    /// What makes it this program and no other, as the code that starts it writes it. The
    /// tournament keeps and compares it, and knows nothing of what it says.
    pub program: serde_json::Value,
}
