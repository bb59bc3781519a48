//! Short stories through the real binary: `story.write("a.toml", …); story.ok("run
//! a.toml").out_has("greedy")`.

use crate::support::awale_command::{AWALE, awale};
use crate::support::skip::{skip, test_name};
use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};

/// The arguments of a command: a list, or a line that is split as a shell splits it.
pub trait Arguments {
    fn words(self) -> Vec<String>;
}

impl Arguments for &str {
    fn words(self) -> Vec<String> {
        shlex::split(self).expect("quotes that are closed")
    }
}

impl Arguments for String {
    fn words(self) -> Vec<String> {
        self.as_str().words()
    }
}

impl Arguments for &String {
    fn words(self) -> Vec<String> {
        self.as_str().words()
    }
}

impl<S: AsRef<str>> Arguments for &[S] {
    fn words(self) -> Vec<String> {
        self.iter().map(|word| word.as_ref().to_owned()).collect()
    }
}

impl<S: AsRef<str>, const N: usize> Arguments for &[S; N] {
    fn words(self) -> Vec<String> {
        self.as_slice().words()
    }
}

impl<S: AsRef<str>> Arguments for &Vec<S> {
    fn words(self) -> Vec<String> {
        self.as_slice().words()
    }
}

/// A folder of its own and what is run in it.
pub struct Story {
    folder: tempfile::TempDir,
}

/// What a command said, and how it ended.
pub struct Said {
    pub code: Option<i32>,
    pub stdout: String,
    pub stderr: String,
}

impl Story {
    pub fn new() -> Self {
        Self {
            folder: tempfile::tempdir().expect("a temporary folder"),
        }
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Writes a file. What begins with `#!` can be started.
    pub fn write(&self, name: &str, text: impl AsRef<[u8]>) -> &Self {
        let path = self.path(name);
        fs::write(&path, &text).expect("a file in the temporary folder");
        if text.as_ref().starts_with(b"#!") {
            let mode = fs::Permissions::from_mode(0o755);
            fs::set_permissions(path, mode).expect("a file of this process");
        }
        self
    }

    /// The rows of a CSV file: each cell by its column.
    pub fn rows(&self, name: &str) -> Vec<BTreeMap<String, String>> {
        let reader = csv::Reader::from_path(self.path(name));
        let reader = reader.unwrap_or_else(|error| panic!("{name}: {error}"));
        let rows = reader.into_deserialize();
        rows.map(|row| row.expect("a row")).collect()
    }

    pub fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    /// Copies the program into the folder, where it can be started as `awale`. Another program does
    /// it: a test that starts a process meanwhile would pass on the descriptor that writes the
    /// copy, and a program that somebody writes cannot be started ("Text file busy").
    pub fn copy_awale(&self) {
        let copied = Command::new("cp")
            .arg(AWALE)
            .arg(self.path("awale"))
            .status();
        assert!(copied.expect("coreutils").success());
    }

    /// Gives the folder and all that is in it to a user.
    pub fn give_to(&self, user: &str) {
        let given = Command::new("chown")
            .args(["-hR", user])
            .arg(self.path(""))
            .status();
        assert!(given.expect("coreutils").success());
    }

    /// A command in the folder, with a cache of its own: what a user has there must not matter.
    pub fn command(&self, arguments: impl Arguments) -> Command {
        let mut command = awale(&arguments.words());
        command.current_dir(self.folder.path());
        command.env("XDG_CACHE_HOME", self.path("cache"));
        command
    }

    /// Runs a command to its end.
    pub fn run(&self, arguments: impl Arguments) -> Said {
        Said::of(self.command(arguments).output().expect("awale starts"))
    }

    /// Runs a command that must succeed.
    #[track_caller]
    pub fn ok(&self, arguments: impl Arguments) -> Said {
        self.ends(0, arguments)
    }

    /// Runs a command that must end with this code.
    #[track_caller]
    pub fn ends(&self, code: i32, arguments: impl Arguments) -> Said {
        self.run(arguments).with_code(code)
    }

    /// Runs a command with something on its standard input.
    pub fn run_with_input(&self, arguments: impl Arguments, input: &[u8]) -> Said {
        self.write("input", input);
        let mut command = self.command(arguments);
        command.stdin(fs::File::open(self.path("input")).expect("the input"));
        Said::of(command.output().expect("awale starts"))
    }

    /// Runs a command that may use neither much time nor as much memory as [`Story::lengthen`] adds
    /// bytes.
    pub fn run_in_little_memory(&self, arguments: impl Arguments) -> Said {
        let limited = "ulimit -v 2000000; exec timeout 60 \"$0\" \"$@\"";
        let mut command = Command::new("sh");
        command.args(["-c", limited, AWALE]).args(arguments.words());
        command.current_dir(self.folder.path()).stdin(Stdio::null());
        Said::of(command.output().expect("a shell"))
    }

    /// Adds 6 GiB to a file: a hole, which takes no room on the disk.
    pub fn lengthen(&self, name: &str) {
        let file = fs::File::options().append(true).open(self.path(name));
        let file = file.expect("a file");
        let length = file.metadata().expect("a length").len();
        file.set_len(length + (6 << 30)).expect("a hole");
    }

    /// Starts a command that is not waited for.
    pub fn start(&self, arguments: impl Arguments) -> Child {
        self.command(arguments).spawn().expect("awale starts")
    }
}

impl Said {
    pub fn of(output: Output) -> Self {
        Self {
            code: output.status.code(),
            stdout: String::from_utf8(output.stdout).expect("UTF-8 on standard output"),
            stderr: String::from_utf8(output.stderr).expect("UTF-8 on standard error"),
        }
    }

    /// Fails the test unless the command ended with this code.
    #[track_caller]
    pub fn with_code(self, code: i32) -> Self {
        assert_eq!(
            self.code,
            Some(code),
            "stdout:\n{}\nstderr:\n{}",
            self.stdout,
            self.stderr
        );
        self
    }

    #[track_caller]
    pub fn err_has(self, words: &str) -> Self {
        has(&self.stderr, words);
        self
    }

    #[track_caller]
    pub fn out_has(self, words: &str) -> Self {
        has(&self.stdout, words);
        self
    }
}

#[track_caller]
pub fn has(text: &str, words: &str) {
    assert!(text.contains(words), "no {words:?} in:\n{text}");
}

#[track_caller]
pub fn lacks(text: &str, words: &str) {
    assert!(!text.contains(words), "{words:?} in:\n{text}");
}

/// The user id of ordinary users in these tests: `nobody`.
pub const USER: &str = "65534";

/// Starts a program as an ordinary user. Nothing where this process cannot.
pub fn as_ordinary_user(program: impl AsRef<OsStr>) -> Option<Command> {
    as_user(USER, program)
}

/// The same as a user of whom no other test has processes.
pub fn as_user(user: &str, program: impl AsRef<OsStr>) -> Option<Command> {
    let has_setpriv = Command::new("setpriv").arg("--version").output().is_ok();
    if !rustix::process::geteuid().is_root() || !has_setpriv {
        let reason = "only root becomes an ordinary user, with setpriv (util-linux)";
        skip(&test_name(), reason);
        return None;
    }
    let mut command = Command::new("setpriv");
    command.args(["--reuid", user, "--regid", user, "--clear-groups"]);
    command.arg(program);
    Some(command)
}

/// A line of `[tournament]`, for runs in different folders that are to play the same games.
pub const SECRET: &str =
    "secret = \"5e0f3b7c5e0f3b7c5e0f3b7c5e0f3b7c5e0f3b7c5e0f3b7c5e0f3b7c5e0f3b7c\"";

/// A bot for `sh` that plays its first legal pit.
pub const FIRST_LEGAL: &str = include_str!("../bots/first_legal.sh");

/// A bot for `sh` that takes some time, so that there is something to kill.
pub const SLOW: &str = include_str!("../bots/slow.sh");

/// A bot for `python3` that plays its first legal pit and writes each `new-game` to its log.
pub const SPY: &str = include_str!("../bots/spy.py");

/// The tables of a run that tell of its games, without times and voids.
pub fn tables(folder: &Path) -> Vec<Vec<Vec<String>>> {
    let tables = ["standings", "crosstable", "los", "openings", "games"];
    let path = |table: &str| folder.join(format!("{table}.csv"));
    tables.map(|table| without_times(&path(table))).to_vec()
}

/// A CSV file with the columns that tell of the host left out: times and voids.
pub fn without_times(path: &Path) -> Vec<Vec<String>> {
    let mut reader = csv::Reader::from_path(path).expect("a CSV file");
    let header = reader.headers().expect("a header").clone();
    let kept: Vec<usize> = (0..header.len())
        .filter(|&column| {
            !["_time", "void"]
                .iter()
                .any(|it| header[column].contains(it))
        })
        .collect();
    let row = |row: &csv::StringRecord| kept.iter().map(|&c| row[c].to_owned()).collect();
    std::iter::once(row(&header))
        .chain(reader.records().map(|it| row(&it.unwrap())))
        .collect()
}
