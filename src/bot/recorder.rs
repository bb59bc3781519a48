//! Records the bytes in both directions between the referee and one process from its start, with
//! times, for the evidence of a fault.

use crate::record::{Transcript, Writer};
use std::time::Instant;

/// The transcript of one process.
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

    /// Whether any request was recorded.
    pub fn has_begun(&self) -> bool {
        self.transcript.chunks().next().is_some()
    }

    /// Begins a game. The recorder may remove old games here, because no clock runs.
    pub fn begin_game(&mut self, game: &str) {
        self.transcript.begin_game(game);
    }

    /// Records a request that is about to be written at this moment. It is recorded whole, even if
    /// a dying bot does not receive it: only the host's timing decides that.
    pub fn asked(&mut self, now: Instant, request: &[u8]) {
        self.transcript
            .push(self.time_us(now), Writer::Referee, request);
    }

    /// Records bytes of the bot that were read at this moment.
    pub fn received(&mut self, now: Instant, bytes: &[u8]) {
        self.transcript.push(self.time_us(now), Writer::Bot, bytes);
    }

    /// The whole transcript of a process that has ended.
    pub fn take(&mut self) -> Transcript {
        std::mem::take(&mut self.transcript)
    }

    /// The last game of a process that runs on.
    pub fn last_game(&self) -> Transcript {
        self.transcript.last_game()
    }

    /// µs since the process was started.
    pub fn now_us(&self) -> u64 {
        self.time_us(Instant::now())
    }

    fn time_us(&self, now: Instant) -> u64 {
        let time = now.saturating_duration_since(self.epoch);
        u64::try_from(time.as_micros()).unwrap_or(u64::MAX)
    }
}
