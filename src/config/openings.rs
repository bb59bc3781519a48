//! The openings of a configuration: derived from the run's secret, or read from a file.

use super::error::{Diagnostic, Located};
use super::keys::forms::TypedOpenings;
use super::keys::tables::Typed;
use crate::config::trust::{absolute, shown};
use crate::files;
use crate::text::{counted, printable};
use crate::tournament::{Opening, OpeningSource, Openings, Plan, parse_openings};
use std::path::Path;

/// The largest file of openings, in MiB: one for each of the most pairs, with 200 plies each.
const MOST_OPENINGS_MIB: u64 = 256;

/// The source of the openings: derived, or read from a file in `folder`. An empty list for a record
/// whose file of openings is missing.
pub fn resolve_source(
    typed: &Typed,
    folder: &Path,
    is_record: bool,
) -> Result<OpeningSource, Diagnostic> {
    let typed_openings = &typed.tournament.openings;
    let TypedOpenings { plies, file, .. } = &typed_openings.value;
    let Some(name) = file else {
        let plies = plies.as_ref().map_or(0, |it| it.value);
        return Ok(OpeningSource::Random { plies });
    };
    match read_list(typed, &name.value, folder) {
        Ok(list) => Ok(OpeningSource::Listed(list)),
        Err(_) if is_record => Ok(OpeningSource::Listed(Vec::new())),
        Err(message) => Err(Diagnostic::new(&typed_openings.origin, message)),
    }
}

fn read_list(typed: &Typed, name: &str, folder: &Path) -> Result<Vec<Opening>, String> {
    let path = absolute(&folder.join(name));
    let text = files::read_text(&path, MOST_OPENINGS_MIB).map_err(|error| {
        format!(
            "cannot read the openings in {}: {error}; `file` is relative to {}",
            shown(&path),
            shown(folder)
        )
    })?;
    parse_openings(&typed.rules(), &text).map_err(|error| {
        let place = if error.line == 0 {
            shown(&path)
        } else {
            format!("{}:{}", shown(&path), error.line)
        };
        let reason = printable(&error.reason);
        format!(
            "bad openings in {place}: {reason}. Each line is a list of moves, as in CdFb, or a \
             position with South to move; or the file has games in OGN or PGN, with {{book}} after \
             the last move of the opening"
        )
    })
}

/// The openings of a plan. A tournament repeats them if there are fewer than its pairs; a test ends
/// after the last one, because a repeated game gives no new evidence.
pub fn resolve_openings(
    plan: &mut Plan,
    typed: &Located<TypedOpenings>,
    is_record: bool,
    warnings: &mut Vec<String>,
) -> Result<Openings, Diagnostic> {
    let openings = Openings::of(plan).or_else(|| {
        let list = OpeningSource::Listed(vec![Opening::NONE]);
        let openings = Openings::of(&Plan {
            openings: list,
            ..plan.clone()
        });
        openings.filter(|_| is_record)
    });
    if let (OpeningSource::Listed(list), Some(start)) = (&plan.openings, &typed.value.start)
        && !list.is_empty()
        && start.value as usize > list.len()
    {
        let there = counted(list.len(), "opening", "openings");
        let message = format!(
            "`start` of `openings` is {}, and the file has {there}",
            start.value
        );
        return Err(Diagnostic::new(&start.origin, message));
    }
    let Some(openings) = openings else {
        let plies = match plan.openings {
            OpeningSource::Random { plies } => plies,
            OpeningSource::Listed(_) => 0,
        };
        let message = format!(
            "no game was found that goes on after {plies} random plies; take fewer `plies` for \
             `openings`"
        );
        return Err(Diagnostic::new(&typed.origin, message));
    };
    let shortage = openings.shortage(plan);
    // For a record whose file is missing, the number is unknown.
    let is_unknown = matches!(&plan.openings, OpeningSource::Listed(list) if list.is_empty());
    let Some((pairs, there)) = shortage.filter(|_| !is_unknown) else {
        return Ok(openings);
    };
    let few = match there {
        1 => "is only 1 opening".to_owned(),
        count => format!("are only {count} different openings"),
    };
    if plan.test.is_some_and(|test| test.repeat_openings) {
        warnings.push(format!(
            "there {few} for {pairs} pairs: they are played again from the first, and the test is \
             about games from them alone; a game that repeats another to the move is no new evidence"
        ));
    } else if plan.test.is_some() {
        warnings.push(format!(
            "there {few} for {pairs} pairs, and a test plays none twice: it ends after {there}, \
             decided or not; longer random openings, as {{ plies = 8 }}, or a longer list give more, \
             and `repeat-openings = true` in [sprt] is for bots whose games vary"
        ));
        plan.pairs = u32::try_from(there).unwrap_or(u32::MAX);
    } else {
        warnings.push(format!(
            "there {few} for {pairs} pairs of a pairing: they are played again from the first, \
             and they show nothing new: errors go by the number of openings"
        ));
    }
    Ok(openings)
}
