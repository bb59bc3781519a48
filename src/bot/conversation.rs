//! Lines with a process as they are, each of them kept with its time: for callers that want to see
//! what a bot really says, and when. Starts and limits it as every other bot.

use super::process::{ExitReport, Process, Reply};
use super::sandbox::SandboxedBot;
use crate::referee::Stop;
use std::time::{Duration, Instant};

/// Bytes of a line that are kept.
const KEPT_BYTES: usize = 4096;

/// Who said something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Speaker {
    /// A line to the bot.
    Referee,
    /// A line of the bot's, or what it wrote instead of one.
    Bot,
    /// None: something that happened.
    Event,
}

/// Something that was said or happened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Utterance {
    /// Who said it.
    pub speaker: Speaker,
    /// When, from the start of the process.
    pub time: Duration,
    /// The line without its newline, at most 4096 bytes of it. Of a bot: hostile bytes.
    pub line: Vec<u8>,
}

/// A running bot and what was said with it.
#[derive(Debug)]
pub struct Conversation {
    process: Process,
    started: Instant,
    said: Vec<Utterance>,
    /// Unrequested bytes that are already in the transcript.
    shown: usize,
}

impl Conversation {
    /// Starts a bot.
    ///
    /// # Errors
    /// A void: the host has no process, descriptor or control group left.
    pub fn start(sandboxed_bot: &SandboxedBot) -> Result<Self, Stop> {
        let started = Instant::now();
        Ok(Self {
            process: Process::start(sandboxed_bot)?,
            started,
            said: Vec::new(),
            shown: 0,
        })
    }

    /// The number of the process on this machine.
    pub fn process_id(&self) -> i32 {
        self.process.id().cast_signed()
    }

    /// Counts a game's output from here on.
    pub fn begin_game(&mut self, game: &str) {
        self.process.begin_game(game);
    }

    /// Sends a line, newline included, and waits for one: its bytes without the newline, and the
    /// time from just before the request.
    ///
    /// # Errors
    /// The fault or the void that there is instead of a line.
    pub async fn ask(
        &mut self,
        line: &[u8],
        deadline: Duration,
    ) -> Result<(Vec<u8>, Duration), Stop> {
        self.note(Speaker::Referee, line);
        match self.process.exchange(line, deadline).await {
            Ok(Reply {
                line,
                time,
                held_up,
                ..
            }) => {
                // What other programs took is none of its time.
                let time = time.saturating_sub(held_up);
                self.note(Speaker::Bot, &line);
                Ok((line, time))
            }
            Err(stop) => {
                self.note_stop(&stop);
                Err(stop)
            }
        }
    }

    /// Sends a line that has no answer; false if the bot reads so little that it does not fit.
    pub fn tell(&mut self, line: &[u8]) -> bool {
        self.note(Speaker::Referee, line);
        self.process.post(line)
    }

    /// Says nothing for a while; what the bot does meanwhile that it must not do.
    pub async fn listen(&mut self, time_limit: Duration) -> Option<Stop> {
        let stop = tokio::time::timeout(time_limit, self.process.misbehaviour()).await;
        let stop = stop.ok()?;
        self.note_stop(&stop);
        Some(stop)
    }

    /// Ends the bot's input.
    pub fn close_input(&mut self) {
        self.note(Speaker::Event, b"end of input");
        self.process.close_input();
    }

    /// Lets the process end by itself for a while, and ends what is left of it. Nothing can be
    /// said afterwards.
    pub async fn part(&mut self, grace: Duration) -> ExitReport {
        let exit_report = self.process.part(grace).await;
        self.note_unread();
        self.note(Speaker::Event, exit_report.words.as_bytes());
        exit_report
    }

    /// Ends the process and all of its group.
    pub async fn end(&mut self) {
        self.process.end().await;
    }

    /// What the bot wrote to standard error since this was last asked.
    pub fn take_log(&self) -> Vec<u8> {
        self.process.take_log()
    }

    /// What the bot wrote without a request, or without a newline at its end.
    pub fn unread(&self) -> &[u8] {
        self.process.unread()
    }

    /// What was said since this was last asked.
    pub fn take_transcript(&mut self) -> Vec<Utterance> {
        std::mem::take(&mut self.said)
    }

    /// The last that was said since the transcript was taken.
    pub fn last_said(&self, lines: usize) -> Vec<Utterance> {
        self.said[self.said.len().saturating_sub(lines)..].to_vec()
    }

    fn note_stop(&mut self, stop: &Stop) {
        self.note_unread();
        let words = match stop {
            Stop::Fault(fault) => format!("{}: {}", fault.kind, fault.detail),
            Stop::Void(cause) | Stop::Exhausted(cause) => cause.clone(),
        };
        self.note(Speaker::Event, words.as_bytes());
    }

    fn note_unread(&mut self) {
        let unread = self.process.unread();
        let new = unread.get(self.shown..).unwrap_or_default().to_vec();
        self.shown = unread.len();
        if !new.is_empty() {
            self.note(Speaker::Bot, &new);
        }
    }

    fn note(&mut self, speaker: Speaker, line: &[u8]) {
        let line = line.strip_suffix(b"\n").unwrap_or(line);
        self.said.push(Utterance {
            speaker,
            time: self.started.elapsed(),
            line: line[..line.len().min(KEPT_BYTES)].to_vec(),
        });
    }
}
