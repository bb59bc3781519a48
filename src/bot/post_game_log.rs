//! What bots write to standard error after the end of a game, once its log was taken: when they
//! read `game-over`, when they are asked to quit, or in between.

use crate::rules::Side;
use std::sync::mpsc::Sender;

/// What a bot wrote after a game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PostGameLog {
    /// The game's id as the bot was told it.
    pub told_id: String,
    /// The bot's side in it.
    pub side: Side,
    /// The head and the tail of what it wrote. Hostile text.
    pub text: Vec<u8>,
}

/// Where the post-game logs of a player go.
#[derive(Clone, Debug)]
pub(super) struct PostGameLogSender {
    pub to: Sender<PostGameLog>,
    /// The last game that the player finished, and its side.
    pub last: Option<(String, Side)>,
}

impl PostGameLogSender {
    /// Sends what the bot wrote since its last finished game, if there is one.
    pub fn send(&self, text: Vec<u8>) {
        if let Some((told_id, side)) = self.last.clone()
            && !text.is_empty()
        {
            // The run may have ended.
            let _ = self.to.send(PostGameLog {
                told_id,
                side,
                text,
            });
        }
    }
}
