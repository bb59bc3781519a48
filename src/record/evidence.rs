//! The evidence that is kept of a player, beside the record, when a game ended by a fault: the
//! bytes in both directions with their times, how the process ended and what it used.
//!
//! ```text
//! hello → ready │ new-game → ready  turn → move … │ new-game → … │ new-game → …
//! └─ greeting ──┴──────────── game ───────────────┴──── game ────┴──── game ────
//!    always kept   the oldest go when there are too many bytes      always kept
//! ```

use serde::{Deserialize, Serialize};
use std::fmt;

/// Bytes of memory beyond which the oldest games of a process are removed from its transcript.
/// About 300 games of an ordinary bot fit.
const MOST_BYTES: usize = 4 << 20;
/// Chunks of a game beyond which a bot's next bytes are appended to its last chunk, so that a
/// stream of single bytes takes no more memory than its bytes.
const MOST_CHUNKS: usize = 1 << 14;

/// Which side of a bot's pipes wrote a chunk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Writer {
    /// The referee, to the bot's standard input.
    Referee,
    /// The bot, to its standard output.
    Bot,
}

impl Writer {
    /// The name in files and reports.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Referee => "referee",
            Self::Bot => "bot",
        }
    }
}

/// The bytes of one write or one read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Chunk<'a> {
    /// The time in µs since the process's start.
    pub time_us: u64,
    /// Its writer.
    pub from: Writer,
    /// The bytes, exactly.
    pub bytes: &'a [u8],
}

/// The end and the time of a chunk.
#[derive(Clone, Copy, Debug)]
struct Mark {
    end: usize,
    time_us: u64,
    from: Writer,
}

/// The beginning of a game.
#[derive(Clone, Debug)]
struct GameMark {
    game: String,
    /// The index of its first chunk, and of the first byte of that.
    first_chunk: usize,
    first_byte: usize,
}

/// The bytes in both directions of a process from its start, in bounded memory: the greeting and as
/// many of the latest games as fit, but at least the last two. Recording formats nothing.
#[derive(Clone, Debug, Default)]
pub struct Transcript {
    bytes: Vec<u8>,
    marks: Vec<Mark>,
    games: Vec<GameMark>,
    left_out: usize,
}

impl Transcript {
    /// Appends bytes; the time is in µs since the process's start.
    pub fn push(&mut self, time_us: u64, from: Writer, bytes: &[u8]) {
        if bytes.is_empty() {
            return;
        }
        self.bytes.extend_from_slice(bytes);
        let end = self.bytes.len();
        let begun = self.games.last().map_or(0, |game| game.first_chunk);
        let many = self.marks.len() - begun >= MOST_CHUNKS;
        match self.marks.last_mut() {
            Some(last) if many && last.from == from => last.end = end,
            _ => self.marks.push(Mark { end, time_us, from }),
        }
    }

    /// Begins a game. If there are too many bytes, many of the oldest games are removed at once, so
    /// that the cost per game is small.
    pub fn begin_game(&mut self, game: &str) {
        if self.size() > MOST_BYTES {
            self.leave_out_oldest();
        }
        self.games.push(GameMark {
            game: game.to_owned(),
            first_chunk: self.marks.len(),
            first_byte: self.bytes.len(),
        });
    }

    /// The games that the process began, including removed ones.
    pub fn games_begun(&self) -> usize {
        self.left_out + self.games.len()
    }

    /// The games after the greeting that were removed.
    pub const fn games_left_out(&self) -> usize {
        self.left_out
    }

    /// The games that are there, with the indices of their first chunks.
    pub fn games(&self) -> impl Iterator<Item = (&str, usize)> {
        let games = self.games.iter();
        games.map(|it| (it.game.as_str(), it.first_chunk))
    }

    /// The chunks in the order of time.
    pub fn chunks(&self) -> impl Iterator<Item = Chunk<'_>> {
        self.chunks_from(0, 0)
    }

    /// The index of this game's first chunk, if it is the process's last game.
    pub fn beginning_of(&self, game: &str) -> Option<usize> {
        let last = self.games.last().filter(|last| last.game == game)?;
        Some(last.first_chunk)
    }

    /// The chunks of the last game, if it is this one.
    pub fn chunks_of(&self, game: &str) -> impl Iterator<Item = Chunk<'_>> {
        let last = self.games.last().filter(|last| last.game == game);
        let (chunk, byte) = match last {
            Some(last) => (last.first_chunk, last.first_byte),
            None => (self.marks.len(), self.bytes.len()),
        };
        self.chunks_from(chunk, byte)
    }

    /// The last game alone, for a process that runs on.
    #[must_use]
    pub fn last_game(&self) -> Self {
        let Some(last) = self.games.last() else {
            return self.clone();
        };
        let marks = self.marks[last.first_chunk..].iter().map(|mark| Mark {
            end: mark.end - last.first_byte,
            ..*mark
        });
        Self {
            bytes: self.bytes[last.first_byte..].to_vec(),
            marks: marks.collect(),
            games: vec![GameMark {
                game: last.game.clone(),
                first_chunk: 0,
                first_byte: 0,
            }],
            left_out: self.games_begun() - 1,
        }
    }

    fn chunks_from(&self, chunk: usize, byte: usize) -> impl Iterator<Item = Chunk<'_>> {
        let marks = &self.marks[chunk..];
        let starts = std::iter::once(byte).chain(marks.iter().map(|mark| mark.end));
        starts.zip(marks).map(|(start, mark)| Chunk {
            time_us: mark.time_us,
            from: mark.from,
            bytes: &self.bytes[start..mark.end],
        })
    }

    /// Bytes of memory that are in use.
    fn size(&self) -> usize {
        self.bytes.len() + self.marks.len() * size_of::<Mark>()
    }

    /// Removes the oldest games until half of the limit is left. The last game stays: output after
    /// it is noticed only when the next game begins.
    fn leave_out_oldest(&mut self) {
        let surplus = self.size() - MOST_BYTES / 2;
        let Some(first) = self.games.first() else {
            return;
        };
        let (chunk, byte) = (first.first_chunk, first.first_byte);
        let goes = |game: &&GameMark| {
            let marks = (game.first_chunk - chunk) * size_of::<Mark>();
            game.first_byte - byte + marks < surplus
        };
        let going = self.games.iter().skip(1).take_while(goes).count() + 1;
        let going = going.min(self.games.len() - 1);
        let kept = &self.games[going];
        let (chunks, bytes) = (kept.first_chunk - chunk, kept.first_byte - byte);
        self.bytes.drain(byte..byte + bytes);
        self.marks.drain(chunk..chunk + chunks);
        self.games.drain(..going);
        for mark in &mut self.marks[chunk..] {
            mark.end -= bytes;
        }
        for game in &mut self.games {
            game.first_chunk -= chunks;
            game.first_byte -= bytes;
        }
        self.left_out += going;
        // Gives the memory of one large game back.
        self.bytes.shrink_to(MOST_BYTES);
    }
}

/// How a process ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub enum ProcessEnd {
    /// Its program could not be started.
    NeverStarted,
    /// By itself, with this code.
    Exited(i32),
    /// By this signal, which was not the referee's.
    Signalled(i32),
    /// It closed its input or output and ran on until the referee ended it.
    Closed,
    /// The referee ended it, after the fault.
    Stopped,
}

impl fmt::Display for ProcessEnd {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NeverStarted => f.write_str("never started"),
            Self::Exited(code) => write!(f, "exited with code {code}"),
            Self::Signalled(signal) => write!(f, "killed by signal {signal}"),
            Self::Closed => f.write_str("closed its input or output and went on running"),
            Self::Stopped => f.write_str("stopped by the referee after the fault"),
        }
    }
}

/// What a process used since its start, as far as the host measures it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
pub struct Usage {
    /// Wall time in µs.
    pub wall_us: Option<u64>,
    /// CPU time in µs, of the whole family where the host counts it.
    pub cpu_us: Option<u64>,
    /// Peak memory in bytes, of the whole family where the host counts it.
    pub peak_memory_bytes: Option<u64>,
}

impl Usage {
    /// These values, completed by those of a later measurement.
    #[must_use]
    pub fn then(self, later: Self) -> Self {
        Self {
            wall_us: later.wall_us.or(self.wall_us),
            cpu_us: later.cpu_us.or(self.cpu_us),
            peak_memory_bytes: later.peak_memory_bytes.or(self.peak_memory_bytes),
        }
    }
}

/// The evidence of a player after a game that ended by a fault.
#[derive(Clone, Debug, Default)]
pub struct Evidence {
    /// The bytes in both directions: of a process that has ended, since its start; of one that runs
    /// on, in its last game. Empty if no process was started.
    pub transcript: Transcript,
    /// How the process ended; `None` if there was none, or if it runs on.
    pub end: Option<ProcessEnd>,
    /// What it used; empty for a process that runs on.
    pub usage: Usage,
}

#[cfg(test)]
mod tests {
    use super::*;

    type Shown<'a> = Vec<(u64, Writer, &'a [u8])>;

    fn shown<'a>(chunks: impl Iterator<Item = Chunk<'a>>) -> Shown<'a> {
        chunks.map(|it| (it.time_us, it.from, it.bytes)).collect()
    }

    fn greeted() -> Transcript {
        let mut transcript = Transcript::default();
        transcript.push(5, Writer::Referee, b"hello\n");
        transcript.push(9, Writer::Bot, b"ready\n");
        transcript
    }

    #[test]
    fn every_game_since_the_start_is_there() {
        let mut transcript = greeted();
        for (start, word) in [(100, "first"), (200, "second")] {
            transcript.begin_game(word);
            transcript.push(start, Writer::Referee, word.as_bytes());
            transcript.push(start + 7, Writer::Bot, b"");
        }
        let expected = [
            (5, Writer::Referee, &b"hello\n"[..]),
            (9, Writer::Bot, b"ready\n"),
            (100, Writer::Referee, b"first"),
            (200, Writer::Referee, b"second"),
        ];
        assert_eq!(shown(transcript.chunks()), expected);
        assert_eq!(shown(transcript.chunks_of("second")), expected[3..]);
        assert_eq!(shown(transcript.chunks_of("first")), []);
        assert_eq!(transcript.beginning_of("second"), Some(3));
        let last = transcript.last_game();
        assert_eq!(shown(last.chunks()), expected[3..]);
        assert_eq!((last.games_begun(), last.games_left_out()), (2, 1));
    }

    #[test]
    fn a_drip_is_kept_to_the_byte_in_few_chunks() {
        let mut transcript = greeted();
        transcript.begin_game("1.1");
        let dripped: Vec<u8> = (0..100_000_u32)
            .map(|place| place.to_le_bytes()[0])
            .collect();
        for (time, byte) in (10..).zip(&dripped) {
            transcript.push(time, Writer::Bot, &[*byte]);
        }
        let chunks = shown(transcript.chunks_of("1.1"));
        assert_eq!(chunks.len(), MOST_CHUNKS);
        let bytes: Vec<&[u8]> = chunks.iter().map(|it| it.2).collect();
        assert_eq!(bytes.concat(), dripped);
        transcript.push(100_000, Writer::Referee, b"turn");
        let last = transcript.chunks().last();
        assert_eq!(last.map(|it| it.bytes), Some(&b"turn"[..]));
    }

    #[test]
    fn the_oldest_of_many_games_are_left_out_whole() {
        let mut transcript = greeted();
        let text = |game: usize| format!("{game:>1000}\n");
        for game in 1..=50_000 {
            transcript.begin_game(&game.to_string());
            for from in [Writer::Referee, Writer::Bot] {
                transcript.push(game as u64, from, text(game).as_bytes());
            }
            let slack = 2 * (1001 + size_of::<Mark>());
            assert!(transcript.size() <= MOST_BYTES + slack, "game {game}");
            assert_eq!(transcript.games_begun(), game);
        }
        assert!(transcript.bytes.capacity() <= 2 * MOST_BYTES);
        let left_out = transcript.games_left_out();
        let kept = 50_000 - left_out;
        assert!(kept > MOST_BYTES / 2 / 2100 && kept < MOST_BYTES / 2000);
        let mut expected = vec![
            (5, Writer::Referee, b"hello\n".to_vec()),
            (9, Writer::Bot, b"ready\n".to_vec()),
        ];
        for game in left_out + 1..=50_000 {
            for from in [Writer::Referee, Writer::Bot] {
                expected.push((game as u64, from, text(game).into_bytes()));
            }
        }
        let chunks = shown(transcript.chunks());
        assert!(chunks.len() == expected.len());
        for (chunk, expected) in chunks.iter().zip(&expected) {
            assert_eq!(
                (chunk.0, chunk.1, chunk.2),
                (expected.0, expected.1, &*expected.2)
            );
        }
        assert_eq!(shown(transcript.chunks_of("50000")).len(), 2);
    }

    #[test]
    fn the_game_before_the_last_is_kept_however_large() {
        let mut transcript = greeted();
        for (time, game) in (0..).zip(["1", "2", "3", "4"]) {
            transcript.begin_game(game);
            let chunks = shown(transcript.chunks());
            // The greeting, the previous game, and nothing of this one yet.
            assert_eq!(chunks.len(), 2 + usize::from(time > 0), "game {game}");
            transcript.push(time, Writer::Bot, &vec![0; MOST_BYTES + 1]);
        }
        assert_eq!(transcript.games_left_out(), 2);
        assert!(transcript.bytes.capacity() <= 4 * MOST_BYTES);
    }

    #[test]
    fn a_later_look_adds_what_it_knows() {
        let early = Usage {
            cpu_us: Some(1),
            peak_memory_bytes: Some(2),
            wall_us: None,
        };
        let late = Usage {
            cpu_us: Some(3),
            ..Usage::default()
        };
        let expected = Usage {
            cpu_us: Some(3),
            ..early
        };
        assert_eq!(early.then(late), expected);
    }
}
