//! Words quoted for a shell.

/// The word, quoted if a shell would interpret it.
pub fn shell_word(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./=:,@%+~".contains(c);
    // At the beginning, and after `:` or `=`, a tilde means a home.
    let is_home = word.starts_with('~') || word.contains(":~") || word.contains("=~");
    if !word.is_empty() && !is_home && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', "'\\''"))
    }
}
