//! Words and numbers for people: names cut to their width, readable Elo and times.

use crate::stats::rating::BoundDirection;
use crate::text::printable;
use std::collections::{BTreeMap, BTreeSet};

/// Printable text of at most this many columns, with `…` at the end if it was cut.
pub fn shortened(text: &str, columns: usize) -> String {
    let shown = printable(text);
    if width(&shown) <= columns {
        return shown;
    }
    beginning(shown.chars(), columns.saturating_sub(1)) + "…"
}

/// The names, each printable and of at most this many columns (4 or more), in their order. Names
/// that are equal when their ends are cut are cut in the middle, or get a number: two that differ
/// never look the same.
pub fn shortened_apart(names: &[&str], columns: usize) -> Vec<String> {
    let distinct: BTreeSet<&str> = names.iter().copied().collect();
    let mut groups: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    for name in distinct {
        groups
            .entry(shortened(name, columns))
            .or_default()
            .push(name);
    }
    let mut taken: BTreeSet<String> = BTreeSet::new();
    let (alone, alike): (Vec<_>, Vec<_>) = groups.into_iter().partition(|it| it.1.len() == 1);
    let mut short: BTreeMap<&str, String> = BTreeMap::new();
    for (shown, names) in alone {
        taken.insert(shown.clone());
        short.insert(names[0], shown);
    }
    for (shown, names) in alike {
        let mut cuts = (1..columns.saturating_sub(1)).map(|end| {
            let cut = names
                .iter()
                .map(|name| cut_in_the_middle(name, columns, end));
            cut.collect::<Vec<_>>()
        });
        let is_free = |cut: &Vec<String>| {
            let all: BTreeSet<&String> = cut.iter().collect();
            all.len() == cut.len() && !all.iter().any(|it| taken.contains(*it))
        };
        let cut = cuts.find(is_free).unwrap_or_else(|| {
            let numbered = (1..).map(|number| {
                let number = format!("~{number}");
                shortened(&shown, columns.saturating_sub(number.len())) + &number
            });
            let free = numbered.filter(|it| !taken.contains(it));
            free.take(names.len()).collect()
        });
        taken.extend(cut.iter().cloned());
        short.extend(names.into_iter().zip(cut));
    }
    names.iter().map(|name| short[name].clone()).collect()
}

/// Printable text with `…` in it, and this many columns after it.
fn cut_in_the_middle(text: &str, columns: usize, end: usize) -> String {
    let shown = printable(text);
    let tail: String = beginning(shown.chars().rev(), end);
    let head = beginning(shown.chars(), columns.saturating_sub(end + 1));
    let tail: String = tail.chars().rev().collect();
    format!("{head}…{tail}")
}

/// As many of these characters as fit into this width.
fn beginning(characters: impl Iterator<Item = char>, mut columns: usize) -> String {
    let fitting = characters.take_while(|&character| {
        let width = most_columns(character);
        let fits = width <= columns;
        columns -= width.min(columns);
        fits
    });
    fitting.collect()
}

fn width(text: &str) -> usize {
    text.chars().map(most_columns).sum()
}

/// The greatest width of a character: none before U+1100 takes more than one column (Unicode's
/// `EastAsianWidth.txt`), and none takes more than two.
const fn most_columns(character: char) -> usize {
    if (character as u32) < 0x1100 { 1 } else { 2 }
}

/// At most six names in a sentence.
pub fn listed<'a>(names: impl ExactSizeIterator<Item = &'a str>) -> String {
    const MOST: usize = 6;
    const COLUMNS: usize = 32;
    let hidden = names.len().saturating_sub(MOST);
    let names: Vec<String> = names
        .take(MOST)
        .map(|name| shortened(name, COLUMNS))
        .collect();
    match (hidden, names.split_last()) {
        (0, Some((last, []))) => last.clone(),
        (0, Some((last, others))) => format!("{} and {last}", others.join(", ")),
        (0, None) => String::new(),
        _ => format!("{} and {hidden} more", names.join(", ")),
    }
}

/// Elo to a tenth: `312.4`, `-20.0`, and never `-0.0`.
pub fn tenths(elo: f64) -> String {
    format!("{:.1}", rounded_tenths(elo) as f64 / 10.0)
}

/// Standard errors to a hundredth: `-3.41`, and never `-0.00`.
pub fn hundredths(z: f64) -> String {
    format!("{:.2}", (100.0 * z).round() / 100.0 + 0.0)
}

/// Elo in whole tenths, the precision at which entrants are compared.
#[expect(
    clippy::cast_possible_truncation,
    reason = "ratings are finite and far below 2^52 tenths"
)]
pub fn rounded_tenths(elo: f64) -> i64 {
    assert!(elo.is_finite(), "ratings and their errors are finite");
    (elo * 10.0).round() as i64
}

/// Elo as a whole number with its sign: `+312`, `-20`, `+0`, with `>` or `<` before a bound.
pub fn signed_elo(elo: f64, bound: Option<BoundDirection>) -> String {
    // Adding 0 turns a rounded −0 into 0.
    format!("{}{:+.0}", bound_sign(bound), elo.round() + 0.0)
}

/// Empty, `>` or `<`.
pub const fn bound_sign(bound: Option<BoundDirection>) -> &'static str {
    match bound {
        None => "",
        Some(BoundDirection::AtLeast) => ">",
        Some(BoundDirection::AtMost) => "<",
    }
}

/// A time with a unit that keeps it short: `850 µs`, `12.3 ms`, `4.56 s`.
pub fn readable_time(time_us: u64) -> String {
    let time = time_us as f64;
    match time_us {
        0..1_000 => format!("{time_us} µs"),
        1_000..10_000 => format!("{:.2} ms", time / 1e3),
        10_000..100_000 => format!("{:.1} ms", time / 1e3),
        100_000..1_000_000 => format!("{:.0} ms", time / 1e3),
        1_000_000..10_000_000 => format!("{:.2} s", time / 1e6),
        _ => format!("{:.1} s", time / 1e6),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn long_names_are_cut_to_their_columns() {
        for (text, columns, shown) in [
            ("minimax", 7, "minimax"),
            ("minimax", 6, "minim…"),
            ("été", 3, "été"),
            ("明明明", 6, "明明明"),
            ("明明明", 5, "明明…"),
            ("明明明", 4, "明…"),
            ("\n\n", 6, "\\u{a}…"),
            ("ab", 1, "…"),
        ] {
            assert_eq!(shortened(text, columns), shown, "{text:?} in {columns}");
        }
    }

    #[test]
    fn names_that_differ_look_different() {
        for (names, columns, shown) in [
            (["ada", "bob"], 4, ["ada", "bob"]),
            (["minimax", "minimal"], 6, ["mini…x", "mini…l"]),
            (["group-1-red", "group-2-red"], 7, ["g…1-red", "g…2-red"]),
            (["aaaaaaXaaaaaa", "aaaaaaYaaaaaa"], 6, ["aaa…~1", "aaa…~2"]),
            (["明明明", "明明月"], 5, ["明…明", "明…月"]),
            (["same-name", "same-name"], 5, ["same…", "same…"]),
        ] {
            assert_eq!(shortened_apart(&names, columns), shown, "{names:?}");
        }
    }

    proptest! {
        #[test]
        fn shortened_names_are_apart_and_fit(
            names in proptest::collection::vec("[ab]{0,3}(aaaa|abab|明){0,3}[ab…~1]{0,3}", 1..12),
            columns in 4_usize..12,
        ) {
            let names: Vec<&str> = names.iter().map(String::as_str).collect();
            let shown = shortened_apart(&names, columns);
            for (name, short) in names.iter().zip(&shown) {
                prop_assert!(width(&short.replace('…', ".")) <= columns, "{name}: {short}");
                for (other, other_short) in names.iter().zip(&shown) {
                    prop_assert_eq!(name == other, short == other_short);
                }
            }
        }
    }

    #[test]
    fn names_in_a_sentence() {
        let names = ["a", "b", "c", "d", "e", "f", "g", "h"];
        let cases = [
            (0, ""),
            (1, "a"),
            (2, "a and b"),
            (3, "a, b and c"),
            (6, "a, b, c, d, e and f"),
            (8, "a, b, c, d, e, f and 2 more"),
        ];
        for (count, text) in cases {
            assert_eq!(listed(names[..count].iter().copied()), text);
        }
    }

    #[test]
    fn numbers_as_people_read_them() {
        for (elo, csv, signed) in [
            (0.0, "0.0", "+0"),
            (-0.04, "0.0", "+0"),
            (-0.06, "-0.1", "+0"),
            (312.449, "312.4", "+312"),
            (-20.25, "-20.3", "-20"),
        ] {
            assert_eq!(tenths(elo), csv);
            assert_eq!(signed_elo(elo, None), signed);
        }
        assert_eq!(signed_elo(5.0, Some(BoundDirection::AtLeast)), ">+5");
        assert_eq!(signed_elo(-5.0, Some(BoundDirection::AtMost)), "<-5");
        for (time_us, text) in [
            (0, "0 µs"),
            (999, "999 µs"),
            (1_234, "1.23 ms"),
            (20_040, "20.0 ms"),
            (123_456, "123 ms"),
            (4_560_000, "4.56 s"),
            (61_000_000, "61.0 s"),
        ] {
            assert_eq!(readable_time(time_us), text);
        }
    }
}
