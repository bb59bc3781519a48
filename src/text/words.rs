//! Words in messages: counted nouns, lists of names, the name that a user meant, and words quoted
//! for a shell.

use crate::text::escape::quoted;
use crate::text::printable;

/// A number with its noun, in the singular for one: `1 game`, `1,012 games`.
pub fn counted(number: usize, one: &str, many: &str) -> String {
    let noun = if number == 1 { one } else { many };
    format!("{} {noun}", grouped(number))
}

/// Digits in groups of three.
fn grouped(number: usize) -> String {
    let digits = number.to_string();
    let (first, rest) = digits.split_at((digits.len() - 1) % 3 + 1);
    let groups = rest.as_bytes().chunks(3);
    groups.fold(first.to_owned(), |text, group| {
        format!("{text},{}", String::from_utf8_lossy(group))
    })
}

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

/// `; did you mean "pairs"?` with the given marks on both sides of the name; empty if no name is
/// similar.
pub fn did_you_mean(word: &str, names: &[&str], marks: [&str; 2]) -> String {
    let [before, after] = marks;
    nearest(word, names).map_or_else(String::new, |near| {
        format!("; did you mean {before}{}{after}?", printable(near))
    })
}

/// The most similar name, if one is similar enough.
pub fn nearest<'a>(word: &str, names: &[&'a str]) -> Option<&'a str> {
    let word = word.to_lowercase().replace(['_', ' '], "-");
    names
        .iter()
        .map(|name| (distance(&word, &name.to_lowercase()), *name))
        .filter(|(steps, name)| *steps <= ((name.chars().count() + 1) / 3).max(1))
        .min_by_key(|(steps, _)| *steps)
        .filter(|(steps, name)| *steps < name.chars().count())
        .map(|(_, name)| name)
}

/// The number of letters inserted, deleted, replaced or swapped with a neighbour between two words.
fn distance(one: &str, other: &str) -> usize {
    let one: Vec<char> = one.chars().take(64).collect();
    let other: Vec<char> = other.chars().take(64).collect();
    let mut rows = vec![(0..=other.len()).collect::<Vec<usize>>()];
    for i in 1..=one.len() {
        let mut row = vec![i];
        for j in 1..=other.len() {
            let replaced = rows[i - 1][j - 1] + usize::from(one[i - 1] != other[j - 1]);
            let mut least = replaced.min(rows[i - 1][j] + 1).min(row[j - 1] + 1);
            let swapped =
                i > 1 && j > 1 && one[i - 1] == other[j - 2] && one[i - 2] == other[j - 1];
            if swapped {
                least = least.min(rows[i - 2][j - 2] + 1);
            }
            row.push(least);
        }
        rows.push(row);
    }
    rows[one.len()][other.len()]
}

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_are_in_groups_of_three() {
        for (number, text) in [
            (0, "0 games"),
            (1, "1 game"),
            (12, "12 games"),
            (999, "999 games"),
            (1_012, "1,012 games"),
            (100_000, "100,000 games"),
            (1_234_567, "1,234,567 games"),
        ] {
            assert_eq!(counted(number, "game", "games"), text);
        }
    }

    #[test]
    fn distances_are_those_of_the_textbook() {
        for (one, other, steps) in [
            ("", "abc", 3),
            ("kitten", "sitting", 3),
            ("pairs", "pairs", 0),
            ("piars", "pairs", 1),
            ("pair", "pairs", 1),
        ] {
            assert_eq!(distance(one, other), steps, "{one} {other}");
            assert_eq!(distance(other, one), steps, "{other} {one}");
        }
    }
}
