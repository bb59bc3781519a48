//! Adds what bots wrote after a game to its logs, if all logs are kept.

use super::watch::Watcher;
use crate::bot::PostGameLog;
use crate::config::{Logs, Resolved};
use crate::rules::Side;
use crate::run_folder::evidence::LOGS;
use crate::run_folder::{FolderError, RunFolder};
use crate::tournament::Event;
use std::collections::HashMap;
use std::sync::mpsc::{Receiver, Sender, channel};

/// The line before what was written after the game.
const HEADING: &[u8] = b"\n[after the game]\n";
/// The size of a log that is added to, in MiB. The limits of a bot's standard error are far below.
const MOST_MIB: u64 = 64;

/// What bots wrote after their games, until their games are in the journal.
#[derive(Debug)]
pub struct PostGameLogs<'a> {
    resolved: &'a Resolved,
    folder: &'a RunFolder,
    received: Receiver<PostGameLog>,
    /// The finished games, by the ids that bots were told. This map is only looked up.
    finished: HashMap<String, LoggedGame>,
    /// Those of games that are not in the journal yet.
    early: Vec<PostGameLog>,
}

/// A game whose logs can be added to.
#[derive(Debug)]
struct LoggedGame {
    id: String,
    /// Whether South and North have a log. One in the folder may else be of an attempt that a crash
    /// kept out of the journal.
    has_log: [bool; 2],
    /// Whether a log has the line before what was written afterwards.
    has_heading: [bool; 2],
    /// Bytes by which the logs of South and North may grow: what is added makes no log longer than
    /// its limit.
    room: [usize; 2],
}

impl<'a> PostGameLogs<'a> {
    /// Keeps what is sent; `None` for the sender if the logs of a run are not all kept.
    pub fn new(
        resolved: &'a Resolved,
        folder: &'a RunFolder,
    ) -> (Self, Option<Sender<PostGameLog>>) {
        let (to, received) = channel();
        let is_kept = resolved.typed.tournament.logs == Logs::All;
        let post_game_logs = Self {
            resolved,
            folder,
            received,
            finished: HashMap::new(),
            early: Vec::new(),
        };
        (post_game_logs, is_kept.then_some(to))
    }

    /// Learns of games in the journal, and adds what has come.
    pub fn on_event(&mut self, event: &Event<'_>, watcher: &Watcher<'_>) {
        if self.resolved.typed.tournament.logs != Logs::All {
            return;
        }
        if let Event::Finished { record, logs } = event {
            let told_id = self.resolved.plan.told_id(&record.id);
            let room = Side::BOTH.map(|side| {
                let most = self.longest_log(&record.entrants[side.index()]);
                most.saturating_sub(logs[side.index()].len())
            });
            let game = LoggedGame {
                id: record.id.to_string(),
                has_log: logs.each_ref().map(|log| !log.is_empty()),
                has_heading: [false; 2],
                room,
            };
            self.finished.insert(told_id, game);
        }
        self.keep(watcher);
    }

    /// The most bytes of a log of this entrant.
    fn longest_log(&self, name: &str) -> usize {
        let entrants = self.resolved.plan.entrants.iter();
        let mut bots = entrants.zip(&self.resolved.entrants);
        let bot = bots.find(|(entrant, _)| entrant.name == name);
        bot.map_or(0, |(_, it)| {
            it.bot.limits.stderr_head_bytes + it.bot.limits.stderr_tail_bytes
        })
    }

    /// Adds what has come to the logs of its games. One of a game that is not in the journal waits.
    /// If a log cannot be written, the run goes on with a warning.
    pub fn keep(&mut self, watcher: &Watcher<'_>) {
        let come: Vec<PostGameLog> = self
            .early
            .drain(..)
            .chain(self.received.try_iter())
            .collect();
        for post_game_log in come {
            let Some(game) = self.finished.get_mut(&post_game_log.told_id) else {
                self.early.push(post_game_log);
                continue;
            };
            if let Err(error) = add(self.folder, game, &post_game_log) {
                watcher.warn(&format!("what a bot wrote after a game is lost: {error}"));
            }
        }
    }
}

fn add(
    folder: &RunFolder,
    game: &mut LoggedGame,
    post_game_log: &PostGameLog,
) -> Result<(), FolderError> {
    let side = post_game_log.side.index();
    // A process may write when it reads `game-over`, and again when it quits.
    let heading = if std::mem::replace(&mut game.has_heading[side], true) {
        &[]
    } else {
        HEADING
    };
    let room = game.room[side].saturating_sub(heading.len());
    if room == 0 {
        return Ok(());
    }
    let name = format!("{LOGS}/{}.{}.txt", game.id, post_game_log.side);
    let mut log = Vec::new();
    if std::mem::replace(&mut game.has_log[side], true) {
        log = folder.files().read(&name, MOST_MIB).unwrap_or_default();
    }
    log.extend_from_slice(heading);
    // The end says more than the beginning.
    let left_out = post_game_log.text.len().saturating_sub(room);
    let kept = &post_game_log.text[left_out..];
    log.extend_from_slice(kept);
    game.room[side] = room - kept.len();
    folder.write(&name, &log)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_comes_in_pieces_is_below_one_heading_and_within_the_limit() {
        let path = tempfile::tempdir().unwrap();
        let folder = RunFolder::open(path.path()).unwrap();
        let mut game = LoggedGame {
            id: "ada~bob.1.1".to_owned(),
            has_log: [false; 2],
            has_heading: [false; 2],
            room: [HEADING.len() + 12, HEADING.len()],
        };
        for (side, text) in [
            (Side::South, "over\n"),
            (Side::South, "bye bye\n"),
            (Side::South, "more\n"),
            (Side::North, "no room\n"),
        ] {
            let post_game_log = PostGameLog {
                told_id: "1".to_owned(),
                side,
                text: text.into(),
            };
            add(&folder, &mut game, &post_game_log).unwrap();
        }
        let log = folder
            .files()
            .read("logs/ada~bob.1.1.south.txt", 1)
            .unwrap();
        assert_eq!(log, b"\n[after the game]\nover\nye bye\n");
        assert!(!folder.file("logs/ada~bob.1.1.north.txt").exists());
    }
}
