//! A round robin whose pairs are dealt where they tell most, until the table is exact enough.
//!
//! The first round has a few pairs of every pairing. After each round the games so far are rated as
//! the tables rate them, and the next round is a batch of pairs that lower the largest error of a
//! difference between *neighbours* most: two that follow each other in the table, or that the games
//! do not part yet. Without the latter the luck of the first round would last: of ten equals, those
//! at both ends would not meet again, and their intervals would hold in 77 of 100 cases.
//!
//! The tournament is over when all neighbours are settled:
//!
//! ```text
//! exact         half the 95 % interval of their difference is at most `error95`
//! equal         the interval, for all times at once, lies within ± `equal`
//! out of reach  one won every game, and they are so far apart that not even `max_pairs` pairs of
//!               the two would make the difference exact: all such pairs would end alike
//! played out    the two have played `max_pairs` pairs
//! ```
//!
//! Neighbours in the table without an error are dealt pairs with each other: one of them won every
//! game, or there are too few openings.
//!
//! A batch is a fifth of what was played, because bots start again after each round: a tenth saves
//! 1 % of the games. No pairing is dealt more than `max_pairs`, and every round has a pair, so each
//! tournament ends. Anchors are no part of the plan and decide no pairs.

use super::{CountedGame, Dealer, DealtRound, Match, SoFar, sorted};
use crate::rules::{GameResult, Side};
use crate::stats::allocation::OpenPairing;
use crate::stats::anytime::widening;
use crate::stats::elo::{ELO_PER_LOGIT, NORMAL_95, expected_score};
use crate::stats::game::{Outcome, RatedEntrant, RatedGame};
use crate::stats::rating::rate;
use crate::stats::ratings::{RatingModel, Ratings};
use crate::stats::tally::Tally;
use crate::tournament::plan::{EntrantIndex, Until, meetings};
use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};

/// Pairs of each pairing in the first round.
const FIRST_PAIRS: u32 = 6;
/// A batch is one part in so many of the pairs so far.
const BATCH: u32 = 5;
/// Pairs by pairing, the entrant listed first in the plan before the other.
type Pairs = BTreeMap<[EntrantIndex; 2], u32>;

/// Whether two neighbours need more pairs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Need {
    /// No more.
    Settled,
    /// The error of their difference is too large.
    LessError,
    /// There is no error yet.
    AnyError,
}

impl Dealer for Until {
    fn next_round(&self, so_far: &SoFar<'_>) -> Option<DealtRound> {
        let pairs = if so_far.rounds.is_empty() {
            self.first_pairs(so_far)
        } else {
            self.batch(so_far)?
        };
        let names = |pairing: [EntrantIndex; 2]| {
            pairing.map(|it| so_far.plan.entrants[it.index()].name.clone())
        };
        let dealt = pairs.into_iter().filter(|&(_, pairs)| pairs > 0);
        let matches: Vec<Match> = dealt
            .map(|(pairing, pairs)| Match {
                entrants: names(pairing),
                pairs,
                part: String::new(),
            })
            .collect();
        let number = u32::try_from(so_far.rounds.len()).expect("few rounds") + 1;
        (!matches.is_empty()).then(|| DealtRound {
            number,
            name: format!("round {number}"),
            matches,
            ..DealtRound::default()
        })
    }

    fn ranking(&self, so_far: &SoFar<'_>) -> Vec<EntrantIndex> {
        let ratings = ratings(so_far);
        let mut order = ratings.map_or_else(
            || so_far.seeds.clone(),
            |ratings| table_order(&ratings, &so_far.seeds),
        );
        order.sort_by_key(|it| so_far.out.contains(it));
        order
    }

    fn most_pairs(&self, entrants: u32, _: u32) -> u64 {
        let entrants = u64::from(entrants);
        entrants * entrants.saturating_sub(1) / 2 * u64::from(self.max_pairs)
    }
}

impl Until {
    fn first_pairs(&self, so_far: &SoFar<'_>) -> Pairs {
        let entrants = entrants_in(so_far);
        let are_in = |it: &[EntrantIndex; 2]| it.iter().all(|it| entrants.contains(it));
        let pairs = FIRST_PAIRS.min(self.max_pairs);
        let all = meetings(so_far.plan).into_iter().filter(are_in);
        all.map(|it| (it, pairs)).collect()
    }

    /// The pairs of a later round; `None` where the games cannot be rated.
    fn batch(&self, so_far: &SoFar<'_>) -> Option<Pairs> {
        let ratings = ratings(so_far)?;
        let order = table_order(&ratings, &entrants_in(so_far));
        let played = dealt_pairs(so_far);
        let (mut pairs, mut unsure, mut open) = (Pairs::new(), Vec::new(), Vec::new());
        for (place, &one) in order.iter().enumerate() {
            for (away, &other) in (1..).zip(&order[place + 1..]) {
                let pairing = sorted([one, other]);
                let already = played.get(&pairing).copied().unwrap_or_default();
                let Some(left) = self.max_pairs.checked_sub(already).filter(|&it| it > 0) else {
                    continue;
                };
                let entrants = [one, other].map(rated);
                open.push(OpenPairing { entrants, left });
                match self.need(&ratings, entrants, away == 1) {
                    Need::Settled => {}
                    Need::LessError => unsure.push(entrants),
                    Need::AnyError => {
                        pairs.insert(pairing, already.max(FIRST_PAIRS).min(left));
                    }
                }
            }
        }
        let all: u32 = played.values().sum();
        let batch = (all / BATCH).max(u32::try_from(order.len()).expect("few entrants"));
        let best = ratings.best_pairs(&unsure, self.error95, &open, batch);
        for (pairing, more) in open.iter().zip(best) {
            let entrants = pairing.entrants.map(|it| EntrantIndex(it.0));
            let dealt = pairs.entry(sorted(entrants)).or_default();
            *dealt = (*dealt).max(more);
        }
        Some(pairs)
    }

    /// `is_next`: whether the two follow each other in the table.
    fn need(&self, ratings: &Ratings, [one, other]: [RatedEntrant; 2], is_next: bool) -> Need {
        let any_error = if is_next {
            Need::AnyError
        } else {
            Need::Settled
        };
        let Some(difference) = ratings.difference(one, other) else {
            return any_error;
        };
        let Some(error95) = difference.error95 else {
            let is_settled = difference.bound.is_some() && self.is_out_of_reach(difference.elo);
            return if is_settled { Need::Settled } else { any_error };
        };
        // For all times at once, the share of the time being that of the information.
        let widening = widening((self.error95 / error95).powi(2));
        let is_parted = difference.margins.is_some_and(|it| it.abs() > widening);
        let is_equal = difference.elo.abs() + error95 * widening <= self.equal;
        if error95 <= self.error95 || is_equal || (is_parted && !is_next) {
            Need::Settled
        } else {
            Need::LessError
        }
    }

    /// Whether all pairs of two entrants so many Elo apart would leave their difference with too
    /// large an error.
    fn is_out_of_reach(&self, elo: f64) -> bool {
        let score = expected_score(elo);
        let information = 2.0 * f64::from(self.max_pairs) * score * (1.0 - score);
        NORMAL_95 * ELO_PER_LOGIT > self.error95 * information.sqrt()
    }
}

/// The entrants that are in.
fn entrants_in(so_far: &SoFar<'_>) -> Vec<EntrantIndex> {
    let all = so_far.seeds.iter().copied();
    all.filter(|it| !so_far.out.contains(it)).collect()
}

/// The pairs that were dealt so far.
fn dealt_pairs(so_far: &SoFar<'_>) -> Pairs {
    let mut pairs = Pairs::new();
    for dealt in so_far.rounds.iter().flat_map(|it| &it.matches) {
        if let Some(pairing) = so_far.plan.entrants_of(dealt) {
            *pairs.entry(sorted(pairing)).or_default() += dealt.pairs;
        }
    }
    pairs
}

/// The ratings of the games so far; `None` if there are too many entrants.
fn ratings(so_far: &SoFar<'_>) -> Option<Ratings> {
    let entrants = u32::try_from(so_far.plan.entrants.len()).expect("few entrants");
    let games = so_far.games.iter().map(rated_game);
    let tally = Tally::from_games(entrants, games).expect("two entrants of the plan");
    rate(&tally, &RatingModel::default()).ok()
}

fn rated_game(game: &CountedGame) -> RatedGame {
    let [south, north] = game.sides.map(rated);
    let mut opening = DefaultHasher::new();
    game.start.hash(&mut opening);
    RatedGame {
        south,
        north,
        outcome: match game.result {
            GameResult::Win(Side::South) => Outcome::SouthWins,
            GameResult::Win(Side::North) => Outcome::NorthWins,
            GameResult::Draw => Outcome::Draw,
        },
        opening: Some(opening.finish()),
        pair: Some(game.id.pair.key()),
        content: Some(game.content),
    }
}

const fn rated(entrant: EntrantIndex) -> RatedEntrant {
    RatedEntrant(entrant.0)
}

/// Entrants by Elo, the strongest first, but none before one that won every game against it,
/// directly or through others.
fn table_order(ratings: &Ratings, entrants: &[EntrantIndex]) -> Vec<EntrantIndex> {
    let rating = |it: &EntrantIndex| &ratings.ratings[it.index()];
    let mut waiting = entrants.to_vec();
    waiting.sort_by(|one, other| {
        let by_elo = rating(other).elo.total_cmp(&rating(one).elo);
        by_elo.then(one.cmp(other))
    });
    let mut order = Vec::with_capacity(waiting.len());
    while !waiting.is_empty() {
        let is_beaten = |it: &EntrantIndex| {
            let above = |other| {
                ratings
                    .connectivity
                    .is_above(rating(other).group, rating(it).group)
            };
            waiting.iter().any(above)
        };
        let next = waiting.iter().position(|it| !is_beaten(it));
        order.push(waiting.remove(next.expect("groups are in an order")));
    }
    order
}
