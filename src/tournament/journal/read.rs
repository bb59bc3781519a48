//! Reads a journal.

use super::FORMAT;
use super::error::{JournalError, PlanDifference};
use super::line::{
    Entry, IdentifiedGame, ParsedLine, PlanLine, SUM_DIGITS, SetAsideLine, begins_as_game,
};
use super::part::{LONGEST_LINE, Part, Taken, take_line};
use crate::record::{GameRecord, Withdrawal};
use crate::tournament::document::RunSettings;
use crate::tournament::document::{Agreement, RunDocument, hash_of};
use crate::tournament::formats::DealtRound;
use crate::tournament::pair_names::PairNames;
use crate::tournament::plan::Plan;
use std::collections::BTreeSet;
use std::io::{self, BufRead};
use std::sync::Arc;

/// Bytes that are kept for the next line.
const KEPT: usize = 64 << 10;
/// The most keys of a newer version that are named.
const NEWER_KEYS: usize = 20;
/// The most characters of each.
const NEWER_KEY: usize = 100;

/// The sizes of a journal that was read to its end.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct JournalText {
    /// Bytes of whole lines; the rest is torn.
    pub whole_bytes: u64,
    /// Bytes of the last whole line.
    pub last_bytes: u64,
    /// Bytes of a torn last line.
    pub torn_bytes: u64,
    /// Whether the first line is there.
    pub has_plan: bool,
}

/// A plan of a run that another one has followed.
#[derive(Clone, Debug, PartialEq)]
pub struct EarlierPlan {
    /// The run, with its last settings.
    pub run: RunDocument,
    /// Bytes of the journal up to the line of the next plan, and with it.
    pub bytes: u64,
}

/// What is known after some lines of a journal. A reader of the lines that follow can start with
/// it.
#[derive(Clone, Debug, Default)]
pub struct JournalState {
    /// The number of the last line, from 1; 0 before the first.
    pub line: usize,
    /// The sizes of the lines.
    pub text: JournalText,
    /// The checksum of the last line.
    last_sum: Option<[u8; SUM_DIGITS]>,
    /// Empty lines that a repair takes out. The plan may stand after them.
    pub(super) empty_lines: usize,
    /// The run's definition, with the settings up to here.
    pub plan: Option<RecordedPlan>,
    /// The plans before, in their order.
    pub earlier: Vec<EarlierPlan>,
    /// The number of rounds that were dealt under the plans before.
    pub earlier_rounds: usize,
    /// The lines that repairs have set aside, in the order of the repairs.
    pub set_aside: Vec<SetAsideLine>,
    /// Keys and kinds of lines that a newer version of awale wrote and this one leaves out, as in
    /// `game.colour`; at most 20. Hostile text.
    pub newer_keys: BTreeSet<String>,
    /// The plan that results are to count for, if it need not be that of the lines before them.
    target: Option<Arc<Plan>>,
    /// Which results of this revision count for the target.
    agreement: Agreement,
    /// The ids of the pairs of the target, or else of the plan.
    names: Option<PairNames>,
    /// Whether entries are also valid without a plan before them.
    is_survey: bool,
    /// Whether reading has ended.
    is_over: bool,
}

/// Reads a journal line by line; memory does not grow with its length.
#[derive(Debug)]
pub struct JournalReader<R> {
    pub(super) input: R,
    /// What is known after the lines that were read.
    pub state: JournalState,
    /// The bytes of a line.
    pub(super) text: Vec<u8>,
}

impl<R: BufRead> JournalReader<R> {
    /// A reader of a journal from its beginning.
    pub fn new(input: R) -> Self {
        Self::going_on(input, JournalState::default())
    }

    /// A reader of the lines after those that gave this state.
    pub fn going_on(input: R, mut state: JournalState) -> Self {
        // A torn rest counted as a line. It was cut off since, or its line is whole now.
        state.line -= usize::from(std::mem::take(&mut state.text.torn_bytes) > 0);
        state.is_over = false;
        Self {
            input,
            state,
            text: Vec::new(),
        }
    }

    /// A reader for damaged journals: it can go on after a damaged line, and reads entries even if
    /// the plan is damaged.
    pub fn surveying(input: R) -> Self {
        let mut reader = Self::new(input);
        reader.state.is_survey = true;
        reader
    }

    /// The same for results that are to count for this plan. The journal's first line may be
    /// damaged.
    #[must_use]
    pub fn counting_for(mut self, plan: &Plan) -> Self {
        self.state = self.state.counting_for(plan);
        self
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
        while let Some(part) = self.next_part(&|record| record) {
            let entry = self.state.accept(part)?;
            if entry.is_some() {
                return Ok(entry);
            }
        }
        Ok(None)
    }

    /// The next part, if there is one; it must be accepted.
    pub(super) fn next_part<G>(&mut self, keep: &dyn Fn(Box<GameRecord>) -> G) -> Option<Part<G>> {
        if self.state.is_over {
            return None;
        }
        let taken = self.take_line();
        Some(Part::new(taken, &self.text, keep))
    }

    /// Reads up to the next line that is not a game, or to the end; returns whether it is the end.
    /// Games are not parsed.
    ///
    /// # Errors
    /// Those of [`JournalReader::next_entry`], but for damaged games.
    pub fn skip_games(&mut self) -> Result<bool, JournalError> {
        while !self.state.is_over {
            match self.take_line() {
                Ok((bytes, Taken::Line(line))) if begins_as_game(&self.text[line.clone()]) => {
                    self.state.skip(bytes);
                }
                taken => {
                    let part = Part::new(taken, &self.text, |record| record);
                    self.state.accept(part)?;
                    return Ok(self.state.is_over);
                }
            }
        }
        Ok(true)
    }

    fn take_line(&mut self) -> io::Result<(u64, Taken)> {
        self.text.clear();
        // One long line does not hold memory for all that follow.
        self.text.shrink_to(KEPT);
        take_line(&mut self.input, LONGEST_LINE, &mut self.text)
    }
}

impl JournalState {
    /// The beginning of a journal whose results are to count for this plan.
    #[must_use]
    pub fn counting_for(self, plan: &Plan) -> Self {
        Self {
            names: Some(PairNames::new(plan)),
            target: Some(Arc::new(plan.clone())),
            ..self
        }
    }

    /// The revision of the plan here: the lines after the first plan are of revision 1.
    pub fn revision(&self) -> u32 {
        u32::try_from(self.earlier.len()).map_or(u32::MAX, |earlier| earlier.saturating_add(1))
    }

    /// Whether an entry of this revision counts for the plan that was asked for. Without one, all
    /// do.
    pub fn counts<G: IdentifiedGame>(&self, entry: &Entry<G>) -> bool {
        match entry {
            Entry::Game(game) => self.agreement.counts_game(game.entrants(), game.id()),
            Entry::Admission(admission) => self.agreement.counts_admission(&admission.entrant),
            Entry::Withdrawal(_) => self.agreement.counts_withdrawal(),
        }
    }

    /// Passes a whole line without looking at it.
    const fn skip(&mut self, bytes: u64) {
        self.line += 1;
        self.last_sum = None;
        self.text.whole_bytes += bytes;
        self.text.last_bytes = bytes;
    }

    /// Takes the next part of the journal; returns its entry, if it is one.
    pub(super) fn accept<G: IdentifiedGame>(
        &mut self,
        part: Part<G>,
    ) -> Result<Option<Entry<G>>, JournalError> {
        self.line += usize::from(part.bytes > 0);
        let room = NEWER_KEYS.saturating_sub(self.newer_keys.len());
        let named = part.newer.iter().take(room);
        let named = named.map(|key| key.chars().take(NEWER_KEY).collect());
        self.newer_keys.extend(named);
        let reason = match part.content {
            Ok(Taken::Line(line)) => {
                self.text.whole_bytes += part.bytes;
                self.text.last_bytes = part.bytes;
                let line = line.map_err(|reason| self.damaged(reason))?;
                // A copy or a power failure may leave the last line of a file twice.
                let last = std::mem::replace(&mut self.last_sum, part.sum);
                if part.sum.is_some() && part.sum == last {
                    return Ok(None);
                }
                return self.take(line);
            }
            // A line and its newline are written together, so only a crash leaves a line without
            // one, and only as the last line.
            Ok(Taken::Rest) => {
                self.text.torn_bytes = part.bytes;
                self.is_over = true;
                return Ok(None);
            }
            Err(error) => {
                self.is_over = true;
                return Err(error.into());
            }
            Ok(Taken::Hole(place)) => {
                self.text.whole_bytes += part.bytes;
                self.text.last_bytes = part.bytes;
                format!("byte {place} of it is 0, as in a hole of the file")
            }
            Ok(Taken::Endless) => {
                // Searching for its end might take forever.
                self.is_over = true;
                let most = LONGEST_LINE >> 20;
                format!("it has more than {most} MiB, which no line has; the rest is not read")
            }
        };
        Err(self.damaged(reason))
    }

    fn take<G: IdentifiedGame>(
        &mut self,
        line: ParsedLine<G>,
    ) -> Result<Option<Entry<G>>, JournalError> {
        let entry = match line {
            ParsedLine::Plan(plan) => {
                self.take_plan(*plan)?;
                return Ok(None);
            }
            ParsedLine::Settings(settings) => {
                self.take_settings(settings);
                return Ok(None);
            }
            ParsedLine::Repair(repair) => {
                self.set_aside.extend(repair.set_aside);
                return Ok(None);
            }
            ParsedLine::Round(round) => {
                self.take_round(round)?;
                return Ok(None);
            }
            ParsedLine::Newer => return Ok(None),
            ParsedLine::Entry(entry) => entry,
        };
        if !self.is_survey && self.plan.is_none() {
            return Err(self.damaged("it stands before the plan".to_owned()));
        }
        Ok(Some(self.placed(entry)))
    }

    fn take_plan(&mut self, plan: PlanLine) -> Result<(), JournalError> {
        if self.plan.is_none() && self.line != 1 + self.empty_lines {
            return Err(self.damaged("the plan is not in the first line".to_owned()));
        }
        if plan.format != FORMAT {
            return Err(JournalError::Newer { found: plan.format });
        }
        let mut plan = RecordedPlan::new(plan, self.line).map_err(|reason| self.damaged(reason))?;
        if let Some(earlier) = &self.plan {
            let run = earlier.followed_by(&plan);
            let run = run.map_err(|reason| self.damaged(reason.to_owned()))?;
            plan.run.plan.rounds.clone_from(&run.plan.rounds);
            self.earlier_rounds = run.plan.rounds.len();
            let bytes = self.text.whole_bytes;
            self.earlier.push(EarlierPlan { run, bytes });
        }
        self.text.has_plan = true;
        self.follow(&plan.run.plan);
        self.plan = Some(plan);
        Ok(())
    }

    /// Takes the lines that follow as those of this plan.
    fn follow(&mut self, plan: &Plan) {
        match &self.target {
            Some(target) => self.agreement = Agreement::of(plan, target),
            None => self.names = Some(PairNames::new(plan)),
        }
    }

    /// Takes a round that was dealt: the games of its matches follow.
    fn take_round(&mut self, round: DealtRound) -> Result<(), JournalError> {
        let Some(recorded) = &mut self.plan else {
            if self.is_survey {
                return Ok(());
            }
            return Err(self.damaged("it stands before the plan".to_owned()));
        };
        if let Err(reason) = recorded.run.plan.check_round(&round) {
            return Err(self.damaged(reason));
        }
        recorded.run.plan.rounds.push(round.clone());
        let plan = match &mut self.target {
            // A plan that was read from this journal may have its rounds already.
            Some(target) if target.rounds.len() < recorded.run.plan.rounds.len() => {
                let target = Arc::make_mut(target);
                target.rounds.push(round);
                target
            }
            Some(_) => return Ok(()),
            None => &recorded.run.plan,
        };
        self.names = Some(PairNames::new(plan));
        Ok(())
    }

    /// Applies the settings of a resumed run, with which a test may have more pairs.
    fn take_settings(&mut self, settings: RunSettings) {
        if let (Some(RecordedPlan { run, .. }), Some(names)) = (&mut self.plan, &mut self.names) {
            run.set(settings);
            if self.target.is_none() {
                *names = PairNames::new(&run.plan);
            }
        }
    }

    /// Adds to the id of an entry its place in the schedule.
    fn placed<G: IdentifiedGame>(&self, entry: Entry<G>) -> Entry<G> {
        let Some(names) = &self.names else {
            return entry;
        };
        match entry {
            Entry::Game(mut game) => {
                let id = game.id_mut();
                *id = names.placed(id.clone());
                Entry::Game(game)
            }
            Entry::Withdrawal(withdrawal) => Entry::Withdrawal(Withdrawal {
                after: names.placed(withdrawal.after),
                ..withdrawal
            }),
            Entry::Admission(admission) => Entry::Admission(admission),
        }
    }

    fn damaged(&self, reason: String) -> JournalError {
        JournalError::Damaged {
            line: self.line,
            reason,
        }
    }
}

/// The definition of a run in a journal.
#[derive(Clone, Debug, PartialEq)]
pub struct RecordedPlan {
    /// Its line in the journal, from 1.
    pub line: usize,
    /// The plan's hash.
    pub hash: String,
    /// Whether the hash matches the definition.
    pub hash_fits: bool,
    /// What decided the games; after the last line, with its last settings.
    pub run: Box<RunDocument>,
}

impl RecordedPlan {
    /// The definition in this line, which has this number.
    pub(super) fn new(line: PlanLine, number: usize) -> Result<Self, String> {
        let plan = Plan::of_document(&line.plan, &line.settings)?;
        let settings = line.settings;
        Ok(Self {
            line: number,
            hash_fits: hash_of(&line.plan) == line.sha256,
            hash: line.sha256,
            run: Box::new(RunDocument { plan, settings }),
        })
    }

    /// The run before another plan follows in the same journal.
    ///
    /// # Errors
    /// What forbids that plan there.
    pub(super) fn followed_by(&self, later: &Self) -> Result<RunDocument, &'static str> {
        check_update(&self.run.plan, &later.run.plan)
            .map_err(|_| "a second plan, which no run of the first one has")?;
        Ok(RunDocument::clone(&self.run))
    }

    /// The run, if its plan is another one than this. A test with more pairs than before has the
    /// same plan.
    pub fn other_than(&self, plan: &Plan) -> Option<RunDocument> {
        let is_same = self.run.plan.differences(plan).is_empty();
        (!is_same).then(|| RunDocument::clone(&self.run))
    }
}

/// Checks that a run can change from one plan to another. A sequential test has one plan, and so has
/// a tournament whose rounds depend on each other; the secret is that of all games.
///
/// # Errors
/// Names the keys that differ.
pub fn check_update(earlier: &Plan, later: &Plan) -> Result<(), PlanDifference> {
    let has_one_plan = |plan: &Plan| plan.test.is_some() || plan.is_dealt() && plan.until.is_none();
    let is_final = has_one_plan(earlier) || has_one_plan(later);
    let differences = earlier.differences(later);
    if is_final || earlier.secret != later.secret {
        return Err(PlanDifference { differences });
    }
    Ok(())
}
