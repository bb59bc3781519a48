//! The games as compressed blocks of text, each of which the page reads alone.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use flate2::Compression;
use flate2::write::GzEncoder;
use serde::Serialize;
use std::io::{self, Write as _};

/// Games of a block: enough to compress well, and few enough to be read at once.
pub const BLOCK_GAMES: usize = 128;

/// Blocks of games that arrive in any order. A block is compressed when its games are complete.
#[derive(Debug)]
pub struct PackedGames {
    games: usize,
    blocks: Vec<GameBlock>,
}

#[derive(Debug)]
enum GameBlock {
    /// The games that are there, as JSON.
    Open(Vec<Option<String>>),
    /// All of them, compressed, as text.
    Closed(String),
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
                GameBlock::Closed(_) => false,
            }
    }

    /// Adds a game by its number in the order of the page.
    ///
    /// # Errors
    /// None but those of compression in memory.
    pub fn add(&mut self, number: usize, game: &impl Serialize) -> io::Result<()> {
        let block = &mut self.blocks[number / BLOCK_GAMES];
        let GameBlock::Open(games) = block else {
            return Ok(());
        };
        games[number % BLOCK_GAMES] = Some(serde_json::to_string(game)?);
        if games.iter().all(Option::is_some) {
            *block = GameBlock::Closed(closed(games)?);
        }
        Ok(())
    }

    /// The blocks. A game that never came is `null`.
    ///
    /// # Errors
    /// None but those of compression in memory.
    pub fn finish(self) -> io::Result<Vec<String>> {
        let blocks = self.blocks.into_iter().map(|block| match block {
            GameBlock::Open(games) => closed(&games),
            GameBlock::Closed(text) => Ok(text),
        });
        blocks.collect()
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
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(bytes)?;
    Ok(STANDARD.encode(encoder.finish()?))
}
