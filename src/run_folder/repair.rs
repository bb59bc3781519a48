//! Repairs a journal with damaged lines: sets the lines aside, so that a run can go on and play
//! their games again. What an editor or a copy has added to sound lines is left out.
//!
//! ```text
//! games.jsonl ─┬─ sound lines, and a line that names the others ─▶ games.jsonl
//!              └─ damaged lines, withdrawals                     ─▶ damaged-lines.txt
//! ```
//!
//! `damaged-lines.txt` is written first, and each file whole or not at all: a kill loses nothing.

use super::folder::RunFolder;
use super::folder_error::FolderError;
use super::whole_file::{DAMAGED_LINES, JOURNAL};
use crate::text::counted;
use crate::tournament::{FoundLine, FoundLines, Journal, Repair, SetAsideLine, sha256_of};
use std::io::{self, Read as _, Write as _};
use thiserror::Error;

/// The beginnings of the lines that a run can replace if they are lost.
const REPLACEABLE: [&str; 3] = [
    "\"kind\":\"game\"",
    "\"kind\":\"admission\"",
    "\"kind\":\"withdrawal\"",
];
/// Bytes at the beginning of a line that say its kind, after the checksum.
const HEAD: u64 = 64;

/// Why a journal cannot be repaired.
#[derive(Debug, Error)]
pub enum RepairError {
    /// The folder or a file in it failed.
    #[error(transparent)]
    Folder(#[from] FolderError),
    /// A line is damaged whose loss changes what other lines mean.
    #[error(
        "line {line} of the journal is damaged ({reason}), and it does not say that it is a game, \
         an admission or a withdrawal: as a plan it would decide what the other lines mean. \
         Restore the file from a copy, or begin anew with `awale run --fresh`"
    )]
    Irreplaceable {
        /// Its number, from 1.
        line: usize,
        /// The damage.
        reason: String,
    },
}

/// What a repair has done, in the order of the lines.
#[derive(Debug)]
pub struct Repaired {
    /// Lines that say what they said, and empty ones that were taken out.
    pub mended: Vec<FoundLine>,
    /// Lines that were set aside.
    pub set_aside: Vec<SetAsideLine>,
}

/// Mends the damaged lines of a run's journal, or sets them aside. Changes nothing if no line is
/// damaged.
///
/// # Errors
/// A run is playing in the folder, a line cannot be replaced, or the disk's.
pub fn repair(folder: &RunFolder) -> Result<Repaired, RepairError> {
    let FoundLines {
        mended,
        damaged: mut lines,
        withdrawals,
        whole_bytes,
    } = folder.find_damage()?;
    for line in &lines {
        check_replaceable(folder, line)?;
    }
    if !lines.is_empty() {
        lines.extend(withdrawals);
        lines.sort_by_key(|found| found.line);
    }
    let set_aside = described(folder, &lines)?;
    if !lines.is_empty() {
        write_aside(folder, &lines, &set_aside)?;
    }
    // A withdrawal that is set aside is not mended: it comes first.
    lines.extend(mended.iter().cloned());
    lines.sort_by_key(|found| found.line);
    lines.dedup_by_key(|found| found.line);
    if !lines.is_empty() {
        write_rest(folder, &lines, whole_bytes, &set_aside)?;
    }
    Ok(Repaired { mended, set_aside })
}

fn check_replaceable(folder: &RunFolder, found: &FoundLine) -> Result<(), RepairError> {
    let mut head = Vec::new();
    let read = folder.bytes_in(found.bytes.clone())?.take(HEAD);
    let read = { read }.read_to_end(&mut head);
    read.map_err(|error| folder.journal_error("read", error))?;
    let head = String::from_utf8_lossy(&head);
    if found.line > 1 && REPLACEABLE.iter().any(|kind| head.contains(kind)) {
        return Ok(());
    }
    Err(RepairError::Irreplaceable {
        line: found.line,
        reason: found.reason.clone(),
    })
}

fn described(folder: &RunFolder, lines: &[FoundLine]) -> Result<Vec<SetAsideLine>, FolderError> {
    let described = lines.iter().map(|found| {
        let hash = sha256_of(folder.bytes_in(found.bytes.clone())?);
        Ok(SetAsideLine {
            line: found.line,
            bytes: found.bytes.end - found.bytes.start,
            sha256: hash.map_err(|error| folder.journal_error("read", error))?,
            reason: found.reason.clone(),
        })
    });
    described.collect()
}

/// Adds the lines to the file of those that were set aside, each below a line that describes it.
fn write_aside(
    folder: &RunFolder,
    lines: &[FoundLine],
    set_aside: &[SetAsideLine],
) -> Result<(), FolderError> {
    folder.write_with(DAMAGED_LINES, |out| {
        match folder.files().file(DAMAGED_LINES) {
            Ok(mut known) => drop(io::copy(&mut known, out)?),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(error.into()),
        }
        for (found, it) in lines.iter().zip(set_aside) {
            writeln!(
                out,
                "# line {} of {JOURNAL}, {} bytes, SHA-256 {}: {:?}",
                it.line, it.bytes, it.sha256, it.reason
            )?;
            io::copy(&mut folder.bytes_in(found.bytes.clone())?, out)?;
        }
        Ok(())
    })
}

/// Writes the journal without these lines, but with what is kept of them, and with a line that
/// names those that were set aside.
fn write_rest(
    folder: &RunFolder,
    lines: &[FoundLine],
    whole_bytes: u64,
    set_aside: &[SetAsideLine],
) -> Result<(), FolderError> {
    let repair = Repair {
        set_aside: set_aside.to_vec(),
    };
    folder.write_with(JOURNAL, |out| {
        let mut start = 0;
        for found in lines {
            io::copy(&mut folder.bytes_in(start..found.bytes.start)?, out)?;
            if !found.kept.is_empty() {
                io::copy(&mut folder.bytes_in(found.kept.clone())?, out)?;
                out.write_all(b"\n")?;
            }
            start = found.bytes.end;
        }
        io::copy(&mut folder.bytes_in(start..whole_bytes)?, out)?;
        let mut journal = Journal::resume(Vec::new());
        if !repair.set_aside.is_empty() {
            journal.append_repair(&repair)?;
        }
        out.write_all(&journal.into_storage())?;
        Ok(())
    })
}

/// A sentence for people who read tables of a journal from which lines were set aside.
pub fn repair_note(set_aside: &[SetAsideLine]) -> Option<String> {
    if set_aside.is_empty() {
        return None;
    }
    let lines = counted(set_aside.len(), "line", "lines");
    Some(format!(
        "{lines} of the journal were damaged, or followed from one that was, and were set aside by \
         `awale repair`: see {DAMAGED_LINES}. What they said was played or decided anew."
    ))
}
