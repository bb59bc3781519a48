//! The toolchains of a run: the programs that the organiser's commands and PATH name, and their
//! folders, which every box shows. The list is made before any submission is examined, and no
//! submission can change it.
//!
//! Interpreters are asked for their folders, because a name in PATH is often a shim that works only
//! from the user's own home (pyenv, nvm). This runs them outside of any box, so only programs that
//! pass [`TrustBoundary::trust`] are asked. The first line of a script is interpreted by the
//! kernel, inside the box.
//!
//! A name in PATH may be a script that needs half a second for its answer, so each is asked once,
//! before the answer is needed, and all of them at the same time. What the answers name must look
//! like the installation of a toolchain on the disk.

use crate::bot::Level;
use crate::config::context::{HostEnv, OURSELVES};
use crate::config::error::{Diagnostic, Located, wrong};
use crate::config::keys::tables::TypedEntrant;
use crate::config::locate::{CommandTarget, named, on_path};
use crate::config::trust::{TrustBoundary, plain, shown};
use crate::files::Folder;
use crate::text::quoted;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

/// Programs that cannot run without the folders of their installation, by the names by which
/// scripts call them.
const LANGUAGES: [&str; 11] = [
    "python3", "python", "node", "java", "ruby", "perl", "lua", "php", "julia", "deno", "bun",
];
/// Every box finds the programs of these folders anyway.
const OF_SYSTEM: [&str; 3] = ["/usr/local/bin", "/usr/bin", "/bin"];
/// Folders at the root that every box shows anyway.
const OF_SYSTEM_ITSELF: [&str; 6] = ["/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64"];
/// Advice about a program that is not accepted.
const REMEDY: &str = "install it elsewhere, name it by its path if it is one file, or run \
                      with --isolation none";

/// A program and the folders that it needs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Toolchain {
    /// The real executable.
    pub executable: PathBuf,
    /// The folders that it reads.
    pub folders: Vec<PathBuf>,
}

/// The toolchains of a run.
#[derive(Debug, Default)]
pub struct Toolchains {
    /// By the path to which a command or PATH leads.
    known: BTreeMap<PathBuf, Toolchain>,
    /// The same paths in the order in which they were found.
    order: Vec<PathBuf>,
    /// Messages about entries of PATH that were skipped.
    pub warnings: Vec<String>,
}

impl Toolchains {
    /// Finds the programs of these entrants' commands. If a command is an entrant's own file, which
    /// may be a script, the usual languages are added.
    pub fn find(
        entrants: &[TypedEntrant],
        search: &ToolchainSearch<'_>,
        level: Level,
    ) -> Result<Self, Diagnostic> {
        let mut found = Self {
            warnings: passed_over(search.host_env, search.boundary),
            ..Self::default()
        };
        if level == Level::None {
            return Ok(found);
        }
        search.start_questions(entrants);
        for (named, path) in search.wanted(entrants) {
            // A script that needs a language reports the error in its box.
            if let (Err(reason), Some((entrant, word))) = (found.add(search, &path), named) {
                let name = &entrant.name.value;
                return Err(wrong(name, &word.origin, refusal(&path, &reason)));
            }
        }
        Ok(found)
    }

    /// The same with the programs of a class's starts. Nobody may need one that is not accepted, so
    /// that is a warning.
    #[must_use]
    pub fn with(
        mut self,
        starts: &[TypedEntrant],
        search: &ToolchainSearch<'_>,
        level: Level,
    ) -> Self {
        if level == Level::None {
            return self;
        }
        for (named, path) in search.wanted(starts) {
            if let (Err(reason), Some((start, _))) = (self.add(search, &path), named) {
                let (name, reason) = (quoted(&start.name.value), refusal(&path, &reason));
                self.warnings.push(format!("start {name}: {reason}"));
            }
        }
        self
    }

    fn add(&mut self, search: &ToolchainSearch<'_>, path: &Path) -> Result<(), String> {
        if self.known.contains_key(path) {
            return Ok(());
        }
        let toolchain = search.toolchain(path)?;
        for folder in &toolchain.folders {
            search.check(folder, &toolchain.executable)?;
        }
        self.known.insert(path.to_owned(), toolchain);
        self.order.push(path.to_owned());
        Ok(())
    }

    /// The toolchain of a command's program.
    pub fn of(&self, program: &Path) -> Option<&Toolchain> {
        self.known.get(program)
    }

    /// Every folder that the boxes show besides the system's own, in the order in which they were
    /// found.
    pub fn folders(&self) -> Vec<PathBuf> {
        let all = self.order.iter().flat_map(|path| &self.known[path].folders);
        let mut folders: Vec<PathBuf> = Vec::new();
        for folder in all {
            let is_systems = OF_SYSTEM_ITSELF.iter().any(|it| folder.starts_with(it));
            if !is_systems && !folders.contains(folder) {
                folders.push(folder.clone());
            }
        }
        folders
    }

    /// Folders with programs, to be searched before the system's; those of `first` come first.
    pub fn programs(&self, first: Option<&Toolchain>) -> Vec<PathBuf> {
        let parent = |it: &Toolchain| it.executable.parent().map(Path::to_owned);
        let own = first.and_then(parent);
        let others = self
            .order
            .iter()
            .filter_map(|path| parent(&self.known[path]));
        let others = others.filter(|path| !OF_SYSTEM.iter().any(|it| path == Path::new(it)));
        let mut programs: Vec<PathBuf> = Vec::new();
        for folder in own.into_iter().chain(others) {
            if !programs.contains(&folder) {
                programs.push(folder);
            }
        }
        programs
    }
}

fn refusal(path: &Path, reason: &str) -> String {
    format!(
        "{} is not used as a toolchain: {reason}; {REMEDY}",
        shown(path)
    )
}

/// The words of an entrant that name programs. A file of what is built is not a script.
pub fn programs(entrant: &TypedEntrant) -> impl Iterator<Item = &Located<String>> {
    let is_built = !entrant.build.is_empty();
    let firsts = entrant.command.value.first().into_iter();
    let all = firsts.chain(entrant.build.first()).chain(&entrant.tools);
    all.filter(move |word| !(is_built && word.value.contains('/')))
}

/// Programs in PATH that are never run.
fn passed_over(host_env: &HostEnv, boundary: &TrustBoundary) -> Vec<String> {
    let warning = |folder: PathBuf| {
        let holder = boundary.holder(&super::trust::real(&folder))?;
        Some(format!(
            "no program is taken from {}, which PATH names: it lies in the folder of entrant {}",
            shown(&folder),
            quoted(holder)
        ))
    };
    let absolute = host_env.path().filter(|folder| folder.is_absolute());
    absolute.filter_map(warning).collect()
}

/// A word that names a program, and its entrant.
type NamingWord<'e> = (&'e TypedEntrant, &'e Located<String>);

/// What a search for toolchains uses.
pub struct ToolchainSearch<'a> {
    pub host_env: &'a HostEnv,
    pub boundary: &'a TrustBoundary,
    pub questions: &'a Questions,
    /// Whether somebody else may have written the plan. Then only programs of PATH are run.
    pub is_record: bool,
}

impl ToolchainSearch<'_> {
    /// Asks all interpreters that [`Toolchains::find`] asks for these entrants, and waits for none.
    pub fn start_questions(&self, entrants: &[TypedEntrant]) {
        for (_, path) in self.wanted(entrants) {
            self.start_question(&path);
        }
    }

    fn start_question(&self, program: &Path) {
        match self.virtual_base(program) {
            Some(Ok((_, base))) => self.start_question(&base),
            None if self.runnable(program).is_ok() => self.question(program),
            Some(Err(_)) | None => {}
        }
    }

    /// The programs that the commands of these entrants name, except this program, and by which
    /// words. If a command names an entrant's own file, which may be a script, the usual languages
    /// of PATH follow.
    fn wanted<'e>(&self, entrants: &'e [TypedEntrant]) -> Vec<(Option<NamingWord<'e>>, PathBuf)> {
        let (mut wanted, mut has_scripts) = (Vec::new(), false);
        let words = entrants
            .iter()
            .flat_map(|entrant| programs(entrant).map(move |word| (entrant, word)));
        for (entrant, word) in words.filter(|(_, word)| word.value != OURSELVES) {
            match named(entrant, word, self.host_env, self.boundary) {
                CommandTarget::Program(path) => wanted.push((Some((entrant, word)), path)),
                CommandTarget::File => has_scripts = true,
                CommandTarget::Missing => {}
            }
        }
        let names = LANGUAGES.iter().map(Path::new).filter(|_| has_scripts);
        let found = names.filter_map(|name| on_path(self.host_env, self.boundary, name));
        wanted.extend(found.map(|path| (None, path)));
        wanted
    }

    /// The folder of a virtual environment beside the configuration to which a program belongs, and
    /// the program of its home. Its settings name its home, so that nothing in the configuration's
    /// folder is run.
    fn virtual_base(&self, program: &Path) -> Option<Result<(PathBuf, PathBuf), String>> {
        if !self.is_beside(program) || self.is_on_path(program) {
            return None;
        }
        let (folder, home) = virtual_environment(program)?;
        // Many systems have no `python`: that of the environment leads to their `python3`.
        let names = [
            program.file_name().unwrap_or_default(),
            OsStr::new("python3"),
        ];
        let [same, python3] = names.map(|name| home.join(name));
        let base = if same.exists() { same } else { python3 };
        if !base.is_absolute() || self.is_beside(&plain(&base)) {
            let home = shown(&home);
            return Some(Err(format!(
                "its pyvenv.cfg names {home} as its home, which lies beside it"
            )));
        }
        Some(Ok((folder, base)))
    }

    /// The real path of a program that may be run outside of a box.
    fn runnable(&self, program: &Path) -> Result<PathBuf, String> {
        let real = self.boundary.trust(program)?;
        let why = match self.is_on_path(program) {
            false if self.is_record => {
                "is in no folder of PATH, and its plan may be another person's"
            }
            false if self.is_beside(&real) => "lies beside the configuration, where nothing is run",
            _ => return Ok(real),
        };
        Err(format!("{} {why}", shown(&real)))
    }

    fn toolchain(&self, program: &Path) -> Result<Toolchain, String> {
        if let Some(base) = self.virtual_base(program) {
            let (folder, base) = base?;
            let mut folders = vec![folder];
            folders.extend(self.toolchain(&base)?.folders);
            return Ok(Toolchain {
                executable: program.to_owned(),
                folders,
            });
        }
        let real = self.runnable(program)?;
        let asked = self.ask(program);
        let looked = || Toolchain {
            folders: prefix(&real).into_iter().collect(),
            executable: program.to_owned(),
        };
        let found = asked.unwrap_or_else(looked);
        self.boundary.trust(&found.executable)?;
        Ok(found)
    }

    fn is_beside(&self, path: &Path) -> bool {
        path.starts_with(&self.boundary.folder)
    }

    fn is_on_path(&self, program: &Path) -> bool {
        let mut folders = self.host_env.path();
        folders.any(|folder| Some(folder.as_path()) == program.parent())
    }

    /// Starts an interpreter for which there is a question.
    fn question(&self, program: &Path) {
        let others = self.host_env.variables.iter();
        let others = others.filter(|(name, _)| name != "PATH").cloned();
        let path = ("PATH".to_owned(), self.trusted_path());
        self.questions.start(program, others.chain([path]));
    }

    /// The answer of an interpreter for which there is a question.
    fn ask(&self, program: &Path) -> Option<Toolchain> {
        self.question(program);
        let text = String::from_utf8(self.questions.answer(program)?).ok()?;
        let mut lines = text.lines().map(PathBuf::from);
        let name = program.file_name().unwrap_or_default();
        // These name the folder of their installation.
        if ["go", "cargo"].iter().any(|it| *it == name) {
            let folder = lines.next().filter(|path| path.is_absolute())?;
            let executable = folder.join("bin").join(name);
            return executable.is_file().then(|| Toolchain {
                executable,
                folders: vec![folder],
            });
        }
        let executable = lines
            .next()
            .filter(|path| path.is_absolute() && path.is_file())?;
        let mut folders: Vec<PathBuf> = lines.filter(|path| path.is_absolute()).collect();
        folders.extend(prefix(&executable));
        folders.sort();
        folders.dedup();
        Some(Toolchain {
            executable,
            folders,
        })
    }

    /// The PATH for a shim, which starts other programs by name.
    fn trusted_path(&self) -> OsString {
        let folders = self.host_env.path();
        let trusted = folders.filter(|it| it.is_absolute() && self.boundary.trust(it).is_ok());
        std::env::join_paths(trusted).unwrap_or_default()
    }

    /// Why a folder must not be shown to bots.
    fn check(&self, folder: &Path, executable: &Path) -> Result<(), String> {
        let holds_others = |reason: String| {
            Err(format!(
                "its folder {} does not belong to a toolchain alone: {reason}",
                shown(folder)
            ))
        };
        let real = self.boundary.trust(folder)?;
        for folder in [folder, real.as_path()] {
            if let Some(reason) = self.boundary.objection(folder) {
                return holds_others(reason);
            }
        }
        let is_top = real
            .parent()
            .is_some_and(|around| around.parent().is_none());
        if is_top && !OF_SYSTEM_ITSELF.iter().any(|it| real == Path::new(it)) {
            return holds_others("it holds other things, too".to_owned());
        }
        if self.boundary.is_private(&real) && !is_prefix(&real, executable) {
            return holds_others("it holds other things of yours, too".to_owned());
        }
        Ok(())
    }
}

/// Whether a program has the name of a language.
pub fn is_language(program: &Path) -> bool {
    let name = program.file_name().unwrap_or_default().to_string_lossy();
    LANGUAGES.iter().any(|language| name.starts_with(language))
}

/// The virtual environment of a program, and the home in its settings.
pub fn virtual_environment(program: &Path) -> Option<(PathBuf, PathBuf)> {
    let programs = program.parent().filter(|it| it.ends_with("bin"))?;
    let folder = programs.parent()?;
    let settings = Folder::open(folder).ok()?.read("pyvenv.cfg", 1).ok()?;
    let text = String::from_utf8(settings).ok()?;
    let mut keys = text.lines().filter_map(|line| line.split_once('='));
    let (_, home) = keys.find(|(key, _)| key.trim() == "home")?;
    Some((folder.to_owned(), PathBuf::from(home.trim())))
}

/// Whether a folder looks like the prefix of a toolchain and nothing else.
pub fn is_prefix(folder: &Path, executable: &Path) -> bool {
    let has = |name: &str| folder.join(name).exists();
    let name = executable.file_name().unwrap_or_default();
    let is_for_all = folder
        .file_name()
        .is_some_and(|it| it.as_bytes() == b".local");
    let has_program = folder.join("bin").join(name).exists() || has("bin/python3");
    has_program && !is_for_all && ["pyvenv.cfg", "lib", "release"].into_iter().any(has)
}

/// A program in a `bin` belongs to the parent folder.
pub fn prefix(executable: &Path) -> Option<PathBuf> {
    let folder = executable.parent()?;
    let around = if folder.file_name()? == "bin" {
        folder.parent()?
    } else {
        folder
    };
    // `/bin` belongs to the system.
    around.parent().is_some().then(|| around.to_owned())
}

/// The program that builds in Rust.
const CARGO: &str = "cargo";
/// The question for an interpreter's executable and its folders, one per line.
const QUESTIONS: [(&str, &[&str]); 4] = [
    (
        "python",
        &[
            "-I",
            "-c",
            "import sys; print(sys.executable, sys.prefix, sys.base_prefix, sep='\\n')",
        ],
    ),
    ("node", &["-p", "process.execPath"]),
    ("go", &["env", "GOROOT"]),
    (CARGO, &["--print", "sysroot"]),
];

/// The processes that have not been asked for their answer yet, by the program.
#[derive(Debug, Default)]
pub struct Questions(RefCell<BTreeMap<PathBuf, Child>>);

impl Questions {
    /// Starts a program with a question for which there is one, unless it runs already.
    pub fn start(&self, program: &Path, variables: impl Iterator<Item = (String, OsString)>) {
        let name = program.file_name().unwrap_or_default().to_string_lossy();
        let mut questions = QUESTIONS.iter();
        let question = questions.find(|(start, _)| name.starts_with(start));
        let mut running = self.0.borrow_mut();
        let Some((_, question)) = question.filter(|_| !running.contains_key(program)) else {
            return;
        };
        // Cargo does not say where it is installed; the compiler beside it does.
        let asked = if name == CARGO {
            program.with_file_name("rustc")
        } else {
            program.to_owned()
        };
        let child = Command::new(asked)
            .args(*question)
            .env_clear()
            .envs(variables)
            .current_dir("/")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn();
        // A program that cannot be started has no answer.
        if let Ok(child) = child {
            running.insert(program.to_owned(), child);
        }
    }

    /// What a program that was started writes to its standard output.
    pub fn answer(&self, program: &Path) -> Option<Vec<u8>> {
        let child = self.0.borrow_mut().remove(program)?;
        let output = child.wait_with_output().ok()?;
        Some(output.stdout)
    }
}

/// No process is left behind whose answer was not needed.
impl Drop for Questions {
    fn drop(&mut self) {
        for child in self.0.get_mut().values_mut() {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}
