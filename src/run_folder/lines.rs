//! Where the games are in a journal, so that they can be read again in the order of the schedule
//! without storing them: 48 bytes a game.
//!
//! ```text
//! games.jsonl   plan  2.1  1.1  2.2  1.2
//! read again    plan  1.1  1.2  2.1  2.2    each line from its place
//! ```

use crate::record::{GameId, GameRecord};
use std::fs::File;
use std::io::{self, Read};
use std::iter;
use std::ops::Range;
use std::os::unix::fs::FileExt as _;

/// The lines of a journal that count, as byte ranges.
#[derive(Clone, Debug, Default)]
pub struct GameLines {
    /// The first line.
    plan: Range<u64>,
    games: Vec<(GameId, Range<u64>)>,
}

impl GameLines {
    /// No games yet, in a journal whose first line has this many bytes.
    pub const fn new(plan_bytes: u64) -> Self {
        Self {
            plan: 0..plan_bytes,
            games: Vec::new(),
        }
    }

    /// Notes the place of a record that holds the result of its game.
    pub fn note(&mut self, record: &GameRecord, bytes: Range<u64>) {
        self.games.push((record.id.clone(), bytes));
    }

    /// A journal of the same plan with each game once, in the order of the schedule.
    pub fn in_schedule_order(mut self, journal: &File) -> impl Read + '_ {
        self.games
            .sort_unstable_by(|(one, first), (other, second)| {
                one.cmp(other).then(first.start.cmp(&second.start))
            });
        self.games.dedup_by(|(one, _), (other, _)| one == other);
        let games = self.games.into_iter().map(|(_, bytes)| bytes);
        FileRanges::new(journal, iter::once(self.plan).chain(games))
    }
}

/// A whole file, read with an offset of its own: appending to it is not affected.
pub fn whole(file: &File) -> io::Result<impl Read + '_> {
    let bytes = 0..file.metadata()?.len();
    Ok(FileRanges::new(file, iter::once(bytes)))
}

/// Reads byte ranges of a file, one after the other.
struct FileRanges<'a, I> {
    file: &'a File,
    /// The rest of the current range.
    now: Range<u64>,
    rest: I,
}

impl<'a, I: Iterator<Item = Range<u64>>> FileRanges<'a, I> {
    const fn new(file: &'a File, ranges: I) -> Self {
        Self {
            file,
            now: 0..0,
            rest: ranges,
        }
    }
}

impl<I: Iterator<Item = Range<u64>>> Read for FileRanges<'_, I> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while self.now.is_empty() {
            match self.rest.next() {
                Some(range) => self.now = range,
                None => return Ok(0),
            }
        }
        let left = usize::try_from(self.now.end - self.now.start).unwrap_or(usize::MAX);
        let most = left.min(buffer.len());
        let count = self.file.read_at(&mut buffer[..most], self.now.start)?;
        if count == 0 && most > 0 {
            // A game must not be missing from a table because the file was truncated.
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        self.now.start += count as u64;
        Ok(count)
    }
}
