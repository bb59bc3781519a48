//! A run's folder: the journal's file and its lock, the plan, the tables, and the evidence of
//! faults.
//!
//! ```text
//! folder        the lock, the journal, and the other files of the folder
//! folder_error  why a folder cannot be used
//! journal_file  the journal's file and its lock
//! journal_games the games of a journal, read once and kept
//! ledger        many sequential tests that share a budget for errors
//! run_results   a run and what follows from its games
//! result_files  writes it
//! followed_run  a run that is read while it is played
//! game_page     the record of one game, and what is shown of it
//! page          makes `report.html` from the journal and the evidence
//! page_games    which games it shows, and their moves
//! recorded_run  a run read from its journal
//! play          plays a run in its folder, for programs that use the library
//! repair        sets damaged lines of the journal aside
//! tables        makes the tables from the journal
//! rounds        those of rounds that results have decided
//! whole_file    files that are written whole or not at all
//! kept_folders  built programs, and what was handed in
//! evidence      the faults of a run and their files, for their writer and their readers
//! fault_folder  writes them
//! put_aside     machines that got no more work of a live run
//! superseded    keeps the evidence of games that no longer count
//! ```

pub mod evidence;
pub mod fault_folder;
mod folder;
mod folder_error;
mod followed_run;
mod game_page;
mod journal_file;
mod journal_games;
pub mod kept_folders;
mod ledger;
mod page;
mod page_games;
mod play;
mod put_aside;
mod recorded_run;
mod repair;
mod result_files;
mod rounds;
mod run_results;
pub mod superseded;
pub mod tables;
mod whole_file;

pub use evidence::{admission_folder, fault_rows, folder_of_refusal};
pub use folder::{FoundJournal, RunFolder, set_run_aside};
pub use folder_error::{FillError, FolderError, way_out};
pub use followed_run::FollowedRun;
pub use game_page::{find_game, read_records};
pub use journal_file::{JournalFile, RunOwner};
pub use journal_games::{GameStore, JournalGames, note};
pub use kept_folders::KeptFolders;
pub use ledger::{FALSE_DISCOVERIES, Ledger, LedgerError, LedgerLine, LedgerVerdict, TestVerdict};
pub use page::{ORGANISER_PAGE, PageData, REPORT, page_of, trace_rules, verdict};
pub use play::{RunInFolderError, play, update};
pub use put_aside::{PutAside, note_put_aside};
pub use recorded_run::{RecordedRun, kept_plan, kept_secret, last_plan, planned_database};
pub use repair::{RepairError, Repaired, repair, repair_note};
pub use result_files::ResultFiles;
pub use run_results::{RunResults, earlier_standings, notes_for_readers};
pub use whole_file::{DAMAGED_LINES, JOURNAL, PLAN, TEMPLATE, open_target, write_file};
