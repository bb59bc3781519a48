//! Normalises line ends: every line, including the last, ends with a line feed, so that a reader
//! can count lines. Data without lines is not text, and is refused before it fills the memory.

use std::io::{self, Read};

/// The longest line of a table of games, in bytes.
const LONGEST: usize = 1 << 20;

/// Another reader's contents, with CR LF and a final CR as LF, and an LF at the end.
pub struct Lines<R> {
    inner: R,
    /// A CR that may belong to an LF that was not read yet.
    held_back: bool,
    /// A byte that did not fit into a buffer of one byte: the next read returns it.
    pending: Option<u8>,
    last: u8,
    ended: bool,
    /// The number of the current line, and its bytes so far.
    number: u64,
    length: usize,
}

impl<R: Read> Lines<R> {
    pub fn new(inner: R) -> Self {
        Self {
            inner,
            held_back: false,
            pending: None,
            last: b'\n',
            ended: false,
            number: 1,
            length: 0,
        }
    }

    /// Counts the bytes that are returned.
    fn count(&mut self, bytes: &[u8]) -> io::Result<()> {
        let mut pieces = bytes.split(|byte| *byte == b'\n').map(<[u8]>::len);
        self.length += pieces.next().unwrap_or(0);
        for piece in pieces {
            self.check()?;
            self.number += 1;
            self.length = piece;
        }
        self.check()
    }

    fn check(&self) -> io::Result<()> {
        if self.length <= LONGEST {
            return Ok(());
        }
        let line = self.number;
        let said = format!("line {line} has more than 1 MiB: this is not a table of games");
        Err(io::Error::new(io::ErrorKind::InvalidData, said))
    }

    /// Returns what follows the last byte of the inner reader.
    fn end(&mut self, buffer: &mut [u8]) -> usize {
        self.ended = true;
        // A CR at the very end is the end of its line.
        if self.held_back || self.last != b'\n' {
            self.held_back = false;
            buffer[0] = b'\n';
            return 1;
        }
        0
    }
}

impl<R: Read> Read for Lines<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if buffer.len() < 2 {
            return self.read_one(buffer);
        }
        if let Some(byte) = self.pending.take() {
            buffer[0] = byte;
            return Ok(1);
        }
        if self.ended {
            return Ok(0);
        }
        loop {
            // Leaves room for the byte that was held back.
            let read = self.inner.read(&mut buffer[1..])?;
            if read == 0 {
                return Ok(self.end(buffer));
            }
            let mut kept = 0;
            for place in 1..=read {
                let byte = buffer[place];
                if self.held_back && byte != b'\n' {
                    buffer[kept] = b'\r';
                    kept += 1;
                }
                self.held_back = byte == b'\r';
                if !self.held_back {
                    buffer[kept] = byte;
                    kept += 1;
                }
            }
            if kept > 0 {
                self.last = buffer[kept - 1];
                self.count(&buffer[..kept])?;
                return Ok(kept);
            }
        }
    }
}

impl<R: Read> Lines<R> {
    /// Reads into a buffer of at most one byte. A CR and the byte after it can become available at
    /// the same time; the second one then waits for the next read.
    fn read_one(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let Some(place) = buffer.first_mut() else {
            return Ok(0);
        };
        let mut two = [0; 2];
        let read = self.read(&mut two)?;
        *place = two[0];
        self.pending = (read == 2).then_some(two[1]);
        Ok(read.min(1))
    }
}

/// Returns at most this many bytes at a time.
#[cfg(test)]
pub(super) struct Drops<'a>(pub(super) &'a [u8], pub(super) usize);

#[cfg(test)]
impl Read for Drops<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.1.min(self.0.len()).min(buffer.len());
        buffer[..count].copy_from_slice(&self.0[..count]);
        self.0 = &self.0[count..];
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_ends_alike() {
        for (text, expected) in [
            ("", ""),
            ("a", "a\n"),
            ("a\n", "a\n"),
            ("a\r\n\r\nb\r\n", "a\n\nb\n"),
            ("a\r\rb\r", "a\r\rb\n"),
            ("\r\n", "\n"),
        ] {
            for at_a_time in [1, 2, 3, 100] {
                let mut found = String::new();
                Lines::new(Drops(text.as_bytes(), at_a_time))
                    .read_to_string(&mut found)
                    .expect("a text");
                assert_eq!(found, expected, "{text:?}, {at_a_time} at a time");
                let mut lines = Lines::new(Drops(text.as_bytes(), at_a_time));
                let (mut byte, mut found) = ([0], Vec::new());
                while lines.read(&mut byte).expect("a text") > 0 {
                    found.extend(byte);
                }
                assert_eq!(found, expected.as_bytes(), "{text:?}, byte by byte");
            }
        }
    }

    /// `/dev/zero` has neither an end nor lines.
    #[test]
    fn what_has_no_lines_is_refused() {
        let second = |length: usize| [b"a\n", vec![b'x'; length].as_slice(), b"\nb"].concat();
        let read = |text: &[u8]| {
            let mut all = Vec::new();
            Lines::new(Drops(text, 7000)).read_to_end(&mut all)
        };
        assert!(read(&second(LONGEST)).is_ok());
        let error = read(&second(LONGEST + 1)).expect_err("too long");
        assert!(error.to_string().starts_with("line 2 has more than 1 MiB"));
        let endless = Lines::new(io::repeat(0)).read_to_end(&mut Vec::new());
        assert!(endless.is_err());
    }
}
