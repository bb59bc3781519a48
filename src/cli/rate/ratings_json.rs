//! Ratings as JSON: one object, written as a stream because a thousand entrants have half a million
//! differences. Numbers have all their digits; unknown values are `null`.

use super::super::match_json::match_json;
use crate::cli::rate::rating_results::{RatingResults, about_ranks, about_unfinished};
use crate::report::rating_warnings;
use crate::stats::fit::{Fits, PairingFit};
use crate::stats::game::RatedEntrant;
use crate::stats::ranks::Ranks;
use crate::stats::rating::{BoundDirection, ErrorSource};
use crate::stats::ratings::{Rating, Ratings, ZeroPoint};
use serde::{Serialize, Serializer};
use serde_json::Value;
use std::collections::BTreeMap;
use std::io::{self, Write};

#[derive(Serialize)]
struct RatingsJson<'a> {
    entrants: Vec<EntrantJson<'a>>,
    advantage: Option<AdvantageJson>,
    components: Vec<Vec<&'a str>>,
    differences: Differences<'a>,
    pairings: Vec<Meeting<'a>>,
    circles: Vec<[&'a str; 3]>,
    errors: Basis,
    /// The first entrant against the second, if there are exactly two.
    #[serde(skip_serializing_if = "Option::is_none")]
    summary: Option<Value>,
    /// The number of games that were left out because they were not finished.
    unfinished: u64,
    warnings: Vec<String>,
    /// Notes on the best entrant and on misfits, or that these were not computed.
    notes: Vec<String>,
}

#[derive(Serialize)]
struct EntrantJson<'a> {
    name: &'a str,
    elo: Finite,
    error95: Option<Finite>,
    error_relative_to: &'static str,
    extreme: Option<&'static str>,
    may_be_best: Option<bool>,
    rank_low: Option<usize>,
    rank_high: Option<usize>,
    component: usize,
    games: u64,
    wins: u64,
    draws: u64,
    losses: u64,
}

#[derive(Serialize)]
struct AdvantageJson {
    elo: Finite,
    error95: Option<Finite>,
    extreme: Option<&'static str>,
}

/// All unordered pairs of entrants.
struct Differences<'a> {
    names: &'a [String],
    ratings: &'a Ratings,
    /// Without ranks, entrants are not compared.
    ranks: Option<&'a Ranks>,
}

#[derive(Serialize)]
struct DifferenceJson<'a> {
    a: &'a str,
    b: &'a str,
    /// How far `a` is rated above `b`; `null` if no game compares them.
    elo: Option<Finite>,
    error95: Option<Finite>,
    simultaneous95: Option<Finite>,
    extreme: Option<&'static str>,
    los: Option<Finite>,
}

/// Two entrants that met.
#[derive(Serialize)]
struct Meeting<'a> {
    a: &'a str,
    b: &'a str,
    games: u64,
    points: Finite,
    expected: Option<Finite>,
    z: Option<Finite>,
}

#[derive(Serialize)]
struct Basis {
    method: &'static str,
    clusters: u64,
    parameters: u64,
    games: u64,
    duplicate_games: u64,
    pairs: u64,
    distinct_pairs: u64,
}

/// A number that JSON can hold.
struct Finite(f64);

impl Serialize for Finite {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        assert!(self.0.is_finite(), "a rating or an error is {}", self.0);
        serializer.serialize_f64(self.0)
    }
}

impl Serialize for Differences<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let count = self.ranks.map_or(0, |_| self.names.len());
        let pairs = (0..count).flat_map(|a| (a + 1..count).map(move |b| (a, b)));
        serializer.collect_seq(pairs.map(|(a, b)| self.between(a, b)))
    }
}

impl<'a> Differences<'a> {
    fn between(&self, a: usize, b: usize) -> DifferenceJson<'a> {
        let ratings = self.ratings;
        let index = |position: usize| -> RatedEntrant { ratings.ratings[position].entrant };
        let difference = ratings.difference(index(a), index(b));
        let error95 = difference.and_then(|difference| difference.error95);
        let widening = |position| self.ranks.and_then(|ranks| ranks.widening(index(position)));
        let widening = [a, b].map(widening).into_iter().flatten().reduce(f64::max);
        DifferenceJson {
            a: &self.names[a],
            b: &self.names[b],
            elo: difference.map(|difference| Finite(difference.elo)),
            error95: error95.map(Finite),
            simultaneous95: error95
                .zip(widening)
                .map(|(error, times)| Finite(error * times)),
            extreme: extreme(difference.and_then(|difference| difference.bound)),
            los: difference.and_then(|it| it.los).map(Finite),
        }
    }
}

fn extreme(bound: Option<BoundDirection>) -> Option<&'static str> {
    bound.map(|bound| match bound {
        BoundDirection::AtLeast => ">",
        BoundDirection::AtMost => "<",
    })
}

fn entrant<'a>(reading: &RatingResults<'a>, rating: &Rating) -> EntrantJson<'a> {
    let results = &rating.results;
    let position = rating.entrant.position();
    let ranks = reading.ranks.and_then(|ranks| ranks.sets[position]);
    EntrantJson {
        name: &reading.names[position],
        elo: Finite(rating.elo),
        error95: rating.error95.map(Finite),
        error_relative_to: match rating.zero_point {
            ZeroPoint::Mean => "mean",
            ZeroPoint::Anchor => "anchor",
        },
        extreme: extreme(rating.bound),
        may_be_best: ranks.map(|it| it.may_be_best()),
        rank_low: ranks.map(|it| it.low),
        rank_high: ranks.map(|it| it.high),
        component: rating.component,
        games: results.games(),
        wins: results.wins,
        draws: results.draws,
        losses: results.losses,
    }
}

fn meetings<'a>(names: &'a [String], fits: &Fits) -> Vec<Meeting<'a>> {
    let meeting = |fit: &PairingFit| Meeting {
        a: &names[fit.one.position()],
        b: &names[fit.other.position()],
        games: fit.games,
        points: Finite(fit.points),
        expected: fit.expected.map(Finite),
        z: fit.z.map(Finite),
    };
    fits.pairings.iter().map(meeting).collect()
}

/// Writes the ratings and all other results.
pub fn write(mut out: impl Write, reading: &RatingResults<'_>) -> io::Result<()> {
    let RatingResults {
        names,
        ratings,
        ranks,
        fits,
        ..
    } = *reading;
    let mut components: BTreeMap<usize, Vec<&str>> = BTreeMap::new();
    for rating in &ratings.ratings {
        let name = names[rating.entrant.position()].as_str();
        components.entry(rating.component).or_default().push(name);
    }
    let (errors, sample) = (ratings.errors, ratings.sample);
    let page = RatingsJson {
        entrants: ratings
            .ratings
            .iter()
            .map(|rating| entrant(reading, rating))
            .collect(),
        advantage: ratings.advantage.as_ref().map(|advantage| AdvantageJson {
            elo: Finite(advantage.elo),
            error95: advantage.error95.map(Finite),
            extreme: extreme(advantage.bound),
        }),
        components: components.into_values().collect(),
        differences: Differences {
            names,
            ratings,
            ranks,
        },
        pairings: fits.map_or_else(Vec::new, |fits| meetings(names, fits)),
        circles: fits.map_or_else(Vec::new, |fits| {
            let circles = fits.circles().into_iter();
            let name = |it: RatedEntrant| names[it.position()].as_str();
            circles.map(|circle| circle.map(name)).collect()
        }),
        errors: Basis {
            method: match errors.method {
                ErrorSource::Sandwich => "sandwich",
                ErrorSource::Bootstrap => "bootstrap",
                ErrorSource::None => "none",
            },
            clusters: errors.clusters,
            parameters: errors.parameters,
            games: sample.games,
            duplicate_games: sample.duplicate_games,
            pairs: sample.pairs,
            distinct_pairs: sample.distinct_pairs,
        },
        summary: reading.summary.map(match_json),
        unfinished: reading.unfinished,
        warnings: about_unfinished(reading.unfinished)
            .into_iter()
            .chain(rating_warnings(names, ratings, reading.observations))
            .collect(),
        notes: about_ranks(reading),
    };
    serde_json::to_writer(&mut out, &page)?;
    out.write_all(b"\n")
}
