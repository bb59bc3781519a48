//! Reads a whole journal with several threads. Lines are independent of each other, and nearly all
//! of the time goes into their checksums, their JSON, and what a reader works out of each game.
//!
//! ```text
//!                 ┌─batches─▶ worker ──parts─┐
//! file ─▶ reader ─┼─batches─▶ worker ──parts─┼─▶ reader ─▶ take, in the order of the lines
//!                 └─ …                       ┘
//! ```
//!
//! The reader cuts the file at its newlines and deals batches of lines to the workers in turn. It
//! takes them back in the same turn, so the result is that of one thread, whatever the times of the
//! workers. What is under way is bounded in bytes: memory does not grow with the journal.

use super::error::JournalError;
use super::line::{Entry, IdentifiedGame};
use super::part::{LONGEST_LINE, Part, Taken, take_line};
use super::read::{JournalReader, JournalState};
use crate::record::GameRecord;
use std::collections::VecDeque;
use std::io::{self, BufRead};
use std::num::NonZero;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::{self, Scope};

/// Bytes of a batch, unless its last line is longer.
const BATCH: u64 = 32 << 10;
/// Bytes that are under way, unless a single line is longer.
const UNDER_WAY: u64 = 256 << 10;
/// More threads than this would wait for the reader.
const MOST_WORKERS: usize = 8;

/// Lines as they were taken from the file.
struct Batch {
    text: Vec<u8>,
    taken: Vec<io::Result<(u64, Taken)>>,
}

/// Keeps of a game what a reader needs; runs on any thread.
pub type Keep<'k, G> = &'k (dyn Fn(Box<GameRecord>) -> G + Sync);

/// Gets an entry or a damaged line, and the state after it.
pub type TakeEntry<'t, G, E> =
    &'t mut dyn FnMut(&JournalState, Result<Entry<G>, JournalError>) -> Result<(), E>;

impl<R: BufRead> JournalReader<R> {
    /// Reads the rest of the journal. `keep` returns what is kept of a game; it runs on several
    /// threads. `take` gets the entries and the damaged lines in their order, each with the state
    /// after its line.
    ///
    /// # Errors
    /// The first error of `take`.
    pub fn read_all<G: IdentifiedGame + Send, E>(
        &mut self,
        keep: Keep<'_, G>,
        take: TakeEntry<'_, G, E>,
    ) -> Result<(), E> {
        let cores = thread::available_parallelism().map_or(1, NonZero::get);
        self.read_on_threads(if cores > 1 { cores } else { 0 }, keep, take)
    }

    /// The same with this many workers; without any, the reader parses the lines itself.
    fn read_on_threads<G: IdentifiedGame + Send, E>(
        &mut self,
        workers: usize,
        keep: Keep<'_, G>,
        take: TakeEntry<'_, G, E>,
    ) -> Result<(), E> {
        thread::scope(|scope| {
            let workers = 0..workers.min(MOST_WORKERS);
            // A host may refuse threads: the others do their work.
            let workers = workers.filter_map(|_| Worker::start(scope, keep).ok());
            let workers: Vec<Worker<G>> = workers.collect();
            if workers.is_empty() {
                self.read_alone(keep, take)
            } else {
                self.read_with(&workers, take)
            }
        })
    }

    fn read_alone<G: IdentifiedGame, E>(
        &mut self,
        keep: Keep<'_, G>,
        take: TakeEntry<'_, G, E>,
    ) -> Result<(), E> {
        while let Some(part) = self.next_part(keep) {
            self.pass(part, &mut *take)?;
        }
        Ok(())
    }

    /// Passes a part to its taker, if it is an entry or damaged.
    fn pass<G: IdentifiedGame, E>(
        &mut self,
        part: Part<G>,
        take: TakeEntry<'_, G, E>,
    ) -> Result<(), E> {
        match self.state.accept(part).transpose() {
            Some(entry) => take(&self.state, entry),
            None => Ok(()),
        }
    }

    fn read_with<G: IdentifiedGame, E>(
        &mut self,
        workers: &[Worker<G>],
        take: TakeEntry<'_, G, E>,
    ) -> Result<(), E> {
        let (mut is_taken, mut under_way) = (false, 0);
        let mut sizes: VecDeque<u64> = VecDeque::new();
        let mut givers = workers.iter().cycle();
        let mut takers = workers.iter().cycle();
        loop {
            while !is_taken && under_way < UNDER_WAY {
                let (batch, bytes);
                (batch, bytes, is_taken) = take_batch(&mut self.input);
                under_way += bytes;
                sizes.push_back(bytes);
                let worker = givers.next().expect("one worker at least");
                let _ = worker.batches.send(batch);
            }
            let Some(bytes) = sizes.pop_front() else {
                return Ok(());
            };
            under_way -= bytes;
            let worker = takers.next().expect("one worker at least");
            let Ok(parts) = worker.parts.recv() else {
                // The worker panicked; `thread::scope` rethrows the panic on exit.
                return Ok(());
            };
            for part in parts {
                self.pass(part, &mut *take)?;
            }
        }
    }
}

impl Batch {
    fn new() -> Self {
        let most = usize::try_from(2 * BATCH).unwrap_or(0);
        Self {
            text: Vec::with_capacity(most),
            taken: Vec::new(),
        }
    }
}

/// Takes lines from the file; returns also their bytes, and whether they are the last.
fn take_batch(input: &mut impl BufRead) -> (Batch, u64, bool) {
    let (mut batch, mut bytes) = (Batch::new(), 0);
    while bytes < BATCH {
        let taken = take_line(input, LONGEST_LINE, &mut batch.text);
        let is_last = match &taken {
            Ok((count, taken)) => {
                bytes += count;
                matches!(taken, Taken::Rest | Taken::Endless)
            }
            Err(_) => true,
        };
        batch.taken.push(taken);
        if is_last {
            return (batch, bytes, true);
        }
    }
    (batch, bytes, false)
}

/// A thread that parses lines, until its batches end.
struct Worker<G> {
    batches: Sender<Batch>,
    parts: Receiver<Vec<Part<G>>>,
}

impl<G: Send> Worker<G> {
    fn start<'scope, 'env: 'scope>(
        scope: &'scope Scope<'scope, 'env>,
        keep: Keep<'env, G>,
    ) -> io::Result<Self>
    where
        G: 'env,
    {
        let (batches, inbox) = channel::<Batch>();
        let (outbox, parts) = channel();
        let builder = thread::Builder::new().name("journal".to_owned());
        builder.spawn_scoped(scope, move || {
            for Batch { text, taken } in inbox {
                let parts = taken.into_iter().map(|taken| Part::new(taken, &text, keep));
                if outbox.send(parts.collect()).is_err() {
                    return;
                }
            }
        })?;
        Ok(Self { batches, parts })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::{PlyRecord, sample};
    use crate::rules::Pit;
    use crate::tournament::document::RunDocument;
    use crate::tournament::document::RunSettings;
    use crate::tournament::journal::Journal;
    use crate::tournament::plan::Plan;
    use crate::tournament::secret::Secret;
    use proptest::prelude::*;

    /// A journal of several batches.
    fn journal() -> Vec<u8> {
        let plan = Plan::round_robin(["ada", "bob"], 400, Secret::from_bytes([5; 32]));
        let run = RunDocument::new(plan, RunSettings::default());
        let ply = |number: u64| PlyRecord {
            pit: Pit::from_letter('A').unwrap(),
            time_us: number,
            cpu_us: Some(7),
            preempted_us: 0,
            info: None,
        };
        let game = |round: u64| GameRecord {
            plies: (0..round % 70).map(ply).collect(),
            ..sample::game(&format!("ada~bob.{round}.1"), ["ada", "bob"], [20, 28])
        };
        let games: Vec<GameRecord> = (1..=400).map(game).collect();
        let mut journal = Journal::begin(Vec::new(), &run).unwrap();
        journal.append(&games).unwrap();
        journal.into_storage()
    }

    /// What is told of each entry or damaged line, up to the first error where damage ends all.
    fn told_line_by_line(mut reader: JournalReader<&[u8]>, goes_on: bool) -> Vec<String> {
        let mut told = Vec::new();
        while let Some(entry) = reader.next_entry().transpose() {
            told.push(format!("{} {entry:?}", reader.state.line));
            if entry.is_err() && !goes_on {
                return told;
            }
        }
        told.push(format!("{:?}", reader.state.text));
        told
    }

    fn told_at_once(
        workers: usize,
        mut reader: JournalReader<&[u8]>,
        goes_on: bool,
    ) -> Vec<String> {
        let mut told = Vec::new();
        let read = reader.read_on_threads(workers, &|record| record, &mut |state, entry| {
            told.push(format!("{} {entry:?}", state.line));
            if entry.is_err() && !goes_on {
                return Err(());
            }
            Ok(())
        });
        if read.is_ok() {
            told.push(format!("{:?}", reader.state.text));
        }
        told
    }

    proptest! {
        #![proptest_config(ProptestConfig {
            failure_persistence: None,
            cases: 24,
            ..ProptestConfig::default()
        })]

        /// Whatever is damaged, several threads tell the same in the same order as one.
        #[test]
        fn threads_change_nothing(
            damage in proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..6),
            hole in proptest::option::of(any::<prop::sample::Index>()),
            end in any::<prop::sample::Index>(),
            is_cut in any::<bool>(),
            goes_on in any::<bool>(),
        ) {
            let mut text = journal();
            for (place, byte) in damage {
                let place = place.index(text.len());
                text[place] = byte;
            }
            if let Some(place) = hole {
                let place = place.index(text.len());
                let end = text.len().min(place + 5_000);
                text[place..end].fill(0);
            }
            if is_cut {
                text.truncate(end.index(text.len()));
            }
            let reader = || if goes_on {
                JournalReader::surveying(&text[..])
            } else {
                JournalReader::new(&text[..])
            };
            let expected = told_line_by_line(reader(), goes_on);
            for workers in [0, 1, 3] {
                prop_assert_eq!(&told_at_once(workers, reader(), goes_on), &expected);
            }
        }
    }
}
