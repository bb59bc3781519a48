//! Lists of names in messages.

use super::escape::quoted;

/// The most names in one message.
const NAMED: usize = 12;

/// The first names in quotes, and the number of the others.
pub fn some_names<S: AsRef<str>>(names: &[S]) -> String {
    let shown: Vec<String> = names
        .iter()
        .take(NAMED)
        .map(|name| quoted(name.as_ref()))
        .collect();
    match names.len() - shown.len() {
        0 => shown.join(", "),
        more => format!("{} and {more} more", shown.join(", ")),
    }
}
