//! Reads a table as UTF-8: UTF-16 of either byte order is converted while it is read, and a byte
//! order mark is removed.
//!
//! UTF-16 is recognised by its mark or, without one, by a zero in every second byte at the
//! beginning. Other encodings are not guessed: a name in wrong letters would be another name. The
//! readers of the text refuse bytes that are not UTF-8 with [`not_utf8`], where they occur.

use std::io::{self, Chain, Cursor, Read};

/// Bytes of UTF-16 that are converted at a time.
const CHUNK: usize = 1 << 14;
/// The number of bytes that identify UTF-16 without a mark.
const TELLING: usize = 16;

/// A stream whose first bytes were examined.
pub type DetectedStream<R> = Chain<Cursor<Vec<u8>>, R>;

/// Another reader's contents as UTF-8.
pub enum Decoded<R> {
    /// Unchanged.
    Plain(DetectedStream<R>),
    /// Converted from UTF-16.
    Utf16(Box<Utf16<DetectedStream<R>>>),
}

/// Examines a stream's first bytes to determine its encoding.
///
/// # Errors
/// Those of the stream; the encoding is UTF-32.
pub fn decoded<R: Read>(mut input: R) -> io::Result<Decoded<R>> {
    let start = first_bytes(&mut input, TELLING)?;
    let (mark, order) = match *start.as_slice() {
        [0xff, 0xfe, 0, 0, ..] | [0, 0, 0xfe, 0xff, ..] => {
            let said = "its text is UTF-32 (its byte order mark says so); save it as UTF-8";
            return Err(io::Error::new(io::ErrorKind::InvalidData, said));
        }
        [0xff, 0xfe, ..] => (2, Some(ByteOrder::LittleEndian)),
        [0xfe, 0xff, ..] => (2, Some(ByteOrder::BigEndian)),
        [0xef, 0xbb, 0xbf, ..] => (3, None),
        _ => (0, ByteOrder::evident(&start)),
    };
    let mut seen = Cursor::new(start);
    seen.set_position(mark);
    let seen = seen.chain(input);
    Ok(match order {
        None => Decoded::Plain(seen),
        Some(order) => Decoded::Utf16(Box::new(Utf16::new(seen, order, mark))),
    })
}

/// This many first bytes of a stream, fewer if it is shorter.
pub fn first_bytes(input: &mut impl Read, count: usize) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    input.take(count as u64).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Describes bytes that are not UTF-8, and what to do.
pub fn not_utf8(bytes: &[u8], file: &str) -> String {
    let shown = super::shown_input::shown_bytes(bytes);
    // A command cannot name standard input.
    let file = if file == super::shown_input::STANDARD_INPUT {
        "FILE"
    } else {
        file
    };
    format!(
        "{shown} is neither UTF-8 nor UTF-16; save the file as UTF-8, or, if its letters are \
         those of Windows or Latin-1, convert it: iconv -f WINDOWS-1252 -t UTF-8 {file}"
    )
}

impl<R: Read> Read for Decoded<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self {
            Self::Plain(inner) => inner.read(buffer),
            Self::Utf16(inner) => inner.read(buffer),
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ByteOrder {
    LittleEndian,
    BigEndian,
}

impl ByteOrder {
    /// The byte order of UTF-16 without a mark: tables begin with ASCII letters, whose other byte
    /// is zero, and UTF-8 text contains no zeros.
    fn evident(start: &[u8]) -> Option<Self> {
        let units = start.chunks_exact(2);
        if units.len() < 2 {
            return None;
        }
        if units.clone().all(|unit| unit[0] != 0 && unit[1] == 0) {
            Some(Self::LittleEndian)
        } else if units.clone().all(|unit| unit[0] == 0 && unit[1] != 0) {
            Some(Self::BigEndian)
        } else {
            None
        }
    }

    fn unit(self, bytes: [u8; 2]) -> u16 {
        match self {
            Self::LittleEndian => u16::from_le_bytes(bytes),
            Self::BigEndian => u16::from_be_bytes(bytes),
        }
    }
}

/// UTF-16 as UTF-8.
pub struct Utf16<R> {
    inner: R,
    order: ByteOrder,
    /// Bytes that were read; the first `kept` of them belong to an incomplete character.
    raw: Box<[u8; CHUNK]>,
    kept: usize,
    /// UTF-8 that was not returned yet, from `fetched` on.
    text: String,
    fetched: usize,
    /// The number of bytes of the file before `raw`.
    offset: u64,
}

impl<R: Read> Utf16<R> {
    fn new(inner: R, order: ByteOrder, offset: u64) -> Self {
        Self {
            inner,
            order,
            raw: Box::new([0; CHUNK]),
            kept: 0,
            text: String::new(),
            fetched: 0,
            offset,
        }
    }

    /// Converts more text; at the end there is none.
    fn refill(&mut self) -> io::Result<()> {
        self.text.clear();
        self.fetched = 0;
        while self.text.is_empty() {
            let read = self.inner.read(&mut self.raw[self.kept..])?;
            let end = self.kept + read;
            if read == 0 {
                return match end {
                    0 => Ok(()),
                    _ => Err(damaged(self.offset, "the file ends inside a character")),
                };
            }
            let mut units: Vec<u16> = self.raw[..end]
                .chunks_exact(2)
                .map(|bytes| self.order.unit([bytes[0], bytes[1]]))
                .collect();
            // The second half of this character was not read yet.
            units.pop_if(|last| (0xd800..0xdc00).contains(last));
            let mut done = 0;
            for character in char::decode_utf16(units.iter().copied()) {
                let character = character.map_err(|error| {
                    let half = error.unpaired_surrogate();
                    let said = format!("{half:04X} is half of a character and stands alone");
                    damaged(self.offset + done, &said)
                })?;
                done += 2 * character.len_utf16() as u64;
                self.text.push(character);
            }
            self.raw.copy_within(2 * units.len()..end, 0);
            self.kept = end - 2 * units.len();
            self.offset += done;
        }
        Ok(())
    }
}

fn damaged(offset: u64, what: &str) -> io::Error {
    let said = format!("its text is UTF-16 and damaged: {what} (byte {offset})");
    io::Error::new(io::ErrorKind::InvalidData, said)
}

impl<R: Read> Read for Utf16<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.fetched == self.text.len() {
            self.refill()?;
        }
        let read = (&self.text.as_bytes()[self.fetched..]).read(buffer)?;
        self.fetched += read;
        Ok(read)
    }
}

#[cfg(test)]
mod tests {
    use super::super::lines::Drops;
    use super::*;
    use proptest::prelude::*;

    fn in_utf16(text: &str, unit: fn(u16) -> [u8; 2]) -> Vec<u8> {
        text.encode_utf16().flat_map(unit).collect()
    }

    fn read(bytes: &[u8], at_a_time: usize) -> io::Result<Vec<u8>> {
        let mut all = Vec::new();
        decoded(Drops(bytes, at_a_time))?.read_to_end(&mut all)?;
        Ok(all)
    }

    proptest! {
        #![proptest_config(ProptestConfig {
            failure_persistence: None,
            ..ProptestConfig::default()
        })]

        #[test]
        fn every_encoding_gives_the_same_text(text in "\\PC{0,40}", at_a_time in 1_usize..9) {
            let marked = format!("\u{feff}{text}");
            for bytes in [
                marked.clone().into_bytes(),
                in_utf16(&marked, u16::to_le_bytes),
                in_utf16(&marked, u16::to_be_bytes),
            ] {
                prop_assert_eq!(read(&bytes, at_a_time).expect("a text"), text.as_bytes());
            }
            // Without a mark, like the beginning of a table.
            let table = format!("south,north,result\n{text}");
            for bytes in [
                table.clone().into_bytes(),
                in_utf16(&table, u16::to_le_bytes),
                in_utf16(&table, u16::to_be_bytes),
            ] {
                prop_assert_eq!(read(&bytes, at_a_time).expect("a text"), table.as_bytes());
            }
        }
    }

    /// Characters of two units cross the boundaries of chunks.
    #[test]
    fn long_texts_are_read_in_chunks() {
        let text = format!("\u{feff}a{}", "𝄞".repeat(3 * CHUNK));
        for at_a_time in [1, 3, 4097, 100_000] {
            let found = read(&in_utf16(&text, u16::to_le_bytes), at_a_time);
            assert!(found.expect("a text") == text.as_bytes()[3..]);
        }
    }

    #[test]
    fn what_is_damaged_is_refused_where_it_is() {
        for (bytes, said) in [
            (
                b"\xff\xfea\0\x3d\xd8b\0".as_slice(),
                "D83D is half of a character and stands alone (byte 4)",
            ),
            (
                b"\xff\xfea\0\x3d\xd8",
                "the file ends inside a character (byte 4)",
            ),
            (
                b"\xfe\xff\0a\0",
                "the file ends inside a character (byte 4)",
            ),
            (b"\xfe\xff\xdc\x00", "DC00 is half of a character"),
            (b"\xff\xfe\0\0a\0\0\0", "UTF-32"),
            (b"\0\0\xfe\xff\0\0\0a", "UTF-32"),
        ] {
            for at_a_time in [1, 100] {
                let error = read(bytes, at_a_time).expect_err("damaged");
                assert!(error.to_string().contains(said), "{error}");
            }
        }
    }

    #[test]
    fn what_is_not_evident_is_left_alone() {
        for bytes in [
            b"".as_slice(),
            b"a",
            b"a\0",
            b"abcd",
            b"\0\0\0\0",
            b"a\0b\0c\0de",
            b"\xfcx",
        ] {
            assert_eq!(read(bytes, 3).expect("bytes"), bytes);
        }
        assert_eq!(read(b"a\0b\0", 1).expect("a text"), b"ab");
        assert_eq!(read(b"\0a\0b", 1).expect("a text"), b"ab");
    }
}
