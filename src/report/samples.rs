//! Positions of games with what became of them, to train evaluations with.

use crate::record::GameRecord;
use crate::rules::{Game, GameResult, PlayError, RuleSet, Side};
use serde::{Deserialize, Serialize};

/// A position of a game, seen by the side that is to move. `docs/export.md` describes the columns.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
pub struct Sample {
    /// The id of the game.
    pub game: String,
    /// The plies before it, without those of the opening.
    pub ply: usize,
    /// The position.
    pub position: String,
    /// The side to move.
    pub side: String,
    /// The move that was played.
    pub r#move: String,
    /// The score by the bot that is to move, in seeds for a bot that keeps to the protocol.
    pub score: Option<f64>,
    /// The depth by the bot, in plies.
    pub depth: Option<u64>,
    /// The points at the end: 1, 0.5 or 0.
    pub result: f64,
    /// The seeds at the end less those of the opponent.
    pub seeds: i16,
    /// The plies to the end of the game, this one included.
    pub plies_to_end: usize,
    /// How the game ended. After `timeout`, `resignation` and the like the result says little of
    /// the position.
    pub ending: String,
}

/// The samples of a game that was played by these rules; none of a void game.
///
/// # Errors
/// A move that the rules do not allow.
pub fn samples(record: &GameRecord, rules: RuleSet) -> Result<Vec<Sample>, PlayError> {
    let Some(result) = record.result() else {
        return Ok(Vec::new());
    };
    let mut game = Game::new(rules, record.start);
    let mut samples = Vec::with_capacity(record.plies.len());
    for (number, ply) in record.plies.iter().enumerate() {
        let position = game.position();
        let side = position.to_move();
        let store = |side: Side| i16::from(record.stores[side.index()]);
        let said = ply.said();
        game.play(ply.pit)?;
        samples.push(Sample {
            game: record.id.to_string(),
            ply: number,
            position: position.to_string(),
            side: side.name().to_owned(),
            r#move: ply.pit.to_string(),
            score: said.score,
            depth: said.depth,
            result: match result {
                GameResult::Draw => 0.5,
                GameResult::Win(winner) if winner == side => 1.0,
                GameResult::Win(_) => 0.0,
            },
            seeds: store(side) - store(side.opponent()),
            plies_to_end: record.plies.len() - number,
            ending: record.ending.name().to_owned(),
        });
    }
    Ok(samples)
}
