//! Paths of a configuration, and how messages show them.

use crate::text::printable;
use std::path::{Path, PathBuf};

/// An absolute path without access to the disk: links stay links, which virtual environments
/// require.
pub fn absolute(path: &Path) -> PathBuf {
    std::path::absolute(path).unwrap_or_else(|_| path.to_owned())
}

/// A path in a message.
pub fn shown(path: &Path) -> String {
    printable(&path.to_string_lossy())
}
