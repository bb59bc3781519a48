//! The processes of a player that were asked to quit, and what of them survives.

use super::post_game_log::PostGameLogSender;
use super::process::Process;
use crate::protocol::Request;
use tokio::task::JoinSet;

/// Processes that were asked to quit and have not ended yet.
#[derive(Debug, Default)]
pub(super) struct LeavingProcesses {
    tasks: JoinSet<Option<String>>,
    /// The processes that survived SIGKILL, in words.
    remains: Option<String>,
}

impl LeavingProcesses {
    /// Asks a process to quit. What it writes then goes to `post_game_logs`.
    pub fn ask_to_quit(&mut self, mut process: Process, post_game_logs: Option<PostGameLogSender>) {
        let mut quit = Vec::new();
        Request::Quit.write_line(&mut quit);
        self.tasks.spawn(async move {
            let remains = process.quit(&quit).await;
            if let Some(post_game_logs) = post_game_logs {
                post_game_logs.send(process.take_log());
            }
            remains
        });
    }

    /// Waits, in bounded time, until all of their families have ended.
    pub async fn await_end(&mut self) {
        while let Some(left) = self.tasks.join_next().await {
            self.note_remains(left.ok().flatten());
        }
    }

    /// Notes what survives of a process that was ended.
    pub fn note_remains(&mut self, remains: Option<String>) {
        self.remains = remains.or(self.remains.take());
    }

    /// The processes that survived SIGKILL, in words.
    pub fn take_remains(&mut self) -> Option<String> {
        self.remains.take()
    }
}
