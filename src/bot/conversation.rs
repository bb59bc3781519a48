//! A conversation with a process, line by line, each kept with its time: for callers that show what
//! a bot really writes, and when. The process is started and limited like every other bot.

use super::process::{CpuAccounting, ExitReport, Process, Reply};
use super::sandbox::SandboxedBot;
use crate::record::Writer;
use crate::referee::Stop;
use std::time::{Duration, Instant};

/// Bytes of a line that are kept.
const KEPT_BYTES: usize = 4096;

/// One entry of a conversation: a line that was written, or an event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConversationEntry {
    /// The writer of the line; `None` for an event, which `line` describes.
    pub from: Option<Writer>,
    /// The time since the start of the process.
    pub time: Duration,
    /// The line without its newline, at most 4096 bytes of it. A bot's line is hostile bytes.
    pub line: Vec<u8>,
}

/// A running bot and the entries so far.
#[derive(Debug)]
pub struct Conversation {
    process: Process,
    started: Instant,
    entries: Vec<ConversationEntry>,
    /// Bytes of unrequested output that the entries already show.
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
            entries: Vec::new(),
            shown: 0,
        })
    }

    /// From now on, the wait for an answer ends as soon as the bot sleeps.
    pub fn watch_for_sleep(&mut self) {
        self.process.sleep_watch.is_on = true;
    }

    /// Whether the last wait ended because the bot slept.
    pub const fn is_asleep(&self) -> bool {
        self.process.sleep_watch.has_ended_wait
    }

    /// The process id on this machine.
    pub fn process_id(&self) -> i32 {
        self.process.number()
    }

    /// Counts output towards a new game from here on.
    pub fn begin_game(&mut self, game: &str) {
        self.process.begin_game(game);
    }

    /// Sends a line, its newline included, and waits for one. Returns the line without its newline,
    /// and the time from just before the request.
    ///
    /// # Errors
    /// The fault or the void that came instead of a line.
    pub async fn ask(
        &mut self,
        line: &[u8],
        deadline: Duration,
    ) -> Result<(Vec<u8>, Duration), Stop> {
        self.note(Some(Writer::Referee), line);
        let exchange = self
            .process
            .exchange(line, deadline, CpuAccounting::Exchange);
        match exchange.await {
            Ok(Reply {
                time, preempted, ..
            }) => {
                // Time that other programs took does not count.
                let time = time.saturating_sub(preempted);
                let line = self.process.pipes.answer.clone();
                self.note(Some(Writer::Bot), &line);
                Ok((line, time))
            }
            Err(stop) => {
                self.note_stop(&stop);
                Err(stop)
            }
        }
    }

    /// Sends a line that has no answer; false if the pipe is full because the bot does not read.
    pub fn tell(&mut self, line: &[u8]) -> bool {
        self.note(Some(Writer::Referee), line);
        self.process.pipes.post(line)
    }

    /// Sends nothing for a while; returns what the bot does wrong in that time.
    pub async fn listen(&mut self, time_limit: Duration) -> Option<Stop> {
        let stop = tokio::time::timeout(time_limit, self.process.misbehaviour()).await;
        let stop = stop.ok()?;
        self.note_stop(&stop);
        Some(stop)
    }

    /// Closes the bot's input.
    pub fn close_input(&mut self) {
        self.note(None, b"end of input");
        self.process.pipes.close_input();
    }

    /// Waits a while for the process to end, and ends the rest of its family. This is the last call
    /// of a conversation.
    pub async fn part(&mut self, grace: Duration) -> ExitReport {
        let exit_report = self.process.part(grace).await;
        self.note_unread();
        self.note(None, exit_report.words.as_bytes());
        exit_report
    }

    /// Ends the process and its group.
    pub async fn end(&mut self) {
        self.process.end().await;
    }

    /// The bot's standard error since the last call.
    pub fn take_log(&self) -> Vec<u8> {
        let log = self.process.take_log();
        self.process.error.forget();
        log
    }

    /// Output of the bot without a request, or without a newline at its end.
    pub fn unread(&self) -> &[u8] {
        self.process.pipes.lines.unread()
    }

    /// The entries since the last call.
    pub fn take_transcript(&mut self) -> Vec<ConversationEntry> {
        std::mem::take(&mut self.entries)
    }

    /// The last entries since [`Conversation::take_transcript`].
    pub fn last_entries(&self, lines: usize) -> Vec<ConversationEntry> {
        self.entries[self.entries.len().saturating_sub(lines)..].to_vec()
    }

    fn note_stop(&mut self, stop: &Stop) {
        self.note_unread();
        let words = match stop {
            Stop::Fault(fault) => format!("{}: {}", fault.kind, fault.detail),
            Stop::Void(cause) | Stop::Unstarted(cause) => cause.clone(),
        };
        self.note(None, words.as_bytes());
    }

    fn note_unread(&mut self) {
        let unread = self.process.pipes.lines.unread();
        let new = unread.get(self.shown..).unwrap_or_default().to_vec();
        self.shown = unread.len();
        if !new.is_empty() {
            self.note(Some(Writer::Bot), &new);
        }
    }

    fn note(&mut self, from: Option<Writer>, line: &[u8]) {
        let line = line.strip_suffix(b"\n").unwrap_or(line);
        self.entries.push(ConversationEntry {
            from,
            time: self.started.elapsed(),
            line: line[..line.len().min(KEPT_BYTES)].to_vec(),
        });
    }
}
