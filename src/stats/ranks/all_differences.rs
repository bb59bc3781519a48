//! The differences of each two of some entrants, and the ranks that follow from them.

use crate::stats::comparison::Difference;
use crate::stats::game::RatedEntrant;
use crate::stats::ratings::Ratings;

/// The ranks that an entrant may have among those of its component, with 95 %.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RankSet {
    /// The best one; 1 is the strongest.
    pub low: usize,
    /// The worst one.
    pub high: usize,
}

impl RankSet {
    /// Whether nobody is significantly stronger.
    pub const fn may_be_best(&self) -> bool {
        self.low == 1
    }
}

/// All differences of some entrants.
pub struct AllDifferences {
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
