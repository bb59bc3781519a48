//! A hint: what minimax would play.

use crate::engine::{Budget, Engine, House, MinimaxOptions};
use crate::rules::{Game, Pit};

/// Plies that are searched: a fraction of a second.
const DEPTH: u32 = 10;

/// A move with the score that it leads to.
#[derive(Clone, Debug, PartialEq)]
pub struct Hint {
    pub pit: Pit,
    /// The expected difference of the final stores, in seeds, for the person.
    pub score: f64,
    /// After how many plies the game is decided, if it is.
    pub decided_in: Option<u32>,
}

/// The hint for the side to move; `None` if the game is over.
pub fn hint(game: &Game) -> Option<Hint> {
    let mut engine = Engine::new(House::Minimax(MinimaxOptions {
        depth: Some(DEPTH),
        ..MinimaxOptions::default()
    }));
    let choice = engine.choose(game, &Budget::default())?;
    let score = choice.score?;
    Some(Hint {
        pit: choice.pit,
        score: score.seeds(),
        decided_in: score.certain_in(),
    })
}

impl Hint {
    /// In words: `E: minimax expects to end 3.2 seeds ahead of the bot`.
    pub fn sentence(&self) -> String {
        let Self {
            pit,
            score,
            decided_in,
        } = self;
        match decided_in {
            Some(plies) if *score > 0.0 => format!("{pit} wins within {plies} plies"),
            Some(plies) => format!("{pit} holds out longest: the game is lost in {plies} plies"),
            None => format!("{pit}: minimax expects to end {}", distance(*score)),
        }
    }
}

fn distance(score: f64) -> String {
    let seeds = format!("{:.1}", score.abs());
    match seeds.as_str() {
        "0.0" => "level with the bot".to_owned(),
        _ if score > 0.0 => format!("{seeds} seeds ahead of the bot"),
        _ => format!("{seeds} seeds behind the bot"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::{Position, Preset};

    #[test]
    fn a_hint_says_where_it_leads() {
        for (position, expected) in [
            // South has 24 seeds and takes one more.
            ("0-0-0-0-0-1-1-3-0-0-0-0-24-19-S", "wins within"),
            ("4-4-4-4-4-4-4-4-4-4-4-4-0-0-S", "minimax expects to end"),
        ] {
            let position: Position = position.parse().unwrap();
            let said = hint(&Game::new(Preset::Awale.rules(), position)).unwrap();
            assert!(said.sentence().contains(expected), "{}", said.sentence());
        }
        for (score, expected) in [
            (0.04, "level with the bot"),
            (-0.04, "level with the bot"),
            (3.25, "3.2 seeds ahead of the bot"),
            (-0.9, "0.9 seeds behind the bot"),
        ] {
            assert_eq!(distance(score), expected);
        }
    }
}
