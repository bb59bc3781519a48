//! The games of a journal, read once. A run that goes on with a journal reads the rest of it when
//! it ends.

use super::game_store::{GameStore, ReadGame};
use crate::tournament::{Entry, JournalError, JournalReader, JournalState, Progress};
use std::io::BufRead;

/// The games of a journal, as far as it was read.
#[derive(Debug, Default)]
pub struct JournalGames {
    state: JournalState,
    store: GameStore,
}

/// Gets an entry and the state after its line.
pub type OnEntry<'t> =
    &'t mut dyn FnMut(&JournalState, &Entry<ReadGame>) -> Result<(), JournalError>;

impl JournalGames {
    /// Reads the lines that were not read yet, up to the last whole one, and passes their entries
    /// to `take`. The bytes are those of the journal from [`JournalGames::bytes_read`] on.
    ///
    /// # Errors
    /// The journal cannot be read; those of `take`.
    pub fn read_on(&mut self, bytes: impl BufRead, take: OnEntry<'_>) -> Result<(), JournalError> {
        let mut reader = JournalReader::going_on(bytes, std::mem::take(&mut self.state));
        let read = reader.read_all(&|record| ReadGame::of(&record), &mut |state, entry| {
            let entry = entry?;
            take(state, &entry)?;
            if let Entry::Game(game) = &entry {
                self.store.add(&game.summary);
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

    /// All games, in the order of the schedule.
    pub const fn store(&self) -> &GameStore {
        &self.store
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
