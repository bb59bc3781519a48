//! `awale rate`: the joint fit of any table of games.
//!
//! ```text
//!   table     a file in, games out
//!    ├ columns   the separator and the columns of a CSV file
//!    ├ pgn       tags and moves of a PGN file
//!    ├ result    the end of a game in people's spellings
//!    └ rows      entrants in alphabetical order, so that the order of the games has no effect
//!   ratings_json  the ratings as JSON, one object
//! ```

mod columns;
mod pgn;
mod ratings_json;
mod result;
mod rows;
mod table;

use super::args::RateArguments;
use super::exit::{Exit, Failure, output_failure, say_data};
use crate::cli::terminal_table::{drawn, fitted, terminal_columns};
use crate::report::{
    MOST_RANKED, MatchSummary, Observations, about_errors, about_first, about_fit, basis_of_errors,
    match_lines, rating_notes, rating_tables, write_ratings_csv,
};
use crate::stats::anytime::widening;
use crate::stats::fit::Fits;
use crate::stats::game::RatedEntrant;
use crate::stats::head_to_head::{Pairing, Summary};
use crate::stats::ranks::Ranks;
use crate::stats::rating::{rate as fit, rate_each};
use crate::stats::ratings::{RatingModel, Ratings};
use crate::stats::tally::Tally;
use crate::text::{did_you_mean, some_names};
use std::collections::BTreeMap;
use std::fmt::Display;

/// The results besides the ratings: the data behind them, and what was left out.
struct RatingResults<'a> {
    /// The names by the entrants' numbers.
    names: &'a [String],
    ratings: &'a Ratings,
    /// `None` if there are too many pairs of entrants to compare.
    ranks: Option<&'a Ranks>,
    /// Like `ranks`.
    fits: Option<&'a Fits>,
    /// Present for exactly two entrants.
    summary: Option<&'a MatchSummary>,
    observations: Observations,
    /// Whether it is known of each game who moved first.
    has_sides: bool,
    /// The number of unfinished games.
    unfinished: u64,
}

/// What a table with rows of sums cannot say.
const OF_SUMS: &str = "Rows of sums (won, drawn, lost) say neither who moved first nor from where: \
                       no first-move advantage is fitted, and each of their games counts as one \
                       observation.";

/// Sentences about what the tables do not say, and about games that do not count.
fn about_tables(reading: &RatingResults<'_>) -> impl Iterator<Item = String> {
    let of_sums = (!reading.has_sides).then(|| OF_SUMS.to_owned());
    about_unfinished(reading.unfinished)
        .into_iter()
        .chain(of_sums)
}

fn about_unfinished(unfinished: u64) -> Option<String> {
    match unfinished {
        0 => None,
        1 => Some("1 game that was not finished (*) or has a player ? is left out.".to_owned()),
        _ => Some(format!(
            "{unfinished} games that were not finished (*) or have a player ? are left out."
        )),
    }
}

/// Sentences about the best entrant and about misfits, or that this was not computed.
fn about_ranks(reading: &RatingResults<'_>) -> Vec<String> {
    let RatingResults { names, ratings, .. } = *reading;
    let (Some(ranks), Some(fits)) = (reading.ranks, reading.fits) else {
        return vec![format!(
            "{} entrants are too many to compare each with every other: ranks, differences, \
             pairings that misfit and circles are left out. --all-pairs works them out; it may \
             take minutes.",
            names.len()
        )];
    };
    let mut sentences = about_first(names, ratings, ranks);
    sentences.extend(about_fit(names, fits, "what --json prints"));
    sentences
}

pub fn rate(arguments: &RateArguments) -> Result<Exit, Failure> {
    let table = table::read(&arguments.games, &arguments.without_hosts).map_err(Failure::usage)?;
    let model = RatingModel {
        first_move_advantage: !arguments.no_advantage && table.has_sides,
        anchors: anchors(&arguments.anchors, &table.names)?,
        widening: widening(table.share),
    };
    let count = u32::try_from(table.names.len()).map_err(Failure::usage)?;
    let refuse = |error: &dyn Display| {
        let files = arguments.games.iter().map(|file| table::shown(file));
        let files: Vec<String> = files.collect();
        Failure::usage(format!("{}: {error}", files.join(", ")))
    };
    let tally = Tally::from_games(count, table.games).map_err(|error| refuse(&error))?;
    let compares = arguments.all_pairs || table.names.len() <= MOST_RANKED;
    let ratings = if compares {
        fit(&tally, &model)
    } else {
        rate_each(&tally, &model)
    };
    let ratings = ratings.map_err(|error| refuse(&error))?;
    let summary = match table.names.len() {
        2 => {
            let (first, second) = (RatedEntrant(0), RatedEntrant(1));
            let counts = Summary::of(&Pairing::of_tally(&tally, first, second));
            counts.map(|counts| MatchSummary {
                difference: ratings.difference(first, second),
                counts,
            })
        }
        _ => None,
    };
    let ranks = compares.then(|| ratings.ranks());
    let fits = compares.then(|| ratings.fits(&tally));
    let reading = RatingResults {
        names: &table.names,
        ratings: &ratings,
        ranks: ranks.as_ref(),
        fits: fits.as_ref(),
        summary: summary.as_ref(),
        observations: table.observations,
        has_sides: table.has_sides,
        unfinished: table.unfinished,
    };
    let mut text = Vec::new();
    let written = if arguments.json {
        ratings_json::write(&mut text, &reading)
    } else if arguments.csv {
        write_ratings_csv(&table.names, &ratings, &mut text)
    } else {
        text.extend(as_text(&reading).into_bytes());
        Ok(())
    };
    written.map_err(|error| output_failure(&error))?;
    say_data(&text)
}

/// `NAME=ELO` of the command line, with names of the table.
fn anchors(texts: &[String], names: &[String]) -> Result<BTreeMap<RatedEntrant, f64>, Failure> {
    /// A larger Elo can only be a typing error.
    const FARTHEST: f64 = 10_000.0;
    let mut anchors = BTreeMap::new();
    for text in texts {
        let wrong = |reason: String| Failure::usage(format!("--anchor {text:?}: {reason}"));
        let (name, elo) = text
            .rsplit_once('=')
            .ok_or_else(|| wrong("write NAME=ELO, as in greedy=1000".to_owned()))?;
        let name = name.trim();
        let elo: f64 = elo
            .trim()
            .parse()
            .ok()
            .filter(|elo: &f64| elo.abs() <= FARTHEST)
            .ok_or_else(|| wrong(format!("an Elo is a number from -{FARTHEST} to {FARTHEST}")))?;
        let place = names
            .binary_search_by(|known| known.as_str().cmp(name))
            .map_err(|_| wrong(unknown(name, names)))?;
        let place = u32::try_from(place).map_err(Failure::usage)?;
        if anchors.insert(RatedEntrant(place), elo).is_some() {
            return Err(wrong("this entrant has an Elo already".to_owned()));
        }
    }
    Ok(anchors)
}

/// Says that no player has this name, and suggests a similar one.
fn unknown(name: &str, names: &[String]) -> String {
    let known: Vec<&str> = names.iter().map(String::as_str).collect();
    let hint = did_you_mean(name, &known, ["\"", "\""]);
    let there = if names.is_empty() {
        "this table has no players".to_owned()
    } else {
        format!("those who play are {}", some_names(names))
    };
    format!("no player is called {name:?}{hint}; {there}")
}

fn as_text(reading: &RatingResults<'_>) -> String {
    let RatingResults { names, ratings, .. } = *reading;
    let mut text = drawn(&fitted(rating_tables(names, ratings), terminal_columns()));
    text.push('\n');
    if let (Some(summary), [first, second]) = (reading.summary, names) {
        for line in match_lines([first, second], summary) {
            text.push_str(&line);
            text.push('\n');
        }
    }
    let observations = reading.observations;
    for note in about_tables(reading)
        .chain(rating_notes(names, ratings, observations))
        .chain(about_ranks(reading))
        .chain(about_errors(ratings, "what --json prints"))
        .chain(basis_of_errors(ratings, observations))
    {
        text.push_str(&note);
        text.push('\n');
    }
    text
}
