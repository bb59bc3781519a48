//! A run's folder: the journal's file and its lock, the plan, the tables, and the evidence of
//! faults.
//!
//! ```text
//! folder        the lock, the journal, and files that are written whole or not at all
//! folder_error  why a folder cannot be used
//! lines         where the games are in a journal, to be read again in schedule order
//! recorded_run  a run read from its journal
//! tables        makes the tables from the journal
//! evidence      the files of a fault, for their writer and their readers
//! fault_folder  writes them
//! fault_page    the parts of `fault.toml` that programs read
//! ```

pub mod evidence;
pub mod fault_folder;
pub mod fault_page;
mod folder;
mod folder_error;
mod lines;
mod recorded_run;
pub mod tables;

pub use folder::{FoundJournal, JOURNAL, PLAN, RunFolder};
pub use folder_error::{FillError, FolderError};
pub use recorded_run::{RecordedRun, kept_secret};
