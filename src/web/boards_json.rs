//! The boards in play as JSON.

use crate::rules::moves_text;
use crate::tournament::Boards;
use serde_json::{Value, json};
use std::time::Duration;

/// A list of the games in play. Times are in ms.
pub fn boards_json(boards: &Boards) -> Value {
    let (in_play, now) = (boards.in_play(), boards.now());
    let boards = in_play.iter().map(|(slot, board)| {
        let [south, north] = &board.entrants;
        json!({
            "slot": slot,
            "game": board.game,
            "south": south,
            "north": north,
            "start": board.start.to_string(),
            "moves": moves_text(&board.moves),
            "position": board.position.to_string(),
            "banks_ms": board.banks.map(|banks| banks.map(millis)),
            "move_limit_ms": board.move_limit.map(millis),
            "thinking_ms": board.since.map(|since| millis(now.saturating_sub(since))),
        })
    });
    boards.collect()
}

fn millis(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}
