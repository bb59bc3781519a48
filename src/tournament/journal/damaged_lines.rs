//! Finds the damaged lines of a journal, with their place in the file.

use super::damage;
use super::part::{Part, PartContent};
use super::read::JournalReader;
use super::take::Taken;
use crate::record::GameRecord;
use crate::tournament::journal::entry::Entry;
use crate::tournament::journal::journal_error::JournalError;
use std::io::BufRead;
use std::ops::Range;

/// A whole line of a journal that a repair takes out, or of which a part stays.
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
            let start = self.text().whole_bytes;
            let Some(part) = self.next_part(&keep) else {
                found.whole_bytes = start;
                return Ok(found);
            };
            let is_line = matches!(part.content, PartContent::Line(_));
            let accepted = self.state.accept(part);
            let bytes = start..self.text().whole_bytes;
            let line = self.line();
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
        let sound = damage::sound_part(&self.text)?;
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
