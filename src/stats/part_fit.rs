//! How the games of a part of a tournament, those of one host for example, fit the ratings of all
//! games. A host that slows a bot down costs it points there.
//!
//! # The residual
//! An entrant took s points in its n games of a part, where the ratings predict e:
//!
//! ```text
//!   z = ± √(2 D e (n − e) / n / (φ w (1 − w / W)))
//!   D = s ln(s / e) + (n − s) ln((n − s) / (n − e))
//! ```
//!
//! the signed root of the deviance, as in `fit`; near e it is `(s − e) / √(φ w (1 − w / W))`. w is
//! the sum of `p (1 − p)` over its games there, the model's variance, in which a draw is half a
//! win; W is the same over all parts. All residuals of an entrant add up to 0, so a part with
//! `w / W` of its information pulls its rating along by at least that share, and a part with all
//! its games shows nothing. An entrant whose rating is given, together with others, has no z.
//!
//! φ says how many times as much as the model says the points of the entrant really scatter about
//! their mean in each part. Games from one opening depend on each other, those of a pair among
//! them, so the points from one opening in a part are one observation. Drawn games and level pairs
//! make φ small, pairs that one side wins make it large. One opening is added that scatters as the
//! model says.
//!
//! # Chance
//! If parts do not matter, z is about Student's t. Its degrees of freedom are the openings of the
//! entrant less one for each part, or fewer where few openings make the scatter (`uncertainty`). A
//! residual is *remarkable* if chance exceeds one of all residuals, of all parts and entrants, in
//! less than 1 % of tournaments (C. E. Bonferroni).
//!
//! With two parts usually both are remarkable: points that one lacks are points that the other one
//! has too many. A pairing that misfits in all its games misfits in the part that has them.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use super::fit::{LEVEL, OpeningResiduals};
use super::student;
use super::tally::Tally;
use super::uncertainty::concentration;
use crate::stats::game::RatedEntrant;
use crate::stats::ratings::Ratings;

/// With fewer openings in a part the sum of points is not near enough to a normal variable.
const FEWEST_OPENINGS: f64 = 8.0;
/// Rounding leaves at most this much of what is 0.
const ROUNDING: f64 = 1e-6;

/// The results of an entrant in a part, against its rating.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PartFit {
    /// The entrant.
    pub entrant: RatedEntrant,
    /// By how many standard errors it has more points there than the ratings predict.
    pub z: f64,
    /// Whether chance does not explain it.
    pub is_remarkable: bool,
}

/// Sums over all parts of an entrant.
#[derive(Clone, Copy, Debug, Default)]
struct EntrantScatter {
    openings: f64,
    information: f64,
    /// Squared deviations of openings from the mean of their part, and what the model says.
    seen: f64,
    expected: f64,
    squares: f64,
    fourths: f64,
    freedom: f64,
}

impl EntrantScatter {
    fn add(&mut self, part: &OpeningResiduals) {
        self.openings += part.openings;
        self.information += part.information;
        self.seen += part.scatter();
        self.expected += part.scatter_of_model();
        self.squares += part.squares;
        self.fourths += part.fourths;
        self.freedom += part.openings - 1.0;
    }

    /// φ of the head comment.
    fn ratio(&self) -> f64 {
        let one = self.information / self.openings;
        (self.seen + one) / (self.expected + one)
    }

    /// Degrees of freedom of [`EntrantScatter::ratio`].
    fn freedom(&self) -> f64 {
        let excess = concentration(self.squares, self.fourths) - 1.0 / self.openings;
        if excess > 0.0 {
            self.freedom.min(2.0 / excess)
        } else {
            self.freedom
        }
    }

    /// The residual in one of the parts; `None` where the games do not tell.
    fn residual(&self, entrant: RatedEntrant, part: &OpeningResiduals) -> Option<Residual> {
        let left = 1.0 - part.information / self.information;
        if part.openings < FEWEST_OPENINGS || left < ROUNDING {
            return None;
        }
        let z = part.deviance_root(self.ratio() * part.information * left);
        let chance = 2.0 * student::probability(-z.abs(), self.freedom());
        Some(Residual { entrant, z, chance })
    }
}

/// z of an entrant in a part.
#[derive(Clone, Copy, Debug)]
struct Residual {
    entrant: RatedEntrant,
    z: f64,
    /// The probability that chance exceeds z.
    chance: f64,
}

impl Residual {
    /// By chance; where that is 0 for both, the larger one comes first. Two who met no others have
    /// the same residual but for its sign and for rounding.
    fn order(&self, other: &Self) -> Ordering {
        let (size, other_size) = (self.z.abs(), other.z.abs());
        if (size - other_size).abs() < ROUNDING {
            return Ordering::Equal;
        }
        let by_chance = self.chance.total_cmp(&other.chance);
        by_chance.then_with(|| other_size.total_cmp(&size))
    }
}

impl Ratings {
    /// In each part of the games that were rated, the entrant whose results there chance explains
    /// least; `None` for a part in which no entrant has openings enough.
    pub fn part_fits(&self, parts: &[&Tally]) -> Vec<Option<PartFit>> {
        let sums: Vec<_> = parts.iter().map(|part| self.entrant_sums(part)).collect();
        let mut scatters: BTreeMap<RatedEntrant, EntrantScatter> = BTreeMap::new();
        for (entrant, part) in sums.iter().flatten() {
            scatters.entry(*entrant).or_default().add(part);
        }
        let in_part = |sums: &BTreeMap<RatedEntrant, OpeningResiduals>| -> Vec<Residual> {
            let residuals = sums
                .iter()
                .filter_map(|(&entrant, part)| scatters[&entrant].residual(entrant, part));
            residuals.collect()
        };
        let residuals: Vec<Vec<Residual>> = sums.iter().map(in_part).collect();
        let tested = residuals.iter().flatten().count() as f64;
        let least = residuals.iter().map(|part| {
            let Residual { entrant, z, chance } = *part.iter().min_by(|one, it| one.order(it))?;
            Some(PartFit {
                entrant,
                z,
                is_remarkable: chance * tested < LEVEL,
            })
        });
        least.collect()
    }

    /// Sums over openings, of each entrant with a fitted rating, from games inside groups.
    fn entrant_sums(&self, part: &Tally) -> BTreeMap<RatedEntrant, OpeningResiduals> {
        self.sums_by(part, |result| {
            let is_inside = self.is_inside((result.south, result.north));
            let seen = |entrant: RatedEntrant, is_south| {
                let is_fitted = is_inside && !self.is_held[entrant.position()];
                is_fitted.then_some((entrant, is_south))
            };
            [seen(result.south, true), seen(result.north, false)]
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::game::{Outcome, RatedGame};
    use crate::stats::rating::rate;
    use crate::stats::ratings::RatingModel;

    /// The pairs of two entrants in each part: those that the first won, that the openings decided
    /// for South, and that the second won.
    const PAIRS: [[u64; 3]; 3] = [[4, 4, 2], [5, 3, 2], [0, 2, 8]];

    /// The games of these pairs, from openings of their own.
    fn games(part: usize) -> Vec<RatedGame> {
        use Outcome::{NorthWins, SouthWins};
        let kinds = [
            [SouthWins, NorthWins],
            [SouthWins, SouthWins],
            [NorthWins, SouthWins],
        ];
        let kinds = kinds.into_iter().zip(PAIRS[part]);
        let pairs = kinds.flat_map(|(kind, count)| (0..count).map(move |_| kind));
        let pairs = pairs.zip(100 * part as u64..);
        let games = pairs.flat_map(|(kind, number)| {
            let seats = [[0, 1], [1, 0]].into_iter().zip(kind);
            seats.map(move |([south, north], outcome)| RatedGame {
                south: RatedEntrant(south),
                north: RatedEntrant(north),
                outcome,
                opening: Some(number),
                pair: Some(number),
                content: None,
            })
        });
        games.collect()
    }

    fn fits(parts: &[Vec<RatedGame>], model: &RatingModel) -> Vec<Option<PartFit>> {
        let tally = |games: Vec<RatedGame>| Tally::from_games(2, games).expect("two entrants");
        let ratings = rate(&tally(parts.concat()), model).expect("few entrants");
        let tallies: Vec<Tally> = parts.iter().map(|part| tally(part.clone())).collect();
        ratings.part_fits(&tallies.iter().collect::<Vec<_>>())
    }

    /// The first entrant scores 0.6 as South and 0.3 as North, so 9 points of 20 are expected in
    /// each part, and it has 12, 13 and 2. φ is 1.091, with 27 degrees of freedom. By another
    /// program, chance exceeds the last z in 0.025 % of tournaments, and the second one in 3.6 %.
    #[test]
    fn the_part_that_costs_points_is_found() {
        let found = fits(&[0, 1, 2].map(games), &RatingModel::default());
        let expected = [
            (1.653_896_726_5, false),
            (2.210_967_086_3, false),
            (-4.208_303_689_3, true),
        ];
        for (found, (z, is_remarkable)) in found.into_iter().zip(expected) {
            let found = found.expect("ten openings");
            assert_eq!(found.entrant, RatedEntrant(0));
            assert!((found.z - z).abs() < 1e-6, "{found:?}");
            assert_eq!(found.is_remarkable, is_remarkable, "{found:?}");
        }
    }

    #[test]
    fn where_games_do_not_tell_there_is_no_residual() {
        let [one, other, last] = [0, 1, 2].map(games);
        // All games of both, or pairs of seven openings.
        assert_eq!(
            fits(
                &[[one.clone(), other.clone()].concat()],
                &RatingModel::default()
            ),
            [None]
        );
        let few = last[..14].to_vec();
        let found = fits(&[one.clone(), few], &RatingModel::default());
        assert!(found[0].is_some() && found[1].is_none(), "{found:?}");
        assert_eq!(
            fits(&[one.clone(), Vec::new()], &RatingModel::default())[1],
            None
        );
        // The difference of two anchors does not follow from games.
        let anchors = [(RatedEntrant(0), 0.0), (RatedEntrant(1), 0.0)];
        let model = RatingModel {
            anchors: anchors.into(),
            ..RatingModel::default()
        };
        assert_eq!(fits(&[one, other], &model), [None, None]);
    }
}
