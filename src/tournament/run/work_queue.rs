//! The remaining work: examinations first, then games in the order of play. Known games are judged
//! by the same code, as a run would that plays nothing more.

use crate::record::{Admission, GameId, GameRecord, Withdrawal};
use crate::tournament::counted_games::{CountedGames, UnfoundedWithdrawal};
use crate::tournament::examination::{Gate, ROUNDS};
use crate::tournament::formats::{DealtRound, next_round};
use crate::tournament::plan::EntrantIndex;
use crate::tournament::plan::Plan;
use crate::tournament::play_order::PlayOrder;
use crate::tournament::progress::{Fate, Progress};
use crate::tournament::run::outcome::RunOutcome;
use crate::tournament::run::pair_order::PairOrder;
use crate::tournament::schedule::{Pair, Schedule};
use crate::tournament::slots::Job;
use std::collections::{BTreeSet, VecDeque};
use std::ops::Range;

/// How many pairs for each slot may be played ahead of the first unsettled one, where such games
/// may be wasted. It is large enough that one slow pair among many entrants does not leave the
/// other slots without work.
const LOOK_AHEAD: usize = 32;
/// The same where a sequential test may end everything at any pair: only two entrants play, all
/// pairs take about the same time, and games beyond the decision are always wasted.
const TEST_LOOK_AHEAD: usize = 4;

/// What is to be done next.
#[derive(Clone, Debug)]
pub enum Task {
    Play(Job),
    Examine(EntrantIndex),
}

/// The remaining work: examinations, and after all of them games in the order of play. Void games
/// are repeated before new ones begin.
pub struct WorkQueue<'a> {
    plan: &'a Plan,
    /// The entrants that wait for their examination.
    pub candidates: VecDeque<EntrantIndex>,
    /// The entrants in an examination.
    examined: BTreeSet<EntrantIndex>,
    /// Entrants whose examination the host disturbed in this round: they follow in the next.
    postponed: VecDeque<EntrantIndex>,
    /// The number of finished rounds of examinations.
    pub rounds: u32,
    /// Whether a single refusal ends the run.
    all_required: bool,
    /// Whether nothing may be played after the examinations.
    pub barred: bool,
    schedule: &'a Schedule,
    /// The places in the schedule of the pairs that are played here.
    share: Range<usize>,
    pairs: PairOrder<'a>,
    progress: Progress,
    pub counted_games: CountedGames<'a>,
    /// Entrants whose files cannot be used, until that is in the journal.
    unfit: BTreeSet<EntrantIndex>,
    /// Whether the games that were known from the beginning are settled.
    is_begun: bool,
    again: VecDeque<Job>,
    /// The number of tasks that slots have not finished.
    pub out: usize,
    /// The number of games that were handed out and are not noted yet.
    in_play: usize,
    /// The number of times that this run may still repeat the open pairs.
    repetitions: u32,
    /// The pairs of a slot that may be played ahead where entrants may be withdrawn. A carrier bounds
    /// them itself.
    pub look_ahead: usize,
}

/// The consequences of a record.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Consequences {
    /// The host has made the game void so often that its pair stays open in this round.
    pub stays_open: bool,
    pub withdrawn: Vec<Withdrawal>,
}

impl<'a> WorkQueue<'a> {
    /// The remaining work of a tournament with this progress.
    pub fn new(
        plan: &'a Plan,
        schedule: &'a Schedule,
        share: Range<usize>,
        gate: &Gate,
        order: PlayOrder,
        progress: Progress,
    ) -> Self {
        // Once the journal contains a withdrawal, new examinations could contradict it.
        let is_final = !progress.announced().is_empty();
        let is_open = |entrant: &EntrantIndex| {
            let name = &plan.entrants[entrant.index()].name;
            let known = progress.admission(name);
            known.is_none_or(|it| !it.is_settled() && !is_final)
        };
        let own = &schedule.pairs[share.clone()];
        let is_whole = own.len() == schedule.pairs.len();
        let plays =
            |it: &EntrantIndex| is_whole || own.iter().any(|pair| pair.entrants.contains(it));
        let candidates = gate.candidates.iter().copied();
        Self {
            plan,
            candidates: candidates.filter(|it| is_open(it) && plays(it)).collect(),
            examined: BTreeSet::new(),
            postponed: VecDeque::new(),
            rounds: 0,
            all_required: gate.required,
            barred: false,
            schedule,
            share,
            pairs: PairOrder::new(plan, schedule, order),
            progress,
            counted_games: CountedGames::new(plan, schedule),
            unfit: gate.unfit.iter().map(|(entrant, _)| *entrant).collect(),
            is_begun: false,
            again: VecDeque::new(),
            out: 0,
            in_play: 0,
            repetitions: 1,
            look_ahead: LOOK_AHEAD,
        }
    }

    /// Notes who was not admitted, and settles what was known from the beginning unless entrants
    /// must be examined first. Returns withdrawals that the journal lacks: the previous run was
    /// killed between a game and its consequence, or the games are those of an earlier plan.
    ///
    /// # Errors
    /// The journal contains a withdrawal that its games do not lead to.
    pub fn begin(&mut self) -> Result<Vec<Withdrawal>, UnfoundedWithdrawal> {
        let unfit = std::mem::take(&mut self.unfit);
        self.unfit = unfit
            .into_iter()
            .filter(|it| self.is_unexamined(*it))
            .collect();
        for (entrant, index) in self.plan.entrants.iter().zip(0..) {
            let admission = self.progress.admission(&entrant.name);
            let again = self.candidates.contains(&EntrantIndex(index));
            if admission.is_some_and(|it| it.refusal.is_some()) && !again {
                self.counted_games.refuse(EntrantIndex(index));
            }
        }
        self.close_gate();
        self.settle_known()
    }

    /// The outcome of a run that plays nothing more and is not interrupted.
    pub fn outcome(&self) -> RunOutcome {
        RunOutcome {
            interrupted: false,
            complete: self.counted_games.is_complete() || self.barred,
            barred: self.barred,
            games: self.counted_games.games(),
            exclusions: self.counted_games.exclusions(&self.progress),
            test: self.counted_games.test(),
            test_path: self.counted_games.test_path().to_vec(),
            rounds: self.plan.rounds.clone(),
        }
    }

    /// Settles what is known if the run ends before all entrants are examined.
    pub fn conclude(&mut self) {
        if !self.is_begun {
            self.is_begun = true;
            self.advance();
        }
    }

    /// Settles the games that were known from the beginning, once all entrants are examined: games
    /// with one that is not admitted do not count.
    fn settle_known(&mut self) -> Result<Vec<Withdrawal>, UnfoundedWithdrawal> {
        if self.is_begun || self.is_gate_open() {
            return Ok(Vec::new());
        }
        self.is_begun = true;
        let mut withdrawn = self.advance();
        self.pairs.begin(&self.counted_games, &self.progress);
        let announced = self.progress.announced();
        self.counted_games.check(announced)?;
        withdrawn.retain(|it| !announced.contains(it));
        Ok(withdrawn)
    }

    /// Notes that a slot was given a task.
    pub fn hand_out(&mut self, task: &Task) {
        self.out += 1;
        if let Task::Play(job) = task {
            self.in_play += job.games.len();
        }
    }

    /// What is to be done next, when so many slots play.
    pub fn next(&mut self, slots: usize) -> Option<Task> {
        if let Some(entrant) = self.candidates.pop_front() {
            self.examined.insert(entrant);
            return Some(Task::Examine(entrant));
        }
        if !self.examined.is_empty() || self.is_pausing() || self.barred {
            return None;
        }
        self.next_job(slots).map(Task::Play)
    }

    /// Whether an entrant's admission is still open.
    pub fn is_unexamined(&self, entrant: EntrantIndex) -> bool {
        let name = &self.plan.entrants[entrant.index()].name;
        self.progress.admission(name).is_none()
    }

    /// Decides, after the examinations and before any withdrawal, whether a tournament follows.
    fn close_gate(&mut self) {
        let over = !self.is_gate_open();
        let refused = self.all_required && self.anybody_refused();
        self.barred = over && (refused || !self.counted_games.anybody_plays());
    }

    /// Whether entrants must still be examined.
    fn is_gate_open(&self) -> bool {
        let waiting = self.candidates.len() + self.examined.len() + self.postponed.len();
        waiting + self.unfit.len() > 0
    }

    fn anybody_refused(&self) -> bool {
        let entrants = self.plan.entrants.iter();
        let mut admissions = entrants.filter_map(|it| self.progress.admission(&it.name));
        admissions.any(|admission| admission.refusal.is_some())
    }

    /// Whether only entrants wait whose examination the host disturbed.
    pub fn is_pausing(&self) -> bool {
        self.candidates.is_empty() && self.examined.is_empty() && !self.postponed.is_empty()
    }

    /// Puts an entrant whose examination the host disturbed behind all others; `false` if that has
    /// happened too often.
    pub fn postpone(&mut self, entrant: EntrantIndex) -> bool {
        let again = self.rounds + 1 < ROUNDS;
        if again {
            self.examined.remove(&entrant);
            self.postponed.push_back(entrant);
        }
        again
    }

    /// Begins the next round, after a pause, with the entrants whose examination the host
    /// disturbed.
    pub fn begin_round(&mut self) {
        self.rounds += 1;
        self.candidates.append(&mut self.postponed);
    }

    /// Whether nothing may be played because the host disturbed every examination.
    pub fn is_host_broken(&self) -> bool {
        let entrants = self.plan.entrants.iter();
        let mut known = entrants.filter_map(|it| self.progress.admission(&it.name));
        self.barred && !known.any(Admission::is_settled)
    }

    /// Notes the result of an examination. After the last one, returns withdrawals that follow from
    /// games that were known from the beginning.
    ///
    /// # Errors
    /// Those of [`WorkQueue::begin`].
    pub fn note_admission(
        &mut self,
        entrant: EntrantIndex,
        admission: &Admission,
    ) -> Result<Vec<Withdrawal>, UnfoundedWithdrawal> {
        self.examined.remove(&entrant);
        self.unfit.remove(&entrant);
        self.progress.note_admission(admission);
        if admission.refusal.is_some() {
            self.counted_games.refuse(entrant);
        }
        self.close_gate();
        self.settle_known()
    }

    /// How many pairs beyond the settled ones may be handed out.
    fn look_ahead(&self, slots: usize) -> usize {
        match (&self.plan.test, self.plan.max_faults) {
            (Some(_), _) => TEST_LOOK_AHEAD * slots,
            (None, Some(_)) => self.look_ahead.saturating_mul(slots),
            (None, None) => usize::MAX,
        }
    }

    fn next_job(&mut self, slots: usize) -> Option<Job> {
        let look_ahead = self.look_ahead(slots);
        while let Some(job) = self.again.pop_front() {
            if self.wants_games(&job) {
                return Some(job);
            }
        }
        while let Some(pair) = self.pairs.next(self.counted_games.settled(), look_ahead) {
            let job = self.job(pair);
            let is_own = pair.id.index().is_some_and(|it| self.share.contains(&it));
            if is_own && self.wants_games(&job) {
                return Some(job);
            }
        }
        self.begin_repetitions();
        self.again.pop_front()
    }

    /// The open games of a pair.
    fn job(&self, pair: &Pair) -> Job {
        let games = pair.game_ids().into_iter();
        let open = games.filter(|game| self.is_open(game));
        Job {
            pair: pair.clone(),
            games: open
                .map(|game| (game.number, self.progress.next_attempt(&game)))
                .collect(),
        }
    }

    /// Hands the open pairs out again when all other games were played.
    fn begin_repetitions(&mut self) {
        let pairs = self.counted_games.repeated();
        if self.in_play == 0 && self.repetitions > 0 && !pairs.is_empty() {
            self.repetitions -= 1;
            let jobs = pairs.into_iter().map(|pair| self.job(pair));
            self.again = jobs.filter(|job| self.wants_games(job)).collect();
        }
    }

    /// Whether a task is still necessary.
    pub fn wants(&self, task: &Task) -> bool {
        match task {
            Task::Play(job) => self.wants_games(job),
            Task::Examine(_) => true,
        }
    }

    fn wants_games(&self, job: &Job) -> bool {
        let pair = &job.pair;
        let is_settled = self.counted_games.has_settled(&pair.id);
        let mut games = job.games.iter();
        !is_settled
            && self.counted_games.plays(pair)
            && !self.counted_games.is_all_void(pair, &self.progress)
            && games.any(|&(number, _)| {
                let pair_id = pair.id.clone();
                let game = GameId {
                    pair: pair_id,
                    number,
                };
                self.is_open(&game)
            })
    }

    fn is_open(&self, game: &GameId) -> bool {
        self.counted_games.fate(game, &self.progress) == Fate::Open
    }

    /// Notes a finished game. A void one is repeated, unless it was void too often.
    pub fn note(&mut self, record: &GameRecord) -> Consequences {
        self.in_play = self.in_play.saturating_sub(1);
        if self.counted_games.has_settled(&record.id.pair) {
            // The game was played in vain and changes nothing.
            return Consequences::default();
        }
        self.progress.note(record);
        let pair = self.schedule.pair(&record.id.pair);
        let fate = self.counted_games.fate(&record.id, &self.progress);
        let mut stays_open = false;
        match (pair, fate) {
            (Some(pair), Fate::Done(done)) => {
                self.pairs.note(pair.sides(record.id.number), done);
            }
            (Some(pair), Fate::Open) => self.play_again(pair.clone(), &record.id),
            (Some(pair), Fate::AllVoid) => stays_open = self.counted_games.plays(pair),
            (None, _) => {}
        }
        Consequences {
            stays_open,
            withdrawn: self.advance(),
        }
    }

    /// What is known of the games: of those that later rounds may ask for, at least.
    pub fn into_progress(self) -> Progress {
        self.progress
    }

    /// Settles what can be settled, and forgets the games of settled pairs, unless later rounds are
    /// dealt by them.
    fn advance(&mut self) -> Vec<Withdrawal> {
        let before = self.counted_games.settled();
        let withdrawn = self.counted_games.advance(&self.progress);
        if self.plan.is_dealt() {
            return withdrawn;
        }
        for pair in &self.schedule.pairs[before..self.counted_games.settled()] {
            if self.counted_games.has_settled(&pair.id) {
                pair.game_ids()
                    .iter()
                    .for_each(|game| self.progress.forget(game));
            }
        }
        withdrawn
    }

    /// Takes back games that a slot could not play.
    pub fn take_back(&mut self, left: Option<Job>) {
        let Some(job) = left else {
            return;
        };
        self.in_play -= job.games.len();
        self.again.push_back(job);
    }

    fn play_again(&mut self, pair: Pair, game: &GameId) {
        let games = vec![(game.number, self.progress.next_attempt(game))];
        self.again.push_back(Job { pair, games });
    }
}

/// The withdrawals that follow from the known games and are not in the journal.
///
/// # Errors
/// The journal contains a withdrawal that its games do not lead to.
pub fn missing_withdrawals(
    plan: &Plan,
    schedule: &Schedule,
    progress: Progress,
) -> Result<Vec<Withdrawal>, UnfoundedWithdrawal> {
    let (gate, order) = (Gate::default(), PlayOrder::default());
    let all = 0..schedule.pairs.len();
    WorkQueue::new(plan, schedule, all, &gate, order, progress).begin()
}

/// Judges the known games: which ones do not count, and how many there are. Withdrawals in a journal
/// are ignored: those that its games lead to are found here. A run is not complete as long as another
/// round follows.
pub fn judge(plan: &Plan, schedule: &Schedule, progress: Progress) -> RunOutcome {
    if !plan.is_dealt() {
        return judge_rounds(plan, schedule, progress);
    }
    let outcome = judge_rounds(plan, schedule, progress.clone());
    let is_last = next_round(plan, schedule, &outcome, &progress).is_none();
    RunOutcome {
        complete: outcome.complete && is_last,
        ..outcome
    }
}

/// The round that follows the rounds of a plan, by the known games; `None` if there is none, or if it
/// depends on games that are still to be played.
pub fn round_after(plan: &Plan, progress: &Progress) -> Option<DealtRound> {
    let schedule = Schedule::new(plan);
    let outcome = judge_rounds(plan, &schedule, progress.clone());
    next_round(plan, &schedule, &outcome, progress)
}

/// Judges the games of the rounds so far.
fn judge_rounds(plan: &Plan, schedule: &Schedule, progress: Progress) -> RunOutcome {
    let (gate, order) = (Gate::default(), PlayOrder::default());
    let all = 0..schedule.pairs.len();
    let mut work_queue = WorkQueue::new(plan, schedule, all, &gate, order, progress);
    // The caller compares the withdrawals in the journal with those found here.
    let _ = work_queue.begin();
    work_queue.outcome()
}
