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

/// A line of a configuration for a message: without what follows the word `secret`, and without
/// long runs of hexadecimal digits. The line may not be TOML, so that the key cannot be known.
pub fn hidden_in(line: &str) -> String {
    let word = PATH[1];
    if let Some(start) = line.find(word) {
        return format!("{}{word} {HIDDEN}", without_digits(&line[..start]));
    }
    without_digits(line)
}

/// Replaces runs of hexadecimal digits that may be a part of a secret.
fn without_digits(line: &str) -> String {
    const LONG: usize = 16;
    let mut shown = String::new();
    let mut run = String::new();
    for letter in line.chars().map(Some).chain([None]) {
        if let Some(digit) = letter.filter(char::is_ascii_hexdigit) {
            run.push(digit);
            continue;
        }
        shown.push_str(if run.len() < LONG { &run } else { HIDDEN });
        run.clear();
        shown.extend(letter);
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_may_be_a_secret_is_hidden() {
        let digits = "5e".repeat(32);
        let half = &digits[..16];
        for (line, shown) in [
            (format!("secret = \"{digits}"), "secret …".to_owned()),
            (
                format!("tournament.secret = {digits}"),
                "tournament.secret …".to_owned(),
            ),
            (format!("\"secret\" = {digits}"), "\"secret …".to_owned()),
            (
                format!("t = {{ pairs = 2, secret = {digits}"),
                "t = { pairs = 2, secret …".to_owned(),
            ),
            (digits.clone(), "…".to_owned()),
            (format!("{half}\\"), "…\\".to_owned()),
            (format!("x = {digits} secret"), "x = … secret …".to_owned()),
            (
                "name = \"Bernadette\" # é".to_owned(),
                "name = \"Bernadette\" # é".to_owned(),
            ),
            (String::new(), String::new()),
        ] {
            assert_eq!(hidden_in(&line), shown, "{line}");
        }
    }
}
