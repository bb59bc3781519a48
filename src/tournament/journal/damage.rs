//! Finds the damaged lines of a journal, with their place in the file, and describes the damage in
//! a way that helps to repair it.

use super::error::JournalError;
use super::line::{Entry, SUM_DIGITS, SUM_HEAD, checked_fields};
use super::part::{Part, Taken};
use super::read::JournalReader;
use crate::record::GameRecord;
use std::io::BufRead;
use std::ops::Range;

/// The text after the checksum in every line.
const KIND: &[u8] = b"\",\"kind\"";
/// What some editors write at the beginning of a file of UTF-8.
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// The reason for a line without its newline.
pub fn reason(line: &[u8]) -> String {
    if let Some(sound) = sound_part(line) {
        let added = match line {
            _ if sound.is_empty() => return "it is empty".to_owned(),
            [.., b'\r'] => "a carriage return after it",
            _ if line.starts_with(BYTE_ORDER_MARK) => "a byte order mark before it",
            _ => "spaces around it",
        };
        return format!("an editor or a copy has written {added}; the rest is sound");
    }
    // A JSON error would not help here: it is a matter of bytes.
    if holds_another(line) {
        return "two lines have run together: the newline between them is gone".to_owned();
    }
    if !line.starts_with(SUM_HEAD.as_bytes()) {
        return "it does not begin as a line does, with its checksum".to_owned();
    }
    match std::str::from_utf8(line) {
        Err(error) => format!("byte {} of it is not UTF-8", error.valid_up_to() + 1),
        Ok(_) => "its checksum does not fit what it says".to_owned(),
    }
}

/// The place of the sound line in one to which an editor or a copy in text mode has added carriage
/// returns, a byte order mark or spaces. It is empty if there is nothing else.
pub fn sound_part(line: &[u8]) -> Option<Range<usize>> {
    let rest = line.strip_prefix(BYTE_ORDER_MARK).unwrap_or(line);
    let start = line.len() - rest.trim_ascii_start().len();
    let sound = rest.trim_ascii();
    let text = std::str::from_utf8(sound).ok()?;
    let is_sound = text.is_empty() || checked_fields(text).is_some();
    is_sound.then(|| start..start + sound.len())
}

/// Whether another line begins within this one. The bot's text can look like the first half of one.
fn holds_another(line: &[u8]) -> bool {
    let head = SUM_HEAD.as_bytes();
    let begins = |place: usize| {
        let rest = &line[place..];
        let rest = rest.strip_prefix(head).and_then(|it| it.get(SUM_DIGITS..));
        rest.is_some_and(|it| it.starts_with(KIND))
    };
    (1..line.len()).any(begins)
}

/// A whole line of a journal that a repair removes or shortens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoundLine {
    /// Its number, from 1.
    pub line: usize,
    /// Its bytes in the file, with the newline.
    pub bytes: Range<u64>,
    /// Those of the part that stays, without the newline. Empty if nothing stays.
    pub kept: Range<u64>,
    /// Why.
    pub reason: String,
}

/// The lines that a repair of a journal changes or sets aside.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FoundLines {
    /// Lines that say what they said once something is left out that was added to them, and empty
    /// ones.
    pub mended: Vec<FoundLine>,
    /// Lines with other damage.
    pub damaged: Vec<FoundLine>,
    /// Withdrawals, which follow from all games before them: a run decides them anew.
    pub withdrawals: Vec<FoundLine>,
    /// Bytes of all whole lines; what follows is torn.
    pub whole_bytes: u64,
}

impl<R: BufRead> JournalReader<R> {
    /// Reads the journal to its end and finds what a repair sets aside; the reader must be one that
    /// surveys.
    ///
    /// # Errors
    /// The file cannot be read, the format is newer, or a line has no end.
    pub fn find_damage(&mut self) -> Result<FoundLines, JournalError> {
        let mut found = FoundLines::default();
        let keep = |record: Box<GameRecord>| record;
        loop {
            let start = self.state.text.whole_bytes;
            let Some(part) = self.next_part(&keep) else {
                found.whole_bytes = start;
                return Ok(found);
            };
            let is_line = matches!(part.content, Ok(Taken::Line(_)));
            let accepted = self.state.accept(part);
            let bytes = start..self.state.text.whole_bytes;
            let line = self.state.line;
            let entry = match accepted {
                Ok(entry) => entry,
                Err(JournalError::Damaged { reason, .. }) if !bytes.is_empty() => {
                    let mended = is_line.then(|| self.mend(start)).flatten();
                    let list = match &mended {
                        Some(_) => &mut found.mended,
                        None => &mut found.damaged,
                    };
                    let (kept, entry) = mended.unwrap_or_default();
                    list.push(FoundLine {
                        line,
                        bytes: bytes.clone(),
                        kept,
                        reason,
                    });
                    entry
                }
                Err(error) => return Err(error),
            };
            if let Some(Entry::Withdrawal(it)) = entry {
                let reason = format!("the withdrawal of {:?} is decided anew", it.entrant);
                found.withdrawals.push(FoundLine {
                    line,
                    bytes,
                    kept: 0..0,
                    reason,
                });
            }
        }
    }

    /// Accepts the sound part of the damaged line that was read last and begins at this byte.
    /// Returns the place of the part, and its entry. `None` if nothing was added to the line.
    fn mend(&mut self, start: u64) -> Option<(Range<u64>, Option<Entry>)> {
        let sound = sound_part(&self.text)?;
        if !sound.is_empty() && sound.len() == self.text.len() {
            return None;
        }
        let kept = start + sound.start as u64..start + sound.end as u64;
        if sound.is_empty() {
            self.state.empty_lines += 1;
            return Some((kept, None));
        }
        let taken = Ok((0, Taken::Line(sound)));
        let part = Part::new(taken, &self.text, |record: Box<GameRecord>| record);
        Some((kept, self.state.accept(part).ok()?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_an_editor_changed_is_named() {
        // The sum is the first 16 digits of the SHA-256 of `"kind":"x"}`, from sha256sum.
        let sound = b"{\"sum\":\"7fa8d5f8620058e3\",\"kind\":\"x\"}";
        let with = |head: &[u8], tail: &[u8]| [head, sound, tail].concat();
        for (line, words) in [
            (with(b"", b"\r"), "carriage return"),
            (with(b"x", b""), "run together"),
            (
                with(b"", b"\r\r"),
                "a carriage return after it; the rest is sound",
            ),
            (with(b"\xef\xbb\xbf", b""), "a byte order mark before it"),
            (with(b"\xef\xbb\xbf", b"\r"), "carriage return"),
            (with(b"  ", b"\t"), "spaces around it"),
            (b" \r".to_vec(), "it is empty"),
        ] {
            let reason = reason(&line);
            assert!(reason.contains(words), "{reason}");
        }
    }

    #[test]
    fn each_kind_of_damage_has_its_words() {
        for (line, words) in [
            (&b""[..], "empty"),
            (b"\xff{\"sum\":\"", "begin"),
            (b"{\"sun\":\"00\",", "begin"),
            (b"{\"sum\":\"00\",\"\xc3\"}", "byte 14 of it is not UTF-8"),
            (
                b"{\"sum\":\"00\",}X{\"sum\":\"0123456789abcdef\",\"kind\":\"game\"}",
                "run together",
            ),
            (b"{\"sum\":\"00\",\"info\":{\"sum\":\"1\"}}", "checksum"),
            (b"{\"sum\":\"00\",}", "checksum"),
        ] {
            let reason = reason(line);
            assert!(reason.contains(words), "{reason}");
        }
    }
}
