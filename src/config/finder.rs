//! Finds the files, toolchains and folders of one entrant after the other, and remembers what it
//! has read.

use super::error::{Diagnostic, Located, Medium};
use super::keys::tables::TypedEntrant;
use super::toolchains::Toolchains;
use super::trust::{TrustBoundary, plain};
use crate::bot::{
    BuildLimits, FileAccess, GivenFile, Launch, Level, OWN_PROGRAM, Own, SubmissionError, read_file,
};
use crate::config::class::CountedVersions;
use crate::config::context::{EndgameChoice, HostEnv};
use crate::config::error::wrong;
use crate::config::file_access::{EntrantFiles, FileReader, TreesRead, readable};
use crate::config::locate::{CommandTarget, named};
use crate::config::program::FoundProgram;
use crate::config::trust::{absolute, shown};
use crate::endgame_file::{EndgameDatabase, find};
use crate::rules::RuleSet;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};

/// The option of house bots that names a database of endgames.
const ENDGAME: &str = "--endgame";
/// The database among the hashes of an entrant.
const DATABASE: &str = "the endgame database";

/// The arguments of a house bot's command, in which the database has its absolute path.
fn with_database(words: &[&str], database: &Path) -> Vec<OsString> {
    let mut arguments: Vec<OsString> = Vec::new();
    let mut words = words.iter().skip(1).peekable();
    while let Some(&word) = words.next() {
        if word == ENDGAME {
            words.next_if(|next| !next.starts_with('-'));
        } else if !word.starts_with("--endgame=") {
            arguments.push(word.into());
        }
    }
    // After `bot`: what a user has put behind `--` is no option.
    let place = arguments
        .iter()
        .position(|it| it == "bot")
        .map_or(0, |it| it + 1);
    arguments.splice(place..place, [ENDGAME.into(), database.into()]);
    arguments
}

/// Finds programs and remembers what it has read.
pub struct Finder<'a> {
    pub host_env: &'a HostEnv,
    /// The start of relative paths.
    pub folder: &'a Path,
    /// The rules of the games.
    pub rules: RuleSet,
    pub level: Level,
    pub boundary: &'a TrustBoundary,
    pub toolchains: Toolchains,
    /// The run's folder.
    pub output: Option<&'a Path>,
    /// Earlier programs that play in place of those in the entrants' own folders.
    pub versions: &'a CountedVersions,
    /// Folders that all bots may read.
    pub common: &'a [Located<String>],
    pub trees: TreesRead,
    /// The hashes of the organiser's programs, by their paths without links.
    pub host_programs: BTreeMap<PathBuf, String>,
    /// What the reader of its errors has typed.
    pub medium: Medium,
    /// The limits of all builds.
    pub build_limits: BuildLimits,
}

impl<'a> Finder<'a> {
    /// A finder in a folder. All toolchains were found before.
    pub fn new(
        host_env: &'a HostEnv,
        folder: &'a Path,
        level: Level,
        boundary: &'a TrustBoundary,
        toolchains: Toolchains,
    ) -> Self {
        const NONE: &CountedVersions = &CountedVersions::new();
        Self {
            host_env,
            folder,
            rules: RuleSet::default(),
            level,
            boundary,
            toolchains,
            output: None,
            versions: NONE,
            common: &[],
            trees: BTreeMap::new(),
            host_programs: BTreeMap::new(),
            medium: Medium::File,
            build_limits: BuildLimits::default(),
        }
    }

    /// The entrant's files: its folder, and the files that its command names.
    pub fn read_files(
        &mut self,
        entrant: &TypedEntrant,
        program: &Path,
        directory: &Path,
        most_bytes: u64,
    ) -> Result<EntrantFiles, Diagnostic> {
        let words = entrant.command.value.iter().enumerate().skip(1);
        let mut named: Vec<(usize, PathBuf)> = words
            .map(|(index, word)| (index, directory.join(&word.value)))
            .collect();
        let toolchain = self.organisers(entrant);
        if toolchain.is_none() && !program.as_os_str().is_empty() {
            named.insert(0, (0, program.to_owned()));
        }
        let mut reader = self.reader(entrant, directory, most_bytes);
        let files = reader.read_files(&named);
        let mut files = files.map_err(|error| unreadable(entrant, directory, &error))?;
        if let Some(path) = toolchain
            && let Ok(path) = path.canonicalize()
            && let Ok(hash) = self.hash_of_host_program(&path)
        {
            files.fingerprints.insert(0, hash);
        }
        Ok(files)
    }

    /// The hash of a program of the organiser, which is read once for all entrants: interpreters
    /// can be large. The path has no links.
    pub fn hash_of_host_program(&mut self, path: &Path) -> Result<String, SubmissionError> {
        if let Some(known) = self.host_programs.get(path) {
            return Ok(known.clone());
        }
        let hash = read_file(path, u64::MAX, None)?;
        self.host_programs.insert(path.to_owned(), hash.clone());
        Ok(hash)
    }

    pub fn reader<'r>(
        &'r mut self,
        entrant: &TypedEntrant,
        directory: &'r Path,
        most_bytes: u64,
    ) -> FileReader<'r> {
        FileReader {
            boundary: self.boundary,
            level: self.level,
            directory,
            is_own: entrant.dir.is_some(),
            is_built: !entrant.build.is_empty(),
            most_bytes,
            output: self.output,
            trees: &mut self.trees,
        }
    }

    /// [`Finder::read_files`] of an entrant that plays: its folder must be where it is named to be.
    pub fn own_files(
        &mut self,
        entrant: &TypedEntrant,
        program: &Path,
        directory: &Path,
        most_bytes: u64,
    ) -> Result<EntrantFiles, Diagnostic> {
        let unlinked = self.leads_elsewhere(entrant, directory);
        match unlinked.filter(|_| self.level > Level::None) {
            Some(reason) => Ok(EntrantFiles::unfit(reason)),
            None => self.read_files(entrant, program, directory, most_bytes),
        }
    }

    /// Reports a link to the entrant's folder, which its author may have made.
    fn leads_elsewhere(&self, entrant: &TypedEntrant, directory: &Path) -> Option<String> {
        let dir = entrant.dir.as_ref()?;
        if self.versions.contains_key(&entrant.name.value) {
            return None;
        }
        let named = plain(&self.boundary.folder.join(&dir.value));
        (named != directory).then(|| {
            format!(
                "its folder {} leads through a link to {}: name that folder itself",
                shown(&named),
                shown(directory)
            )
        })
    }

    /// The organiser's program at the beginning of the entrant's command.
    pub fn organisers(&self, entrant: &TypedEntrant) -> Option<PathBuf> {
        let first = entrant.command.value.first()?;
        match named(entrant, first, self.host_env, self.boundary) {
            CommandTarget::Program(path) => Some(path),
            CommandTarget::File | CommandTarget::Missing => None,
        }
    }

    /// A house bot, with the database of endgames that its command may name.
    pub fn house_bot(
        &mut self,
        entrant: &TypedEntrant,
        directory: PathBuf,
    ) -> Result<FoundProgram, Diagnostic> {
        let words = entrant.command.value.iter();
        let words: Vec<&str> = words.map(|word| word.value.as_str()).collect();
        let choice = (self.host_env.house.endgame)(&words);
        let mut found = FoundProgram {
            is_house_bot: true,
            ..self.program(
                entrant,
                PathBuf::from(OWN_PROGRAM),
                directory,
                EntrantFiles::default(),
            )
        };
        let Some(choice) = choice else {
            return Ok(found);
        };
        let unfit = |error: &dyn std::error::Error| {
            let causes = std::iter::successors(error.source(), |error| error.source());
            let message = causes.fold(error.to_string(), |text, it| format!("{text}: {it}"));
            wrong(&entrant.name.value, &entrant.command.origin, message)
        };
        let opened = match choice {
            EndgameChoice::Usual => find(&self.rules),
            EndgameChoice::File(path) => {
                let path = absolute(&found.launch.directory.join(path));
                EndgameDatabase::open_checked(&path, &self.rules)
            }
        };
        let opened = opened.map_err(|error| unfit(&error))?;
        let source = opened
            .path()
            .canonicalize()
            .map_err(|error| unfit(&error))?;
        let name = opened.sha256(opened.seeds());
        found.tools.insert(DATABASE.to_owned(), name);
        found.launch.arguments = with_database(&words, &source);
        let file_access = &mut found.launch.file_access;
        match (self.level, source.parent()) {
            // All boxes share its memory.
            (Level::Box, Some(folder)) => file_access.readable.push(folder.to_owned()),
            // A folder that is closed to other users cannot be shown: the bot gets a copy.
            (Level::Landlock, _) => file_access.files.push(GivenFile {
                named: source.clone(),
                source,
            }),
            _ => {}
        }
        Ok(found)
    }

    pub fn program(
        &self,
        entrant: &TypedEntrant,
        program: PathBuf,
        directory: PathBuf,
        files: EntrantFiles,
    ) -> FoundProgram {
        let arguments = entrant.command.value.iter().skip(1);
        let is_kept = self.level > Level::None && files.unfit.is_none();
        let variables = self.host_env.variables.iter();
        let launch = Launch {
            program,
            arguments: arguments.map(|word| word.value.clone().into()).collect(),
            directory,
            environment: environment(entrant),
            host_environment: variables
                .map(|(name, it)| (name.into(), it.clone()))
                .collect(),
            file_access: FileAccess {
                own: if is_kept { files.own } else { Own::default() },
                files: if is_kept { files.files } else { Vec::new() },
                ..FileAccess::default()
            },
        };
        FoundProgram {
            launch,
            fingerprints: files.fingerprints,
            tools: BTreeMap::new(),
            build: None,
            tree: files.tree,
            is_house_bot: false,
            unfit: files.unfit,
        }
    }

    /// Gives an isolated bot the toolchains of the run, its own first, and its additional folders.
    pub fn equip(
        &self,
        entrant: &TypedEntrant,
        found: &mut FoundProgram,
    ) -> Result<(), Diagnostic> {
        if self.level == Level::None || found.unfit.is_some() {
            return Ok(());
        }
        let own = self.organisers(entrant);
        let own = own.and_then(|path| self.toolchains.of(&path));
        let file_access = &mut found.launch.file_access;
        if let Some(own) = own {
            found.launch.program.clone_from(&own.executable);
        }
        file_access.programs = self.toolchains.programs(own);
        file_access.readable = self.toolchains.folders();
        let requested = readable(entrant, self.common, self.boundary)?;
        file_access.readable.extend(requested);
        Ok(())
    }

    /// The folder of an entrant that has one of its own, or of the earlier program that plays.
    pub fn named_directory(&self, entrant: &TypedEntrant) -> Option<PathBuf> {
        let dir = entrant.dir.as_ref()?;
        Some(match self.versions.get(&entrant.name.value) {
            Some(version) => absolute(&version.place),
            None => absolute(&self.folder.join(&dir.value)),
        })
    }

    /// The folder with the entrant's files.
    pub fn directory(&self, entrant: &TypedEntrant) -> Result<PathBuf, Diagnostic> {
        let (Some(dir), Some(path)) = (&entrant.dir, self.named_directory(entrant)) else {
            return Ok(self.folder.to_owned());
        };
        if path.is_dir() {
            // The bot sees no other path, so `..` is resolved.
            return Ok(path.canonicalize().unwrap_or(path));
        }
        let message = format!(
            "there is no folder {}; `dir` is relative to {}",
            shown(&path),
            shown(self.folder)
        );
        Err(wrong(&entrant.name.value, &dir.origin, message))
    }
}

/// The host cannot read an entrant's files.
pub fn unreadable(entrant: &TypedEntrant, directory: &Path, error: &io::Error) -> Diagnostic {
    let message = format!("cannot read its files in {}: {error}", shown(directory));
    wrong(&entrant.name.value, &entrant.command.origin, message)
}

/// A few known variables: a bot must not depend on the environment of the organiser.
fn environment(entrant: &TypedEntrant) -> Vec<(OsString, OsString)> {
    let mut variables: BTreeMap<OsString, OsString> = BTreeMap::new();
    variables.insert("LANG".into(), "C.UTF-8".into());
    for (name, value) in &entrant.env {
        variables.insert(name.into(), value.into());
    }
    variables.into_iter().collect()
}
