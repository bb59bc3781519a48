//! The key of the secret, and the text that replaces its value in messages.

/// The path of the key.
pub const PATH: [&str; 2] = ["tournament", "secret"];

/// Replaces a value that may be a secret.
pub const HIDDEN: &str = "…";

/// A `KEY=VALUE` for a message.
pub fn shown(set: &str) -> String {
    match set.split_once('=') {
        Some((key, _)) if set.contains(PATH[1]) => format!("{key}={HIDDEN}"),
        _ => set.to_owned(),
    }
}
