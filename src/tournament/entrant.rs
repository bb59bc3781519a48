//! An entrant of the plan.

/// An entrant's index in the plan's list, from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EntrantIndex(pub u32);

impl EntrantIndex {
    /// The index as a `usize`.
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// An entrant of the plan.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entrant {
    /// Its name, unique in the tournament.
    pub name: String,
    /// The identity of its program, as the code that starts it writes it. The tournament stores and
    /// compares this value without reading it.
    pub program: serde_json::Value,
}
