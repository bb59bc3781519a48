//! What is found out about a game by itself. It depends on no other game, so it is done on the
//! threads that parse the journal.

use super::copies::TimesEvidence;
use super::findings::Check;
use super::game::{GameTerms, play_again};
use crate::record::{GameId, GameRecord};
use crate::run_folder::ReadGame;
use crate::tournament::IdentifiedGame;

/// A game of the journal after the checks that need no other game.
pub struct CheckedGame {
    pub game: ReadGame,
    pub times: TimesEvidence,
    /// What the rules and the clock forbid.
    pub problems: Vec<(Check, String)>,
    /// The record of a game that ended by a fault, which its evidence is compared with.
    pub faulty: Option<Box<GameRecord>>,
}

impl CheckedGame {
    /// Replays a game under these terms, if they are known.
    pub fn of(record: Box<GameRecord>, terms: Option<GameTerms<'_>>) -> Self {
        let mut problems = Vec::new();
        if let Some(terms) = terms {
            play_again(terms, &record, &mut |check, message| {
                problems.push((check, message.to_owned()));
            });
        }
        Self {
            game: ReadGame::of(&record),
            times: TimesEvidence::of(&record),
            problems,
            faulty: record.fault().is_some().then_some(record),
        }
    }
}

impl IdentifiedGame for CheckedGame {
    fn id(&self) -> &GameId {
        self.game.id()
    }

    fn id_mut(&mut self) -> &mut GameId {
        self.game.id_mut()
    }

    fn entrants(&self) -> &[String; 2] {
        self.game.entrants()
    }
}
