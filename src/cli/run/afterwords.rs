//! Adds what bots wrote after a game to its logs, if all logs are kept.

use super::watch::Watcher;
use crate::bot::Afterword;
use crate::config::{Logs, Resolved};
use crate::files;
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
pub struct Afterwords<'a> {
    resolved: &'a Resolved,
    folder: &'a RunFolder,
    received: Receiver<Afterword>,
    /// The ids of finished games, by the ids that bots were told. This map is only looked up.
    finished: HashMap<String, String>,
    /// Those of games that are not in the journal yet.
    early: Vec<Afterword>,
}

impl<'a> Afterwords<'a> {
    /// Keeps what is sent; `None` for the sender if the logs of a run are not all kept.
    pub fn new(resolved: &'a Resolved, folder: &'a RunFolder) -> (Self, Option<Sender<Afterword>>) {
        let (to, received) = channel();
        let is_kept = resolved.typed.tournament.logs == Logs::All;
        let afterwords = Self {
            resolved,
            folder,
            received,
            finished: HashMap::new(),
            early: Vec::new(),
        };
        (afterwords, is_kept.then_some(to))
    }

    /// Learns of games in the journal, and adds what has come.
    pub fn hear(&mut self, event: &Event<'_>, watcher: &Watcher<'_>) {
        if self.resolved.typed.tournament.logs != Logs::All {
            return;
        }
        if let Event::Finished { record, .. } = event {
            let told_id = self.resolved.plan.told_id(&record.id);
            self.finished.insert(told_id, record.id.to_string());
        }
        self.keep(watcher);
    }

    /// Adds what has come to the logs of its games. One of a game that is not in the journal waits.
    /// If a log cannot be written, the run goes on with a warning.
    pub fn keep(&mut self, watcher: &Watcher<'_>) {
        let come: Vec<Afterword> = self
            .early
            .drain(..)
            .chain(self.received.try_iter())
            .collect();
        for afterword in come {
            let Some(id) = self.finished.get(&afterword.told_id) else {
                self.early.push(afterword);
                continue;
            };
            if let Err(error) = add(self.folder, id, &afterword) {
                watcher.warn(&format!("what a bot wrote after a game is lost: {error}"));
            }
        }
    }
}

fn add(folder: &RunFolder, id: &str, afterword: &Afterword) -> Result<(), FolderError> {
    let name = format!("{LOGS}/{id}.{}.txt", afterword.side);
    // A game without a log has no file yet.
    let mut log = files::read(&folder.file(&name), MOST_MIB).unwrap_or_default();
    log.extend_from_slice(HEADING);
    log.extend_from_slice(&afterword.text);
    folder.write(&name, &log)
}
