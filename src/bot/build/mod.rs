//! Builds a submission's program in its sandbox: with the sandbox's isolation, with limits, without
//! network. The sources come in as every submission does, read-only; the program of the build works
//! on a copy of them, and the whole folder comes out as an archive on its standard output.
//!
//! ```text
//! sources ─▶ sandbox: copy, build command, tar ─▶ archive ─▶ unpack ─▶ a folder of the run
//!                     └─▶ standard error: what the build said
//! ```
//!
//! A build runs its author's code, so the archive is a stranger's: `unpack` believes nothing in it.
//! awale itself is not in the box of a build, whose author could keep a copy of its house bots.

mod unpack;

use super::launch::{Launch, Own};
use super::limits::Limits;
use super::process::{Process, StreamEnd};
use super::sandbox::SandboxedBot;
use super::submission::Submission;
use crate::referee::Stop;
use crate::text::{size_text, time_text};
use std::fs::{self, File};
use std::io::{self, Seek as _};
use std::path::{Path, PathBuf};
use std::time::Duration;
use unpack::unpack;

/// Copies the sources, builds there, and writes everything as an archive. The build's own output
/// goes to standard error. Outside of a box the filter refuses to change modes: there the copy is
/// made without them.
const SCRIPT: &str = "\
set -e
place=$(mktemp -d)
trap 'rm -rf \"$place\" 2>/dev/null || :' EXIT
if chmod u+w \"$place\" 2>/dev/null; then
    cp -R . \"$place\"
    chmod -R u+w \"$place\"
else
    find . -type d -exec mkdir -p \"$place\"/{} ';'
    find . -type f -exec sh -c 'for file; do
        cat <\"$file\" >\"$0/$file\"
    done' \"$place\" {} +
    find . -type l -exec sh -c 'for link; do
        ln -s \"$(readlink \"$link\")\" \"$0/$link\"
    done' \"$place\" {} +
fi
cd \"$place\"
\"$@\" </dev/null >&2
tar -cf - .
";
/// An archive has this many bytes for each byte of a file at most, and this many more: its headers.
const ARCHIVE_FACTOR: u64 = 2;
const ARCHIVE_REST: u64 = 64 << 20;

/// The limits of a build.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BuildLimits {
    /// Those of its processes and files.
    pub limits: Limits,
    /// Its longest time.
    pub time: Duration,
}

/// How a program is built.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Build {
    /// The build's shell, in the folder of the sources.
    pub launch: Launch,
    /// The limits of the build.
    pub limits: BuildLimits,
    /// The paths that the bot's command may name, relative to the folder.
    pub named: Vec<PathBuf>,
    /// The program that it makes, relative to the folder; `None` if the command starts with
    /// another one.
    pub makes: Option<PathBuf>,
    /// What identifies the result: the sources, the commands of build and bot and the programs of
    /// the build, as SHA-256 in hexadecimal.
    pub key: String,
}

/// What a build said, and why it failed, if it did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BuildReport {
    /// Its standard output and standard error: hostile bytes.
    pub output: Vec<u8>,
    /// Why nothing was built, if nothing was.
    pub failure: Option<BuildFailure>,
}

/// Why nothing was built.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BuildFailure {
    /// In words for the author, with parts of the output.
    pub reason: String,
    /// Whether the same sources may be built next time: a limit or the host ended this build.
    pub may_pass: bool,
}

impl BuildFailure {
    /// The failure of the build itself.
    pub const fn own(reason: String) -> Self {
        Self {
            reason,
            may_pass: false,
        }
    }

    /// A failure that another limit or another moment may prevent.
    pub const fn passing(reason: String) -> Self {
        Self {
            reason,
            may_pass: true,
        }
    }
}

/// Why a build has no result.
#[derive(Debug)]
pub enum BuildError {
    /// The sandbox did not start it.
    Stop(Stop),
    /// The host has no room.
    Host(io::Error),
}

impl From<io::Error> for BuildError {
    fn from(error: io::Error) -> Self {
        Self::Host(error)
    }
}

/// The words of the build's shell, for a command of these words.
pub fn build_arguments(words: &[String]) -> Vec<std::ffi::OsString> {
    let script = ["-c", SCRIPT, "build"].map(Into::into);
    script
        .into_iter()
        .chain(words.iter().map(Into::into))
        .collect()
}

impl Build {
    /// A built folder as what its bot is played from. The command of the bot may name files in a
    /// folder that counts as a cache, where compilers put their programs.
    pub fn product(&self, folder: &Path) -> Submission {
        Submission {
            root: folder.to_owned(),
            most_bytes: u64::MAX,
            left_out: Vec::new(),
            left_out_with: "",
            kept: self.named.clone(),
            expected: None,
        }
    }

    /// The bot of this launch in its built folder, which has this hash.
    pub fn launch_built(&self, launch: &Launch, folder: &Path, tree: String) -> Launch {
        let built = Submission {
            expected: Some(tree),
            ..self.product(folder)
        };
        let program = launch.program.strip_prefix(&launch.directory);
        let mut file_access = launch.file_access.clone();
        file_access.own = Own::Folder(built);
        Launch {
            program: program.map_or_else(|_| launch.program.clone(), |it| folder.join(it)),
            directory: folder.to_owned(),
            file_access,
            ..launch.clone()
        }
    }

    /// Builds into `to`, a new folder beside which the archive has room for a while.
    ///
    /// # Errors
    /// The host's; a failed build is not an error.
    pub async fn run(
        &self,
        sandboxed_bot: &SandboxedBot,
        to: &Path,
    ) -> Result<BuildReport, BuildError> {
        let archive = to.with_extension("archive");
        let mut file = File::options()
            .read(true)
            .write(true)
            .create_new(true)
            .open(&archive)?;
        let BuildLimits { limits, time } = self.limits;
        let most_bytes = limits.submission_bytes;
        let mut process = Process::start(sandboxed_bot).map_err(BuildError::Stop)?;
        let most = most_bytes
            .saturating_mul(ARCHIVE_FACTOR)
            .saturating_add(ARCHIVE_REST);
        let end = process.stream(&mut file, most, time).await;
        let output = process.take_log();
        let failure = match end? {
            StreamEnd::Ended(report) if report.is_success => {
                file.rewind()?;
                let (to, makes) = (to.to_owned(), self.makes.clone());
                // Other builds are served meanwhile.
                let unpacked = tokio::task::spawn_blocking(move || {
                    unpack(&file, &to, most_bytes, makes.as_deref())
                });
                unpacked.await.expect("unpacking does not panic")?.err()
            }
            StreamEnd::Ended(report) => Some(BuildFailure::own(failed(&report.words, &output))),
            StreamEnd::TooLarge => Some(BuildFailure::passing(too_large(most_bytes))),
            StreamEnd::TooLong => Some(BuildFailure::passing(format!(
                "it takes longer than {} (`time` in [build])",
                time_text(time)
            ))),
            StreamEnd::Fault(fault) => {
                let reason = format!("{} (see [build])", fault.detail);
                Some(BuildFailure::passing(reason))
            }
        };
        fs::remove_file(&archive)?;
        Ok(BuildReport { output, failure })
    }
}

/// Why something of more bytes than this is no result.
fn too_large(most_bytes: u64) -> String {
    let most = size_text(most_bytes);
    format!("it builds more than {most} (`submission-size` in [limits])")
}

/// Why a build command failed: its first line about an error, or else its last line.
fn failed(words: &str, output: &[u8]) -> String {
    let text = String::from_utf8_lossy(output);
    let lines: Vec<&str> = text
        .lines()
        .map(str::trim)
        .filter(|it| !it.is_empty())
        .collect();
    // What a linker misses stands before its error.
    let is_error = |line: &str| {
        let line = line.to_lowercase();
        ["error", "undefined reference to", "multiple definition of"]
            .iter()
            .any(|words| line.contains(words))
    };
    let at = lines.iter().position(|line| is_error(line));
    let Some(line) = at.map(|at| lines[at]).or(lines.last().copied()) else {
        return format!("its build {words}, and said nothing");
    };
    // rustc names the place in the line below.
    let place = at.and_then(|at| lines.get(at + 1)?.strip_prefix("--> "));
    let place = place.map_or_else(String::new, |place| format!(" ({place})"));
    format!("{}{place}", shortened(line))
}

/// The first warning in the output of a build that ended well.
pub fn build_warning(output: &[u8]) -> Option<String> {
    let text = String::from_utf8_lossy(output);
    let mut lines = text.lines().map(str::trim);
    lines
        .find(|line| line.to_lowercase().contains("warning: "))
        .map(shortened)
}

/// A line of at most this many characters.
fn shortened(line: &str) -> String {
    const LONGEST: usize = 200;
    match line.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_warning_of_a_compiler_is_found() {
        let c = "main.c: In function 'f':\nmain.c:4:16: warning: implicit declaration of function \
                 'strdup'\nmain.c:5:1: warning: unused\n";
        let found = build_warning(c.as_bytes()).expect("a warning");
        assert!(
            found.starts_with("main.c:4:16: warning: implicit"),
            "{found}"
        );
        assert_eq!(build_warning(b"   Compiling bot\nwarnings are off\n"), None);
    }

    #[test]
    fn the_first_error_of_a_compiler_is_the_reason() {
        for (output, expected) in [
            (
                "main.c: In function 'main':\nmain.c:3:5: error: expected ';' before '}' token\n",
                "main.c:3:5: error: expected ';' before '}' token",
            ),
            (
                "   Compiling bot v0.1.0\nerror[E0425]: cannot find value `x` in this scope\n \
                 --> src/main.rs:2:5\n  |\nerror: could not compile `bot`\n",
                "error[E0425]: cannot find value `x` in this scope (src/main.rs:2:5)",
            ),
            (
                "Bot.java:3: error: ';' expected\n        int x = 1\n1 error\n",
                "Bot.java:3: error: ';' expected",
            ),
            (
                "# command-line-arguments\n./main.go:4:2: undefined: x\n",
                "./main.go:4:2: undefined: x",
            ),
            (
                "/usr/bin/ld: /tmp/cc.o: in function `main':\nmain.c:(.text+0xb6): undefined \
                 reference to `put'\ncollect2: error: ld returned 1 exit status\n",
                "main.c:(.text+0xb6): undefined reference to `put'",
            ),
            ("sh: 1: gcc: not found\n", "sh: 1: gcc: not found"),
            ("", "its build exited with code 2, and said nothing"),
        ] {
            assert_eq!(failed("exited with code 2", output.as_bytes()), expected);
        }
        assert!(failed("", "error ".repeat(100).as_bytes()).chars().count() <= 201);
    }
}
