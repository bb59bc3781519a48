//! The loop that holds the state of a run: it gives orders to the slots, has their reports appended
//! to the journal, and passes on when to stop.

use crate::record::{Admission, GameEnding, GameRecord, Refusal, Withdrawal};
use crate::tournament::event::Event;
use crate::tournament::examination::{ATTEMPTS, AdmissionVerdict, ROUNDS};
use crate::tournament::plan::EntrantIndex;
use crate::tournament::run::journal_pace::JournalPace;
use crate::tournament::run::journal_thread::{FinishedGame, JournalThread, KeptGames};
use crate::tournament::run::outcome::{RunError, RunOutcome};
use crate::tournament::run::work_queue::{Task, WorkQueue};
use crate::tournament::run::{RunSetup, permit, told_to_stop, until};
use crate::tournament::sequential::TestProgress;
use crate::tournament::slots::{Assignment, Job, Order, Phase, Report};
use std::io;
use tokio::sync::{mpsc, watch};
use tokio::time::Instant;

/// An input of the loop.
enum CoordinatorEvent {
    Stop,
    LosePatience,
    Fed,
    Heard(Option<Report>),
    /// Games are in the journal.
    Kept(KeptGames),
    /// The pause between two rounds of examinations has ended.
    Examine,
    /// The journal has rested.
    PauseEnded,
}

pub struct Coordinator<'a> {
    pub setup: &'a RunSetup<'a>,
    pub journal: JournalThread,
    /// Finished games that the journal gets when it is free.
    pub finished: Vec<FinishedGame>,
    pub pace: JournalPace,
    pub work_queue: WorkQueue<'a>,
    pub on_event: &'a mut dyn FnMut(&Event<'_>),
    /// How many slots play, here or elsewhere.
    pub slots: usize,
    pub phase: &'a watch::Sender<Phase>,
    pub interrupted: bool,
    /// The entrant whose processes survive SIGKILL on a slot, and which ones.
    pub blocked: Option<(String, String)>,
}

impl<'a> Coordinator<'a> {
    /// Examines and plays until everything is in the journal, or the run stops.
    pub async fn play(
        &mut self,
        orders: mpsc::Sender<Order>,
        mut reports: mpsc::Receiver<Report>,
        mut interrupt: watch::Receiver<Phase>,
    ) -> Result<(), RunError> {
        let mut orders = Some(orders);
        let mut next = self.work_queue.next(self.slots);
        let mut deadline = None;
        let mut round_at = None;
        // Whether all slots have ended.
        let mut is_over = false;
        loop {
            if self.is_append_due() {
                self.journal.append(std::mem::take(&mut self.finished));
                self.pace.note_given(Instant::now());
            }
            let pause_end = self.pace.paused_until.filter(|_| !self.finished.is_empty());
            let pausing = orders.is_some() && self.work_queue.is_pausing();
            // Games that are not in the journal yet may have to be played again.
            let is_idle = self.work_queue.out == 0 && self.journal.games == 0;
            if !pausing && next.is_none() && is_idle {
                // When the sender is dropped, every slot learns that nothing is left to do.
                orders = None;
            }
            round_at = self.next_round(round_at, pausing);
            let step = tokio::select! {
                biased;
                () = told_to_stop(&mut interrupt, *self.phase.borrow()) => CoordinatorEvent::Stop,
                () = until(deadline) => CoordinatorEvent::LosePatience,
                () = until(round_at) => CoordinatorEvent::Examine,
                () = until(pause_end) => CoordinatorEvent::PauseEnded,
                permit = permit(orders.as_ref()), if next.is_some() && self.may_hand_out() => {
                    if let (Some(permit), Some(task)) = (permit, next.take()) {
                        self.work_queue.hand_out(&task);
                        permit.send(self.order(task));
                    }
                    CoordinatorEvent::Fed
                }
                kept = self.journal.kept() => CoordinatorEvent::Kept(kept),
                report = reports.recv(), if !is_over => CoordinatorEvent::Heard(report),
            };
            match step {
                CoordinatorEvent::Stop => {
                    deadline = self.stop(*interrupt.borrow(), deadline);
                    orders = None;
                }
                CoordinatorEvent::LosePatience => {
                    deadline = None;
                    self.phase.send_replace(Phase::Abort);
                }
                CoordinatorEvent::Examine => self.work_queue.begin_round(),
                CoordinatorEvent::PauseEnded => self.pace.paused_until = None,
                CoordinatorEvent::Heard(None) => is_over = true,
                CoordinatorEvent::Kept(kept) => self.note(kept)?,
                CoordinatorEvent::Heard(Some(report)) => self.take(report, &mut reports)?,
                CoordinatorEvent::Fed => {}
            }
            if is_over && self.finished.is_empty() && self.journal.games == 0 {
                return self.check_slots();
            }
            next = if orders.is_none() {
                None
            } else {
                // An entrant of the pair may have been withdrawn meanwhile.
                next.filter(|task| self.work_queue.wants(task))
                    .or_else(|| self.work_queue.next(self.slots))
            };
        }
    }

    fn order(&self, task: Task) -> Order {
        let setup = self.setup;
        match task {
            Task::Play(job) => Order::Play(Assignment::new(setup.plan, setup.openings, job)),
            Task::Examine(entrant) => Order::Examine(entrant),
        }
    }

    fn name(&self, entrant: EntrantIndex) -> &'a str {
        &self.setup.plan.entrants[entrant.index()].name
    }

    /// Whether finished games go to the journal now. It does not pause while slots wait for it.
    fn is_append_due(&self) -> bool {
        let is_paused = self.pace.paused_until.is_some();
        let is_awaited = self.work_queue.out == 0 || !self.may_hand_out();
        !self.finished.is_empty() && self.journal.games == 0 && (!is_paused || is_awaited)
    }

    /// Whether the journal is not too far behind.
    fn may_hand_out(&self) -> bool {
        self.finished.len() + self.journal.games < self.pace.most_unkept() * self.slots
    }

    /// When the next round of examinations begins: each pause is four times as long as the one
    /// before.
    fn next_round(&self, known: Option<Instant>, pausing: bool) -> Option<Instant> {
        let pause = || self.setup.pause * 4_u32.pow(self.work_queue.rounds);
        let begin = || known.unwrap_or_else(|| Instant::now() + pause());
        pausing.then(begin)
    }

    /// Passes on when to stop; returns when games in progress are aborted.
    fn stop(&mut self, wanted: Phase, deadline: Option<Instant>) -> Option<Instant> {
        self.interrupted = true;
        self.phase.send_replace(wanted);
        if wanted == Phase::Abort {
            return None;
        }
        (self.on_event)(&Event::Stopping);
        deadline.or_else(|| Some(Instant::now() + self.setup.grace))
    }

    /// Takes a report and all reports that wait behind it.
    fn take(
        &mut self,
        first: Report,
        reports: &mut mpsc::Receiver<Report>,
    ) -> Result<(), RunError> {
        let mut report = Some(first);
        while let Some(this) = report {
            match this {
                Report::NotPinned { slot, reason } => {
                    (self.on_event)(&Event::NotPinned { slot, reason });
                }
                Report::Finished {
                    record,
                    logs,
                    evidence,
                } => {
                    self.pace.note_game(&record);
                    let shard = self.setup.shard.as_ref();
                    let record = Box::new(GameRecord {
                        at: record.at.or_else(|| shard.map(|it| it.at.clone())),
                        ..*record
                    });
                    // Evidence is stored before its game is in the journal, and dropped at once
                    // because it may be large.
                    if let Some(evidence) = evidence.as_deref() {
                        if record.fault().is_some() {
                            (self.on_event)(&Event::Fault {
                                record: &record,
                                logs: &logs,
                                evidence,
                            });
                        }
                        let record = &record;
                        (self.on_event)(&Event::Played { record, evidence });
                    }
                    self.finished.push((record, logs));
                }
                Report::Examined { entrant, verdict } => self.examined(entrant, verdict)?,
                Report::TaskDone => self.work_queue.out -= 1,
                Report::Slots(slots) => self.slots = slots.max(1),
                Report::Notice { text, is_warning } => {
                    let text = &text;
                    (self.on_event)(&Event::Notice { text, is_warning });
                }
                Report::Blocked {
                    slot,
                    entrant,
                    remains,
                    left,
                } => self.block(slot, entrant, remains, left),
                Report::StartFailed { entrant, cause } => {
                    let entrant = self.name(entrant);
                    let cause = &cause;
                    (self.on_event)(&Event::StartFailed { entrant, cause });
                }
                Report::Unstarted { entrant, cause } => {
                    self.phase.send_replace(Phase::Abort);
                    let entrant = self.name(entrant).to_owned();
                    return Err(RunError::Unstarted { entrant, cause });
                }
                // The panic continues when the slot's thread is joined.
                Report::Panicked => drop(self.phase.send_replace(Phase::Abort)),
            }
            report = reports.try_recv().ok();
        }
        Ok(())
    }

    /// A slot has stopped; the other slots get the rest of its task.
    fn block(&mut self, slot: u32, entrant: EntrantIndex, remains: String, left: Option<Job>) {
        let entrant = self.name(entrant).to_owned();
        (self.on_event)(&Event::Blocked {
            slot,
            entrant: &entrant,
            remains: &remains,
        });
        self.work_queue.take_back(left);
        self.blocked = Some((entrant, remains));
    }

    /// All slots have ended: checks that none should have played on.
    fn check_slots(&mut self) -> Result<(), RunError> {
        let is_over = self.interrupted
            || self.work_queue.counted_games.is_complete()
            || self.work_queue.barred;
        match self.blocked.take() {
            Some((entrant, remains)) if !is_over => Err(RunError::Blocked { entrant, remains }),
            _ => Ok(()),
        }
    }

    /// Reports the number of examinations and games.
    pub fn announce_beginning(&mut self) {
        (self.on_event)(&Event::Beginning {
            candidates: self.work_queue.candidates.len(),
            games: self.work_queue.counted_games.games(),
        });
        self.tell_of_test(None);
    }

    /// Records entrants that are refused without a game, unless the journal contains them.
    pub fn refuse_unfit(&mut self) -> Result<(), RunError> {
        let setup = self.setup;
        for (entrant, refusal) in &setup.gate.unfit {
            if self.work_queue.is_unexamined(*entrant) {
                self.examined(*entrant, AdmissionVerdict::Unfit(refusal.clone()))?;
            }
        }
        Ok(())
    }

    /// Records the result of an examination. A disturbed one is repeated later, and finally given
    /// up: the other entrants play.
    fn examined(
        &mut self,
        entrant: EntrantIndex,
        verdict: AdmissionVerdict,
    ) -> Result<(), RunError> {
        let name = self.name(entrant).to_owned();
        let (mut late, mut side_ms) = (None, None);
        let refusal = match verdict {
            AdmissionVerdict::Admitted(side) => {
                side_ms = u64::try_from(side.as_millis()).ok();
                None
            }
            AdmissionVerdict::Late(fault) => {
                late = Some(fault.detail);
                None
            }
            AdmissionVerdict::Refused(refusal, game) => {
                (self.on_event)(&Event::Failed(&game));
                Some(refusal)
            }
            AdmissionVerdict::Unfit(refusal) => Some(refusal),
            AdmissionVerdict::Disturbed { cause, .. } if self.work_queue.postpone(entrant) => {
                (self.on_event)(&Event::Postponed {
                    entrant: &name,
                    cause: &cause,
                });
                return Ok(());
            }
            AdmissionVerdict::Disturbed { against, cause } => Some(Refusal::Disturbed {
                against,
                games: ROUNDS * ATTEMPTS,
                cause,
            }),
        };
        let admission = Admission {
            entrant: name,
            refusal,
            late,
            side_ms,
        };
        let appended = self.journal.append_admission(admission.clone());
        self.safe(appended)?;
        let withdrawn = self.work_queue.note_admission(entrant, &admission)?;
        (self.on_event)(&Event::Examined {
            admission: &admission,
            games: self.work_queue.counted_games.games(),
        });
        self.announce(&withdrawn)?;
        match admission.refusal {
            Some(Refusal::Disturbed { cause, .. }) if self.work_queue.is_host_broken() => {
                self.phase.send_replace(Phase::Abort);
                let entrant = admission.entrant;
                Err(RunError::Examination { entrant, cause })
            }
            _ => Ok(()),
        }
    }

    /// Draws the consequences of games that are in the journal.
    fn note(&mut self, kept: KeptGames) -> Result<(), RunError> {
        self.safe(kept.appended)?;
        self.pace.note_kept(Instant::now());
        for (record, logs) in &kept.games {
            (self.on_event)(&Event::Finished { record, logs });
            let before = self.work_queue.counted_games.test();
            let consequences = self.work_queue.note(record);
            if let GameEnding::Void(void) = &record.ending
                && consequences.stays_open
            {
                (self.on_event)(&Event::Open {
                    game: record.id.clone(),
                    cause: void.cause.clone(),
                    games: self.work_queue.counted_games.games(),
                });
            }
            self.announce(&consequences.withdrawn)?;
            self.tell_of_test(before.as_ref());
        }
        Ok(())
    }

    /// Reports the state of the test, if it has advanced.
    fn tell_of_test(&mut self, before: Option<&TestProgress>) {
        if let Some(test) = self.work_queue.counted_games.test()
            && Some(&test) != before
        {
            (self.on_event)(&Event::Tested {
                test: &test,
                games: self.work_queue.counted_games.games(),
            });
        }
    }

    /// The outcome of the run.
    pub fn outcome(&mut self) -> RunOutcome {
        self.work_queue.conclude();
        RunOutcome {
            interrupted: self.interrupted,
            ..self.work_queue.outcome()
        }
    }

    /// Appends withdrawals to the journal, then reports them.
    pub fn announce(&mut self, withdrawn: &[Withdrawal]) -> Result<(), RunError> {
        if withdrawn.is_empty() {
            return Ok(());
        }
        let appended = self.journal.append_withdrawals(withdrawn.to_vec());
        self.safe(appended)?;
        for withdrawal in withdrawn {
            (self.on_event)(&Event::Withdrawn {
                withdrawal,
                games: self.work_queue.counted_games.games(),
            });
        }
        Ok(())
    }

    /// If the journal cannot be written, the run stops: no later game could be stored.
    fn safe(&self, appended: io::Result<()>) -> Result<(), RunError> {
        appended.map_err(|error| {
            self.phase.send_replace(Phase::Abort);
            RunError::Journal(error)
        })
    }
}
