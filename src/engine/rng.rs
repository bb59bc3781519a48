//! Chance that is the same every time: a small generator of random numbers from a seed.
//!
//! `SplitMix64` (Steele, Lea and Flood, "Fast splittable pseudorandom number generators", 2014):
//! a counter that is mixed. Good enough to shuffle six moves, and no crate is needed for it.

/// The counter's step: 2⁶⁴ divided by the golden ratio, made odd.
const STEP: u64 = 0x9e37_79b9_7f4a_7c15;

/// A stream of random numbers.
#[derive(Clone, Debug)]
pub struct Rng(u64);

impl Rng {
    /// The stream of a seed and a second number (a ply, the key of a position): streams of
    /// different pairs have nothing to do with each other.
    pub fn new(seed: u64, salt: u64) -> Self {
        Self(mix(seed.wrapping_add(STEP)) ^ mix(salt))
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(STEP);
        mix(self.0)
    }

    /// A number below `bound`, all equally likely (to one part in 2⁶⁰ for small bounds).
    pub fn below(&mut self, bound: usize) -> usize {
        let product = u128::from(self.next()) * bound as u128;
        usize::try_from(product >> 64).unwrap_or(0)
    }

    /// Any of the items, all equally likely; `None` if there are none.
    pub fn pick<T: Copy>(&mut self, items: &[T]) -> Option<T> {
        items.get(self.below(items.len())).copied()
    }

    /// Puts the items in any order, all equally likely.
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            let other = self.below(last + 1);
            items.swap(last, other);
        }
    }
}

/// Spreads every bit of a word over all of them; a permutation of all words.
pub const fn mix(word: u64) -> u64 {
    let word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    word ^ (word >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The first numbers of the published generator from the state 1234567.
    #[test]
    fn the_stream_is_the_published_one() {
        let mut rng = Rng(1_234_567);
        let stream = [(); 5].map(|()| rng.next());
        assert_eq!(
            stream,
            [
                6_457_827_717_110_365_317,
                3_203_168_211_198_807_973,
                9_817_491_932_198_370_423,
                4_593_380_528_125_082_431,
                16_408_922_859_458_223_821,
            ]
        );
    }

    #[test]
    fn all_orders_of_three_come_up_equally_often() {
        let mut rng = Rng::new(1, 2);
        let mut counts = std::collections::BTreeMap::new();
        for _ in 0..6000 {
            let mut items = [0, 1, 2];
            rng.shuffle(&mut items);
            *counts.entry(items).or_insert(0_u32) += 1;
        }
        assert_eq!(counts.len(), 6);
        // Each is binomial with mean 1000 and standard deviation 29: six of them either way.
        for (items, count) in counts {
            assert!(
                (825..=1175).contains(&count),
                "{items:?} came {count} times"
            );
        }
    }

    #[test]
    fn nothing_can_be_picked_from_nothing() {
        assert_eq!(Rng::new(0, 0).pick::<u8>(&[]), None);
        assert_eq!(Rng::new(0, 0).pick(&[7]), Some(7));
    }
}
