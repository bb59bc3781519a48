//! Hand-made records for tests.

use super::{Fault, FaultKind, GameEnding, GameRecord, PlyRecord};
use crate::rules::{EndReason, Pit, Position, Side};

/// Names in the form of a tournament.
pub(crate) fn names(names: &[&str]) -> Vec<String> {
    names.iter().map(|&name| name.to_owned()).collect()
}

/// A game that was decided by seeds, with these final stores and without plies.
pub(crate) fn game(id: &str, [south, north]: [&str; 2], stores: [u8; 2]) -> GameRecord {
    GameRecord {
        id: id.parse().expect("an id"),
        attempt: 1,
        entrants: [south.to_owned(), north.to_owned()],
        opening: 1,
        opening_moves: Vec::new(),
        start: Position::START,
        plies: Vec::new(),
        ending: GameEnding::Rules(EndReason::NoMove),
        stores,
        ready_us: [None; 2],
        lateness_us: None,
        off_turn_us: [None; 2],
        short_cpu_us: [None; 2],
        introductions: Default::default(),
        at: None,
    }
}

impl GameRecord {
    /// The same game with another ending.
    pub(crate) fn ended(self, ending: GameEnding) -> Self {
        Self { ending, ..self }
    }

    /// The same game, lost by a fault.
    pub(crate) fn faulted(self, side: Side, kind: FaultKind) -> Self {
        self.ended(GameEnding::Fault(side, Fault::new(kind, "").after(9_999)))
    }

    /// The same game with these moves, which took these times in µs.
    pub(crate) fn with_plies(self, moves: &str, times_us: &[u64]) -> Self {
        assert_eq!(moves.len(), times_us.len(), "a time for each move");
        let plies = moves
            .chars()
            .zip(times_us)
            .map(|(letter, &time_us)| PlyRecord {
                pit: Pit::from_letter(letter).expect("a pit"),
                time_us,
                cpu_us: None,
                preempted_us: 0,
                info: None,
            })
            .collect();
        Self { plies, ..self }
    }

    /// The same game with these CPU times of its moves, in µs.
    pub(crate) fn with_cpu_times(mut self, times: &[Option<u64>]) -> Self {
        for (ply, cpu_us) in self.plies.iter_mut().zip(times) {
            ply.cpu_us = *cpu_us;
        }
        self
    }

    /// The same game with these times of getting ready, in µs.
    pub(crate) fn with_ready_times(self, ready_us: [Option<u64>; 2]) -> Self {
        Self { ready_us, ..self }
    }

    /// The same game on a host that was late by this time, in µs.
    pub(crate) fn with_lateness(self, late_us: u64) -> Self {
        Self {
            lateness_us: Some(late_us),
            ..self
        }
    }
}
