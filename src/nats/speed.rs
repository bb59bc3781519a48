//! How fast a machine searches: nodes in a second of a fixed search by our own engine, on one
//! processor.

use crate::engine::{Budget, Engine, House, MinimaxOptions};
use crate::rules::{Game, Position, Preset};
use std::time::{Duration, Instant};

/// The depth of the search, in plies.
const DEPTH: u32 = 11;
/// It is repeated for so long.
const LEAST: Duration = Duration::from_millis(300);

/// Nodes in a second.
pub fn measured() -> u64 {
    let start = Instant::now();
    let mut nodes = 0;
    while start.elapsed() < LEAST {
        nodes += searched();
    }
    let seconds = start.elapsed().as_secs_f64();
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a positive number of nodes"
    )]
    let speed = (nodes as f64 / seconds) as u64;
    speed
}

/// The nodes of one search, which are the same everywhere.
fn searched() -> u64 {
    let mut engine = Engine::new(House::Minimax(MinimaxOptions {
        depth: Some(DEPTH),
        ..MinimaxOptions::default()
    }));
    let game = Game::new(Preset::Awale.rules(), Position::START);
    let choice = engine.choose(&game, &Budget::default());
    choice.map_or(0, |it| it.nodes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_nodes_are_searched_each_time() {
        assert_eq!(searched(), searched());
        assert!(searched() > 10_000 && measured() > 1000);
    }
}
