//! Where further pairs go: against a literal version that adds a pair to every pairing in turn.

use super::simulated::{games_of, round_robin, throw, thrown};
use awale::stats::allocation::OpenPairing;
use awale::stats::elo::{ELO_PER_LOGIT, expected_score};
use awale::stats::game::RatedEntrant;
use awale::stats::rating::rate;
use awale::stats::ratings::{RatingModel, Ratings};
use awale::stats::tally::Tally;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng as _, SeedableRng as _};

const ENTRANTS: u32 = 5;

fn all_pairings(left: u32) -> Vec<OpenPairing> {
    let pairings = round_robin(ENTRANTS).map(|(one, other)| OpenPairing {
        entrants: [one, other].map(RatedEntrant),
        left,
    });
    pairings.collect()
}

/// Ratings of a round robin in which some play more pairs than others, without a first-move
/// advantage; and the pairs of each pairing.
fn thrown_ratings(source: &mut ChaCha8Rng) -> (Ratings, Vec<f64>) {
    let strengths: Vec<f64> = (0..ENTRANTS).map(|_| 400.0 * throw(source)).collect();
    let mut pairs = Vec::new();
    let mut games = Vec::new();
    for (number, pairing) in (1..).zip(round_robin(ENTRANTS)) {
        let count = 6 + source.next_u32() % 20;
        pairs.push(f64::from(count));
        let played = games_of(std::iter::once(pairing), u64::from(count), |one, other| {
            let lead = strengths[one as usize] - strengths[other as usize];
            [lead, -lead].map(|lead| thrown(expected_score(lead), 0.5, source))
        });
        games.extend(played.into_iter().map(|mut game| {
            let own = game.pair.map(|it| it + 1_000 * number);
            (game.opening, game.pair) = (own, own);
            game
        }));
    }
    let tally = Tally::from_games(ENTRANTS, games).expect("legal games");
    let model = RatingModel {
        first_move_advantage: false,
        ..RatingModel::default()
    };
    (rate(&tally, &model).expect("few entrants"), pairs)
}

/// The resistance between two nodes of a network of conductances, by elimination of all others.
fn resistance(mut conductance: Vec<Vec<f64>>, [from, to]: [usize; 2]) -> f64 {
    let nodes = conductance.len();
    for gone in (0..nodes).filter(|&it| it != from && it != to) {
        let row = conductance[gone].clone();
        let sum: f64 = row.iter().sum();
        for one in 0..nodes {
            for other in (0..nodes).filter(|&it| it != one) {
                conductance[one][other] += row[one] * row[other] / sum;
            }
        }
        conductance[gone].fill(0.0);
        for row in &mut conductance {
            row[gone] = 0.0;
        }
    }
    1.0 / conductance[from][to]
}

#[test]
fn the_next_pair_goes_where_it_lowers_the_error_most() {
    let mut source = ChaCha8Rng::seed_from_u64(45);
    for _ in 0..40 {
        let (ratings, pairs) = thrown_ratings(&mut source);
        let open = all_pairings(1);
        let elo = |it: RatedEntrant| ratings.ratings[it.position()].elo;
        let [one, other] = open[source.next_u32() as usize % 10].entrants;
        let after = |more: usize| {
            let mut network = vec![vec![0.0; ENTRANTS as usize]; ENTRANTS as usize];
            for (place, pairing) in open.iter().enumerate() {
                let [a, b] = pairing.entrants;
                let score = expected_score(elo(a) - elo(b));
                let count = pairs[place] + f64::from(u8::from(place == more));
                let of_pairing = 2.0 * count * score * (1.0 - score);
                network[a.position()][b.position()] = of_pairing;
                network[b.position()][a.position()] = of_pairing;
            }
            resistance(network, [one.position(), other.position()])
        };
        let best = ratings.best_pairs(&[[one, other]], 1.0, &open, 1);
        let found = best.iter().position(|&it| it == 1).expect("a pair");
        let least = (0..open.len()).map(after).fold(f64::INFINITY, f64::min);
        assert!(after(found) <= least * (1.0 + 1e-9), "{best:?}");
        // The resistance is the model's variance, in square logits.
        assert!(least.sqrt() * ELO_PER_LOGIT > 1.0);
    }
}

#[test]
fn no_more_pairs_than_are_wanted_or_left() {
    let (ratings, _) = thrown_ratings(&mut ChaCha8Rng::seed_from_u64(1));
    let wanted = [[0, 1], [2, 3]].map(|it| it.map(RatedEntrant));
    for (goal95, left, pairs, dealt) in [
        (1.0, 3, 12, 12),
        (1.0, 3, 1_000, 30),
        (1.0, 0, 1_000, 0),
        (1_000.0, 3, 1_000, 0),
        (1.0, 1_000, 0, 0),
    ] {
        let best = ratings.best_pairs(&wanted, goal95, &all_pairings(left), pairs);
        assert_eq!(best.iter().sum::<u32>(), dealt, "{goal95} {left} {pairs}");
        assert!(best.iter().all(|&it| it <= left), "{best:?}");
    }
    assert_eq!(
        ratings.best_pairs(&[], 1.0, &all_pairings(3), 9),
        vec![0; 10]
    );
}
