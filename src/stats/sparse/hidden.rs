//! What the fit hides of a number's variance: `t = Σ_c aᵀH_c H⁺ H_c a`.
//!
//! # With random signs
//! A game with information w gives `ε √w (e_south − e_north + e_A)`, ε = ±1 by chance. The solution
//! z for the sum over all games has the covariance `H⁺`, so `Σ_c (aᵀH_c z)²` is t on average
//! (M. F. Hutchinson 1989). The mean of K such *probes* stands for it. They are the same for all
//! numbers, and always the same.
//!
//! Where few openings have all the games, all of a probe's terms are large or small together. But
//! `(ℓᵀz)²` is q on average, which is known. Its covariance with a probe is `2 Σ q_c²` if z is
//! normal, so `Σ q_c²/q²` times its excess over q is taken off: with openings that are all alike
//! that leaves no error at all.
//!
//! # An entrant's own games
//! Most of t comes from the games of the entrant itself, and most openings have those of one
//! pairing alone. What these hide is known: `aᵀH_k H⁺ H_k a` of a pairing k needs no more than the
//! variance of the difference of the two, of which the solution for the one gives one half and that
//! for the other the other. So their squares are taken out of the probes and put in exactly, unless
//! the mean is surer with them.
//!
//! # Solved for
//! The scatter of the probes says how far their mean may be off. Where the standard error is more
//! than [`TOLERANCE`] of what can be seen, `q − t` (a newcomer's few pairs), the openings that
//! matter most are solved for one by one, and probes stand for the others alone.
//!
//! # What is left out
//! Games far from an entrant add next to nothing to its variance each. Those below
//! [`LEAST_SHARE`] of it are taken to be hidden like the others.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng as _, SeedableRng as _};

use super::parts::{Change, ClusterPart, LANES, energies};
use super::solver::{CLOSE, Lanes};
use crate::stats::sparse::measuring::Measuring;

/// Share of a number's variance that a pairing's games in an opening must add to be looked at.
pub const LEAST_SHARE: f64 = 5e-5;
/// Standard error of t that is allowed, as a share of what can be seen.
const TOLERANCE: f64 = 0.01;
/// Share of the variance that an opening must add to be solved for alone.
const LEAST_SOLVED: f64 = 0.01;
/// Probes, all of which are taken for the numbers for which some openings are solved …
const PROBES: usize = 512;
/// … and fewer for the others: the more openings, the fewer of them.
const FEWEST_PROBES: usize = 16;
const MOST_PROBES: usize = 128;
const OPENINGS_TIMES_PROBES: f64 = 2048.0;
/// Any number: only that it is always the same matters.
const SEED: u64 = 1;

/// Solutions for games with random signs.
#[derive(Debug)]
pub struct Probes {
    /// By rating, those that are not free behind all others; of each [`PROBES`] numbers.
    ratings: Vec<f64>,
    advantage: Vec<f64>,
    /// The covariance of each rating with the advantage, and the variance of that.
    with_advantage: Vec<f64>,
    variance: f64,
}

/// A number whose hidden variance is asked for.
#[derive(Clone, Debug)]
pub struct Asked<'a> {
    /// The pairings that matter to it, by cluster, and what `H` makes of its vector there.
    pub parts: Vec<ClusterPart<'a>>,
    /// `q`
    pub sum: f64,
    /// `ℓᵀz` for each probe z.
    pub whole: Vec<f64>,
    /// Whose rating it is.
    pub owner: Option<usize>,
}

/// What is hidden of a number: the rest, and of each opponent so much for each unit of the
/// variance of the difference.
#[derive(Clone, Debug, Default)]
pub struct Hidden {
    pub rest: f64,
    /// Where each opponent's rating is, and how much.
    pub own: Vec<(u32, f64)>,
}

/// What probes say of some parts of a number.
#[derive(Debug, Default)]
struct Estimate {
    hidden: Hidden,
    /// All of it, with the probes' word for the own games as well.
    sum: f64,
    /// Standard error of the rest.
    error: f64,
    /// The part of the variance that the rest is hidden of.
    others: f64,
}

impl Probes {
    pub fn new(what: &Measuring<'_>) -> Self {
        let size = what.layout.size;
        let mut probes = Self {
            ratings: vec![0.0; (size + 1) * PROBES],
            advantage: vec![0.0; PROBES],
            with_advantage: what.factors.with_advantage(),
            variance: what.factors.pivot.map_or(0.0, |pivot| 1.0 / pivot),
        };
        // Of those who are held.
        probes.with_advantage.push(0.0);
        let mut source = ChaCha8Rng::seed_from_u64(SEED);
        for first in (0..PROBES).step_by(LANES) {
            let mut ratings = vec![[0.0; LANES]; size];
            let mut advantage = [0.0; LANES];
            for term in what.terms {
                let games = term.south_points + term.north_points;
                let size = (games * what.fit.variance(term)).sqrt();
                let bits = source.next_u32();
                let drawn: Lanes<LANES> =
                    std::array::from_fn(|lane| if bits >> lane & 1 == 0 { size } else { -size });
                let sides = [(term.south, 1.0), (term.north, -1.0)];
                for (side, sign) in sides {
                    let Some(index) = what.layout.index(side) else {
                        continue;
                    };
                    for lane in 0..LANES {
                        ratings[index][lane] += sign * drawn[lane];
                    }
                }
                for lane in 0..LANES {
                    advantage[lane] += drawn[lane];
                }
            }
            what.factors
                .solve_lanes(&mut ratings, &mut advantage, CLOSE);
            for (index, value) in ratings.iter().enumerate() {
                let place = index * PROBES + first;
                probes.ratings[place..place + LANES].copy_from_slice(value);
            }
            probes.advantage[first..first + LANES].copy_from_slice(&advantage);
        }
        probes
    }

    /// `ℓᵀz` of every probe, ℓ being 1 at the first rating, −1 at the second; without either it is
    /// the advantage.
    pub fn whole(&self, upper: Option<usize>, lower: Option<usize>) -> Vec<f64> {
        if upper.is_none() && lower.is_none() {
            return self.advantage.clone();
        }
        let at =
            |index: Option<usize>, probe: usize| index.map_or(0.0, |index| self.of(index)[probe]);
        let probes = 0..PROBES;
        probes
            .map(|probe| at(upper, probe) - at(lower, probe))
            .collect()
    }

    fn of(&self, index: usize) -> &[f64] {
        &self.ratings[index * PROBES..(index + 1) * PROBES]
    }

    /// `t` of each number. The parts that are solved for are solved some at a time.
    pub fn hidden(&self, what: &Measuring<'_>, asked: &[Asked<'_>]) -> Vec<Hidden> {
        let mut all = Vec::with_capacity(asked.len());
        let mut queue: Vec<(usize, &ClusterPart<'_>)> = Vec::new();
        for (number, asked) in asked.iter().enumerate() {
            let mut estimate = self.estimate(asked, asked.probes(), |_| true);
            let is_large =
                |part: &ClusterPart<'_>| part.count() * part.sum > LEAST_SOLVED * asked.sum;
            if estimate.error > TOLERANCE * (asked.sum - estimate.sum) {
                estimate = self.estimate(asked, PROBES, |part| !is_large(part));
                let large = asked.parts.iter().filter(|part| is_large(part));
                queue.extend(large.map(|part| (number, part)));
            }
            all.push(estimate.with_far_games(asked));
        }
        for parts in queue.chunks(LANES) {
            for ((number, part), energy) in parts.iter().zip(energies(what, parts)) {
                all[*number].rest += part.count() * energy;
            }
        }
        all
    }

    /// What the clusters asked for hide.
    fn estimate(
        &self,
        asked: &Asked<'_>,
        count: usize,
        is_asked: impl Fn(&ClusterPart<'_>) -> bool,
    ) -> Estimate {
        let parts: Vec<&ClusterPart<'_>> =
            asked.parts.iter().filter(|part| is_asked(part)).collect();
        let squares: f64 = parts
            .iter()
            .map(|part| part.count() * part.sum * part.sum)
            .sum();
        let mut hidden = Hidden::default();
        if squares == 0.0 {
            return Estimate::default();
        }
        let [mut found, mut own] = [vec![0.0; count], vec![0.0; count]];
        let [mut moved, mut here] = [vec![0.0; count], vec![0.0; count]];
        // Of the probes without own games, with the whole: half of it.
        let mut covariance = squares;
        let mut others = 0.0;
        for part in &parts {
            moved.fill(0.0);
            for pairing in &part.pairings {
                self.moved(pairing, &mut here);
                for (moved, here) in moved.iter_mut().zip(&here) {
                    *moved += here;
                }
                if asked.owner.is_some_and(|owner| pairing.is_of(owner)) {
                    for (own, here) in own.iter_mut().zip(&here) {
                        *own += part.count() * here * here;
                    }
                    covariance -= part.count() * pairing.sum * pairing.sum;
                    hidden.take(pairing, asked.owner, part.count(), self);
                } else {
                    others += part.count() * pairing.sum;
                }
            }
            for (found, moved) in found.iter_mut().zip(&moved) {
                *found += part.count() * moved * moved;
            }
        }
        let excess = |whole: &f64| (whole * whole - asked.sum) / (asked.sum * asked.sum);
        let wholes = || asked.whole.iter().map(excess);
        let together = found.iter().zip(wholes());
        let all = mean(together.map(|(it, over)| it - squares * over));
        let terms = found.iter().zip(&own).zip(wholes());
        let rest = mean(terms.map(|((it, own), over)| it - own - covariance * over));
        if all.1 <= rest.1 {
            return Estimate {
                hidden: Hidden {
                    rest: all.0,
                    own: Vec::new(),
                },
                sum: all.0,
                error: all.1,
                others: parts.iter().map(|part| part.count() * part.sum).sum(),
            };
        }
        hidden.rest += rest.0;
        Estimate {
            hidden,
            sum: found.iter().sum::<f64>() / count as f64,
            error: rest.1,
            others,
        }
    }

    /// `aᵀH_k z` of a pairing k for this many probes.
    fn moved(&self, pairing: &Change, moved: &mut [f64]) {
        let (low, high) = (
            self.of(pairing.low as usize),
            self.of(pairing.high as usize),
        );
        let probes = low.iter().zip(high).zip(&self.advantage);
        for (moved, ((low, high), advantage)) in moved.iter_mut().zip(probes) {
            *moved = pairing.ratings * (low - high) + pairing.advantage * advantage;
        }
    }
}

impl Asked<'_> {
    /// How many probes are enough, mostly.
    fn probes(&self) -> usize {
        let parts = self.parts.iter();
        let squares: f64 = parts.map(|part| part.count() * part.sum * part.sum).sum();
        let openings = self.sum * self.sum / squares;
        let enough = (FEWEST_PROBES..MOST_PROBES)
            .step_by(LANES)
            .find(|&probes| openings * probes as f64 >= OPENINGS_TIMES_PROBES);
        enough.unwrap_or(MOST_PROBES)
    }
}

impl Hidden {
    /// Takes the games of a pairing in which the owner plays, exactly.
    fn take(&mut self, pairing: &Change, owner: Option<usize>, count: f64, probes: &Probes) {
        let of = |index: u32| probes.with_advantage[index as usize];
        let with_advantage = of(pairing.low) - of(pairing.high);
        let border = 2.0 * pairing.ratings * pairing.advantage * with_advantage;
        self.rest += count * (border + pairing.advantage * pairing.advantage * probes.variance);
        let is_low = owner == Some(pairing.low as usize);
        let other = if is_low { pairing.high } else { pairing.low };
        self.own
            .push((other, count * pairing.ratings * pairing.ratings));
    }
}

impl Estimate {
    /// What was left out is hidden in the same share as what was not, an entrant's own games aside.
    fn with_far_games(self, asked: &Asked<'_>) -> Hidden {
        let parts = asked.parts.iter();
        let kept: f64 = parts.map(|part| part.count() * part.sum).sum();
        let share = if self.others > 0.0 {
            (self.hidden.rest / self.others).clamp(0.0, 1.0)
        } else {
            1.0
        };
        let mut hidden = self.hidden;
        hidden.rest += share * (asked.sum - kept).max(0.0);
        hidden
    }
}

/// The mean and its standard error.
fn mean(values: impl Iterator<Item = f64>) -> (f64, f64) {
    let values: Vec<f64> = values.collect();
    let number = values.len() as f64;
    let mean = values.iter().sum::<f64>() / number;
    let scatter: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    (mean, (scatter / number / (number - 1.0)).sqrt())
}
