//! Reads the journal from its first line to its last: checks each line, and each game by itself. It
//! stores a few hundred bytes for each game.

use super::advice;
use super::copies::Copies;
use super::evidence::EvidenceFolders;
use super::findings::{Check, FindingPlace, Findings};
use super::game::{GameTerms, play_again};
use super::openings::OpeningBook;
use super::schedule::{Attendance, is_hopeless, wrong_sides};
use crate::record::{Admission, GameId, GameRecord, Withdrawal};
use crate::run_folder::JOURNAL;
use crate::tournament::{
    Entry, JournalError, JournalReader, Progress, RecordedPlan, RunSettings, Schedule,
};
use std::collections::{BTreeMap, HashSet};
use std::io::BufRead;

/// The expectations for the games, if they are known.
pub struct ExpectedGames<'a> {
    pub terms: GameTerms<'a>,
    pub schedule: &'a Schedule,
    pub openings: OpeningBook,
    pub attendance: Attendance,
    pub evidence: EvidenceFolders,
}

/// The contents of a journal.
#[derive(Default)]
pub struct Scan {
    /// The progress of the games, as for a resumed run.
    pub progress: Progress,
    /// The last settings of the run, if the journal contains them.
    pub settings: Option<RunSettings>,
    /// Admissions and withdrawals with their lines.
    pub admissions: Vec<(usize, Admission)>,
    pub withdrawals: Vec<(usize, Withdrawal)>,
    /// The number of records of games, including void ones.
    pub records: usize,
    voided: usize,
    plies: usize,
    /// The number of lines.
    pub lines: usize,
    /// Each entrant that played, with its first game in the schedule.
    pub players: BTreeMap<String, GameId>,
    /// The line of the first game.
    pub first_game: Option<usize>,
    /// Lines that are damaged or missing, except for a torn last one.
    pub damaged: usize,
    /// Bytes of a torn last line.
    pub torn_bytes: u64,
    copies: Copies,
    /// The hashes of played games, by the entrants of South and North.
    played: BTreeMap<[String; 2], HashSet<u64>>,
    repeated: usize,
}

impl Scan {
    /// Reads a journal to its end. `is_played` says that a run is writing to it.
    ///
    /// # Errors
    /// It cannot be read, or a newer program wrote it.
    pub fn read(
        journal: impl BufRead,
        mut expected: Option<&mut ExpectedGames<'_>>,
        is_played: bool,
        findings: &mut Findings,
    ) -> Result<Self, JournalError> {
        let mut scan = Self::default();
        let mut reader = JournalReader::surveying(journal);
        if let Some(expected) = &expected {
            reader = reader.naming(expected.terms.plan);
        }
        loop {
            let entry = match reader.next_entry() {
                Ok(Some(entry)) => entry,
                Ok(None) => break,
                Err(JournalError::Damaged { line, reason }) => {
                    scan.damaged += 1;
                    let place = FindingPlace::line(JOURNAL, line);
                    findings.problem(Check::Journal, place, &reason);
                    continue;
                }
                Err(error) => return Err(error),
            };
            scan.take(entry, reader.line(), expected.as_deref_mut(), findings);
        }
        scan.lines = reader.line();
        let run = reader.recorded_plan().and_then(RecordedPlan::run);
        scan.settings = run.map(|run| run.settings.clone());
        scan.torn_bytes = reader.text().torn_bytes;
        let is_only_torn = scan.torn_bytes > 0 && scan.lines == 1;
        if !reader.text().has_plan && scan.damaged == 0 && !is_only_torn {
            scan.damaged += 1;
            let message = "no line of it is the plan, which is its first";
            findings.problem(Check::Journal, FindingPlace::line(JOURNAL, 1), message);
        }
        scan.conclude(is_played, findings);
        Ok(scan)
    }

    fn take(
        &mut self,
        entry: Entry,
        line: usize,
        expected: Option<&mut ExpectedGames<'_>>,
        findings: &mut Findings,
    ) {
        self.progress.note_entry(&entry);
        // The progress contains all that the other lines say.
        if let Entry::Game(record) = &entry {
            self.first_game.get_or_insert(line);
            self.records += 1;
            for name in &record.entrants {
                match self.players.get_mut(name) {
                    None => drop(self.players.insert(name.clone(), record.id.clone())),
                    // The order of the lines is that in which games ended, so it does not count.
                    Some(first) => {
                        if record.id < *first {
                            first.clone_from(&record.id);
                        }
                    }
                }
            }
            self.plies += record.plies.len();
            self.copies.note(record);
            self.voided += usize::from(record.is_void());
            self.note_repetition(record);
            if let Some(expected) = expected {
                self.compare(record, line, expected, findings);
            }
        } else if let Entry::Admission(admission) = entry {
            self.admissions.push((line, admission));
        } else if let Entry::Withdrawal(withdrawal) = entry {
            self.withdrawals.push((line, withdrawal));
        }
    }

    /// Counts a game that repeats an earlier one of the same entrants on the same sides.
    fn note_repetition(&mut self, record: &GameRecord) {
        if record.is_void() {
            return;
        }
        if !self.played.contains_key(&record.entrants) {
            self.played.insert(record.entrants.clone(), HashSet::new());
        }
        let games = self.played.get_mut(&record.entrants).expect("it is there");
        self.repeated += usize::from(!games.insert(record.played_hash()));
    }

    /// Compares a game with the plan, the schedule and the rules.
    fn compare(
        &self,
        record: &GameRecord,
        line: usize,
        expected: &mut ExpectedGames<'_>,
        findings: &mut Findings,
    ) {
        let place = || FindingPlace::line(JOURNAL, line).of(record.id.clone());
        let plan = expected.terms.plan;
        if let Some(pair) = expected.schedule.pair(&record.id.pair) {
            if let Some(message) = wrong_sides(plan, pair, record) {
                findings.problem(Check::Schedule, place(), &message);
            }
            if let Err(message) = expected.openings.compare(plan, pair, record) {
                findings.problem(Check::Openings, place(), &message);
            }
            let is_torn = self.damaged > 0;
            for message in expected.attendance.note(record, line, is_torn) {
                findings.problem(Check::Schedule, place(), &message);
            }
        } else {
            let pairs = expected.schedule.pairs.len();
            let message = format!("the schedule has no such pair; it has {pairs} pairs");
            findings.problem(Check::Schedule, place(), &message);
            expected.attendance.is_hopeless = true;
        }
        expected.attendance.is_hopeless |= is_hopeless(plan, record);
        expected.evidence.compare(plan, record, findings);
        play_again(expected.terms, record, &mut |check, message| {
            findings.problem(check, place(), message);
        });
    }

    fn conclude(&self, is_played: bool, findings: &mut Findings) {
        if self.torn_bytes > 0 {
            let message = format!(
                "the last line is torn: {} bytes without a newline. A run that was killed while \
                 it wrote leaves that, and `awale run` would cut it off",
                self.torn_bytes
            );
            if is_played {
                findings.note(Check::Journal, &message);
            } else {
                let place = FindingPlace::line(JOURNAL, self.lines);
                findings.problem(Check::Journal, place, &message);
            }
        }
        let sums = match self.damaged {
            0 => "each with its checksum".to_owned(),
            damaged => format!("{damaged} damaged or missing"),
        };
        let lines = format!("{} lines, {sums}", self.lines);
        findings.done(Check::Journal, lines);
        if self.damaged > 0 {
            findings.advise(advice::DAMAGED);
        }
        findings.done(Check::Schedule, format!("{} records", self.records));
        let games = format!("{} played again on the rules", self.records);
        findings.done(Check::Games, games);
        findings.done(Check::Times, format!("{} plies", self.plies));
        self.copies.conclude(findings);
        if self.voided > 0 {
            let message = format!("the host made {} games void, see noise.csv", self.voided);
            findings.note(Check::Games, &message);
        }
        if self.repeated > 0 {
            let message = format!(
                "{} of {} games repeat another one move by move, from the same sides and opening: \
                 they are not new evidence; more openings help",
                self.repeated,
                self.records - self.voided
            );
            findings.note(Check::Games, &message);
        }
    }
}
