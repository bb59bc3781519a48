//! The referee: one game between two players is a function of the players and the settings.
//!
//! Knows no processes, no JSON, no ratings, and never looks at a clock itself: the time that a
//! player used arrives with its answer.
//!
//! ```text
//! player  Player: the interface to a player; what is asked, what is answered
//! clock   what a player may use, and what is left
//! delay   what the host took from a turn, and when that excuses a time-out
//! disturbed  which silence is void, and what is known of a void
//! game    play_game
//! ```

mod clock;
mod delay;
mod disturbed;
mod game;
mod player;

pub use clock::{Clock, ClockError, ClockSettings, Judged, Limit, Measure};
pub use delay::{HostDelay, Scheduled, Stolen};
pub use game::{GameSetup, PlayedGame, play_game};
pub use player::{Answer, Choice, GameOver, LastMove, NewGame, Player, Stop, Turn};
