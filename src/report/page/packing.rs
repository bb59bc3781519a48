//! The games as compressed blocks of text, each of which the page reads alone. Compression takes a
//! third of the time of a page, so other threads do it while the games are being read.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use flate2::Compression;
use flate2::write::GzEncoder;
use std::io::{self, Write as _};
use std::num::NonZero;
use std::sync::mpsc::{SyncSender, sync_channel};
use std::thread::{self, JoinHandle};

/// Games of a block: enough to compress well, and few enough to be read at once.
pub const BLOCK_GAMES: usize = 128;
/// Level 6, the usual one, makes a page a tenth smaller and takes three times as long.
const LEVEL: Compression = Compression::new(4);
/// Blocks that wait for a thread.
const WAITING_BLOCKS: usize = 4;
/// More threads than this would wait for games.
const MOST_THREADS: usize = 4;

/// The games of a block that are there, as JSON.
type BlockGames = Vec<Option<String>>;

/// Blocks of games that arrive in any order. A block is compressed when its games are complete.
#[derive(Debug)]
pub struct PackedGames {
    games: usize,
    blocks: Vec<GameBlock>,
    /// They get the complete blocks in turn.
    threads: Vec<PackingThread>,
}

#[derive(Debug)]
enum GameBlock {
    Open(BlockGames),
    /// A thread compresses it.
    GivenAway,
    /// Compressed, as text.
    Closed(String),
}

impl PackedGames {
    /// Starts without any of this many games.
    pub fn new(games: usize) -> Self {
        let cores = thread::available_parallelism().map_or(1, NonZero::get);
        Self::with_threads(games, (cores / 2).min(MOST_THREADS))
    }

    /// The same with this many threads; without any, each call compresses what it completes.
    pub(super) fn with_threads(games: usize, threads: usize) -> Self {
        let sizes = (0..games).step_by(BLOCK_GAMES);
        let sizes = sizes.map(|first| BLOCK_GAMES.min(games - first));
        Self {
            games,
            blocks: sizes
                .map(|size| GameBlock::Open(vec![None; size]))
                .collect(),
            // A host may refuse threads: the others do their work.
            threads: (0..threads)
                .filter_map(|_| PackingThread::start().ok())
                .collect(),
        }
    }

    /// Whether this game is still missing.
    pub fn lacks(&self, number: usize) -> bool {
        number < self.games
            && match &self.blocks[number / BLOCK_GAMES] {
                GameBlock::Open(games) => games[number % BLOCK_GAMES].is_none(),
                GameBlock::GivenAway | GameBlock::Closed(_) => false,
            }
    }

    /// Adds a game, as JSON, by its number in the order of the page.
    ///
    /// # Errors
    /// None but those of compression in memory.
    pub fn add(&mut self, number: usize, game: String) -> io::Result<()> {
        let place = number / BLOCK_GAMES;
        let GameBlock::Open(games) = &mut self.blocks[place] else {
            return Ok(());
        };
        games[number % BLOCK_GAMES] = Some(game);
        if games.iter().all(Option::is_some) {
            let games = std::mem::take(games);
            self.blocks[place] = self.close(place, games)?;
        }
        Ok(())
    }

    /// Gives a complete block to the thread whose turn it is.
    fn close(&self, place: usize, games: BlockGames) -> io::Result<GameBlock> {
        if self.threads.is_empty() {
            return Ok(GameBlock::Closed(closed(&games)?));
        }
        let thread = &self.threads[place % self.threads.len()];
        match thread.blocks.send((place, games)) {
            Ok(()) => Ok(GameBlock::GivenAway),
            // It has ended because of an error, which finish() returns.
            Err(unsent) => Ok(GameBlock::Open(unsent.0.1)),
        }
    }

    /// The blocks. A game that never came is `null`.
    ///
    /// # Errors
    /// None but those of compression in memory.
    pub fn finish(mut self) -> io::Result<Vec<String>> {
        for thread in std::mem::take(&mut self.threads) {
            for (place, text) in thread.end()? {
                self.blocks[place] = GameBlock::Closed(text);
            }
        }
        let blocks = self.blocks.into_iter().map(|block| match block {
            GameBlock::Open(games) => closed(&games),
            GameBlock::Closed(text) => Ok(text),
            GameBlock::GivenAway => Err(io::Error::other("a block of games was lost")),
        });
        blocks.collect()
    }
}

/// A thread that compresses blocks.
#[derive(Debug)]
struct PackingThread {
    blocks: SyncSender<(usize, BlockGames)>,
    /// Returns the texts of its blocks, each with the block's place.
    handle: JoinHandle<io::Result<Vec<(usize, String)>>>,
}

impl PackingThread {
    fn start() -> io::Result<Self> {
        let (blocks, given) = sync_channel::<(usize, BlockGames)>(WAITING_BLOCKS);
        let thread = thread::Builder::new().name("page".to_owned());
        let handle = thread.spawn(move || {
            let texts = given
                .into_iter()
                .map(|(place, games)| Ok((place, closed(&games)?)));
            texts.collect()
        })?;
        Ok(Self { blocks, handle })
    }

    fn end(self) -> io::Result<Vec<(usize, String)>> {
        drop(self.blocks);
        let texts = self.handle.join();
        texts.map_err(|_| io::Error::other("a thread that compresses games has failed"))?
    }
}

fn closed(games: &[Option<String>]) -> io::Result<String> {
    let mut text = String::from("[");
    for (place, game) in games.iter().enumerate() {
        if place > 0 {
            text.push(',');
        }
        text.push_str(game.as_deref().unwrap_or("null"));
    }
    text.push(']');
    packed(text.as_bytes())
}

/// Bytes compressed by gzip (RFC 1952), as base64 (RFC 4648).
pub(super) fn packed(bytes: &[u8]) -> io::Result<String> {
    let mut encoder = GzEncoder::new(Vec::new(), LEVEL);
    encoder.write_all(bytes)?;
    Ok(STANDARD.encode(encoder.finish()?))
}
