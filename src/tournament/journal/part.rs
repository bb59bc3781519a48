//! A journal in parts: its lines, parsed, and what stands in the place of a line. A part does not
//! depend on the parts before it, so they can be parsed on several threads.
//!
//! A line is taken from the file in bounded memory: after a crash or a copy, a hole in the file can
//! be larger than all memory.

use super::line::{ParsedLine, SUM_DIGITS, SUM_HEAD, read_line};
use crate::record::GameRecord;
use std::io::{self, BufRead, Read as _};
use std::ops::Range;

/// The longest line that a run writes, in bytes. It is a game with the most plies that a plan may
/// allow, 100,000, each with an `info` of 4 KiB and about 100 bytes of times: 420 MB.
pub const LONGEST_LINE: u64 = 512 << 20;

/// Bytes that are checked before more are read.
const PIECE: usize = 64 << 10;

/// The next part of a journal; a line is its place among the bytes, or what it says.
#[derive(Debug, PartialEq, Eq)]
pub enum Taken<L = Range<usize>> {
    /// A line without its newline.
    Line(L),
    /// A line that has a zero byte at this position, from 1. Its bytes are dropped.
    Hole(u64),
    /// The rest of the file without a newline; empty at the very end.
    Rest,
    /// More bytes than any line has. The bytes after them are not read.
    Endless,
}

/// Takes a line of at most this many bytes and appends it to `bytes`; also returns how many bytes
/// were read.
pub fn take_line(
    input: &mut impl BufRead,
    most: u64,
    bytes: &mut Vec<u8>,
) -> io::Result<(u64, Taken)> {
    let start = bytes.len();
    let (mut count, mut hole) = (0, None);
    loop {
        let from = bytes.len();
        let read = input.by_ref().take(PIECE as u64).read_until(b'\n', bytes)? as u64;
        // JSON never contains a zero byte, neither in a string nor between tokens.
        if hole.is_none() && bytes[from..].contains(&0) {
            let zero = bytes[from..].iter().position(|&byte| byte == 0);
            hole = zero.map(|place| count + place as u64 + 1);
        }
        count += read;
        let ends = read > 0 && bytes.pop_if(|last| *last == b'\n').is_some();
        if count > most {
            return Ok((count, Taken::Endless));
        }
        match hole {
            Some(place) if ends => return Ok((count, Taken::Hole(place))),
            None if ends => return Ok((count, Taken::Line(start..bytes.len()))),
            _ if read == 0 => return Ok((count, Taken::Rest)),
            Some(_) => bytes.truncate(start),
            None => {}
        }
    }
}

/// A part of a journal and the bytes that were read of it.
#[derive(Debug)]
pub struct Part<G> {
    pub bytes: u64,
    /// The keys of a newer version in the line.
    pub newer: Vec<String>,
    /// The checksum of a line, if it is long enough for one.
    pub sum: Option<[u8; SUM_DIGITS]>,
    /// A damaged line is the reason why; an error is that of the file.
    pub content: io::Result<Taken<Result<ParsedLine<G>, String>>>,
}

impl<G> Part<G> {
    /// Parses what was taken from the file. A line is a range of `text`; `keep` returns what is kept
    /// of a game.
    pub fn new(
        taken: io::Result<(u64, Taken)>,
        text: &[u8],
        keep: impl FnOnce(Box<GameRecord>) -> G,
    ) -> Self {
        let (mut newer, mut sum) = (Vec::new(), None);
        let (bytes, content) = match taken {
            Err(error) => (0, Err(error)),
            Ok((bytes, taken)) => {
                let content = match taken {
                    Taken::Line(line) => {
                        let line = &text[line];
                        let rest = line.get(SUM_HEAD.len()..);
                        sum = rest.and_then(|rest| rest.first_chunk()).copied();
                        Taken::Line(read_line(line, keep, &mut newer))
                    }
                    Taken::Hole(place) => Taken::Hole(place),
                    Taken::Rest => Taken::Rest,
                    Taken::Endless => Taken::Endless,
                };
                (bytes, Ok(content))
            }
        };
        Self {
            bytes,
            newer,
            sum,
            content,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MANY: usize = 3 * PIECE;

    /// A line as bytes, after others in the same buffer.
    #[derive(Debug, PartialEq, Eq)]
    enum TakenLine {
        Line(Vec<u8>),
        Other(Taken),
    }

    fn take_line(input: &mut impl BufRead, most: u64) -> io::Result<(u64, TakenLine)> {
        let mut bytes = b"before\n".to_vec();
        let (count, taken) = super::take_line(input, most, &mut bytes)?;
        assert!(bytes.starts_with(b"before\n"));
        let found = match taken {
            Taken::Line(range) => TakenLine::Line(bytes[range].to_vec()),
            other => TakenLine::Other(other),
        };
        Ok((count, found))
    }

    #[test]
    fn lines_are_taken_up_to_the_longest() {
        let long = vec![b'x'; MANY];
        let most = MANY as u64 + 1;
        let mut text = [b"one\n\n", &long[..], b"\nto"].concat();
        let mut input = &text[..];
        let mut next = || take_line(&mut input, most).unwrap();
        assert_eq!(next(), (4, TakenLine::Line(b"one".to_vec())));
        assert_eq!(next(), (1, TakenLine::Line(Vec::new())));
        assert_eq!(next(), (most, TakenLine::Line(long)));
        assert_eq!(next(), (2, TakenLine::Other(Taken::Rest)));
        assert_eq!(next(), (0, TakenLine::Other(Taken::Rest)));
        text.drain(..5);
        text.insert(0, b'x');
        let (count, taken) = take_line(&mut &text[..], most).unwrap();
        assert_eq!((count, taken), (most + 1, TakenLine::Other(Taken::Endless)));
    }

    #[test]
    fn nothing_is_kept_of_a_hole() {
        let hole = vec![0; MANY];
        for length in [1, 2, PIECE - 1, PIECE, MANY] {
            let text = [b"abc", &hole[..length], b"\nx\n"].concat();
            let mut input = &text[..];
            let mut next = || take_line(&mut input, LONGEST_LINE).unwrap();
            assert_eq!(
                next(),
                (length as u64 + 4, TakenLine::Other(Taken::Hole(4)))
            );
            assert_eq!(next(), (2, TakenLine::Line(b"x".to_vec())));
            let torn = take_line(&mut &text[..length + 3], LONGEST_LINE).unwrap();
            assert_eq!(torn, (length as u64 + 3, TakenLine::Other(Taken::Rest)));
        }
        let mut endless = io::BufReader::new(io::repeat(0));
        let (count, taken) = take_line(&mut endless, LONGEST_LINE).unwrap();
        assert_eq!(taken, TakenLine::Other(Taken::Endless));
        assert!(count <= LONGEST_LINE + PIECE as u64, "{count}");
    }
}
