//! A sequential test on many machines, simulated: machines that are slow, shards that are lost, losses
//! that end first. The verdict is that of one machine, and what is wasted has a bound.
//!
//! `AWALE_FULL=1` simulates more tests, and prints the table of `docs/scale.md`.

use awale::stats::sprt::{Model, PairCounts, Settings, Sprt, SprtCounts, State};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Pairs that always decide it.
const MOST: usize = 400_000;
/// Pairs of a shard.
const EACH: usize = 4;
/// Of 100 shards, how many are lost and come again.
const LOST: u64 = 1;
/// Of 100 machines, how many are ten times as slow as the others.
const SLOW: u64 = 2;
/// The shares of pairs with 0 to 4 half points: some 2.4 Elo.
const SHARES: [f64; 5] = [0.03, 0.22, 0.49, 0.226, 0.034];

/// A pair before it is played: its cell, and how long it takes.
#[derive(Clone, Copy)]
struct PlannedPair {
    cell: usize,
    time: u64,
}

struct Simulation {
    sprt: Sprt,
    pairs: Vec<PlannedPair>,
    random: ChaCha8Rng,
}

/// How a test ended.
#[derive(Debug, PartialEq)]
struct End {
    state: State,
    /// Pairs that counted.
    counted: usize,
    /// Pairs that were played or begun, and do not count.
    wasted: usize,
    /// The time until it was decided.
    time: u64,
}

impl Simulation {
    fn new(seed: u64, most: usize) -> Self {
        let sprt = Sprt::try_from(Settings {
            elo0: 0.0,
            elo1: 2.0,
            alpha: 0.05,
            beta: 0.05,
            model: Model::Logistic,
        });
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        let pairs = (0..most).map(|_| {
            let mut left = (random.next_u64() >> 11) as f64 * 2.0_f64.powi(-53);
            let cell = SHARES.iter().position(|share| {
                left -= share;
                left < 0.0
            });
            let cell = cell.unwrap_or(4);
            // Losses end first, and no two pairs take the same time.
            let time = [600, 800, 1_000, 1_200, 1_400][cell] + random.next_u64() % 400;
            PlannedPair { cell, time }
        });
        Self {
            pairs: pairs.collect(),
            sprt: sprt.expect("settings"),
            random,
        }
    }

    /// Counts a pair, and looks.
    fn count(&self, counts: &mut [u64; 5], pair: usize) -> State {
        counts[self.pairs[pair].cell] += 1;
        let counts = SprtCounts::Pairs(PairCounts(*counts));
        self.sprt.evaluate(&counts).state
    }

    /// The verdict after the pairs in this order, and how many were counted.
    fn verdict(&self, order: impl Iterator<Item = usize>) -> (State, usize) {
        let mut counts = [0; 5];
        let mut counted = 0;
        for pair in order {
            counted += 1;
            let state = self.count(&mut counts, pair);
            if state != State::Continue {
                return (state, counted);
            }
        }
        (State::Continue, counted)
    }

    /// The test with so many machines, each of which takes the next shard when it is free.
    fn on(&mut self, machines: usize) -> (End, Vec<usize>) {
        let shards = self.pairs.len() / EACH;
        let mut done = vec![false; shards];
        let mut finished = Vec::new();
        // Ends of shards: the moment, the machine, the shard; and those that must be played again.
        let mut ends = BinaryHeap::new();
        let mut again: Vec<usize> = Vec::new();
        let (mut next, mut whole) = (0, 0);
        let (mut counts, mut counted) = ([0; 5], 0);
        let slow: Vec<bool> = (0..machines)
            .map(|_| self.random.next_u64() % 100 < SLOW)
            .collect();
        let mut free: Vec<(u64, usize)> = (0..machines).map(|it| (0, it)).collect();
        loop {
            while let Some((now, machine)) = free.pop() {
                let shard = again.pop().unwrap_or_else(|| {
                    next += 1;
                    next - 1
                });
                if shard >= shards {
                    continue;
                }
                let time: u64 = (0..EACH).map(|it| self.pairs[EACH * shard + it].time).sum();
                let time = if slow[machine] { 10 * time } else { time };
                ends.push(Reverse((now + time, machine, shard)));
            }
            let Some(Reverse((now, machine, shard))) = ends.pop() else {
                break;
            };
            free.push((now, machine));
            if self.random.next_u64() % 100 < LOST {
                again.push(shard);
                continue;
            }
            done[shard] = true;
            finished.extend((0..EACH).map(|it| EACH * shard + it));
            while done.get(whole) == Some(&true) {
                for pair in EACH * whole..EACH * (whole + 1) {
                    counted += 1;
                    let state = self.count(&mut counts, pair);
                    if state != State::Continue {
                        let end = End {
                            state,
                            counted,
                            wasted: EACH * next.min(shards) - counted,
                            time: now,
                        };
                        return (end, finished);
                    }
                }
                whole += 1;
            }
        }
        panic!("{} pairs do not decide it", self.pairs.len());
    }
}

#[test]
fn a_test_on_many_machines_has_the_verdict_of_one() {
    let is_full = std::env::var_os("AWALE_FULL").is_some();
    let tests = if is_full { 100_u32 } else { 3 };
    for machines in [8, 100, 1_000] {
        let (mut counted, mut wasted, mut time, mut ideal) = (0, 0, 0, 0);
        let mut other = 0;
        for seed in 0..tests {
            let mut simulation = Simulation::new(u64::from(seed), MOST);
            let (end, finished) = simulation.on(machines);
            let expected = simulation.verdict(0..MOST);
            assert_eq!(
                (end.state, end.counted),
                expected,
                "seed {seed}, {machines} machines"
            );
            // What has ended by then, in that order, as a careless test would count it.
            let (careless, _) = simulation.verdict(finished.into_iter());
            other += u32::from(careless != end.state);
            counted += end.counted;
            wasted += end.wasted;
            time += end.time;
            let alone: u64 = simulation.pairs[..end.counted]
                .iter()
                .map(|it| it.time)
                .sum();
            ideal += alone / machines as u64;
        }
        if is_full {
            println!(
                "{machines} machines: {:.0} pairs count, {:.1} % more are played, {:.2} times the least \
                 time, {other} of {tests} other verdicts in the order of finishing",
                counted as f64 / f64::from(tests),
                100.0 * wasted as f64 / counted as f64,
                time as f64 / ideal as f64
            );
        }
    }
}
