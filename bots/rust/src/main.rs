//! A starter bot for awalé. Copy the folder, change `choose`, and enter it into a tournament.
//!
//! The referee writes one JSON object per line to our standard input. We answer three kinds of
//! message, each with one line on standard output. Debug text belongs on standard error:
//! `eprintln!("…")`. A second line on standard output would lose the game.

use std::io;

use serde_json::{Value, json};

/// Dice that new-game gives a seed, so that the same games can be played again.
struct Dice(u64);

impl Dice {
    /// A random number below `sides`.
    fn roll(&mut self, sides: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        (self.0 >> 33) as usize % sides
    }
}

/// How many seeds a move takes from the opponent's row (pits 6 to 11).
fn captured(mut board: [u8; 12], pit: usize) -> u8 {
    let mut seeds = std::mem::take(&mut board[pit]);
    let mut at = pit;
    while seeds > 0 {
        at = (at + 1) % 12;
        // The pit we sow from is left out on every lap.
        if at != pit {
            board[at] += 1;
            seeds -= 1;
        }
    }
    let mut taken = 0;
    // Backward while the capture goes on.
    while at >= 6 && matches!(board[at], 2 | 3) {
        taken += board[at];
        at -= 1;
    }
    // The whole row would be a grand slam, which takes nothing by most rule sets: docs/rules.md.
    let row: u8 = board[6..].iter().sum();
    if taken == row { 0 } else { taken }
}

/// Returns the pit to play. YOUR IDEA GOES HERE.
///
/// * `board`: 12 numbers seen from our side: 0–5 are our pits in sowing order, 6–11 theirs
/// * `legal`: the pits we may play
///
/// The message says more, such as `message["stores"]`: `answer_turn` can hand it on.
fn choose(board: [u8; 12], legal: &[usize], dice: &mut Dice) -> usize {
    let most = legal.iter().map(|&pit| captured(board, pit)).max();
    let best: Vec<usize> = legal
        .iter()
        .copied()
        .filter(|&pit| Some(captured(board, pit)) == most)
        .collect();
    best[dice.roll(best.len())]
}

/// The move in answer to a `turn`; nothing if its board or legal pits cannot be read.
fn answer_turn(message: &Value, dice: &mut Dice) -> Option<Value> {
    let board: [u8; 12] = serde_json::from_value(message["board"].clone()).ok()?;
    let legal: Vec<usize> = serde_json::from_value(message["legal"].clone()).ok()?;
    Some(json!({"type": "move", "pit": choose(board, &legal, dice)}))
}

fn main() {
    let mut dice = Dice(0);
    for line in io::stdin().lines() {
        let line = line.expect("standard input is readable");
        let message: Value = serde_json::from_str(&line).expect("the referee writes JSON");
        let answer = match message["type"].as_str() {
            // Once, when the program starts.
            Some("hello") => Some(json!({"type": "ready", "name": "my-bot", "version": "1.0"})),
            // Forget the last game here.
            Some("new-game") => {
                dice = Dice(message["seed"].as_u64().unwrap_or(0));
                Some(json!({"type": "ready"}))
            }
            Some("turn") => answer_turn(&message, &mut dice),
            Some("quit") => break,
            // No answer to game-over, nor to a kind that a later version of the protocol may add.
            _ => None,
        };
        if let Some(answer) = answer {
            println!("{answer}"); // Rust sends its standard output at every end of line: no flush
        }
    }
}
