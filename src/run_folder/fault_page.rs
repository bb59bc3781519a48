//! The parts of `fault.toml` that programs read. `fault_folder` writes the file, and
//! `docs/faults.md` explains each key to users.

use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::PathBuf;

/// The page of a fault's folder.
#[derive(Debug, Deserialize)]
pub struct FaultPage {
    /// The version of the folder's files.
    pub format: u32,
    /// The fault.
    pub fault: FaultSection,
    /// The game up to the fault.
    pub position: PositionSection,
    /// The program; absent if the entrant is not in the plan.
    pub process: Option<ProcessSection>,
}

/// `[fault]`.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct FaultSection {
    /// The fault's code, as in the tables.
    pub kind: String,
    /// The fault in words.
    pub detail: String,
    /// The time of the turn, in µs, if the fault is about one.
    pub time_us: Option<u64>,
    /// The game's id.
    pub game: String,
    /// The entrant at fault.
    pub entrant: String,
    /// Its side.
    pub side: String,
    /// The other entrant.
    pub opponent: String,
}

/// `[position]`.
#[derive(Debug, Deserialize)]
pub struct PositionSection {
    /// The position at the beginning of the game.
    pub start: String,
    /// All moves before the fault.
    pub moves: String,
}

/// `[process]`.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct ProcessSection {
    /// How the process ended; absent if there was none.
    pub end: Option<String>,
    /// Its exit code.
    pub exit_code: Option<i32>,
    /// The signal that ended it.
    pub signal: Option<i32>,
    /// Whether it closed a pipe.
    #[serde(default)]
    pub closed_a_pipe: bool,
    /// Games of this process before the one of the fault.
    #[serde(default)]
    pub games_before: usize,
    /// The number of them that the transcript lacks.
    #[serde(default)]
    pub games_left_out: usize,
    /// Program and arguments; absent if they are not text.
    pub command: Option<Vec<String>>,
    /// Its working directory.
    pub dir: PathBuf,
    /// Its environment.
    pub env: BTreeMap<String, String>,
}
