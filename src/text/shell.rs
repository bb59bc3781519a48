//! Words as a shell takes them.

/// The word, in quotes where a shell would read it otherwise.
pub fn shell_word(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./=:,@%+~".contains(c);
    // At its beginning, and after : or =, a tilde means a home.
    let is_home = word.starts_with('~') || word.contains(":~") || word.contains("=~");
    if !word.is_empty() && !is_home && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', "'\\''"))
    }
}
