//! The key of the secret, and what messages show in place of its value.

/// Where it stands.
pub const PATH: [&str; 2] = ["tournament", "secret"];

/// In place of a value that may be one.
pub const HIDDEN: &str = "…";

/// A `KEY=VALUE` as messages show it.
pub fn shown(set: &str) -> String {
    match set.split_once('=') {
        Some((key, _)) if set.contains(PATH[1]) => format!("{key}={HIDDEN}"),
        _ => set.to_owned(),
    }
}
