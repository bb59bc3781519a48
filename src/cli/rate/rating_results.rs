//! What a rating of a table found, for text and JSON.

use crate::report::{Observations, about_first, about_fit};
use crate::stats::fit::Fits;
use crate::stats::head_to_head::Summary;
use crate::stats::ranks::Ranks;
use crate::stats::ratings::Ratings;

/// What stands beside the ratings: on what they rest, and what was left out.
pub struct RatingResults<'a> {
    /// By the entrants' numbers.
    pub names: &'a [String],
    pub ratings: &'a Ratings,
    /// `None` if not all pairs of entrants are compared: there are too many.
    pub ranks: Option<&'a Ranks>,
    /// As `ranks`.
    pub fits: Option<&'a Fits>,
    /// Of two entrants alone.
    pub summary: Option<&'a Summary>,
    pub observations: Observations,
    /// Games that were not finished.
    pub unfinished: u64,
}

/// What keeps games from counting, in a sentence.
pub fn about_unfinished(unfinished: u64) -> Option<String> {
    match unfinished {
        0 => None,
        1 => Some("1 game that was not finished (*) is left out.".to_owned()),
        _ => Some(format!(
            "{unfinished} games that were not finished (*) are left out."
        )),
    }
}

/// Which entrant is best, and where the model fails; or that it was not looked into.
pub fn about_ranks(reading: &RatingResults<'_>) -> Vec<String> {
    let RatingResults { names, ratings, .. } = *reading;
    let (Some(ranks), Some(fits)) = (reading.ranks, reading.fits) else {
        return vec![about_too_many(names.len())];
    };
    let mut sentences = about_first(names, ratings, ranks);
    sentences.extend(about_fit(names, fits, "what --json prints"));
    sentences
}

/// That ranks and differences are missing.
fn about_too_many(entrants: usize) -> String {
    format!(
        "{entrants} entrants are too many to compare each with every other: ranks, differences, \
         pairings that misfit and circles are left out. --all-pairs works them out; it may take \
         minutes."
    )
}
