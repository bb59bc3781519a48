//! Compresses the games of a page on other threads, while they are being read from the journal: it
//! takes a fifth of the time of a page.

use crate::report::{CompleteBlock, PackedBlock, PackedGames};
use std::io;
use std::num::NonZero;
use std::sync::mpsc::{SyncSender, sync_channel};
use std::thread::{self, JoinHandle};

/// Blocks that wait for a thread.
const WAITING: usize = 4;
/// More threads than this would wait for games.
const MOST_THREADS: usize = 4;

/// The threads; they get blocks in turn.
pub struct PageThreads {
    threads: Vec<PageThread>,
    next: usize,
}

impl PageThreads {
    /// One thread for two cores. A host may refuse them: then the caller compresses.
    pub fn start() -> Self {
        let cores = thread::available_parallelism().map_or(1, NonZero::get);
        Self::with((cores / 2).min(MOST_THREADS))
    }

    /// None at all: the caller compresses.
    pub fn none() -> Self {
        Self::with(0)
    }

    fn with(threads: usize) -> Self {
        let started = (0..threads).filter_map(|_| PageThread::start().ok());
        Self {
            threads: started.collect(),
            next: 0,
        }
    }

    /// Compresses a block, at once or on a thread.
    ///
    /// # Errors
    /// None but those of compression in memory.
    pub fn pack(&mut self, block: CompleteBlock, games: &mut PackedGames) -> io::Result<()> {
        let turn = self.next;
        self.next += 1;
        let unsent = match self.threads.get(turn % self.threads.len().max(1)) {
            // One that has ended did so by an error, which `finish` returns.
            Some(thread) => thread.blocks.send(block).err().map(|error| error.0),
            None => Some(block),
        };
        if let Some(block) = unsent {
            games.put(block.pack()?);
        }
        Ok(())
    }

    /// Waits for the threads, and puts their blocks to their places.
    ///
    /// # Errors
    /// None but those of compression in memory.
    pub fn finish(self, games: &mut PackedGames) -> io::Result<()> {
        for thread in self.threads {
            thread.end()?.into_iter().for_each(|block| games.put(block));
        }
        Ok(())
    }
}

struct PageThread {
    blocks: SyncSender<CompleteBlock>,
    handle: JoinHandle<io::Result<Vec<PackedBlock>>>,
}

impl PageThread {
    fn start() -> io::Result<Self> {
        let (blocks, given) = sync_channel::<CompleteBlock>(WAITING);
        let thread = thread::Builder::new().name("page".to_owned());
        let handle = thread.spawn(|| given.into_iter().map(CompleteBlock::pack).collect())?;
        Ok(Self { blocks, handle })
    }

    fn end(self) -> io::Result<Vec<PackedBlock>> {
        drop(self.blocks);
        let packed = self.handle.join();
        packed.map_err(|_| io::Error::other("a thread that compresses games has failed"))?
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::BLOCK_GAMES;

    /// The blocks do not depend on how many threads there are.
    #[test]
    fn threads_change_no_block() {
        let games = 9 * BLOCK_GAMES + 1;
        let packed_by = |threads| {
            let mut packed = PackedGames::new(games);
            let mut threads = PageThreads::with(threads);
            for number in (0..games).rev() {
                if let Some(block) = packed.add(number, number.to_string()) {
                    threads.pack(block, &mut packed).unwrap();
                }
            }
            threads.finish(&mut packed).unwrap();
            packed.finish().unwrap()
        };
        let alone = packed_by(0);
        assert_eq!(alone.len(), 10);
        for threads in [1, 3] {
            assert_eq!(packed_by(threads), alone);
        }
    }
}
