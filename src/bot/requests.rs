//! The referee's questions as messages of the protocol, and what an answer means for it.

use crate::protocol::{
    AnswerError, BotAnswer, ClockObject, GameOverRequest, LastObject, NewGameRequest, RulesObject,
    TurnClock, TurnLine,
};
use crate::record::{Fault, FaultKind};
use crate::referee::{Choice, GameOver, NewGame, Stop, Turn};
use crate::rules::{GameResult, Side, moves_text};
use std::time::Duration;

/// Whole ms, rounded down.
fn ms(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

/// The message that tells a bot of a new game.
pub fn new_game_request(game: &NewGame<'_>) -> NewGameRequest {
    let clock = game.clock;
    let increment = Some(clock.increment).filter(|increment| !increment.is_zero());
    NewGameRequest {
        game: game.game.to_owned(),
        you: game.you.name().to_owned(),
        opponent: game.opponent.map(str::to_owned),
        rules: RulesObject {
            preset: game.preset.name().to_owned(),
            rules: *game.rules,
        },
        clock: ClockObject {
            move_ms: clock.move_limit.map(ms),
            bank_ms: clock.bank.map(ms),
            increment_ms: increment.map(ms),
            nodes: clock.nodes,
        },
        seed: game.seed,
        start: game.start.to_string(),
        opening: game.opening.map(str::to_owned),
    }
}

/// The message that asks a bot for its move.
pub fn turn_line(turn: &Turn) -> TurnLine {
    let [own, opponents] = turn.banks.map(|bank| bank.map(ms));
    TurnLine {
        turn: turn.turn,
        position: turn.position,
        legal: turn.legal,
        last: turn.last.map(|last| LastObject {
            pit: last.pit.row_index(),
            captured: last.captured,
        }),
        clock: TurnClock {
            move_ms: turn.clock.move_limit.map(ms),
            own_ms: own,
            opponent_ms: opponents,
            increment_ms: own.map(|_| ms(turn.clock.increment)),
            nodes: turn.clock.nodes,
        },
    }
}

fn seen_from(side: Side, [south, north]: [u8; 2]) -> [u8; 2] {
    match side {
        Side::South => [south, north],
        Side::North => [north, south],
    }
}

/// The message that tells the bot on this side how its game ended.
pub fn game_over_request(end: &GameOver<'_>, side: Side) -> GameOverRequest {
    let result = match end.result {
        GameResult::Win(winner) if winner == side => "win",
        GameResult::Win(_) => "loss",
        GameResult::Draw => "draw",
    };
    GameOverRequest {
        result: result.to_owned(),
        reason: end.reason.to_owned(),
        stores: seen_from(side, end.stores),
        moves: moves_text(end.moves),
    }
}

/// The choice of a bot that has answered a turn.
pub fn choice(answer: BotAnswer) -> Choice {
    match answer {
        BotAnswer::Move { pit, info, .. } => Choice::Pit {
            row_index: pit,
            info,
        },
        BotAnswer::Resign => Choice::Resign,
    }
}

/// The fault of a line that is no answer.
pub fn bad_output(error: &AnswerError) -> Stop {
    Stop::Fault(Fault::new(FaultKind::BadOutput, error.to_string()))
}
