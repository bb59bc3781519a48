//! A fault's folder as a script: each request with the bytes of its answer, and the program.

use super::script::{RecordedAnswer, Script, ScriptFault, Step};
use crate::files::Folder;
use crate::record::{FaultKind, ProcessEnd, Writer};
use crate::run_folder::evidence::{
    ANSWERS, FORMAT, MOST_MIB, PAGE, REQUESTS, TRANSCRIPT, chunk_lines,
};
use crate::run_folder::evidence::{FaultPage, ProcessSection};
use crate::text::{printable, shell_word};
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;
use thiserror::Error;

/// Why a folder cannot be replayed.
#[derive(Debug, Error)]
pub enum RecordingError {
    #[error("cannot read {path}: {error}; name a folder that a run has left in its faults/")]
    File { path: PathBuf, error: io::Error },
    #[error("{path}: {reason}")]
    Damaged { path: PathBuf, reason: String },
    #[error("{0} is evidence of format {1}; this awale reads format {FORMAT}: use a newer one")]
    Newer(PathBuf, u32),
    #[error("the recording has no command; give one: awale replay-to-bot DIR -- COMMAND")]
    NoCommand,
}

/// The recording of a bot's process up to its fault.
#[derive(Debug)]
pub struct Recording {
    pub script: Script,
    process: ProcessSection,
}

impl Recording {
    /// Reads a folder.
    pub fn read(folder: &Path) -> Result<Self, RecordingError> {
        let path = folder.join(PAGE);
        let opened = Folder::open(folder);
        let opened = opened.map_err(|error| RecordingError::File {
            path: path.clone(),
            error,
        })?;
        let read = |name: &str| {
            let read = opened.read(name, MOST_MIB);
            read.map_err(|error| RecordingError::File {
                path: folder.join(name),
                error,
            })
        };
        let page = String::from_utf8_lossy(&read(PAGE)?).into_owned();
        let damaged = |reason: &str| RecordingError::Damaged {
            path: path.clone(),
            reason: printable(reason),
        };
        let page: FaultPage = toml::from_str(&page).map_err(|error| damaged(error.message()))?;
        if page.format > FORMAT {
            return Err(RecordingError::Newer(path.clone(), page.format));
        }
        let process = page
            .process
            .ok_or_else(|| damaged("missing field `process`"))?;
        let lines = read(TRANSCRIPT)?;
        let requests = read(REQUESTS)?;
        let answers = read(ANSWERS)?;
        let steps =
            steps(&lines, &requests, &answers).map_err(|reason| RecordingError::Damaged {
                path: folder.join(TRANSCRIPT),
                reason,
            })?;
        let fault = ScriptFault {
            kind: FaultKind::from_name(&page.fault.kind),
            words: printable(&format!("{}: {}", page.fault.kind, page.fault.detail)),
            time: page.fault.time_us.map(Duration::from_micros),
        };
        let script = Script {
            first_shown: steps.iter().rposition(|it| it.game.is_some()).unwrap_or(0),
            steps,
            fault: Some(fault),
            never_started: process.end.is_none(),
            own_end: own_end(&process),
            missing: missing(&process),
        };
        Ok(Self { script, process })
    }

    /// The command of the tournament, with its folder and its environment.
    pub fn command(&self) -> Result<Command, RecordingError> {
        let process = &self.process;
        let words = process.command.as_deref().unwrap_or_default();
        let (program, arguments) = words.split_first().ok_or(RecordingError::NoCommand)?;
        let mut command = Command::new(program);
        command
            .args(arguments)
            .current_dir(&process.dir)
            .env_clear()
            .envs(&process.env);
        Ok(command)
    }

    /// The same as a line for people, with its folder and what it sets for the program.
    pub fn command_text(&self) -> String {
        let process = &self.process;
        let variables = process.env.iter();
        let variables = variables.map(|(name, value)| format!("{name}={}", shell_word(value)));
        let words = process
            .command
            .iter()
            .flatten()
            .map(|word| shell_word(word));
        let line: Vec<String> = variables.chain(words).collect();
        printable(&format!(
            "{} in {}",
            line.join(" "),
            shell_word(&process.dir.to_string_lossy())
        ))
    }
}

/// How the bot ended by itself, if it did.
fn own_end(process: &ProcessSection) -> Option<ProcessEnd> {
    let exited = process.exit_code.map(ProcessEnd::Exited);
    let signalled = process.signal.map(ProcessEnd::Signalled);
    let closed = process.closed_a_pipe.then_some(ProcessEnd::Closed);
    exited.or(signalled).or(closed)
}

/// The games of the process that the recording lacks.
fn missing(process: &ProcessSection) -> Option<String> {
    let (before, left_out) = (process.games_before, process.games_left_out);
    (left_out > 0).then(|| {
        format!("the process had played {before} games before; {left_out} of them are not recorded")
    })
}

/// Assigns the bytes to the chunks of the transcript.
fn steps<'a>(
    lines: &[u8],
    mut requests: &'a [u8],
    mut answers: &'a [u8],
) -> Result<Vec<Step>, String> {
    // Each request with its answer. A bot may end or write before any request.
    let mut dealt = vec![(Vec::new(), Vec::new())];
    for line in chunk_lines(lines) {
        let (number, chunk) = line?;
        let is_request = chunk.from == Writer::Referee;
        let from = if is_request {
            &mut requests
        } else {
            &mut answers
        };
        let bytes = from
            .split_off(..chunk.bytes)
            .ok_or_else(|| format!("line {number} has bytes that {REQUESTS} or {ANSWERS} lacks"))?;
        // A request may have been written in several parts.
        if is_request
            && dealt
                .last()
                .is_some_and(|(request, _)| request.ends_with(b"\n"))
        {
            dealt.push((Vec::new(), Vec::new()));
        }
        let (request, answer) = dealt.last_mut().expect("one at least");
        if is_request { request } else { answer }.extend_from_slice(bytes);
    }
    Ok(dealt.into_iter().map(step).collect())
}

fn step((request, answer): (Vec<u8>, Vec<u8>)) -> Step {
    let message: serde_json::Value = serde_json::from_slice(&request).unwrap_or_default();
    let name = name(&message);
    let game = message["game"].as_str().filter(|_| name == "new-game");
    Step {
        game: game.map(printable),
        name,
        request,
        answer: RecordedAnswer::Bytes(answer),
    }
}

/// The request's type, and the turn's number.
fn name(request: &serde_json::Value) -> String {
    let kind = request["type"].as_str().unwrap_or("(start)");
    match request["turn"].as_u64() {
        Some(turn) => format!("{kind} {turn}"),
        None => printable(kind),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_dealt_to_the_requests_that_they_answered() {
        let lines = br#"{"time_us":1,"from":"referee","bytes":3,"text":"h\\n"}
{"time_us":1,"from":"bot","bytes":2,"text":"r\\n"}
{"time_us":0,"from":"referee","bytes":1,"text":"t"}
{"time_us":1,"from":"referee","bytes":2,"text":"u\\n"}
{"time_us":2,"from":"bot","bytes":1,"text":"m"}
{"time_us":3,"from":"bot","bytes":1,"text":"\\xff"}
"#;
        let steps = steps(lines, b"hi\ntu\n", b"r\nm\xff").unwrap();
        let dealt: Vec<(&[u8], &[u8], usize)> = steps
            .iter()
            .map(|step| (&step.request[..], step.answer.bytes(), step.answer.lines()))
            .collect();
        let expected: [(&[u8], &[u8], usize); 2] = [(b"hi\n", b"r\n", 1), (b"tu\n", b"m\xff", 0)];
        assert_eq!(dealt, expected);
    }

    #[test]
    fn a_transcript_with_more_than_there_is_is_refused() {
        let line = br#"{"time_us":0,"from":"bot","bytes":2,"text":"ab"}"#;
        assert!(steps(line, b"", b"a").unwrap_err().contains("line 1"));
        assert!(steps(b"nonsense", b"", b"").unwrap_err().contains("line 1"));
        let hostile = "{\"time_us\":1,\"from\":\"\\u001b[2J\\u202e\",\"bytes\":3,\"text\":\"\"}";
        let error = steps(hostile.as_bytes(), b"", b"").unwrap_err();
        assert!(!error.contains(['\u{1b}', '\u{202e}']), "{error:?}");
    }
}
