//! Whether the first of a table is really the best, and how many games would decide it.

use super::ranking::{Place, places};
use super::text::{shortened, signed_elo};
use crate::stats::ranks::Ranks;
use crate::stats::ratings::Ratings;

/// The width of a name in a sentence, in columns.
const NAME_COLUMNS: usize = 40;
/// The share of runs in which a difference should show.
const POWER: f64 = 0.8;
/// Beyond this factor, no number of games is suggested.
const MOST_TIMES: f64 = 1000.0;

/// Says for each pool whether its first entrant is really the best, and how many more pairs would
/// separate it from the second, in sentences safe for a terminal.
pub fn about_first(names: &[String], ratings: &Ratings, ranks: &Ranks) -> Vec<String> {
    let places = places(ratings);
    let pools: Vec<_> = places
        .chunk_by(|one, other| one.pool == other.pool)
        .collect();
    let sentences = |pool: &&[Place]| {
        let of_pool = if pools.len() > 1 {
            format!("Of pool {}, ", pool[0].pool)
        } else {
            String::new()
        };
        let best = best(names, ranks, pool).map(|said| of_pool + &said);
        best.into_iter().chain(separating(names, ratings, pool))
    };
    pools.iter().flat_map(sentences).collect()
}

/// For two entrants, the likelihood of superiority says this.
fn best(names: &[String], ranks: &Ranks, pool: &[Place]) -> Option<String> {
    let known = pool.iter().filter_map(|place| {
        let outlook = ranks.outlooks[place.entrant]?;
        Some((place.entrant, outlook))
    });
    // The first of the table among equals.
    let likeliest = known
        .rev()
        .max_by(|one, other| one.1.best.total_cmp(&other.1.best));
    let (entrant, outlook) = likeliest.filter(|_| pool.len() > 2)?;
    let name = shortened(&names[entrant], NAME_COLUMNS);
    let (low, high) = (outlook.low, outlook.high);
    let rank = if low == high {
        format!("its rank is {low}")
    } else {
        format!("its rank is {low} to {high}")
    };
    let probability = per_cent(outlook.best);
    Some(if outlook.best < 0.5 {
        format!("{name} is the likeliest best, but with {probability} only; {rank} (95 %).")
    } else {
        format!("{name} is the best with a probability of {probability}; {rank} (95 %).")
    })
}

/// How many more pairs would separate the first two, if their games leave it open.
fn separating(names: &[String], ratings: &Ratings, pool: &[Place]) -> Option<String> {
    let [first, second, ..] = pool else {
        return None;
    };
    let [one, other] = [first, second].map(|place| ratings.ratings[place.entrant].entrant);
    let difference = ratings.difference(one, other)?;
    // An entrant that won everything has a bound: more games would raise it, but their number is
    // unknown.
    let error = difference
        .error95
        .filter(|&error| error >= difference.elo)?;
    let [first, second] = [one, other].map(|it| shortened(&names[it.position()], NAME_COLUMNS));
    let seen = format!("{} ±{error:.0} Elo", signed_elo(difference.elo, None));
    let times = ratings.times_as_many(one, other, POWER)?;
    if times > MOST_TIMES {
        return Some(format!(
            "{first} and {second} are level ({seen}): if they really are, no number of games parts \
             them."
        ));
    }
    let games = |entrant: usize| ratings.ratings[entrant].results.games();
    let of_pool: u64 = pool.iter().map(|place| games(place.entrant)).sum();
    let of_all: u64 = (0..ratings.ratings.len()).map(games).sum();
    let pairs = ratings.sample.pairs as f64 * of_pool as f64 / of_all as f64;
    let more = ((times - 1.0) * pairs).ceil();
    Some(format!(
        "{first} and {second} are not parted ({seen}): if that is their difference, {} more pairs, \
         spread over all pairings as these were, would show it in {:.0} of 100 runs.",
        rounded_up(more),
        100.0 * POWER
    ))
}

/// Rounded to two digits: more would suggest a precision that does not exist.
fn rounded_up(pairs: f64) -> String {
    let unit = 10_f64.powf((pairs.max(1.0).log10().floor() - 1.0).max(0.0));
    format!("about {:.0}", (pairs / unit).ceil() * unit)
}

/// A probability that is never shown as certain.
fn per_cent(probability: f64) -> String {
    match (100.0 * probability).round() {
        shown if shown >= 100.0 => "over 99 %".to_owned(),
        shown if shown <= 0.0 => "under 1 %".to_owned(),
        shown => format!("{shown:.0} %"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::game::{Outcome, RatedEntrant, RatedGame};
    use crate::stats::rating::rate;
    use crate::stats::ratings::RatingModel;
    use crate::stats::tally::Tally;

    #[test]
    fn the_first_of_a_pool_is_best_with_a_probability() {
        let names: Vec<String> = ["a\u{1b}da", "bob", "carl", "dora", "emil", "fred"]
            .map(str::to_owned)
            .into();
        // Three equal entrants, and a separate pair in which one beats the other.
        let mut games = Vec::new();
        for round in 0..12 {
            for (south, north, outcome) in [
                (0, 1, Outcome::Draw),
                (1, 2, Outcome::Draw),
                (2, 0, Outcome::Draw),
                (3, 4, Outcome::SouthWins),
                (5, 3, Outcome::NorthWins),
                (4, 5, Outcome::Draw),
            ] {
                games.push(RatedGame {
                    south: RatedEntrant(south),
                    north: RatedEntrant(north),
                    outcome,
                    opening: Some(round),
                    pair: None,
                    content: None,
                });
            }
        }
        let tally = Tally::from_games(6, games).expect("six entrants");
        let ratings = rate(&tally, &RatingModel::default());
        let said = about_first(&names, &ratings, &ratings.ranks());
        assert_eq!(said.len(), 3, "{said:?}");
        assert!(
            said[1].starts_with("a\\u{1b}da and bob are level (+0 ±"),
            "{said:?}"
        );
        assert!(said[1].ends_with("if they really are, no number of games parts them."));
        let (likeliest, equal) = said[0]
            .split_once(" is the likeliest best, but with ")
            .expect("its words");
        // Any of the three: which one most random tables put first is chance.
        assert!(likeliest.starts_with("Of pool 1, "), "{likeliest}");
        let end = " % only; its rank is 1 to 3 (95 %).";
        assert!(equal.ends_with(end), "{equal}");
        let share: f64 = equal.split(' ').next().expect("a word").parse().expect("%");
        assert!((share - 33.3).abs() < 3.0, "{equal}");
        assert_eq!(
            said[2],
            "Of pool 2, dora is the best with a probability of over 99 %; its rank is 1 (95 %)."
        );
        let two = rate(&Tally::new(2), &RatingModel::default());
        assert!(about_first(&names[..2], &two, &two.ranks()).is_empty());
    }
}
