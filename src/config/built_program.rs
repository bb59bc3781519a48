//! Programs that must be built before they are played.

use super::error::{Diagnostic, Located};
use super::finder::Finder;
use super::keys::tables::TypedEntrant;
use crate::bot::{Build, Launch, Level, ProgramIdentity, build_arguments};
use crate::config::error::wrong;
use crate::config::file_access::{EntrantFiles, inside};
use crate::config::found_program::FoundProgram;
use crate::config::paths::{absolute, shown};
use crate::tournament::hash_of;
use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

/// The shell of every build.
const SHELL: &str = "/bin/sh";

impl Finder<'_> {
    /// A program that must be built: its folder has the sources, and the build makes the files that
    /// its command names.
    pub fn find_built(
        &mut self,
        entrant: &TypedEntrant,
        first_build: &Located<String>,
        directory: PathBuf,
        most_bytes: u64,
    ) -> Result<FoundProgram, Diagnostic> {
        let name = &entrant.name.value;
        if entrant.dir.is_none() {
            let message = "`build` needs a `dir`, the entrant's own folder with its sources";
            return Err(wrong(name, &first_build.origin, message));
        }
        let first = &entrant.command.value[0];
        let program = if first.value.contains('/') {
            absolute(&directory.join(&first.value))
        } else {
            self.locator().locate(name, first, &directory)?
        };
        let tools = self.tools(entrant, first_build, &directory)?;
        let unlinked = self.leads_elsewhere(entrant, &directory);
        let files = match unlinked.filter(|_| self.level > Level::None) {
            Some(reason) => EntrantFiles::unfit(reason),
            None => self.read_files(entrant, &program, &directory, most_bytes)?,
        };
        let mut found = FoundProgram {
            tools,
            ..self.program(entrant, program, directory, files)
        };
        if found.unfit.is_some() {
            return Ok(found);
        }
        if self.level > Level::None {
            self.equip(entrant, &mut found.launch)?;
        }
        let words = entrant.build.iter().map(|word| word.value.clone());
        let words: Vec<String> = words.collect();
        let makes = inside(&found.launch.directory, &found.launch.program);
        let arguments = found.launch.arguments.iter();
        let named = arguments
            .filter_map(|word| inside(&found.launch.directory, &found.launch.directory.join(word)));
        found.build = Some(Build {
            named: makes.clone().into_iter().chain(named).collect(),
            makes,
            key: key(entrant, &found, &words),
            launch: Launch {
                program: PathBuf::from(SHELL),
                arguments: build_arguments(&words),
                ..found.launch.clone()
            },
            limits: self.build_limits,
        });
        Ok(found)
    }

    /// The organiser's programs that a build needs, with their hashes.
    pub fn tools(
        &mut self,
        entrant: &TypedEntrant,
        first_build: &Located<String>,
        directory: &Path,
    ) -> Result<BTreeMap<String, String>, Diagnostic> {
        let words = std::iter::once(first_build).chain(&entrant.tools);
        let named = words.filter(|word| !word.value.contains('/'));
        let tools = named.map(|word| {
            let name = &entrant.name.value;
            let path = self.locator().locate(name, word, directory)?;
            let path = path.canonicalize().unwrap_or(path);
            let hash = self.hash_of_host_program(&path).map_err(|error| {
                let path = shown(&path);
                wrong(
                    name,
                    &word.origin,
                    format!("cannot read {path}: {}", io::Error::from(error)),
                )
            })?;
            Ok((word.value.clone(), hash))
        });
        tools.collect()
    }
}

/// What identifies the result of a build. The command of the bot says which files of caches belong
/// to it.
fn key(entrant: &TypedEntrant, found: &FoundProgram, words: &[String]) -> String {
    let command = entrant.command.value.iter();
    let identity = ProgramIdentity {
        command: command.map(|word| word.value.clone()).collect(),
        build: words.to_vec(),
        files: found.tools.clone(),
        tree: found.tree.clone(),
        ..ProgramIdentity::default()
    };
    hash_of(&identity.to_json())
}
