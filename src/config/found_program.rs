//! A program that was found, and its fingerprints.

use crate::bot::Launch;
use std::collections::BTreeMap;

/// A program that was found, and its fingerprints.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoundProgram {
    pub launch: Launch,
    /// SHA-256 of the program and of each argument that is a file, by the word of the command
    /// (from 0). Empty for a house bot: its version says what it is.
    pub fingerprints: BTreeMap<usize, String>,
    /// SHA-256 of the tree of its folder, if that is its own and it is kept in a sandbox.
    pub tree: Option<String>,
    pub is_house_bot: bool,
    /// Why it cannot be let in: what its author gave is not what a submission may be.
    pub unfit: Option<String>,
}
