//! What the readers of a live page are told as it happens.

use crate::rules::moves_text;
use crate::run_folder::PageData;
use crate::tournament::{Boards, label};
use serde_json::{Value, json};
use std::collections::{BTreeSet, VecDeque};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::sync::broadcast;

/// Messages that wait for the slowest reader. It loses the oldest of more.
const QUEUE: usize = 256;

/// Events that a new reader gets.
const LATEST: usize = 8;

/// A message of the stream.
#[derive(Clone, Debug)]
pub struct Message {
    /// Its kind.
    pub name: &'static str,
    /// JSON in one line.
    pub data: Arc<str>,
}

/// The messages of a run, and its last page.
#[derive(Debug)]
pub struct Broadcast {
    messages: broadcast::Sender<Message>,
    boards: Arc<Boards>,
    /// The entrants that no reader sees.
    hidden: BTreeSet<String>,
    done: AtomicU64,
    total: AtomicU64,
    page: Mutex<(u64, Arc<PageData>)>,
    /// The last events of the run, for those who come later.
    latest: Mutex<VecDeque<Message>>,
}

impl Broadcast {
    pub fn new(boards: Arc<Boards>, hidden: BTreeSet<String>) -> Self {
        let nothing = PageData {
            summary: Value::Null.to_string(),
            columns: Value::Null.to_string(),
        };
        Self {
            messages: broadcast::Sender::new(QUEUE),
            boards,
            hidden,
            done: AtomicU64::new(0),
            total: AtomicU64::new(0),
            page: Mutex::new((0, Arc::new(nothing))),
            latest: Mutex::default(),
        }
    }

    pub fn has_readers(&self) -> bool {
        self.messages.receiver_count() > 0
    }

    /// Tells all readers.
    pub fn tell(&self, name: &'static str, data: &Value) {
        let data = data.to_string().into();
        // Without readers, nobody is told.
        let _ = self.messages.send(Message { name, data });
    }

    /// Tells all readers an event of the run, and those who come later if it is one of the last.
    /// Nobody hears of one that may name a hidden entrant.
    pub fn tell_event(&self, event: &Value) {
        if names_any(event, &self.hidden) {
            return;
        }
        let message = Message {
            name: "run",
            data: event.to_string().into(),
        };
        let mut latest = self.latest.lock().unwrap_or_else(PoisonError::into_inner);
        if latest.len() == LATEST {
            latest.pop_front();
        }
        latest.push_back(message.clone());
        // Within the lock, so that a new reader gets each event once.
        let _ = self.messages.send(message);
    }

    /// The messages from now on, and the last events before.
    pub fn follow(&self) -> (broadcast::Receiver<Message>, VecDeque<Message>) {
        let latest = self.latest.lock().unwrap_or_else(PoisonError::into_inner);
        (self.messages.subscribe(), latest.clone())
    }

    /// How many games are played, of how many.
    pub fn count(&self, done: usize, total: usize) {
        self.done.store(done as u64, Ordering::Relaxed);
        self.total.store(total as u64, Ordering::Relaxed);
    }

    /// The games in play, and how many were played.
    pub fn moment(&self) -> Value {
        json!({
            "done": self.done.load(Ordering::Relaxed),
            "total": self.total.load(Ordering::Relaxed),
            "boards": boards_json(&self.boards, &self.hidden),
        })
    }

    /// The last page, and its number from 1; 0 is that before the first.
    pub fn page(&self) -> (u64, Arc<PageData>) {
        let page = self.page.lock().unwrap_or_else(PoisonError::into_inner);
        (page.0, Arc::clone(&page.1))
    }

    /// Shows a new page.
    pub fn show(&self, data: PageData) {
        let number = {
            let mut page = self.page.lock().unwrap_or_else(PoisonError::into_inner);
            *page = (page.0 + 1, Arc::new(data));
            page.0
        };
        self.tell("page", &json!({ "number": number }));
    }
}

/// Whether a text of an event has one of these names in it, as it is or as in the ids of games.
fn names_any(event: &Value, names: &BTreeSet<String>) -> bool {
    let has = |text: &String| {
        let mut names = names.iter();
        names.any(|name| text.contains(name) || text.contains(&label(name)))
    };
    match event {
        Value::String(text) => has(text),
        Value::Array(values) => values.iter().any(|it| names_any(it, names)),
        Value::Object(fields) => fields.values().any(|it| names_any(it, names)),
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
    }
}

/// A list of the games in play that readers may see. Times are in ms.
fn boards_json(boards: &Boards, hidden: &BTreeSet<String>) -> Value {
    let in_play = boards.in_play().into_iter();
    let seen = in_play.filter(|(_, it)| !it.entrants.iter().any(|it| hidden.contains(it)));
    let boards = seen.map(|(slot, board)| {
        let [south, north] = &board.entrants;
        json!({
            "slot": slot,
            "game": board.game,
            "south": south,
            "north": north,
            "start": board.start.to_string(),
            "moves": moves_text(&board.moves),
            "position": board.position.to_string(),
            "banks_ms": board.banks.map(|bank| bank.map(millis)),
            "move_limits_ms": board.move_limits.map(|limit| limit.map(millis)),
            "thinking_ms": board.since.map(|since| millis(since.elapsed())),
        })
    });
    boards.collect()
}

fn millis(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::sync::broadcast::error::TryRecvError;

    #[test]
    fn a_reader_that_reads_nothing_loses_the_oldest() {
        let broadcast = Broadcast::new(Arc::new(Boards::new(1)), BTreeSet::new());
        assert!(!broadcast.has_readers());
        broadcast.tell("run", &json!({ "nobody": "hears it" }));
        let (mut reader, latest) = broadcast.follow();
        assert_eq!(latest.len(), 0);
        for number in 0..10_000 {
            broadcast.tell("run", &json!(number));
        }
        let lost = 10_000 - QUEUE as u64;
        assert_eq!(reader.try_recv().unwrap_err(), TryRecvError::Lagged(lost));
        let kept: Vec<u64> = std::iter::from_fn(|| reader.try_recv().ok())
            .map(|message| message.data.parse().unwrap())
            .collect();
        assert_eq!(kept, (lost..10_000).collect::<Vec<_>>());
    }

    #[test]
    fn nobody_hears_of_a_hidden_entrant() {
        let hidden = BTreeSet::from(["Calm Raven".to_owned()]);
        let broadcast = Broadcast::new(Arc::new(Boards::new(1)), hidden);
        for event in [
            json!({ "south": "Calm Raven" }),
            json!({ "game": "calm-raven~greedy.1.1" }),
            json!({ "texts": [{ "text": "\"Calm Raven\" was not admitted" }] }),
        ] {
            broadcast.tell_event(&event);
        }
        broadcast.tell_event(&json!({ "south": "Calm Heron" }));
        let (_, latest) = broadcast.follow();
        let told: Vec<&str> = latest.iter().map(|it| &*it.data).collect();
        assert_eq!(told, [r#"{"south":"Calm Heron"}"#]);
    }

    #[test]
    fn those_who_come_later_get_the_last_events_and_then_each_one_once() {
        let broadcast = Broadcast::new(Arc::new(Boards::new(1)), BTreeSet::new());
        for number in 0..20 {
            broadcast.tell_event(&json!(number));
        }
        let (mut reader, latest) = broadcast.follow();
        broadcast.tell_event(&json!(20));
        let rest = std::iter::from_fn(|| reader.try_recv().ok());
        let all: Vec<u32> = latest
            .into_iter()
            .chain(rest)
            .map(|message| message.data.parse().unwrap())
            .collect();
        assert_eq!(all, (12..21).collect::<Vec<_>>());
    }
}
