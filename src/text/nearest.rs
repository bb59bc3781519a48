//! Finds the name that a user meant.

use super::printable;

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

#[cfg(test)]
mod tests {
    use super::*;

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
