//! A program that was found, with its hashes.

use crate::bot::{Build, Launch};
use std::collections::BTreeMap;

/// A program that was found, with its hashes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoundProgram {
    pub launch: Launch,
    /// SHA-256 of the program and of each argument that is a file, by the index of the word in the
    /// command (from 0). Empty for a house bot, which its version identifies.
    pub fingerprints: BTreeMap<usize, String>,
    /// SHA-256 of the organiser's programs that build it, by their words.
    pub tools: BTreeMap<String, String>,
    /// How it is built, if it must be.
    pub build: Option<Build>,
    /// SHA-256 of the tree of its folder, if the folder is its own and it runs in a sandbox.
    pub tree: Option<String>,
    pub is_house_bot: bool,
    /// Why it cannot be admitted: its files are not a valid submission.
    pub unfit: Option<String>,
}
