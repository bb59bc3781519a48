//! The games as compressed blocks. The page reads each block alone.

use flate2::Compression;
use flate2::write::GzEncoder;
use serde::Serialize;
use std::io::{self, BufWriter, Write as _};

/// Games of a block: enough to compress well, and few enough to be read at once.
pub const BLOCK_GAMES: usize = 128;
/// Level 6, the usual one, makes a page a twelfth smaller and takes three times as long.
const LEVEL: Compression = Compression::new(4);

/// The games of a block that are there, as JSON.
type BlockGames = Vec<Option<String>>;

/// Blocks of games that arrive in any order.
#[derive(Debug)]
pub struct PackedGames {
    games: usize,
    blocks: Vec<GameBlock>,
}

#[derive(Debug)]
enum GameBlock {
    /// Some of its games are missing; nothing is allocated before the first one is there.
    Open(BlockGames),
    /// Complete, and compressed.
    Closed(Vec<u8>),
}

impl PackedGames {
    /// Starts without any of this many games.
    pub fn new(games: usize) -> Self {
        let blocks = 0..games.div_ceil(BLOCK_GAMES);
        Self {
            games,
            blocks: blocks.map(|_| GameBlock::Open(Vec::new())).collect(),
        }
    }

    /// Whether this game is still missing.
    pub fn lacks(&self, number: usize) -> bool {
        number < self.games
            && match &self.blocks[number / BLOCK_GAMES] {
                GameBlock::Open(games) => {
                    games.get(number % BLOCK_GAMES).is_none_or(Option::is_none)
                }
                GameBlock::Closed(_) => false,
            }
    }

    /// Adds a game, as JSON, by its number in the order of the page, and compresses its block if
    /// no game of that is missing any more.
    ///
    /// # Errors
    /// None but those of compression in memory.
    pub fn add(&mut self, number: usize, game: String) -> io::Result<()> {
        let place = number / BLOCK_GAMES;
        let size = block_size(self.games, place);
        let GameBlock::Open(games) = &mut self.blocks[place] else {
            return Ok(());
        };
        games.resize(size, None);
        games[number % BLOCK_GAMES] = Some(game);
        if games.iter().all(Option::is_some) {
            self.blocks[place] = GameBlock::Closed(closed(games)?);
        }
        Ok(())
    }

    /// The compressed blocks. A game that never came is `null`.
    ///
    /// # Errors
    /// None but those of compression in memory.
    pub fn finish(self) -> io::Result<Vec<Vec<u8>>> {
        let count = self.games;
        let blocks = (0..).zip(self.blocks);
        let blocks = blocks.map(|(place, block)| match block {
            GameBlock::Open(mut games) => {
                games.resize(block_size(count, place), None);
                closed(&games)
            }
            GameBlock::Closed(bytes) => Ok(bytes),
        });
        blocks.collect()
    }
}

/// The number of games in a block of so many games.
fn block_size(games: usize, place: usize) -> usize {
    BLOCK_GAMES.min(games - place * BLOCK_GAMES)
}

fn closed(games: &[Option<String>]) -> io::Result<Vec<u8>> {
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

/// A value as JSON, compressed in the same way. The whole text is never in memory.
pub(super) fn packed_json(value: &impl Serialize) -> io::Result<Vec<u8>> {
    let mut text = BufWriter::new(GzEncoder::new(Vec::new(), LEVEL));
    serde_json::to_writer(&mut text, value)?;
    text.into_inner()?.finish()
}

/// Bytes compressed by gzip (RFC 1952).
fn packed(bytes: &[u8]) -> io::Result<Vec<u8>> {
    let mut encoder = GzEncoder::new(Vec::new(), LEVEL);
    encoder.write_all(bytes)?;
    let mut packed = encoder.finish()?;
    // All blocks of a page are in memory together.
    packed.shrink_to_fit();
    Ok(packed)
}
