//! The collector of a live run: it hands out pairs in batches, checks what comes back, and reports it
//! as the slots of this machine would. These examine the entrants, play the pair by which workers
//! prove themselves, and the last attempt of a game that workers made void: so no worker alone decides
//! that a pair cannot be played.

use super::access::{Access, LinkError};
use super::broker::{Broker, BrokerEvent, BrokerOrder, text};
use super::embedded::Embedded;
use super::message::{BatchPair, Hello, Offer, Verdict, read, written};
use super::names::Names;
use super::parcel::{Parcel, Stage, sha256};
use super::played::PlayedPair;
use super::roster::{Change, Proof, Roster, Terms};
use crate::record::{GameId, GameRecord, PlayedAt};
use crate::referee::EndgameJudge;
use crate::shard::GameCheck;
use crate::tournament::{ATTEMPTS, Assignment, Carrier, CarrierLines, Order, Phase, Plan, Report};
use async_nats::{Client, Message};
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use tokio::runtime::{Builder, Runtime};
use tokio::sync::mpsc;
use tokio::time::{sleep_until, timeout};

/// A batch has so much play, if so many pairs may be handed out.
const BATCH: Duration = Duration::from_secs(5);
/// The most pairs of a batch: their message stays below what any server takes.
const MOST_PAIRS: usize = 512;
/// Batches of a slot that are played or wait.
const BATCHES_OF_SLOT: usize = 2;
/// Orders that are looked at before there is a worker, to find a pair that proves one.
const FIRST_ORDERS: usize = 64;
/// How long orders are collected for a batch.
const COLLECT: Duration = Duration::from_millis(2);
/// How often workers are counted.
const TICK: Duration = Duration::from_millis(250);
/// How long workers are told that the run is over.
const FAREWELL: Duration = Duration::from_secs(5);
/// The shortest time without a sign of life after which a batch is given to another worker.
const LEAST_SILENCE: Duration = Duration::from_secs(4);
/// The longest.
const MOST_SILENCE: Duration = Duration::from_secs(60);
/// A wake-up that is later is late, if the clock has no margin.
const LATE: Duration = Duration::from_millis(10);

/// What a live run needs besides its plan.
#[derive(Debug)]
pub struct DeskSettings {
    /// The plan, with its secret.
    pub plan: Plan,
    /// Knows the values that the plan names, if it names any.
    pub endgame: Option<Arc<dyn EndgameJudge>>,
    /// The names of the entrants that always play the same.
    pub deterministic: BTreeSet<String>,
    /// The files of the run.
    pub stage: Stage,
    /// Their list.
    pub parcel: Parcel,
    /// Nodes in a second that a worker must search.
    pub min_speed: u64,
}

/// Has the pairs of a run played by workers.
#[derive(Debug)]
pub struct NatsCarrier {
    runtime: Runtime,
    broker: Broker,
    check: GameCheck,
    deterministic: BTreeSet<String>,
    terms: Terms,
    embedded: Mutex<Option<Embedded>>,
    aside: Mutex<Vec<(String, String)>>,
}

impl NatsCarrier {
    /// Connects, and puts the files of the run on the server. An embedded server ends with this value.
    ///
    /// # Errors
    /// The server is not there, refuses, or does not do its part.
    pub fn new(
        access: &Access,
        embedded: Option<Embedded>,
        settings: DeskSettings,
    ) -> Result<Self, LinkError> {
        let failed = |error: String| LinkError::Server(access.url.clone(), error);
        let runtime = Builder::new_current_thread().enable_all().build();
        let runtime = runtime.map_err(|error| failed(error.to_string()))?;
        let client = runtime.block_on(access.connect("awale serve"))?;
        let plan = settings.plan;
        let names = Names::of_run(&plan);
        let broker = Broker {
            client,
            names,
            stage: Arc::new(settings.stage),
            parcel: Arc::new(settings.parcel),
            silence: silence(&plan),
        };
        runtime.block_on(broker.begin()).map_err(failed)?;
        let public = Plan {
            secret: None,
            ..plan.clone()
        };
        let terms = Terms {
            awale: env!("CARGO_PKG_VERSION").to_owned(),
            plan: public.hash(),
            level: plan.conditions.isolation.clone(),
            min_speed: settings.min_speed,
            late: plan.clock.margin.max(LATE),
        };
        let check =
            GameCheck::new(plan, settings.endgame).map_err(|error| failed(error.to_owned()))?;
        Ok(Self {
            runtime,
            broker,
            check,
            deterministic: settings.deterministic,
            terms,
            embedded: Mutex::new(embedded),
            aside: Mutex::default(),
        })
    }
}

/// How long a worker may be silent: twice as long as a move may take, within bounds.
fn silence(plan: &Plan) -> Duration {
    (2 * plan.longest(1)).clamp(LEAST_SILENCE, MOST_SILENCE)
}

impl Carrier for NatsCarrier {
    fn carry(&self, lines: CarrierLines) {
        self.runtime.block_on(async {
            let (broker, orders) = mpsc::channel(64);
            let (events, from_broker) = mpsc::channel(64);
            let keeper = self.broker.serve(orders, &events);
            let mut desk = Desk::new(self, lines.reports.clone(), broker);
            desk.work(lines, from_broker).await;
            let aside = desk.roster.aside();
            let aside = aside.map(|(host, reason)| (host.to_owned(), reason.to_owned()));
            self.aside
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .extend(aside);
            drop(desk);
            // What it deletes is deleted before the server ends.
            let _ = timeout(FAREWELL, keeper).await;
        });
    }

    fn put_aside(&self) -> Vec<(String, String)> {
        let aside = self.aside.lock().unwrap_or_else(PoisonError::into_inner);
        aside.clone()
    }
}

/// The pair by which workers prove themselves.
#[derive(Debug)]
enum Canary {
    /// No pair was found yet.
    Wanted,
    /// The slots of this machine play it.
    Played(BatchPair, BTreeMap<usize, u64>),
    Known(Proof),
    /// There is none: no two entrants always play the same.
    None,
}

struct Desk<'a> {
    carrier: &'a NatsCarrier,
    reports: mpsc::Sender<Report>,
    broker: mpsc::Sender<BrokerOrder>,
    roster: Roster,
    canary: Canary,
    /// What the slots of this machine are to do.
    own: VecDeque<Order>,
    /// Pairs that wait for a worker, by their places.
    waiting: VecDeque<(usize, Assignment)>,
    /// Pairs that were asked for.
    asked: BTreeMap<usize, Assignment>,
    /// Whether no more orders come.
    is_closed: bool,
    /// When waiting pairs are asked for, at the latest.
    collect_until: Option<Instant>,
    /// The mean time of a pair.
    pair_time: Duration,
    slots_told: usize,
    /// Whether the server had nothing left, without an answer since.
    was_empty: bool,
    /// Whether our own server does not start any more.
    has_failed: bool,
    phase: Phase,
}

impl<'a> Desk<'a> {
    fn new(
        carrier: &'a NatsCarrier,
        reports: mpsc::Sender<Report>,
        broker: mpsc::Sender<BrokerOrder>,
    ) -> Self {
        Self {
            carrier,
            reports,
            broker,
            roster: Roster::new(carrier.terms.clone()),
            canary: Canary::Wanted,
            own: VecDeque::new(),
            waiting: VecDeque::new(),
            asked: BTreeMap::new(),
            is_closed: false,
            collect_until: None,
            pair_time: Duration::ZERO,
            slots_told: 0,
            was_empty: false,
            has_failed: false,
            phase: Phase::Play,
        }
    }

    /// Works until everything is reported, or the run stops; then tells the workers.
    async fn work(&mut self, mut lines: CarrierLines, mut events: mpsc::Receiver<BrokerEvent>) {
        let (mut own_ended, mut tick) = (false, Instant::now());
        // Dropped when the slots of this machine are to end.
        let mut local = Some(lines.local);
        loop {
            if self.is_done() {
                local = None;
            }
            if own_ended && local.is_none() {
                break;
            }
            let wants = !self.is_closed && self.has_room();
            let collect = self.collect_until;
            let collected = sleep_until(collect.unwrap_or(tick).into());
            tokio::select! {
                biased;
                Ok(()) = lines.phase.changed() => {
                    let wanted = *lines.phase.borrow();
                    self.stop(wanted).await;
                }
                permit = own_permit(local.as_ref()), if local.is_some() && !self.own.is_empty() => {
                    // Slots that have ended report so.
                    if let (Some(permit), Some(order)) = (permit, self.own.pop_front()) {
                        permit.send(order);
                    }
                }
                report = lines.local_reports.recv(), if !own_ended => match report {
                    Some(report) => self.own_report(report).await,
                    None => own_ended = true,
                },
                Some(event) = events.recv() => self.hear(event).await,
                order = lines.orders.recv(), if wants => self.take(order),
                () = collected, if collect.is_some() => self.ask().await,
                () = sleep_until((tick + TICK).into()) => {
                    tick = Instant::now();
                    self.count().await;
                }
            }
        }
        self.say_farewell(&mut events).await;
    }

    /// Whether nothing is left to do.
    fn is_done(&self) -> bool {
        let is_idle = self.waiting.is_empty() && self.asked.is_empty() && self.own.is_empty();
        // A coordinator that has failed does not listen any more.
        let is_unheard = self.reports.is_closed();
        self.phase == Phase::Abort || is_unheard || self.is_closed && is_idle
    }

    /// Whether more pairs may be asked for, or looked at.
    fn has_room(&self) -> bool {
        let held = self.waiting.len() + self.asked.len();
        held < self.most_asked().max(FIRST_ORDERS)
    }

    /// How many pairs may be asked for.
    fn most_asked(&self) -> usize {
        self.roster.slots() * BATCHES_OF_SLOT * self.pairs_of_batch()
    }

    /// The pairs of a batch.
    fn pairs_of_batch(&self) -> usize {
        let each = self.pair_time.as_micros().max(1);
        let pairs = BATCH.as_micros() / each;
        match self.pair_time {
            Duration::ZERO => 1,
            _ => usize::try_from(pairs).map_or(MOST_PAIRS, |it| it.clamp(1, MOST_PAIRS)),
        }
    }

    fn take(&mut self, order: Option<Order>) {
        match order {
            None => self.is_closed = true,
            Some(Order::Play(assignment)) => self.wait(assignment),
            Some(order @ Order::Examine(_)) => self.own.push_back(order),
        }
    }

    /// Lets games wait for a worker. Those that were void too often are played here.
    fn wait(&mut self, assignment: Assignment) {
        let is_last = assignment.games.iter().any(|it| it.attempt >= ATTEMPTS);
        match assignment.pair.id.index().filter(|_| !is_last) {
            Some(place) => {
                self.waiting.push_back((place, assignment));
                let end = Instant::now() + COLLECT;
                self.collect_until.get_or_insert(end);
            }
            None => self.own.push_back(Order::Play(assignment)),
        }
    }

    /// Asks workers for waiting pairs: as many batches as there are slots, if there are few pairs.
    async fn ask(&mut self) {
        self.collect_until = None;
        let slots = self.roster.slots();
        let room = self.most_asked().saturating_sub(self.asked.len());
        let mut left = self.waiting.len().min(room);
        if slots == 0 || self.phase > Phase::Play {
            return;
        }
        let each = left
            .div_ceil(slots * BATCHES_OF_SLOT)
            .clamp(1, self.pairs_of_batch());
        while left > 0 {
            let size = each.min(left);
            left -= size;
            let taken: Vec<_> = self.waiting.drain(..size).collect();
            let pairs = taken.iter().map(|(place, it)| BatchPair::of(*place, it));
            let pairs = pairs.collect();
            self.asked.extend(taken);
            // Where nobody serves the server any more, the run has ended.
            let _ = self.broker.send(BrokerOrder::Ask(pairs)).await;
        }
    }

    /// Asks again for what nobody has any more.
    fn ask_again(&mut self, places: &[usize]) {
        for place in places.iter().rev() {
            if let Some(assignment) = self.asked.remove(place) {
                self.waiting.push_front((*place, assignment));
                self.collect_until.get_or_insert(Instant::now());
            }
        }
    }

    async fn tell(&self, change: Change) {
        let Change { text, is_warning } = change;
        self.report(Report::Notice { text, is_warning }).await;
    }

    async fn report(&self, report: Report) {
        let _ = self.reports.send(report).await;
    }

    async fn stop(&mut self, wanted: Phase) {
        self.phase = wanted;
        if self.phase > Phase::Play {
            // What nobody has begun is not begun any more.
            self.waiting.clear();
            self.own.clear();
            self.is_closed = true;
            let _ = self.broker.send(BrokerOrder::Clear).await;
        }
    }

    /// Counts the workers, and looks after our own server.
    async fn count(&mut self) {
        for change in self.roster.expire(Instant::now()) {
            self.tell(change).await;
        }
        let slots = self.roster.slots();
        if slots != self.slots_told {
            self.slots_told = slots;
            self.report(Report::Slots(slots)).await;
        }
        if !self.waiting.is_empty() {
            self.ask().await;
        }
        let revived = {
            let embedded = self.carrier.embedded.lock();
            let mut embedded = embedded.unwrap_or_else(PoisonError::into_inner);
            embedded.as_mut().map_or(Ok(false), Embedded::revive)
        };
        match revived {
            Ok(false) => {}
            Ok(true) => {
                self.has_failed = false;
                let text = "the NATS server had ended, and runs again";
                self.tell(warning(text)).await;
            }
            Err(_) if self.has_failed => {}
            Err(error) => {
                self.has_failed = true;
                let text = format!("the NATS server has ended, and does not start: {error}");
                self.tell(warning(&text)).await;
            }
        }
    }

    /// Hears what the slots of this machine report.
    async fn own_report(&mut self, report: Report) {
        if let Report::Finished { record, .. } = &report {
            self.note_canary(record);
        }
        self.report(report).await;
    }

    async fn hear(&mut self, event: BrokerEvent) {
        match event {
            BrokerEvent::Fresh => {
                let all: Vec<usize> = self.asked.keys().copied().collect();
                self.ask_again(&all);
            }
            BrokerEvent::Unasked(places) => self.ask_again(&places),
            BrokerEvent::Queue { asked, played } => {
                let is_empty = asked + played == 0;
                if is_empty && self.was_empty {
                    match self.phase {
                        Phase::Play => {
                            let all: Vec<usize> = self.asked.keys().copied().collect();
                            self.ask_again(&all);
                        }
                        // Nobody plays any more.
                        _ => self.asked.clear(),
                    }
                }
                self.was_empty = is_empty;
            }
            BrokerEvent::Played(bytes) => {
                self.was_empty = false;
                self.played(&bytes).await;
            }
            BrokerEvent::Hello(message) => self.greet(message).await,
            BrokerEvent::Asked(message) => self.offer(message).await,
            BrokerEvent::Failed(error) => {
                self.tell(warning(&format!("the NATS server fails: {error}")))
                    .await;
            }
        }
    }

    /// A worker says what it is, and hears what it is to do.
    async fn greet(&mut self, message: Message) {
        let hello: Option<Hello> = read(&message.payload);
        let Some(hello) = hello.filter(Hello::is_bounded) else {
            return;
        };
        self.choose_canary();
        let worker = hello.worker.clone();
        let needs_proof = !matches!(self.canary, Canary::None);
        if let Some(change) = self.roster.hear(hello, needs_proof, Instant::now()) {
            self.tell(change).await;
        }
        if matches!(self.canary, Canary::None) {
            self.roster.prove(&worker);
        }
        let verdict = match (self.roster.out(&worker), &self.canary) {
            (Some(reason), _) => Verdict::Leave(reason.to_owned()),
            (None, _) if self.phase > Phase::Play => Verdict::Finish,
            (None, Canary::Known(proof)) if self.roster.is_proving(&worker) => {
                Verdict::Prove(Box::new(proof.pair.clone()))
            }
            _ if self.roster.is_playing(&worker) => Verdict::Play,
            _ => Verdict::Wait,
        };
        answer(&self.carrier.broker.client, message, &verdict).await;
    }

    async fn offer(&self, message: Message) {
        let broker = &self.carrier.broker;
        let offer = Offer {
            awale: env!("CARGO_PKG_VERSION").to_owned(),
            run: broker.names.run().to_owned(),
            parcel: sha256(&written(broker.parcel.as_ref())),
        };
        answer(&broker.client, message, &offer).await;
    }

    /// Chooses the first waiting pair of two entrants that always play the same.
    fn choose_canary(&mut self) {
        if !matches!(self.canary, Canary::Wanted) || self.waiting.is_empty() {
            return;
        }
        let is_same = |(_, it): &&(usize, Assignment)| {
            let mut entrants = it.pair.entrants.iter();
            it.games.len() == 2
                && entrants.all(|it| {
                    let name = &self.carrier.check.plan.entrants[it.index()].name;
                    self.carrier.deterministic.contains(name)
                })
        };
        let place = self.waiting.iter().position(|it| is_same(&it));
        let found = place.and_then(|it| self.waiting.remove(it));
        self.canary = match found {
            None => Canary::None,
            Some((place, assignment)) => {
                let pair = BatchPair::of(place, &assignment);
                self.own.push_back(Order::Play(assignment));
                Canary::Played(pair, BTreeMap::new())
            }
        };
    }

    /// Notes how the pair went here by which workers prove themselves.
    fn note_canary(&mut self, record: &GameRecord) {
        let Canary::Played(pair, games) = &mut self.canary else {
            return;
        };
        if record.id.pair.index() != Some(pair.place) {
            return;
        }
        if record.is_void() || record.fault().is_some() {
            self.canary = Canary::None;
            return;
        }
        let place = pair
            .games
            .iter()
            .position(|it| it.number == record.id.number);
        games.insert(place.unwrap_or(0), record.played_hash());
        if games.len() == pair.games.len() {
            let games = std::mem::take(games).into_values().collect();
            let pair = pair.clone();
            self.canary = Canary::Known(Proof { pair, games });
        }
    }

    async fn played(&mut self, bytes: &[u8]) {
        let pair = match PlayedPair::of_bytes(bytes) {
            Ok(pair) => pair,
            Err(reason) => {
                let text = format!("somebody has sent a message that is not taken: {reason}");
                return self.tell(warning(&text)).await;
            }
        };
        if self.roster.is_proving(&pair.worker) {
            return self.judge_proof(&pair).await;
        }
        if !self.roster.is_playing(&pair.worker) {
            return;
        }
        let Some(assignment) = self.asked.get(&pair.place) else {
            // It has come before.
            return;
        };
        let at = self.at(&pair.worker);
        match self.checked(pair, assignment, at.as_ref()) {
            Ok(pair) => self.count_pair(pair).await,
            Err((worker, place, reason)) => {
                if let Some(change) = self.roster.put_aside(&worker, reason) {
                    self.tell(change).await;
                }
                self.ask_again(&[place]);
            }
        }
    }

    /// What the records of a worker's games say of its machine.
    fn at(&self, worker: &str) -> Option<PlayedAt> {
        self.roster.hello(worker).map(|it| PlayedAt {
            host: it.host.clone(),
            other_programs: it.other_programs.clone(),
        })
    }

    /// The pair of a worker, if it is one that was asked for, and each of its games is possible.
    fn checked(
        &self,
        mut pair: PlayedPair,
        assignment: &Assignment,
        at: Option<&PlayedAt>,
    ) -> Result<PlayedPair, (String, usize, String)> {
        let mut problem = None;
        if pair.games.len() != assignment.games.len() {
            problem = Some("it has other games than were asked for".to_owned());
        }
        for (game, asked) in pair.games.iter_mut().zip(&assignment.games) {
            let record = &mut game.record;
            record.at = at.cloned();
            let id = GameId {
                pair: assignment.pair.id.clone(),
                number: asked.number,
            };
            let is_asked =
                record.id.to_string() == id.to_string() && record.attempt == asked.attempt;
            let wrong = if is_asked {
                // As a text it does not say its place in the schedule.
                record.id = id;
                self.carrier.check.problem(record)
            } else {
                Some("it is not the game that was asked for".to_owned())
            };
            let wrong = wrong.map(|it| format!("game {}: {it}", record.id));
            problem = problem.or(wrong);
        }
        match problem {
            None => Ok(pair),
            Some(problem) => Err((pair.worker, pair.place, problem)),
        }
    }

    /// Reports the games of a pair.
    async fn count_pair(&mut self, pair: PlayedPair) {
        self.asked.remove(&pair.place);
        let mut time = Duration::ZERO;
        for game in pair.games {
            let record = Box::new(game.record);
            time += played_time(&record);
            if let Some(change) = self.roster.note(&pair.worker, &record) {
                self.tell(change).await;
            }
            let evidence = match (game.evidence, record.fault()) {
                (Some(evidence), Some(_)) => Some(Box::new(evidence.map(Into::into))),
                (None, Some(_)) => Some(Box::default()),
                (_, None) => None,
            };
            let logs = game.logs.map(|it| it.0);
            self.report(Report::Finished {
                record,
                logs,
                evidence,
            })
            .await;
        }
        self.report(Report::TaskDone).await;
        self.pair_time = match self.pair_time {
            Duration::ZERO => time,
            mean => (7 * mean + time) / 8,
        };
    }

    /// Compares the pair by which a worker proves itself with how it went here.
    async fn judge_proof(&mut self, pair: &PlayedPair) {
        let Canary::Known(proof) = &self.canary else {
            return;
        };
        if pair.place != proof.pair.place {
            return;
        }
        let games = pair.games.iter().map(|it| &it.record);
        if games.clone().any(GameRecord::is_void) {
            // It is asked again.
            return;
        }
        let games: Vec<u64> = games.map(GameRecord::played_hash).collect();
        if games == proof.games {
            return self.roster.prove(&pair.worker);
        }
        let pair_id = &self.carrier.check.schedule.pairs[pair.place].id;
        let reason = format!(
            "it plays the pair {pair_id} otherwise than this machine, although both bots are said \
             to be deterministic"
        );
        if let Some(change) = self.roster.put_aside(&pair.worker, reason) {
            self.tell(change).await;
        }
    }

    /// Tells every worker that is here that the run is over.
    async fn say_farewell(&mut self, events: &mut mpsc::Receiver<BrokerEvent>) {
        let end = Instant::now() + FAREWELL;
        let mut told = BTreeSet::new();
        while told.len() < self.roster.here() && Instant::now() < end {
            let event = tokio::select! {
                event = events.recv() => event,
                () = sleep_until(end.into()) => break,
            };
            if let Some(BrokerEvent::Hello(message)) = event
                && let Some(hello) = read::<Hello>(&message.payload)
            {
                let over = Verdict::Leave(String::new());
                answer(&self.carrier.broker.client, message, &over).await;
                told.insert(hello.worker);
            }
        }
    }
}

/// How long a game took, without the start of its bots.
fn played_time(record: &GameRecord) -> Duration {
    let ready = record.ready_us.iter().flatten().sum::<u64>();
    let plies = record.plies.iter().map(|it| it.time_us).sum::<u64>();
    Duration::from_micros(ready.saturating_add(plies))
}

fn warning(text: &str) -> Change {
    Change {
        text: text.to_owned(),
        is_warning: true,
    }
}

/// Answers, if somebody waits for that.
async fn answer(client: &Client, message: Message, answer: &impl serde::Serialize) {
    if let Some(reply) = message.reply {
        let sent = client.publish(reply, written(answer).into()).await;
        if let Err(error) = sent {
            tracing::debug!("no answer: {}", text(error));
        }
    }
}

async fn own_permit(local: Option<&mpsc::Sender<Order>>) -> Option<mpsc::Permit<'_, Order>> {
    local?.reserve().await.ok()
}
