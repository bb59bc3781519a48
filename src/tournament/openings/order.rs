//! The order in which a pairing takes the openings of a list: a shuffle of its numbers with a key
//! that derives from the run's secret and the names of the two entrants. Only the part that is
//! needed is computed.

use super::random::below;
use rand_chacha::ChaCha20Rng;
use rand_core::SeedableRng as _;
use std::collections::HashMap;

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
