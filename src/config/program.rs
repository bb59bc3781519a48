//! From an entrant's command to a program that can be started, and to its identity.

use crate::bot::{Build, FileAccess, Launch, ProgramIdentity, build_arguments};
use crate::config::class::is_organisers_path;
use crate::config::context::OURSELVES;
use crate::config::error::{Diagnostic, Located, wrong};
use crate::config::file_access::{EntrantFiles, inside};
use crate::config::finder::{Finder, unreadable};
use crate::config::keys::tables::{TypedEntrant, TypedStart};
use crate::config::locate::{check_script, program_word, special, split_adapter};
use crate::config::trust::real;
use crate::config::trust::{absolute, shown};
use crate::tournament::hash_of;
use std::collections::BTreeMap;
use std::io;
use std::path::{Component, Path, PathBuf};

impl Finder<'_> {
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
        let mut command = start.command.clone();
        if let Some(first) = command.value.first_mut()
            && is_organisers_path(&first.value)
        {
            let (adapter, path) = split_adapter(&first.value);
            first.value = format!("{adapter}{}", from_submission(entrant, path, self.folder));
        }
        let words: Vec<&str> = command
            .value
            .iter()
            .map(|word| word.value.as_str())
            .collect();
        if words.first() == Some(&OURSELVES) && (self.host_env.house.endgame)(&words).is_some() {
            return Ok(unfit(
                self,
                "a hand-in cannot name a file of this host".to_owned(),
            ));
        }
        let started = TypedEntrant {
            command,
            build: start.build.clone(),
            tools: start.tools.clone(),
            ..entrant.clone()
        };
        let found = self.find(&started, most_bytes);
        let found = found.unwrap_or_else(|problem| unfit(self, problem.message));
        *entrant = started;
        Ok(found)
    }

    /// The entrant's program, whose files may have this many bytes. Behind an adapter it is found
    /// and identified like any other.
    pub fn find(
        &mut self,
        entrant: &TypedEntrant,
        most_bytes: u64,
    ) -> Result<FoundProgram, Diagnostic> {
        let mut found = self.find_program(entrant, most_bytes)?;
        let first = entrant.command.value.first();
        let adapter = first.map_or("", |first| split_adapter(&first.value).0);
        if let Some(protocol) = adapter.strip_suffix(':') {
            found.launch = found.launch.behind_adapter(protocol);
        }
        Ok(found)
    }

    fn find_program(
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
            return self.house_bot(entrant, directory);
        }
        if let Some(first_build) = entrant.build.first() {
            return self.find_built(entrant, first_build, directory, most_bytes);
        }
        let program = self.locate(name, first, &directory)?;
        if let Some(reason) = special(&program) {
            return Ok(self.program(entrant, program, directory, EntrantFiles::unfit(reason)));
        }
        check_script(name, arguments, &directory, self.medium)?;
        let files = self.own_files(entrant, &program, &directory, most_bytes)?;
        let mut found = self.program(entrant, program, directory, files);
        self.equip(entrant, &mut found)?;
        Ok(found)
    }

    /// The parts of the entrant's program that exist on this machine: all of it may be missing, and
    /// no program is started. Only existing files have hashes.
    pub fn list(&mut self, entrant: &TypedEntrant, most_bytes: u64) -> FoundProgram {
        let words = &entrant.command.value;
        let directory = self
            .named_directory(entrant)
            .map_or(self.folder.to_owned(), |it| real(&it));
        let Some(first) = words.first() else {
            // A folder of a class that nothing could start.
            return self.program(entrant, PathBuf::new(), directory, EntrantFiles::default());
        };
        if first.value == OURSELVES {
            let found = self.house_bot(entrant, directory.clone());
            return found.unwrap_or_else(|_| FoundProgram {
                is_house_bot: true,
                ..self.program(entrant, PathBuf::new(), directory, EntrantFiles::default())
            });
        }
        let program = self.locate(&entrant.name.value, first, &directory);
        let program = program.unwrap_or_default();
        let files = self.read_files(entrant, &program, &directory, most_bytes);
        let files = files.unwrap_or_default();
        let found = self.program(entrant, program, directory, files);
        let tools = entrant.build.first().map(|first| {
            let tools = self.tools(entrant, first, &found.launch.directory);
            tools.unwrap_or_default()
        });
        let launch = Launch {
            arguments: Vec::new(),
            file_access: FileAccess::default(),
            ..found.launch
        };
        FoundProgram {
            launch,
            tools: tools.unwrap_or_default(),
            unfit: None,
            ..found
        }
    }
}

/// A path that begins at the folder of the configuration, seen from a submission: relative where
/// that is possible, so that the identity of an entrant does not depend on the place of the whole.
fn from_submission(entrant: &TypedEntrant, path: &str, folder: &Path) -> String {
    let dir = entrant.dir.as_ref().map_or("", |dir| dir.value.as_str());
    let parts: Vec<Component<'_>> = Path::new(dir).components().collect();
    let is_below = |part: &Component<'_>| matches!(part, Component::Normal(_));
    if Path::new(path).is_absolute() {
        path.to_owned()
    } else if parts.iter().all(is_below) {
        format!("{}{path}", "../".repeat(parts.len()))
    } else {
        absolute(&folder.join(path)).to_string_lossy().into_owned()
    }
}

/// A program that was found, with its hashes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoundProgram {
    pub launch: Launch,
    /// SHA-256 of the program and of each argument that is a file, by the index of the word in the
    /// command (from 0). Empty for a house bot, which its version identifies.
    pub fingerprints: BTreeMap<usize, String>,
    /// SHA-256 of the organiser's programs that build it, by their words.
    pub tools: BTreeMap<String, String>,
    /// How it is built, if it must be.
    pub build: Option<Build>,
    /// SHA-256 of the tree of its folder, if the folder is its own and it runs in a sandbox.
    pub tree: Option<String>,
    pub is_house_bot: bool,
    /// Why it cannot be admitted: its files are not a valid submission.
    pub unfit: Option<String>,
}

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
        let path = program_word(&first.value);
        let program = if path.contains('/') {
            absolute(&directory.join(path))
        } else {
            self.locate(name, first, &directory)?
        };
        let tools = self.tools(entrant, first_build, &directory)?;
        let files = self.own_files(entrant, &program, &directory, most_bytes)?;
        let mut found = FoundProgram {
            tools,
            ..self.program(entrant, program, directory, files)
        };
        if found.unfit.is_some() {
            return Ok(found);
        }
        self.equip(entrant, &mut found)?;
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
            let path = self.locate(name, word, directory)?;
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
