//! Takes the games of shards into a run's folder. Each is compared with the schedule, the openings, the
//! rules and the clocks, and counts once, whatever comes twice, late or in another order.

use super::check::{GameCheck, LONGEST_TEXTS};
use super::shard_file::ShardFile;
use crate::files::Folder;
use crate::record::{Admission, GameId, GameRecord};
use crate::referee::EndgameJudge;
use crate::report::shortened;
use crate::run_folder::evidence::{EVIDENCE_FILES, FAULTS, LOGS};
use crate::run_folder::{
    FolderError, JournalFile, JournalGames, RunFolder, admission_folder, write_file,
};
use crate::text::counted;
use crate::tournament::{
    Entry, Journal, JournalError, JournalReader, JournalState, MOST_TOGETHER, Progress,
    RunDocument, RunOutcome, Schedule, UnfoundedWithdrawal, judge, missing_withdrawals,
};
use crate::verification::is_possible;
use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write as _};
use std::sync::Arc;
use thiserror::Error;

/// MiB of evidence and logs that are taken from a shard: more cannot come from its games, because a run
/// keeps no more.
const MOST_MIB: u64 = 64;
/// The most characters of a reason that is shown.
const LONGEST_REASON: usize = 300;
/// After so many bad lines a shard is given up.
const MOST_REFUSED: usize = 10_000;
/// The most lines of a shard that are named; of the others the number is told.
const MOST_NAMED: usize = 20;

/// A run that takes games.
#[derive(Debug)]
pub struct Collector<'a> {
    folder: &'a RunFolder,
    run: &'a RunDocument,
    check: GameCheck,
    journal: Journal<JournalFile>,
    progress: Progress,
    /// The entrants of the games that have a result.
    players: BTreeSet<String>,
    /// Entrants that a machine has refused, until one admits them.
    refusals: BTreeMap<String, Admission>,
}

/// What was taken of a shard.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Taken {
    /// Games that were new.
    pub games: usize,
    /// Games that were there already.
    pub known: usize,
    /// Games that the host of the shard made void. They are not taken: what is void everywhere is
    /// missing, and in which order shards come must not tell when a game counts.
    pub voids: usize,
    /// How many lines were refused.
    pub refused: usize,
    /// Why, of the first ones. Made of hostile text.
    pub reasons: Vec<String>,
    /// The first games that are there with other moves, although both bots are deterministic.
    pub contradicted: BTreeSet<GameId>,
}

impl<'a> Collector<'a> {
    /// Takes games into this folder, whose journal has `games` and `progress` of this run. `endgame`
    /// knows the values that its plan names, if it names any.
    ///
    /// # Errors
    /// A message: the openings of the plan are not known.
    pub fn new(
        folder: &'a RunFolder,
        run: &'a RunDocument,
        journal: Journal<JournalFile>,
        (games, progress): (&JournalGames, Progress),
        endgame: Option<Arc<dyn EndgameJudge>>,
    ) -> Result<Self, &'static str> {
        let results = games.store().results();
        let players = results.flat_map(|game| game.entrants.to_vec()).collect();
        Ok(Self {
            folder,
            run,
            check: GameCheck::new(run.plan.clone(), endgame)?,
            journal,
            progress,
            players,
            refusals: BTreeMap::new(),
        })
    }

    /// Takes what is new in a shard.
    ///
    /// # Errors
    /// The run's folder fails. What is wrong with the shard is in the result.
    pub fn take(&mut self, shard: &mut ShardFile) -> Result<Taken, FolderError> {
        let mut taken = Taken::default();
        let mut evidence = Luggage::of(shard.files.take());
        let mut reader = JournalReader::surveying(&mut shard.journal);
        let mut records = Vec::new();
        let mut is_of_plan = false;
        loop {
            let entry = match reader.next_entry() {
                Ok(Some(entry)) => entry,
                Ok(None) => break,
                Err(JournalError::Damaged { line, reason }) => {
                    taken.refuse(&format!("line {line}: {reason}"));
                    if !is_of_plan && reader.state.plan.is_none() || taken.refused > MOST_REFUSED {
                        taken.refuse("the rest is not read");
                        break;
                    }
                    continue;
                }
                Err(error) => {
                    taken.refuse(&error.to_string());
                    break;
                }
            };
            if !is_of_plan {
                is_of_plan = self.is_of_plan(&reader.state, &mut taken);
            }
            if !is_of_plan || !reader.state.earlier.is_empty() {
                break;
            }
            let line = reader.state.line;
            match entry {
                Entry::Game(record) => {
                    let record = self.checked(*record, line, &mut taken);
                    if let Some(mut record) = record.filter(|it| self.is_new(it, &mut taken)) {
                        // Its voids do not come along.
                        record.attempt = self.progress.next_attempt(&record.id);
                        self.admit_players(&record)?;
                        evidence
                            .copy_game(self.folder, &record)
                            .map_err(|error| self.folder.journal_error("write beside", error))?;
                        self.progress.note(&record);
                        records.push(record);
                    }
                }
                Entry::Admission(admission) => self.take_admission(&admission, &mut evidence)?,
                // It follows from the games of all shards, and is decided here.
                Entry::Withdrawal(_) => {}
            }
            if records.len() >= MOST_TOGETHER {
                self.append(&std::mem::take(&mut records))?;
            }
        }
        if reader.state.text.torn_bytes > 0 {
            taken.refuse("its last line is torn");
        }
        self.append(&records)?;
        Ok(taken)
    }

    /// Whether a shard is one of this run, as its first line says.
    fn is_of_plan(&self, state: &JournalState, taken: &mut Taken) -> bool {
        let Some(plan) = state.plan.as_ref().filter(|it| it.hash_fits) else {
            taken.refuse("it does not say of which plan it is: nothing of it is taken");
            return false;
        };
        if plan.run.plan.hash() == self.run.plan.hash() {
            return true;
        }
        let differences = self.run.plan.differences(&plan.run.plan).into_iter();
        let keys: Vec<String> = differences.take(3).map(|it| it.key).collect();
        taken.refuse(&format!(
            "it is a shard of another plan ({}): nothing of it is taken",
            keys.join(", ")
        ));
        false
    }

    /// A game, if it is possible.
    fn checked(&self, record: GameRecord, line: usize, taken: &mut Taken) -> Option<GameRecord> {
        match self.check.problem(&record) {
            None => Some(record),
            Some(problem) => {
                taken.refuse(&format!("line {line}, game {}: {problem}", record.id));
                None
            }
        }
    }

    /// Whether a game has a result that is new.
    fn is_new(&self, record: &GameRecord, taken: &mut Taken) -> bool {
        if record.is_void() {
            taken.voids += 1;
            return false;
        }
        let is_done = self.progress.is_done(&record.id);
        if !is_done {
            taken.games += 1;
            return true;
        }
        taken.known += 1;
        if self.contradicts(record) && taken.contradicted.len() < MOST_NAMED {
            taken.contradicted.insert(record.id.clone());
        }
        false
    }

    /// Who has played a game is admitted, whatever another machine has said.
    fn admit_players(&mut self, record: &GameRecord) -> Result<(), FolderError> {
        for name in &record.entrants {
            self.players.insert(name.clone());
            self.refusals.remove(name);
            if self.progress.refusal(name).is_some() {
                self.admit(&Admission {
                    entrant: name.clone(),
                    refusal: None,
                    late: None,
                    side_ms: None,
                })?;
            }
        }
        Ok(())
    }

    /// Whether a game differs from the one that is there, and both bots always play the same.
    fn contradicts(&self, record: &GameRecord) -> bool {
        let deterministic = &self.run.settings.deterministic;
        let is_same_each_time = record.entrants.iter().all(|it| deterministic.contains(it));
        let known = self.progress.content_of(&record.id);
        is_same_each_time && known.is_some_and(|it| it != record.played_hash())
    }

    /// An entrant is admitted if any machine has admitted it; otherwise a machine that lacks something
    /// could keep it out.
    fn take_admission(
        &mut self,
        admission: &Admission,
        evidence: &mut Luggage,
    ) -> Result<(), FolderError> {
        let name = &admission.entrant;
        let entrants = &self.run.plan.entrants;
        let Some(entrant) = entrants.iter().find(|it| it.name == *name) else {
            return Ok(());
        };
        let length = serde_json::to_string(admission).map_or(usize::MAX, |it| it.len());
        if !is_possible(&self.run.plan, entrant, admission) || length > LONGEST_TEXTS {
            return Ok(());
        }
        if admission.refusal.is_none() {
            self.refusals.remove(name);
            let is_known = self.progress.is_admitted(name);
            return if is_known {
                Ok(())
            } else {
                self.admit(admission)
            };
        }
        let known = self.progress.admission(name).or(self.refusals.get(name));
        let is_better = match known {
            None => true,
            Some(known) => !known.is_settled() && admission.is_settled(),
        };
        if !is_better || self.players.contains(name) {
            return Ok(());
        }
        let copied = evidence.copy_folder(self.folder, &admission_folder(name));
        copied.map_err(|error| self.folder.journal_error("write beside", error))?;
        self.refusals.insert(name.clone(), admission.clone());
        Ok(())
    }

    /// Writes an admission, unless the journal has withdrawals that would not follow any more.
    fn admit(&mut self, admission: &Admission) -> Result<(), FolderError> {
        let mut progress = self.progress.clone();
        progress.note_admission(admission);
        let is_final = !progress.announced().is_empty();
        if is_final && missing_withdrawals(&self.run.plan, &self.check.schedule, progress).is_err()
        {
            return Ok(());
        }
        let removed = self
            .folder
            .files()
            .remove(admission_folder(&admission.entrant));
        removed.map_err(|error| self.folder.journal_error("write beside", error))?;
        let appended = self.journal.append_admission(admission);
        appended.map_err(|error| self.folder.journal_error("write", error))?;
        self.progress.note_admission(admission);
        Ok(())
    }

    fn append(&mut self, records: &[GameRecord]) -> Result<(), FolderError> {
        if records.is_empty() {
            return Ok(());
        }
        let appended = self.journal.append(records);
        appended.map_err(|error| self.folder.journal_error("write", error))
    }

    /// How the run stands. While shards may still come, nobody is out whom some machine has refused.
    pub fn outcome(&self, may_come: bool) -> RunOutcome {
        let mut progress = self.progress.clone();
        for refusal in self.refusals.values().filter(|_| !may_come) {
            progress.note_admission(refusal);
        }
        judge(&self.run.plan, &self.check.schedule, progress)
    }

    /// The schedule of the run.
    pub const fn schedule(&self) -> &Schedule {
        &self.check.schedule
    }

    /// The names of the entrants, in the order of the plan.
    pub fn names(&self) -> Vec<String> {
        self.run.plan.names()
    }

    /// What is known of its games.
    pub const fn progress(&self) -> &Progress {
        &self.progress
    }

    /// Writes what follows from the games: who is not admitted, and once the run is complete, who is
    /// withdrawn.
    ///
    /// # Errors
    /// The folder fails, or the journal has withdrawals that its games do not lead to.
    pub fn conclude(mut self) -> Result<(), ConcludeError> {
        for refusal in self.refusals.values() {
            let appended = self.journal.append_admission(refusal);
            appended.map_err(|error| self.folder.journal_error("write", error))?;
            self.progress.note_admission(refusal);
        }
        let is_complete =
            judge(&self.run.plan, &self.check.schedule, self.progress.clone()).complete;
        let missing = missing_withdrawals(&self.run.plan, &self.check.schedule, self.progress)?;
        if is_complete && !missing.is_empty() {
            let appended = self.journal.append_withdrawals(&missing);
            appended.map_err(|error| self.folder.journal_error("write", error))?;
        }
        Ok(())
    }
}

/// Why a run cannot be concluded.
#[derive(Debug, Error)]
pub enum ConcludeError {
    /// Its folder fails.
    #[error(transparent)]
    Folder(#[from] FolderError),
    /// Its journal contradicts itself.
    #[error(transparent)]
    Withdrawal(#[from] UnfoundedWithdrawal),
}

impl Taken {
    /// Refuses something.
    fn refuse(&mut self, what: &str) {
        self.refused += 1;
        if self.reasons.len() < MOST_NAMED {
            self.reasons.push(shortened(what, LONGEST_REASON));
        }
    }

    /// What was refused, in lines: not more of them than somebody reads.
    pub fn refusals(&self) -> Vec<String> {
        let mut lines = self.reasons.clone();
        if let Some(more @ 1..) = self.refused.checked_sub(lines.len()) {
            lines.push(format!("and {}", counted(more, "more line", "more lines")));
        }
        lines
    }
}

/// What a shard has beside its journal: evidence and logs, of which no more than a bound is taken.
struct Luggage {
    files: Option<Folder>,
    left: u64,
}

impl Luggage {
    fn of(files: Option<Folder>) -> Self {
        Self {
            files,
            left: MOST_MIB << 20,
        }
    }

    /// Copies the evidence and the logs of a game.
    fn copy_game(&mut self, run: &RunFolder, record: &GameRecord) -> io::Result<()> {
        if record.fault().is_some() {
            self.copy_folder(run, &format!("{FAULTS}/{}", record.id))?;
        }
        for end in ["south.txt", "north.txt", "south.jsonl", "north.jsonl"] {
            let name = format!("{LOGS}/{}.{end}", record.id);
            if let Some(bytes) = self.read(&name) {
                write_file(run.files(), &name, |out| Ok(out.write_all(&bytes)?))
                    .map_err(io::Error::other)?;
            }
        }
        Ok(())
    }

    /// Copies a folder with files, whole or not at all.
    fn copy_folder(&mut self, run: &RunFolder, name: &str) -> io::Result<()> {
        let names = match &self.files {
            Some(files) if files.is_folder(name) => files.names(name).unwrap_or_default(),
            _ => return Ok(()),
        };
        let (parent, own) = name.rsplit_once('/').unwrap_or(("", name));
        let part = format!("{parent}/.{own}.part");
        let to = run.files();
        to.remove(&part)?;
        to.make(&part)?;
        for file in names
            .iter()
            .filter(|it| EVIDENCE_FILES.contains(&it.as_str()))
        {
            if let Some(bytes) = self.read(&format!("{name}/{file}")) {
                let mut copy = to.create_file(format!("{part}/{file}"), 0o644)?;
                copy.write_all(&bytes)?;
            }
        }
        to.remove(name)?;
        to.rename(&part, name)?;
        Ok(())
    }

    /// A file, if it is there and within the bound.
    fn read(&mut self, name: &str) -> Option<Vec<u8>> {
        let files = self.files.as_ref()?;
        if !files.is_file(name) {
            return None;
        }
        let most = self.left.div_ceil(1 << 20);
        match files.read(name, most) {
            Ok(bytes) if bytes.len() as u64 <= self.left => {
                self.left -= bytes.len() as u64;
                Some(bytes)
            }
            // Who verifies the run is told what is missing.
            Ok(_) | Err(_) => None,
        }
    }
}
