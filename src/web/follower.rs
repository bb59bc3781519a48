//! A thread that reads a run's journal for its live page.

use super::broadcast::Broadcast;
use crate::run_folder::{FolderError, FollowedRun};
use rustix::time::{ClockId, clock_gettime};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};
use tokio::sync::oneshot;

/// The shortest rest between two pages.
const EVERY: Duration = Duration::from_secs(1);
/// How often the thread looks whether there are readers, and whether the run is over.
const LOOK_EVERY: Duration = Duration::from_millis(200);
/// After some work, nothing is done for this many times as long as it took to compute.
const PAUSE_FACTOR: u32 = 20;

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
/// more. Returns the run, for its last page.
///
/// After each page no other is made for a while, and after each answer no other is given, so that
/// pages take a twentieth of a core at most, and answers as much: nobody who asks much may slow a
/// bot. Between two pages a request is answered, however long a page takes on a busy host.
pub fn follow(
    mut run: FollowedRun,
    broadcast: &Broadcast,
    requests: &Receiver<GameRequest>,
    is_over: &AtomicBool,
) -> FollowedRun {
    let (mut pages, mut answers) = (Paced::new(EVERY), Paced::new(Duration::ZERO));
    let mut is_fresh = false;
    while !is_over.load(Ordering::Acquire) {
        let is_watched = broadcast.has_readers();
        let patience = pages.pause(is_watched).min(LOOK_EVERY);
        if answers.pause(true) > Duration::ZERO {
            thread::sleep(patience.min(answers.pause(true)));
        } else {
            match requests.recv_timeout(patience) {
                // Who has asked may be gone.
                Ok(GameRequest { id, answer }) => answers.work(|| {
                    let _ = answer.send(run.game(&id).ok().flatten());
                }),
                Err(RecvTimeoutError::Disconnected) => return run,
                Err(RecvTimeoutError::Timeout) => {}
            }
        }
        if pages.pause(is_watched).is_zero() {
            // The journal is whole: its writer is this process. If it cannot be read now, the page
            // stays as it is, and the run says what is wrong.
            pages.work(|| {
                let _ = make_page(&mut run, broadcast, &mut is_fresh);
            });
        }
    }
    run
}

/// A kind of work that is done from time to time.
struct Paced {
    min_pause: Duration,
    next: Instant,
}

impl Paced {
    fn new(min_pause: Duration) -> Self {
        Self {
            min_pause,
            next: Instant::now(),
        }
    }

    /// How long none is done yet; without end if none is wanted.
    fn pause(&self, is_wanted: bool) -> Duration {
        if is_wanted {
            self.next.saturating_duration_since(Instant::now())
        } else {
            Duration::MAX
        }
    }

    /// Does some, and then rests. The rest begins at the end of the work: one that takes longer
    /// than its rest leaves time for other work too.
    fn work(&mut self, work: impl FnOnce()) {
        let before = cpu_time();
        work();
        let used = cpu_time().saturating_sub(before);
        self.next = Instant::now() + self.min_pause.max(PAUSE_FACTOR * used);
    }
}

/// The CPU time of this thread: on a busy host, it waits for longer than it works.
fn cpu_time() -> Duration {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    Duration::try_from(time).unwrap_or_default()
}

/// Makes a page if there is anything new.
///
/// # Errors
/// The journal cannot be read.
pub fn make_page(
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

#[cfg(test)]
mod tests {
    use super::*;

    // Where a page takes longer than the rest after it, requests would never be answered.
    #[test]
    fn a_rest_begins_after_the_work() {
        let mut pages = Paced::new(EVERY);
        assert_eq!(pages.pause(true), Duration::ZERO);
        assert_eq!(pages.pause(false), Duration::MAX);
        pages.work(|| thread::sleep(EVERY + Duration::from_millis(100)));
        assert_ne!(pages.pause(true), Duration::ZERO);
        let until = Instant::now() + 2 * EVERY;
        while !pages.pause(true).is_zero() {
            assert!(Instant::now() < until, "the rest has an end");
            thread::sleep(Duration::from_millis(10));
        }
    }
}
