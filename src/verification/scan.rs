//! Reads the journal from its first line to its last: checks each line, and each game by itself. It
//! keeps a few hundred bytes of each game, from which the tables are made: the journal is not read
//! again.

use super::copies::{Copies, TimesEvidence};
use super::evidence::EvidenceFolders;
use super::findings::{Check, DAMAGED, FindingPlace, Findings};
use super::game::play_again;
use super::schedule::{SeenGames, cannot_tabulate, wrong_sides};
use crate::record::{Admission, GameEnding, GameId, GameRecord, GameSummary, Withdrawal};
use crate::referee::EndgameJudge;
use crate::run_folder::{GameStore, JOURNAL, repair_note};
use crate::tournament::{
    EarlierPlan, Entry, IdentifiedGame, JournalError, JournalReader, JournalState, Openings, Plan,
    Progress, RunSettings, Schedule,
};
use crate::verification::schedule;
use std::collections::{BTreeMap, HashSet};
use std::io::BufRead;
use std::sync::Arc;

/// The expectations for the games, if they are known.
pub struct ExpectedGames<'a> {
    pub plan: &'a Plan,
    pub schedule: &'a Schedule,
    pub openings: &'a Openings,
    /// Tells the final stores of games that ended by endgame, if it is here.
    pub endgame: Option<&'a dyn EndgameJudge>,
    pub seen: SeenGames,
    pub evidence: EvidenceFolders,
}

/// A game of the journal after the checks that need no other game: they are done on the threads
/// that parse the journal.
struct CheckedGame {
    game: GameSummary,
    times: TimesEvidence,
    /// What the rules and the clock forbid.
    problems: Vec<(Check, String)>,
    is_of_shard: bool,
    /// The record of a game that ended by a fault, which its evidence is compared with.
    faulty: Option<Box<GameRecord>>,
}

impl CheckedGame {
    /// Replays a game of this plan, if it is known.
    fn of(record: Box<GameRecord>, expected: Option<(&Plan, Option<&dyn EndgameJudge>)>) -> Self {
        let mut problems = Vec::new();
        if let Some((plan, endgame)) = expected {
            play_again(plan, endgame, &record, &mut |check, message| {
                problems.push((check, message.to_owned()));
            });
        }
        Self {
            game: GameSummary::of(&record),
            times: TimesEvidence::of(&record),
            problems,
            is_of_shard: record.at.is_some(),
            faulty: record.fault().is_some().then_some(record),
        }
    }
}

impl IdentifiedGame for CheckedGame {
    fn id(&self) -> &GameId {
        self.game.id()
    }

    fn id_mut(&mut self) -> &mut GameId {
        self.game.id_mut()
    }

    fn entrants(&self) -> &[String; 2] {
        self.game.entrants()
    }
}

/// The contents of a journal.
#[derive(Default)]
pub struct Scan {
    /// The progress of the games, as for a resumed run.
    pub progress: Progress,
    /// The games, for the tables.
    pub games: GameStore,
    /// The last settings of the run, if the journal contains them.
    pub settings: Option<RunSettings>,
    /// Admissions with their lines and the revision of the plan, withdrawals with their lines.
    pub admissions: Vec<(usize, u32, Admission)>,
    pub withdrawals: Vec<(usize, Withdrawal)>,
    /// The number of records of games that count, including void ones.
    pub records: usize,
    /// The number of records of games that count only for earlier revisions of the plan.
    superseded: usize,
    /// The plans before the last one.
    pub earlier: Vec<EarlierPlan>,
    /// The number of rounds that were dealt under these plans.
    pub earlier_rounds: usize,
    voided: usize,
    /// Games that ended by endgame.
    pub solved: usize,
    plies: usize,
    /// Whether games were played on other machines, which examine entrants by themselves.
    pub has_shards: bool,
    /// The number of lines.
    pub lines: usize,
    /// The line of the last plan.
    pub plan_line: usize,
    /// Each entrant that played, with its first game in the schedule, and the line of its last game
    /// in each revision of the plan.
    pub players: BTreeMap<String, (GameId, BTreeMap<u32, usize>)>,
    /// The line of the first game of each revision of the plan.
    pub first_games: BTreeMap<u32, usize>,
    /// Lines that are damaged or missing, except for a torn last one.
    pub damaged: usize,
    /// Bytes of a torn last line.
    pub torn_bytes: u64,
    copies: Copies,
    /// The hashes of played games, by the entrants of South and North.
    played: BTreeMap<Arc<[String; 2]>, HashSet<u64>>,
    repeated: usize,
}

impl Scan {
    /// The line of the first game that was played after the plan changed last.
    pub fn first_game_of_last_plan(&self) -> Option<usize> {
        let revision = u32::try_from(self.earlier.len()).ok()?.checked_add(1)?;
        self.first_games.get(&revision).copied()
    }

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
            reader = reader.counting_for(expected.plan);
        }
        let known = expected.as_deref().map(|it| (it.plan, it.endgame));
        let check = |record| CheckedGame::of(record, known);
        reader.read_all(&check, &mut |state: &JournalState, entry| {
            match entry {
                Ok(entry) if state.counts(&entry) => {
                    let place = (state.line, state.revision());
                    scan.take(entry, place, expected.as_deref_mut(), findings);
                }
                Ok(entry) => scan.superseded += usize::from(matches!(entry, Entry::Game(_))),
                Err(JournalError::Damaged { line, reason }) => {
                    scan.damaged += 1;
                    let place = FindingPlace::line(JOURNAL, line);
                    findings.problem(Check::Journal, place, &reason);
                }
                Err(error) => return Err(error),
            }
            Ok(())
        })?;
        scan.games.sort();
        scan.lines = reader.state.line;
        let recorded = reader.state.plan.as_ref();
        scan.settings = recorded.map(|it| it.run.settings.clone());
        scan.torn_bytes = reader.state.text.torn_bytes;
        let is_only_torn = scan.torn_bytes > 0 && scan.lines == 1;
        if !reader.state.text.has_plan && scan.damaged == 0 && !is_only_torn {
            scan.damaged += 1;
            let message = "no line of it is the plan, which is its first";
            findings.problem(Check::Journal, FindingPlace::line(JOURNAL, 1), message);
        }
        let state = reader.state;
        scan.earlier = state.earlier;
        scan.earlier_rounds = state.earlier_rounds;
        scan.plan_line = state.plan.map_or(0, |plan| plan.line);
        if let Some(note) = repair_note(&state.set_aside) {
            findings.note(Check::Journal, &note);
        }
        for key in state.newer_keys {
            let message = format!("{key} is of a newer version of awale: it is not checked");
            findings.note(Check::Journal, &message);
        }
        scan.conclude(is_played, findings);
        // The tables need the memory of what was needed only while games were read.
        scan.copies = Copies::default();
        scan.played.clear();
        Ok(scan)
    }

    fn take(
        &mut self,
        entry: Entry<CheckedGame>,
        (line, revision): (usize, u32),
        expected: Option<&mut ExpectedGames<'_>>,
        findings: &mut Findings,
    ) {
        match entry {
            Entry::Game(mut checked) => {
                if let Some(expected) = expected {
                    self.compare(&mut checked, line, expected, findings);
                }
                self.has_shards |= checked.is_of_shard;
                self.take_game(checked, line, revision);
            }
            Entry::Admission(admission) => {
                self.progress.note_admission(&admission);
                self.admissions.push((line, revision, admission));
            }
            Entry::Withdrawal(withdrawal) => {
                self.progress.note_withdrawal(&withdrawal);
                self.withdrawals.push((line, withdrawal));
            }
        }
    }

    fn take_game(
        &mut self,
        CheckedGame { game, times, .. }: CheckedGame,
        line: usize,
        revision: u32,
    ) {
        self.progress.note_game(&game);
        self.first_games.entry(revision).or_insert(line);
        self.records += 1;
        for name in game.entrants.iter() {
            match self.players.get_mut(name) {
                None => {
                    let last = BTreeMap::from([(revision, line)]);
                    self.players.insert(name.clone(), (game.id.clone(), last));
                }
                // The order of the lines is that in which games ended, so it does not count.
                Some((first, last)) => {
                    last.insert(revision, line);
                    if game.id < *first {
                        first.clone_from(&game.id);
                    }
                }
            }
        }
        self.plies += game.moves.len();
        self.voided += usize::from(game.is_void());
        self.solved += usize::from(*game.ending == GameEnding::Endgame);
        self.note_repetition(&game);
        self.games.add(game, revision);
        let id = |number| self.games.id_of(number);
        self.copies.note(times, id);
    }

    /// Counts a game that repeats an earlier one of the same entrants on the same sides.
    fn note_repetition(&mut self, game: &GameSummary) {
        if game.is_void() {
            return;
        }
        let games = self.played.entry(Arc::clone(&game.entrants)).or_default();
        self.repeated += usize::from(!games.insert(game.content));
    }

    /// Compares a game with the plan, the schedule and the rules.
    fn compare(
        &self,
        checked: &mut CheckedGame,
        line: usize,
        expected: &mut ExpectedGames<'_>,
        findings: &mut Findings,
    ) {
        let game = &checked.game;
        let place = || FindingPlace::line(JOURNAL, line).of(&game.id);
        let plan = expected.plan;
        if let Some(pair) = expected.schedule.pair(&game.id.pair) {
            if let Some(message) = wrong_sides(plan, pair, game.id.number, &game.entrants) {
                findings.problem(Check::Schedule, place(), &message);
            }
            if let Err(message) = schedule::compare_openings(expected.openings, pair, game) {
                findings.problem(Check::Openings, place(), &message);
            }
            let is_torn = self.damaged > 0;
            for message in expected.seen.note(game, line, is_torn) {
                findings.problem(Check::Schedule, place(), &message);
            }
        } else {
            let pairs = expected.schedule.pairs.len();
            let message = format!("the schedule has no such pair; it has {pairs} pairs");
            findings.problem(Check::Schedule, place(), &message);
            expected.seen.cannot_tabulate = true;
        }
        expected.seen.cannot_tabulate |= cannot_tabulate(plan, game);
        if let Some(record) = checked.faulty.take() {
            let id = game.id.clone();
            let record = GameRecord { id, ..*record };
            expected.evidence.compare(plan, &record, findings);
        }
        for (check, message) in &checked.problems {
            findings.problem(*check, place(), message);
        }
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
            findings.advise(DAMAGED);
        }
        findings.done(Check::Schedule, format!("{} records", self.records));
        let games = format!("{} played again on the rules", self.records);
        findings.done(Check::Games, games);
        findings.done(Check::Times, format!("{} plies", self.plies));
        self.copies.conclude(findings);
        if !self.earlier.is_empty() {
            let message = format!(
                "the plan changed {} times: {} records count for the last plan and are checked, {} \
                 of earlier revisions do not count",
                self.earlier.len(),
                self.records,
                self.superseded
            );
            findings.note(Check::Schedule, &message);
        }
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
