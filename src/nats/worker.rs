//! A worker: it finds a run, fetches its files, and plays the batches that it gets on its slots. It
//! says every two seconds what it is, and hears what it is to do.

use super::access::{Access, LinkError};
use super::broker::{WORKERS, text};
use super::message::{Batch, BatchPair, Hello, Offer, Verdict, read, written};
use super::names::{Names, OFFERS};
use super::parcel::{MOST_MIB, Parcel, ParcelError, sha256};
use super::played::{Bytes, PlayedGame, PlayedPair};
use crate::files::Folder;
use crate::record::GameRecord;
use crate::tournament::{
    Assignment, Order, Phase, PlayerFactory, Report, RunError, RunSetup, on_slots,
};
use async_nats::jetstream::consumer::pull;
use async_nats::jetstream::object_store::ObjectStore;
use async_nats::jetstream::{AckKind, Context, Message};
use async_nats::{Client, RequestErrorKind};
use futures_util::StreamExt as _;
use std::collections::{BTreeMap, VecDeque};
use std::io;
use std::time::{Duration, Instant};
use thiserror::Error;
use tokio::io::AsyncReadExt as _;
use tokio::sync::{mpsc, watch};
use tokio::time::{sleep, sleep_until, timeout};

/// How often a worker says what it is.
const HELLO_EVERY: Duration = Duration::from_secs(2);
/// How long an answer may take.
const ANSWER: Duration = Duration::from_secs(2);
/// A collector that does not answer for so long, while the server does, is gone.
const GONE: Duration = Duration::from_secs(15);
/// Batches that a worker holds: one that is played, and the next.
const MOST_BATCHES: usize = 2;
/// How long the server may let a worker wait for a batch.
const WAIT: Duration = Duration::from_secs(5);
/// The pause after something has failed.
const PAUSE: Duration = Duration::from_millis(250);
/// How long games in progress may go on when the worker is to end.
const GRACE: Duration = Duration::from_secs(10);
/// How often the server is told that a batch is still played.
const SIGN_EVERY: Duration = Duration::from_secs(1);
/// The most bytes of the list of a run's files.
const MOST_LIST_BYTES: usize = 64 << 20;

/// Why a worker cannot work.
#[derive(Debug, Error)]
pub enum WorkerError {
    /// The server is not there, or refuses.
    #[error(transparent)]
    Link(#[from] LinkError),
    /// The collector has another version.
    #[error("the run is collected by awale {0}, and this is awale {1}: install the same version")]
    Version(String, &'static str),
    /// The files cannot be laid out.
    #[error(transparent)]
    Parcel(#[from] ParcelError),
    /// The cache fails.
    #[error("cannot write to the cache: {0}")]
    Cache(#[from] io::Error),
    /// The slots fail.
    #[error(transparent)]
    Run(#[from] RunError),
}

/// Why a worker has nothing more to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Left {
    /// The run is over.
    Over,
    /// The collector gives it no more work, for this reason. Hostile text.
    PutAside(String),
    /// The collector does not answer any more.
    Silent,
    /// It was interrupted.
    Interrupted,
    /// A bot cannot be started here.
    Broken(String),
}

/// A run that has work.
#[derive(Clone, Debug)]
pub struct Found {
    names: Names,
    /// Its files.
    pub parcel: Parcel,
}

/// Waits for a run, and fetches its files into a folder, the cache. `None` if it was interrupted.
///
/// # Errors
/// The server refuses, the collector has another version, or the cache fails.
pub async fn find_run(
    access: &Access,
    cache: &Folder,
    mut interrupt: watch::Receiver<Phase>,
    tell: &dyn Fn(&str),
) -> Result<Option<Found>, WorkerError> {
    let found = async {
        let client = access.connect("awale worker").await?;
        let mut is_told = false;
        loop {
            if let Some(offer) = ask(&client).await {
                if offer.awale != env!("CARGO_PKG_VERSION") {
                    return Err(WorkerError::Version(offer.awale, env!("CARGO_PKG_VERSION")));
                }
                match fetch(&client, &offer, cache).await {
                    Ok(found) => return Ok(found),
                    Err(FetchError::Lost(error)) => tracing::debug!("not fetched: {error}"),
                    Err(FetchError::Worker(error)) => return Err(error),
                }
            }
            if !is_told {
                tell(&format!("waiting for a run at {}", access.url));
                is_told = true;
            }
            sleep(HELLO_EVERY).await;
        }
    };
    tokio::select! {
        _ = interrupt.wait_for(|it| *it > Phase::Play) => Ok(None),
        found = found => found.map(Some),
    }
}

async fn ask(client: &Client) -> Option<Offer> {
    let asked = timeout(ANSWER, client.request(OFFERS, "".into())).await;
    read(&asked.ok()?.ok()?.payload)
}

/// Why files are not there.
enum FetchError {
    /// They may come later.
    Lost(String),
    Worker(WorkerError),
}

impl<E: Into<WorkerError>> From<E> for FetchError {
    fn from(error: E) -> Self {
        Self::Worker(error.into())
    }
}

/// Fetches what the cache has not.
async fn fetch(client: &Client, offer: &Offer, cache: &Folder) -> Result<Found, FetchError> {
    let lost = |error: &dyn std::error::Error| FetchError::Lost(error.to_string());
    let names = Names::of(&offer.run).ok_or(FetchError::Lost("it has no name".to_owned()))?;
    let context = async_nats::jetstream::new(client.clone());
    let bucket = context.get_object_store(names.bucket()).await;
    let bucket = bucket.map_err(|error| lost(&error))?;
    let list = object(&bucket, &offer.parcel, MOST_LIST_BYTES).await?;
    let parcel: Parcel = serde_json::from_slice(&list)
        .map_err(|error| ParcelError::Bad(format!("it is no list of files: {error}")))?;
    parcel.check()?;
    for content in parcel.contents() {
        if !cache.is_file(content) {
            let most = usize::try_from(MOST_MIB << 20).unwrap_or(usize::MAX);
            let bytes = object(&bucket, content, most).await?;
            keep(cache, content, &bytes)?;
        }
    }
    Ok(Found { names, parcel })
}

/// An object of this SHA-256.
async fn object(bucket: &ObjectStore, hash: &str, most: usize) -> Result<Vec<u8>, FetchError> {
    let object = bucket.get(hash).await;
    let object = object.map_err(|error| FetchError::Lost(format!("{hash}: {error}")))?;
    let mut bytes = Vec::new();
    let read = object.take(most as u64 + 1).read_to_end(&mut bytes).await;
    read.map_err(|error| FetchError::Lost(format!("{hash}: {error}")))?;
    if sha256(&bytes) != hash {
        return Err(FetchError::Lost(format!("{hash} is something else")));
    }
    Ok(bytes)
}

/// Keeps a content in the cache, whole or not at all.
fn keep(cache: &Folder, hash: &str, bytes: &[u8]) -> io::Result<()> {
    use std::io::Write as _;
    let part = format!("{hash}.{}.part", std::process::id());
    cache.remove(&part)?;
    cache.create_file(&part, 0o600)?.write_all(bytes)?;
    cache.rename(&part, hash).map(drop)
}

/// Plays what the collector asks for, on the slots of `setup`, until it wants no more, or does not
/// answer, or the worker is interrupted.
///
/// # Errors
/// The server or the slots fail.
pub fn work<B: PlayerFactory>(
    access: &Access,
    found: &Found,
    hello: &Hello,
    setup: &RunSetup<'_>,
    factory: &B,
    interrupt: &watch::Receiver<Phase>,
) -> Result<Left, WorkerError> {
    let (phase, _) = watch::channel(Phase::Play);
    on_slots(setup, factory, &phase, |runtime, orders, reports| {
        runtime.block_on(async {
            let worked = async {
                let client = access.connect("awale worker").await?;
                let (told, heard) = mpsc::channel(64);
                let own = WorkerLoop::new(client, found, hello, setup, &phase, told);
                Ok(own.work(orders, reports, heard, interrupt.clone()).await)
            };
            worked.await
        })
    })?
}

/// What the tasks of a worker tell its loop.
enum Told {
    Verdict(Verdict),
    Silent,
    Batch(Box<Message>),
    NoBatch,
    /// A pair of the batch of this number is stored by the server.
    Sent(u64),
}

/// A batch that is played.
struct Held {
    message: Box<Message>,
    /// Pairs that are not stored yet.
    left: usize,
}

/// A pair that is played.
struct InPlay {
    /// The batch; `None` of the pair by which the worker proves itself.
    batch: Option<u64>,
    games: usize,
    played: Vec<PlayedGame>,
}

struct WorkerLoop<'a> {
    context: Context,
    client: Client,
    found: &'a Found,
    hello: &'a Hello,
    setup: &'a RunSetup<'a>,
    phase: &'a watch::Sender<Phase>,
    told: mpsc::Sender<Told>,
    verdict: Verdict,
    /// Batches by their numbers.
    held: BTreeMap<u64, Held>,
    next_batch: u64,
    is_fetching: bool,
    /// Pairs that wait for a slot, by their places.
    waiting: VecDeque<(usize, Assignment)>,
    in_play: BTreeMap<usize, InPlay>,
    left: Option<Left>,
    /// When the last game ended, or began while none was played.
    lively: Instant,
}

impl<'a> WorkerLoop<'a> {
    fn new(
        client: Client,
        found: &'a Found,
        hello: &'a Hello,
        setup: &'a RunSetup<'a>,
        phase: &'a watch::Sender<Phase>,
        told: mpsc::Sender<Told>,
    ) -> Self {
        Self {
            context: async_nats::jetstream::new(client.clone()),
            client,
            found,
            hello,
            setup,
            phase,
            told,
            verdict: Verdict::Wait,
            held: BTreeMap::new(),
            next_batch: 0,
            is_fetching: false,
            waiting: VecDeque::new(),
            in_play: BTreeMap::new(),
            left: None,
            lively: Instant::now(),
        }
    }

    async fn work(
        mut self,
        orders: mpsc::Sender<Order>,
        mut reports: mpsc::Receiver<Report>,
        mut heard: mpsc::Receiver<Told>,
        mut interrupt: watch::Receiver<Phase>,
    ) -> Left {
        tokio::spawn(greet(
            self.client.clone(),
            self.found.names.hello(),
            self.hello.clone(),
            self.told.clone(),
        ));
        let mut orders = Some(orders);
        let mut deadline = None;
        let mut sign_at = Instant::now();
        loop {
            if self.left.is_some() && deadline.is_none() {
                self.phase.send_replace(Phase::Finish);
                self.waiting.clear();
                orders = None;
                deadline = Some(Instant::now() + GRACE);
            }
            self.want_batch();
            let stop = deadline.unwrap_or_else(|| Instant::now() + GRACE);
            tokio::select! {
                biased;
                _ = interrupt.wait_for(|it| *it > Phase::Play), if self.left.is_none() => {
                    self.left = Some(Left::Interrupted);
                }
                permit = permit(orders.as_ref()), if !self.waiting.is_empty() => {
                    if let (Some(permit), Some((_, assignment))) = (permit, self.waiting.pop_front())
                    {
                        permit.send(Order::Play(assignment));
                    }
                }
                report = reports.recv() => match report {
                    Some(report) => self.report(report),
                    None => break,
                },
                Some(told) = heard.recv() => self.hear(told).await,
                () = sleep_until((sign_at + SIGN_EVERY).into()) => {
                    sign_at = Instant::now();
                    self.give_sign_of_life().await;
                }
                () = sleep_until(stop.into()), if deadline.is_some() => {
                    self.phase.send_replace(Phase::Abort);
                    deadline = Some(Instant::now() + GRACE);
                }
            }
        }
        self.say_goodbye(&mut heard).await
    }

    /// Fetches a batch, if there is room for one.
    fn want_batch(&mut self) {
        let may = self.verdict == Verdict::Play && self.left.is_none();
        if !may || self.is_fetching || self.held.len() >= MOST_BATCHES {
            return;
        }
        self.is_fetching = true;
        let (context, told) = (self.context.clone(), self.told.clone());
        let stream = self.found.names.batch_stream();
        tokio::spawn(async move {
            let fetched = async {
                let consumer = context
                    .get_consumer_from_stream::<pull::Config, _, _>(WORKERS, stream)
                    .await
                    .map_err(text)?;
                let messages = consumer.batch().max_messages(1).expires(WAIT).messages();
                let mut messages = messages.await.map_err(text)?;
                let message = messages.next().await.transpose();
                message.map_err(|error| error.to_string())
            };
            let answer = match timeout(2 * WAIT, fetched).await {
                Ok(Ok(Some(message))) => Told::Batch(Box::new(message)),
                Ok(Err(error)) => {
                    tracing::debug!("no batch: {error}");
                    sleep(PAUSE).await;
                    Told::NoBatch
                }
                Ok(Ok(None)) | Err(_) => Told::NoBatch,
            };
            let _ = told.send(answer).await;
        });
    }

    async fn hear(&mut self, told: Told) {
        match told {
            Told::Verdict(verdict) => self.obey(verdict).await,
            Told::Silent => drop(self.left.get_or_insert(Left::Silent)),
            Told::NoBatch => self.is_fetching = false,
            Told::Batch(message) => {
                self.is_fetching = false;
                self.begin(message).await;
            }
            Told::Sent(batch) => self.settle(batch).await,
        }
    }

    /// Nothing more is to be done for a pair of this batch.
    async fn settle(&mut self, batch: u64) {
        let Some(held) = self.held.get_mut(&batch) else {
            return;
        };
        held.left -= 1;
        if held.left == 0
            && let Some(held) = self.held.remove(&batch)
        {
            let _ = held.message.ack().await;
        }
    }

    /// Begins none of the pairs that wait: the run is to end, and nobody plays them.
    async fn give_up_waiting(&mut self) {
        for (place, _) in std::mem::take(&mut self.waiting) {
            let given_up = self.in_play.remove(&place);
            if let Some(batch) = given_up.and_then(|it| it.batch) {
                self.settle(batch).await;
            }
        }
    }

    async fn obey(&mut self, verdict: Verdict) {
        match &verdict {
            Verdict::Leave(reason) if reason.is_empty() => {
                self.left.get_or_insert(Left::Over);
            }
            Verdict::Leave(reason) => {
                self.left.get_or_insert(Left::PutAside(reason.clone()));
            }
            Verdict::Finish => self.give_up_waiting().await,
            Verdict::Prove(pair) => drop(self.add(pair.as_ref().clone(), None)),
            Verdict::Wait | Verdict::Play => {}
        }
        self.verdict = verdict;
    }

    /// Begins a batch.
    async fn begin(&mut self, message: Box<Message>) {
        let batch: Option<Batch> = read(&message.payload);
        let number = self.next_batch;
        self.next_batch += 1;
        let mut left = 0;
        for pair in batch.into_iter().flat_map(|it| it.pairs) {
            left += usize::from(self.add(pair, Some(number)));
        }
        if left == 0 {
            // It is nothing that this version could play; the collector asks again.
            let _ = message.ack().await;
            return;
        }
        self.held.insert(number, Held { message, left });
    }

    /// Lets a pair wait for a slot, unless it is played already, or none of the schedule.
    fn add(&mut self, pair: BatchPair, batch: Option<u64>) -> bool {
        let place = pair.place;
        let assignment = pair.assignment(self.setup.schedule, &self.setup.plan.rules);
        let Some(assignment) = assignment.filter(|_| !self.in_play.contains_key(&place)) else {
            return false;
        };
        let mut unfit = self.setup.gate.unfit.iter();
        if let Some((entrant, refusal)) =
            unfit.find(|(it, _)| assignment.pair.entrants.contains(it))
        {
            let name = &self.setup.plan.entrants[entrant.index()].name;
            let detail = refusal.detail();
            self.broken(format!("{name} cannot play here: {detail}"));
            return false;
        }
        if self.in_play.is_empty() {
            self.lively = Instant::now();
        }
        let in_play = InPlay {
            batch,
            games: assignment.games.len(),
            played: Vec::new(),
        };
        self.in_play.insert(place, in_play);
        self.waiting.push_back((place, assignment));
        true
    }

    fn report(&mut self, report: Report) {
        match report {
            Report::Finished {
                record,
                logs,
                evidence,
            } => {
                self.lively = Instant::now();
                let evidence = evidence.map(|it| it.each_ref().map(Into::into));
                self.played(PlayedGame {
                    record: *record,
                    logs: logs.map(Bytes),
                    evidence,
                });
            }
            Report::Unstarted { cause, .. } => self.broken(format!("a bot cannot start: {cause}")),
            Report::Blocked { remains, .. } => {
                self.broken(format!("processes of a bot do not end: {remains}"));
            }
            // The panic continues when the slot's thread is joined.
            Report::Panicked => self.broken("it has failed".to_owned()),
            Report::NotPinned { .. }
            | Report::StartFailed { .. }
            | Report::Examined { .. }
            | Report::Slots(_)
            | Report::Notice { .. }
            | Report::TaskDone => {}
        }
    }

    fn broken(&mut self, reason: String) {
        self.left.get_or_insert(Left::Broken(reason));
    }

    /// Sends a pair once all of its games are played.
    fn played(&mut self, game: PlayedGame) {
        let Some(place) = place_of(&game.record) else {
            return;
        };
        let Some(pair) = self.in_play.get_mut(&place) else {
            return;
        };
        pair.played.push(game);
        if pair.played.len() < pair.games {
            return;
        }
        let Some(pair) = self.in_play.remove(&place) else {
            return;
        };
        let sent = PlayedPair {
            worker: self.hello.worker.clone(),
            place,
            games: pair.played,
        };
        // Headers and the subject have room besides.
        let most = self.client.max_payload().saturating_sub(1024);
        let bytes = sent.into_bytes(most);
        let (context, told) = (self.context.clone(), self.told.clone());
        let subject = self.found.names.result(place);
        let bytes = bytes::Bytes::from(bytes);
        tokio::spawn(async move {
            loop {
                let sent = async {
                    let sent = context.publish(subject.clone(), bytes.clone()).await;
                    sent.map_err(text)?.await.map_err(text)
                };
                match sent.await {
                    Ok(_) => break,
                    Err(error) => tracing::debug!("not sent: {error}"),
                }
                if told.is_closed() {
                    return;
                }
                sleep(PAUSE).await;
            }
            if let Some(batch) = pair.batch {
                let _ = told.send(Told::Sent(batch)).await;
            }
        });
    }

    /// Tells the server that its batches are still played, as long as games end as soon as they must.
    async fn give_sign_of_life(&self) {
        let plan = &self.setup.plan;
        let longest = plan.longest(plan.max_plies);
        let conditions = &plan.conditions;
        let longest = 2 * (longest + conditions.start_up + conditions.new_game);
        if !self.in_play.is_empty() && self.lively.elapsed() > longest {
            return;
        }
        for held in self.held.values() {
            let _ = held.message.ack_with(AckKind::Progress).await;
        }
    }

    /// Gives back what was not played, and says goodbye.
    async fn say_goodbye(mut self, heard: &mut mpsc::Receiver<Told>) -> Left {
        let end = Instant::now() + ANSWER;
        let is_sent = |held: &BTreeMap<u64, Held>, in_play: &BTreeMap<usize, InPlay>| {
            let waits = |(batch, held): (&u64, &Held)| {
                let open = in_play
                    .values()
                    .filter(|it| it.batch == Some(*batch))
                    .count();
                held.left > open
            };
            !held.iter().any(waits)
        };
        while !is_sent(&self.held, &self.in_play) {
            let told = tokio::select! {
                told = heard.recv() => told,
                () = sleep_until(end.into()) => break,
            };
            if let Some(told @ Told::Sent(_)) = told {
                self.hear(told).await;
            }
        }
        for held in self.held.values() {
            let _ = held.message.ack_with(AckKind::Nak(None)).await;
        }
        let left = self.left.unwrap_or(Left::Over);
        let leaves = match &left {
            Left::Over | Left::Silent | Left::PutAside(_) => None,
            Left::Interrupted => Some("it was interrupted".to_owned()),
            Left::Broken(reason) => Some(crate::report::shortened(reason, 200)),
        };
        if leaves.is_some() {
            let goodbye = Hello {
                leaves,
                ..self.hello.clone()
            };
            let said = self
                .client
                .publish(self.found.names.hello(), written(&goodbye).into());
            let _ = said.await;
        }
        let _ = timeout(ANSWER, self.client.flush()).await;
        left
    }
}

/// Says what this worker is, again and again.
async fn greet(client: Client, subject: String, hello: Hello, told: mpsc::Sender<Told>) {
    let bytes = bytes::Bytes::from(written(&hello));
    let mut silent_since = None;
    while !told.is_closed() {
        let asked = client.request(subject.clone(), bytes.clone());
        match timeout(ANSWER, asked).await {
            Ok(Ok(answer)) => {
                silent_since = None;
                if let Some(verdict) = read(&answer.payload)
                    && told.send(Told::Verdict(verdict)).await.is_err()
                {
                    return;
                }
            }
            // The server is there, and the collector is not.
            Ok(Err(error)) if error.kind() == RequestErrorKind::NoResponders => {
                let since = *silent_since.get_or_insert_with(Instant::now);
                if since.elapsed() > GONE {
                    let _ = told.send(Told::Silent).await;
                    return;
                }
            }
            Ok(Err(_)) | Err(_) => {}
        }
        sleep(HELLO_EVERY).await;
    }
}

/// The place in the schedule of a game's pair.
fn place_of(record: &GameRecord) -> Option<usize> {
    record.id.pair.index()
}

async fn permit(orders: Option<&mpsc::Sender<Order>>) -> Option<mpsc::Permit<'_, Order>> {
    match orders {
        Some(orders) => orders.reserve().await.ok(),
        None => std::future::pending().await,
    }
}
