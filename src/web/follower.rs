//! A thread that reads a run's journal for its live page.

use super::broadcast::Broadcast;
use crate::run_folder::{FolderError, FollowedRun};
use rustix::time::{ClockId, clock_gettime};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};
use tokio::sync::oneshot;

/// The shortest time between two pages.
const EVERY: Duration = Duration::from_secs(1);
/// How often the thread looks whether there are readers.
const LOOK_EVERY: Duration = Duration::from_millis(200);
/// After a page, none is made for this many times as long as it took to compute.
const REST: u32 = 20;

/// What the thread is asked for.
#[derive(Debug)]
pub enum PageRequest {
    /// The replay of a game as JSON; `None` if there is no such game, or the journal is unreadable.
    Game(String, oneshot::Sender<Option<String>>),
    /// The last page: nothing more is played.
    LastPage,
}

/// Makes pages while there are readers, and answers, until the last page is made or nobody can ask
/// any more.
pub fn follow(mut run: FollowedRun, broadcast: &Arc<Broadcast>, requests: &Receiver<PageRequest>) {
    let mut next = Instant::now();
    let mut is_fresh = false;
    loop {
        match requests.recv_timeout(next.saturating_duration_since(Instant::now())) {
            Ok(PageRequest::Game(id, answer)) => {
                // Who has asked may be gone.
                let _ = answer.send(run.game(&id).ok().flatten());
                continue;
            }
            Ok(PageRequest::LastPage) => {
                let _ = make_page(&mut run, broadcast, &mut false);
                return;
            }
            Err(RecvTimeoutError::Disconnected) => return,
            Err(RecvTimeoutError::Timeout) => {}
        }
        let (begun, used) = (Instant::now(), cpu_time());
        next = begun + LOOK_EVERY;
        if broadcast.has_readers() {
            // The journal is whole: its writer is this process. If it cannot be read now, the page
            // stays as it is, and the run says what is wrong.
            let _ = make_page(&mut run, broadcast, &mut is_fresh);
            next = begun + EVERY.max(REST * cpu_time().saturating_sub(used));
        }
    }
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
