//! A page on which a person plays: `awale play --web`.

use super::live_page::BoundPage;
use super::server::{Document, Server, as_document};
use crate::report::{PageHtml, person_page};
use axum::Router;
use axum::body::Bytes;
use axum::extract::{DefaultBodyLimit, Query, State};
use axum::http::header::{CONTENT_TYPE, HOST, HeaderName, ORIGIN};
use axum::http::{HeaderMap, StatusCode};
use axum::routing::{get, post};
use serde::Deserialize;
use serde_json::Value;
use std::io;
use std::sync::Arc;
use tokio::sync::{mpsc, oneshot};

/// Bytes of a request.
const MOST_BYTES: usize = 1024;

/// What the person wants.
#[derive(Clone, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase", tag = "action", content = "value")]
pub enum PersonAction {
    /// To see the game.
    Look,
    /// To play the pit with this letter.
    Play(char),
    /// To take the last move back.
    Undo,
    /// To know what to play.
    Hint,
    /// To begin a new game.
    Restart,
    /// To begin one against this level.
    Level(String),
}

/// Answers a request.
#[derive(Debug)]
pub struct PersonAnswer(oneshot::Sender<String>);

impl PersonAnswer {
    /// Gives the game as it is now.
    pub fn give(self, state: &Value) {
        // The person may have closed the page.
        let _ = self.0.send(state.to_string());
    }
}

type ActionAsked = (PersonAction, PersonAnswer);

/// A page on which a person plays. It is gone when this is dropped.
#[derive(Debug)]
pub struct PersonPage {
    _server: Server,
    asked: mpsc::Receiver<ActionAsked>,
}

impl PersonPage {
    /// Serves the page of a game against this bot. Requests must have `?key=` with this key.
    ///
    /// # Errors
    /// The host refuses a thread or a descriptor.
    pub fn serve(page: BoundPage, bot: &str, key: &str) -> io::Result<Self> {
        let (ask, asked) = mpsc::channel(1);
        let game = PlayedGamePage {
            ask,
            html: Arc::new(person_page(bot)),
            key: key.into(),
        };
        let routes = Router::new()
            .route("/", get(document))
            .route("/act", post(act))
            .layer(DefaultBodyLimit::max(MOST_BYTES))
            .with_state(game);
        Ok(Self {
            _server: Server::start(page.into_listener(), routes)?,
            asked,
        })
    }

    /// The next thing that the person wants; `None` if the page is gone.
    pub async fn asked(&mut self) -> Option<(PersonAction, PersonAnswer)> {
        self.asked.recv().await
    }
}

#[derive(Clone)]
struct PlayedGamePage {
    ask: mpsc::Sender<ActionAsked>,
    html: Arc<PageHtml>,
    key: Arc<str>,
}

#[derive(Deserialize)]
struct KeyQuery {
    #[serde(default)]
    key: String,
}

impl PlayedGamePage {
    /// Refuses who does not know the address with its key: other users and programs of this
    /// machine.
    fn admit(&self, query: &KeyQuery) -> Result<(), (StatusCode, &'static str)> {
        let text = "Open the address that awale play has printed, with its key.\n";
        let is_known = *query.key == *self.key;
        is_known.then_some(()).ok_or((StatusCode::FORBIDDEN, text))
    }
}

async fn document(
    State(page): State<PlayedGamePage>,
    Query(query): Query<KeyQuery>,
) -> Result<Document, (StatusCode, &'static str)> {
    page.admit(&query)?;
    Ok(as_document(&page.html))
}

async fn act(
    State(page): State<PlayedGamePage>,
    Query(query): Query<KeyQuery>,
    headers: HeaderMap,
    body: Bytes,
) -> Result<([(HeaderName, &'static str); 1], String), StatusCode> {
    page.admit(&query).map_err(|(status, _)| status)?;
    if !is_own_request(&headers) {
        return Err(StatusCode::FORBIDDEN);
    }
    let action = serde_json::from_slice(&body).map_err(|_| StatusCode::BAD_REQUEST)?;
    let (answer, answered) = oneshot::channel();
    let asked = page.ask.send((action, PersonAnswer(answer))).await;
    asked.map_err(|_| StatusCode::SERVICE_UNAVAILABLE)?;
    let state = answered.await;
    let state = state.map_err(|_| StatusCode::SERVICE_UNAVAILABLE)?;
    Ok(([(CONTENT_TYPE, "application/json")], state))
}

/// Whether a request comes from this page: a browser names the origin of each `POST`, and no page
/// elsewhere may send JSON without being asked first.
fn is_own_request(headers: &HeaderMap) -> bool {
    let text = |name: HeaderName| headers.get(name).and_then(|it| it.to_str().ok());
    let is_json = text(CONTENT_TYPE) == Some("application/json");
    let (origin, host) = (text(ORIGIN), text(HOST));
    let is_own = origin.is_none_or(|origin| origin.strip_prefix("http://") == host);
    is_json && is_own
}
