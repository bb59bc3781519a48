//! The games of a journal, read once. A run that goes on with a journal reads the rest of it when
//! it ends. After a change of the plan, games of earlier revisions that no longer count are left
//! out.

use super::game_store::{GameStore, ReadGame};
use crate::record::GameRecord;
use crate::tournament::{Entry, JournalError, JournalReader, JournalState, Plan, Progress, label};
use std::collections::BTreeMap;
use std::io::BufRead;

/// The games of a journal, as far as it was read.
#[derive(Debug, Default)]
pub struct JournalGames {
    state: JournalState,
    store: GameStore,
    /// The number of games that do not count.
    superseded: usize,
    /// The revision in which each entrant was examined, by its label.
    examined: BTreeMap<String, u32>,
}

/// Gets an entry and the state after its line.
pub type OnEntry<'t> =
    &'t mut dyn FnMut(&JournalState, &Entry<ReadGame>) -> Result<(), JournalError>;

impl JournalGames {
    /// The games that count for this plan, which need not be the journal's last one.
    pub fn counting_for(plan: &Plan) -> Self {
        Self {
            state: JournalState::default().counting_for(plan),
            ..Self::default()
        }
    }

    /// Reads the lines that were not read yet, up to the last whole one, and passes their entries
    /// to `take`, if they count. The bytes are those of the journal from
    /// [`JournalGames::bytes_read`] on.
    ///
    /// # Errors
    /// The journal cannot be read; those of `take`.
    pub fn read_on(&mut self, bytes: impl BufRead, take: OnEntry<'_>) -> Result<(), JournalError> {
        let mut reader = JournalReader::going_on(bytes, std::mem::take(&mut self.state));
        let keep = |record: Box<GameRecord>| ReadGame::of(&record);
        let read = reader.read_all(&keep, &mut |state, entry| {
            let (entry, revision) = (entry?, state.revision());
            let counts = state.counts(&entry);
            if counts {
                take(state, &entry)?;
            }
            if let Entry::Game(game) = &entry {
                self.store.note_introductions(game, counts);
            }
            match &entry {
                Entry::Game(game) if counts => self.store.add(&game.summary, revision),
                Entry::Game(_) => self.superseded += 1,
                Entry::Admission(admission) if counts => {
                    self.examined.insert(label(&admission.entrant), revision);
                }
                _ => {}
            }
            Ok(())
        });
        self.state = reader.into_state();
        self.store.sort();
        read
    }

    /// The bytes of the lines that were read.
    pub const fn bytes_read(&self) -> u64 {
        self.state.text().whole_bytes
    }

    /// What is known after the last line that was read.
    pub const fn state(&self) -> &JournalState {
        &self.state
    }

    /// The games that count, in the order of the schedule.
    pub const fn store(&self) -> &GameStore {
        &self.store
    }

    /// Whether the journal has no game.
    pub const fn is_empty(&self) -> bool {
        self.store.is_empty() && self.superseded == 0
    }

    /// The revision of the plan in which the entrant with this label was examined last, if that
    /// counts.
    pub fn examined(&self, label: &str) -> Option<u32> {
        self.examined.get(label).copied()
    }
}

/// Notes an entry of a journal.
pub fn note(progress: &mut Progress, entry: &Entry<ReadGame>) {
    match entry {
        Entry::Game(game) => progress.note_game(&game.summary.id, &game.noted),
        Entry::Admission(admission) => progress.note_admission(admission),
        Entry::Withdrawal(withdrawal) => progress.note_withdrawal(withdrawal),
    }
}
