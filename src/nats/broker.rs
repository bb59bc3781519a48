//! The server as the collector sees it: its streams and its bucket are made, filled and asked, and made
//! anew when they are gone.

use super::message::{Batch, BatchPair, written};
use super::names::{Names, OFFERS};
use super::parcel::{Parcel, Stage};
use async_nats::jetstream::consumer::{AckPolicy, pull};
use async_nats::jetstream::object_store::Config as BucketConfig;
use async_nats::jetstream::stream::{Config as StreamConfig, DiscardPolicy, RetentionPolicy};
use async_nats::jetstream::{Context, stream::StorageType};
use async_nats::{Client, Message};
use bytes::Bytes;
use futures_util::StreamExt as _;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use tokio::time::{sleep, timeout};

/// The consumer that all workers share.
pub const WORKERS: &str = "workers";
/// The consumer of played pairs.
const COLLECTOR: &str = "collector";
/// How often the server is asked what waits there.
const LOOK_EVERY: Duration = Duration::from_millis(500);
/// The pause after something has failed.
const PAUSE: Duration = Duration::from_millis(500);
/// How long the server keeps what nobody wants any more.
const MOST_AGE: Duration = Duration::from_secs(48 * 3600);
/// The most bytes that wait in a stream: a server sets them aside. What has no room is sent again.
const MOST_BYTES: i64 = 256 << 20;
/// How long the end may take.
const END: Duration = Duration::from_secs(5);

/// What the desk wants of the server.
#[derive(Debug)]
pub enum BrokerOrder {
    /// These pairs are to be played.
    Ask(Vec<BatchPair>),
    /// Nothing more is to be played.
    Clear,
}

/// What comes from the server.
#[derive(Debug)]
pub enum BrokerEvent {
    /// Its streams are new: nothing of what was asked is there.
    Fresh,
    /// The pairs at these places were not asked.
    Unasked(Vec<usize>),
    /// So many batches wait, or are with workers, and so many played pairs wait.
    Queue {
        /// Batches.
        asked: u64,
        /// Played pairs.
        played: u64,
    },
    /// A pair was played.
    Played(Bytes),
    /// A worker says what it is.
    Hello(Message),
    /// Somebody asks for a run.
    Asked(Message),
    /// The server does not do its part.
    Failed(String),
}

/// The server of a run.
#[derive(Clone, Debug)]
pub struct Broker {
    pub client: Client,
    pub names: Names,
    pub stage: Arc<Stage>,
    pub parcel: Arc<Parcel>,
    /// How long a worker may be silent that has a batch.
    pub silence: Duration,
}

impl Broker {
    /// Makes everything anew: what an earlier session has left is of no use.
    ///
    /// # Errors
    /// What the server says.
    pub async fn begin(&self) -> Result<(), String> {
        let context = self.context();
        for stream in [self.names.batch_stream(), self.names.result_stream()] {
            let _ = context.delete_stream(stream).await;
        }
        self.ensure().await.map(drop)
    }

    /// Begins to serve the desk. What comes from the server goes to `events`. Once no more orders come,
    /// the task that is returned deletes what the run has made there, and ends.
    pub fn serve(
        &self,
        orders: mpsc::Receiver<BrokerOrder>,
        events: &mpsc::Sender<BrokerEvent>,
    ) -> JoinHandle<()> {
        let (broker, to) = (self.clone(), events.clone());
        let keeper = tokio::spawn(async move { broker.keep(orders, to).await });
        let (broker, to) = (self.clone(), events.clone());
        tokio::spawn(async move { broker.receive(to).await });
        for (subject, kind) in [
            (self.names.hello(), BrokerEvent::Hello as fn(Message) -> _),
            (OFFERS.to_owned(), BrokerEvent::Asked),
        ] {
            let (broker, to) = (self.clone(), events.clone());
            tokio::spawn(async move { broker.listen(subject, kind, to).await });
        }
        keeper
    }

    fn context(&self) -> Context {
        async_nats::jetstream::new(self.client.clone())
    }

    /// Publishes batches, and looks what waits, until the desk is gone.
    async fn keep(
        &self,
        mut orders: mpsc::Receiver<BrokerOrder>,
        events: mpsc::Sender<BrokerEvent>,
    ) {
        let mut told = None;
        loop {
            match self.ensure().await {
                Ok(true) => drop(events.send(BrokerEvent::Fresh).await),
                Ok(false) => {}
                Err(error) => {
                    if told.as_ref() != Some(&error) {
                        let _ = events.send(BrokerEvent::Failed(error.clone())).await;
                        told = Some(error);
                    }
                    sleep(PAUSE).await;
                    if events.is_closed() {
                        return;
                    }
                    continue;
                }
            }
            told = None;
            loop {
                let done = tokio::select! {
                    order = orders.recv() => match order {
                        None => return self.end().await,
                        Some(order) => self.obey(order, &events).await,
                    },
                    () = sleep(LOOK_EVERY) => self.look(&events).await,
                };
                if done.is_err() {
                    break;
                }
            }
        }
    }

    async fn obey(
        &self,
        order: BrokerOrder,
        events: &mpsc::Sender<BrokerEvent>,
    ) -> Result<(), String> {
        let context = self.context();
        match order {
            BrokerOrder::Ask(pairs) => {
                let places = pairs.iter().map(|it| it.place).collect();
                let bytes = written(&Batch { pairs });
                let asked = async {
                    let sent = context.publish(self.names.batches(), bytes.into()).await;
                    sent.map_err(text)?.await.map_err(text)
                };
                if let Err(error) = asked.await {
                    let _ = events.send(BrokerEvent::Unasked(places)).await;
                    return Err(error);
                }
            }
            BrokerOrder::Clear => {
                let stream = context.get_stream(self.names.batch_stream()).await;
                stream.map_err(text)?.purge().await.map_err(text)?;
            }
        }
        Ok(())
    }

    /// Looks what waits.
    async fn look(&self, events: &mpsc::Sender<BrokerEvent>) -> Result<(), String> {
        let context = self.context();
        let pending = async |stream: String, consumer: &str| {
            let stream = context.get_stream_no_info(stream).await.map_err(text)?;
            let info = stream.consumer_info(consumer).await.map_err(text)?;
            Ok::<u64, String>(info.num_pending + info.num_ack_pending as u64)
        };
        let asked = pending(self.names.batch_stream(), WORKERS).await?;
        let played = pending(self.names.result_stream(), COLLECTOR).await?;
        let _ = events.send(BrokerEvent::Queue { asked, played }).await;
        Ok(())
    }

    /// Makes what is missing. Returns whether batches that were asked are gone.
    async fn ensure(&self) -> Result<bool, String> {
        let context = self.context();
        let mut is_fresh = false;
        for (name, subject, consumer, silence) in [
            (
                self.names.batch_stream(),
                self.names.batches(),
                WORKERS,
                self.silence,
            ),
            (
                self.names.result_stream(),
                self.names.results(),
                COLLECTOR,
                Duration::from_secs(30),
            ),
        ] {
            is_fresh |= context.get_stream(&name).await.is_err();
            let stream = context.get_or_create_stream(StreamConfig {
                name,
                subjects: vec![subject],
                retention: RetentionPolicy::WorkQueue,
                discard: DiscardPolicy::New,
                max_age: MOST_AGE,
                max_bytes: MOST_BYTES,
                storage: StorageType::File,
                ..StreamConfig::default()
            });
            let stream = stream.await.map_err(text)?;
            let consumer = stream.get_or_create_consumer(
                consumer,
                pull::Config {
                    durable_name: Some(consumer.to_owned()),
                    ack_policy: AckPolicy::Explicit,
                    ack_wait: silence,
                    max_ack_pending: -1,
                    ..pull::Config::default()
                },
            );
            consumer.await.map_err(text)?;
        }
        self.fill().await?;
        Ok(is_fresh)
    }

    /// Puts the files into the bucket that are not there.
    async fn fill(&self) -> Result<(), String> {
        let context = self.context();
        let name = self.names.bucket();
        let known = context.get_object_store(&name).await;
        let bucket = if let Ok(bucket) = known {
            bucket
        } else {
            let made = context.create_object_store(BucketConfig {
                bucket: name,
                max_age: MOST_AGE,
                ..BucketConfig::default()
            });
            made.await.map_err(text)?
        };
        let list = written(self.parcel.as_ref());
        let hash = super::parcel::sha256(&list);
        // It comes last: where it is, everything is.
        if bucket.info(&hash).await.is_ok() {
            return Ok(());
        }
        for content in self.parcel.contents() {
            if bucket.info(content).await.is_err() {
                let bytes = self.stage.content(&self.parcel, content).map_err(text)?;
                let mut bytes = bytes.as_slice();
                bucket.put(content, &mut bytes).await.map_err(text)?;
            }
        }
        let mut list = list.as_slice();
        let put = bucket.put(hash.as_str(), &mut list).await;
        put.map(drop).map_err(text)
    }

    /// Receives played pairs for ever.
    async fn receive(&self, events: mpsc::Sender<BrokerEvent>) {
        while !events.is_closed() {
            let context = self.context();
            let consumer = context.get_consumer_from_stream::<pull::Config, _, _>(
                COLLECTOR,
                self.names.result_stream(),
            );
            if let Ok(consumer) = consumer.await
                && let Ok(mut messages) = consumer.messages().await
            {
                while let Some(Ok(message)) = messages.next().await {
                    let payload = message.payload.clone();
                    if events.send(BrokerEvent::Played(payload)).await.is_err() {
                        return;
                    }
                    // Whatever is lost from here on is asked for again.
                    let _ = message.ack().await;
                }
            }
            sleep(PAUSE).await;
        }
    }

    async fn listen(
        &self,
        subject: String,
        kind: fn(Message) -> BrokerEvent,
        events: mpsc::Sender<BrokerEvent>,
    ) {
        while !events.is_closed() {
            if let Ok(mut messages) = self.client.subscribe(subject.clone()).await {
                while let Some(message) = messages.next().await {
                    if events.send(kind(message)).await.is_err() {
                        return;
                    }
                }
            }
            sleep(PAUSE).await;
        }
    }

    /// Deletes what the run has made.
    async fn end(&self) {
        let context = self.context();
        let ended = async {
            for stream in [self.names.batch_stream(), self.names.result_stream()] {
                let _ = context.delete_stream(stream).await;
            }
            let _ = context.delete_object_store(self.names.bucket()).await;
            let _ = self.client.flush().await;
        };
        let _ = timeout(END, ended).await;
    }
}

/// An error as a text, which has its cause.
pub fn text(error: impl std::error::Error) -> String {
    error.to_string()
}
