//! The search of `minimax` as under a clock: nodes a second and the depth that it reaches in 100 ms
//! from the positions of `positions.txt`, each with an empty table. Prints `NAME VALUE` lines.
//!
//! The time is the processor's, so that other programs on the machine disturb it less.

use awale::engine::{Budget, Engine, House, MinimaxOptions};
use awale::rules::{Game, Position, RuleSet};
use nix::time::{ClockId, clock_gettime};
use std::time::Duration;

const POSITIONS: &str = include_str!("positions.txt");
const TIME: Duration = Duration::from_millis(100);
/// Each position is searched so many times; the median counts.
const RUNS: usize = 5;

fn main() {
    let lines = POSITIONS.lines().filter(|line| !line.starts_with('#'));
    let (mut rates, mut depths) = (Vec::new(), Vec::new());
    for line in lines {
        let mut words = line.split_whitespace();
        let (Some(name), Some(text)) = (words.next(), words.next()) else {
            panic!("not a name and a position: {line:?}")
        };
        let position: Position = text.parse().expect("a position");
        let runs: Vec<(f64, u32)> = (0..RUNS).map(|_| search(position)).collect();
        let rate = median(runs.iter().map(|run| run.0).collect());
        let depth = median(runs.iter().map(|run| f64::from(run.1)).collect());
        println!("nodes_per_second_{name} {rate:.0}");
        println!("depth_{name} {depth:.0}");
        rates.push(rate);
        depths.push(depth);
    }
    println!("nodes_per_second_median {:.0}", median(rates));
    println!("depth_median {:.1}", median(depths));
}

/// Nodes a second and the depth of one search.
fn search(position: Position) -> (f64, u32) {
    let options = MinimaxOptions::default();
    let mut engine = Engine::new(House::Minimax(options));
    let game = Game::new(RuleSet::default(), position);
    let started = processor_time();
    let stop = || processor_time().saturating_sub(started) >= TIME;
    let budget = Budget {
        stop: Some(&stop),
        ..Budget::default()
    };
    let choice = engine.choose(&game, &budget).expect("the game goes on");
    let seconds = processor_time().saturating_sub(started).as_secs_f64();
    (choice.nodes as f64 / seconds, choice.depth)
}

fn processor_time() -> Duration {
    let time = clock_gettime(ClockId::CLOCK_THREAD_CPUTIME_ID).expect("the clock of a thread");
    time.into()
}

/// Of an odd number of values, or of two middle ones the mean.
fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    let middle = values.len() / 2;
    if values.len() % 2 == 1 {
        values[middle]
    } else {
        f64::midpoint(values[middle - 1], values[middle])
    }
}
