//! What a run keeps of its games beside the journal: the evidence of faults, and logs.

use super::admission::drop_evidence;
use super::watch::Watcher;
use crate::config::{Logs, Resolved};
use crate::record::GameRecord;
use crate::rules::Side;
use crate::run_folder::evidence::LOGS;
use crate::run_folder::fault_folder::{self, FaultyGame, RunFacts, Used};
use crate::run_folder::{FolderError, RunFolder};
use crate::tournament::Event;
use std::fs;

/// Keeps what an event asks for, before it is told. If that fails, the run goes on with a warning.
pub fn keep_evidence_of(
    event: &Event<'_>,
    resolved: &Resolved,
    used: &Used,
    (folder, watcher): (&RunFolder, &Watcher<'_>),
) {
    let faulty = |record, logs, evidence, examined| FaultyGame {
        record,
        logs: wanted(logs, resolved),
        evidence,
        examined,
    };
    match event {
        Event::Fault {
            record,
            logs,
            evidence,
        } => keep_evidence(
            &faulty(record, logs, evidence, None),
            resolved,
            used,
            watcher,
        ),
        Event::Failed(failed) => {
            let (record, logs) = (&failed.record, &failed.logs);
            let name = &resolved.plan.entrants[failed.entrant.index()].name;
            let game = faulty(record, logs, &failed.evidence, Some(name));
            keep_evidence(&game, resolved, used, watcher);
        }
        Event::Finished { record, logs } => {
            if let Err(error) = keep_logs((record, logs), resolved, folder) {
                watcher.warn(&format!("a bot's log is lost: {error}"));
            }
        }
        Event::Examined { admission: it, .. } if it.refusal.is_none() => {
            if let Err(error) = drop_evidence(&it.entrant, resolved) {
                watcher.warn(&format!("old evidence of {} is left: {error}", it.entrant));
            }
        }
        _ => {}
    }
}

/// The logs of a game that ended by a fault, if they are to be kept.
fn wanted<'l>(logs: &'l [Vec<u8>; 2], resolved: &Resolved) -> Option<&'l [Vec<u8>; 2]> {
    (resolved.typed.tournament.logs != Logs::None).then_some(logs)
}

/// Writes the evidence of a fault. If that fails, the run goes on.
fn keep_evidence(game: &FaultyGame<'_>, resolved: &Resolved, used: &Used, watcher: &Watcher<'_>) {
    let facts = RunFacts {
        plan: &resolved.plan,
        bot: &|entrant| &resolved.entrants[entrant].bot,
        level: resolved.level,
        folder: &resolved.output,
    };
    if let Err(error) = fault_folder::write(game, &facts, used) {
        watcher.warn(&format!("the evidence of a fault is lost: {error}"));
    }
}

/// Writes the logs of a game, if they are to be kept and are not in its evidence.
fn keep_logs(
    (record, logs): (&GameRecord, &[Vec<u8>; 2]),
    resolved: &Resolved,
    folder: &RunFolder,
) -> Result<(), FolderError> {
    let wanted = match resolved.typed.tournament.logs {
        Logs::All => true,
        // The logs of faults are in their evidence.
        Logs::Faults => record.is_void(),
        Logs::None => false,
    };
    for side in Side::BOTH {
        let log = &logs[side.index()];
        let name = format!("{LOGS}/{}.{side}.txt", record.id);
        if wanted && !log.is_empty() {
            folder.write(&name, log)?;
        } else {
            // One of an attempt that a crash kept out of the journal; usually there is none.
            let _ = fs::remove_file(folder.file(&name));
        }
    }
    Ok(())
}
