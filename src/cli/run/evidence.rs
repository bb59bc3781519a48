//! What a run keeps of its games beside the journal: the evidence of faults, and logs.

use super::watch::Watcher;
use crate::config::{Logs, Resolved};
use crate::record::GameRecord;
use crate::rules::Side;
use crate::run_folder::evidence::LOGS;
use crate::run_folder::fault_folder::{self, FaultyGame, RunFacts, Used};
use crate::run_folder::{FolderError, RunFolder, admission_folder};
use crate::tournament::Event;
use std::cell::Cell;

/// Keeps what a run has beside its journal.
pub struct EvidenceKeeper<'a> {
    resolved: &'a Resolved,
    folder: &'a RunFolder,
    used: Used,
    /// Whether the folder may have a log.
    has_logs: Cell<bool>,
}

impl<'a> EvidenceKeeper<'a> {
    /// For a run in this folder.
    pub fn new(resolved: &'a Resolved, folder: &'a RunFolder) -> Self {
        let keeps_all = resolved.typed.tournament.logs == Logs::All;
        Self {
            resolved,
            folder,
            used: Used::default(),
            // With all logs, another one writes there what a bot says after its game.
            has_logs: Cell::new(keeps_all || folder.files().is_folder(LOGS)),
        }
    }

    /// Keeps what an event asks for, before it is told. If that fails, the run goes on with a
    /// warning.
    pub fn on_event(&self, event: &Event<'_>, watcher: &Watcher<'_>) {
        let faulty = |record, logs, evidence, examined| FaultyGame {
            record,
            logs: self.wanted(logs),
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
    }

    /// The logs of a game that ended by a fault, if they are to be kept.
    fn wanted<'l>(&self, logs: &'l [Vec<u8>; 2]) -> Option<&'l [Vec<u8>; 2]> {
        (self.resolved.typed.tournament.logs != Logs::None).then_some(logs)
    }

    /// Writes the evidence of a fault. If that fails, the run goes on.
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
    fn keep_logs(&self, record: &GameRecord, logs: &[Vec<u8>; 2]) -> Result<(), FolderError> {
        let wanted = match self.resolved.typed.tournament.logs {
            Logs::All => true,
            // The logs of faults are in their evidence.
            Logs::Faults => record.is_void(),
            Logs::None => false,
        };
        for side in Side::BOTH {
            let log = &logs[side.index()];
            let name = || format!("{LOGS}/{}.{side}.txt", record.id);
            if wanted && !log.is_empty() {
                self.has_logs.set(true);
                self.folder.write(&name(), log)?;
            } else if self.has_logs.get() {
                // One of a void attempt, or of one that a crash kept out of the journal; usually
                // there is none.
                let _ = self.folder.files().remove(name());
            }
        }
        Ok(())
    }
}
