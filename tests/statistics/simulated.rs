//! Tournaments that are thrown: pairs of games from openings of their own.

use awale::stats::game::{Outcome, RatedEntrant, RatedGame};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::Rng as _;

/// A number between 0 and 1.
pub fn throw(source: &mut ChaCha8Rng) -> f64 {
    (f64::from(source.next_u32()) + 0.5) / 4_294_967_296.0
}

/// A game in which South scores so much on average; of what is left to the loser so many times the
/// part is drawn.
pub fn thrown(score: f64, drawn: f64, source: &mut ChaCha8Rng) -> Outcome {
    let draws = drawn * score.min(1.0 - score);
    let thrown = throw(source);
    if thrown < score - draws / 2.0 {
        Outcome::SouthWins
    } else if thrown < score + draws / 2.0 {
        Outcome::Draw
    } else {
        Outcome::NorthWins
    }
}

/// So many pairs of each two who meet. `play` gives the results of a pair: the first of the two is
/// South in its first game.
pub fn games_of(
    pairings: impl Iterator<Item = (u32, u32)>,
    pairs: u64,
    mut play: impl FnMut(u32, u32) -> [Outcome; 2],
) -> Vec<RatedGame> {
    let mut games = Vec::new();
    let rounds = pairings.flat_map(|pairing| (0..pairs).map(move |_| pairing));
    for ((one, other), opening) in rounds.zip(1..) {
        let seats = [(one, other), (other, one)];
        for (outcome, (south, north)) in play(one, other).into_iter().zip(seats) {
            games.push(RatedGame {
                south: RatedEntrant(south),
                north: RatedEntrant(north),
                outcome,
                opening: Some(opening),
                pair: Some(opening),
                content: None,
            });
        }
    }
    games
}

/// Everybody against everybody below it.
pub fn round_robin(entrants: u32) -> impl Iterator<Item = (u32, u32)> {
    (0..entrants).flat_map(|one| (0..one).map(move |other| (one, other)))
}
