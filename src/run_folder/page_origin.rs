//! Tells whether a page is the very one that would be made. A finished run that is run again has it
//! already; making it once more would take as long as everything else.

use crate::report::is_page_of;
use std::fs::{self, File};
use std::io;
use std::os::unix::fs::FileExt as _;
use std::path::Path;

/// Bytes at the beginning of a page in which its origin stands.
const BEGINNING: u64 = 4 << 10;
/// Bytes at its end that show that it is whole.
const END: u64 = 64;

/// Whether there is a whole page of this origin. One that cannot be read is none.
pub fn is_made(page: &Path, origin: &str) -> bool {
    ends_of(page).is_ok_and(|[first, last]| is_page_of(origin, &first, &last))
}

/// The first and the last bytes of a page.
fn ends_of(page: &Path) -> io::Result<[Vec<u8>; 2]> {
    // Opening a pipe that somebody has put there could block forever.
    if !fs::symlink_metadata(page)?.is_file() {
        return Err(io::ErrorKind::NotFound.into());
    }
    let file = File::open(page)?;
    let length = file.metadata()?.len();
    let read = |start: u64, count: u64| {
        let mut bytes = vec![0; usize::try_from(count).unwrap_or(0)];
        file.read_exact_at(&mut bytes, start).map(|()| bytes)
    };
    let end = length.min(END);
    Ok([read(0, length.min(BEGINNING))?, read(length - end, end)?])
}
