//! From the journal to the tables in a run's folder.

use super::super::exit::Failure;
use super::folder::RunFolder;
use super::folder_failure;
use crate::record::GameRecord;
use crate::report::Tables;

/// Writes every table of the records, each whole or not at all.
pub(super) fn write<'a>(
    folder: &RunFolder,
    names: &'a [String],
    records: &'a [GameRecord],
) -> Result<Tables<'a>, Failure> {
    let tables = Tables::new(names, records).map_err(Failure::machine)?;
    let mut files: [(&str, Vec<u8>); 3] = [
        ("standings.csv", Vec::new()),
        ("crosstable.csv", Vec::new()),
        ("games.csv", Vec::new()),
    ];
    let [(_, standings), (_, crosstable), (_, games)] = &mut files;
    tables
        .standings_csv(standings)
        .and_then(|()| tables.crosstable_csv(crosstable))
        .and_then(|()| tables.games_csv(games))
        .map_err(Failure::machine)?;
    for (name, contents) in &files {
        folder.write(name, contents).map_err(folder_failure)?;
    }
    Ok(tables)
}
