//! The secret of a run, and everything that is derived from it: the bots' seeds, openings that no
//! file lists, the ids of games in blind tournaments, and the order of pseudonyms.
//!
//! ```text
//! secret ─ HMAC-SHA-256 ─┬─ "bot seed"  tournament.seed, game, side → 53 bits, told to that bot
//!                        ├─ "openings"  tournament.seed             → 256 bits for a generator
//!                        ├─ "opening order"  tournament.seed, names → 256 bits for a generator
//!                        ├─ "blind id"  tournament.seed, game       → 64 bits, told to both bots
//!                        ├─ "seeding"   tournament.seed, name     → the order of the seeds
//!                        ├─ "feedback"  two names                 → the order of pseudonyms
//!                        └─ "short hash"                            → 64 bits, in plans, messages
//! ```
//!
//! A bot knows its own seeds, the openings of its games and their ids. They reveal neither the
//! secret nor any other derived value: without the key, the HMAC of another message cannot be told
//! from random bytes. The names in quotes separate the purposes.

use crate::record::GameId;
use crate::rules::Side;
use crate::text::hexadecimal;
use rustix::rand::{GetRandomFlags, getrandom};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::fmt;
use std::io;
use std::str::FromStr;
use thiserror::Error;

/// Bytes of a secret.
const BYTES: usize = 32;
/// Block size of SHA-256, which defines HMAC.
const BLOCK: usize = 64;
/// Bytes of a short hash and of a blind id; each byte is two digits.
const SHORT: usize = 8;

/// A secret of 256 bits. Its `Debug` text hides the digits; only [`Secret::digits`] returns them.
#[derive(Clone, PartialEq, Eq, Deserialize, Serialize)]
#[serde(try_from = "String", into = "String")]
pub struct Secret([u8; BYTES]);

/// A text that is not a secret. The error does not repeat the text.
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
#[error("a secret has 64 hexadecimal digits")]
pub struct SecretError;

impl Secret {
    /// A secret of these bytes.
    pub const fn from_bytes(bytes: [u8; BYTES]) -> Self {
        Self(bytes)
    }

    /// Draws a new secret from the system's randomness.
    ///
    /// # Errors
    /// The system has no randomness.
    pub fn drawn() -> io::Result<Self> {
        let mut bytes = [0; BYTES];
        // The kernel never returns fewer bytes for a request of this size.
        match getrandom(&mut bytes, GetRandomFlags::empty())? {
            BYTES => Ok(Self(bytes)),
            count => Err(io::Error::other(format!(
                "it gave {count} of {BYTES} bytes"
            ))),
        }
    }

    /// The 64 hexadecimal digits, only for the plan in the run's folder.
    pub fn digits(&self) -> String {
        hexadecimal(&self.0)
    }

    /// A public name of the secret: 16 hexadecimal digits that do not reveal it.
    pub fn short_hash(&self) -> String {
        hexadecimal(&self.draw("short hash", "")[..SHORT])
    }

    /// The seed of a bot for a game. It is below 2^53, so that every language's numbers can hold
    /// it, and stays the same when the tournament is played again with this secret.
    pub fn bot_seed(&self, tournament_seed: u64, game: &str, side: Side) -> u64 {
        let drawn = self.draw("bot seed", &format!("{tournament_seed} {game} {side}"));
        let first = drawn.iter().take(8);
        first.fold(0, |number, &byte| number << 8 | u64::from(byte)) >> 11
    }

    /// The seed of the generator of random openings.
    pub fn opening_key(&self, tournament_seed: u64) -> [u8; 32] {
        self.draw("openings", &tournament_seed.to_string())
    }

    /// The seed of the generator that shuffles the openings between entrants of these names.
    pub fn order_key(&self, tournament_seed: u64, names: &[&str]) -> [u8; 32] {
        // With their lengths, so that different lists of names give different texts.
        let texts = names.iter().map(|name| format!(" {}:{name}", name.len()));
        let texts: String = texts.collect();
        self.draw("opening order", &format!("{tournament_seed}{texts}"))
    }

    /// The id of a game that bots are told in a blind tournament: 16 hexadecimal digits.
    pub fn blind_id(&self, tournament_seed: u64, game: &GameId) -> String {
        let drawn = self.draw("blind id", &format!("{tournament_seed} {game}"));
        hexadecimal(&drawn[..SHORT])
    }

    /// Where an entrant stands in a seeding that is drawn.
    pub fn seeding_key(&self, tournament_seed: u64, name: &str) -> [u8; 32] {
        self.draw("seeding", &format!("{tournament_seed} {name}"))
    }

    /// Where an entrant stands among those that the feedback of `reader` shows without their names.
    pub fn feedback_key(&self, reader: &str, name: &str) -> [u8; 32] {
        self.draw("feedback", &format!("{}:{reader} {name}", reader.len()))
    }

    /// Derives 256 bits for one purpose; `what` separates the values of the same purpose.
    fn draw(&self, purpose: &str, what: &str) -> [u8; 32] {
        hmac_sha256(&self.0, format!("awale {purpose}\0{what}").as_bytes())
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(…)")
    }
}

impl FromStr for Secret {
    type Err = SecretError;

    fn from_str(text: &str) -> Result<Self, SecretError> {
        let digits: Option<Vec<u32>> = text.chars().map(|digit| digit.to_digit(16)).collect();
        let digits = digits
            .filter(|digits| digits.len() == 2 * BYTES)
            .ok_or(SecretError)?;
        let mut bytes = [0; BYTES];
        for (byte, pair) in bytes.iter_mut().zip(digits.chunks(2)) {
            *byte = u8::try_from(pair[0] << 4 | pair[1]).expect("two hexadecimal digits");
        }
        Ok(Self(bytes))
    }
}

impl TryFrom<String> for Secret {
    type Error = SecretError;

    fn try_from(text: String) -> Result<Self, SecretError> {
        text.parse()
    }
}

impl From<Secret> for String {
    fn from(secret: Secret) -> Self {
        secret.digits()
    }
}

/// RFC 2104, for keys of at most one block.
fn hmac_sha256(key: &[u8], message: &[u8]) -> [u8; 32] {
    let pad = |byte: u8| {
        let mut block = [byte; BLOCK];
        for (padded, key) in block.iter_mut().zip(key) {
            *padded ^= key;
        }
        block
    };
    let inner = Sha256::new()
        .chain_update(pad(0x36))
        .chain_update(message)
        .finalize();
    let outer = Sha256::new().chain_update(pad(0x5c)).chain_update(inner);
    outer.finalize().into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::{GameNumber, PairId};
    use std::collections::BTreeSet;

    const SEED: u64 = 1;

    fn secret(text: &str) -> Secret {
        text.parse().unwrap()
    }

    /// A secret without a pattern.
    fn any() -> Secret {
        Secret::from_bytes(hmac_sha256(b"any", b"secret"))
    }

    fn games(pairs: u32) -> impl Iterator<Item = GameId> {
        (1..=pairs).flat_map(|pair| {
            GameNumber::BOTH.map(|number| GameId {
                pair: PairId::numbered(pair),
                number,
            })
        })
    }

    fn seeds(secret: &Secret, pairs: u32) -> Vec<u64> {
        let sides =
            |game: GameId| Side::BOTH.map(|side| secret.bot_seed(SEED, &game.to_string(), side));
        games(pairs).flat_map(sides).collect()
    }

    /// Test cases 1 to 3 of RFC 4231.
    #[test]
    fn the_mac_is_the_published_one() {
        for (key, message, mac) in [
            (
                &[0x0b; 20][..],
                &b"Hi There"[..],
                "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7",
            ),
            (
                b"Jefe",
                b"what do ya want for nothing?",
                "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843",
            ),
            (
                &[0xaa; 20],
                &[0xdd; 50],
                "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe",
            ),
        ] {
            assert_eq!(hexadecimal(&hmac_sha256(key, message)), mac);
        }
    }

    #[test]
    fn a_secret_is_64_digits_and_never_prints_itself() {
        let digits = "00112233445566778899aabbccddeeff".repeat(2);
        let upper = secret(&digits.to_uppercase());
        assert_eq!(upper, secret(&digits));
        assert_eq!(upper.digits(), digits);
        assert_eq!(format!("{upper:?}"), "Secret(…)");
        for wrong in [
            String::new(),
            digits[1..].to_owned(),
            format!("{digits}0"),
            digits.replace('f', "g"),
            digits.replace("ff", "é"),
            format!(" {}", &digits[1..]),
            format!("+{}", &digits[1..]),
        ] {
            assert_eq!(wrong.parse::<Secret>(), Err(SecretError), "{wrong:?}");
        }
        let message = SecretError.to_string();
        assert!(!message.contains("0011"), "{message}");
    }

    /// Every later version derives the same values: a plan and its secret always define the same
    /// tournament.
    #[test]
    fn what_is_drawn_stays_what_it_was() {
        let secret = secret(&"0123456789abcdef".repeat(4));
        let (id, game) = ("17.2".parse().unwrap(), "17.2");
        assert_eq!(
            (
                secret.short_hash().as_str(),
                secret.bot_seed(5, game, Side::South),
                secret.bot_seed(5, game, Side::North),
                secret.blind_id(5, &id).as_str(),
                hexadecimal(&secret.opening_key(5)[..4]).as_str(),
                hexadecimal(&secret.order_key(5, &["ada", "bén"])[..4]).as_str(),
            ),
            // Computed with Python's `hmac`.
            (
                "ecf0802f19cddfd9",
                3_211_015_131_765_669,
                4_087_651_965_656_716,
                "7b2fff78d9601730",
                "a2cadcc2",
                "38899efc"
            )
        );
    }

    /// Replaces each of the 64 digits by each of the other 15.
    #[test]
    fn one_digit_changes_everything_that_is_drawn() {
        let (id, game) = (&"1.1".parse().unwrap(), "1.1");
        let digits = any().digits();
        let drawn = |secret: &Secret| {
            [
                secret.short_hash(),
                secret.blind_id(SEED, id),
                secret.bot_seed(SEED, game, Side::South).to_string(),
                secret.bot_seed(SEED, game, Side::North).to_string(),
                hexadecimal(&secret.opening_key(SEED)),
                hexadecimal(&secret.order_key(SEED, &["ada", "ben"])),
            ]
        };
        let mut seen: BTreeSet<String> = drawn(&any()).into();
        let mut secrets = 1;
        for place in 0..digits.len() {
            for digit in "0123456789abcdef".chars() {
                let mut changed = digits.clone();
                changed.replace_range(place..=place, &digit.to_string());
                if changed != digits {
                    secrets += 1;
                    seen.extend(drawn(&secret(&changed)));
                }
            }
        }
        assert_eq!(secrets, 1 + 64 * 15);
        assert_eq!(seen.len(), 6 * secrets);
    }

    #[test]
    fn the_seed_of_the_tournament_still_varies_everything() {
        let (id, game) = (&"1.1".parse().unwrap(), "1.1");
        let one = any();
        for seed in [0, 2, 5, u64::MAX] {
            assert_ne!(
                one.bot_seed(seed, game, Side::South),
                one.bot_seed(SEED, game, Side::South)
            );
            assert_ne!(one.blind_id(seed, id), one.blind_id(SEED, id));
            assert_ne!(one.opening_key(seed), one.opening_key(SEED));
            assert_eq!(one.short_hash(), any().short_hash());
        }
    }

    /// Of 20,000 seeds none occurs twice (the chance is 2 in 10^8), each bit is set in half of them
    /// within five standard deviations, and the two seeds of a game are not more alike than others.
    #[test]
    fn seeds_of_games_and_sides_look_independent() {
        let seeds = seeds(&any(), 5_000);
        let count = seeds.len();
        assert_eq!(seeds.iter().collect::<BTreeSet<_>>().len(), count);
        assert!(seeds.iter().all(|seed| *seed < 1 << 53));
        let near_half = |ones: usize, of: usize| {
            let deviation = (of as f64).sqrt() / 2.0;
            (ones as f64 - of as f64 / 2.0).abs() < 5.0 * deviation
        };
        for bit in 0..53 {
            let ones = seeds.iter().filter(|&&seed| seed >> bit & 1 == 1).count();
            assert!(near_half(ones, count), "bit {bit}: {ones} of {count}");
            let pairs = seeds.chunks(2);
            let same = pairs.filter(|two| (two[0] ^ two[1]) >> bit & 1 == 0);
            let same = same.count();
            assert!(near_half(same, count / 2), "bit {bit} of both: {same}");
        }
    }

    /// Seeds as they would be without a secret: derived from the seed of the tournament alone.
    fn seed_without_a_secret(tournament_seed: u64, game: &str, side: Side) -> u64 {
        let text = format!("awale bot seed {tournament_seed} {game} {side}");
        let digest = Sha256::digest(text.as_bytes());
        let first = digest.iter().take(8);
        first.fold(0, |number, &byte| number << 8 | u64::from(byte)) >> 11
    }

    /// An attack by a bot that knows the program: it tries small seeds of the tournament, and
    /// secrets that a person might choose, until one gives its own seed.
    fn find_tournament_seed(own: u64, game: &str) -> Option<u64> {
        let guesses: Vec<Secret> = (0..=255_u8)
            .map(|byte| Secret::from_bytes([byte; BYTES]))
            .collect();
        (0..20_000_u64).find(|&seed| {
            let guess = &guesses[usize::try_from(seed).unwrap() % guesses.len()];
            seed_without_a_secret(seed, game, Side::South) == own
                || guess.bot_seed(seed, game, Side::South) == own
                || guess.bot_seed(SEED, game, Side::South) == own
        })
    }

    #[test]
    fn trying_small_seeds_finds_nothing() {
        for game in games(3).map(|it| it.to_string()) {
            let before = seed_without_a_secret(12_345, &game, Side::South);
            assert_eq!(find_tournament_seed(before, &game), Some(12_345));
            let own = any().bot_seed(SEED, &game, Side::South);
            assert_eq!(find_tournament_seed(own, &game), None);
        }
    }
}
