//! The input in error messages: its path and parts of its text.

use crate::text::printable;
use std::path::Path;

/// The name of `-`.
pub const STANDARD_INPUT: &str = "standard input";

pub fn shown(path: &Path) -> String {
    printable(&path.display().to_string())
}

/// Hostile text in an error: in quotation marks, escaped and shortened.
pub fn shown_text(text: &str) -> String {
    const MOST: usize = 40;
    let mut characters = text.chars();
    let kept: String = characters.by_ref().take(MOST).collect();
    let more = if characters.next().is_some() {
        "…"
    } else {
        ""
    };
    format!("{kept:?}{more}")
}

/// The same for bytes; those that are not text are shown as `\xfc`.
pub fn shown_bytes(bytes: &[u8]) -> String {
    const MOST: usize = 40;
    if let Ok(text) = std::str::from_utf8(bytes) {
        return shown_text(text);
    }
    let kept = &bytes[..bytes.len().min(MOST)];
    let more = if bytes.len() > MOST { "…" } else { "" };
    format!("\"{}\"{more}", kept.escape_ascii())
}
