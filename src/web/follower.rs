//! A thread that reads a run's journal for its live page.

use super::broadcast::Broadcast;
use crate::run_folder::{FolderError, FollowedRun};
use rustix::time::{ClockId, clock_gettime};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};
use tokio::sync::oneshot;

/// The shortest time between two pages.
const EVERY: Duration = Duration::from_secs(1);
/// How often the thread looks whether there are readers, and whether the run is over.
const LOOK_EVERY: Duration = Duration::from_millis(200);
/// After some work, nothing is done for this many times as long as it took to compute.
const REST: u32 = 20;

/// A request for the replay of a game as JSON; `None` is answered if there is no such game, or the
/// journal is unreadable.
#[derive(Debug)]
pub struct GameRequest {
    /// The game's id.
    pub id: String,
    /// Gets the answer.
    pub answer: oneshot::Sender<Option<String>>,
}

/// Makes pages while there are readers, and answers requests, until `is_over` or nobody can ask any
/// more. Then it makes the last page.
///
/// After each page no other is made for a while, and after each answer no other is given, so that
/// pages take a twentieth of a core at most, and answers as much: nobody who asks much may slow a
/// bot.
pub fn follow(
    mut run: FollowedRun,
    broadcast: &Broadcast,
    requests: &Receiver<GameRequest>,
    is_over: &AtomicBool,
) {
    let (mut next_page, mut next_answer) = (Instant::now(), Instant::now());
    let mut is_fresh = false;
    while !is_over.load(Ordering::Acquire) {
        let (now, used) = (Instant::now(), cpu_time());
        if next_page <= now && broadcast.has_readers() {
            // The journal is whole: its writer is this process. If it cannot be read now, the page
            // stays as it is, and the run says what is wrong.
            let _ = make_page(&mut run, broadcast, &mut is_fresh);
            next_page = now + EVERY.max(rest_since(used));
        } else if next_answer > now {
            thread::sleep((next_answer - now).min(LOOK_EVERY));
        } else {
            match requests.recv_timeout(LOOK_EVERY) {
                // Who has asked may be gone.
                Ok(GameRequest { id, answer }) => {
                    let _ = answer.send(run.game(&id).ok().flatten());
                    next_answer = Instant::now() + rest_since(used);
                }
                Err(RecvTimeoutError::Disconnected) => return,
                Err(RecvTimeoutError::Timeout) => {}
            }
        }
    }
    let _ = make_page(&mut run, broadcast, &mut false);
}

/// The rest after work that began at this CPU time.
fn rest_since(used: Duration) -> Duration {
    REST * cpu_time().saturating_sub(used)
}

/// The CPU time of this thread: on a busy host, it waits for longer than it works.
fn cpu_time() -> Duration {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    Duration::try_from(time).unwrap_or_default()
}

/// Makes a page if there is anything new.
fn make_page(
    run: &mut FollowedRun,
    broadcast: &Broadcast,
    is_fresh: &mut bool,
) -> Result<(), FolderError> {
    let is_new = run.read_on()? || !*is_fresh;
    if is_new && let Ok(data) = run.page() {
        broadcast.show(data);
        *is_fresh = true;
    }
    Ok(())
}
