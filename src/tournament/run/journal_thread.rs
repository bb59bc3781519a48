//! The thread of the journal. A sync may take as long as several fast games; meanwhile the
//! coordinator goes on to give tasks to the slots, and collects the games for the next sync.
//!
//! ```text
//! coordinator ──games──▶ journal's thread: append, sync
//!      ▲                        │
//!      └────── kept games ──────┘
//! ```

use crate::record::{Admission, GameRecord, Withdrawal};
use crate::tournament::journal::{Journal, Storage};
use std::io;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::{Builder, Scope};
use tokio::sync::mpsc as async_mpsc;

/// A finished game with the logs of South and North.
pub type FinishedGame = (Box<GameRecord>, [Vec<u8>; 2]);

/// Games that were appended and synced, or why they were not.
#[derive(Debug)]
pub struct KeptGames {
    pub games: Vec<FinishedGame>,
    pub appended: io::Result<()>,
}

/// What the thread appends.
enum Addition {
    Games(Vec<FinishedGame>),
    Admission(Admission, Sender<io::Result<()>>),
    Withdrawals(Vec<Withdrawal>, Sender<io::Result<()>>),
}

/// The coordinator's end.
pub struct JournalThread {
    additions: Sender<Addition>,
    kept: async_mpsc::UnboundedReceiver<KeptGames>,
    /// The number of games that are with the thread.
    pub games: usize,
}

impl JournalThread {
    /// Starts the thread, which ends when this value is dropped.
    ///
    /// # Errors
    /// The host has no thread left.
    pub fn start<'scope, S: Storage + Send>(
        scope: &'scope Scope<'scope, '_>,
        journal: &'scope mut Journal<S>,
    ) -> io::Result<Self> {
        let (additions, queue) = channel();
        let (kept, kept_queue) = async_mpsc::unbounded_channel();
        let builder = Builder::new().name("journal".to_owned());
        builder.spawn_scoped(scope, move || serve(journal, &queue, &kept))?;
        Ok(Self {
            additions,
            kept: kept_queue,
            games: 0,
        })
    }

    /// Gives games to the thread, which must not be busy. [`JournalThread::kept`] returns them.
    pub fn append(&mut self, games: Vec<FinishedGame>) {
        self.games = games.len();
        // If the thread has ended, `kept` says so.
        let _ = self.additions.send(Addition::Games(games));
    }

    /// Waits for the games that are with the thread; forever, if there are none. The future may be
    /// dropped and called again.
    pub async fn kept(&mut self) -> KeptGames {
        if self.games == 0 {
            std::future::pending::<()>().await;
        }
        let kept = self.kept.recv().await;
        self.games = 0;
        kept.unwrap_or_else(|| KeptGames {
            games: Vec::new(),
            appended: Err(ended()),
        })
    }

    /// Appends the result of an examination, and waits until it is synced.
    ///
    /// # Errors
    /// The storage refused it.
    pub fn append_admission(&self, admission: Admission) -> io::Result<()> {
        self.append_now(|done| Addition::Admission(admission, done))
    }

    /// Appends withdrawals, and waits until they are synced.
    ///
    /// # Errors
    /// The storage refused them.
    pub fn append_withdrawals(&self, withdrawals: Vec<Withdrawal>) -> io::Result<()> {
        self.append_now(|done| Addition::Withdrawals(withdrawals, done))
    }

    fn append_now(
        &self,
        addition: impl FnOnce(Sender<io::Result<()>>) -> Addition,
    ) -> io::Result<()> {
        let (done, appended) = channel();
        let _ = self.additions.send(addition(done));
        appended.recv().unwrap_or_else(|_| Err(ended()))
    }
}

/// The thread ends early only by a panic, which continues when it is joined.
fn ended() -> io::Error {
    io::Error::other("the thread of the journal has ended")
}

fn serve<S: Storage>(
    journal: &mut Journal<S>,
    additions: &Receiver<Addition>,
    kept: &async_mpsc::UnboundedSender<KeptGames>,
) {
    // A coordinator that does not listen any more has failed already.
    for addition in additions {
        match addition {
            Addition::Games(games) => {
                let appended = journal.append(games.iter().map(|(record, _)| record.as_ref()));
                let _ = kept.send(KeptGames { games, appended });
            }
            Addition::Admission(admission, done) => {
                let _ = done.send(journal.append_admission(&admission));
            }
            Addition::Withdrawals(withdrawals, done) => {
                let _ = done.send(journal.append_withdrawals(&withdrawals));
            }
        }
    }
}
