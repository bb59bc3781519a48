//! Takes down what goes both ways between the referee and one process, from its start, with the
//! times, for the evidence of a fault.

use crate::record::{Transcript, Writer};
use std::time::Instant;

/// What a process was told and has said.
#[derive(Debug)]
pub struct Recorder {
    transcript: Transcript,
    /// When the process was started.
    epoch: Instant,
}

impl Recorder {
    pub fn new() -> Self {
        Self {
            transcript: Transcript::default(),
            epoch: Instant::now(),
        }
    }

    /// Whether anything was asked yet.
    pub fn has_begun(&self) -> bool {
        self.transcript.chunks().next().is_some()
    }

    /// What comes now belongs to this game. No clock runs: old games may be taken out.
    pub fn begin_game(&mut self, game: &str) {
        self.transcript.begin_game(game);
    }

    /// A request is about to be written. It is taken down whole, whether or not a dying bot still
    /// gets it: which of the two, only the host's timing decides.
    pub fn asked(&mut self, request: &[u8]) {
        self.transcript
            .push(self.now_us(), Writer::Referee, request);
    }

    /// These bytes came from the bot.
    pub fn received(&mut self, bytes: &[u8]) {
        self.transcript.push(self.now_us(), Writer::Bot, bytes);
    }

    /// The whole transcript of a process that has ended.
    pub fn take(&mut self) -> Transcript {
        std::mem::take(&mut self.transcript)
    }

    /// The last game of a process that goes on.
    pub fn last_game(&self) -> Transcript {
        self.transcript.last_game()
    }

    /// µs since the process was started.
    pub fn now_us(&self) -> u64 {
        u64::try_from(self.epoch.elapsed().as_micros()).unwrap_or(u64::MAX)
    }
}
