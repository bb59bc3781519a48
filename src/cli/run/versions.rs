//! `--keep-versions`: the earlier program of an entrant stays in the tournament when it changes.

use crate::bot::{ProgramVersion, Submission};
use crate::cli::exit::{Failure, tell};
use crate::config::Resolved;
use crate::run_folder::{RecordedRun, RunFolder, Versions};
use crate::text::printable;
use crate::tournament::{Entrant, hash_of};
use std::io;
use std::path::Path;

/// The versions that the run in a folder keeps.
pub fn kept_versions(run: &Path) -> Vec<ProgramVersion> {
    // There is no folder before the first run.
    Versions::of(run).map_or_else(|_| Vec::new(), |it| it.kept())
}

/// Versions that were made for a run. Unless it begins, they are none.
#[derive(Debug)]
pub struct NewVersions {
    /// None before the first run.
    versions: Option<Versions>,
    names: Vec<String>,
}

impl NewVersions {
    /// Makes a version of each program that was admitted to the run in this folder and has changed.
    ///
    /// # Errors
    /// The disk's.
    pub fn make(resolved: &Resolved) -> Result<Self, Failure> {
        let mut made = Self {
            versions: Versions::of(&resolved.output).ok(),
            names: Vec::new(),
        };
        for entrant in replaced(resolved) {
            made.keep(&entrant, resolved)
                .map_err(|error| cannot_keep(&entrant.name, &error))?;
        }
        Ok(made)
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.names.is_empty()
    }

    /// The run has begun: the versions stay.
    pub fn settle(mut self) {
        self.names.clear();
    }

    fn keep(&mut self, entrant: &Entrant, resolved: &Resolved) -> io::Result<()> {
        let hash = hash_of(&entrant.program);
        let Some(versions) = &self.versions else {
            return Ok(());
        };
        if versions.has(&entrant.name, &hash) {
            return Ok(());
        }
        if !versions_fit(&entrant.name) {
            tell(&format!(
                "warning: the earlier version of {} is not kept: the name is too long for one",
                printable(&entrant.name)
            ));
            return Ok(());
        }
        let Some(copy) = versions.copy_of(&hash) else {
            tell(&format!(
                "warning: the earlier version of {} is not kept: its folder was not copied, \
                 because it was played without --keep-versions",
                printable(&entrant.name)
            ));
            return Ok(());
        };
        if !is_same(&copy, entrant, resolved)? {
            let name = versions.make(&entrant.name, &hash)?;
            self.names.push(name);
        }
        Ok(())
    }
}

/// Whether names of versions of this entrant are names of entrants and of files.
fn versions_fit(entrant: &str) -> bool {
    const MOST_CHARACTERS: usize = 64 - 9;
    const MOST_BYTES: usize = 200;
    entrant.chars().count() <= MOST_CHARACTERS && entrant.len() <= MOST_BYTES
}

impl Drop for NewVersions {
    fn drop(&mut self) {
        for (name, versions) in self.names.iter().zip(self.versions.iter().cycle()) {
            // A version that stays is told to the user as a new entrant by the next run.
            let _ = versions.unmake(name);
        }
    }
}

/// The entrants of the run in the folder that were admitted and whose programs are other ones now.
fn replaced(resolved: &Resolved) -> Vec<Entrant> {
    // The run that opens the journal reports its errors.
    let folder = RunFolder::open_to_read(&resolved.output).ok();
    let Some(recorded) = folder.and_then(|it| RecordedRun::read(&it).ok()) else {
        return Vec::new();
    };
    let plan = recorded.run.plan;
    let exclusions = recorded.outcome.exclusions;
    let is_refused = |name: &str| exclusions.refused.iter().any(|(it, _)| it == name);
    let has_changed = |earlier: &Entrant| {
        let mut entrants = resolved.plan.entrants.iter();
        let now = entrants.find(|it| it.name == earlier.name);
        now.is_some_and(|now| now.program != earlier.program) && !is_refused(&earlier.name)
    };
    plan.entrants.into_iter().filter(has_changed).collect()
}

/// Whether the folder of an entrant has the contents of a copy: only its settings have changed, or
/// a program of the host.
fn is_same(copy: &Path, entrant: &Entrant, resolved: &Resolved) -> io::Result<bool> {
    let named = resolved.plan.entrants.iter().zip(&resolved.entrants);
    let mut named = named.filter(|(it, _)| it.name == entrant.name);
    let Some(folder) = named
        .next()
        .and_then(|(_, resolved)| resolved.folder.as_ref())
    else {
        return Ok(false);
    };
    let copied = Submission {
        root: copy.to_owned(),
        left_out: Vec::new(),
        expected: None,
        ..folder.clone()
    };
    Ok(copied.contents()?.tree == folder.contents()?.tree)
}

/// Copies the programs that play now, so that they can be kept when they change.
///
/// # Errors
/// The disk's.
pub fn copy_programs(resolved: &Resolved) -> Result<(), Failure> {
    let versions = Versions::of(&resolved.output);
    let versions = versions.map_err(|error| cannot_keep("every entrant", &error))?;
    let kept = versions.kept();
    for (planned, entrant) in resolved.plan.entrants.iter().zip(&resolved.entrants) {
        let is_version = kept.iter().any(|it| it.name == planned.name);
        let Some(folder) = entrant.folder.as_ref().filter(|_| !is_version) else {
            continue;
        };
        let copy = |to: &Path| folder.copy(to).map(|_| ()).map_err(io::Error::from);
        match versions.keep_copy(&hash_of(&planned.program), copy) {
            // Its author writes there at this moment: it is not admitted, and plays no game.
            Err(error) if error.kind() == io::ErrorKind::InvalidData => {}
            kept => kept.map_err(|error| cannot_keep(&planned.name, &error))?,
        }
    }
    Ok(())
}

fn cannot_keep(entrant: &str, error: &io::Error) -> Failure {
    Failure::machine(format!(
        "cannot keep the program of {} in versions/: {error}; make room, or run without \
         --keep-versions",
        printable(entrant)
    ))
}
