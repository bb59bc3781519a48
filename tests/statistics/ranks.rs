//! Ranks and the best: simulated tournaments hold what is said of them, tables that were once told
//! wrongly are told rightly, and corners are as they must be.

use super::simulated::{games_of, round_robin, throw, thrown};
use awale::stats::elo::expected_score;
use awale::stats::game::{Outcome, RatedEntrant, RatedGame};
use awale::stats::ranks::RankSet;
use awale::stats::rating::rate;
use awale::stats::ratings::{RatingModel, Ratings};
use awale::stats::tally::Tally;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng as _, SeedableRng as _};

fn normal(source: &mut ChaCha8Rng) -> f64 {
    // The sum of twelve: near enough for strengths that nature draws.
    (0..12).map(|_| throw(source)).sum::<f64>() - 6.0
}

fn entrant(place: usize) -> RatedEntrant {
    RatedEntrant(u32::try_from(place).expect("few"))
}

fn fit_by(entrants: usize, games: Vec<RatedGame>, model: &RatingModel) -> Ratings {
    let entrants = u32::try_from(entrants).expect("few");
    let tally = Tally::from_games(entrants, games).expect("legal games");
    rate(&tally, model).expect("few entrants")
}

fn fit(entrants: usize, games: Vec<RatedGame>) -> Ratings {
    fit_by(entrants, games, &RatingModel::default())
}

/// How openings are shared.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Sharing {
    /// All pairings play the same ones.
    Shared,
    /// Each pairing has its own.
    Own,
}

/// The entrants of a tournament.
#[derive(Clone, Debug)]
struct World {
    name: &'static str,
    /// The Elo of one against the other, without the opening.
    above: fn(usize, usize) -> f64,
    entrants: usize,
    pairs: u64,
    sharing: Sharing,
}

const fn equals(_: usize, _: usize) -> f64 {
    0.0
}

fn by_strength(one: usize, other: usize, strength: fn(usize) -> f64) -> f64 {
    strength(one) - strength(other)
}

fn two_classes(one: usize, other: usize) -> f64 {
    by_strength(one, other, |it| {
        400.0 * f64::from(u8::from(it.is_multiple_of(2)))
    })
}

fn three_classes(one: usize, other: usize) -> f64 {
    by_strength(one, other, |it| 500.0 * (it % 3) as f64)
}

fn one_far_above(one: usize, other: usize) -> f64 {
    by_strength(one, other, |it| if it == 0 { 900.0 } else { 0.0 })
}

fn ladder(one: usize, other: usize) -> f64 {
    by_strength(one, other, |it| 25.0 * it as f64)
}

/// Each has a copy of itself.
fn copies(one: usize, other: usize) -> f64 {
    by_strength(one, other, |it| 60.0 * (it / 2) as f64)
}

/// Three kinds, each of which beats the next one: no one is better than another.
fn circle(one: usize, other: usize) -> f64 {
    match (3 + one % 3 - other % 3) % 3 {
        1 => 120.0,
        2 => -120.0,
        _ => 0.0,
    }
}

const fn world(
    name: &'static str,
    above: fn(usize, usize) -> f64,
    entrants: usize,
    pairs: u64,
    sharing: Sharing,
) -> World {
    World {
        name,
        above,
        entrants,
        pairs,
        sharing,
    }
}

const WORLDS: [World; 13] = [
    world("equals", equals, 4, 10, Sharing::Own),
    world("equals", equals, 12, 20, Sharing::Shared),
    world("two classes", two_classes, 12, 10, Sharing::Own),
    world("two classes", two_classes, 8, 40, Sharing::Shared),
    world("three classes", three_classes, 15, 6, Sharing::Own),
    world("one far above", one_far_above, 9, 20, Sharing::Shared),
    world("ladder", ladder, 10, 20, Sharing::Shared),
    world("ladder", ladder, 10, 2, Sharing::Own),
    world("copies", copies, 10, 10, Sharing::Shared),
    world("circle", circle, 9, 20, Sharing::Own),
    world("circle", circle, 12, 10, Sharing::Shared),
    world("equals", equals, 30, 4, Sharing::Own),
    world("equals", equals, 100, 2, Sharing::Own),
];

/// The first of this name.
fn first(name: &str) -> World {
    let world = WORLDS.iter().find(|it| it.name == name);
    world.expect("a world of this name").clone()
}

impl World {
    /// A round robin in pairs. Each opening favours one side, and, in part, one of two entrants.
    fn play(&self, source: &mut ChaCha8Rng) -> Vec<RatedGame> {
        let count = u32::try_from(self.entrants).expect("few");
        let favours: Vec<f64> = (0..self.pairs)
            .map(|_| 30.0 + 60.0 * normal(source))
            .collect();
        let mut played = 0_usize;
        let mut games = games_of(round_robin(count), self.pairs, |one, other| {
            let favour = match self.sharing {
                Sharing::Own => 30.0 + 60.0 * normal(source),
                Sharing::Shared => favours[played % favours.len()],
            };
            played += 1;
            [(one, other), (other, one)].map(|(south, north)| {
                let elo = (self.above)(south as usize, north as usize);
                thrown(expected_score(elo + favour), 0.6, source)
            })
        });
        if self.sharing == Sharing::Shared {
            for game in &mut games {
                game.opening = game.opening.map(|it| it % self.pairs);
            }
        }
        games
    }

    /// The strength by which entrants have true ranks.
    fn strength(&self, one: usize) -> f64 {
        (0..self.entrants)
            .map(|other| (self.above)(one, other))
            .sum()
    }

    /// The first and the last true rank of each entrant: equals share theirs.
    fn true_ranks(&self) -> Vec<(usize, usize)> {
        let strengths: Vec<f64> = (0..self.entrants).map(|it| self.strength(it)).collect();
        let ranks = |&own: &f64| {
            let above = strengths.iter().filter(|&&it| it > own + 1e-6).count();
            let level = strengths.iter().filter(|&&it| it >= own - 1e-6).count();
            (above + 1, level)
        };
        strengths.iter().map(ranks).collect()
    }
}

/// What came of many tournaments of a world.
#[derive(Debug, Default)]
struct Held {
    ranks: f64,
    true_ranks: f64,
    true_best: f64,
    widths: f64,
    contradictions: u32,
}

fn simulate(world: &World, tournaments: u32, seed: u64) -> Held {
    let mut source = ChaCha8Rng::seed_from_u64(seed);
    let truth = world.true_ranks();
    let mut held = Held::default();
    for _ in 0..tournaments {
        let ratings = fit(world.entrants, world.play(&mut source));
        let sets: Vec<RankSet> = ratings.ranks().sets.into_iter().flatten().collect();
        assert_eq!(sets.len(), world.entrants, "{}", world.name);
        for (set, &(first, last)) in sets.iter().zip(&truth) {
            held.ranks += 1.0;
            held.true_ranks += f64::from(u8::from(set.low <= first && set.high >= last));
            held.widths += (set.high - set.low) as f64;
        }
        // Of several that are really the best, each may be it.
        let best = || sets.iter().zip(&truth).filter(|(_, ranks)| ranks.0 == 1);
        let may_be = best().filter(|(set, _)| set.may_be_best()).count();
        held.true_best += may_be as f64 / best().count() as f64;
        held.contradictions += contradictions(&ratings, &sets);
    }
    held
}

/// Sets that part two whom the likelihood of superiority leaves open.
fn contradictions(ratings: &Ratings, sets: &[RankSet]) -> u32 {
    let mut count = 0;
    for (one, upper) in sets.iter().enumerate() {
        for (other, lower) in sets.iter().enumerate() {
            if upper.high < lower.low {
                let difference = ratings.difference(entrant(one), entrant(other));
                let los = difference.and_then(|it| it.los).expect("a difference");
                count += u32::from(los <= 0.975);
            }
        }
    }
    count
}

#[test]
fn true_ranks_are_in_their_sets() {
    let full = std::env::var_os("AWALE_FULL").is_some();
    for (world, seed) in WORLDS.iter().zip(70_001..) {
        // The short form leaves the largest to the full one.
        let tournaments = match (full, world.entrants) {
            (true, _) => 600,
            (false, 0..=15) => 30,
            (false, 16..=50) => 3,
            (false, _) => continue,
        };
        let held = simulate(world, tournaments, seed);
        let World {
            name,
            entrants,
            pairs,
            sharing,
            ..
        } = world;
        let (ranks, best) = (
            held.true_ranks / held.ranks,
            held.true_best / f64::from(tournaments),
        );
        let width = held.widths / held.ranks;
        let shown = format!(
            "{name}, {entrants} entrants, {pairs} pairs, {sharing:?}: ranks {:.1} %, best {:.1} %, \
             {width:.1} ranks wide",
            100.0 * ranks,
            100.0 * best
        );
        if full {
            println!("{shown}");
        }
        // Ranks of one tournament go together: it counts as one observation.
        let least = 0.95 - 3.0 * (0.95 * 0.05 / f64::from(tournaments)).sqrt();
        assert!(ranks >= least && best >= least, "{shown}");
        assert_eq!(held.contradictions, 0, "{shown}");
    }
}

/// Games in pairs, of which the stronger entrant (by `is_above`) wins all but some; equals win by
/// turns as a coin falls.
fn decided(
    entrants: u32,
    pairs: u64,
    is_above: impl Fn(u32, u32) -> bool,
    upsets: usize,
    upset: impl Fn(u32, u32) -> bool,
) -> Vec<RatedGame> {
    let mut source = ChaCha8Rng::seed_from_u64(17);
    let mut games = games_of(round_robin(entrants), pairs, |one, other| {
        [(one, other), (other, one)].map(|(south, north)| {
            let south_wins = match (is_above(south, north), is_above(north, south)) {
                (true, _) => true,
                (_, true) => false,
                _ => source.next_u32().is_multiple_of(2),
            };
            if south_wins {
                Outcome::SouthWins
            } else {
                Outcome::NorthWins
            }
        })
    });
    let places: Vec<usize> = (0..games.len())
        .filter(|&it| upset(games[it].south.0, games[it].north.0))
        .collect();
    // Spread over the tournament.
    for number in 0..upsets {
        let game = &mut games[places[(2 * number + 1) * places.len() / (2 * upsets)]];
        game.outcome = match game.outcome {
            Outcome::SouthWins => Outcome::NorthWins,
            _ => Outcome::SouthWins,
        };
    }
    games
}

fn sets(entrants: usize, games: Vec<RatedGame>) -> Vec<RankSet> {
    fit(entrants, games)
        .ranks()
        .sets
        .into_iter()
        .flatten()
        .collect()
}

/// Whether one set says at least as much good as the other.
fn is_no_worse(one: RankSet, other: RankSet) -> bool {
    one.low <= other.low && one.high <= other.high
}

/// One entrant beats eight equals in all 320 games, or in all but a few.
#[test]
fn who_wins_nearly_all_is_the_best() {
    let table = |lost: usize| {
        let is_above = |one: u32, other: u32| one == 0 && other > 0;
        decided(9, 20, is_above, lost, |south, north| {
            south == 0 || north == 0
        })
    };
    let mut fewer: Option<RankSet> = None;
    for lost in [40, 8, 3, 2, 1, 0] {
        let sets = sets(9, table(lost));
        assert_eq!(
            sets[0],
            RankSet { low: 1, high: 1 },
            "{lost} lost: {sets:?}"
        );
        assert!(
            sets[1..].iter().all(|it| it.low == 2),
            "{lost} lost: {sets:?}"
        );
        assert!(fewer.is_none_or(|before| is_no_worse(sets[0], before)));
        fewer = Some(sets[0]);
    }
}

/// Two and three classes, each of which wins all games against the next one, or all but a few.
#[test]
fn classes_are_parted_by_clean_sweeps_and_by_fewer() {
    for (entrants, classes, pairs) in [(12, 2, 6), (24, 3, 2), (33, 3, 1)] {
        let class = |it: u32| it * classes / entrants;
        for upsets in [3, 1, 0] {
            let games = decided(
                entrants,
                pairs,
                |one, other| class(one) < class(other),
                upsets,
                |south, north| class(south).min(class(north)) == 0 && class(south) != class(north),
            );
            let size = (entrants / classes) as usize;
            for (place, set) in sets(entrants as usize, games).into_iter().enumerate() {
                let first = place / size * size;
                let inside = set.low > first && set.high <= first + size;
                assert!(
                    inside,
                    "{classes} classes, {upsets} upsets: {place} {set:?}"
                );
            }
        }
    }
}

#[test]
fn three_searchers_stand_above_sixteen_starters() {
    let mut source = ChaCha8Rng::seed_from_u64(4);
    let elo = |it: u32| if it < 3 { 600.0 } else { 0.0 };
    let games = games_of(round_robin(19), 8, |one, other| {
        [(one, other), (other, one)]
            .map(|(south, north)| thrown(expected_score(elo(south) - elo(north)), 0.0, &mut source))
    });
    let sets = sets(19, games);
    assert!(sets[..3].iter().all(|it| it.high <= 3), "{sets:?}");
    assert!(sets[3..].iter().all(|it| !it.may_be_best()), "{sets:?}");
}

/// One opening shows no scatter: nothing is said of the difference but itself.
#[test]
fn one_opening_parts_nobody() {
    let won = |opening: fn(u64) -> u64| -> Vec<RatedGame> {
        let row = |pair: u64, south: u32, outcome| RatedGame {
            south: RatedEntrant(south),
            north: RatedEntrant(1 - south),
            outcome,
            opening: Some(opening(pair)),
            pair: Some(pair),
            content: None,
        };
        let pair = |it: u64| {
            let second = if it < 4 {
                Outcome::NorthWins
            } else {
                Outcome::SouthWins
            };
            [row(it, 0, Outcome::SouthWins), row(it, 1, second)]
        };
        (0..6).flat_map(pair).collect()
    };
    let known = |games| {
        fit(2, games)
            .difference(entrant(0), entrant(1))
            .expect("they met")
    };
    let one = known(won(|_| 1));
    assert_eq!((one.error95, one.los, one.margins), (None, None, None));
    // Six of them: what the interval leaves open is open.
    let six = known(won(|pair| pair));
    let error = six.error95.expect("six openings");
    assert_eq!(six.elo > error, six.los.expect("six openings") > 0.975);
}

/// Two anchors in a group of their own, and one pair of entrants with a single opening, leave the
/// others' ranks as they are.
#[test]
fn what_is_unknown_of_some_takes_nothing_from_others() {
    let is_above = |one: u32, other: u32| one == 0 && other > 0 && other < 6;
    let mut games = decided(6, 20, is_above, 0, |_, _| false);
    let base = sets(6, games.clone());
    // Two more, which met only each other and lost to the last one, all from one opening.
    let row = |south: u32, north: u32, outcome, pair| RatedGame {
        south: RatedEntrant(south),
        north: RatedEntrant(north),
        outcome,
        opening: Some(1_000_000),
        pair: Some(pair),
        content: None,
    };
    games.extend([
        row(6, 7, Outcome::SouthWins, 1_000_000),
        row(7, 6, Outcome::SouthWins, 1_000_000),
        row(5, 6, Outcome::SouthWins, 1_000_001),
        row(5, 7, Outcome::SouthWins, 1_000_001),
    ]);
    let after = sets(8, games.clone());
    assert_eq!(base[0], RankSet { low: 1, high: 1 });
    assert!(
        after[0].may_be_best() && after[1..6].iter().all(|it| it.low == 2),
        "{after:?}"
    );
    let anchors = [(RatedEntrant(6), 1000.0), (RatedEntrant(7), 1000.0)];
    let model = RatingModel {
        anchors: anchors.into(),
        ..RatingModel::default()
    };
    let anchored: Vec<_> = fit_by(8, games, &model).ranks().sets;
    let anchored: Vec<RankSet> = anchored.into_iter().flatten().collect();
    assert_eq!(anchored.len(), 8);
    assert!(anchored[0].may_be_best() && anchored[1..6].iter().all(|it| it.low == 2));
}

/// A game won instead of lost makes no set worse, but where the openings scatter otherwise then:
/// that is counted.
#[test]
fn a_game_more_won_is_rarely_worse() {
    let mut source = ChaCha8Rng::seed_from_u64(23);
    let (mut tables, mut worse) = (0_u32, 0_u32);
    for _ in 0..60 {
        let world = World {
            entrants: 4 + source.next_u32() as usize % 5,
            ..first("ladder")
        };
        let games = world.play(&mut source);
        let before = sets(world.entrants, games.clone());
        let lost: Vec<usize> = (0..games.len())
            .filter(|&it| games[it].outcome == Outcome::NorthWins)
            .collect();
        let mut games = games;
        let place = lost[source.next_u32() as usize % lost.len()];
        games[place].outcome = Outcome::SouthWins;
        let south = games[place].south.position();
        let after = sets(world.entrants, games);
        tables += 1;
        worse += u32::from(!is_no_worse(after[south], before[south]));
    }
    assert!(worse * 20 <= tables, "{worse} of {tables}");
}

#[test]
fn of_two_entrants_the_difference_decides() {
    let mut source = ChaCha8Rng::seed_from_u64(3);
    for pairs in [2, 5, 30, 90] {
        let world = World {
            entrants: 2,
            pairs,
            sharing: Sharing::Own,
            ..first("ladder")
        };
        let ratings = fit(2, world.play(&mut source));
        let difference = ratings.difference(entrant(1), entrant(0)).expect("games");
        let ranks = ratings.ranks();
        let sets = [0, 1].map(|it: usize| ranks.sets[it].expect("a set"));
        let expected = if difference.is_parted() { 1 } else { 2 };
        assert_eq!(sets[1].high - sets[1].low + 1, expected);
        assert!((ranks.widening(entrant(0)).expect("a set") - 1.0).abs() < 1e-12);
    }
}

#[test]
fn anchors_stand_as_they_are_given() {
    let mut source = ChaCha8Rng::seed_from_u64(13);
    let world = World {
        entrants: 5,
        pairs: 8,
        ..first("equals")
    };
    let games = world.play(&mut source);
    let anchored = |other: f64| {
        let anchors = [(RatedEntrant(0), 1000.0), (RatedEntrant(1), other)];
        let model = RatingModel {
            anchors: anchors.into(),
            ..RatingModel::default()
        };
        let ratings = fit_by(5, games.clone(), &model);
        let ranks = ratings.ranks();
        [0, 1].map(|it: usize| ranks.sets[it].expect("a set"))
    };
    let [first, second] = anchored(1000.001);
    assert!(first.low == 2 && second.low == 1, "{first:?} {second:?}");
    // No entrant is stronger than one of two equals.
    let [first, second] = anchored(1000.0);
    assert_eq!(first, second);
}

#[test]
fn the_same_games_give_the_same_ranks() {
    let mut source = ChaCha8Rng::seed_from_u64(9);
    let mut games = first("two classes").play(&mut source);
    let there = fit(12, games.clone()).ranks();
    games.reverse();
    assert_eq!(there, fit(12, games).ranks());
}

#[test]
fn without_games_or_errors_nothing_is_said() {
    assert_eq!(fit(3, Vec::new()).ranks().sets, [None; 3]);
    let mut source = ChaCha8Rng::seed_from_u64(4);
    let world = World {
        entrants: 3,
        pairs: 1,
        ..first("equals")
    };
    let mut games = world.play(&mut source);
    for (game, outcome) in games
        .iter_mut()
        .zip([Outcome::SouthWins, Outcome::Draw].iter().cycle())
    {
        game.opening = Some(1);
        game.outcome = *outcome;
    }
    let ratings = fit(3, games);
    assert_eq!(ratings.ratings[0].error95, None);
    assert_eq!(ratings.ranks().sets, [None; 3]);
}
