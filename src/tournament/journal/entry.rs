//! A line of a journal after the first.

use crate::record::{Admission, GameId, GameRecord, Withdrawal};

/// A line of a journal after the first. A game is its record, or what a reader keeps of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Entry<G = Box<GameRecord>> {
    /// A finished game.
    Game(G),
    /// The result of an entrant's examination.
    Admission(Admission),
    /// The withdrawal of an entrant.
    Withdrawal(Withdrawal),
}

/// A game as a reader keeps it. Its place in the schedule is found after its line was parsed.
pub trait IdentifiedGame {
    /// Its id.
    fn id(&self) -> &GameId;

    /// Its id, for writing.
    fn id_mut(&mut self) -> &mut GameId;

    /// South and North.
    fn entrants(&self) -> &[String; 2];
}

impl IdentifiedGame for Box<GameRecord> {
    fn id(&self) -> &GameId {
        &self.id
    }

    fn id_mut(&mut self) -> &mut GameId {
        &mut self.id
    }

    fn entrants(&self) -> &[String; 2] {
        &self.entrants
    }
}
