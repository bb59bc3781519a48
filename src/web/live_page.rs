//! The page of a run while it is played: `awale run --live`.

use super::broadcast::{Broadcast, Message};
use super::connections::MOST_STREAMS;
use super::follower::{GameRequest, follow, make_page};
use super::server::{Document, PageAddress, STREAM, Server, as_document, give_way};
use crate::report::{PageHtml, live_page};
use crate::run_folder::FollowedRun;
use crate::tournament::{Boards, RunDocument};
use axum::Router;
use axum::extract::{Query, State};
use axum::http::StatusCode;
use axum::http::header::{CONTENT_TYPE, HeaderName};
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::routing::get;
use futures_util::stream::{Stream, unfold};
use serde::Deserialize;
use serde_json::{Value, json};
use std::collections::VecDeque;
use std::convert::Infallible;
use std::io;
use std::net::{SocketAddr, TcpListener};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;
use std::time::Duration;
use tokio::sync::broadcast::{self, error::RecvError};
use tokio::sync::{Semaphore, oneshot};
use tokio::time::{MissedTickBehavior, interval};

/// How often the boards in play are told.
const MOMENT: Duration = Duration::from_millis(250);
/// How often a stream without messages shows that it lives.
const KEEP_ALIVE: Duration = Duration::from_secs(15);
/// The nice value of the thread that makes pages: a sixth of what a bot gets where they
/// compete. It computes for a twentieth of the time at most, and at the lowest priority its readers
/// would wait for half a minute on a busy host.
const NICE: i32 = 15;
/// Requests for games that wait for the follower. More are refused.
const MOST_REQUESTS: usize = 16;
/// How long a page that is being made may take after a run, and how long readers have to fetch the
/// last one.
const FAREWELL: Duration = Duration::from_secs(2);

/// An address at which a page will be served: taken early, so that a run does not begin if it is
/// not free.
#[derive(Debug)]
pub struct BoundPage {
    listener: TcpListener,
    address: SocketAddr,
}

/// A run that is about to be played.
#[derive(Debug)]
pub struct LiveRun<'a> {
    /// Its folder, which has a journal.
    pub folder: &'a Path,
    /// The run.
    pub run: RunDocument,
    /// The boards of its slots.
    pub boards: Arc<Boards>,
}

impl BoundPage {
    /// Takes an address.
    ///
    /// # Errors
    /// It is not free, or not one of this machine.
    pub fn bind(address: PageAddress) -> io::Result<Self> {
        let listener = TcpListener::bind(address.socket())?;
        Ok(Self {
            address: listener.local_addr()?,
            listener,
        })
    }

    /// What listens at the address.
    pub(super) fn into_listener(self) -> TcpListener {
        self.listener
    }

    /// The address, with its port.
    pub const fn address(&self) -> SocketAddr {
        self.address
    }

    /// Serves the page of a run.
    ///
    /// # Errors
    /// The host refuses a thread or a descriptor, or the journal cannot be opened.
    pub fn serve(self, run: LiveRun<'_>) -> io::Result<LivePage> {
        let hidden = run.run.settings.hidden_entrants();
        let broadcast = Arc::new(Broadcast::new(run.boards, hidden));
        let html = Arc::new(live_page(&run.run.settings.name));
        let followed = FollowedRun::new(run.folder, run.run)?;
        let (requests, requested) = sync_channel(MOST_REQUESTS);
        let thread = thread::Builder::new().name("page-follower".to_owned());
        let own_broadcast = Arc::clone(&broadcast);
        let is_over = Arc::new(AtomicBool::new(false));
        let over = Arc::clone(&is_over);
        let (ended, has_ended) = sync_channel(1);
        thread.spawn(move || {
            give_way(NICE);
            let followed = follow(followed, &own_broadcast, &requested, &over);
            // The run may not wait for it any more.
            let _ = ended.send(followed);
        })?;
        let shown = Shown {
            broadcast: Arc::clone(&broadcast),
            requests,
            html,
            streams: Arc::new(Semaphore::new(MOST_STREAMS)),
        };
        Ok(LivePage {
            server: Server::start(self.listener, routes(shown))?,
            broadcast,
            is_over,
            has_ended,
        })
    }
}

/// The page of a run that is being played. It is gone when this is dropped.
#[derive(Debug)]
pub struct LivePage {
    server: Server,
    broadcast: Arc<Broadcast>,
    is_over: Arc<AtomicBool>,
    /// Gets the run when no more pages are made of it.
    has_ended: Receiver<FollowedRun>,
}

impl LivePage {
    /// Tells the readers an event of the run. Never waits for them.
    pub fn tell(&self, event: &Value) {
        self.broadcast.tell_event(event);
    }

    /// How many games are played, of how many.
    pub fn count(&self, done: usize, total: usize) {
        self.broadcast.count(done, total);
    }

    /// Shows the last page: nothing more is played, because all is or because the run was
    /// interrupted. Waits a moment for readers to fetch it.
    pub fn finish(self, interrupted: bool) {
        let Self {
            server,
            broadcast,
            is_over,
            has_ended,
        } = self;
        is_over.store(true, Ordering::Release);
        if !broadcast.has_readers() {
            return;
        }
        // On a busy host, the thread that makes pages may end too late. Readers hear of the end
        // anyway.
        if let Ok(mut run) = has_ended.recv_timeout(FAREWELL) {
            let _ = make_page(&mut run, &broadcast, &mut false);
        }
        broadcast.tell("end", &json!({ "interrupted": interrupted }));
        server.finish(FAREWELL, || !broadcast.has_readers());
    }
}

#[derive(Clone)]
struct Shown {
    broadcast: Arc<Broadcast>,
    requests: SyncSender<GameRequest>,
    html: Arc<PageHtml>,
    /// Places of streams.
    streams: Arc<Semaphore>,
}

fn routes(shown: Shown) -> Router {
    Router::new()
        .route("/", get(document))
        .route("/summary", get(summary))
        .route("/columns", get(columns))
        .route("/game", get(game))
        .route(STREAM, get(events))
        .with_state(shown)
}

type Json<T> = ([(HeaderName, &'static str); 1], T);

const fn as_json<T>(text: T) -> Json<T> {
    ([(CONTENT_TYPE, "application/json")], text)
}

async fn document(State(shown): State<Shown>) -> Document {
    as_document(&shown.html)
}

async fn summary(State(shown): State<Shown>) -> Json<String> {
    as_json(shown.broadcast.page().1.summary.clone())
}

async fn columns(State(shown): State<Shown>) -> Json<String> {
    as_json(shown.broadcast.page().1.columns.clone())
}

#[derive(Deserialize)]
struct GameQuery {
    id: String,
}

async fn game(
    State(shown): State<Shown>,
    Query(query): Query<GameQuery>,
) -> Result<Json<String>, StatusCode> {
    let (answer, answered) = oneshot::channel();
    shown
        .requests
        .try_send(GameRequest {
            id: query.id,
            answer,
        })
        .map_err(|_| StatusCode::SERVICE_UNAVAILABLE)?;
    let found = answered.await;
    let found = found.map_err(|_| StatusCode::SERVICE_UNAVAILABLE)?;
    found.map(as_json).ok_or(StatusCode::NOT_FOUND)
}

async fn events(
    State(shown): State<Shown>,
) -> Result<Sse<impl Stream<Item = Result<Event, Infallible>>>, StatusCode> {
    let place = shown.streams.try_acquire_owned();
    let place = place.map_err(|_| StatusCode::SERVICE_UNAVAILABLE)?;
    let followed = (EventStream::new(shown.broadcast), place);
    let stream = unfold(followed, |(mut stream, place)| async move {
        let message = stream.next().await?;
        let event = Event::default().event(message.name).data(&*message.data);
        Some((Ok(event), (stream, place)))
    });
    Ok(Sse::new(stream).keep_alive(KeepAlive::new().interval(KEEP_ALIVE)))
}

/// The messages for one reader.
struct EventStream {
    messages: broadcast::Receiver<Message>,
    /// What there was at the beginning and was not told yet: the last events, and the page.
    before: VecDeque<Message>,
    broadcast: Arc<Broadcast>,
    moments: tokio::time::Interval,
    /// The last boards that were told.
    last: String,
}

impl EventStream {
    fn new(broadcast: Arc<Broadcast>) -> Self {
        let mut moments = interval(MOMENT);
        moments.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let (messages, mut before) = broadcast.follow();
        let number = broadcast.page().0;
        if number > 0 {
            before.push_back(Message {
                name: "page",
                data: json!({ "number": number }).to_string().into(),
            });
        }
        Self {
            messages,
            before,
            broadcast,
            moments,
            last: String::new(),
        }
    }

    /// The next message; `None` after the run.
    async fn next(&mut self) -> Option<Message> {
        if let Some(before) = self.before.pop_front() {
            return Some(before);
        }
        loop {
            tokio::select! {
                message = self.messages.recv() => match message {
                    Ok(message) => return Some(message),
                    // What was lost is in the next page.
                    Err(RecvError::Lagged(_)) => {}
                    Err(RecvError::Closed) => return None,
                },
                _ = self.moments.tick() => {
                    let moment = self.broadcast.moment().to_string();
                    if moment != self.last {
                        self.last.clone_from(&moment);
                        return Some(Message { name: "moment", data: moment.into() });
                    }
                }
            }
        }
    }
}
