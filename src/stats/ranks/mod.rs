//! Who is really the best: what the errors of all ratings together leave open about ranks.
//!
//! ```text
//! joint    the joint distribution of a group's ratings, from the errors of all differences
//! prior    what the spread of all ratings says of each: a normal distribution of strengths
//! offsets  where groups stand that won or lost every game against the others
//! random   normal numbers from ChaCha
//! ```
//!
//! Tables are drawn at random, thousands of them, as the games leave them possible. In each, every
//! entrant has a rank. The share of tables in which it is first is its probability to be the best;
//! its interval is the shortest run of ranks that holds 95 % of the tables, or more, since ranks
//! are whole numbers.
//!
//! The ratings that are drawn are not simply those of the fit with their errors. The first of many
//! is first because it is strong *and* because it was lucky, and who adds errors once more to lucky
//! numbers believes the luck. From four entrants on, strengths are therefore taken as drawn from a
//! normal distribution whose spread is estimated along with them (B. Efron and C. Morris 1975; A.
//! Gelman, *Prior distributions for variance parameters*, 2006: uniform on the standard deviation):
//! then statements hold as often as they say over all entrants of a tournament. The spread of two
//! or three says nothing; they are taken as they are.
//!
//! *Simultaneous* intervals hold all at once: with 95 % none of the differences of a group is
//! outside its own. They are the intervals of single differences, widened by the 95 % point of the
//! largest of all studentised differences over that of one (max-t; J. W. Tukey 1953).

mod joint;
mod offsets;
mod prior;
mod random;

use crate::stats::game::RatedEntrant;
use crate::stats::ratings::Ratings;
use joint::Joint;
use offsets::Offsets;
use prior::Posterior;
use random::Normal;
use std::cmp::Reverse;
/// Tables that are drawn, unless that is too much work.
const MOST_TABLES: usize = 10_000;
/// Fewer would leave probabilities rougher than two in a hundred.
const FEWEST_TABLES: usize = 1_000;
/// Numbers to work out over all tables, beyond which fewer are drawn.
const WORK: usize = 400_000_000;

/// What is known of an entrant's rank among those of its component.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RankOutlook {
    /// The probability that no other entrant is stronger.
    pub best: f64,
    /// The best rank of its 95 % interval; 1 is the strongest.
    pub low: usize,
    /// The worst rank of its 95 % interval.
    pub high: usize,
}

/// What is known of all ranks.
#[derive(Clone, Debug, PartialEq)]
pub struct Ranks {
    /// By entrant; `None` for who is alone in its component, and where nothing is known of errors.
    pub outlooks: Vec<Option<RankOutlook>>,
    /// By group: how many times as wide intervals of differences are that hold all at once.
    widening: Vec<Option<f64>>,
    group_of: Vec<usize>,
}

impl Ranks {
    /// Of this many entrants, with nothing known.
    pub fn unknown(entrants: usize) -> Self {
        Self {
            outlooks: vec![None; entrants],
            widening: Vec::new(),
            group_of: vec![0; entrants],
        }
    }

    /// How many times as wide the interval of a difference is that holds together with those of all
    /// other differences of the group; `None` for two of different groups.
    pub fn widening(&self, one: RatedEntrant, other: RatedEntrant) -> Option<f64> {
        let [one, other] = [one, other].map(|it| self.group_of[it.position()]);
        if one == other {
            self.widening.get(one).copied().flatten()
        } else {
            None
        }
    }
}

impl Ratings {
    /// What these ratings and their errors leave open about ranks. Takes time with the square of
    /// the number of entrants. The same ratings give the same numbers.
    pub fn ranks(&self) -> Ranks {
        let mut ranks = Ranks {
            widening: vec![None; self.connectivity.groups.len()],
            group_of: self.connectivity.group_of.clone(),
            ..Ranks::unknown(self.ratings.len())
        };
        for component in &self.connectivity.components {
            if component.len() < 2 {
                continue;
            }
            let members: Vec<usize> = component.iter().map(|it| it.position()).collect();
            if let Some(drawn) = self.ranks_of(&members, &mut ranks.widening) {
                for (member, outlook) in members.into_iter().zip(drawn) {
                    ranks.outlooks[member] = Some(outlook);
                }
            }
        }
        ranks
    }

    /// Of the entrants of a component. `None` where no error is known in one of its groups.
    fn ranks_of(
        &self,
        members: &[usize],
        widening: &mut [Option<f64>],
    ) -> Option<Vec<RankOutlook>> {
        let mut groups: Vec<usize> = members
            .iter()
            .map(|&it| self.connectivity.group_of[it])
            .collect();
        // The largest first; of several the one with the lowest number.
        let size = |group: &usize| self.connectivity.groups[*group].len();
        groups.sort_unstable_by_key(|group| (Reverse(size(group)), *group));
        groups.dedup();
        let mut offsets = Offsets::new(self, &groups);
        let work = members.len() * members.len() + offsets.work();
        let tables = (WORK / work).clamp(FEWEST_TABLES, MOST_TABLES);
        let mut normal = Normal::new(members[0] as u64);
        let mut posteriors = Vec::with_capacity(groups.len());
        for &group in &groups {
            let joint = Joint::of_group(self, group);
            match &joint {
                Some(joint) => {
                    widening[group] = Some(joint.widening(tables, &mut normal));
                }
                None if self.connectivity.groups[group].len() > 1 => return None,
                None => {}
            }
            posteriors.push(Posterior::new(self, group, joint, tables));
        }
        let mut counts = RankCounts::new(members.len());
        let mut strengths = vec![0.0; self.ratings.len()];
        for table in 0..tables {
            let mut drawn = posteriors
                .iter()
                .map(|posterior| posterior.draw(table, &mut normal, &mut strengths));
            let of_largest = drawn.next().flatten();
            drawn.for_each(drop);
            offsets.draw(of_largest, &mut normal, &mut strengths);
            counts.add(members.iter().map(|&member| strengths[member]));
        }
        Some(counts.outlooks())
    }
}

/// How often each of some entrants had each rank.
struct RankCounts {
    entrants: usize,
    /// By entrant, then rank.
    counts: Vec<u32>,
    tables: u32,
    /// Kept from table to table.
    order: Vec<(f64, usize)>,
}

impl RankCounts {
    fn new(entrants: usize) -> Self {
        Self {
            entrants,
            counts: vec![0; entrants * entrants],
            tables: 0,
            order: Vec::with_capacity(entrants),
        }
    }

    fn add(&mut self, strengths: impl Iterator<Item = f64>) {
        self.order.clear();
        self.order.extend(strengths.zip(0..));
        self.order.sort_by(|one, other| other.0.total_cmp(&one.0));
        let mut rank = 0;
        for place in 0..self.order.len() {
            // Anchors may be equals.
            if place == 0 || self.order[place].0 < self.order[place - 1].0 {
                rank = place;
            }
            self.counts[self.order[place].1 * self.entrants + rank] += 1;
        }
        self.tables += 1;
    }

    fn outlooks(&self) -> Vec<RankOutlook> {
        let outlook = |counts: &[u32]| {
            let (low, high) = shortest(counts, self.tables);
            RankOutlook {
                best: f64::from(counts[0]) / f64::from(self.tables),
                low,
                high,
            }
        };
        self.counts.chunks(self.entrants).map(outlook).collect()
    }
}

/// The shortest run of ranks, from 1, with 95 % of the tables; of several the one with the best.
fn shortest(counts: &[u32], tables: u32) -> (usize, usize) {
    let mut sums = vec![0_u64];
    for &count in counts {
        sums.push(sums[sums.len() - 1] + u64::from(count));
    }
    let is_enough =
        |start: usize, end: usize| 100 * (sums[end] - sums[start]) >= 95 * u64::from(tables);
    let runs = (1..=counts.len())
        .flat_map(|length| (0..=counts.len() - length).map(move |start| (start, start + length)));
    let mut enough = runs.filter(|&(start, end)| is_enough(start, end));
    enough
        .next()
        .map_or((1, counts.len()), |(start, end)| (start + 1, end))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_of_ranks_are_as_short_as_they_can_be() {
        for (counts, run) in [
            (&[95, 5, 0, 0][..], (1, 1)),
            (&[94, 6, 0, 0], (1, 2)),
            (&[3, 94, 3, 0], (1, 2)),
            (&[2, 94, 4, 0], (1, 2)),
            (&[0, 94, 4, 2], (2, 3)),
            (&[25, 25, 25, 25], (1, 4)),
            (&[0, 0, 0, 100], (4, 4)),
            (&[10, 0, 0, 90], (1, 4)),
        ] {
            assert_eq!(shortest(counts, 100), run, "{counts:?}");
        }
    }

    #[test]
    fn equals_share_a_rank() {
        let mut counts = RankCounts::new(3);
        for _ in 0..3 {
            counts.add([1.0, 2.0, 2.0].into_iter());
        }
        counts.add([3.0, 2.0, 1.0].into_iter());
        assert_eq!(counts.counts, [1, 0, 3, 3, 1, 0, 3, 0, 1]);
        assert!((counts.outlooks()[1].best - 0.75).abs() < 1e-12);
    }
}
