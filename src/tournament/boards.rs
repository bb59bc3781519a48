//! The boards in play: what every slot plays at this moment, for those who watch a run.
//!
//! A slot writes to a board of its own at each turn. It never waits for a reader for longer than
//! that takes to copy one board.

use crate::referee::{Spectator, Turn};
use crate::rules::{Pit, Position, Side};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// A game while it is played.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BoardInPlay {
    /// The game's id.
    pub game: String,
    /// The entrants that play South and North.
    pub entrants: [String; 2],
    /// The position after the opening.
    pub start: Position,
    /// The moves so far.
    pub moves: Vec<Pit>,
    /// The position now, with the side on turn.
    pub position: Position,
    /// What South and North had left in their banks when the turn began, with a game clock.
    pub banks: [Option<Duration>; 2],
    /// The limits of each move of South and North, if there are any.
    pub move_limits: [Option<Duration>; 2],
    /// When the turn began; `None` while the bots get ready.
    pub since: Option<Instant>,
}

/// The boards of all slots.
#[derive(Debug)]
pub struct Boards(Vec<Mutex<Option<BoardInPlay>>>);

impl Boards {
    /// The boards of this many slots, on which nothing is played yet.
    pub fn new(slots: usize) -> Self {
        Self((0..slots).map(|_| Mutex::default()).collect())
    }

    /// The games in play, with the numbers of their slots, from 0.
    pub fn in_play(&self) -> Vec<(usize, BoardInPlay)> {
        let boards = self.0.iter().enumerate();
        let boards = boards.map(|(slot, board)| Some((slot, locked(board).clone()?)));
        boards.flatten().collect()
    }

    /// The board of a slot, on which this game begins.
    pub(super) fn begin(&self, slot: u32, game: BoardInPlay) -> Option<Board<'_>> {
        let board = self.0.get(slot as usize)?;
        *locked(board) = Some(game);
        Some(Board { board })
    }
}

/// The board of a slot. It is cleared when it is dropped.
pub(super) struct Board<'a> {
    board: &'a Mutex<Option<BoardInPlay>>,
}

impl Spectator for Board<'_> {
    fn turn(&self, side: Side, turn: &Turn) {
        let mut board = locked(self.board);
        let Some(game) = board.as_mut() else {
            return;
        };
        game.moves.extend(turn.last.map(|last| last.pit));
        game.position = turn.position;
        game.banks = turn.banks;
        if side == Side::North {
            game.banks.reverse();
        }
        game.since = Some(Instant::now());
    }
}

impl Drop for Board<'_> {
    fn drop(&mut self) {
        *locked(self.board) = None;
    }
}

/// A board is whole even if a thread panicked while it had it.
fn locked(board: &Mutex<Option<BoardInPlay>>) -> MutexGuard<'_, Option<BoardInPlay>> {
    board.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::{Game, RuleSet};
    use crate::tournament::{
        InProcess, Journal, Openings, Plan, Progress, RunDocument, RunSettings, RunSetup, Schedule,
        Secret, run_to_end,
    };
    use std::sync::atomic::{AtomicUsize, Ordering};

    /// Every bot looks at the boards in its turn: its own game must be there as it is.
    #[test]
    fn the_boards_show_what_is_played() {
        let plan = Plan::round_robin(["ada", "bob", "cyd"], 4, Secret::from_bytes([5; 32]));
        let (schedule, openings) = (Schedule::new(&plan), Openings::of(&plan).unwrap());
        let boards = Boards::new(2);
        let (seen, missing) = (AtomicUsize::new(0), AtomicUsize::new(0));
        let look = |turn: &Turn| {
            let shown = boards.in_play();
            let own = shown.iter().find(|(_, it)| {
                it.position == turn.position && it.moves.len() == turn.turn as usize
            });
            match own {
                Some((_, game)) => {
                    assert_eq!(replayed(game, plan.rules), turn.position);
                    assert!(game.since.is_some());
                    seen.fetch_add(1, Ordering::Relaxed)
                }
                None => missing.fetch_add(1, Ordering::Relaxed),
            };
            turn.legal.iter().next().unwrap()
        };
        let setup = RunSetup {
            slots: vec![Vec::new(); 2],
            boards: Some(&boards),
            ..RunSetup::new(&plan, &schedule, &openings)
        };
        let run = RunDocument::new(plan.clone(), RunSettings::default());
        let mut journal = Journal::begin(Vec::new(), &run).unwrap();
        let factory = InProcess::new([look; 3]);
        run_to_end(&setup, &factory, &mut journal, Progress::default()).unwrap();
        assert!(seen.into_inner() > 100);
        assert_eq!(missing.into_inner(), 0);
        assert_eq!(boards.in_play(), []);
    }

    fn replayed(game: &BoardInPlay, rules: RuleSet) -> Position {
        let mut replay = Game::new(rules, game.start);
        for pit in &game.moves {
            replay.play(*pit).unwrap();
        }
        replay.position()
    }
}
