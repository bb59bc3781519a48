//! What is still to be done: examinations first, then games in schedule order.

use crate::record::{Admission, Exclusions, GameId, GameRecord, PairId, Withdrawal};
use crate::tournament::counted_games::{CountedGames, Decisions, UnfoundedWithdrawal};
use crate::tournament::entrant::EntrantIndex;
use crate::tournament::examination::{Gate, ROUNDS};
use crate::tournament::plan::Plan;
use crate::tournament::progress::{Fate, Progress};
use crate::tournament::schedule::{Pair, Schedule};
use crate::tournament::sequential::TestProgress;
use crate::tournament::slots::{Job, Task};
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// How many pairs for each slot are played ahead of the first that is not settled, where games
/// that were played ahead may be in vain. Many enough that one slow pair among many entrants does
/// not leave the other slots without work.
const LOOK_AHEAD: usize = 32;
/// The same where a sequential test may end everything at any pair: only two entrants play, every
/// pair takes about as long, and what is played beyond the decision is always in vain.
const TEST_LOOK_AHEAD: usize = 4;

/// What is still to be done: examinations, and when all are over, games in schedule order; void
/// ones come again before new ones.
pub struct WorkQueue<'a> {
    plan: &'a Plan,
    /// The entrants that are still to be examined.
    candidates: VecDeque<EntrantIndex>,
    /// The entrants that are being examined.
    examined: BTreeSet<EntrantIndex>,
    /// Whose examination the host disturbed in this round: they are examined in the next.
    postponed: VecDeque<EntrantIndex>,
    /// Rounds of examinations that are over.
    rounds: u32,
    /// Whether one refusal is enough to play nothing.
    all_required: bool,
    /// Whether the examinations have left nothing that may be played.
    pub barred: bool,
    schedule: &'a Schedule,
    /// Pairs of the schedule that were handed out or passed over.
    passed: usize,
    /// How far to go beyond what is settled, in pairs.
    look_ahead: usize,
    progress: Progress,
    counted_games: CountedGames<'a>,
    again: VecDeque<Job>,
    /// Tasks that slots have not finished.
    pub out: usize,
    /// Games that slots have not finished, by pair.
    in_play: BTreeMap<PairId, usize>,
}

/// What follows from a record.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Consequences {
    /// The host has made the game void once too often.
    pub given_up: bool,
    pub decisions: Decisions,
}

impl<'a> WorkQueue<'a> {
    /// What a tournament lacks of which so much is known.
    pub fn new(
        plan: &'a Plan,
        schedule: &'a Schedule,
        gate: &Gate,
        slots: usize,
        progress: Progress,
    ) -> Self {
        let look_ahead = match (&plan.test, plan.max_faults) {
            (Some(_), _) => TEST_LOOK_AHEAD * slots.max(1),
            (None, Some(_)) => LOOK_AHEAD * slots.max(1),
            (None, None) => usize::MAX,
        };
        // Once a withdrawal is announced, games of another entrant would contradict it.
        let is_final = !progress.announced().is_empty();
        let is_open = |entrant: &EntrantIndex| {
            let name = &plan.entrants[entrant.index()].name;
            let known = progress.admission(name);
            known.is_none_or(|it| !it.is_settled() && !is_final)
        };
        Self {
            plan,
            candidates: gate.candidates.iter().copied().filter(is_open).collect(),
            examined: BTreeSet::new(),
            postponed: VecDeque::new(),
            rounds: 0,
            all_required: gate.required,
            barred: false,
            schedule,
            passed: 0,
            look_ahead,
            progress,
            counted_games: CountedGames::new(plan, schedule),
            again: VecDeque::new(),
            out: 0,
            in_play: BTreeMap::new(),
        }
    }

    /// Settles what was known from the beginning; returns the withdrawals that were not announced
    /// of: the run before was killed between a game and what followed from it.
    ///
    /// # Errors
    /// The journal speaks of one that its games do not lead to.
    pub fn begin(&mut self) -> Result<Vec<Withdrawal>, UnfoundedWithdrawal> {
        for (entrant, index) in self.plan.entrants.iter().zip(0..) {
            let admission = self.progress.admission(&entrant.name);
            let again = self.candidates.contains(&EntrantIndex(index));
            if admission.is_some_and(|it| it.refusal.is_some()) && !again {
                self.counted_games.refuse(EntrantIndex(index));
            }
        }
        self.close_gate();
        let mut withdrawn = self.advance().withdrawn;
        let announced = self.progress.announced();
        self.counted_games.check(announced)?;
        withdrawn.retain(|it| !announced.contains(it));
        Ok(withdrawn)
    }

    /// Takes note that a task was given to the slots.
    pub fn hand_out(&mut self, task: &Task) {
        self.out += 1;
        if let Task::Play(job) = task {
            *self.in_play.entry(job.pair.id.clone()).or_default() += job.games.len();
        }
    }

    pub fn next(&mut self) -> Option<Task> {
        if let Some(entrant) = self.candidates.pop_front() {
            self.examined.insert(entrant);
            return Some(Task::Examine(entrant));
        }
        if !self.examined.is_empty() || self.is_pausing() || self.barred {
            return None;
        }
        self.next_job().map(Task::Play)
    }

    /// Whether nothing is known of an entrant's admission.
    pub fn is_unexamined(&self, entrant: EntrantIndex) -> bool {
        let name = &self.plan.entrants[entrant.index()].name;
        self.progress.admission(name).is_none()
    }

    /// How many entrants are still to be examined.
    pub fn candidates(&self) -> usize {
        self.candidates.len()
    }

    /// When the examinations are over, and before anybody can have been withdrawn: whether there
    /// is a tournament after them.
    fn close_gate(&mut self) {
        let over =
            self.candidates.is_empty() && self.examined.is_empty() && self.postponed.is_empty();
        let refused = self.all_required && self.anybody_refused();
        self.barred = over && (refused || !self.counted_games.anybody_plays());
    }

    fn anybody_refused(&self) -> bool {
        let entrants = self.plan.entrants.iter();
        let mut admissions = entrants.filter_map(|it| self.progress.admission(&it.name));
        admissions.any(|admission| admission.refusal.is_some())
    }

    /// Whether only those entrants are left to be examined whose examination the host disturbed.
    pub fn is_pausing(&self) -> bool {
        self.candidates.is_empty() && self.examined.is_empty() && !self.postponed.is_empty()
    }

    /// Rounds of examinations that are over.
    pub const fn rounds(&self) -> u32 {
        self.rounds
    }

    /// Puts an entrant whose examination the host disturbed behind all others; `false` if that has
    /// happened once too often.
    pub fn postpone(&mut self, entrant: EntrantIndex) -> bool {
        let again = self.rounds + 1 < ROUNDS;
        if again {
            self.examined.remove(&entrant);
            self.postponed.push_back(entrant);
        }
        again
    }

    /// After a pause: those whom the host disturbed are examined again.
    pub fn begin_round(&mut self) {
        self.rounds += 1;
        self.candidates.append(&mut self.postponed);
    }

    /// Whether the examinations bar the run, and the host let none of them end.
    pub fn is_host_broken(&self) -> bool {
        let entrants = self.plan.entrants.iter();
        let mut known = entrants.filter_map(|it| self.progress.admission(&it.name));
        self.barred && !known.any(Admission::is_settled)
    }

    /// Takes note of how an examination ended.
    pub fn note_admission(&mut self, entrant: EntrantIndex, admission: &Admission) {
        self.examined.remove(&entrant);
        self.progress.note_admission(admission);
        if admission.refusal.is_some() {
            self.counted_games.refuse(entrant);
        }
        self.close_gate();
    }

    fn next_job(&mut self) -> Option<Job> {
        while let Some(job) = self.again.pop_front() {
            if self.wants_games(&job) {
                return Some(job);
            }
        }
        self.passed = self.passed.max(self.counted_games.settled());
        let horizon = self.counted_games.settled().saturating_add(self.look_ahead);
        while self.passed < self.schedule.pairs.len().min(horizon) {
            let pair = self.schedule.pairs[self.passed].clone();
            self.passed += 1;
            let games: Vec<_> = pair
                .game_ids()
                .into_iter()
                .filter(|game| self.is_open(&pair, game))
                .map(|game| (game.number, self.progress.next_attempt(&game)))
                .collect();
            let job = Job { pair, games };
            if !job.games.is_empty() && self.wants_games(&job) {
                return Some(job);
            }
        }
        None
    }

    /// Whether what was to be done still is.
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
            && !self.counted_games.is_given_up(pair, &self.progress)
            && games.any(|&(number, _)| {
                let pair_id = pair.id.clone();
                let game = GameId {
                    pair: pair_id,
                    number,
                };
                self.is_open(pair, &game)
            })
    }

    fn is_open(&self, pair: &Pair, game: &GameId) -> bool {
        self.counted_games.fate(pair, game, &self.progress) == Fate::Open
    }

    /// Takes note of a finished game; a void one is played again, if not too often.
    pub fn note(&mut self, record: &GameRecord) -> Consequences {
        self.note_finished(&record.id.pair);
        if self.counted_games.has_settled(&record.id.pair) {
            // It was played in vain, and changes nothing.
            return Consequences::default();
        }
        self.progress.note(record);
        let mut given_up = false;
        if record.is_void()
            && let Some(pair) = self.schedule.pair(&record.id.pair)
        {
            match self.counted_games.fate(pair, &record.id, &self.progress) {
                Fate::Open => self.play_again(pair.clone(), &record.id),
                Fate::GivenUp => given_up = self.counted_games.plays(pair),
                Fate::Done(_) => {}
            }
        }
        Consequences {
            given_up,
            decisions: self.advance(),
        }
    }

    fn note_finished(&mut self, pair: &PairId) {
        if let Some(games) = self.in_play.get_mut(pair) {
            *games -= 1;
            if *games == 0 {
                self.in_play.remove(pair);
            }
        }
    }

    /// Settles what can be settled, and forgets the games of it.
    fn advance(&mut self) -> Decisions {
        let before = self.counted_games.settled();
        let in_play = |pair: &PairId| self.in_play.contains_key(pair);
        let decisions = self.counted_games.advance(&self.progress, &in_play);
        for pair in &self.schedule.pairs[before..self.counted_games.settled()] {
            for game in pair.game_ids() {
                self.progress.forget(&game);
            }
        }
        decisions
    }

    /// Games that a slot could not play come again.
    pub fn take_back(&mut self, left: Option<Job>) {
        let Some(job) = left else {
            return;
        };
        for _ in &job.games {
            self.note_finished(&job.pair.id);
        }
        self.again.push_back(job);
    }

    fn play_again(&mut self, pair: Pair, game: &GameId) {
        let games = vec![(game.number, self.progress.next_attempt(game))];
        self.again.push_back(Job { pair, games });
    }

    /// Games that count or will.
    pub fn games(&self) -> usize {
        self.counted_games.games()
    }

    /// Whether every game is played that is to be.
    pub const fn is_complete(&self) -> bool {
        self.counted_games.is_complete()
    }

    /// How far the sequential test has come, if there is one.
    pub fn test(&self) -> Option<TestProgress> {
        self.counted_games.test()
    }

    /// What does not count.
    pub fn exclusions(&self) -> Exclusions {
        self.counted_games.exclusions(&self.progress)
    }
}
