//! What the first word of a command names: a program of the organiser, or a file of the entrant.

use super::error::Located;
use super::host_env::HostEnv;
use super::keys::tables::TypedEntrant;
use super::locate::on_path;
use super::prefix::{is_language, virtual_environment};
use super::trust::{TrustBoundary, is_unreal, plain};
use std::path::{Path, PathBuf};

/// What the first word of a command names.
pub enum Named {
    /// A program of the organiser.
    Program(PathBuf),
    /// A file of the entrant.
    File,
    /// Nothing that exists here.
    Nothing,
}

/// What the first word of this entrant's command names.
pub fn named(
    entrant: &TypedEntrant,
    word: &Located<String>,
    host_env: &HostEnv,
    boundary: &TrustBoundary,
) -> Named {
    if !word.value.contains('/') {
        let path = on_path(host_env, boundary, Path::new(&word.value));
        return path.map_or(Named::Nothing, Named::Program);
    }
    let folder = boundary.folder.as_path();
    let dir = entrant.dir.as_ref().map(|dir| folder.join(&dir.value));
    let path = plain(&dir.as_deref().unwrap_or(folder).join(&word.value));
    if is_interpreter(&path, boundary) {
        Named::Program(path)
    } else {
        Named::File
    }
}

/// Whether a path in a command is the organiser's interpreter, and not an entrant's file: one
/// outside of the configuration's folder, or of a virtual environment in it.
fn is_interpreter(path: &Path, boundary: &TrustBoundary) -> bool {
    let is_organisers = is_language(path) && boundary.holder(path).is_none() && !is_unreal(path);
    let is_beside = |path: &Path| path.starts_with(&boundary.folder);
    is_organisers && (!is_beside(path) || virtual_environment(path).is_some())
}
