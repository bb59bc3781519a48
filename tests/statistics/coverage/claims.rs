//! What tables promise, one function for each promise: it looks at what was printed of a tournament
//! and at the truth, and says of each statement whether it holds.

use super::true_ratings::{Effective, Truth};
use awale::stats::game::RatedEntrant;
use awale::stats::ranks::{RankSet, Ranks};
use awale::stats::rating::BoundDirection;
use awale::stats::ratings::Ratings;

/// How many openings are behind a number (see [`Effective`]).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Openings {
    /// Fewer than six: its interval may be too wide, or not be there yet.
    Few,
    /// Six to fifteen: the floor under all intervals makes it wider than need be.
    Some,
    /// Fifteen or more.
    Many,
}

impl Openings {
    fn new(effective: f64) -> Self {
        match effective {
            effective if effective < 6.0 => Self::Few,
            effective if effective < 15.0 => Self::Some,
            _ => Self::Many,
        }
    }
}

/// A tournament that was rated, and what is true of its entrants.
pub struct Rated<'a> {
    pub ratings: &'a Ratings,
    /// Drawn of some tournaments only: it takes longer than the fit.
    pub ranks: Option<&'a Ranks>,
    /// Of the games inside groups, which alone decide intervals; `None` if there is none.
    pub inside: Option<&'a Truth>,
    /// Of all games.
    pub whole: &'a Truth,
    pub effective: &'a Effective,
}

/// A statement: what was printed, and whether it is true.
#[derive(Clone, Copy, Debug)]
pub struct Statement {
    /// What is behind it.
    pub openings: Openings,
    /// `None` if nothing was said.
    pub holds: Option<bool>,
    /// Half the width of the interval that was printed, and how far off its middle is, Elo.
    pub interval: Option<(f64, f64)>,
}

fn unknown(effective: f64) -> Statement {
    Statement {
        openings: Openings::new(effective),
        holds: None,
        interval: None,
    }
}

fn interval(effective: f64, error: Option<f64>, off: f64) -> Statement {
    Statement {
        holds: error.map(|error| off.abs() <= error),
        interval: error.map(|error| (error, off)),
        ..unknown(effective)
    }
}

fn bounded(effective: f64, bound: BoundDirection, off: f64) -> Statement {
    let holds = match bound {
        BoundDirection::AtLeast => off <= 0.0,
        BoundDirection::AtMost => off >= 0.0,
    };
    Statement {
        holds: Some(holds),
        ..unknown(effective)
    }
}

/// What is printed of one kind of number, of a tournament.
pub type Promise = fn(&Rated<'_>) -> Vec<Statement>;

/// What must hold, whatever is printed of a number. Which of them are intervals, which bounds, is
/// decided by the results: only both together can be asked to be true in 95 % of cases.
pub const PROMISES: [(&str, Promise); 5] = [
    ("advantage", advantages),
    ("ratings", all_ratings),
    ("differences", all_differences),
    ("ranks", ranks),
    ("simultaneous", simultaneous),
];

/// Promises that hold more often than in 95 % of cases: ranks are whole numbers, and all
/// differences at once are as many as there are.
pub const AT_LEAST: [&str; 2] = ["ranks", "simultaneous"];

/// Parts of what is promised, to be looked at.
pub const PARTS: [(&str, Promise); 6] = [
    ("  A intervals", |rated| intervals(advantages(rated))),
    ("  A bounds", |rated| bounds(advantages(rated))),
    ("  r intervals", |rated| intervals(all_ratings(rated))),
    ("  r bounds", |rated| bounds(all_ratings(rated))),
    ("  d intervals", |rated| intervals(all_differences(rated))),
    ("  d bounds", |rated| bounds(all_differences(rated))),
];

/// Of every entrant: of equals, each of their ranks is in the set.
fn ranks(rated: &Rated<'_>) -> Vec<Statement> {
    let Some(ranks) = rated.ranks else {
        return Vec::new();
    };
    let elo = &rated.whole.elo;
    let statement = |(place, set): (usize, &Option<RankSet>)| {
        let above = elo.iter().filter(|&&it| it > elo[place]).count();
        let level = elo.iter().filter(|&&it| it >= elo[place]).count();
        let holds = set.map(|it| it.low <= above + 1 && it.high >= level);
        Statement {
            holds,
            ..unknown(rated.effective.ratings[place])
        }
    };
    ranks.sets.iter().enumerate().map(statement).collect()
}

/// All differences of an entrant at once, of those that have an interval.
fn simultaneous(rated: &Rated<'_>) -> Vec<Statement> {
    let (Some(ranks), Some(truth)) = (rated.ranks, rated.inside) else {
        return Vec::new();
    };
    let entrant = |place: usize| RatedEntrant(u32::try_from(place).expect("few"));
    let holds = |place: usize, other: usize| {
        let known = rated.ratings.difference(entrant(place), entrant(other))?;
        let error = known.error95? * ranks.widening(entrant(place))?;
        let off = known.elo - (truth.elo[place] - truth.elo[other]);
        Some(off.abs() <= error)
    };
    let statement = |place: usize| {
        let others = (0..truth.elo.len()).filter(|&other| other != place);
        let all = others.filter_map(|other| holds(place, other));
        Statement {
            holds: all.reduce(|one, other| one && other),
            ..unknown(rated.effective.ratings[place])
        }
    };
    (0..truth.elo.len()).map(statement).collect()
}

fn intervals(mut statements: Vec<Statement>) -> Vec<Statement> {
    statements.retain(|it| it.interval.is_some());
    statements
}

fn bounds(mut statements: Vec<Statement>) -> Vec<Statement> {
    statements.retain(|it| it.interval.is_none() && it.holds.is_some());
    statements
}

fn advantages(rated: &Rated<'_>) -> Vec<Statement> {
    let effective = rated.effective.advantage;
    let (Some(found), Some(truth)) = (rated.ratings.advantage, rated.inside) else {
        return vec![unknown(effective)];
    };
    let off = found.elo - truth.advantage;
    vec![match found.bound {
        Some(bound) => bounded(effective, bound, off),
        None => interval(effective, found.error95, off),
    }]
}

/// Of entrants in the group that gives the zero point.
fn ratings(rated: &Rated<'_>) -> Vec<Statement> {
    let Some(truth) = rated.inside else {
        return Vec::new();
    };
    let fitted = rated.ratings.ratings.iter().filter(|it| it.bound.is_none());
    let statement = |it: &awale::stats::ratings::Rating| {
        let place = it.entrant.position();
        let off = it.elo - truth.elo[place];
        interval(rated.effective.ratings[place], it.error95, off)
    };
    fitted.map(statement).collect()
}

fn rating_bounds(rated: &Rated<'_>) -> Vec<Statement> {
    let (elo, all) = (&rated.whole.elo, &rated.ratings.ratings);
    let base: Vec<f64> = all
        .iter()
        .filter(|it| it.bound.is_none())
        .map(|it| elo[it.entrant.position()])
        .collect();
    if base.is_empty() {
        return Vec::new();
    }
    let zero = base.iter().sum::<f64>() / base.len() as f64;
    let statement = |it: &awale::stats::ratings::Rating| {
        let place = it.entrant.position();
        let off = it.elo - (elo[place] - zero);
        Some(bounded(rated.effective.ratings[place], it.bound?, off))
    };
    all.iter().filter_map(statement).collect()
}

/// Of each two entrants, the one listed first against the other.
fn of_differences(
    rated: &Rated<'_>,
    statement: impl Fn(f64, &awale::stats::rating::Difference, usize, usize) -> Option<Statement>,
) -> Vec<Statement> {
    let count = rated.ratings.ratings.len();
    let mut statements = Vec::new();
    for (upper, lower) in (0..count).flat_map(|one| (one + 1..count).map(move |two| (one, two))) {
        let index = |it: usize| RatedEntrant(u32::try_from(it).expect("few"));
        let found = rated.ratings.difference(index(upper), index(lower));
        let effective = rated.effective.differences[upper][lower];
        if let Some(found) = found {
            statements.extend(statement(effective, &found, upper, lower));
        }
    }
    statements
}

fn differences(rated: &Rated<'_>) -> Vec<Statement> {
    of_differences(rated, |effective, found, upper, lower| {
        let truth = rated.inside.filter(|_| found.bound.is_none())?;
        let off = found.elo - (truth.elo[upper] - truth.elo[lower]);
        Some(interval(effective, found.error95, off))
    })
}

fn difference_bounds(rated: &Rated<'_>) -> Vec<Statement> {
    of_differences(rated, |effective, found, upper, lower| {
        let off = found.elo - (rated.whole.elo[upper] - rated.whole.elo[lower]);
        Some(bounded(effective, found.bound?, off))
    })
}

fn all_differences(rated: &Rated<'_>) -> Vec<Statement> {
    [differences(rated), difference_bounds(rated)].concat()
}

fn all_ratings(rated: &Rated<'_>) -> Vec<Statement> {
    [ratings(rated), rating_bounds(rated)].concat()
}
