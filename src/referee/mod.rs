//! The referee: a game between two players is a function of the players and the settings.
//!
//! The referee knows no processes, no JSON and no ratings, and never reads a clock: the time of an
//! answer arrives with the answer.
//!
//! ```text
//! player  Player: the interface to a player; requests and answers
//! clock   limits, banks, and what is left of them
//! agreement  whether both bots say how a game will end
//! delay   the time that the host took from a turn, and when that excuses a time-out
//! disturbed  which silence is void, and what is recorded of a void
//! endgame  whether perfect play decides a game from here on
//! game    play_game
//! ```

mod agreement;
mod clock;
mod delay;
mod disturbed;
mod endgame;
mod game;
mod player;

pub use agreement::{Agreement, AgreementTerms, DrawTerms, ResignTerms};
pub use clock::{Clock, ClockError, ClockSettings, Judged, Limit, Measure, time_as_text};
pub use delay::{HostDelay, Scheduled, Stolen};
pub use endgame::{EndgameJudge, is_solved};
pub use game::{GameSetup, PlayedGame, lost_game, play_game, play_watched_game};
pub use player::{
    Answer, Choice, GameOver, LastMove, NewGame, Player, PlayerFigures, Spectator, Stop, Turn,
};
