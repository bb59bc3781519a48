//! Tells whether a page is the very one that would be made. A finished run that is run again has it
//! already; making it once more would take as long as everything else.

use crate::report::is_page_of;
use std::fs::{self, File};
use std::io;
use std::path::Path;

/// Whether there is a page of this origin, as it was written. One that cannot be read is none.
pub fn is_made(page: &Path, origin: &str) -> bool {
    read(page, origin).unwrap_or(false)
}

fn read(page: &Path, origin: &str) -> io::Result<bool> {
    // Opening a pipe that somebody has put there could block forever.
    if !fs::symlink_metadata(page)?.is_file() {
        return Ok(false);
    }
    let file = File::open(page)?;
    let length = file.metadata()?.len();
    is_page_of(origin, file, length)
}
