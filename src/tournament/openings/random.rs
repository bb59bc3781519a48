//! Random legal openings. Up to [`LISTED_PLIES`] plies all of them are listed. There are too many
//! longer ones, so opening n comes from a generator of its own and does not depend on how many
//! openings are needed.
//!
//! A shuffle by a key gives each pairing its own order of all openings.

use crate::rules::{Game, Pit, Position, RuleSet};
use crate::tournament::openings::Opening;
use rand_chacha::ChaCha20Rng;
use rand_core::{Rng, SeedableRng as _};
use std::collections::{BTreeSet, HashMap};

/// Up to this many plies all openings are listed; longer ones are drawn.
pub const LISTED_PLIES: u32 = 6;
/// The numbers of drawn openings. Two numbers can give the same position.
pub const DRAWN_NUMBERS: u32 = 1_000_000;
/// After this many draws without a new position, the search for more openings ends.
pub const PATIENCE: u32 = 2_000;
/// A number for which every line of play ended counts as this many draws: it took [`PATIENCE`]
/// lines, and a user waits for the answer.
pub const DRAWS_OF_NONE: u32 = 20;

/// All openings with this many plies, each position once, sorted by their moves.
pub fn all_openings(rules: &RuleSet, plies: u32) -> Vec<Opening> {
    let mut all = Vec::new();
    let game = Game::new(*rules, Position::START);
    list_all(&game, plies, &mut BTreeSet::new(), &mut all);
    all
}

fn list_all(game: &Game, plies: u32, seen: &mut BTreeSet<String>, all: &mut Vec<Opening>) {
    if game.ending().is_some() {
        return;
    }
    if plies == 0 {
        if seen.insert(game.position().to_string()) {
            all.push(Opening {
                moves: game.moves().to_vec(),
                position: game.position(),
            });
        }
        return;
    }
    for pit in game.legal_moves() {
        let mut next = game.clone();
        next.play(pit).expect("a legal move can be played");
        list_all(&next, plies - 1, seen, all);
    }
}

/// Drawn openings with this many plies, by number.
#[derive(Clone, Copy, Debug)]
pub struct DrawnOpenings<'a> {
    pub rules: &'a RuleSet,
    pub plies: u32,
    /// The seed of the generators.
    pub key: [u8; 32],
}

impl DrawnOpenings<'_> {
    /// The opening with this number; `None` if every line of play that was tried ended within it.
    pub fn get(&self, number: u32) -> Option<Opening> {
        let mut random = ChaCha20Rng::from_seed(self.key);
        random.set_stream(u64::from(number));
        (0..PATIENCE).find_map(|_| draw_one(self.rules, self.plies, &mut random))
    }
}

/// A random line of play; `None` if the game ends within it.
pub fn draw_one(rules: &RuleSet, plies: u32, random: &mut impl Rng) -> Option<Opening> {
    let mut game = Game::new(*rules, Position::START);
    for _ in 0..plies {
        let legal: Vec<Pit> = game.legal_moves().iter().collect();
        let index = below(random, legal.len())?;
        game.play(legal[index]).expect("a legal move can be played");
    }
    let goes_on = game.ending().is_none();
    goes_on.then(|| Opening {
        moves: game.moves().to_vec(),
        position: game.position(),
    })
}

/// A uniform index below `count`, by rejection sampling; `None` if `count` is 0.
pub fn below(random: &mut impl Rng, count: usize) -> Option<usize> {
    let count = u32::try_from(count).ok().filter(|&count| count > 0)?;
    let whole = u32::MAX - u32::MAX % count;
    loop {
        let drawn = random.next_u32();
        if drawn < whole {
            return Some((drawn % count) as usize);
        }
    }
}

/// The numbers 0 to `count` − 1, each once, in a random order.
#[derive(Clone, Debug)]
pub struct Shuffle {
    random: ChaCha20Rng,
    count: u32,
    next: u32,
    /// Positions of the Fisher–Yates shuffle, from the front, whose number is not their own.
    // This map is only looked up, never iterated.
    moved: HashMap<u32, u32>,
}

impl Shuffle {
    pub fn new(count: u32, key: [u8; 32]) -> Self {
        Self {
            random: ChaCha20Rng::from_seed(key),
            count,
            next: 0,
            moved: HashMap::new(),
        }
    }
}

impl Iterator for Shuffle {
    type Item = u32;

    fn next(&mut self) -> Option<u32> {
        let left = self.count - self.next;
        let drawn = below(&mut self.random, left as usize)?;
        let place = self.next + u32::try_from(drawn).expect("below the numbers left");
        let at = |moved: &HashMap<u32, u32>, place: u32| moved.get(&place).copied();
        let number = at(&self.moved, place).unwrap_or(place);
        let first = at(&self.moved, self.next).unwrap_or(self.next);
        self.moved.insert(place, first);
        self.moved.remove(&self.next);
        self.next += 1;
        Some(number)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn every_number_comes_once_and_a_beginning_stays_what_it_is() {
        for count in [0, 1, 2, 7, 500] {
            let whole: Vec<u32> = Shuffle::new(count, [3; 32]).collect();
            let numbers: BTreeSet<u32> = whole.iter().copied().collect();
            assert_eq!(numbers, (0..count).collect());
            assert_eq!(whole.len(), count as usize);
            let begun: Vec<u32> = Shuffle::new(count, [3; 32]).take(5).collect();
            assert_eq!(begun, whole[..whole.len().min(5)]);
        }
    }

    /// Each of the six orders of three numbers occurs for a sixth of 6,000 keys, within five
    /// standard deviations (29 each).
    #[test]
    fn all_orders_are_alike() {
        let mut orders: HashMap<Vec<u32>, u32> = HashMap::new();
        for number in 0..6_000_u32 {
            let mut key = [0; 32];
            key[..4].copy_from_slice(&number.to_le_bytes());
            *orders.entry(Shuffle::new(3, key).collect()).or_default() += 1;
        }
        assert_eq!(orders.len(), 6);
        assert!(
            orders
                .values()
                .all(|&n| (1000 - 5 * 29..=1000 + 5 * 29).contains(&n)),
            "{orders:?}"
        );
    }
}
