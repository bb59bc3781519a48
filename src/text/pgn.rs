//! The parts of games in Portable Game Notation (S. J. Edwards, *PGN specification and
//! implementation guide*, 1994), and in the notation of the program Aualé, which has the same form.
//!
//! ```text
//! [White "ada"]  ─→ Tag      a name and its value
//! 1. e4 …        ─→ Word     each move as it is written, and the result after the moves
//! {book}         ─→ Comment  if it ends in its line
//! ; % $ ( )      ─→ passed over
//! ```
//!
//! Nothing here knows the rules of a game. The crates that read PGN know chess, and the good ones
//! are under the GPL.

use super::escape::shown_bytes;

/// A text that is not in this notation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PgnError {
    /// The line, from 1.
    pub line: u64,
    /// What is wrong.
    pub reason: String,
}

impl PgnError {
    /// An error in a line.
    ///
    /// # Errors
    /// Always.
    pub fn new<T>(line: u64, reason: impl Into<String>) -> Result<T, Self> {
        let reason = reason.into();
        Err(Self { line, reason })
    }
}

/// A part of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PgnPart<'t> {
    /// A tag: its name, and its value if it is closed.
    Tag(&'t [u8], Option<Vec<u8>>),
    /// A comment that ends in its line.
    Comment(&'t [u8]),
    /// A move without its number, or a result.
    Word(&'t [u8]),
}

/// Whether a text with this beginning is PGN: its first line that is neither blank nor a comment is
/// a tag.
pub fn is_pgn(start: &[u8]) -> bool {
    let first = start
        .split(|byte| matches!(byte, b'\n' | b'\r'))
        .map(<[u8]>::trim_ascii)
        .find(|line| !line.is_empty() && !matches!(line[0], b'%' | b';'));
    first.is_some_and(|line| line.starts_with(b"[") && tag_name(&line[1..]).is_some())
}

/// Finds the parts of a text, line by line.
#[derive(Debug)]
pub struct PgnText {
    /// The tags that are read.
    tags: &'static [&'static str],
    /// The number of the current line.
    line: u64,
    /// The line where an unclosed comment in braces began.
    comment_since: Option<u64>,
    /// The lines where unclosed variations began.
    variations: Vec<u64>,
}

impl PgnText {
    /// A text whose reader knows these tags: an unclosed comment must not swallow one.
    pub const fn new(tags: &'static [&'static str]) -> Self {
        Self {
            tags,
            line: 0,
            comment_since: None,
            variations: Vec::new(),
        }
    }

    /// The number of the last line, from 1.
    pub const fn line(&self) -> u64 {
        self.line
    }

    /// Passes the parts of the next line to `take`.
    ///
    /// # Errors
    /// The line is not in this notation; those of `take`.
    pub fn read_line(
        &mut self,
        line: &[u8],
        take: &mut dyn FnMut(u64, PgnPart<'_>) -> Result<(), PgnError>,
    ) -> Result<(), PgnError> {
        self.line += 1;
        // In a comment a line may begin with a percent sign.
        if line.starts_with(b"%") && self.comment_since.is_none() {
            return Ok(());
        }
        self.check_open(line)?;
        let mut rest = line;
        loop {
            if self.comment_since.is_some() {
                let Some(end) = rest.iter().position(|byte| *byte == b'}') else {
                    return Ok(());
                };
                self.comment_since = None;
                rest = &rest[end + 1..];
            }
            rest = rest.trim_ascii_start();
            let Some((&first, after)) = rest.split_first() else {
                return Ok(());
            };
            rest = match first {
                b';' => return Ok(()),
                b'{' => {
                    self.comment_since = Some(self.line);
                    let end = after.iter().position(|byte| *byte == b'}');
                    if let Some(end) = end.filter(|_| self.variations.is_empty()) {
                        take(self.line, PgnPart::Comment(&after[..end]))?;
                    }
                    after
                }
                b'(' => {
                    self.variations.push(self.line);
                    after
                }
                b')' => {
                    if self.variations.pop().is_none() {
                        return PgnError::new(self.line, "a `)` closes no variation");
                    }
                    after
                }
                b'[' if self.variations.is_empty() => self.tag(after, take)?,
                _ => self.word(rest, take)?,
            };
        }
    }

    /// Reads a tag; `text` follows its `[` on this line, and the rest after the tag is returned.
    fn tag<'t>(
        &self,
        text: &'t [u8],
        take: &mut dyn FnMut(u64, PgnPart<'_>) -> Result<(), PgnError>,
    ) -> Result<&'t [u8], PgnError> {
        let Some((name, after)) = tag_name(text) else {
            let shown = shown_bytes(text.trim_ascii_end());
            let reason = format!("a `[` begins no tag, as in [White \"ada\"]: {shown}");
            return PgnError::new(self.line, reason);
        };
        let (value, rest) = match tag_value(after) {
            Some((value, rest)) => (Some(value), rest),
            None => (None, &[][..]),
        };
        if value.is_none() && self.knows(name) {
            let name = String::from_utf8_lossy(name);
            let shown = shown_bytes(after.trim_ascii());
            let reason = format!("the tag {name} is not closed with \"]: {shown}");
            return PgnError::new(self.line, reason);
        }
        take(self.line, PgnPart::Tag(name, value))?;
        Ok(rest)
    }

    /// Reads a move, a move number, or a result; returns what follows it.
    fn word<'t>(
        &self,
        text: &'t [u8],
        take: &mut dyn FnMut(u64, PgnPart<'_>) -> Result<(), PgnError>,
    ) -> Result<&'t [u8], PgnError> {
        let is_end = |byte: &u8| byte.is_ascii_whitespace() || b"{}();".contains(byte);
        // A lone `}` is a word.
        let end = text[1..].iter().position(is_end);
        let (word, rest) = text.split_at(end.map_or(text.len(), |end| end + 1));
        if !self.variations.is_empty() || word.starts_with(b"$") {
            return Ok(rest);
        }
        let digits = word.iter().take_while(|it| it.is_ascii_digit()).count();
        let dots = word[digits..].iter().take_while(|it| **it == b'.').count();
        let played = if dots > 0 {
            &word[digits + dots..]
        } else {
            word
        };
        if !played.is_empty() {
            take(self.line, PgnPart::Word(played))?;
        }
        Ok(rest)
    }

    fn knows(&self, name: &[u8]) -> bool {
        let mut tags = self.tags.iter();
        tags.any(|tag| name.eq_ignore_ascii_case(tag.as_bytes()))
    }

    /// The outermost comment or variation that is not closed, and the sign that is missing.
    fn open(&self) -> Option<(String, char)> {
        let (what, sign, since) = match (self.comment_since, self.variations.first()) {
            (Some(line), _) => ("comment", '}', line),
            (None, Some(&line)) => ("variation", ')', line),
            (None, None) => return None,
        };
        Some((format!("the {what} that begins in line {since}"), sign))
    }

    /// Refuses a tag inside a comment or a variation: an unclosed one would swallow whole games.
    fn check_open(&self, line: &[u8]) -> Result<(), PgnError> {
        let name = line.strip_prefix(b"[").and_then(tag_name);
        if name.is_none_or(|(name, _)| !self.knows(name)) {
            return Ok(());
        }
        self.open().map_or(Ok(()), |(what, sign)| {
            let reason = format!("a tag inside {what}: is its `{sign}` missing?");
            PgnError::new(self.line, reason)
        })
    }

    /// Checks that the text may end here.
    ///
    /// # Errors
    /// A comment or a variation is not closed.
    pub fn end(&self) -> Result<(), PgnError> {
        self.open().map_or(Ok(()), |(what, sign)| {
            let reason = format!("the file ends inside {what}: its `{sign}` is missing");
            PgnError::new(self.line, reason)
        })
    }
}

/// The value of a tag as it is written: on one line, with marks escaped.
pub fn pgn_value(value: &str) -> String {
    let shown = super::escape::printable(value);
    shown.replace('\\', "\\\\").replace('"', "\\\"")
}

/// The name of a tag, and the text after the next quotation mark.
fn tag_name(text: &[u8]) -> Option<(&[u8], &[u8])> {
    let text = text.trim_ascii_start();
    let is_of_name = |byte: &&u8| byte.is_ascii_alphanumeric() || **byte == b'_';
    let (name, rest) = text.split_at(text.iter().take_while(is_of_name).count());
    let rest = rest.trim_ascii_start().strip_prefix(b"\"")?;
    (!name.is_empty()).then_some((name, rest))
}

/// The value of a tag, from behind its first quotation mark, and the text after its `]`.
fn tag_value(text: &[u8]) -> Option<(Vec<u8>, &[u8])> {
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
