//! Of every rating of a large table: how far openings scatter it, and what the model expects of
//! that.

use crate::stats::sparse::measuring::Measuring;
use std::num::NonZero;
use std::thread;

use super::hidden::{Asked, Hidden, LEAST_SHARE, Probes};
use super::parts;
use super::played::{ClusterGames, ClusterSums};
use super::solver::CLOSE;
use crate::stats::uncertainty::{Measured, Share, concentration};

/// Numbers that are measured together, with one pass over all games.
const LANES: usize = 8;

/// What is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Number {
    /// The rating of one entrant against another's, or against the mean of its group.
    Rating(usize, Option<usize>),
    /// The advantage of moving first.
    Advantage,
}

/// Measures numbers. What is found for one does not depend on how many processors there are.
pub fn measure(what: &Measuring<'_>, numbers: &[Number]) -> Vec<Measured> {
    let played = ClusterGames::new(what.layout, what.fit, what.kinds);
    let probes = Probes::new(what);
    let blocks: Vec<&[Number]> = numbers.chunks(LANES).collect();
    let processors = thread::available_parallelism().map_or(1, NonZero::get);
    let each = blocks.len().div_ceil(processors).max(1);
    let opponents = played.opponents(what.layout.size);
    let measured = |blocks: &[&[Number]]| -> Vec<PartialMeasures> {
        let measured = blocks
            .iter()
            .map(|block| some(what, &played, &probes, &opponents, block));
        measured.flatten().collect()
    };
    let parts: Vec<PartialMeasures> = thread::scope(|scope| {
        let shares = blocks.chunks(each);
        let workers: Vec<_> = shares
            .map(|share| scope.spawn(|| measured(share)))
            .collect();
        let found = workers.into_iter().map(|worker| match worker.join() {
            Ok(found) => found,
            Err(panic) => std::panic::resume_unwind(panic),
        });
        found.flatten().collect()
    });
    put_together(what, &opponents, numbers, &parts)
}

/// What is found for a number while others are still being solved for.
struct PartialMeasures {
    sums: ClusterSums,
    hidden: Hidden,
    /// Half of the variance of the difference from each opponent.
    halves: Vec<f64>,
}

fn put_together(
    what: &Measuring<'_>,
    opponents: &[Vec<u32>],
    numbers: &[Number],
    parts: &[PartialMeasures],
) -> Vec<Measured> {
    let mut halves: Vec<&[f64]> = vec![&[]; what.layout.size];
    for (&number, part) in numbers.iter().zip(parts) {
        if let Some(index) = owner(what, number) {
            halves[index] = &part.halves;
        }
    }
    // Nothing is solved for a held rating: its half is 0.
    let half = |of: usize, against: usize| {
        let there = opponents
            .get(of)
            .and_then(|opponents| opponents.binary_search(&u32::try_from(against).ok()?).ok());
        there.map_or(0.0, |place| halves[of][place])
    };
    let measured = numbers.iter().zip(parts).map(|(&number, part)| {
        let own = part.hidden.own.iter().map(|&(other, weight)| {
            let other = other as usize;
            let owner = owner(what, number).expect("own games are those of a rating");
            weight * (half(owner, other) + half(other, owner))
        });
        let unseen = part.hidden.rest + own.sum::<f64>();
        part.sums.with(unseen.max(0.0))
    });
    measured.collect()
}

/// Where the rating of a number's entrant is.
fn owner(what: &Measuring<'_>, number: Number) -> Option<usize> {
    match number {
        Number::Rating(upper, _) => what.layout.index(upper),
        Number::Advantage => None,
    }
}

/// Where the two ratings of a number are.
fn indices(what: &Measuring<'_>, number: Number) -> (Option<usize>, Option<usize>) {
    match number {
        Number::Rating(upper, lower) => (
            what.layout.index(upper),
            lower.and_then(|lower| what.layout.index(lower)),
        ),
        Number::Advantage => (None, None),
    }
}

/// The right-hand sides of the equations of each number: ratings, and the advantage.
fn unit_vectors(what: &Measuring<'_>, numbers: &[Number]) -> (Vec<[f64; LANES]>, [f64; LANES]) {
    let mut ratings = vec![[0.0; LANES]; what.layout.size + 1];
    let mut advantage = [0.0; LANES];
    for (lane, &number) in numbers.iter().enumerate() {
        let (upper, lower) = indices(what, number);
        for (index, sign) in [(upper, 1.0), (lower, -1.0)] {
            if let Some(index) = index {
                ratings[index][lane] += sign;
            }
        }
        advantage[lane] = f64::from(u8::from(number == Number::Advantage));
    }
    (ratings, advantage)
}

/// Measures at most [`LANES`] numbers.
fn some(
    what: &Measuring<'_>,
    played: &ClusterGames,
    probes: &Probes,
    opponents: &[Vec<u32>],
    numbers: &[Number],
) -> Vec<PartialMeasures> {
    let size = what.layout.size;
    let places = |number: Number| indices(what, number);
    let (mut ratings, mut advantage) = unit_vectors(what, numbers);
    let factors = what.factors;
    factors.solve_lanes(&mut ratings[..size], &mut advantage, CLOSE);
    let mut floor = [f64::INFINITY; LANES];
    for (lane, &number) in numbers.iter().enumerate() {
        let (upper, lower) = places(number);
        let at = |index: Option<usize>| index.map_or(0.0, |index| ratings[index][lane]);
        floor[lane] = match number {
            Number::Rating(..) => LEAST_SHARE * (at(upper) - at(lower)),
            Number::Advantage => 0.0,
        };
    }
    let (sums, kept) = played.sums(&ratings, &advantage, &floor);
    let asked: Vec<Asked<'_>> = numbers
        .iter()
        .enumerate()
        .map(|(lane, &number)| {
            let (upper, lower) = places(number);
            Asked {
                parts: parts::ClusterPart::all(
                    played,
                    &kept[lane],
                    &ratings,
                    advantage[lane],
                    lane,
                ),
                sum: sums[lane].sum,
                whole: probes.whole(upper, lower),
                owner: upper,
            }
        })
        .collect();
    let hidden = probes.hidden(what, &asked);
    let all = numbers.iter().zip(sums).zip(hidden).enumerate();
    all.map(|(lane, ((&number, sums), hidden))| {
        let halves = owner(what, number).map_or_else(Vec::new, |owner| {
            let own = ratings[owner][lane];
            let others = opponents[owner].iter();
            others
                .map(|&other| own - ratings[other as usize][lane])
                .collect()
        });
        PartialMeasures {
            sums,
            hidden,
            halves,
        }
    })
    .collect()
}

impl ClusterSums {
    fn with(&self, unseen: f64) -> Measured {
        Measured {
            scatter: self.scatter,
            unseen,
            share: Share {
                sum: self.sum,
                squares: self.squares,
            },
            concentration: concentration(self.scatter, self.fourths),
        }
    }
}
