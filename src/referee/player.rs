//! The interface to a player: a trait, what is asked through it, what comes back.

use super::clock::{ClockSettings, Limit};
use super::delay::HostDelay;
use crate::record::{Fault, FaultKind};
use crate::rules::{GameResult, Pit, PitSet, Position, Preset, RuleSet, Side};
use std::time::Duration;

/// What a player is told before a game.
#[derive(Clone, Debug)]
pub struct NewGame<'a> {
    /// The game's id, as text.
    pub game: &'a str,
    /// Which side the player has.
    pub you: Side,
    /// The opponent's name, unless the tournament is blind.
    pub opponent: Option<&'a str>,
    /// The preset that the rules started from.
    pub preset: Preset,
    /// The rules.
    pub rules: &'a RuleSet,
    /// What will be enforced.
    pub clock: &'a ClockSettings,
    /// For the player's own randomness; below 2^53.
    pub seed: u64,
    /// The position after the opening, South to move.
    pub start: Position,
}

/// The move before this turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LastMove {
    /// The opponent's pit.
    pub pit: Pit,
    /// Seeds that it captured.
    pub captured: u8,
}

/// A request for a move.
#[derive(Clone, Copy, Debug)]
pub struct Turn {
    /// Ply number in this game, from 0.
    pub turn: u32,
    /// The position, the player to move.
    pub position: Position,
    /// The legal moves, at least one.
    pub legal: PitSet,
    /// The opponent's last move; none on the first turn of a game.
    pub last: Option<LastMove>,
    /// What the turn may take.
    pub limit: Limit,
    /// Limit of each move, if there is one.
    pub move_limit: Option<Duration>,
    /// What is left of the player's and the opponent's bank, with a game clock.
    pub banks: Option<[Duration; 2]>,
    /// Added to a bank after each move.
    pub increment: Duration,
}

/// What a player does with its turn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Choice {
    /// Plays the pit with this number in its row; whether there is such a pit, and whether it
    /// is legal, the referee judges.
    Pit {
        /// 0–5 if the player is sane.
        row_index: i64,
        /// The object that came with the move, as JSON text.
        info: Option<String>,
    },
    /// Gives the game up.
    Resign,
    /// Says nothing that the protocol knows. In time it is a fault; late it is a time-out like
    /// any other late answer.
    Unreadable {
        /// What is wrong with it, in words for the bot's author.
        reason: String,
    },
}

/// An answer and the time from just before the request to its arrival.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// What the player does.
    pub choice: Choice,
    /// What it took, on the wall's clock.
    pub time: Duration,
    /// The part of `time` that the host kept the player from its processor: no clock charges it.
    pub held_up: Duration,
    /// What it took of CPU time, the player's whole family counted; if that is known.
    pub cpu: Option<Duration>,
}

/// Why there is no answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stop {
    /// The player's own fault: it loses.
    Fault(Fault),
    /// The host's: no player loses. Says what happened.
    Void(String),
    /// The same: the host had nothing left to start the player with. The other player may hold it.
    Exhausted(String),
}

impl Stop {
    /// Whether it is about time: the host, or the other player, may have kept this one from its
    /// processor.
    pub const fn is_of_time(&self) -> bool {
        match self {
            Self::Fault(fault) => {
                matches!(fault.kind, FaultKind::Timeout | FaultKind::StartFailure)
            }
            Self::Void(_) | Self::Exhausted(_) => true,
        }
    }
}

/// The end of a game, as one player is told it.
#[derive(Clone, Debug)]
pub struct GameOver<'a> {
    /// Who won.
    pub result: GameResult,
    /// The ending's name.
    pub reason: &'a str,
    /// Final stores of South and North.
    pub stores: [u8; 2],
    /// The moves after the opening.
    pub moves: &'a [Pit],
}

/// A player: a process, or a function.
///
/// The referee calls `new_game`, then any number of `turn`, then `game_over`, and polls `idle`
/// while the other side is on turn; if that ends a game, the side on turn is asked for its
/// `fault_so_far`.
pub trait Player {
    /// Prepares for a game. Costs no game time.
    fn new_game(&mut self, game: &NewGame<'_>) -> impl Future<Output = Result<(), Stop>>;

    /// How long the last successful preparation took, as far as this player knows: the start of a
    /// process does not count.
    fn ready_time(&self) -> Option<Duration> {
        None
    }

    /// Answers a turn. A player that enforces its own deadline stops with a timeout after
    /// `turn.limit.wall_stop()`; the referee judges the time of an answer all the same.
    fn turn(&mut self, turn: &Turn) -> impl Future<Output = Result<Answer, Stop>>;

    /// Waits, while the other side is on turn, for something that this player must not do. Never
    /// ends for a player that keeps still; may be dropped and called again at any time.
    fn idle(&mut self) -> impl Future<Output = Stop>;

    /// What has already gone wrong with the turn that this player was asked for, if anything: the
    /// other side stopped the game before it could be told. Nothing, unless a player knows better.
    fn fault_so_far(&mut self) -> impl Future<Output = Option<Stop>> {
        std::future::ready(None)
    }

    /// What the host took from the last turn, as far as this player knows. Asked only after a
    /// time-out without an answer, or a void.
    fn host_delay(&self) -> Option<HostDelay> {
        None
    }

    /// CPU time that the player's whole family used since it was last asked something, if
    /// that is known.
    fn cpu_since_asked(&mut self) -> Option<Duration> {
        None
    }

    /// The fault of a player whose family used the processor in the other side's turn, beyond what
    /// is allowed. Asked at the end of each turn of the other side.
    fn busy_off_turn(&mut self) -> impl Future<Output = Option<Fault>> {
        std::future::ready(None)
    }

    /// The fault of a player that holds more processes than it may. Asked when the other side went
    /// wrong, which may have lacked them.
    fn too_many_processes(&self) -> Option<Fault> {
        None
    }

    /// The bots of other games that held more processes than they may since this player was asked,
    /// in words. Asked when this player went wrong, which may have lacked them.
    fn too_many_elsewhere(&self) -> Option<String> {
        None
    }

    /// CPU time that the player's whole family used in all turns of the other side in this game, if
    /// that is known.
    fn off_turn_cpu(&self) -> Option<Duration> {
        None
    }

    /// How late the host was at the latest in this game, as far as this player noticed.
    fn host_lateness(&self) -> Option<Duration> {
        None
    }

    /// Hears how the game ended. A player that was at fault hears nothing.
    fn game_over(&mut self, end: &GameOver<'_>) -> impl Future<Output = ()>;

    /// The game was stopped by this player's fault, or is void: whatever state the player is in, it
    /// must start anew before its next game.
    fn discard(&mut self) -> impl Future<Output = ()>;
}
