//! The database with which the tables of endgames in a folder were made, if this machine has it.

use super::findings::{Check, FindingPlace, Findings};
use crate::analysis::Analyst;
use crate::endgame_file::{self, EndgameFileError, MOST_SEEDS};
use crate::rules::RuleSet;
use crate::run_folder::RunFolder;
use crate::run_folder::tables::{ACCURACY, ENDGAMES};
use std::io::Read as _;

/// Bytes of a table that are read: its first rows.
const BEGIN: u64 = 64 << 10;
/// The column with the seeds of the database.
const SEEDS: &str = "seeds";

/// What makes the tables of endgames again, if the folder has them. A note says that they cannot be
/// compared.
pub fn analyst_of(folder: &RunFolder, rules: &RuleSet, findings: &mut Findings) -> Option<Analyst> {
    let mut tables = [ACCURACY, ENDGAMES].into_iter();
    let table = tables.find(|name| folder.files().is_file(name))?;
    let Some(seeds) = seeds_of(folder, table).filter(|it| *it <= MOST_SEEDS) else {
        let message = "it does not say how many seeds its database has";
        findings.problem(Check::Tables, FindingPlace::file(table), message);
        return None;
    };
    let found = analyst(rules, seeds);
    let note = |why: String| {
        let message = format!("{ACCURACY} and {ENDGAMES} were not compared: {why}");
        findings.note(Check::Tables, &message);
    };
    found.map_err(note).ok()
}

/// Analyses with the values of so many seeds.
fn analyst(rules: &RuleSet, seeds: u8) -> Result<Analyst, String> {
    let said = |error: EndgameFileError| error.to_string();
    let database = endgame_file::find(rules).map_err(said)?;
    let values = database.values().limited_to(seeds);
    let has_all = values.seeds() == seeds;
    let analyst = has_all.then(|| Analyst::new(*rules, values)).flatten();
    analyst.ok_or_else(|| {
        let path = database.path().display();
        format!("they need the values of {seeds} seeds, and {path} has fewer")
    })
}

/// The seeds in the first row of a table.
fn seeds_of(folder: &RunFolder, table: &str) -> Option<u8> {
    let begin = folder.files().file(table).ok()?.take(BEGIN);
    let mut rows = csv::ReaderBuilder::new().flexible(true).from_reader(begin);
    let place = rows
        .byte_headers()
        .ok()?
        .iter()
        .position(|it| it == SEEDS.as_bytes())?;
    let row = rows.byte_records().next()?.ok()?;
    std::str::from_utf8(row.get(place)?).ok()?.parse().ok()
}
