//! The machines that got no more work of a live run, and why. No table depends on them.

use super::{FolderError, RunFolder};
use crate::text::{counted, printable};
use serde::{Deserialize, Serialize};

/// The file in the run's folder: a JSON list.
pub const PUT_ASIDE: &str = "put-aside.json";
/// The most MiB of it.
const MOST_MIB: u64 = 4;
/// The most machines that are kept, and that are named in a note.
const MOST: usize = 1000;
const MOST_NAMED: usize = 10;

/// A machine that was put aside.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub struct PutAside {
    /// Its name. Hostile text.
    pub host: String,
    /// Why. May quote the machine: hostile text.
    pub reason: String,
}

/// Those of a run. What cannot be read is none.
pub fn put_aside(folder: &RunFolder) -> Vec<PutAside> {
    let bytes = folder.files().read(PUT_ASIDE, MOST_MIB);
    let read = bytes.map(|it| serde_json::from_slice(&it).unwrap_or_default());
    read.unwrap_or_default()
}

/// Adds machines to those of a run.
///
/// # Errors
/// The folder fails.
pub fn note_put_aside(folder: &RunFolder, more: Vec<PutAside>) -> Result<(), FolderError> {
    let mut all = put_aside(folder);
    let before = all.len();
    for new in more {
        if all.len() < MOST && !all.contains(&new) {
            all.push(new);
        }
    }
    if all.len() == before {
        return Ok(());
    }
    let text = serde_json::to_vec_pretty(&all).expect("texts");
    folder.write(PUT_ASIDE, &text)
}

/// A note for the readers of the tables.
pub fn put_aside_note(folder: &RunFolder) -> Option<String> {
    let all = put_aside(folder);
    let named = all.iter().take(MOST_NAMED);
    let named = named.map(|it| printable(&format!("{}: {}", it.host, it.reason)));
    let named: Vec<String> = named.collect();
    (!named.is_empty()).then(|| {
        format!(
            "{} got no more work: {}",
            counted(all.len(), "machine", "machines"),
            named.join("; ")
        )
    })
}
