//! The record of one game.

use super::fault::{Fault, FaultKind};
use super::game_id::GameId;
use super::void::Void;
use crate::rules::{EndReason, GameResult, Pit, Position, Side};
use std::hash::{DefaultHasher, Hash as _, Hasher as _};

/// One ply: the move and its times.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlyRecord {
    /// The pit that was played.
    pub pit: Pit,
    /// Time from just before the request to the arrival of the answer, in µs.
    pub time_us: u64,
    /// CPU time of the bot's family in that time, in µs, if known. That of a ply which took only a
    /// moment is in the game's `short_cpu_us`.
    pub cpu_us: Option<u64>,
    /// The part of `time_us` in which other programs kept the bot from its processor, in µs. No
    /// clock charges it.
    pub preempted_us: u64,
    /// The `info` object that the bot sent with the move, as JSON text. Hostile text.
    pub info: Option<String>,
}

/// How a game ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum GameEnding {
    /// By the rules.
    Rules(EndReason),
    /// After the configured number of plies: own row each, then seeds.
    Adjudicated,
    /// This side resigned.
    Resignation(Side),
    /// This side's bot was at fault.
    Fault(Side, Fault),
    /// The host disturbed the game: neither side loses, and the game is played again.
    Void(Void),
}

impl GameEnding {
    /// The word of the tables and messages: `majority`, `timeout`, `void`, …
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Rules(reason) => reason.name(),
            Self::Adjudicated => "adjudicated",
            Self::Resignation(_) => "resignation",
            Self::Fault(_, fault) => fault.kind.name(),
            Self::Void(_) => "void",
        }
    }

    /// The winner of a game that ended like this with these final stores; `None` if it is void.
    pub fn result(&self, stores: [u8; 2]) -> Option<GameResult> {
        match self {
            Self::Rules(_) | Self::Adjudicated => Some(GameResult::of_stores(stores)),
            Self::Resignation(loser) | Self::Fault(loser, _) => {
                Some(GameResult::Win(loser.opponent()))
            }
            Self::Void(_) => None,
        }
    }
}

/// The record of a finished game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GameRecord {
    /// Which game of the tournament.
    pub id: GameId,
    /// The attempt: 1, or more if void games were played again.
    pub attempt: u32,
    /// Names of the entrants that were South and North.
    pub entrants: [String; 2],
    /// Number of the opening in the tournament's list, from 1.
    pub opening: u32,
    /// The opening's moves, empty if it was given as a position.
    pub opening_moves: Vec<Pit>,
    /// The position after the opening, with South to move.
    pub start: Position,
    /// The plies after the opening.
    pub plies: Vec<PlyRecord>,
    /// How it ended.
    pub ending: GameEnding,
    /// Final stores of South and North, with the remaining seeds divided as the ending requires.
    pub stores: [u8; 2],
    /// How long South and North took to answer `new-game`, in µs, if known.
    pub ready_us: [Option<u64>; 2],
    /// The longest delay of a wake-up in any of its turns, in µs, if known.
    pub lateness_us: Option<u64>,
    /// CPU time of South's and North's families in all turns of the other side, in µs, if known.
    pub off_turn_us: [Option<u64>; 2],
    /// CPU time of South's and North's families in all their plies without a `cpu_us` of their own,
    /// each with the moment after its answer, in µs, if known.
    pub short_cpu_us: [Option<u64>; 2],
    /// What South's and North's programs called themselves when they were started for this game, as
    /// in `ada v1.2`. Hostile text.
    pub introductions: [Option<String>; 2],
}

impl GameRecord {
    /// The winner, or `None` if the game is void.
    pub fn result(&self) -> Option<GameResult> {
        self.ending.result(self.stores)
    }

    /// Whether the host made the game void.
    pub const fn is_void(&self) -> bool {
        matches!(self.ending, GameEnding::Void(_))
    }

    /// The moves after the opening.
    pub fn moves(&self) -> Vec<Pit> {
        self.plies.iter().map(|ply| ply.pit).collect()
    }

    /// A hash of what was played: the opening, every move and the ending. Two games with equal
    /// hashes and the same entrants on the same sides are the same game twice, and no more evidence
    /// than one. The hash is valid within one run of the program only: never store it.
    pub fn played_hash(&self) -> u64 {
        // Without keys, so that equal games get equal hashes; a collision is of no use to anyone.
        let mut hasher = DefaultHasher::new();
        self.opening.hash(&mut hasher);
        self.start.hash(&mut hasher);
        // A text is hashed many bytes at a time.
        for moves in [&self.opening_moves, &self.moves()] {
            let letters: String = moves.iter().map(|pit| pit.letter()).collect();
            letters.hash(&mut hasher);
        }
        self.ending.name().hash(&mut hasher);
        self.stores.hash(&mut hasher);
        hasher.finish()
    }

    /// How the host disturbed the game, if it did.
    pub const fn void(&self) -> Option<&Void> {
        match &self.ending {
            GameEnding::Void(void) => Some(void),
            _ => None,
        }
    }

    /// The fault that ended the game, and the side at fault.
    pub const fn fault(&self) -> Option<(Side, FaultKind)> {
        match &self.ending {
            GameEnding::Fault(side, fault) => Some((*side, fault.kind)),
            _ => None,
        }
    }

    /// One side's plies. South plays the plies 0, 2, 4, …
    fn plies_of(&self, side: Side) -> impl Iterator<Item = &PlyRecord> {
        self.plies.iter().skip(side.index()).step_by(2)
    }

    /// The times of one side's plies, in µs.
    pub fn times_us(&self, side: Side) -> impl Iterator<Item = u64> + '_ {
        self.plies_of(side).map(|ply| ply.time_us)
    }

    /// The sum of the held-up times of one side's plies, in µs. A journal can claim any time, and
    /// no count of `u64` that fits in memory overflows this sum.
    pub fn preempted_us(&self, side: Side) -> u128 {
        let times = self.plies_of(side).map(|ply| u128::from(ply.preempted_us));
        times.sum()
    }

    /// The number of one side's plies whose CPU time is only known as a sum.
    pub fn short_plies(&self, side: Side) -> usize {
        self.plies_of(side)
            .filter(|ply| ply.cpu_us.is_none())
            .count()
    }

    /// The known CPU times of one side's plies, in µs.
    pub fn cpu_times_us(&self, side: Side) -> impl Iterator<Item = u64> + '_ {
        self.plies_of(side).filter_map(|ply| ply.cpu_us)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_side_that_resigns_loses_with_any_stores() {
        let ending = GameEnding::Resignation(Side::South);
        assert_eq!(ending.result([25, 23]), Some(GameResult::Win(Side::North)));
        assert_eq!(GameEnding::Void(Void::default()).result([25, 0]), None);
    }
}
