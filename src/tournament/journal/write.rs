//! Appends to a journal.

use super::FORMAT;
use super::line::{GameLine, JournalLine, PlanLine, SettingsLine, write_line};
use crate::record::{Admission, GameRecord, Withdrawal};
use crate::tournament::document::run_settings::RunSettings;
use crate::tournament::document::{RunDocument, hash_of};
use crate::tournament::journal::admission_lines::{AdmissionLine, WithdrawalLine};
use crate::tournament::journal::repair_line::Repair;
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
        self.append_lines([JournalLine::Plan(PlanLine {
            format: FORMAT,
            sha256: hash_of(&plan),
            plan,
            settings: run.settings.clone(),
        })])
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
        let line = |record| JournalLine::Game(Box::new(GameLine::new(record)));
        self.append_lines(records.into_iter().map(line))
    }

    /// Appends other settings of a resumed run, and syncs.
    ///
    /// # Errors
    /// Those of [`Journal::append`].
    pub fn append_settings(&mut self, settings: &RunSettings) -> io::Result<()> {
        let settings = settings.clone();
        self.append_lines([JournalLine::Settings(SettingsLine { settings })])
    }

    /// Appends which lines were set aside, and syncs.
    ///
    /// # Errors
    /// Those of [`Journal::append`].
    pub fn append_repair(&mut self, repair: &Repair) -> io::Result<()> {
        self.append_lines([JournalLine::Repair(repair.clone())])
    }

    /// Appends the result of an examination, and syncs.
    ///
    /// # Errors
    /// Those of [`Journal::append`].
    pub fn append_admission(&mut self, admission: &Admission) -> io::Result<()> {
        self.append_lines([JournalLine::Admission(AdmissionLine::new(admission))])
    }

    /// Appends withdrawals and syncs once.
    ///
    /// # Errors
    /// Those of [`Journal::append`].
    pub fn append_withdrawals(&mut self, withdrawals: &[Withdrawal]) -> io::Result<()> {
        let line = |withdrawal| JournalLine::Withdrawal(WithdrawalLine::new(withdrawal));
        self.append_lines(withdrawals.iter().map(line))
    }

    fn append_lines<'a>(
        &mut self,
        lines: impl IntoIterator<Item = JournalLine<'a>>,
    ) -> io::Result<()> {
        let mut text = Vec::new();
        for line in lines {
            write_line(&line, &mut text);
        }
        self.storage.append(&text)?;
        self.storage.sync()
    }

    /// Returns the storage.
    pub fn into_storage(self) -> S {
        self.storage
    }
}
