//! A position from which a few plies are played: a corner case of the rules as data.

use crate::rules::{
    EndReason, Game, GrandSlam, PITS, Pit, Position, RuleSet, SEEDS, Side, parse_moves,
};

/// A position with South to move, and what is played from it.
#[derive(Clone, Copy, Debug)]
pub struct RulePosition {
    /// Seeds in the pits A–F, a–f.
    pub board: [u8; PITS],
    /// The stores of South and North; without them, the rest of the 48 seeds is divided equally.
    pub stores: Option<[u8; 2]>,
    /// The bot's side.
    pub bot: Side,
    /// South's first move, if the bot is North.
    pub first: &'static str,
    /// Plies after which the game is adjudicated.
    pub plies: u32,
    /// The rule for slams, if it differs from the examination's.
    pub grand_slam: Option<GrandSlam>,
    /// The ending to which the moves, all of them forced, lead.
    pub ending: Option<EndReason>,
}

impl RulePosition {
    /// One move of South.
    pub const fn south(board: [u8; PITS]) -> Self {
        Self {
            board,
            stores: None,
            bot: Side::South,
            first: "",
            plies: 1,
            grand_slam: None,
            ending: None,
        }
    }

    /// The position at its beginning.
    pub fn position(&self) -> Position {
        let on_board: u8 = self.board.iter().sum();
        let missing = SEEDS - on_board;
        let stores = self.stores.unwrap_or([missing / 2, missing - missing / 2]);
        Position::new(self.board, stores, Side::South).expect("a position has 48 seeds at most")
    }

    /// The rules for this position.
    pub fn rules(&self, asked: &RuleSet) -> RuleSet {
        RuleSet {
            grand_slam: self.grand_slam.unwrap_or(asked.grand_slam),
            ..*asked
        }
    }

    /// South's first moves, if South is not the bot.
    pub fn first_moves(&self) -> Vec<Pit> {
        parse_moves(self.first).expect("a position's moves are letters")
    }

    /// Whether the position can arise under these rules. A position of other rules can only if
    /// `all_rules` are examined.
    ///
    /// # Errors
    /// The reason why it cannot.
    pub fn arises(&self, asked: &RuleSet, all_rules: bool) -> Result<(), String> {
        if !all_rules && self.rules(asked) != *asked {
            return Err("these rules have another slam; --all-rules examines this one".to_owned());
        }
        let mut game = Game::new(self.rules(asked), self.position());
        if let Some(ending) = game.ending() {
            return Err(format!("these rules end the game there: {}", ending.reason));
        }
        for pit in self.first_moves() {
            game.play(pit).map_err(|error| error.to_string())?;
        }
        let Some(reason) = self.ending else {
            return Ok(());
        };
        for _ in 0..self.plies {
            let Some(pit) = game.legal_moves().iter().next() else {
                break;
            };
            let _ = game.play(pit);
        }
        match game.ending() {
            Some(ending) if ending.reason == reason => Ok(()),
            Some(ending) => Err(format!("by these rules the game ends by {}", ending.reason)),
            None => Err(format!("by these rules nothing ends by {reason} there")),
        }
    }
}
