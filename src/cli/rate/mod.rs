//! `awale rate`: the joint fit of any table of games.
//!
//! ```text
//!   table  CSV in, games out: entrants in alphabetical order, so that the rows' order is forgotten
//!   lines  what the reader of CSV is given: every line ends alike, so that lines can be counted
//!   page   ratings in, JSON out, as one object
//! ```

mod lines;
mod page;
mod table;

use super::args::RateArguments;
use super::config::nearest;
use super::exit::{Exit, Failure, output_failure};
use crate::report::{
    MOST_RANKED, Observations, about_errors, about_ranks, basis_of_errors, match_lines, printable,
    rating_notes, rating_table,
};
use crate::stats::head_to_head::{Pairing, Summary};
use crate::stats::ranks::Ranks;
use crate::stats::rating::{Errors, RESAMPLES, RatingModel, Ratings, rate as fit};
use crate::stats::tally::{EntrantIndex, Tally};
use std::collections::BTreeMap;
use std::io::{self, BufWriter, Write as _};
use std::path::Path;

/// The seed of the draws if nobody says otherwise.
const SEED: u64 = 1;

/// What is said of a table.
struct Rated<'a> {
    /// By the entrants' numbers.
    names: &'a [String],
    ratings: &'a Ratings,
    /// `None` if nobody is compared with everybody: there are too many.
    ranks: Option<&'a Ranks>,
    /// Of two entrants.
    summary: Option<&'a Summary>,
    observations: Observations,
}

pub(super) fn rate(arguments: &RateArguments) -> Result<Exit, Failure> {
    let errors = errors(arguments)?;
    let table = table::read(&arguments.games).map_err(Failure::usage)?;
    let model = RatingModel {
        first_move_advantage: !arguments.no_advantage,
        anchors: anchors(&arguments.anchors, &table.names)?,
        errors,
    };
    let count = u32::try_from(table.names.len()).map_err(Failure::usage)?;
    let tally = Tally::from_games(count, table.games)
        .map_err(|error| Failure::usage(format!("{}: {error}", shown(&arguments.games))))?;
    let ratings = fit(&tally, &model);
    let summary = match table.names.len() {
        2 => {
            let (first, second) = (EntrantIndex(0), EntrantIndex(1));
            let summary = Summary::of(&Pairing::of_tally(&tally, first, second));
            summary.map(|it| it.in_table(ratings.los(first, second)))
        }
        _ => None,
    };
    let compares = arguments.all_pairs || table.names.len() <= MOST_RANKED;
    let ranks = compares.then(|| ratings.ranks());
    let rated = Rated {
        names: &table.names,
        ratings: &ratings,
        ranks: ranks.as_ref(),
        summary: summary.as_ref(),
        observations: table.observations,
    };
    let mut out = BufWriter::new(io::stdout().lock());
    let written = if arguments.json {
        page::write(&mut out, &rated)
    } else {
        out.write_all(as_text(&rated).as_bytes())
    };
    written
        .and_then(|()| out.flush())
        .map_err(|error| output_failure(&error))?;
    Ok(Exit::Done)
}

fn shown(path: &Path) -> String {
    printable(&path.display().to_string())
}

fn errors(arguments: &RateArguments) -> Result<Errors, Failure> {
    if arguments.errors == "bootstrap" {
        return Ok(Errors::Bootstrap {
            seed: arguments.seed.unwrap_or(SEED),
            resamples: arguments.resamples.unwrap_or(RESAMPLES),
        });
    }
    if arguments.seed.is_some() || arguments.resamples.is_some() {
        let said = "--seed and --resamples are for --errors bootstrap: nothing else is drawn";
        return Err(Failure::usage(said));
    }
    Ok(Errors::Sandwich)
}

/// `NAME=ELO` of the command line, with names that are in the table.
fn anchors(texts: &[String], names: &[String]) -> Result<BTreeMap<EntrantIndex, f64>, Failure> {
    /// Elo beyond which nothing but a slip of the hand is meant.
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
        if anchors.insert(EntrantIndex(place), elo).is_some() {
            return Err(wrong("this entrant has an Elo already".to_owned()));
        }
    }
    Ok(anchors)
}

/// That nobody has this name, and who may have been meant.
fn unknown(name: &str, names: &[String]) -> String {
    const MOST: usize = 12;
    let quoted: Vec<String> = names
        .iter()
        .take(MOST)
        .map(|name| format!("{name:?}"))
        .collect();
    let more = match names.len().saturating_sub(MOST) {
        0 => String::new(),
        hidden => format!(" and {hidden} more"),
    };
    let known: Vec<&str> = names.iter().map(String::as_str).collect();
    let near = nearest(name, &known);
    let hint = near.map_or(String::new(), |near| format!("; did you mean {near:?}?"));
    let there = if quoted.is_empty() {
        "nobody plays in this table".to_owned()
    } else {
        format!("those who play are {}{more}", quoted.join(", "))
    };
    format!("nobody is called {name:?}{hint}; {there}")
}

fn too_many(entrants: usize) -> String {
    format!(
        "{entrants} entrants are too many to compare each with every other: ranks and differences \
         are left out. --all-pairs works them out; it may take minutes."
    )
}

fn as_text(rated: &Rated<'_>) -> String {
    let Rated {
        names,
        ratings,
        ranks,
        summary,
        observations,
    } = *rated;
    let mut text = rating_table(names, ratings);
    text.push('\n');
    if let (Some(summary), [first, second]) = (summary, names) {
        for line in match_lines([first, second], summary) {
            text.push_str(&line);
            text.push('\n');
        }
    }
    for note in rating_notes(names, ratings, observations)
        .into_iter()
        .chain(ranks.map_or_else(Vec::new, |ranks| about_ranks(names, ratings, ranks)))
        .chain(about_errors(ratings, "what --json prints"))
        .chain(basis_of_errors(ratings, observations))
        .chain(ranks.is_none().then(|| too_many(names.len())))
    {
        text.push_str(&note);
        text.push('\n');
    }
    text
}
