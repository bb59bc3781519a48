//! The cause of a program's end, as its standard error names it: the message of an exception that
//! nobody caught, with its file and line, else the last line. The text is hostile.
//!
//! ```text
//! traceback   how programs report that they end, language by language
//! ```

mod traceback;

use crate::text::printable;
use std::path::Path;
use traceback::{Traceback, last_report};

/// Characters of a message, and of a place.
const MOST_CHARACTERS: usize = 300;

/// What `env` adds below its message about a program that it does not find.
const ADVICE_OF_ENV: &str = ": use -[v]S to pass options in shebang lines";

/// The cause of a program's end in one short line that is safe to print: `: IndexError: list index
/// out of range (bot.py:12)` for an exception, and `; standard error ends with "oh no"` for any
/// other text. Empty if there is no text. Paths in `folder`, where the program ran, are shortened.
pub fn cause(standard_error: &[u8], folder: &Path) -> String {
    let text = String::from_utf8_lossy(standard_error);
    let lines: Vec<&str> = text.lines().collect();
    if let Some(Traceback { message, place, .. }) = last_report(&lines) {
        let place = place.map(|place| format!(" ({})", short(&in_folder(&place, folder))));
        return format!(": {}{}", short(&message), place.unwrap_or_default());
    }
    let mut lines = lines.iter().map(|line| line.trim());
    let last = lines.rfind(|line| !line.is_empty() && !line.ends_with(ADVICE_OF_ENV));
    let words = last.map(|line| format!("; standard error ends with \"{}\"", short(line)));
    words.unwrap_or_default()
}

/// A path without the folder that it is in.
fn in_folder(path: &str, folder: &Path) -> String {
    let inside = Path::new(path).strip_prefix(folder);
    inside.map_or_else(|_| path.to_owned(), |it| it.to_string_lossy().into_owned())
}

/// The beginning of a text, safe to print.
fn short(text: &str) -> String {
    let mut characters = text.trim().chars();
    let mut shown: String = characters.by_ref().take(MOST_CHARACTERS).collect();
    if characters.next().is_some() {
        shown.push('…');
    }
    printable(&shown)
}

#[cfg(test)]
mod tests;
