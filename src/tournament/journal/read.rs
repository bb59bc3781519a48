//! Reads a journal.

use super::FORMAT;
use super::line::{JournalLine, PlanLine, read_line};
use super::recorded_plan::{RecordedIdentity, RecordedPlan};
use super::take::{LONGEST_LINE, Taken, take_line};
use crate::record::{GameId, GameRecord, Withdrawal};
use crate::tournament::document::run_settings::RunSettings;
use crate::tournament::journal::entry::Entry;
use crate::tournament::journal::journal_error::JournalError;
use crate::tournament::pair_names::PairNames;
use crate::tournament::plan::Plan;
use std::io::BufRead;

/// The sizes of a journal that was read to its end.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct JournalText {
    /// Bytes of whole lines; the rest is torn.
    pub whole_bytes: u64,
    /// Bytes of a torn last line.
    pub torn_bytes: u64,
    /// Whether the first line is there.
    pub has_plan: bool,
}

/// Reads a journal line by line; memory does not grow with its length.
#[derive(Debug)]
pub struct JournalReader<R> {
    input: R,
    line: usize,
    text: JournalText,
    plan: Option<RecordedPlan>,
    /// The ids of the plan's pairs; `None` up to format 4, where pairs are numbered.
    names: Option<PairNames>,
    /// Whether entries are only valid after a plan.
    needs_plan: bool,
    /// Whether reading has ended before the end of the file.
    is_over: bool,
}

impl<R: BufRead> JournalReader<R> {
    /// A reader of a journal from its beginning.
    pub fn new(input: R) -> Self {
        Self {
            input,
            line: 0,
            text: JournalText::default(),
            plan: None,
            names: None,
            needs_plan: true,
            is_over: false,
        }
    }

    /// A reader for damaged journals: it can go on after a damaged line, and reads entries even if
    /// the plan is damaged.
    pub fn surveying(input: R) -> Self {
        Self {
            needs_plan: false,
            ..Self::new(input)
        }
    }

    /// The same for a journal whose first line may be damaged: its games are those of this plan.
    #[must_use]
    pub fn naming(self, plan: &Plan) -> Self {
        let names = (!plan.numbers_pairs).then(|| PairNames::new(plan));
        Self { names, ..self }
    }

    /// The number of the last line that was read, from 1; 0 before the first.
    pub const fn line(&self) -> usize {
        self.line
    }

    /// The run's definition, with the settings up to here.
    pub const fn recorded_plan(&self) -> Option<&RecordedPlan> {
        self.plan.as_ref()
    }

    /// The next game, or `None` at the end; other entries are skipped.
    ///
    /// # Errors
    /// Those of [`JournalReader::next_entry`].
    pub fn next_record(&mut self) -> Result<Option<GameRecord>, JournalError> {
        while let Some(entry) = self.next_entry()? {
            if let Entry::Game(record) = entry {
                return Ok(Some(*record));
            }
        }
        Ok(None)
    }

    /// The next entry, or `None` at the end.
    ///
    /// # Errors
    /// The file cannot be read, a line that is not the last is damaged, or the format is newer.
    pub fn next_entry(&mut self) -> Result<Option<Entry>, JournalError> {
        while let Some(line) = self.next_line()? {
            let entry = match read_line(&line).map_err(|reason| self.damaged(reason))? {
                JournalLine::Plan(plan) => {
                    self.take_plan(plan)?;
                    continue;
                }
                JournalLine::Settings(line) => {
                    self.take_settings(line.settings);
                    continue;
                }
                JournalLine::Game(game) => game.record().map(|record| {
                    let id = self.placed(record.id);
                    Entry::Game(Box::new(GameRecord { id, ..record }))
                }),
                JournalLine::Admission(line) => line.admission().map(Entry::Admission),
                JournalLine::Withdrawal(line) => line.withdrawal().map(|withdrawal| {
                    let after = self.placed(withdrawal.after);
                    Entry::Withdrawal(Withdrawal {
                        after,
                        ..withdrawal
                    })
                }),
            };
            let entry = entry.map_err(|reason| self.damaged(reason))?;
            if self.needs_plan && self.plan.is_none() {
                return Err(self.damaged("it stands before the plan".to_owned()));
            }
            return Ok(Some(entry));
        }
        Ok(None)
    }

    fn take_plan(&mut self, plan: PlanLine) -> Result<(), JournalError> {
        if self.plan.is_some() {
            return Err(self.damaged("a second plan".to_owned()));
        }
        if self.line != 1 {
            return Err(self.damaged("the plan is not in the first line".to_owned()));
        }
        if !(1..=FORMAT).contains(&plan.format) {
            return Err(JournalError::Newer { found: plan.format });
        }
        let plan = RecordedPlan::new(plan).map_err(|reason| self.damaged(reason))?;
        self.text.has_plan = true;
        if let Some(run) = plan.run() {
            self.names.get_or_insert_with(|| PairNames::new(&run.plan));
        }
        self.plan = Some(plan);
        Ok(())
    }

    /// Applies the settings of a resumed run, with which a test may have more pairs.
    fn take_settings(&mut self, settings: RunSettings) {
        let recorded = self.plan.as_mut().map(|plan| &mut plan.what);
        if let (Some(RecordedIdentity::Run(run)), Some(names)) = (recorded, &mut self.names) {
            run.set(settings);
            names.set_rounds(run.plan.pairs);
        }
    }

    /// Adds to an id its place in the schedule.
    fn placed(&self, id: GameId) -> GameId {
        match &self.names {
            Some(names) => names.placed(id),
            None => id,
        }
    }

    /// The bytes of the next line; `None` at the end.
    fn next_line(&mut self) -> Result<Option<Vec<u8>>, JournalError> {
        if self.is_over {
            return Ok(None);
        }
        let (count, taken) = take_line(&mut self.input, LONGEST_LINE)?;
        self.line += usize::from(count > 0);
        let reason = match taken {
            Taken::Line(bytes) => {
                self.text.whole_bytes += count;
                return Ok(Some(bytes));
            }
            // A line and its newline are written together, so only a crash leaves a line without
            // one, and only as the last line.
            Taken::Rest => {
                self.text.torn_bytes = count;
                return Ok(None);
            }
            Taken::Hole(place) => {
                self.text.whole_bytes += count;
                format!("byte {place} of it is 0, as in a hole of the file")
            }
            Taken::Endless => {
                // Searching for its end might take forever.
                self.is_over = true;
                let most = LONGEST_LINE >> 20;
                format!("it has more than {most} MiB, which no line has; the rest is not read")
            }
        };
        Err(self.damaged(reason))
    }

    fn damaged(&self, reason: String) -> JournalError {
        JournalError::Damaged {
            line: self.line,
            reason,
        }
    }

    /// The sizes of the journal; to be asked after the last record.
    pub const fn text(&self) -> JournalText {
        self.text
    }
}
