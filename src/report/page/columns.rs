//! What the page knows of every game at once: a list for each column, in the order of the schedule.

use crate::record::GameSummary;
use crate::rules::{GameResult, Side};
use serde::Serialize;
use std::collections::HashMap;

/// The columns. Names and endings are numbers of lists, because a page may have 100,000 games.
#[derive(Debug, Default, Serialize)]
pub struct GameColumns {
    /// The beginnings of ids: what stands before round and number.
    labels: Vec<String>,
    label: Vec<u32>,
    round: Vec<u32>,
    number: Vec<u32>,
    /// Numbers of entrants, in the order of the plan.
    south: Vec<u32>,
    north: Vec<u32>,
    opening: Vec<u32>,
    /// 0 for a draw, 1 if South won, 2 if North won.
    winner: Vec<u8>,
    /// The names of endings.
    endings: Vec<&'static str>,
    ending: Vec<u32>,
    /// Whose fault ended the game: 0 nobody's, 1 South's, 2 North's.
    fault: Vec<u8>,
    store_south: Vec<u8>,
    store_north: Vec<u8>,
    plies: Vec<u32>,
    // Both maps are only looked up, never iterated.
    #[serde(skip)]
    label_numbers: HashMap<String, u32>,
    #[serde(skip)]
    entrants: HashMap<String, u32>,
}

impl GameColumns {
    /// Starts without games. `names` are the entrants in the order of the plan.
    pub fn new(names: &[String]) -> Self {
        Self {
            entrants: names.iter().cloned().zip(0..).collect(),
            ..Self::default()
        }
    }

    /// Adds the next game as it counts. A game of others than the entrants, or one that is void, is
    /// no game of the page.
    ///
    /// Returns whether it was added.
    pub fn add(&mut self, game: &GameSummary) -> bool {
        let sides = game.entrants.each_ref().map(|name| self.entrants.get(name));
        let ([Some(&south), Some(&north)], Some(result)) = (sides, game.result()) else {
            return false;
        };
        let (label, round) = (self.label_of(game), game.id.pair.round());
        self.label.push(label);
        self.round.push(round);
        self.number.push(game.id.number.number());
        self.south.push(south);
        self.north.push(north);
        self.opening.push(game.opening);
        self.winner.push(match result {
            GameResult::Draw => 0,
            GameResult::Win(side) => side_number(side),
        });
        let ending = self.ending_of(game.ending.name());
        self.ending.push(ending);
        self.fault
            .push(game.fault().map_or(0, |(side, _)| side_number(side)));
        self.store_south.push(game.stores[0]);
        self.store_north.push(game.stores[1]);
        let plies = u32::try_from(game.moves.len()).expect("fewer than 2^32 plies");
        self.plies.push(plies);
        true
    }

    /// The number of games.
    pub const fn len(&self) -> usize {
        self.round.len()
    }

    /// Whether there is no game.
    pub const fn is_empty(&self) -> bool {
        self.round.is_empty()
    }

    fn label_of(&mut self, game: &GameSummary) -> u32 {
        let id = game.id.to_string();
        let rest = format!("{}.{}", game.id.pair.round(), game.id.number.number());
        let label = id.strip_suffix(&rest).unwrap_or(&id);
        if let Some(&number) = self.label_numbers.get(label) {
            return number;
        }
        let number = u32::try_from(self.labels.len()).expect("fewer than 2^32 pairings");
        self.labels.push(label.to_owned());
        self.label_numbers.insert(label.to_owned(), number);
        number
    }

    fn ending_of(&mut self, name: &'static str) -> u32 {
        let found = self.endings.iter().position(|it| *it == name);
        let place = found.unwrap_or_else(|| {
            self.endings.push(name);
            self.endings.len() - 1
        });
        u32::try_from(place).expect("a few endings")
    }
}

const fn side_number(side: Side) -> u8 {
    match side {
        Side::South => 1,
        Side::North => 2,
    }
}
