//! Ratings alone, of games that need not be ours: the table of `rate`.

use super::crosstable::score;
use super::ranking::places;
use super::terminal::plain_table;
use super::text::{bound_sign, shortened, tenths};
use crate::stats::rating::Ratings;

/// Columns that a name may take.
const NAME_COLUMNS: usize = 40;

/// Ratings for people, the best first, in lines. `names` by the entrants' numbers.
pub fn rating_table(names: &[String], ratings: &Ratings) -> String {
    let places = places(ratings);
    let pools = places.iter().any(|place| place.pool != places[0].pool);
    let mut titles = vec![
        "#", "entrant", "Elo", "±95 %", "games", "won", "drawn", "lost", "score",
    ];
    if pools {
        titles.push("pool");
    }
    let rows = places.iter().map(|place| {
        let rating = &ratings.ratings[place.entrant];
        let results = &rating.results;
        vec![
            place.rank.to_string(),
            shortened(&names[place.entrant], NAME_COLUMNS),
            format!("{}{}", bound_sign(rating.bound), tenths(rating.elo)),
            rating.error95.map(tenths).unwrap_or_default(),
            results.games().to_string(),
            results.wins.to_string(),
            results.draws.to_string(),
            results.losses.to_string(),
            score(results).map_or(String::new(), |score| format!("{:.1} %", 100.0 * score)),
            place.pool.to_string(),
        ]
    });
    plain_table(&titles, rows)
}
