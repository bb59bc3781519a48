//! Finds the damaged lines of a journal, with their place in the file.

use super::read::JournalReader;
use crate::record::GameRecord;
use crate::tournament::journal::entry::Entry;
use crate::tournament::journal::journal_error::JournalError;
use std::io::BufRead;
use std::ops::Range;

/// A whole line of a journal that a repair sets aside.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoundLine {
    /// Its number, from 1.
    pub line: usize,
    /// Its bytes in the file, with the newline.
    pub bytes: Range<u64>,
    /// Why.
    pub reason: String,
}

/// The lines that a repair of a journal sets aside.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FoundLines {
    /// Damaged lines.
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
            let accepted = self.state.accept(part);
            let (line, bytes) = (self.line(), start..self.text().whole_bytes);
            match accepted {
                Ok(Some(Entry::Withdrawal(it))) => found.withdrawals.push(FoundLine {
                    line,
                    bytes,
                    reason: format!("the withdrawal of {:?} is decided anew", it.entrant),
                }),
                Ok(_) => {}
                Err(JournalError::Damaged { reason, .. }) if !bytes.is_empty() => {
                    found.damaged.push(FoundLine {
                        line,
                        bytes,
                        reason,
                    });
                }
                Err(error) => return Err(error),
            }
        }
    }
}
