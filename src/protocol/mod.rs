//! Both ends of the bot protocol, version 1: JSON lines between referee and bot. This room knows no
//! processes and no deadlines; the referee, the house bots and the tests share it.
//!
//! ```text
//! request  the referee's messages: hello, new-game, turn, game-over, quit
//! turn_line  the message `turn`, written without allocation
//! answer   the bot's messages: ready, move, resign; no byte of them is trusted
//! ```
//!
//! `docs/protocol.md` is the reference for authors of bots.

mod answer;
mod request;
mod turn_line;

pub use answer::{
    AnswerError, BotAnswer, INFO_BYTES, Ready, move_line, parse_ready, parse_turn_answer,
    ready_line,
};
pub use request::{
    ClockObject, GameOverRequest, LastObject, NewGameRequest, PROTOCOL, Request, RulesObject,
    TurnClock, TurnRequest,
};
pub use turn_line::TurnLine;
