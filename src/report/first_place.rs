//! Who may be the best of a table, and how many games would part the first two.

use super::ranking::{Place, places};
use super::text::{listed, shortened, shortened_apart, tenths};
use crate::stats::ranks::Ranks;
use crate::stats::ratings::Ratings;

/// The width of a name in a sentence, in columns.
const NAME_COLUMNS: usize = 40;
/// The share of runs in which a difference should show.
const POWER: f64 = 0.8;
/// Differences that somebody may want to see, in Elo, the largest first.
const WANTED: [f64; 4] = [50.0, 20.0, 10.0, 5.0];
/// So many times as many games are no advice.
const MOST_TIMES: f64 = 1000.0;

/// Says for each pool who may be the best, and how many more pairs would part the first from the
/// second, in sentences safe for a terminal.
pub fn about_first(names: &[String], ratings: &Ratings, ranks: &Ranks) -> Vec<String> {
    let places = places(ratings);
    let pools: Vec<_> = places
        .chunk_by(|one, other| one.pool == other.pool)
        .collect();
    let sentences = |pool: &&[Place]| {
        let of_pool = if pools.len() > 1 {
            format!("Pool {}: ", pool[0].pool)
        } else {
            String::new()
        };
        let best = best(names, ratings, ranks, pool).map(|said| of_pool + &said);
        best.into_iter().chain(too_close(names, ratings, pool))
    };
    pools.iter().flat_map(sentences).collect()
}

/// Of two entrants, their difference says this.
fn best(names: &[String], ratings: &Ratings, ranks: &Ranks, pool: &[Place]) -> Option<String> {
    if pool.len() < 3 || pool.iter().any(|it| ranks.sets[it.entrant].is_none()) {
        return None;
    }
    let candidates = pool.iter().map(|it| it.entrant);
    let may_be = |&it: &usize| ranks.sets[it].is_some_and(|set| set.may_be_best());
    let best: Vec<usize> = candidates.filter(may_be).collect();
    let shown = || listed(best.iter().map(|&it| names[it].as_str()));
    let elo = |entrant: usize| tenths(ratings.ratings[entrant].elo);
    Some(if let [only] = best[..] {
        format!(
            "{} is the best (95 %).",
            shortened(&names[only], NAME_COLUMNS)
        )
    } else if best.len() == pool.len() && best.iter().all(|&it| elo(it) == elo(best[0])) {
        format!("{} are level.", shown())
    } else if best.len() == pool.len() {
        format!(
            "Too close to call: any of the {} may be the best.",
            pool.len()
        )
    } else {
        format!("The best is one of {} (95 %).", shown())
    })
}

/// How many more pairs would part the first two, if their games leave it open.
fn too_close(names: &[String], ratings: &Ratings, pool: &[Place]) -> Option<String> {
    let [first, second, ..] = pool else {
        return None;
    };
    let [one, other] = [first, second].map(|place| ratings.ratings[place.entrant].entrant);
    let difference = ratings.difference(one, other)?;
    if difference.error95.is_none() || difference.is_parted() {
        return None;
    }
    let shown = [one, other].map(|it| names[it.position()].as_str());
    let shown = shortened_apart(&shown, NAME_COLUMNS);
    let start = format!("Too close to call: {} and {}.", shown[0], shown[1]);
    let games = |entrant: usize| ratings.ratings[entrant].results.games();
    let of_pool: u64 = pool.iter().map(|place| games(place.entrant)).sum();
    let of_all: u64 = (0..ratings.ratings.len()).map(games).sum();
    let pairs = ratings.sample.pairs as f64 * of_pool as f64 / of_all as f64;
    // Half again as many at least: fewer are soon played, and part less.
    let mut wanted = WANTED
        .into_iter()
        .filter_map(|elo| Some((elo, difference.times_as_many(elo, POWER)?)));
    let advice = wanted.find(|(_, times)| *times > 1.5);
    let Some((elo, times)) = advice.filter(|(_, times)| *times < MOST_TIMES) else {
        return Some(start);
    };
    Some(format!(
        "{start} To tell them apart if they differ by {elo} Elo, play {} more pairs.",
        rounded_up(((times - 1.0) * pairs).ceil()),
    ))
}

/// Rounded to two digits: more would suggest a precision that does not exist.
fn rounded_up(pairs: f64) -> String {
    let unit = 10_f64.powf((pairs.max(1.0).log10().floor() - 1.0).max(0.0));
    format!("about {:.0}", (pairs / unit).ceil() * unit)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::game::{Outcome, RatedEntrant, RatedGame};
    use crate::stats::rating::rate;
    use crate::stats::ratings::RatingModel;
    use crate::stats::tally::Tally;

    #[test]
    fn each_pool_has_its_best() {
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
        let ratings = rate(&tally, &RatingModel::default()).expect("few entrants");
        let said = about_first(&names, &ratings, &ratings.ranks());
        assert_eq!(said.len(), 3, "{said:?}");
        assert_eq!(said[0], "Pool 1: a\\u{1b}da, bob and carl are level.");
        assert_eq!(said[2], "Pool 2: dora is the best (95 %).");
        // By hand: 36 drawn games from 12 openings; the interval of twelve level openings is wide.
        let start = "Too close to call: a\\u{1b}da and bob. To tell them apart if they differ by ";
        assert!(said[1].starts_with(start), "{said:?}");
        let two = rate(&Tally::new(2), &RatingModel::default()).expect("few entrants");
        assert!(about_first(&names[..2], &two, &two.ranks()).is_empty());
    }
}
