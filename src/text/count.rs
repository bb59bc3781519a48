//! Numbers of things in sentences.

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
}
