//! The pairs that decide what luck has decided so far: more games against a yardstick, until the
//! threshold is probably outside of the interval of the score.
//!
//! The width of an interval shrinks with the root of the number of pairs. With n pairs, half a width
//! w and a distance d to the threshold, n (w / d)² pairs are needed if the score stays. A score that
//! is nearly the threshold never leaves it: the number has a bound.

use super::grades::{Grades, GradesRow};
use crate::record::PointsItem;
use crate::report::{MeasuredScore, score};
use crate::text::long_time;
use crate::tournament::LongerPairing;
use std::time::Duration;

/// More than the pairs that are expected to suffice: the score moves, too.
const RESERVE: f64 = 1.25;
/// The most pairs, as a multiple of those that were played.
const MOST_TIMES: f64 = 8.0;

/// What is to be played.
#[derive(Clone, Debug, PartialEq)]
pub struct Decision {
    /// The entrants who hang on luck.
    pub entrants: Vec<String>,
    /// The longer pairings.
    pub longer: Vec<LongerPairing>,
    /// The number of pairs that they add to the plan.
    pub more_pairs: u32,
    /// The time that they need on one slot, if they take as long as the games before.
    pub time: Duration,
}

/// The pairs that decide these grades; `None` if luck has decided nothing.
pub fn decision(grades: &Grades) -> Option<Decision> {
    let mut decision = Decision {
        entrants: Vec::new(),
        longer: Vec::new(),
        more_pairs: 0,
        time: Duration::ZERO,
    };
    for row in &grades.rows {
        for item in row.undecided() {
            let PointsItem::Beats { beats, share, .. } = &item.item else {
                continue;
            };
            let place = grades.yardsticks.iter().position(|it| it == beats);
            let Some(measured) = place.and_then(|place| row.against_yardsticks[place]) else {
                continue;
            };
            let played = u32::try_from(measured.results.games().div_ceil(2)).unwrap_or(u32::MAX);
            let needed = pairs_needed(&measured, *share);
            let longer = LongerPairing {
                entrant: row.entrant().to_owned(),
                yardstick: beats.clone(),
                pairs: needed.max(played + 1),
            };
            decision.more_pairs += longer.pairs - played;
            decision.time += time_of_pair(row) * (longer.pairs - played);
            decision.longer.push(longer);
        }
        if row.undecided().next().is_some() {
            decision.entrants.push(row.entrant().to_owned());
        }
    }
    (!decision.longer.is_empty()).then_some(decision)
}

impl Decision {
    /// The time on so many slots, in words: `about 4 min`.
    pub fn about(&self, slots: u32) -> String {
        format!("about {}", long_time(self.time / slots.max(1)))
    }
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "at most eight times a number of pairs, and no fraction"
)]
fn pairs_needed(measured: &MeasuredScore, share: f64) -> u32 {
    let pairs = measured.results.games() as f64 / 2.0;
    let distance = (score(&measured.results).unwrap_or(share) - share).abs();
    let times = measured.interval.map_or(MOST_TIMES, |(low, high)| {
        let half = (high - low) / 2.0;
        (RESERVE * (half / distance).powi(2)).min(MOST_TIMES)
    });
    (times * pairs).ceil() as u32
}

/// The time of a pair: that of the entrant's moves, because a yardstick answers at once.
fn time_of_pair(row: &GradesRow) -> Duration {
    let games = row.standing.results.games().max(1);
    Duration::from_micros(2 * row.standing.times.total_us() / games)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::tally::Results;

    fn measured(wins: u64, games: u64, half: f64) -> MeasuredScore {
        let score = wins as f64 / games as f64;
        MeasuredScore {
            results: Results {
                wins,
                draws: 0,
                losses: games - wins,
            },
            interval: Some((score - half, score + half)),
        }
    }

    /// The number of pairs by hand: 100 · 1.25 · (0.08 / 0.04)² = 500.
    #[test]
    fn the_interval_shrinks_with_the_root_of_the_pairs() {
        for (wins, half, share, pairs) in [
            (108, 0.08, 0.5, 500),
            (92, 0.08, 0.5, 500),
            (108, 0.04, 0.5, 125),
            // Never decided: the bound.
            (100, 0.07, 0.5, 800),
            (101, 0.07, 0.5, 800),
        ] {
            let needed = pairs_needed(&measured(wins, 200, half), share);
            assert!(needed.abs_diff(pairs) <= 1, "{needed} instead of {pairs}");
        }
    }
}
