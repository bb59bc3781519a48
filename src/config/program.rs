//! From an entrant's command to a program that can be started, and to its identity.

use super::class::ClassFolders;
use super::error::{Diagnostic, Located, Medium};
use super::keys::tables::{TypedEntrant, TypedStart};
use super::locate::{Locator, check_script, special};
use super::named_program::{Named, named};
use super::toolchains::Toolchains;
use super::trust::{TrustBoundary, plain, real};
use crate::bot::{FileAccess, Launch, Level, Own, read_file};
use crate::config::error::wrong;
use crate::config::file_access::{EntrantFiles, FileReader, TreesRead, readable};
use crate::config::found_program::FoundProgram;
use crate::config::host_env::{HostEnv, OURSELVES};
use crate::config::paths::{absolute, shown};
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};

/// Finds programs and remembers what it has read.
pub struct Finder<'a> {
    pub host_env: &'a HostEnv,
    /// The start of relative paths.
    pub folder: &'a Path,
    level: Level,
    boundary: &'a TrustBoundary,
    toolchains: Toolchains,
    output: Option<&'a Path>,
    /// Folders that all bots may read.
    common: &'a [Located<String>],
    trees: TreesRead,
    /// What the reader of its errors has typed.
    medium: Medium,
    /// The folders of a class.
    class: &'a ClassFolders,
}

impl<'a> Finder<'a> {
    /// A finder in a folder; `output` is the run's folder, and `common` are folders that all bots
    /// may read. All toolchains were found before.
    pub const fn new(
        host_env: &'a HostEnv,
        folder: &'a Path,
        level: Level,
        boundary: &'a TrustBoundary,
        toolchains: Toolchains,
    ) -> Self {
        Self {
            host_env,
            folder,
            level,
            boundary,
            toolchains,
            output: None,
            common: &[],
            trees: BTreeMap::new(),
            medium: Medium::File,
            class: const { &ClassFolders::NONE },
        }
    }

    /// The same with the folders of a class.
    pub fn for_class(self, class: &'a ClassFolders) -> Self {
        Self { class, ..self }
    }

    /// The same for a run with this folder, in which all bots may read these.
    pub fn for_run(self, output: Option<&'a Path>, common: &'a [Located<String>]) -> Self {
        Self {
            output,
            common,
            ..self
        }
    }

    /// The same for a bot named on a command line.
    pub fn for_command_line(self) -> Self {
        Self {
            medium: Medium::CommandLine,
            ..self
        }
    }

    /// The entrant's program, or for a record the parts of it that exist here.
    pub fn find_or_look(
        &mut self,
        entrant: &TypedEntrant,
        most_bytes: u64,
        is_record: bool,
    ) -> Result<FoundProgram, Diagnostic> {
        if is_record {
            Ok(self.look(entrant, most_bytes))
        } else {
            self.find(entrant, most_bytes)
        }
    }

    /// The program of a class's folder, which may be wrong in every way: only this entrant is not
    /// admitted then. Its files decide its command.
    ///
    /// # Errors
    /// The host cannot read its files.
    pub fn find_submitted(
        &mut self,
        entrant: &mut TypedEntrant,
        starts: &[TypedStart],
        most_bytes: u64,
    ) -> Result<FoundProgram, Diagnostic> {
        let directory = self.directory(entrant)?;
        let start = self.reader(entrant, &directory, most_bytes).start(starts);
        let start = start.map_err(|error| unreadable(entrant, &directory, &error))?;
        let unfit = |finder: &Self, reason: String| {
            let files = EntrantFiles::unfit(reason);
            finder.program(entrant, PathBuf::new(), directory.clone(), files)
        };
        let start = match start {
            Ok(start) => start,
            Err(reason) => return Ok(unfit(self, reason)),
        };
        let command = start.command.clone();
        let started = TypedEntrant {
            command: command.clone(),
            ..entrant.clone()
        };
        let found = self.find(&started, most_bytes);
        let found = found.unwrap_or_else(|problem| unfit(self, problem.message));
        entrant.command = command;
        Ok(found)
    }

    /// The entrant's program, whose files may have this many bytes.
    pub fn find(
        &mut self,
        entrant: &TypedEntrant,
        most_bytes: u64,
    ) -> Result<FoundProgram, Diagnostic> {
        let name = &entrant.name.value;
        let words = &entrant.command;
        let Some((first, arguments)) = words.value.split_first() else {
            return Err(wrong(
                name,
                &words.origin,
                format!(
                    "`command` is empty; it takes a program and its arguments, as in {}",
                    self.medium.command(&["python3", "ada.py"])
                ),
            ));
        };
        let directory = self.directory(entrant)?;
        if first.value == OURSELVES {
            let words: Vec<&str> = words.value.iter().map(|word| word.value.as_str()).collect();
            (self.host_env.house.check)(&words, self.medium)
                .map_err(|message| wrong(name, &entrant.command.origin, message))?;
            let program = self.host_env.executable.clone();
            return Ok(self.house_bot(entrant, program, directory));
        }
        let program = self.locator().locate(name, first, &directory)?;
        if let Some(reason) = special(&program) {
            return Ok(self.program(entrant, program, directory, EntrantFiles::unfit(reason)));
        }
        check_script(name, arguments, &directory, self.medium)?;
        let unlinked = self.leads_elsewhere(entrant, &directory);
        let files = match unlinked.filter(|_| self.level > Level::None) {
            Some(reason) => EntrantFiles::unfit(reason),
            None => self.read_files(entrant, &program, &directory, most_bytes)?,
        };
        let mut found = self.program(entrant, program, directory, files);
        if self.level > Level::None && found.unfit.is_none() {
            self.equip(entrant, &mut found.launch)?;
        }
        Ok(found)
    }

    /// The parts of the entrant's program that exist on this machine: all of it may be missing, and
    /// no program is started. Only existing files have hashes.
    fn look(&mut self, entrant: &TypedEntrant, most_bytes: u64) -> FoundProgram {
        let words = &entrant.command.value;
        let directory = match &entrant.dir {
            Some(dir) => real(&self.folder.join(&dir.value)),
            None => self.folder.to_owned(),
        };
        let Some(first) = words.first() else {
            // A folder of a class that nothing could start.
            return self.program(entrant, PathBuf::new(), directory, EntrantFiles::default());
        };
        if first.value == OURSELVES {
            return self.house_bot(entrant, PathBuf::new(), directory);
        }
        let program = self
            .locator()
            .locate(&entrant.name.value, first, &directory);
        let program = program.unwrap_or_default();
        let files = self.read_files(entrant, &program, &directory, most_bytes);
        let files = files.unwrap_or_default();
        let found = self.program(entrant, program, directory, files);
        let launch = Launch {
            arguments: Vec::new(),
            file_access: FileAccess::default(),
            ..found.launch
        };
        FoundProgram {
            launch,
            unfit: None,
            ..found
        }
    }

    /// The entrant's files: its folder, and the files that its command names.
    fn read_files(
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
            && let Ok(hash) = read_file(&path, u64::MAX, None)
        {
            files.fingerprints.insert(0, hash);
        }
        Ok(files)
    }

    fn reader<'r>(
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
            is_submitted: self.class.names.contains(&entrant.name.value),
            most_bytes,
            output: self.output,
            trees: &mut self.trees,
        }
    }

    /// Reports a link to the entrant's folder, which its author may have made.
    fn leads_elsewhere(&self, entrant: &TypedEntrant, directory: &Path) -> Option<String> {
        let dir = entrant.dir.as_ref()?;
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
    fn organisers(&self, entrant: &TypedEntrant) -> Option<PathBuf> {
        let first = entrant.command.value.first()?;
        match named(entrant, first, self.host_env, self.boundary) {
            Named::Program(path) => Some(path),
            Named::File | Named::Nothing => None,
        }
    }

    fn house_bot(
        &self,
        entrant: &TypedEntrant,
        program: PathBuf,
        directory: PathBuf,
    ) -> FoundProgram {
        FoundProgram {
            is_house_bot: true,
            ..self.program(entrant, program, directory, EntrantFiles::default())
        }
    }

    fn program(
        &self,
        entrant: &TypedEntrant,
        program: PathBuf,
        directory: PathBuf,
        files: EntrantFiles,
    ) -> FoundProgram {
        let arguments = entrant.command.value.iter().skip(1);
        let is_kept = self.level > Level::None && files.unfit.is_none();
        let launch = Launch {
            program,
            arguments: arguments.map(|word| word.value.clone().into()).collect(),
            directory,
            environment: environment(entrant),
            host_environment: self.host_env(),
            file_access: FileAccess {
                own: if is_kept { files.own } else { Own::default() },
                files: if is_kept { files.files } else { Vec::new() },
                ..FileAccess::default()
            },
        };
        FoundProgram {
            launch,
            fingerprints: files.fingerprints,
            tree: files.tree,
            is_house_bot: false,
            unfit: files.unfit,
        }
    }

    /// Gives a bot the toolchains of the run, its own first, and its additional folders.
    fn equip(&self, entrant: &TypedEntrant, launch: &mut Launch) -> Result<(), Diagnostic> {
        let own = self.organisers(entrant);
        let own = own.and_then(|path| self.toolchains.of(&path));
        let file_access = &mut launch.file_access;
        if let Some(own) = own {
            launch.program.clone_from(&own.executable);
        }
        file_access.programs = self.toolchains.programs(own);
        file_access.readable = self.toolchains.folders();
        let requested = readable(entrant, self.common, self.boundary)?;
        file_access.readable.extend(requested);
        Ok(())
    }

    /// The folders of toolchains that every box shows.
    pub fn toolchain_folders(&self) -> Vec<PathBuf> {
        self.toolchains.folders()
    }

    fn directory(&self, entrant: &TypedEntrant) -> Result<PathBuf, Diagnostic> {
        let Some(dir) = &entrant.dir else {
            return Ok(self.folder.to_owned());
        };
        let path = absolute(&self.folder.join(&dir.value));
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

    const fn locator(&self) -> Locator<'_> {
        Locator {
            host_env: self.host_env,
            boundary: self.boundary,
            medium: self.medium,
        }
    }

    fn host_env(&self) -> Vec<(OsString, OsString)> {
        let variables = self.host_env.variables.iter();
        variables
            .map(|(name, value)| (name.into(), value.clone()))
            .collect()
    }
}

/// The host cannot read an entrant's files.
fn unreadable(entrant: &TypedEntrant, directory: &Path, error: &io::Error) -> Diagnostic {
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
