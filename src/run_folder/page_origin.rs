//! Tells whether a page is the very one that would be made. A finished run that is run again has it
//! already; making it once more would take as long as everything else.

use crate::files::Folder;
use crate::report::is_page_of;
use std::io;

/// Whether the folder has a page of this name and origin, as it was written. One that cannot be
/// read is none.
pub fn is_made(folder: &Folder, name: &str, origin: &str) -> bool {
    read(folder, name, origin).unwrap_or(false)
}

fn read(folder: &Folder, name: &str, origin: &str) -> io::Result<bool> {
    let page = folder.file(name)?;
    let length = page.metadata()?.len();
    is_page_of(origin, page, length)
}
