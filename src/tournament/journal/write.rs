//! Appends to a journal.

use super::FORMAT;
use super::line::{PlanLine, Repair, SettingsLine, write_line};
use crate::record::{Admission, GameRecord, Withdrawal};
use crate::tournament::document::RunSettings;
use crate::tournament::document::{RunDocument, hash_of};
use crate::tournament::formats::DealtRound;
use serde::Serialize;
use std::io;

/// The storage of a journal: a file, or memory in a test.
pub trait Storage {
    /// Appends bytes.
    ///
    /// # Errors
    /// Not all of them could be written.
    fn append(&mut self, bytes: &[u8]) -> io::Result<()>;

    /// Waits until all appended bytes would survive a crash.
    ///
    /// # Errors
    /// They might not.
    fn sync(&mut self) -> io::Result<()>;
}

impl Storage for Vec<u8> {
    fn append(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.extend_from_slice(bytes);
        Ok(())
    }

    fn sync(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The journal of a run, open for appending after its last whole line.
#[derive(Debug)]
pub struct Journal<S> {
    storage: S,
}

impl<S: Storage> Journal<S> {
    /// A new journal; writes its first line.
    ///
    /// # Errors
    /// The storage refused it.
    pub fn begin(storage: S, run: &RunDocument) -> io::Result<Self> {
        let mut journal = Self { storage };
        journal.append_plan(run)?;
        Ok(journal)
    }

    /// Appends a plan, the first one or a revision, and syncs.
    ///
    /// # Errors
    /// Those of [`Journal::append`].
    pub fn append_plan(&mut self, run: &RunDocument) -> io::Result<()> {
        let plan = run.plan.document();
        let line = PlanLine {
            format: FORMAT,
            sha256: hash_of(&plan),
            plan,
            settings: run.settings.clone(),
        };
        self.append_lines("plan", [&line])
    }

    /// A journal whose first line exists.
    pub fn resume(storage: S) -> Self {
        Self { storage }
    }

    /// Appends finished games and syncs once.
    ///
    /// # Errors
    /// The storage refused a part; the first missing game may be torn.
    pub fn append<'a>(
        &mut self,
        records: impl IntoIterator<Item = &'a GameRecord>,
    ) -> io::Result<()> {
        self.append_lines("game", records)
    }

    /// Appends other settings of a resumed run, and syncs.
    ///
    /// # Errors
    /// Those of [`Journal::append`].
    pub fn append_settings(&mut self, settings: &RunSettings) -> io::Result<()> {
        let settings = settings.clone();
        self.append_lines("settings", [&SettingsLine { settings }])
    }

    /// Appends which lines were set aside, and syncs.
    ///
    /// # Errors
    /// Those of [`Journal::append`].
    pub fn append_repair(&mut self, repair: &Repair) -> io::Result<()> {
        self.append_lines("repair", [repair])
    }

    /// Appends a round that results have decided, and syncs.
    ///
    /// # Errors
    /// Those of [`Journal::append`].
    pub fn append_round(&mut self, round: &DealtRound) -> io::Result<()> {
        self.append_lines("round", [round])
    }

    /// Appends the result of an examination, and syncs.
    ///
    /// # Errors
    /// Those of [`Journal::append`].
    pub fn append_admission(&mut self, admission: &Admission) -> io::Result<()> {
        self.append_lines("admission", [admission])
    }

    /// Appends withdrawals and syncs once.
    ///
    /// # Errors
    /// Those of [`Journal::append`].
    pub fn append_withdrawals(&mut self, withdrawals: &[Withdrawal]) -> io::Result<()> {
        self.append_lines("withdrawal", withdrawals)
    }

    fn append_lines<'a, T: Serialize + 'a>(
        &mut self,
        kind: &str,
        values: impl IntoIterator<Item = &'a T>,
    ) -> io::Result<()> {
        let mut text = Vec::new();
        for value in values {
            write_line(kind, value, &mut text);
        }
        self.storage.append(&text)?;
        self.storage.sync()
    }

    /// Returns the storage.
    pub fn into_storage(self) -> S {
        self.storage
    }
}
