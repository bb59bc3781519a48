//! Takes the games of shards into a run's folder. Each is compared with the schedule, the openings, the
//! rules and the clocks, and counts once, whatever comes twice, late or in another order.

use super::shard_file::ShardFile;
use crate::files::Folder;
use crate::record::{Admission, GameId, GameRecord};
use crate::run_folder::evidence::{FAULTS, LOGS};
use crate::run_folder::{
    FolderError, JournalFile, JournalGames, PLAN, RunFolder, admission_folder, write_file,
};
use crate::text::{counted, printable};
use crate::tournament::{
    Entry, Journal, JournalError, JournalReader, JournalState, MOST_TOGETHER, Openings, Progress,
    RunDocument, RunOutcome, Schedule, judge, missing_withdrawals,
};
use crate::verification::problems_of;
use std::io::{self, Write as _};

/// MiB of evidence and logs that are taken from a shard: more cannot come from its games, because a run
/// keeps no more.
const MOST_MIB: u64 = 64;
/// The longest name of a host, in bytes.
const LONGEST_HOST: usize = 255;
/// The most lines of a shard that are named; of the others the number is told.
const MOST_NAMED: usize = 20;

/// A run that takes games.
#[derive(Debug)]
pub struct Collector<'a> {
    folder: &'a RunFolder,
    run: &'a RunDocument,
    schedule: Schedule,
    openings: Openings,
    journal: Journal<JournalFile>,
    games: JournalGames,
    progress: Progress,
}

/// What was taken of a shard.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Taken {
    /// Games that were new.
    pub games: usize,
    /// Games that were there already.
    pub known: usize,
    /// Games that the host of the shard made void.
    pub voids: usize,
    /// What was refused, and why. Made of hostile text.
    pub refused: Vec<String>,
    /// Games that are there with other moves, although both bots are deterministic.
    pub contradicted: Vec<GameId>,
}

impl<'a> Collector<'a> {
    /// Takes games into this folder, whose journal has `games` and `progress` of this run.
    ///
    /// # Errors
    /// A message: the openings of the plan are not known.
    pub fn new(
        folder: &'a RunFolder,
        run: &'a RunDocument,
        journal: Journal<JournalFile>,
        (games, progress): (JournalGames, Progress),
    ) -> Result<Self, &'static str> {
        Ok(Self {
            folder,
            run,
            schedule: Schedule::new(&run.plan),
            openings: Openings::of(&run.plan).ok_or("the openings of the plan are not known")?,
            journal,
            games,
            progress,
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
                    let record = record.and_then(|it| self.new_attempt(it, &mut taken));
                    if let Some(record) = record {
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
        if !self.folder.files().is_file(PLAN) {
            evidence.copy_plan(self.folder, &self.run.plan.hash());
        }
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
        let mut problems = problems_of(&record, &self.run.plan, &self.schedule, &self.openings);
        let host = record.at.as_ref().map_or(0, |it| it.host.len());
        if host == 0 || host > LONGEST_HOST {
            problems.push("it names no host".to_owned());
        }
        match problems.first() {
            None => Some(record),
            Some(problem) => {
                taken.refuse(&format!("line {line}, game {}: {problem}", record.id));
                None
            }
        }
    }

    /// A game as the next attempt at it, if it is new.
    fn new_attempt(&self, record: GameRecord, taken: &mut Taken) -> Option<GameRecord> {
        if self.progress.is_done(&record.id) {
            taken.known += 1;
            if self.contradicts(&record) {
                taken.contradicted.push(record.id);
            }
            return None;
        }
        let attempt = self.progress.next_attempt(&record.id);
        if record.is_void() && record.attempt < attempt {
            return None;
        }
        if record.is_void() {
            taken.voids += 1;
        } else {
            taken.games += 1;
        }
        // Another copy of the shard may have had other voids.
        Some(GameRecord { attempt, ..record })
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
        let is_entrant = self.run.plan.entrants.iter().any(|it| it.name == *name);
        let is_better = match self.progress.admission(name) {
            None => true,
            Some(known) => known.refusal.is_some() && admission.refusal.is_none(),
        };
        let is_final = !self.progress.announced().is_empty();
        if !is_entrant || !is_better || is_final {
            return Ok(());
        }
        let place = admission_folder(name);
        let beside = if admission.refusal.is_some() {
            evidence.copy_folder(self.folder, &place)
        } else {
            self.folder.files().remove(&place)
        };
        beside.map_err(|error| self.folder.journal_error("write beside", error))?;
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

    /// How the run stands.
    pub fn outcome(&self) -> RunOutcome {
        judge(&self.run.plan, &self.schedule, self.progress.clone())
    }

    /// The schedule of the run.
    pub const fn schedule(&self) -> &Schedule {
        &self.schedule
    }

    /// The names of the entrants, in the order of the plan.
    pub fn names(&self) -> Vec<String> {
        self.run.plan.names()
    }

    /// What is known of its games.
    pub const fn progress(&self) -> &Progress {
        &self.progress
    }

    /// Appends the withdrawals that follow from the games, and returns all games.
    ///
    /// # Errors
    /// The folder fails, or a message: the journal has withdrawals that its games do not lead to.
    pub fn conclude(mut self) -> Result<Result<JournalGames, String>, FolderError> {
        let progress = self.progress.clone();
        let missing = missing_withdrawals(&self.run.plan, &self.schedule, progress);
        match missing {
            Err(error) => return Ok(Err(error.to_string())),
            Ok(missing) if missing.is_empty() => {}
            Ok(missing) => {
                let appended = self.journal.append_withdrawals(&missing);
                appended.map_err(|error| self.folder.journal_error("write", error))?;
            }
        }
        self.folder.read_on(&mut self.games, &mut |_, _| Ok(()))?;
        Ok(Ok(self.games))
    }
}

impl Taken {
    /// Refuses something.
    fn refuse(&mut self, what: &str) {
        self.refused.push(printable(what));
    }

    /// What was refused, in lines: not more of them than somebody reads.
    pub fn refusals(&self) -> Vec<String> {
        let mut lines: Vec<String> = self.refused.iter().take(MOST_NAMED).cloned().collect();
        if let Some(more @ 1..) = self.refused.len().checked_sub(MOST_NAMED) {
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
        for side in ["south", "north"] {
            let name = format!("{LOGS}/{}.{side}.txt", record.id);
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
        for file in names {
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

    /// Copies `plan.toml`, if it is that of this plan. It decides nothing: the journal has the plan.
    fn copy_plan(&mut self, run: &RunFolder, hash: &str) {
        let Some(text) = self.read(PLAN) else {
            return;
        };
        let wanted = format!("plan-sha256 = \"{hash}\"");
        let mut lines = text.split(|&byte| byte == b'\n');
        if lines.any(|line| line == wanted.as_bytes()) {
            // Without it the run can still be read.
            let _ = run.write(PLAN, &text);
        }
    }
}
