//! Makes hostile text harmless for display.

use std::fmt::Write as _;

/// The text with an escape (`\u{1b}`) for every character that controls a terminal, is invisible,
/// or changes how its neighbours are shown.
pub fn printable(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for character in text.chars() {
        if character.is_control() || is_invisible(character) {
            shown.extend(character.escape_unicode());
        } else {
            shown.push(character);
        }
    }
    shown
}

/// JSON text with an escape of JSON for every such character: in valid JSON they stand in texts
/// alone.
pub fn printable_json(json: &str) -> String {
    let mut shown = String::with_capacity(json.len());
    for character in json.chars() {
        if character.is_control() || is_invisible(character) {
            for unit in character.encode_utf16(&mut [0; 2]) {
                // Writing to a string cannot fail.
                let _ = write!(shown, "\\u{unit:04x}");
            }
        } else {
            shown.push(character);
        }
    }
    shown
}

/// The [`printable`] form of a text of several lines: line feeds and tabs stay.
pub fn printable_lines(text: &str) -> String {
    let pieces = text.split_inclusive(['\n', '\t']);
    let shown = pieces.map(|piece| match piece.strip_suffix(['\n', '\t']) {
        Some(before) => printable(before) + &piece[before.len()..],
        None => printable(piece),
    });
    shown.collect()
}

/// The text in double quotes, safe to print.
pub fn quoted(text: &str) -> String {
    format!("\"{}\"", printable(text))
}

/// Hostile text in an error: in quotation marks, escaped and shortened; bytes that are not text are
/// shown as `\xfc`.
pub fn shown_bytes(bytes: &[u8]) -> String {
    const MOST: usize = 40;
    let Ok(text) = std::str::from_utf8(bytes) else {
        let kept = &bytes[..bytes.len().min(MOST)];
        let more = if bytes.len() > MOST { "…" } else { "" };
        return format!("\"{}\"{more}", kept.escape_ascii());
    };
    let kept: String = text.chars().take(MOST).collect();
    let more = if kept.len() < text.len() { "…" } else { "" };
    format!("{kept:?}{more}")
}

/// Whether a character is invisible, or changes how others are shown or compared.
pub const fn is_invisible(character: char) -> bool {
    matches!(
        character,
        '\u{ad}'                       // soft hyphen
        | '\u{34f}'                    // combining grapheme joiner
        | '\u{61c}'                    // Arabic letter mark
        | '\u{115f}'..='\u{1160}'      // Hangul fillers
        | '\u{17b4}'..='\u{17b5}'      // Khmer inherent vowels
        | '\u{180b}'..='\u{180e}'      // Mongolian selectors
        | '\u{200b}'..='\u{200f}'      // zero width, left-to-right and right-to-left marks
        | '\u{2028}'..='\u{202e}'      // line and paragraph separators, embeddings, overrides
        | '\u{2060}'..='\u{206f}'      // invisible operators, isolates
        | '\u{2800}'                   // Braille blank
        | '\u{3164}' | '\u{ffa0}'      // Hangul fillers
        | '\u{fe00}'..='\u{fe0f}'      // variation selectors
        | '\u{feff}'                   // byte-order mark
        | '\u{fff0}'..='\u{fffb}'      // interlinear annotation
        | '\u{1bca0}'..='\u{1bca3}'    // shorthand format controls
        | '\u{1d173}'..='\u{1d17a}'    // musical format controls
        | '\u{e0000}'..='\u{e0fff}'    // tags, supplementary variation selectors
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_that_acts_on_a_terminal_is_left() {
        for (text, shown) in [
            ("minimax", "minimax"),
            ("Aïcha 明 'x' \\", "Aïcha 明 'x' \\"),
            ("\u{1b}[2J", "\\u{1b}[2J"),
            ("a\nb\r\tc", "a\\u{a}b\\u{d}\\u{9}c"),
            ("\u{7f}\u{9b}", "\\u{7f}\\u{9b}"),
            (
                "a\u{202e}b\u{2066}c\u{200f}",
                "a\\u{202e}b\\u{2066}c\\u{200f}",
            ),
            ("a\u{200b}b\u{feff}", "a\\u{200b}b\\u{feff}"),
            // A letter that is invisible, and a variation selector.
            ("a\u{3164}b\u{fe0f}", "a\\u{3164}b\\u{fe0f}"),
            (
                "a\u{17b4}b\u{1d173}\u{2800}",
                "a\\u{17b4}b\\u{1d173}\\u{2800}",
            ),
        ] {
            assert_eq!(printable(text), shown, "{text:?}");
        }
    }
}
