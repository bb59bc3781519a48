//! The games as compressed blocks, each of which the page reads alone.

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
    Open(BlockGames),
    /// Its games are complete, and being compressed.
    GivenAway,
    /// Compressed.
    Closed(Vec<u8>),
}

impl PackedGames {
    /// Starts without any of this many games.
    pub fn new(games: usize) -> Self {
        let sizes = (0..games).step_by(BLOCK_GAMES);
        let sizes = sizes.map(|first| BLOCK_GAMES.min(games - first));
        Self {
            games,
            blocks: sizes
                .map(|size| GameBlock::Open(vec![None; size]))
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

    /// Adds a game, as JSON, by its number in the order of the page. Returns its block if the games
    /// of that are complete: the caller compresses it, on any thread, and puts it back.
    pub fn add(&mut self, number: usize, game: String) -> Option<CompleteBlock> {
        let place = number / BLOCK_GAMES;
        let GameBlock::Open(games) = &mut self.blocks[place] else {
            return None;
        };
        games[number % BLOCK_GAMES] = Some(game);
        if games.iter().any(Option::is_none) {
            return None;
        }
        let games = std::mem::take(games);
        self.blocks[place] = GameBlock::GivenAway;
        Some(CompleteBlock { place, games })
    }

    /// Puts a compressed block to its place.
    pub fn put(&mut self, block: PackedBlock) {
        self.blocks[block.place] = GameBlock::Closed(block.bytes);
    }

    /// The compressed blocks. A game that never came is `null`.
    ///
    /// # Errors
    /// Those of compression in memory, or a block was not put back.
    pub fn finish(self) -> io::Result<Vec<Vec<u8>>> {
        let blocks = self.blocks.into_iter().map(|block| match block {
            GameBlock::Open(games) => closed(&games),
            GameBlock::Closed(bytes) => Ok(bytes),
            GameBlock::GivenAway => Err(io::Error::other("a block of games was lost")),
        });
        blocks.collect()
    }
}

/// A block whose games are complete.
#[derive(Debug)]
pub struct CompleteBlock {
    place: usize,
    games: BlockGames,
}

impl CompleteBlock {
    /// Compresses it.
    ///
    /// # Errors
    /// None but those of compression in memory.
    pub fn pack(self) -> io::Result<PackedBlock> {
        Ok(PackedBlock {
            place: self.place,
            bytes: closed(&self.games)?,
        })
    }
}

/// A compressed block.
#[derive(Debug)]
pub struct PackedBlock {
    place: usize,
    bytes: Vec<u8>,
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
