//! Tags of PGN, for example `[White "ada"]`.

/// The tags that are read.
pub const TAGS: [&str; 5] = ["White", "Black", "Result", "FEN", "Round"];
pub const WHITE: usize = 0;
pub const BLACK: usize = 1;
pub const RESULT: usize = 2;
pub const FEN: usize = 3;
pub const ROUND: usize = 4;

/// Whether a text with this beginning is PGN: its first line that is neither blank nor a comment is
/// a tag.
pub fn is_pgn(start: &[u8]) -> bool {
    let first = start
        .split(|byte| matches!(byte, b'\n' | b'\r'))
        .map(<[u8]>::trim_ascii)
        .find(|line| !line.is_empty() && !matches!(line[0], b'%' | b';'));
    first.is_some_and(|line| line.starts_with(b"[") && tag_name(&line[1..]).is_some())
}

/// The index of a name among the [`TAGS`].
pub fn place_of(name: &[u8]) -> Option<usize> {
    TAGS.iter()
        .position(|tag| name.eq_ignore_ascii_case(tag.as_bytes()))
}

/// The name of a tag, and the text after the next quotation mark.
pub fn tag_name(text: &[u8]) -> Option<(&[u8], &[u8])> {
    let text = text.trim_ascii_start();
    let is_of_name = |byte: &&u8| byte.is_ascii_alphanumeric() || **byte == b'_';
    let (name, rest) = text.split_at(text.iter().take_while(is_of_name).count());
    let rest = rest.trim_ascii_start().strip_prefix(b"\"")?;
    (!name.is_empty()).then_some((name, rest))
}

/// The value of a tag, from behind its first quotation mark, and the text after its `]`.
pub fn tag_value(text: &[u8]) -> Option<(Vec<u8>, &[u8])> {
    let mut value = Vec::new();
    let mut bytes = text.iter().copied().enumerate();
    while let Some((place, byte)) = bytes.next() {
        match (byte, text.get(place + 1)) {
            (b'\\', Some(&escaped @ (b'"' | b'\\'))) => {
                bytes.next();
                value.push(escaped);
            }
            (b'"', _) => {
                let after = text[place + 1..].trim_ascii_start();
                if let Some(rest) = after.strip_prefix(b"]") {
                    return Some((value, rest));
                }
                // Some programs do not escape quotation marks in names.
                value.push(byte);
            }
            _ => value.push(byte),
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pgn_is_known_by_its_first_tag() {
        for text in [
            "[Event \"?\"]\n",
            "\n\r\n  [ White   \"ada\" ]",
            "% made by hand\n; a comment\n[Site \"[x\"]",
        ] {
            assert!(is_pgn(text.as_bytes()), "{text}");
        }
        for text in [
            "",
            "%\n",
            "south,north,result\n[Event \"x\"]",
            "[south],[north]",
            "[]",
            "[a",
        ] {
            assert!(!is_pgn(text.as_bytes()), "{text}");
        }
    }

    #[test]
    fn values_end_at_their_last_mark() {
        for (text, value, rest) in [
            (r#"a"]"#, "a", ""),
            (r#"a" ] x"#, "a", " x"),
            (r#""]"#, "", ""),
            (r#"a"b"]"#, "a\"b", ""),
            (r#"a\"]"]"#, "a\"]", ""),
            (r#"a\\"]"#, "a\\", ""),
            (r#"a\b\\"]"#, "a\\b\\", ""),
        ] {
            let found = tag_value(text.as_bytes());
            let expected = Some((value.as_bytes().to_vec(), rest.as_bytes()));
            assert_eq!(found, expected, "{text}");
        }
        for text in ["", "a", "a\"", "a]", r#"a\"]"#, "\\"] {
            assert_eq!(tag_value(text.as_bytes()), None, "{text}");
        }
    }
}
