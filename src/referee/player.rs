//! The interface to a player: a trait, its requests and its answers.

use crate::record::{Fault, FaultKind};
use crate::referee::clock::{ClockSettings, Limit};
use crate::referee::delay::HostDelay;
use crate::rules::{GameResult, Pit, PitSet, Position, Preset, RuleSet, Side};
use std::convert::Infallible;
use std::time::Duration;

/// What a player is told of a game before it.
#[derive(Clone, Debug)]
pub struct NewGame<'a> {
    /// The game's id, as text.
    pub game: &'a str,
    /// The player's side.
    pub you: Side,
    /// The opponent's name, unless the tournament is blind.
    pub opponent: Option<&'a str>,
    /// The preset from which the rules were derived.
    pub preset: Preset,
    /// The rules.
    pub rules: &'a RuleSet,
    /// The player's clock, which the referee enforces.
    pub clock: &'a ClockSettings,
    /// A seed for the player's own randomness; below 2^53.
    pub seed: u64,
    /// The position after the opening, South to move.
    pub start: Position,
    /// The moves of the opening as text; `None` if it is a position.
    pub opening: Option<&'a str>,
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
    /// The opponent's last move; `None` on the first turn of a game.
    pub last: Option<LastMove>,
    /// The limit of the turn.
    pub limit: Limit,
    /// The player's clock.
    pub clock: ClockSettings,
    /// The rests of the player's and the opponent's bank, of those that have one.
    pub banks: [Option<Duration>; 2],
}

/// A player's choice in its turn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Choice {
    /// Plays the pit with this number in its row. The referee checks that it exists and is legal.
    Pit {
        /// 0–5 in a correct answer.
        row_index: i64,
        /// The object that came with the move, as JSON text.
        info: Option<String>,
    },
    /// Resigns.
    Resign,
    /// An answer outside the protocol. In time it is a fault of its own; late it is a time-out like
    /// any other late answer.
    Unreadable {
        /// The mistake, for the bot's author.
        reason: String,
    },
}

/// An answer with its times.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// The choice.
    pub choice: Choice,
    /// The wall time from just before the request to the arrival of the answer.
    pub time: Duration,
    /// The part of `time` in which the host kept the player from its processor. No clock charges
    /// it.
    pub preempted: Duration,
    /// CPU time of the player's whole family, if known.
    pub cpu: Option<Duration>,
}

/// Why there is no answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stop {
    /// The player's own fault: it loses.
    Fault(Fault),
    /// The host's failure: no player loses. Contains the cause.
    Void(String),
    /// The host could not start the player, so that there is no game. Contains the cause.
    Unstarted(String),
}

impl Stop {
    /// The same with another fault, if it is one.
    #[must_use]
    pub fn map_fault(self, change: impl FnOnce(Fault) -> Fault) -> Self {
        match self {
            Self::Fault(fault) => Self::Fault(change(fault)),
            not_its_own @ (Self::Void(_) | Self::Unstarted(_)) => not_its_own,
        }
    }

    /// The detail of the fault, or the cause.
    pub fn reason(&self) -> &str {
        match self {
            Self::Fault(fault) => &fault.detail,
            Self::Void(cause) | Self::Unstarted(cause) => cause,
        }
    }

    /// Whether it is about time: the host or the other player may have kept this one from its
    /// processor.
    pub const fn is_of_time(&self) -> bool {
        match self {
            Self::Fault(fault) => {
                matches!(fault.kind, FaultKind::Timeout | FaultKind::StartFailure)
            }
            Self::Void(_) | Self::Unstarted(_) => true,
        }
    }
}

/// The end of a game, as one player is told of it.
#[derive(Clone, Debug)]
pub struct GameOver<'a> {
    /// The result.
    pub result: GameResult,
    /// The ending's name.
    pub reason: &'a str,
    /// Final stores of South and North.
    pub stores: [u8; 2],
    /// The moves after the opening.
    pub moves: &'a [Pit],
}

/// What a player counts in a game, as far as it is known.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PlayerFigures {
    /// How long its preparation took, without the start of a process.
    pub ready_time: Option<Duration>,
    /// CPU time of its whole family in all turns of the other side.
    pub off_turn_cpu: Option<Duration>,
    /// CPU time of its whole family in those turns whose answers have no CPU time of their own;
    /// `None` also if there are none.
    pub cpu_of_short_turns: Option<Duration>,
    /// The longest delay of a wake-up.
    pub host_lateness: Option<Duration>,
    /// What it calls itself, if it has said so since it was last asked. Hostile text.
    pub introduction: Option<String>,
}

/// A player: a process, or a function.
///
/// The referee calls `new_game`, then any number of `turn`, then `game_over`. It polls `freeze`
/// while the other side prepares, and `idle` while the other side is on turn, both only after the
/// other side's future has been polled without an answer. If `idle` ends a game, the side on turn
/// is asked for its `fault_so_far`.
pub trait Player {
    /// Prepares for a game. This costs no game time.
    fn new_game(&mut self, game: &NewGame<'_>) -> impl Future<Output = Result<(), Stop>>;

    /// Answers a turn. A player that enforces its own deadline returns a time-out after
    /// `turn.limit.wall_stop()`; the referee judges the time of every answer all the same.
    fn turn(&mut self, turn: &Turn) -> impl Future<Output = Result<Answer, Stop>>;

    /// Waits, while the other side is on turn, for anything that this player must not do. Does not
    /// return for a player that keeps still. The future may be dropped and called again.
    fn idle(&mut self) -> impl Future<Output = Stop>;

    /// Keeps still while the other side prepares: never returns. The future may be dropped and
    /// called again.
    fn freeze(&mut self) -> impl Future<Output = Infallible> {
        std::future::pending()
    }

    /// The fault or void in this player's present turn, if there is one already: the other side
    /// stopped the game before it could be returned. `None` by default.
    fn fault_so_far(&mut self) -> impl Future<Output = Option<Stop>> {
        std::future::ready(None)
    }

    /// The time that the host took from the last turn, if known. The referee asks only after a
    /// time-out without an answer, or a void.
    fn host_delay(&self) -> Option<HostDelay> {
        None
    }

    /// CPU time of the player's whole family since its last request, if known.
    fn cpu_since_asked(&mut self) -> Option<Duration> {
        None
    }

    /// The fault of a player whose family used too much CPU time in the other side's turn. The
    /// referee asks at the end of each turn of the other side.
    fn busy_off_turn(&mut self) -> impl Future<Output = Option<Fault>> {
        std::future::ready(None)
    }

    /// The fault of a player that holds too many processes. The referee asks after a fault of the
    /// other side, which may have lacked them.
    fn too_many_processes(&self) -> Option<Fault> {
        None
    }

    /// Describes bots of other games that held too many processes since this player's request.
    /// The referee asks after a fault of this player, which may have lacked them.
    fn too_many_elsewhere(&self) -> Option<String> {
        None
    }

    /// What the player counted in this game. The referee asks once, at its end.
    fn take_figures(&mut self) -> PlayerFigures {
        PlayerFigures::default()
    }

    /// Tells the player how the game ended. A player at fault is not told.
    fn game_over(&mut self, end: &GameOver<'_>) -> impl Future<Output = ()>;

    /// Called after this player's fault or a void game: the player must be restarted before its
    /// next game, whatever its state is.
    fn discard(&mut self) -> impl Future<Output = ()>;
}

/// Watches a game. It changes nothing, and the game waits while it looks: it must return at once.
pub trait Spectator: Sync {
    /// The turn of this side begins.
    fn turn(&self, side: Side, turn: &Turn);
}
