//! The line that a repair leaves in a journal: which lines were set aside.

use serde::{Deserialize, Serialize};

/// A line that was set aside, because it was damaged or because it followed from one that was.
#[derive(Clone, Debug, Deserialize, PartialEq, Eq, Serialize)]
pub struct SetAsideLine {
    /// Its number in the journal at that time, from 1.
    pub line: usize,
    /// Its bytes, with the newline.
    pub bytes: u64,
    /// SHA-256 of these bytes, in hexadecimal.
    pub sha256: String,
    /// Why it was set aside. May quote the line.
    pub reason: String,
}

/// A repair of the journal.
#[derive(Clone, Debug, Deserialize, PartialEq, Eq, Serialize)]
pub struct Repair {
    /// The lines, in their order.
    pub set_aside: Vec<SetAsideLine>,
}
