//! The faults of a run and the files of their evidence, shared by the code that writes them and the
//! code that reads them. `docs/faults.md` explains each file to users.

use super::journal_games::GameStore;
use crate::record::{Chunk, Exclusions, GameSummary, Refusal, Writer};
use crate::report::FaultRow;
use crate::text::printable;
use crate::tournament::label;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::PathBuf;

/// The folder of all evidence inside the run's folder.
pub const FAULTS: &str = "faults";
/// The folder of the bots' standard error inside the run's folder.
pub const LOGS: &str = "logs";
/// The suffix of an unfinished folder, whose name begins with a dot.
pub const PART: &str = ".part";
/// The prefix of the evidence of an admission game; the entrant's label follows.
pub const ADMISSION: &str = "admission-";
/// The beginning of the first line of a page whose other files were not kept.
pub const PAGE_ALONE: &str = "# Only this page is kept";

/// What happened, for people and for programs.
pub const PAGE: &str = "fault.toml";
/// Every chunk with its time, a JSON object a line.
pub const TRANSCRIPT: &str = "transcript.jsonl";
/// Every byte that the bot was sent.
pub const REQUESTS: &str = "requests.jsonl";
/// Every byte that the bot wrote.
pub const ANSWERS: &str = "answers.bin";
/// The bot's standard error: its head and its tail.
pub const STDERR: &str = "stderr.txt";
/// What a build said, instead of the other files.
pub const BUILD_OUTPUT: &str = "build.txt";
/// The other bot's chunks in this game.
pub const OPPONENT_TRANSCRIPT: &str = "opponent-transcript.jsonl";
/// The other bot's standard error.
pub const OPPONENT_STDERR: &str = "opponent-stderr.txt";
/// All of them.
pub const EVIDENCE_FILES: [&str; 8] = [
    PAGE,
    TRANSCRIPT,
    REQUESTS,
    ANSWERS,
    STDERR,
    BUILD_OUTPUT,
    OPPONENT_TRANSCRIPT,
    OPPONENT_STDERR,
];
/// The version of these files. Removing a file or changing its meaning raises it.
pub const FORMAT: u32 = 1;

/// MiB of evidence that a run keeps, which also bounds each file. Beyond that only the page is
/// kept: a bot that floods at each of its faults must not fill the organiser's disk.
pub const MOST_MIB: u64 = 64;

/// A transcript shows chunks up to this many bytes whole, which includes every answer whose `info`
/// is within its limit.
const WHOLE_CHUNK: usize = 5 << 10;
/// Bytes shown of a larger chunk, which only a flood produces: `answers.bin` has all of it.
const BEGINNING: usize = 512;

/// A chunk as a line of a transcript.
#[derive(Debug, Deserialize, Serialize)]
pub struct ChunkLine {
    /// µs from the process's start.
    pub time_us: u64,
    /// The writer of the chunk.
    #[serde(with = "WriterName")]
    pub from: Writer,
    /// The number of bytes.
    pub bytes: usize,
    /// The bytes as [`escaped`] text.
    pub text: String,
    /// The number of bytes at the end that `text` does not show.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub left_out: usize,
}

/// The names of writers in a line.
#[derive(Deserialize, Serialize)]
#[serde(remote = "Writer", rename_all = "lowercase")]
enum WriterName {
    Referee,
    Bot,
}

impl ChunkLine {
    /// The line of a chunk.
    pub fn new(chunk: &Chunk<'_>) -> Self {
        let bytes = chunk.bytes;
        let shown = if bytes.len() > WHOLE_CHUNK {
            &bytes[..BEGINNING]
        } else {
            bytes
        };
        Self {
            time_us: chunk.time_us,
            from: chunk.from,
            bytes: bytes.len(),
            text: escaped(shown),
            left_out: bytes.len() - shown.len(),
        }
    }
}

/// The text of a transcript, a line for each chunk. After this many bytes of text, lines tell only
/// when who wrote how much: a game has at most some 16,000 chunks.
pub fn transcript_text<'a>(chunks: impl Iterator<Item = Chunk<'a>>, most_bytes: usize) -> Vec<u8> {
    let mut text = Vec::new();
    for chunk in chunks {
        let mut line = ChunkLine::new(&chunk);
        if text.len() + line.text.len() > most_bytes {
            line.text.clear();
            line.left_out = line.bytes;
        }
        // Neither writing to memory nor such a value can fail.
        serde_json::to_writer(&mut text, &line).expect("a line of numbers and text");
        text.push(b'\n');
    }
    text
}

/// The lines of a transcript, with their numbers from 1.
///
/// # Errors
/// A line is not one of a transcript.
pub fn chunk_lines(text: &[u8]) -> impl Iterator<Item = Result<(usize, ChunkLine), String>> {
    let lines = (1..).zip(text.split(|&byte| byte == b'\n'));
    let lines = lines.filter(|(_, line)| !line.is_empty());
    lines.map(|(number, line)| match serde_json::from_slice(line) {
        Ok(chunk) => Ok((number, chunk)),
        Err(error) => Err(format!(
            "line {number} is not a line of a transcript: {}",
            printable(&error.to_string())
        )),
    })
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde passes fields by reference"
)]
fn is_zero(number: &usize) -> bool {
    *number == 0
}

/// Bytes as printable ASCII, without loss: `\\`, `\n`, `\r`, `\t`, and `\x1b` for all others. No
/// byte of a bot can control a terminal.
pub fn escaped(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len());
    for &byte in bytes {
        match byte {
            b'\\' => text.push_str("\\\\"),
            b'\n' => text.push_str("\\n"),
            b'\r' => text.push_str("\\r"),
            b'\t' => text.push_str("\\t"),
            b' '..=b'~' => text.push(char::from(byte)),
            // Writing to a string cannot fail.
            _ => _ = write!(text, "\\x{byte:02x}"),
        }
    }
    text
}

/// The bytes of an [`escaped`] text; `None` if it is not one.
pub fn unescaped(text: &str) -> Option<Vec<u8>> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes().iter().copied();
    while let Some(byte) = rest.next() {
        bytes.push(match (byte, byte == b'\\') {
            (_, true) => match rest.next()? {
                b'\\' => b'\\',
                b'n' => b'\n',
                b'r' => b'\r',
                b't' => b'\t',
                b'x' => {
                    let mut digit = || char::from(rest.next()?).to_digit(16);
                    let value = 16 * digit()? + digit()?;
                    u8::try_from(value).ok()?
                }
                _ => return None,
            },
            (b' '..=b'~', false) => byte,
            _ => return None,
        });
    }
    Some(bytes)
}

/// The parts of `fault.toml` that programs read.
#[derive(Debug, Deserialize)]
pub struct FaultPage {
    /// The version of the folder's files.
    pub format: u32,
    /// The fault.
    pub fault: FaultSection,
    /// The game up to the fault.
    pub position: PositionSection,
    /// The program; absent if the entrant is not in the plan.
    pub process: Option<ProcessSection>,
}

/// `[fault]`.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct FaultSection {
    /// The fault's code, as in the tables.
    pub kind: String,
    /// The fault, as a sentence.
    pub detail: String,
    /// The time of the turn, in µs, if the fault is about one.
    pub time_us: Option<u64>,
    /// The game's id.
    pub game: String,
    /// The entrant at fault.
    pub entrant: String,
    /// Its side.
    pub side: String,
    /// The other entrant.
    pub opponent: String,
}

/// `[position]`.
#[derive(Debug, Deserialize)]
pub struct PositionSection {
    /// The position at the beginning of the game.
    pub start: String,
    /// All moves before the fault.
    pub moves: String,
}

/// `[process]`.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct ProcessSection {
    /// How the process ended; absent if there was none.
    pub end: Option<String>,
    /// Its exit code.
    pub exit_code: Option<i32>,
    /// The signal that ended it.
    pub signal: Option<i32>,
    /// Whether it closed a pipe.
    #[serde(default)]
    pub closed_a_pipe: bool,
    /// Games of this process before the one of the fault.
    #[serde(default)]
    pub games_before: usize,
    /// The number of them that the transcript lacks.
    #[serde(default)]
    pub games_left_out: usize,
    /// Program and arguments; absent if they are not text.
    pub command: Option<Vec<String>>,
    /// Its working directory.
    pub dir: PathBuf,
    /// Its environment.
    pub env: BTreeMap<String, String>,
}

/// The entrants that were not admitted, in the order of the plan, then the faults of games that
/// count, in that of the schedule.
pub fn fault_rows(games: &GameStore, exclusions: &Exclusions) -> Vec<FaultRow> {
    let refused = exclusions.refused.iter();
    let mut rows: Vec<FaultRow> = refused
        .map(|(name, refusal)| {
            FaultRow::of_refusal(name, refusal, folder_of_refusal(name, refusal))
        })
        .collect();
    let counted = games.results().filter_map(|game| exclusions.counted(game));
    rows.extend(counted.filter_map(|game| FaultRow::of_game(game, folder_of_game(game))));
    rows
}

/// The folder of an entrant's evidence, relative to that of the run.
pub fn admission_folder(entrant: &str) -> String {
    format!("{FAULTS}/{ADMISSION}{}", label(entrant))
}

/// The folder of a refusal's evidence, relative to that of the run. An entrant that was refused
/// because of its files, or that the host disturbed, has none.
pub fn folder_of_refusal(entrant: &str, refusal: &Refusal) -> Option<String> {
    let has_evidence = refusal.is_of_build() || refusal.fault().is_some() && !refusal.is_of_files();
    has_evidence.then(|| admission_folder(entrant))
}

/// The folder of the evidence of a game that ended by a fault.
pub fn folder_of_game(game: &GameSummary) -> Option<String> {
    game.fault().map(|_| format!("{FAULTS}/{}", game.id))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escaped_bytes_come_back() {
        let all: Vec<u8> = (0..=255).collect();
        assert_eq!(unescaped(&escaped(&all)), Some(all));
        for text in ["\\", "\\q", "\\x1", "\\xg0", "é", "\n"] {
            assert_eq!(unescaped(text), None, "{text:?}");
        }
    }

    #[test]
    fn any_byte_can_be_told_from_its_escape() {
        let all: Vec<u8> = (0..=255).collect();
        let text = escaped(&all);
        assert!(text.bytes().all(|byte| (b' '..=b'~').contains(&byte)));
        let each: std::collections::BTreeSet<String> =
            all.iter().map(|&byte| escaped(&[byte])).collect();
        assert_eq!(each.len(), 256);
        assert_eq!(escaped(b"\x1b[2J\\\xff\"\n"), r#"\x1b[2J\\\xff"\n"#);
    }

    #[test]
    fn a_flood_is_shown_by_its_beginning() {
        let line = |bytes| {
            ChunkLine::new(&Chunk {
                time_us: 3,
                from: Writer::Bot,
                bytes,
            })
        };
        let flood = line(&[b'x'; 8192]);
        assert_eq!(
            (flood.bytes, flood.text.len(), flood.left_out),
            (8192, 512, 7680)
        );
        let whole = line(&[b'x'; 5120]);
        let json = r#"{"time_us":3,"from":"bot","bytes":5120,"text":"xxx"#;
        assert!(serde_json::to_string(&whole).unwrap().starts_with(json));
        assert_eq!((whole.text.len(), whole.left_out), (5120, 0));
    }
}
