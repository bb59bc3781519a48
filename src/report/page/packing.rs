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
    /// Bytes of games in blocks that are not complete.
    open_bytes: usize,
    blocks: Vec<GameBlock>,
}

#[derive(Debug)]
enum GameBlock {
    /// Some of its games are missing; nothing is allocated before the first one is there.
    Open(BlockGames),
    /// Its games are complete, and being compressed.
    GivenAway,
    /// Compressed.
    Closed(Vec<u8>),
}

impl PackedGames {
    /// Starts without any of this many games.
    pub fn new(games: usize) -> Self {
        let blocks = 0..games.div_ceil(BLOCK_GAMES);
        Self {
            games,
            open_bytes: 0,
            blocks: blocks.map(|_| GameBlock::Open(Vec::new())).collect(),
        }
    }

    /// Forgets the places after this many games; none of their games may have been added.
    pub fn cut(&mut self, games: usize) {
        self.games = self.games.min(games);
        self.blocks.truncate(self.games.div_ceil(BLOCK_GAMES));
        let last = self.games % BLOCK_GAMES;
        if let Some(GameBlock::Open(games)) = self.blocks.last_mut()
            && last > 0
        {
            games.truncate(last);
        }
    }

    /// Bytes of games that cannot be compressed yet, because others of their blocks are missing.
    pub const fn open_bytes(&self) -> usize {
        self.open_bytes
    }

    /// Whether this game is still missing.
    pub fn lacks(&self, number: usize) -> bool {
        number < self.games
            && match &self.blocks[number / BLOCK_GAMES] {
                GameBlock::Open(games) => {
                    games.get(number % BLOCK_GAMES).is_none_or(Option::is_none)
                }
                GameBlock::GivenAway | GameBlock::Closed(_) => false,
            }
    }

    /// Adds a game, as JSON, by its number in the order of the page. Returns its block if the games
    /// of that are complete: the caller compresses it, on any thread, and puts it back.
    pub fn add(&mut self, number: usize, game: String) -> Option<CompleteBlock> {
        let place = number / BLOCK_GAMES;
        let size = block_size(self.games, place);
        let GameBlock::Open(games) = &mut self.blocks[place] else {
            return None;
        };
        games.resize(size, None);
        self.open_bytes += game.len();
        games[number % BLOCK_GAMES] = Some(game);
        if games.iter().any(Option::is_none) {
            return None;
        }
        let games = std::mem::take(games);
        self.open_bytes -= games.iter().flatten().map(String::len).sum::<usize>();
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
        let count = self.games;
        let blocks = (0..).zip(self.blocks);
        let blocks = blocks.map(|(place, block)| match block {
            GameBlock::Open(mut games) => {
                games.resize(block_size(count, place), None);
                closed(&games)
            }
            GameBlock::Closed(bytes) => Ok(bytes),
            GameBlock::GivenAway => Err(io::Error::other("a block of games was lost")),
        });
        blocks.collect()
    }
}

/// The number of games in a block of so many games.
fn block_size(games: usize, place: usize) -> usize {
    BLOCK_GAMES.min(games - place * BLOCK_GAMES)
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
