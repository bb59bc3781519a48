//! The bot protocol, version 1: JSON lines between referee and bot, both ends. Knows no processes
//! and no deadlines; the referee's side, the house bots and the tests share it.
//!
//! ```text
//! request  what the referee says: hello, new-game, turn, game-over, quit
//! answer   what a bot says: ready, move, resign; read without trusting a byte of it
//! ```
//!
//! `docs/protocol.md` is the reference for authors of bots.

mod answer;
mod request;

pub use answer::{
    AnswerError, BotAnswer, INFO_BYTES, Mistake, Ready, move_line, parse_ready, parse_turn_answer,
    ready_line,
};
pub use request::{
    ClockObject, GameOverRequest, LastObject, NewGameRequest, PROTOCOL, Request, RulesObject,
    TurnClock, TurnRequest,
};
