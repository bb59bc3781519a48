//! The games as compressed blocks of text, each of which the page reads alone.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use flate2::Compression;
use flate2::write::GzEncoder;
use serde::Serialize;
use std::io::{self, Write as _};

/// Games of a block: enough to compress well, and few enough to be read at once.
pub const CHUNK_GAMES: usize = 128;

/// Blocks of games that arrive in any order. A block is compressed when its games are complete.
#[derive(Debug)]
pub struct PackedGames {
    games: usize,
    chunks: Vec<Chunk>,
}

#[derive(Debug)]
enum Chunk {
    /// The games that are there, as JSON.
    Open(Vec<Option<String>>),
    /// All of them, compressed, as text.
    Closed(String),
}

impl PackedGames {
    /// Starts without any of this many games.
    pub fn new(games: usize) -> Self {
        let sizes = (0..games).step_by(CHUNK_GAMES);
        let sizes = sizes.map(|first| CHUNK_GAMES.min(games - first));
        Self {
            games,
            chunks: sizes.map(|size| Chunk::Open(vec![None; size])).collect(),
        }
    }

    /// Whether this game is still missing.
    pub fn lacks(&self, number: usize) -> bool {
        number < self.games
            && match &self.chunks[number / CHUNK_GAMES] {
                Chunk::Open(games) => games[number % CHUNK_GAMES].is_none(),
                Chunk::Closed(_) => false,
            }
    }

    /// Adds a game by its number in the order of the page.
    ///
    /// # Errors
    /// None but those of compression in memory.
    pub fn add(&mut self, number: usize, game: &impl Serialize) -> io::Result<()> {
        let chunk = &mut self.chunks[number / CHUNK_GAMES];
        let Chunk::Open(games) = chunk else {
            return Ok(());
        };
        games[number % CHUNK_GAMES] = Some(serde_json::to_string(game)?);
        if games.iter().all(Option::is_some) {
            *chunk = Chunk::Closed(closed(games)?);
        }
        Ok(())
    }

    /// The blocks. A game that never came is `null`.
    ///
    /// # Errors
    /// None but those of compression in memory.
    pub fn finish(self) -> io::Result<Vec<String>> {
        let chunks = self.chunks.into_iter().map(|chunk| match chunk {
            Chunk::Open(games) => closed(&games),
            Chunk::Closed(text) => Ok(text),
        });
        chunks.collect()
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
