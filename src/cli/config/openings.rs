//! The openings of a configuration: drawn with the secret of the run, or read from a file.

use super::error::Trouble;
use super::names;
use super::program::{absolute, shown};
use super::resolve::Context;
use super::typed::{Typed, TypedOpenings};
use crate::cli::regular_file;
use crate::tournament::{
    Opening, OpeningSource, Openings, Secret, openings_of_format_2, parse_openings, random_openings,
};
use std::path::Path;

/// No file of openings has more, in MiB: one for each of the most pairs, with 200 plies each.
const MOST_OPENINGS_MIB: u64 = 256;

/// The openings that the configuration names: drawn, or read from a file that lies in `folder`. Of
/// a record whose file of openings is gone, an empty list. Without a secret they are those of an
/// older record; of a plan that is not played yet, as many.
pub(super) fn resolve_openings(
    typed: &Typed,
    folder: &Path,
    secret: Option<&Secret>,
    context: &Context<'_>,
    warnings: &mut Vec<String>,
) -> Result<(OpeningSource, Openings), Trouble> {
    let gone = || {
        let list = Openings::new(vec![Opening::NONE]);
        Ok((OpeningSource::Listed(Vec::new()), list))
    };
    match &typed.tournament.openings.value {
        TypedOpenings::File(_) if context.is_record => {
            read_openings(typed, folder, secret, warnings).or_else(|_| gone())
        }
        _ => read_openings(typed, folder, secret, warnings),
    }
}

fn read_openings(
    typed: &Typed,
    folder: &Path,
    secret: Option<&Secret>,
    warnings: &mut Vec<String>,
) -> Result<(OpeningSource, Openings), Trouble> {
    let tournament = &typed.tournament;
    let origin = &tournament.openings.origin;
    let pairs = tournament.pairs.value;
    let (source, list) = match &tournament.openings.value {
        TypedOpenings::Plies(plies) => {
            let (rules, count, seed) = (&typed.rules, pairs as usize, tournament.seed);
            let list = match secret {
                Some(secret) => random_openings(rules, *plies, count, (secret, seed)),
                None => openings_of_format_2(rules, *plies, count, seed),
            };
            if list.is_empty() {
                let message = format!(
                    "no game was found that goes on after {plies} random plies; take fewer \
                     `plies` for `openings`"
                );
                return Err(Trouble::new(origin, message));
            }
            (OpeningSource::Random { plies: *plies }, list)
        }
        TypedOpenings::File(name) => {
            let path = absolute(&folder.join(name));
            let refuse = |message: String| Trouble::new(origin, message);
            let text = regular_file::read_text(&path, MOST_OPENINGS_MIB).map_err(|error| {
                refuse(format!(
                    "cannot read the openings in {}: {error}; `file` is relative to {}",
                    shown(&path),
                    shown(folder)
                ))
            })?;
            let list = parse_openings(&typed.rules, &text).map_err(|error| {
                let place = if error.line == 0 {
                    shown(&path)
                } else {
                    format!("{}:{}", shown(&path), error.line)
                };
                let reason = names::visible(&error.reason);
                refuse(format!(
                    "bad openings in {place}: {reason}. Each line is a list of moves, as in \
                     CdFb, or a position with South to move"
                ))
            })?;
            (OpeningSource::Listed(list.clone()), list)
        }
    };
    if (list.len() as u64) < u64::from(pairs) {
        let few = match list.len() {
            1 => "is only 1 opening".to_owned(),
            count => format!("are only {count} different openings"),
        };
        warnings.push(format!(
            "there {few} for {pairs} pairs of each pairing: they are played again from the first, \
             and bots without randomness will repeat their games"
        ));
    }
    Ok((source, Openings::new(list)))
}
