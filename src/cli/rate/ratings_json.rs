//! Ratings as JSON: one object. Numbers have all their digits; unknown values are `null`.

use super::super::match_json::match_json;
use super::{RatingResults, about_ranks, about_tables};
use crate::report::rating_warnings;
use crate::stats::game::RatedEntrant;
use crate::stats::rating::BoundDirection;
use crate::stats::ratings::{Rating, ZeroPoint};
use serde::{Serialize, Serializer};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::io::{self, Write};

#[derive(Serialize)]
struct Page<'a> {
    differences: Differences<'a>,
    #[serde(flatten)]
    others: Value,
}

/// All unordered pairs of entrants, written as a stream: a thousand entrants have half a million.
/// Without ranks, entrants are not compared.
struct Differences<'a>(&'a RatingResults<'a>);

impl Serialize for Differences<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let count = self.0.ranks.map_or(0, |_| self.0.names.len());
        let pairs = (0..count).flat_map(|a| (a + 1..count).map(move |b| (a, b)));
        serializer.collect_seq(pairs.map(|(a, b)| difference(self.0, a, b)))
    }
}

fn difference(reading: &RatingResults<'_>, a: usize, b: usize) -> Value {
    let entrants = [a, b].map(|position| reading.ratings.ratings[position].entrant);
    let difference = reading.ratings.difference(entrants[0], entrants[1]);
    let error95 = difference.and_then(|it| it.error95);
    let widening = |entrant| reading.ranks.and_then(|ranks| ranks.widening(entrant));
    let widening = entrants.map(widening).into_iter().flatten();
    let widening = widening.reduce(f64::max);
    json!({
        "a": reading.names[a],
        "b": reading.names[b],
        "elo": difference.map(|it| it.elo),
        "error95": error95,
        "simultaneous95": error95.zip(widening).map(|(error, times)| error * times),
        "extreme": extreme(difference.and_then(|it| it.bound)),
        "los": difference.and_then(|it| it.los),
    })
}

fn extreme(bound: Option<BoundDirection>) -> Option<&'static str> {
    bound.map(|bound| match bound {
        BoundDirection::AtLeast => ">",
        BoundDirection::AtMost => "<",
    })
}

fn entrant(reading: &RatingResults<'_>, rating: &Rating) -> Value {
    let results = &rating.results;
    let position = rating.entrant.position();
    let ranks = reading.ranks.and_then(|ranks| ranks.sets[position]);
    json!({
        "name": reading.names[position],
        "elo": rating.elo,
        "error95": rating.error95,
        "error_relative_to": match rating.zero_point {
            ZeroPoint::Mean => "mean",
            ZeroPoint::Anchor => "anchor",
        },
        "extreme": extreme(rating.bound),
        "may_be_best": ranks.map(|it| it.may_be_best()),
        "rank_low": ranks.map(|it| it.low),
        "rank_high": ranks.map(|it| it.high),
        "component": rating.component,
        "games": results.games(),
        "wins": results.wins,
        "draws": results.draws,
        "losses": results.losses,
    })
}

/// The pairings of entrants that met, and circles of three.
fn fits(reading: &RatingResults<'_>) -> [Vec<Value>; 2] {
    let Some(fits) = reading.fits else {
        return [Vec::new(), Vec::new()];
    };
    let name = |it: RatedEntrant| reading.names[it.position()].as_str();
    let pairings = fits.pairings.iter().map(|fit| {
        json!({
            "a": name(fit.one), "b": name(fit.other), "games": fit.games, "points": fit.points,
            "expected": fit.expected, "z": fit.z,
        })
    });
    let circles = fits.circles().into_iter().map(|it| json!(it.map(name)));
    [pairings.collect(), circles.collect()]
}

/// Writes the ratings and all other results.
pub fn write(mut out: impl Write, reading: &RatingResults<'_>) -> io::Result<()> {
    let RatingResults { names, ratings, .. } = *reading;
    let mut components: BTreeMap<usize, Vec<&str>> = BTreeMap::new();
    for rating in &ratings.ratings {
        let name = names[rating.entrant.position()].as_str();
        components.entry(rating.component).or_default().push(name);
    }
    let entrants = ratings.ratings.iter();
    let entrants: Vec<Value> = entrants.map(|rating| entrant(reading, rating)).collect();
    let (errors, sample) = (ratings.errors, ratings.sample);
    let [pairings, circles] = fits(reading);
    let warnings = rating_warnings(names, ratings, reading.observations);
    let warnings = about_tables(reading).chain(warnings);
    let mut others = json!({
        "entrants": entrants,
        "advantage": ratings.advantage.as_ref().map(|it| json!({
            "elo": it.elo, "error95": it.error95, "extreme": extreme(it.bound),
        })),
        "components": components.into_values().collect::<Vec<_>>(),
        "pairings": pairings,
        "circles": circles,
        "errors": {
            "method": if errors.known { "sandwich" } else { "none" },
            "clusters": errors.clusters,
            "parameters": errors.parameters,
            "games": sample.games,
            "duplicate_games": sample.duplicate_games,
            "pairs": sample.pairs,
            "distinct_pairs": sample.distinct_pairs,
        },
        "unfinished": reading.unfinished,
        "warnings": warnings.collect::<Vec<_>>(),
        "notes": about_ranks(reading),
    });
    if let Some(summary) = reading.summary {
        others["summary"] = match_json(summary);
    }
    let differences = Differences(reading);
    serde_json::to_writer(
        &mut out,
        &Page {
            differences,
            others,
        },
    )?;
    out.write_all(b"\n")
}
