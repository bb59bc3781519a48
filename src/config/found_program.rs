//! A program that was found, with its hashes.

use crate::bot::Launch;
use std::collections::BTreeMap;

/// A program that was found, with its hashes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoundProgram {
    pub launch: Launch,
    /// SHA-256 of the program and of each argument that is a file, by the index of the word in the
    /// command (from 0). Empty for a house bot, which its version identifies.
    pub fingerprints: BTreeMap<usize, String>,
    /// SHA-256 of the tree of its folder, if the folder is its own and it runs in a sandbox.
    pub tree: Option<String>,
    pub is_house_bot: bool,
    /// Why it cannot be admitted: its files are not a valid submission.
    pub unfit: Option<String>,
}
