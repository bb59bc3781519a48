//! Finds games whose times are the same in every ply, to the microsecond: one record is then a copy
//! of the other.
//!
//! How likely is that by chance? Two plies of different games can take the same time: in games of
//! house bots that repeat each other move by move, with 20 µs a ply, 9 % of the plies do, and at
//! most 52 % of the plies of any two games that were compared. So an equal ply counts as at most
//! one bit of evidence, and as less where the times within the game itself repeat more often: a
//! host that counts in steps of 10 ms proves nothing. Among *G* games there are *G*²/2 pairs of
//! games, so a pair with *n* plies, each equal with probability *c*, is reported if
//!
//! ```text
//! cⁿ · G²/2 ≤ 2⁻²⁰    with c = max(1/2, (1 + equal pairs of plies) / (1 + pairs of plies))
//! ```
//!
//! which happens by chance in at most one of a million runs. Of 1,000 games, those with at least 39
//! plies can be reported; of 100,000, those with at least 53.

use super::findings::{Check, Findings};
use crate::record::{GameId, GameRecord};
use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};

/// The bits of evidence against chance that are required over the whole run.
const SURE: f64 = 20.0;

/// Two games with the same times.
#[derive(Clone, Debug)]
struct Twins {
    games: [GameId; 2],
    plies: usize,
    /// The evidence of their equality, in bits.
    bits: f64,
}

/// The times of a game, as far as they can show that another game is a copy of it.
#[derive(Clone, Copy, Debug)]
pub struct TimesEvidence {
    plies: usize,
    /// The evidence of another game with the same times, in bits.
    bits: f64,
    hash: u64,
}

impl TimesEvidence {
    /// The times of a record.
    pub fn of(record: &GameRecord) -> Self {
        let mut times: Vec<u64> = record.plies.iter().map(|ply| ply.time_us).collect();
        // The keys are fixed and the hash is never stored, so any hash function serves.
        let mut hasher = DefaultHasher::new();
        times.hash(&mut hasher);
        Self {
            plies: times.len(),
            bits: bits(&mut times),
            hash: hasher.finish(),
        }
    }
}

/// The times of all games, as hashes.
#[derive(Clone, Debug, Default)]
pub struct Copies {
    /// The first game with these times, by its number in the journal.
    seen: HashMap<u64, u32>,
    games: u32,
    twins: Vec<Twins>,
}

impl Copies {
    /// Notes the times of the next game of the journal; `id` returns the id of a game by its number
    /// in the journal.
    pub fn note(&mut self, times: TimesEvidence, id: impl Fn(u32) -> GameId) {
        let TimesEvidence { plies, bits, hash } = times;
        let number = self.games;
        self.games += 1;
        if bits < least_bits(2) {
            return;
        }
        let earlier = *self.seen.entry(hash).or_insert(number);
        if earlier == number {
            return;
        }
        let games = [id(earlier), id(number)];
        if games[0] != games[1] {
            self.twins.push(Twins { games, plies, bits });
        }
    }

    /// After the last game: reports the copies that chance cannot explain.
    pub fn conclude(&self, findings: &mut Findings) {
        let least = least_bits(self.games);
        for twins in self.twins.iter().filter(|it| it.bits >= least) {
            let ([one, other], plies) = (&twins.games, twins.plies);
            let message = format!(
                "games {one} and {other} have the same times in all {plies} plies, to the \
                 microsecond: one record is a copy of the other. Chance does that in one run of a \
                 million at most"
            );
            findings.note(Check::Times, &message);
        }
    }
}

/// The evidence required among this many games, in bits.
fn least_bits(games: u32) -> f64 {
    SURE + 2.0 * f64::from(games.max(2)).log2() - 1.0
}

/// The evidence of another game with the same times, in bits. It sorts them.
fn bits(times: &mut [u64]) -> f64 {
    times.sort_unstable();
    let pairs = |count: usize| (count * count.saturating_sub(1) / 2) as f64;
    let equal: f64 = times
        .chunk_by(|a, b| a == b)
        .map(|it| pairs(it.len()))
        .sum();
    let agreeing = (1.0 + equal) / (1.0 + pairs(times.len()));
    times.len() as f64 * -agreeing.max(0.5).log2()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ply_weighs_one_bit_at_most() {
        let bits = |times: &[u64]| bits(&mut times.to_vec());
        let different: Vec<u64> = (0..39).collect();
        assert!((bits(&different) - 39.0).abs() < 1e-9);
        assert!(bits(&different) >= least_bits(1_000));
        assert!(bits(&different[..38]) < least_bits(1_000));
        // Times that are all equal are no evidence; of two equally frequent times, each is one bit.
        assert!(bits(&[10_000; 200]) < 1e-9);
        let two: Vec<u64> = (0..200).map(|ply| ply % 2).collect();
        assert!((bits(&two) - 200.0).abs() < 3.0, "{}", bits(&two));
        let mostly: Vec<u64> = (0..200).map(|ply| u64::from(ply % 10 == 0)).collect();
        assert!(bits(&mostly) < 60.0, "{}", bits(&mostly));
        assert!(bits(&[]).abs() < 1e-9 && bits(&[7]).abs() < 1e-9);
    }

    #[test]
    fn more_games_ask_for_more() {
        for (games, plies) in [(2, 21.0), (1_000, 38.93), (100_000, 52.22)] {
            assert!((least_bits(games) - plies).abs() < 0.01, "{games}");
        }
    }
}
