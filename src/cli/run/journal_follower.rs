//! Reads the journal of a run while the run is played, on a core that its slots leave free: when
//! the last game ends, nearly all is read.

use crate::run_folder::{FolderError, JournalGames, RunFolder};
use crate::tournament::pin_thread;
use std::panic;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::{self, JoinHandle};
use std::time::Duration;

/// How often the journal is read. What comes in between is read by the run itself.
const PERIOD: Duration = Duration::from_millis(100);

/// The games that were read, and whether all could be.
type Followed = (JournalGames, Result<(), FolderError>);

/// A journal that is being read.
#[derive(Debug)]
pub struct JournalFollower(Reading);

#[derive(Debug)]
enum Reading {
    /// On a thread, which ends with the sender.
    Following(Sender<JournalGames>, JoinHandle<Option<Followed>>),
    /// Not now.
    Waiting(Box<JournalGames>),
}

impl JournalFollower {
    /// Goes on with these games on this core, until it is finished. Without a core, or where the
    /// host refuses a thread, nothing is read.
    pub fn start(folder: &RunFolder, games: JournalGames, core: Option<usize>) -> Self {
        let started = core.and_then(|core| {
            let folder = folder.to_reader().ok()?;
            let (sender, given) = channel();
            let thread = thread::Builder::new().name("follower".to_owned());
            let handle = thread.spawn(move || follow(&folder, core, &given)).ok()?;
            Some((sender, handle))
        });
        let Some((sender, handle)) = started else {
            return Self(Reading::Waiting(Box::new(games)));
        };
        match sender.send(games) {
            Ok(()) => Self(Reading::Following(sender, handle)),
            Err(unsent) => Self(Reading::Waiting(Box::new(unsent.0))),
        }
    }

    /// The games that were read; the last ones may be missing.
    ///
    /// # Errors
    /// The journal could not be read.
    pub fn finish(self) -> Result<JournalGames, FolderError> {
        let (sender, handle) = match self.0 {
            Reading::Following(sender, handle) => (sender, handle),
            Reading::Waiting(games) => return Ok(*games),
        };
        drop(sender);
        let followed = handle.join().unwrap_or_else(|it| panic::resume_unwind(it));
        let (games, read) = followed.expect("games were sent");
        read.map(|()| games)
    }
}

/// Reads what the journal gets, until nobody is at the other end of the channel.
fn follow(folder: &RunFolder, core: usize, given: &Receiver<JournalGames>) -> Option<Followed> {
    let mut games = given.recv().ok()?;
    // With one core, reading starts no further thread.
    if pin_thread(&[core]).is_err() {
        // It would disturb the slots.
        return Some((games, Ok(())));
    }
    while matches!(given.recv_timeout(PERIOD), Err(RecvTimeoutError::Timeout)) {
        if let Err(error) = folder.read_ahead(&mut games) {
            return Some((games, Err(error)));
        }
    }
    Some((games, Ok(())))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::referee::Turn;
    use crate::rules::Pit;
    use crate::run_folder::{JOURNAL, play};
    use crate::tournament::Plan;
    use crate::tournament::{InProcess, RunDocument, RunSettings, Secret};
    use rustix::thread::{CpuSet, sched_getaffinity};
    use std::fs;
    use std::path::Path;

    /// A core on which this thread may run.
    fn own_core() -> Option<usize> {
        let cores = sched_getaffinity(None).unwrap();
        (0..CpuSet::MAX_CPU).find(|&core| cores.is_set(core))
    }

    /// What a follower reads of a journal if it gets so many periods, or then so many.
    fn followed(path: &Path, plan: &Plan, core: Option<usize>, waits: &[u32]) -> Followed {
        let folder = RunFolder::look(path).unwrap();
        let mut games = JournalGames::counting_for(plan);
        for &periods in waits {
            let follower = JournalFollower::start(&folder, games, core);
            thread::sleep(PERIOD * periods);
            match follower.finish() {
                Ok(read) if read.bytes_read() > 0 => return (read, Ok(())),
                Ok(read) => games = read,
                Err(error) => return (JournalGames::default(), Err(error)),
            }
        }
        (games, Ok(()))
    }

    #[test]
    fn a_journal_is_read_while_it_is_played() {
        let home = tempfile::tempdir().unwrap();
        let plan = Plan::round_robin(["ada", "bob"], 3, Secret::from_bytes([7; 32]));
        let run = RunDocument::new(plan.clone(), RunSettings::default());
        let first: fn(&Turn) -> Pit = |turn| turn.legal.iter().next().unwrap();
        play(home.path(), &run, &InProcess::new([first; 2])).unwrap();
        let path = home.path().join(JOURNAL);
        let text = fs::read_to_string(&path).unwrap();
        let size = text.len() as u64;

        let patient = [3, 30, 300];
        let (games, read) = followed(home.path(), &plan, own_core(), &patient);
        read.unwrap();
        assert_eq!(games.bytes_read(), size);
        for core in [None, Some(CpuSet::MAX_CPU)] {
            let (games, read) = followed(home.path(), &plan, core, &[2]);
            read.unwrap();
            assert_eq!(games.bytes_read(), 0);
        }

        // The run must not go on with a line left out.
        fs::write(&path, text.replacen("\"moves\"", "\"mooves\"", 1)).unwrap();
        let (_, read) = followed(home.path(), &plan, own_core(), &patient);
        let error = read.unwrap_err().to_string();
        assert!(error.contains("line 2"), "{error}");
    }
}
