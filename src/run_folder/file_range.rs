//! Reads a part of a file with an offset of its own, so that appending to it is not affected.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::ops::Range;
use std::os::unix::fs::FileExt as _;

/// Bytes that are read at once.
const BUFFER: usize = 64 << 10;

/// The file as it is now, from this byte on.
pub fn from_byte(file: &File, start: u64) -> io::Result<impl BufRead + '_> {
    let end = file.metadata()?.len().max(start);
    let range = FileRange {
        file,
        rest: start..end,
    };
    Ok(BufReader::with_capacity(BUFFER, range))
}

/// The bytes of a file that were not read yet.
struct FileRange<'a> {
    file: &'a File,
    rest: Range<u64>,
}

impl Read for FileRange<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let left = usize::try_from(self.rest.end - self.rest.start).unwrap_or(usize::MAX);
        let most = left.min(buffer.len());
        let count = self.file.read_at(&mut buffer[..most], self.rest.start)?;
        if count == 0 && most > 0 {
            // A game must not be missing from a table because the file was truncated.
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        self.rest.start += count as u64;
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write as _;

    #[test]
    fn what_is_appended_later_is_not_read_and_what_is_cut_off_is_an_error() {
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(b"one\ntwo\n").unwrap();
        let read = |start, change: &dyn Fn()| {
            let mut bytes = from_byte(&file, start).unwrap();
            change();
            let mut text = String::new();
            bytes.read_to_string(&mut text).map(|_| text)
        };
        assert_eq!(read(4, &|| ()).unwrap(), "two\n");
        assert_eq!(
            read(0, &|| (&file).write_all(b"x").unwrap()).unwrap(),
            "one\ntwo\n"
        );
        assert_eq!(read(9, &|| ()).unwrap(), "");
        assert_eq!(read(12, &|| ()).unwrap(), "");
        let cut = read(0, &|| file.set_len(5).unwrap()).unwrap_err();
        assert_eq!(cut.kind(), io::ErrorKind::UnexpectedEof);
    }
}
