//! Databases of perfect play as files: built, found again, checked, and mapped by all who ask.
//!
//! A file holds the values of all positions of up to some number of seeds under one set of rules.
//! Rules that differ only in when a game is stopped share it. The usual place is the user's cache
//! folder, one file for each set of rules: `~/.cache/awale/endgame/no-capture.endgame`.
//!
//! ```text
//! header    the first page of a file: rules, seeds, a checksum for each layer
//! database  opens a file, maps it, compares it with its checksums
//! build     writes a file, layer by layer, and goes on where an earlier build stopped
//! planned   the database that a plan names, as the referee asks it
//! error     what can be wrong, and what to do
//! ```
//!
//! What a value is, and why it is right, is said in `engine::endgame`.

mod build;
mod database;
mod error;
mod header;
mod planned;
#[cfg(test)]
mod tests;

pub use crate::engine::endgame::MOST_SEEDS;
pub use build::{Built, build};
pub use database::EndgameDatabase;
pub use error::EndgameFileError;
pub use planned::find_planned;

use crate::engine::endgame::SolvedRules;
use crate::files::user_cache;
use crate::rules::{Preset, RuleSet};
use crate::tournament::{changed_fields, plain_text};
use std::path::PathBuf;

/// The seeds of the databases that messages tell to build: solved in half a second, and 39 % of all
/// plies of strong players have no more on the board.
pub const USUAL_SEEDS: u8 = 12;

/// What of these rules decides values.
///
/// # Errors
/// They have no database.
pub fn solved(rules: &RuleSet) -> Result<SolvedRules, EndgameFileError> {
    SolvedRules::of(rules).map_err(|why| EndgameFileError::Rules {
        rules: words(rules).join(" "),
        why,
    })
}

/// Where the database of these rules is kept in the user's cache folder.
///
/// # Errors
/// The rules have no database, or the user has no cache folder.
pub fn usual_place(rules: &RuleSet) -> Result<PathBuf, EndgameFileError> {
    let name = solved(rules)?.name() + ".endgame";
    let cache = user_cache().ok_or(EndgameFileError::NoCache)?;
    Ok(cache.join("endgame").join(name))
}

/// Opens the database of these rules in the user's cache folder, and compares it with its checksums.
///
/// # Errors
/// The rules have no database; nobody has built it yet; the file is damaged.
pub fn find(rules: &RuleSet) -> Result<EndgameDatabase, EndgameFileError> {
    let path = usual_place(rules)?;
    if !path.exists() {
        return Err(EndgameFileError::Missing {
            path,
            command: build_command(rules, USUAL_SEEDS),
        });
    }
    EndgameDatabase::open_checked(&path, rules)
}

/// The command that builds a database for these rules in its usual place.
pub fn build_command(rules: &RuleSet, seeds: u8) -> String {
    let mut command = vec!["awale endgame build".to_owned()];
    command.extend(words(rules));
    command.push(format!("--seeds {seeds}"));
    command.join(" ")
}

/// The options that name a rule set: the nearest preset, and the fields in which it differs; none
/// for the default.
fn words(rules: &RuleSet) -> Vec<String> {
    // The first of equally near ones.
    let differences = |preset: &Preset| changed_fields(rules, *preset).len();
    let nearest = Preset::ALL.into_iter().min_by_key(differences);
    let preset = nearest.unwrap_or(Preset::Awale);
    let mut words = Vec::new();
    if preset != Preset::Awale {
        words.push(format!("--rules {}", preset.name()));
    }
    let sets = changed_fields(rules, preset).into_iter();
    words.extend(sets.map(|(field, value)| format!("--set {field}={}", plain_text(&value))));
    words
}
