//! Tournaments whose pairs are dealt where they tell most, until the errors between neighbours are
//! small enough: do intervals still hold the truth, and how many games does it save?

use super::campaign::Kept;
use super::claims::{Openings, Statement};
use super::is_full;
use super::known_strengths::{ENDLESS, Played, Scenario, Tournament, World, mixed, plan};
use super::recorded_outcomes::Table;
use super::sequential::position;
use super::true_ratings::{Truth, Weights};
use awale::record::{GameId, GameNumber, PairId};
use awale::rules::{GameResult, Side};
use awale::stats::game::RatedEntrant;
use awale::stats::rating::rate;
use awale::stats::ratings::{Rating, RatingModel, Ratings};
use awale::tournament::OpeningSharing::{Own, Shared};
use awale::tournament::{
    CountedGame, Dealer as _, DealtRound, EntrantIndex, OpeningNumbers, OpeningSharing, Pair, Plan,
    SoFar, Until,
};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

/// Ten bots of spread strength, Elo.
const SPREAD: [f64; 10] = [
    0.0, 40.0, 90.0, 150.0, 230.0, 320.0, 420.0, 530.0, 660.0, 800.0,
];
/// No name is the beginning of another one.
const NAMES: [&str; 10] = ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j"];

/// A tournament that is being played.
struct Playing<'a> {
    world: &'a World,
    plan: Plan,
    openings: OpeningNumbers,
    rounds: Vec<DealtRound>,
    counted: Vec<CountedGame>,
    pairs: BTreeMap<[EntrantIndex; 2], u32>,
    tournament: Tournament,
}

impl<'a> Playing<'a> {
    fn new(world: &'a World, sharing: OpeningSharing, max_pairs: u32, number: u64) -> Self {
        let plan = plan(&NAMES[..world.entrants], max_pairs, sharing, number);
        Self {
            world,
            openings: OpeningNumbers::of_list(&plan, ENDLESS),
            plan,
            rounds: Vec::new(),
            counted: Vec::new(),
            pairs: BTreeMap::new(),
            tournament: Tournament {
                number,
                games: Vec::new(),
            },
        }
    }

    /// Plays a pair more of two entrants, the first of them listed first.
    fn play_pair(&mut self, entrants: [EntrantIndex; 2]) {
        let place = u32::try_from(self.tournament.games.len() / 2).expect("few") + 1;
        let round = self.pairs.entry(entrants).or_default();
        let pair = Pair {
            id: PairId::numbered(place),
            entrants,
            round: *round,
        };
        *round += 1;
        let opening = self.openings.of_pair(&pair);
        for number in GameNumber::BOTH {
            let sides = pair.sides(number);
            let [south, north] = sides.map(EntrantIndex::index);
            self.tournament.games.push(Played {
                south,
                north,
                opening,
                pair: place,
            });
            let drawn = self.world.opening(self.tournament.number, opening);
            self.counted.push(CountedGame {
                id: GameId {
                    pair: pair.id.clone(),
                    number,
                },
                sides,
                result: match self.world.result(drawn, south, north) {
                    0 => GameResult::Win(Side::North),
                    1 => GameResult::Draw,
                    _ => GameResult::Win(Side::South),
                },
                stores: [24; 2],
                start: position(opening),
                content: mixed(u64::from(opening), (south << 8 | north) as u64),
            });
        }
    }

    fn play_round(&mut self, round: DealtRound) {
        for dealt in &round.matches {
            let entrants = self.plan.entrants_of(dealt).expect("entrants of the plan");
            for _ in 0..dealt.pairs {
                self.play_pair(entrants);
            }
        }
        self.rounds.push(round);
    }

    /// A whole tournament.
    fn to_end(world: &'a World, sharing: OpeningSharing, until: &Until, number: u64) -> Self {
        let mut playing = Self::new(world, sharing, until.max_pairs, number);
        while let Some(round) = until.next_round(&playing.so_far()) {
            playing.play_round(round);
        }
        playing
    }

    fn so_far(&self) -> SoFar<'_> {
        let entrants = u32::try_from(self.world.entrants).expect("few");
        SoFar {
            plan: &self.plan,
            rounds: &self.rounds,
            seeds: (0..entrants).map(EntrantIndex).collect(),
            out: BTreeSet::new(),
            games: &self.counted,
        }
    }

    fn pairs(&self) -> u32 {
        self.pairs.values().sum()
    }

    fn ratings(&self) -> Ratings {
        let tally = self.tournament.tally(self.world);
        rate(&tally, &RatingModel::default()).expect("few entrants")
    }
}

/// Two that follow each other in the table.
fn neighbours(ratings: &Ratings) -> Vec<[RatedEntrant; 2]> {
    let mut order: Vec<_> = ratings.ratings.iter().collect();
    order.sort_by(|one, other| other.elo.total_cmp(&one.elo));
    let two = order.windows(2).map(|two| [two[0].entrant, two[1].entrant]);
    two.collect()
}

fn largest_error(ratings: &Ratings) -> f64 {
    let errors = neighbours(ratings).into_iter().map(|[one, other]| {
        let difference = ratings.difference(one, other);
        difference
            .and_then(|it| it.error95)
            .unwrap_or(f64::INFINITY)
    });
    errors.fold(0.0, f64::max)
}

/// The fewest pairs of each pairing, dealt equally, with no larger error between neighbours.
fn equal_pairs(world: &World, sharing: OpeningSharing, error95: f64, number: u64) -> u32 {
    let error = |pairs: u32| {
        let mut playing = Playing::new(world, sharing, 2_000, number);
        for _ in 0..pairs {
            for pairing in playing.plan.pairings().into_keys() {
                playing.play_pair(pairing);
            }
        }
        largest_error(&playing.ratings())
    };
    let (mut few, mut enough) = (1, 16);
    while error(enough) > error95 {
        (few, enough) = (enough, 2 * enough);
    }
    while enough - few > 1 {
        let middle = few.midpoint(enough);
        if error(middle) > error95 {
            few = middle;
        } else {
            enough = middle;
        }
    }
    enough
}

/// What came of many tournaments.
#[derive(Default)]
struct Outcome {
    neighbours: Kept,
    differences: Kept,
    ratings: Kept,
    tournaments: f64,
    rounds: usize,
    pairs: u32,
    /// The pairs that the equal deal needs in the tournaments in which it was tried, and those that
    /// were played in these.
    compared: [u32; 2],
}

fn statement(error95: Option<f64>, off: f64) -> Statement {
    Statement {
        openings: Openings::Many,
        holds: error95.map(|error| off.abs() <= error),
        interval: error95.map(|error| (error, off)),
    }
}

impl Outcome {
    fn add(&mut self, playing: &Playing<'_>) {
        self.tournaments += 1.0;
        self.rounds += playing.rounds.len();
        self.pairs += playing.pairs();
        let ratings = playing.ratings();
        let weights = Weights::of(&playing.tournament, playing.world.entrants);
        let Some(truth) = Truth::new(playing.world, &weights, &ratings.connectivity.group_of)
        else {
            return;
        };
        let of_two = |[one, other]: [RatedEntrant; 2]| {
            let found = ratings.difference(one, other);
            let found = found.filter(|it| it.bound.is_none())?;
            let [upper, lower] = [one, other].map(|it| truth.elo[it.position()]);
            Some(statement(found.error95, found.elo - (upper - lower)))
        };
        let near = neighbours(&ratings).into_iter().filter_map(of_two);
        self.neighbours.add(&near.collect::<Vec<_>>());
        let places = 0..u32::try_from(playing.world.entrants).expect("few");
        let all = places.flat_map(|one| (0..one).map(move |other| [one, other].map(RatedEntrant)));
        let all = all.filter_map(of_two);
        self.differences.add(&all.collect::<Vec<_>>());
        let rated = ratings.ratings.iter().filter(|it| it.bound.is_none());
        let of_one = |it: &Rating| statement(it.error95, it.elo - truth.elo[it.entrant.position()]);
        self.ratings.add(&rated.map(of_one).collect::<Vec<_>>());
    }

    /// The pairs that were played over those of the equal deal.
    fn share(&self) -> f64 {
        let [equal, played] = self.compared;
        f64::from(played) / f64::from(equal)
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let each = self.tournaments;
        write!(
            f,
            "{:.0} pairs in {:.1} rounds, {:.2} times the equal deal\n   neighbours  {}\n   \
             differences {}\n   ratings     {}",
            f64::from(self.pairs) / each,
            self.rounds as f64 / each,
            self.share(),
            self.neighbours,
            self.differences,
            self.ratings
        )
    }
}

/// Plays many tournaments, and deals equally in the first of them, too.
fn simulate(world: &World, sharing: OpeningSharing, until: &Until, tournaments: u64) -> Outcome {
    let pairings = world.entrants * (world.entrants - 1) / 2;
    let pairings = u32::try_from(pairings).expect("few");
    let mut outcome = Outcome::default();
    for number in 1..=tournaments {
        let playing = Playing::to_end(world, sharing, until, number);
        outcome.add(&playing);
        if number <= tournaments.div_ceil(10) {
            let equal = equal_pairs(world, sharing, until.error95, number);
            outcome.compared[0] += equal * pairings;
            outcome.compared[1] += playing.pairs();
        }
    }
    outcome
}

/// Bots of house of ten strengths, some of them near.
const RECORDED: Scenario = Scenario {
    bots: &[
        "minimax1-1",
        "minimax1-2",
        "minimax2-1",
        "minimax2-2",
        "minimax3-1",
        "minimax3-2",
        "minimax4-1",
        "minimax4-2",
        "minimax5-1",
        "minimax6-1",
    ],
    rounds: 1,
    openings: ENDLESS,
    sharing: Own,
    drawn: false,
    newcomer: None,
};

const fn until(error95: f64) -> Until {
    Until {
        error95,
        max_pairs: 400,
        equal: 10.0,
    }
}

#[test]
fn errors_hold_that_ended_a_tournament_and_cost_fewer_games() {
    let worlds = [
        ("spread", World::of_strengths(&SPREAD, 4_000), 0.7),
        ("equals", World::of_strengths(&[0.0; 10], 4_000), 1.1),
        ("house bots", World::new(&Table::recorded(), &RECORDED), 0.7),
    ];
    let (tournaments, terms) = if is_full() {
        (600, vec![(25.0, Own), (50.0, Own), (50.0, Shared)])
    } else {
        (6, vec![(50.0, Own)])
    };
    let mut broken = Vec::new();
    for (error95, sharing) in terms {
        for (name, world, most) in &worlds {
            let outcome = simulate(world, sharing, &until(error95), tournaments);
            println!("{name}, {sharing:?} openings, error95 = {error95}\n   {outcome}");
            for kept in [&outcome.neighbours, &outcome.differences, &outcome.ratings] {
                if kept.coverage() < 0.93 - 3.0 * kept.error() {
                    broken.push(format!("{name}, {sharing:?}, {error95}: {kept}"));
                }
            }
            if outcome.share() > *most {
                broken.push(format!("{name}, {sharing:?}, {error95}: {outcome}"));
            }
        }
    }
    assert!(broken.is_empty(), "{}", broken.join("\n"));
}

/// Two that are exactly as far apart as two equals may be are seldom called equal.
#[test]
fn equals_are_within_the_limit() {
    let world = World::of_strengths(&[40.0, 0.0], 4_000);
    let until = Until {
        error95: 20.0,
        max_pairs: 600,
        equal: 40.0,
    };
    let tournaments = if is_full() { 600 } else { 40 };
    let ended = (1..=tournaments).filter(|&number| {
        let playing = Playing::to_end(&world, Own, &until, number);
        largest_error(&playing.ratings()) > until.error95 && playing.pairs() < until.max_pairs
    });
    let called_equal = ended.count() as f64 / tournaments as f64;
    println!("called equal: {called_equal}");
    assert!(called_equal <= 0.05 + 3.0 * (0.05 * 0.95 / tournaments as f64).sqrt());
}

#[test]
fn a_bot_that_loses_every_game_is_dealt_few() {
    let world = World::of_strengths(&[0.0, 0.0, 0.0, -4_000.0], 200);
    let playing = Playing::to_end(&world, Own, &until(50.0), 1);
    let last = EntrantIndex(3);
    let lost = playing
        .pairs
        .iter()
        .filter(|(pairing, _)| pairing.contains(&last));
    let lost: u32 = lost.map(|(_, pairs)| pairs).sum();
    // More than the first round, and far from the 400 of a pairing.
    assert!(lost <= 60, "{lost} of {:?}", playing.pairs);
    assert!(largest_error(&playing.ratings()).is_infinite());
}

#[test]
fn every_tournament_ends_within_its_most_pairs() {
    let world = World::of_strengths(&SPREAD[..4], 200);
    let most = |max_pairs, error95| Until {
        error95,
        max_pairs,
        equal: 10.0,
    };
    for (sharing, until) in [
        (Own, most(1, 25.0)),
        (Own, most(8, 1.0)),
        (Shared, most(1, 25.0)),
        (Shared, most(40, 1.0)),
    ] {
        let playing = Playing::to_end(&world, sharing, &until, 1);
        assert!(
            playing.pairs.values().all(|&it| it <= until.max_pairs),
            "{until:?}"
        );
        assert!(
            u64::from(playing.pairs()) <= until.most_pairs(4, 20),
            "{until:?}"
        );
        // Neighbours are given up only when they have played all their pairs.
        for pairing in neighbours(&playing.ratings()) {
            let mut pairing = pairing.map(|it| EntrantIndex(it.0));
            pairing.sort();
            assert_eq!(playing.pairs[&pairing], until.max_pairs, "{until:?}");
        }
    }
}

#[test]
fn a_round_follows_from_the_set_of_games_and_leaves_out_who_is_out() {
    let world = World::of_strengths(&[0.0, 150.0, 300.0, 450.0, 600.0], 200);
    let until = until(50.0);
    let mut playing = Playing::new(&world, Own, until.max_pairs, 1);
    for _ in 0..3 {
        let round = until.next_round(&playing.so_far()).expect("a round");
        playing.play_round(round);
    }
    let next = until.next_round(&playing.so_far());
    assert!(next.is_some());
    let mut games = playing.counted.clone();
    games.reverse();
    let turned = SoFar {
        games: &games,
        ..playing.so_far()
    };
    assert_eq!(next, until.next_round(&turned));
    // The strongest stands first, until it is out.
    let ranking = until.ranking(&playing.so_far());
    assert_eq!(ranking, [4, 3, 2, 1, 0].map(EntrantIndex));
    let without = SoFar {
        out: BTreeSet::from([EntrantIndex(4)]),
        ..playing.so_far()
    };
    assert_eq!(until.ranking(&without), [3, 2, 1, 0, 4].map(EntrantIndex));
    let round = until.next_round(&without).expect("a round");
    assert!(
        round
            .matches
            .iter()
            .all(|it| !it.entrants.contains(&"e".to_owned()))
    );
    let none = SoFar {
        out: (1..5).map(EntrantIndex).collect(),
        ..playing.so_far()
    };
    assert_eq!(until.next_round(&none), None);
}
