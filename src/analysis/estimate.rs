//! The estimated part: positions with too many seeds for exact values. A search of a fixed number
//! of positions, so that the same game has the same estimates on every machine.

use super::moves::Outlook;
use crate::engine::{Budget, Engine, House, MinimaxOptions};
use crate::rules::{Game, Pit, Side};

/// What `minimax` thinks of a position.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    /// The end of the game.
    pub outlook: Outlook,
    /// The move that it prefers.
    pub pit: Pit,
}

/// Estimates positions.
pub struct Estimator {
    engine: Engine,
    /// The positions for each estimate, unless the depth is fixed.
    nodes: Option<u64>,
}

impl Estimator {
    /// Searches so many positions for each estimate.
    pub fn new(nodes: u64) -> Self {
        Self {
            engine: Engine::new(House::Minimax(MinimaxOptions::default())),
            nodes: Some(nodes),
        }
    }

    /// Searches so many plies for each estimate.
    pub fn to_depth(plies: u32) -> Self {
        let options = MinimaxOptions {
            depth: Some(plies),
            ..MinimaxOptions::default()
        };
        Self {
            engine: Engine::new(House::Minimax(options)),
            nodes: None,
        }
    }

    /// The estimate of the position of a game; `None` if the game is over.
    pub fn estimate(&mut self, game: &Game) -> Option<Estimate> {
        let budget = Budget {
            max_nodes: self.nodes,
            ..Budget::default()
        };
        let choice = self.engine.choose(game, &budget)?;
        let score = choice.score?;
        let mover = game.position().to_move();
        let is_ahead = score.hundredths() > 0;
        let outlook = match (score.certain_in(), mover) {
            (Some(_), _) if is_ahead => Outlook::Winner(mover),
            (Some(_), _) => Outlook::Winner(mover.opponent()),
            (None, Side::South) => Outlook::Difference(score.seeds()),
            (None, Side::North) => Outlook::Difference(-score.seeds()),
        };
        Some(Estimate {
            outlook,
            pit: choice.pit,
        })
    }
}
