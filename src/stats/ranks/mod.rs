//! Which ranks each entrant may have, and who may be the best.
//!
//! ```text
//! joint  the errors of all differences of a group at once, drawn at random
//! ```
//!
//! The rank of an entrant lies between 1 + the number of those that are significantly above it
//! and n − the number of those significantly below it (M. Mogstad, J. Romano, A. Shaikh and D.
//! Wilhelm, *Inference for ranks with applications to mobility across neighbourhoods and
//! academic achievement across countries*, Review of Economic Studies 2024). Significance is
//! simultaneous: with 95 % none of an entrant's differences is outside of its interval. These
//! are the intervals of single differences, widened by the 95 % point of the largest of all the
//! entrant's errors, each in half widths of its own interval. That largest error is drawn from
//! their joint distribution.
//!
//! An entrant may be the best if no other one is significantly above it. Nothing is assumed about
//! the spread of strengths. An unknown difference parts no entrants.

mod joint;

use crate::stats::comparison::Difference;
use crate::stats::elo::NORMAL_95;
use crate::stats::game::RatedEntrant;
use crate::stats::ratings::Ratings;
use joint::{Joint, Normal};

/// Tables that are drawn, unless that is too much work.
const MOST_TABLES: usize = 10_000;
/// With fewer, the 95 % point would be rough.
const FEWEST_TABLES: usize = 1_000;
/// Numbers to work out over all tables, beyond which fewer are drawn.
const WORK: usize = 400_000_000;

/// The ranks that an entrant may have among those of its component, with 95 %.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RankSet {
    /// The best one; 1 is the strongest.
    pub low: usize,
    /// The worst one.
    pub high: usize,
}

impl RankSet {
    /// Whether no other entrant is significantly stronger.
    pub const fn may_be_best(&self) -> bool {
        self.low == 1
    }
}

/// All differences of some entrants.
struct AllDifferences {
    /// By entrant, then opponent, in their order.
    pub rows: Vec<Vec<Option<Difference>>>,
}

impl AllDifferences {
    pub fn new(ratings: &Ratings, members: &[usize]) -> Self {
        let entrant = |place: usize| RatedEntrant::at(members[place]);
        let count = members.len();
        let mut rows: Vec<Vec<Option<Difference>>> = vec![vec![None; count]; count];
        for (upper, lower) in (0..count).flat_map(|it| (0..it).map(move |other| (it, other))) {
            let difference = ratings.difference(entrant(upper), entrant(lower));
            let known = difference.filter(|it| it.margins.is_some());
            rows[upper][lower] = known;
            rows[lower][upper] = known.map(Difference::reversed);
        }
        Self { rows }
    }

    pub fn any_known(&self) -> bool {
        self.rows.iter().flatten().any(Option::is_some)
    }

    /// The ranks that an entrant may have, if its intervals are so many times as wide.
    pub fn ranks(&self, place: usize, widening: f64) -> RankSet {
        let margins = || {
            self.rows[place]
                .iter()
                .flatten()
                .filter_map(|it| it.margins)
        };
        let below = margins().filter(|&margins| margins > widening).count();
        let above = margins().filter(|&margins| margins < -widening).count();
        RankSet {
            low: 1 + above,
            high: self.rows.len() - below,
        }
    }
}

/// The ranks that all entrants may have.
#[derive(Clone, Debug, PartialEq)]
pub struct Ranks {
    /// By entrant; `None` for who is alone in its component, and where no difference in it is
    /// known.
    pub sets: Vec<Option<RankSet>>,
    /// By entrant: the factor that widens the intervals of its differences, so that all hold at
    /// once.
    widening: Vec<Option<f64>>,
}

impl Ranks {
    /// Ranks of this many entrants, with nothing known.
    pub fn unknown(entrants: usize) -> Self {
        Self {
            sets: vec![None; entrants],
            widening: vec![None; entrants],
        }
    }

    /// How many times as wide the intervals of an entrant's differences are that hold all at once;
    /// `None` where no difference is known.
    pub fn widening(&self, entrant: RatedEntrant) -> Option<f64> {
        self.widening[entrant.position()]
    }
}

impl Ratings {
    /// What these ratings and their errors leave open about ranks. Takes time with the square of
    /// the number of entrants. The same ratings give the same numbers.
    pub fn ranks(&self) -> Ranks {
        let mut ranks = Ranks::unknown(self.ratings.len());
        for component in &self.connectivity.components {
            let members: Vec<usize> = component.iter().map(|it| it.position()).collect();
            let differences = AllDifferences::new(self, &members);
            if !differences.any_known() {
                continue;
            }
            let widening = self.widening(&members, &differences);
            for (place, &member) in members.iter().enumerate() {
                ranks.sets[member] = Some(differences.ranks(place, widening[place]));
                ranks.widening[member] = Some(widening[place]);
            }
        }
        ranks
    }

    /// For each of some entrants, by how much its intervals are widened to hold all at once.
    fn widening(&self, members: &[usize], differences: &AllDifferences) -> Vec<f64> {
        if members.len() == 2 {
            return vec![1.0; 2];
        }
        let tables = (WORK / members.len().pow(2)).clamp(FEWEST_TABLES, MOST_TABLES);
        let mut normal = Normal::new(members[0] as u64);
        let groups = Groups::new(self, members, differences);
        let mut largest = vec![Vec::with_capacity(tables); members.len()];
        let mut of_table = vec![0.0_f64; members.len()];
        for _ in 0..tables {
            of_table.fill(0.0);
            groups.draw(&mut normal, &mut of_table);
            for (all, &one) in largest.iter_mut().zip(&of_table) {
                all.push(one);
            }
        }
        let point = |mut all: Vec<f64>| {
            let place = (tables * 95).div_ceil(100) - 1;
            *all.select_nth_unstable_by(place, f64::total_cmp).1
        };
        let known = |place: usize| differences.rows[place].iter().flatten().count();
        let points = largest.into_iter().enumerate();
        // One difference is what it was: the draws know it less well than the formula.
        let widening = |(place, all)| {
            if known(place) < 2 {
                1.0
            } else {
                f64::max(point(all), 1.0)
            }
        };
        points.map(widening).collect()
    }
}

/// The errors of all differences at once: those inside a group by their joint distribution, those
/// of two groups that are only bounded by one number for the two groups.
struct Groups {
    /// The errors of the groups with known differences.
    joints: Vec<Joint>,
    /// Two groups, the upper one first: the places of their members.
    bounded: Vec<[Vec<usize>; 2]>,
}

impl Groups {
    fn new(ratings: &Ratings, members: &[usize], differences: &AllDifferences) -> Self {
        let connectivity = &ratings.connectivity;
        let mut groups: Vec<usize> = members
            .iter()
            .map(|&it| connectivity.group_of[it])
            .collect();
        let of = |group: usize| -> Vec<usize> {
            let places = 0..members.len();
            places
                .filter(|&it| connectivity.group_of[members[it]] == group)
                .collect()
        };
        groups.sort_unstable();
        groups.dedup();
        let groups: Vec<Vec<usize>> = groups.into_iter().map(of).collect();
        let joint = |places: &Vec<usize>| {
            let of_group: Vec<usize> = places.iter().map(|&it| members[it]).collect();
            Joint::new(ratings, places, &of_group, differences)
        };
        let joints = groups.iter().filter_map(joint);
        let mut bounded = Vec::new();
        for (number, upper) in groups.iter().enumerate() {
            for lower in &groups[..number] {
                if differences.rows[upper[0]][lower[0]].is_some() {
                    bounded.push([upper.clone(), lower.clone()]);
                }
            }
        }
        Self {
            joints: joints.collect(),
            bounded,
        }
    }

    /// Draws a table: raises the largest error of each entrant, in half widths of intervals.
    fn draw(&self, normal: &mut Normal, largest: &mut [f64]) {
        for joint in &self.joints {
            joint.draw(normal, largest);
        }
        for groups in &self.bounded {
            let error = normal.next().abs() / NORMAL_95;
            for &place in groups.iter().flatten() {
                largest[place] = largest[place].max(error);
            }
        }
    }
}
