//! Tournaments of known strengths: an opening of a simulated tournament is one of the recorded
//! ones, drawn at random, and all that is played from it ends as it was recorded. So results of one
//! opening are correlated as those of real bots are, no matter which bots play them.
//!
//! Who plays which opening when is decided by the code that decides it in a run.

use super::super::simulated::{throw, thrown};
use super::recorded_outcomes::{HalfPoints, Table};
use awale::record::GameNumber;
use awale::stats::elo::expected_score;
use awale::stats::game;
use awale::stats::game::Outcome;
use awale::stats::tally::Tally;
use awale::tournament::{
    EntrantIndex, OpeningNumbers, OpeningSharing, OpeningSource, Plan, Schedule, Secret,
};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng as _;
use std::fmt;

/// As many openings as no tournament uses up.
pub const ENDLESS: u32 = 1 << 24;

/// Where most games are to be drawn, about this many of a thousand stay decided.
const DECIDED_OF_1000: u64 = 100;

/// What is simulated.
#[derive(Clone, Copy, Debug)]
pub struct Scenario {
    pub bots: &'static [&'static str],
    pub rounds: u32,
    /// Openings of the list.
    pub openings: u32,
    pub sharing: OpeningSharing,
    /// Whether nine games of ten are draws.
    pub drawn: bool,
    /// The last entrant has played only this many pairs.
    pub newcomer: Option<usize>,
}

impl fmt::Display for Scenario {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (first, count) = (self.bots[0], self.bots.len());
        let sharing = self.sharing;
        write!(
            f,
            "{count} entrants ({first}, …), {} rounds, {sharing:?}",
            self.rounds
        )?;
        if self.openings != ENDLESS {
            write!(f, ", {} openings", self.openings)?;
        }
        if self.drawn {
            write!(f, ", drawn")?;
        }
        self.newcomer
            .map_or(Ok(()), |pairs| write!(f, ", a newcomer of {pairs} pairs"))
    }
}

/// The results of a scenario's entrants from every recorded opening.
pub struct World {
    pub entrants: usize,
    /// By opening, South, North.
    results: Vec<Vec<HalfPoints>>,
}

/// A well-spread function of two numbers (D. Lea, `SplitMix64`'s finaliser).
pub fn mixed(one: u64, other: u64) -> u64 {
    let mut mixed = one.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ other.wrapping_add(0x6a09_e667_f3bc);
    for _ in 0..2 {
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^= mixed >> 31;
    }
    mixed
}

impl World {
    pub fn new(table: &Table, scenario: &Scenario) -> Self {
        let bots: Vec<usize> = scenario.bots.iter().map(|name| table.bot(name)).collect();
        let count = bots.len();
        let row = |opening: usize| {
            let seats = (0..count * count).map(|seat| (bots[seat / count], bots[seat % count]));
            let result = |(south, north): (usize, usize)| {
                let is_drawn = scenario.drawn && !stays_decided(opening, south, north);
                if south == north || is_drawn {
                    1
                } else {
                    table.result(opening, south, north)
                }
            };
            seats.map(result).collect()
        };
        Self {
            entrants: count,
            results: (0..table.openings()).map(row).collect(),
        }
    }

    /// A world of so many openings in which entrants of these strengths, in Elo, play as the model
    /// says, but for what an opening is worth to South.
    pub fn of_strengths(strengths: &[f64], openings: u64) -> Self {
        let count = strengths.len();
        let row = |opening: u64| {
            let mut source = ChaCha8Rng::seed_from_u64(opening);
            // The sum of twelve is near enough to normal.
            let spread: f64 = (0..12).map(|_| throw(&mut source)).sum();
            let favour = 30.0 + 60.0 * (spread - 6.0);
            let seats = (0..count * count).map(|it| strengths[it / count] - strengths[it % count]);
            let result = |lead: f64| match thrown(expected_score(lead + favour), 0.6, &mut source) {
                Outcome::NorthWins => 0,
                Outcome::Draw => 1,
                Outcome::SouthWins => 2,
            };
            seats.map(result).collect()
        };
        Self {
            entrants: count,
            results: (0..openings).map(row).collect(),
        }
    }

    pub fn result(&self, opening: usize, south: usize, north: usize) -> HalfPoints {
        self.results[opening][south * self.entrants + north]
    }

    /// South's mean score over all openings, 0 to 1.
    pub fn expected(&self, south: usize, north: usize) -> f64 {
        let half_points = (0..self.results.len()).map(|it| self.result(it, south, north));
        half_points.map(f64::from).sum::<f64>() / (2.0 * self.results.len() as f64)
    }

    /// Which recorded opening the list of a simulated tournament has under a number.
    pub fn opening(&self, tournament: u64, number: u32) -> usize {
        let openings = self.results.len() as u64;
        usize::try_from(mixed(tournament, u64::from(number)) % openings).expect("few openings")
    }
}

/// Both games of two entrants from one opening stay decided or become draws, more of them from one
/// opening than from another: that leaves an opening's results correlated.
fn stays_decided(opening: usize, south: usize, north: usize) -> bool {
    let sharpness = mixed(1, opening as u64) % 1000;
    let pairing = (south.min(north) << 8 | south.max(north)) as u64;
    mixed(pairing + 2, opening as u64) % 1_000_000 < 2 * DECIDED_OF_1000 * sharpness
}

/// One of a tournament's games.
#[derive(Clone, Copy, Debug)]
pub struct Played {
    pub south: usize,
    pub north: usize,
    /// Number in the list of openings.
    pub opening: u32,
    pub pair: u32,
}

/// A simulated tournament.
pub struct Tournament {
    pub number: u64,
    pub games: Vec<Played>,
}

/// The plan of a scenario's tournament.
pub fn plan(names: &[&str], rounds: u32, sharing: OpeningSharing, number: u64) -> Plan {
    let mut secret = [0; 32];
    secret[..8].copy_from_slice(&number.to_le_bytes());
    Plan {
        openings: OpeningSource::Random { plies: 8 },
        sharing,
        ..Plan::round_robin(names.iter().copied(), rounds, Secret::from_bytes(secret))
    }
}

impl Tournament {
    pub fn new(scenario: &Scenario, number: u64) -> Self {
        let plan = plan(scenario.bots, scenario.rounds, scenario.sharing, number);
        let openings = OpeningNumbers::of_list(&plan, scenario.openings);
        let last = scenario.bots.len() - 1;
        let mut left = scenario.newcomer.unwrap_or(usize::MAX);
        let mut games = Vec::new();
        for pair in Schedule::new(&plan).pairs {
            if pair.entrants.iter().any(|it| it.index() == last) {
                if left == 0 {
                    continue;
                }
                left -= 1;
            }
            for game in GameNumber::BOTH {
                let [south, north] = pair.sides(game).map(EntrantIndex::index);
                games.push(Played {
                    south,
                    north,
                    opening: openings.of_pair(&pair),
                    pair: pair.id.round(),
                });
            }
        }
        Self { number, games }
    }

    /// What a run would count of it.
    pub fn tally(&self, world: &World) -> Tally {
        let entrant = |it: usize| game::RatedEntrant(u32::try_from(it).expect("few"));
        let games = self.games.iter().map(|game| {
            let opening = world.opening(self.number, game.opening);
            let seats = (game.south << 8 | game.north) as u64;
            game::RatedGame {
                south: entrant(game.south),
                north: entrant(game.north),
                outcome: match world.result(opening, game.south, game.north) {
                    0 => Outcome::NorthWins,
                    1 => Outcome::Draw,
                    _ => Outcome::SouthWins,
                },
                opening: Some(u64::from(game.opening)),
                pair: Some(u64::from(game.pair)),
                content: Some(mixed(u64::from(game.opening), seats)),
            }
        });
        Tally::from_games(u32::try_from(world.entrants).expect("few"), games).expect("legal games")
    }
}
