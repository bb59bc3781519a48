//! How many moves of each entrant took how long.

use crate::rules::Side;
use std::collections::HashMap;

/// Where the intervals begin, in µs: 1, 2 and 5 times each power of ten up to 500 s.
const STARTS: [u64; 27] = {
    let mut starts = [0; 27];
    let (mut place, mut power) = (0, 1);
    while place < starts.len() {
        (starts[place], starts[place + 1], starts[place + 2]) = (power, 2 * power, 5 * power);
        (place, power) = (place + 3, 10 * power);
    }
    starts
};

/// The numbers of moves by entrant and interval of times.
#[derive(Debug)]
pub struct TimeHistograms {
    // This map is only looked up, never iterated.
    entrants: HashMap<String, usize>,
    counts: Vec<[u64; STARTS.len()]>,
}

impl TimeHistograms {
    /// Starts without moves. `names` are the entrants in the order of the plan.
    pub fn new(names: &[String]) -> Self {
        Self {
            entrants: names.iter().cloned().zip(0..).collect(),
            counts: vec![[0; STARTS.len()]; names.len()],
        }
    }

    /// Adds the moves of a game between South and North, in µs for each ply.
    pub fn add(&mut self, entrants: &[String; 2], times_us: &[u64]) {
        for side in Side::BOTH {
            let Some(&entrant) = self.entrants.get(&entrants[side.index()]) else {
                continue;
            };
            for time_us in times_us.iter().skip(side.index()).step_by(2) {
                let later = STARTS.partition_point(|start| start <= time_us);
                self.counts[entrant][later.saturating_sub(1)] += 1;
            }
        }
    }

    /// Where the intervals begin, in µs. The first one contains all shorter times.
    pub const fn starts() -> &'static [u64] {
        &STARTS
    }

    /// The numbers of moves of each entrant, in the order of the plan.
    pub fn rows(&self) -> Vec<Vec<u64>> {
        self.counts.iter().map(|counts| counts.to_vec()).collect()
    }
}
