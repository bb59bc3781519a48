//! What bounds a bot, as typed: `[isolation]` and `[limits]`.

use super::error::{Diagnostic, Located};
use super::section::Section;
use crate::bot::{Level, Limits};
use crate::config::section::given;

/// An interpreter does not start with less.
const LEAST_MEMORY: u64 = 1 << 20;
/// More than any host has.
const MOST_MEMORY: u64 = 1 << 44;
/// What the referee itself has to keep of a bot's output.
const MOST_KEPT: u64 = 1 << 30;
/// More than any host has.
const MOST_PROCESSES: u32 = 4_194_304;
/// As many as the kernel allows a process.
const MOST_FILES: u32 = 1_048_576;
/// How bots are kept from the host, as asked for.
#[derive(Clone, Debug)]
pub struct TypedIsolation {
    /// None stands for the strongest level that there is.
    pub level: Located<Option<Level>>,
    pub freeze: bool,
    pub readable: Vec<Located<String>>,
}

/// The levels by their names in a configuration.
const LEVELS: [(&str, Option<Level>); 4] = [
    ("auto", None),
    ("box", Some(Level::Box)),
    ("landlock", Some(Level::Landlock)),
    ("none", Some(Level::None)),
];

/// Limits in bytes and numbers; what is not set is taken from elsewhere.
#[derive(Clone, Debug, Default)]
pub struct TypedLimits {
    pub line: Option<Located<usize>>,
    pub output: Option<Located<usize>>,
    pub stderr_head: Option<Located<usize>>,
    pub stderr_tail: Option<Located<usize>>,
    pub memory: Option<Located<usize>>,
    pub processes: Option<Located<u32>>,
    pub temporary: Option<Located<usize>>,
    pub files: Option<Located<u32>>,
    pub submission: Option<Located<usize>>,
}

impl TypedIsolation {
    pub fn read(section: &Section<'_>) -> Result<Self, Diagnostic> {
        let readable = section.texts("readable", "[\"/opt/models\"]")?;
        Ok(Self {
            level: given(section.choice("level", &LEVELS)?),
            freeze: given(section.boolean("freeze")?).value,
            readable: given(readable).value,
        })
    }
}

impl TypedLimits {
    /// Those of `[limits]`, which the defaults have filled.
    pub fn common(&self) -> Limits {
        let value = |placed: &Option<Located<usize>>| given(placed.clone()).value;
        Limits {
            line_bytes: value(&self.line),
            output_bytes: value(&self.output),
            stderr_head_bytes: value(&self.stderr_head),
            stderr_tail_bytes: value(&self.stderr_tail),
            memory_bytes: value(&self.memory) as u64,
            processes: given(self.processes.clone()).value,
            temporary_bytes: value(&self.temporary) as u64,
            files: given(self.files.clone()).value,
            submission_bytes: value(&self.submission) as u64,
        }
    }

    pub fn read(section: &Section<'_>) -> Result<Self, Diagnostic> {
        Ok(Self {
            line: section.size("line", 256..=MOST_KEPT, "64KiB")?,
            output: section.size("output", 256..=MOST_KEPT, "64KiB")?,
            stderr_head: section.size("stderr-head", 0..=MOST_KEPT, "64KiB")?,
            stderr_tail: section.size("stderr-tail", 0..=MOST_KEPT, "64KiB")?,
            memory: section.size("memory", LEAST_MEMORY..=MOST_MEMORY, "512MiB")?,
            processes: section.count("processes", 1..=MOST_PROCESSES)?,
            temporary: section.size("temporary", 4096..=MOST_MEMORY, "16MiB")?,
            files: section.count("files", 16..=MOST_FILES)?,
            submission: section.size("submission-size", 0..=MOST_MEMORY, "1GiB")?,
        })
    }
}
