//! Earlier versions of entrants as entrants: only their name and their folder are others.

use super::class::ClassFolders;
use super::error::Located;
use super::names;
use super::typed::Typed;
use crate::bot::ProgramVersion;
use crate::config::keys::tables::TypedEntrant;
use crate::config::paths::absolute;
use std::path::Path;

/// The versions that the run in a folder keeps.
pub type VersionSource = fn(&Path) -> Vec<ProgramVersion>;

/// The configuration with these versions behind all other entrants. A version of an entrant that is
/// gone, or that has no folder of its own any more, is gone too.
pub fn add(typed: &mut Typed, class: &mut ClassFolders, kept: Vec<ProgramVersion>, folder: &Path) {
    for version in kept {
        let is_of = |entrant: &&TypedEntrant| entrant.name.value == version.of;
        let Some(entrant) = typed.entrants.iter().find(is_of) else {
            continue;
        };
        let is_taken = typed
            .entrants
            .iter()
            .any(|it| it.name.value == version.name);
        if entrant.dir.is_none() || is_taken || names::check(&version.name).is_err() {
            continue;
        }
        let entrant = TypedEntrant {
            name: Located::by_default(version.name.clone()),
            dir: Some(Located::by_default(relative(&version.folder, folder))),
            ..entrant.clone()
        };
        if class.names.contains(&version.of) {
            class.names.insert(version.name);
        }
        typed.entrants.push(entrant);
    }
}

/// The folder of a version, relative to the start of relative paths if it is below: then a project
/// can move to another place.
fn relative(version: &Path, folder: &Path) -> String {
    let version = absolute(version);
    let shown = version.strip_prefix(folder).unwrap_or(&version);
    shown.to_string_lossy().into_owned()
}
