//! The names that entrants and tournaments may have. Names appear in tables, spreadsheets,
//! terminals and web pages, so text that could act there is refused.

use crate::text::{did_you_mean, is_invisible, quoted};

/// The longest name, in characters.
const LONGEST: usize = 64;

/// The end of every refusal.
const ALLOWED: &str = "a name has 1 to 64 visible characters of any script and spaces between \
                       them, no / or ;, and none of = + - @ at its beginning";

/// Checks a name; the error says what is wrong with it and what is allowed.
pub fn check(name: &str) -> Result<(), String> {
    let refuse = |reason: String| Err(format!("the name {} {reason}; {ALLOWED}", quoted(name)));
    if name.is_empty() {
        return Err(format!("the name is empty; {ALLOWED}"));
    }
    let length = name.chars().count();
    if length > LONGEST {
        return Err(format!("the name has {length} characters; {ALLOWED}"));
    }
    if name.trim() != name {
        return refuse("begins or ends with a space".to_owned());
    }
    if let Some(first) = name
        .chars()
        .next()
        .filter(|first| "=+-@＝＋－＠".contains(*first))
    {
        return refuse(format!(
            "begins with {first}, which spreadsheets read as a formula"
        ));
    }
    if let Some(character) = name.chars().find(|character| "/;".contains(*character)) {
        return refuse(format!("contains {character}"));
    }
    let bad = |c: &char| c.is_control() || is_invisible(*c) || (c.is_whitespace() && *c != ' ');
    if let Some(character) = name.chars().find(bad) {
        return refuse(format!(
            "contains the control or invisible character U+{:04X}",
            u32::from(character)
        ));
    }
    Ok(())
}

/// Says that no entrant has this name, suggests a similar one, and lists them. `what` describes it
/// as typed.
pub fn no_entrant(what: &str, name: &str, names: &[&str]) -> String {
    let hint = did_you_mean(name, names, ["\"", "\""]);
    let allowed = if hint.is_empty() {
        "; allowed"
    } else {
        " Allowed"
    };
    format!("{what} is not an entrant{hint}{allowed}: {}", listed(names))
}

pub fn listed(names: &[&str]) -> String {
    const SHOWN: usize = 20;
    let mut words: Vec<String> = names.iter().take(SHOWN).map(|name| quoted(name)).collect();
    if names.len() > SHOWN {
        words.push(format!("and {} more", names.len() - SHOWN));
    }
    words.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_any_script_pass() {
        for name in [
            "a",
            "Ada 2",
            "öwaré",
            "アワレ",
            "v1.2 (d=4)",
            "a,\"b\"",
            "x=1",
            "a-b",
        ] {
            assert_eq!(check(name), Ok(()), "{name}");
        }
        assert_eq!(check(&"é".repeat(64)), Ok(()));
    }

    #[test]
    fn tricks_are_refused_and_named() {
        for (name, said) in [
            ("", "is empty"),
            (" a", "begins or ends with a space"),
            ("a\u{a0}", "begins or ends with a space"),
            ("=cmd()", "begins with ="),
            ("@x", "begins with @"),
            ("-o", "begins with -"),
            ("＝cmd|calc", "begins with ＝"),
            ("a/b", "contains /"),
            ("a;=1", "contains ;"),
            ("a\u{1b}[2J", "U+001B"),
            ("a\u{202e}b", "U+202E"),
            ("a\u{200b}b", "U+200B"),
            ("a\u{2003}b", "U+2003"),
        ] {
            let error = check(name).unwrap_err();
            assert!(error.contains(said), "{name:?}: {error}");
            assert!(!error.contains('\u{1b}') && !error.contains('\u{202e}'));
        }
        assert!(check(&"a".repeat(65)).is_err());
    }
}
