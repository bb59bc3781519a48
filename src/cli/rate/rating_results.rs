//! The results of rating a table, for text and JSON.

use crate::report::{MatchSummary, Observations, about_first, about_fit};
use crate::stats::fit::Fits;
use crate::stats::ranks::Ranks;
use crate::stats::ratings::Ratings;

/// The results besides the ratings: the data behind them, and what was left out.
pub struct RatingResults<'a> {
    /// The names by the entrants' numbers.
    pub names: &'a [String],
    pub ratings: &'a Ratings,
    /// `None` if there are too many pairs of entrants to compare.
    pub ranks: Option<&'a Ranks>,
    /// Like `ranks`.
    pub fits: Option<&'a Fits>,
    /// Present for exactly two entrants.
    pub summary: Option<&'a MatchSummary>,
    pub observations: Observations,
    /// The number of unfinished games.
    pub unfinished: u64,
}

/// A sentence about games that do not count.
pub fn about_unfinished(unfinished: u64) -> Option<String> {
    match unfinished {
        0 => None,
        1 => Some("1 game that was not finished (*) or has a player ? is left out.".to_owned()),
        _ => Some(format!(
            "{unfinished} games that were not finished (*) or have a player ? are left out."
        )),
    }
}

/// Sentences about the best entrant and about misfits, or that this was not computed.
pub fn about_ranks(reading: &RatingResults<'_>) -> Vec<String> {
    let RatingResults { names, ratings, .. } = *reading;
    let (Some(ranks), Some(fits)) = (reading.ranks, reading.fits) else {
        return vec![about_too_many(names.len())];
    };
    let mut sentences = about_first(names, ratings, ranks);
    sentences.extend(about_fit(names, fits, "what --json prints"));
    sentences
}

/// Says that ranks and differences are missing.
fn about_too_many(entrants: usize) -> String {
    format!(
        "{entrants} entrants are too many to compare each with every other: ranks, differences, \
         pairings that misfit and circles are left out. --all-pairs works them out; it may take \
         minutes."
    )
}
