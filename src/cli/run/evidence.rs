//! What a run keeps of its games beside the journal: the evidence of faults, and logs, with what
//! bots wrote after their games; and on request the transcripts of all games.

use super::watch::Watcher;
use crate::bot::PostGameLog;
use crate::config::{Logs, Resolved};
use crate::files::Folder;
use crate::record::{Evidence, GameRecord};
use crate::rules::Side;
use crate::run_folder::evidence::{LOGS, transcript_text};
use crate::run_folder::fault_folder::{self, FaultyGame, RunFacts, Used};
use crate::run_folder::{FolderError, RunFolder, admission_folder};
use crate::tournament::Event;
use std::collections::HashMap;
use std::path::Path;
use std::sync::mpsc::{Receiver, Sender, channel};

/// The line before what was written after the game.
const HEADING: &[u8] = b"\n[after the game]\n";
/// The size of a log that is added to, in MiB. The limits of a bot's standard error are far below.
const MOST_MIB: u64 = 64;
/// Bytes of the texts in a transcript of a game.
const MOST_TEXT: usize = 1 << 20;
/// Bytes of all transcripts of a run: a bot that floods must not fill the organiser's disk.
const MOST_TRANSCRIPTS: u64 = 1 << 30;

/// Keeps what a run has beside its journal. If that fails, the run goes on with a warning.
pub struct EvidenceKeeper<'a> {
    resolved: &'a Resolved,
    folder: &'a RunFolder,
    used: Used,
    /// Whether the folder may have a log.
    has_logs: bool,
    /// Bytes that are left for transcripts; counted at the first use.
    room: Option<u64>,
    post_game_logs: Receiver<PostGameLog>,
    /// Those of games that are not in the journal yet.
    early: Vec<PostGameLog>,
    /// The games in the journal, by the ids that bots were told, if their logs can be added to.
    finished: HashMap<String, LoggedGame>,
}

/// A game whose logs can be added to.
struct LoggedGame {
    id: String,
    /// The longest logs of South and North, in bytes.
    longest: [usize; 2],
}

impl<'a> EvidenceKeeper<'a> {
    /// For a run in this folder. What bots write after their games is sent to the sender; `None`
    /// if not all logs are kept.
    pub fn new(
        resolved: &'a Resolved,
        folder: &'a RunFolder,
    ) -> (Self, Option<Sender<PostGameLog>>) {
        let keeps_all = resolved.typed.tournament.logs.are_all();
        let (sender, post_game_logs) = channel();
        let keeper = Self {
            resolved,
            folder,
            used: Used::default(),
            has_logs: keeps_all || folder.files().is_folder(LOGS),
            room: None,
            post_game_logs,
            early: Vec::new(),
            finished: HashMap::new(),
        };
        (keeper, keeps_all.then_some(sender))
    }

    /// Keeps what an event asks for, before the event is told.
    pub fn on_event(&mut self, event: &Event<'_>, watcher: &Watcher<'_>) {
        let logs = self.resolved.typed.tournament.logs;
        let faulty = |record, game_logs, evidence, examined| FaultyGame {
            record,
            logs: (logs != Logs::None).then_some(game_logs),
            evidence,
            examined,
        };
        match event {
            Event::Fault {
                record,
                logs,
                evidence,
            } => self.keep_evidence(&faulty(record, logs, evidence, None), watcher),
            Event::Failed(failed) => {
                let (record, logs) = (&failed.record, &failed.logs);
                let name = &self.resolved.plan.entrants[failed.entrant.index()].name;
                let game = faulty(record, logs, &failed.evidence, Some(name));
                self.keep_evidence(&game, watcher);
            }
            Event::Played { record, evidence } if logs == Logs::Transcript => {
                if let Err(error) = self.keep_transcripts(record, evidence, watcher) {
                    watcher.warn(&format!("the transcript of a game is lost: {error}"));
                }
            }
            Event::Finished { record, logs } => {
                if let Err(error) = self.keep_logs(record, logs) {
                    watcher.warn(&format!("a bot's log is lost: {error}"));
                }
            }
            Event::Examined { admission: it, .. } if it.refusal.is_none() => {
                let evidence = admission_folder(&it.entrant);
                if let Err(error) = self.folder.files().remove(evidence) {
                    watcher.warn(&format!("old evidence of {} is left: {error}", it.entrant));
                }
            }
            _ => {}
        }
        self.keep_post_game_logs(watcher);
    }

    fn keep_evidence(&self, game: &FaultyGame<'_>, watcher: &Watcher<'_>) {
        let facts = RunFacts {
            plan: &self.resolved.plan,
            bot: &|entrant| &self.resolved.entrants[entrant].bot,
            level: self.resolved.level,
            folder: &self.resolved.output,
        };
        if let Err(error) = fault_folder::write(game, &facts, &self.used) {
            watcher.warn(&format!("the evidence of a fault is lost: {error}"));
        }
    }

    /// Writes the logs of a game, if they are to be kept and are not in its evidence.
    fn keep_logs(&mut self, record: &GameRecord, logs: &[Vec<u8>; 2]) -> Result<(), FolderError> {
        let wanted = match self.resolved.typed.tournament.logs {
            Logs::All | Logs::Transcript => true,
            // The logs of faults are in their evidence.
            Logs::Faults => record.is_void(),
            Logs::None => false,
        };
        if self.resolved.typed.tournament.logs.are_all() {
            let game = LoggedGame {
                id: record.id.to_string(),
                longest: record
                    .entrants
                    .each_ref()
                    .map(|name| self.longest_log(name)),
            };
            let told_id = self.resolved.plan.told_id(&record.id);
            self.finished.insert(told_id, game);
        }
        for side in Side::BOTH {
            let log = &logs[side.index()];
            let name = || format!("{LOGS}/{}.{side}.txt", record.id);
            if self.has_logs && self.resolved.typed.tournament.logs != Logs::Transcript {
                // That of an attempt which a crash kept out of the journal.
                let _ = self.folder.files().remove(transcript(record, side));
            }
            if wanted && !log.is_empty() {
                self.has_logs = true;
                self.folder.write(&name(), log)?;
            } else if self.has_logs {
                // One of a void attempt, or of one that a crash kept out of the journal; usually
                // there is none.
                let _ = self.folder.files().remove(name());
            }
        }
        Ok(())
    }

    /// Writes what the bots of a game were sent and answered. Those of a game that is played again
    /// are replaced.
    fn keep_transcripts(
        &mut self,
        record: &GameRecord,
        evidence: &[Evidence; 2],
        watcher: &Watcher<'_>,
    ) -> Result<(), FolderError> {
        let room = self.room.unwrap_or_else(|| {
            MOST_TRANSCRIPTS.saturating_sub(bytes_of_transcripts(self.folder.files()))
        });
        let told_id = self.resolved.plan.told_id(&record.id);
        let texts = evidence
            .each_ref()
            .map(|it| transcript_text(it.transcript.chunks_of(&told_id), MOST_TEXT));
        let bytes = texts.iter().map(|it| it.len() as u64).sum();
        self.room = Some(room.saturating_sub(bytes));
        if room < bytes && room > 0 {
            watcher.warn("no further transcripts are kept: those of this run have taken 1 GiB");
        }
        for (side, text) in Side::BOTH.into_iter().zip(texts) {
            let name = transcript(record, side);
            if room < bytes || text.is_empty() {
                let _ = self.folder.files().remove(name);
            } else {
                self.folder.write(&name, &text)?;
            }
        }
        Ok(())
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

    /// Adds what bots wrote after their games to the logs of these games. One of a game that is not
    /// in the journal waits.
    pub fn keep_post_game_logs(&mut self, watcher: &Watcher<'_>) {
        let waiting = std::mem::take(&mut self.early).into_iter();
        for log in waiting.chain(self.post_game_logs.try_iter()) {
            match self.finished.get(&log.told_id) {
                None => self.early.push(log),
                Some(game) => {
                    if let Err(error) = add(self.folder, game, &log) {
                        watcher.warn(&format!("what a bot wrote after a game is lost: {error}"));
                    }
                }
            }
        }
    }
}

fn transcript(record: &GameRecord, side: Side) -> String {
    format!("{LOGS}/{}.{side}.jsonl", record.id)
}

fn bytes_of_transcripts(run: &Folder) -> u64 {
    let names = run.names(LOGS).unwrap_or_default().into_iter();
    let transcripts = names.filter(|it| Path::new(it).extension() == Some("jsonl".as_ref()));
    let files = transcripts.filter_map(|name| run.file(format!("{LOGS}/{name}")).ok());
    let sizes = files.filter_map(|file| Some(file.metadata().ok()?.len()));
    sizes.sum()
}

/// Adds to a log, which becomes no longer than its limit.
fn add(folder: &RunFolder, game: &LoggedGame, added: &PostGameLog) -> Result<(), FolderError> {
    let name = format!("{LOGS}/{}.{}.txt", game.id, added.side);
    let mut log = folder.files().read(&name, MOST_MIB).unwrap_or_default();
    // A process may write when it reads `game-over`, and again when it quits.
    let has_heading = log.windows(HEADING.len()).any(|it| it == HEADING);
    let heading = if has_heading { &[] } else { HEADING };
    let room = game.longest[added.side.index()].saturating_sub(log.len() + heading.len());
    if room == 0 {
        return Ok(());
    }
    log.extend_from_slice(heading);
    // The end says more than the beginning.
    let left_out = added.text.len().saturating_sub(room);
    log.extend_from_slice(&added.text[left_out..]);
    folder.write(&name, &log)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_comes_in_pieces_is_below_one_heading_and_within_the_limit() {
        let path = tempfile::tempdir().unwrap();
        let folder = RunFolder::open(path.path()).unwrap();
        let game = LoggedGame {
            id: "ada~bob.1.1".to_owned(),
            longest: [HEADING.len() + 12, HEADING.len()],
        };
        for (side, text) in [
            (Side::South, "over\n"),
            (Side::South, "bye bye\n"),
            (Side::South, "more\n"),
            (Side::North, "no room\n"),
        ] {
            let added = PostGameLog {
                told_id: "1".to_owned(),
                side,
                text: text.into(),
            };
            add(&folder, &game, &added).unwrap();
        }
        let log = folder
            .files()
            .read("logs/ada~bob.1.1.south.txt", 1)
            .unwrap();
        assert_eq!(log, b"\n[after the game]\nover\nye bye\n");
        assert!(!folder.file("logs/ada~bob.1.1.north.txt").exists());
    }
}
