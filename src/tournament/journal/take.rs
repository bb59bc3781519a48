//! One line of a journal's bytes, in bounded memory whatever the file holds: a hole that a crash
//! or a copy left in it can be longer than all memory.

use std::io::{self, BufRead, Read as _};

/// No line that a run writes is longer, in bytes. The longest is a game of as many plies as a plan
/// may allow, 100,000, each with an `info` of 4 KiB and some 100 bytes of times: 420 MB.
pub const LONGEST_LINE: u64 = 512 << 20;

/// Bytes that are looked at before more are taken.
const PIECE: usize = 64 << 10;

/// What stands at a place of a journal.
#[derive(Debug, PartialEq, Eq)]
pub enum Taken {
    /// A line without its newline.
    Line(Vec<u8>),
    /// A line, its newline read, with a zero byte at this place, from 1. Nothing of it is kept.
    Hole(u64),
    /// What comes before the end of the file and has no newline; nothing at the very end.
    Rest,
    /// More bytes than any line has. What comes after them was not read.
    Endless,
}

/// Takes a line of at most so many bytes; also returns how many were read.
pub fn take_line(input: &mut impl BufRead, most: u64) -> io::Result<(u64, Taken)> {
    let (mut count, mut bytes, mut hole) = (0, Vec::new(), None);
    loop {
        let from = bytes.len();
        let read = input
            .by_ref()
            .take(PIECE as u64)
            .read_until(b'\n', &mut bytes)? as u64;
        if hole.is_none() {
            // In JSON there is none, neither in a text nor between two.
            let zero = bytes[from..].iter().position(|&byte| byte == 0);
            hole = zero.map(|place| count + place as u64 + 1);
        }
        count += read;
        let ends = bytes.pop_if(|last| *last == b'\n').is_some();
        if count > most {
            return Ok((count, Taken::Endless));
        }
        match hole {
            Some(place) if ends => return Ok((count, Taken::Hole(place))),
            None if ends => return Ok((count, Taken::Line(bytes))),
            _ if read == 0 => return Ok((count, Taken::Rest)),
            Some(_) => bytes.clear(),
            None => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MANY: usize = 3 * PIECE;

    #[test]
    fn lines_are_taken_up_to_the_longest() {
        let long = vec![b'x'; MANY];
        let most = MANY as u64 + 1;
        let mut text = [b"one\n\n", &long[..], b"\nto"].concat();
        let mut input = &text[..];
        let mut next = || take_line(&mut input, most).unwrap();
        assert_eq!(next(), (4, Taken::Line(b"one".to_vec())));
        assert_eq!(next(), (1, Taken::Line(Vec::new())));
        assert_eq!(next(), (most, Taken::Line(long)));
        assert_eq!(next(), (2, Taken::Rest));
        assert_eq!(next(), (0, Taken::Rest));
        text.drain(..5);
        text.insert(0, b'x');
        let (count, taken) = take_line(&mut &text[..], most).unwrap();
        assert_eq!((count, taken), (most + 1, Taken::Endless));
    }

    #[test]
    fn nothing_is_kept_of_a_hole() {
        let hole = vec![0; MANY];
        for length in [1, 2, PIECE - 1, PIECE, MANY] {
            let text = [b"abc", &hole[..length], b"\nx\n"].concat();
            let mut input = &text[..];
            let mut next = || take_line(&mut input, LONGEST_LINE).unwrap();
            assert_eq!(next(), (length as u64 + 4, Taken::Hole(4)));
            assert_eq!(next(), (2, Taken::Line(b"x".to_vec())));
            let torn = take_line(&mut &text[..length + 3], LONGEST_LINE).unwrap();
            assert_eq!(torn, (length as u64 + 3, Taken::Rest));
        }
        let mut endless = io::BufReader::new(io::repeat(0));
        let (count, taken) = take_line(&mut endless, LONGEST_LINE).unwrap();
        assert_eq!(taken, Taken::Endless);
        assert!(count <= LONGEST_LINE + PIECE as u64, "{count}");
    }
}
