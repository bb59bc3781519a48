//! `awale __probe`: a program that tries to break out of its sandbox and reports how far it came.
//! Only the self-test of the isolation starts it, in the same way as a bot.
//!
//! ```text
//! attempts   one function for each attempt
//! children   the processes that it starts: they sleep, tick or try to escape, and then end
//! ```
//!
//! It may run on a host without any sandbox, and must do no harm there. It creates empty files
//! under a name of its own, talks only to listeners that the test has planted, and asks whether
//! processes exist without sending them a signal. Everything that it starts or allocates is bounded
//! in number, size and time. It has no log: standard error is the one of a bot.

use serde::{Deserialize, Serialize};
use std::ffi::OsString;
use std::io::{BufRead as _, Write as _};
use std::net::SocketAddr;
use std::process::ExitCode;

mod attempts;
mod children;

pub use attempts::OWN_FILE;
pub use children::COMMAND;

/// The role that answers questions.
pub const SERVE: &str = "serve";

/// Plays the role in `words`, the arguments after [`COMMAND`]: its name and the mark of the test,
/// by which the host recognises its processes.
pub fn main(words: &[OsString]) -> ExitCode {
    let mut words = words.iter().map(|word| word.to_str());
    let (Some(Some(part)), Some(Some(mark))) = (words.next(), words.next()) else {
        return ExitCode::from(2);
    };
    if part != SERVE {
        return children::play(part, mark);
    }
    let mut out = std::io::stdout().lock();
    for line in std::io::stdin().lock().lines() {
        let Some(question) = line.ok().and_then(|line| serde_json::from_str(&line).ok()) else {
            return ExitCode::from(2);
        };
        let answer = attempts::attempt(&question, mark);
        let answer = serde_json::to_string(&answer).expect("an answer is JSON");
        if writeln!(out, "{answer}")
            .and_then(|()| out.flush())
            .is_err()
        {
            break;
        }
    }
    ExitCode::SUCCESS
}

/// One attempt. Every bound that protects the host is in the probe, not in the question. Paths are
/// `OsString`, whose JSON can hold any bytes.
#[derive(Clone, Debug, Deserialize, PartialEq, Eq, Serialize)]
#[serde(tag = "try", rename_all = "kebab-case")]
pub enum ProbeQuestion {
    /// Start a program of its own folder.
    Execute,
    /// Create an empty file, named after the mark, in each of these folders and of everything else
    /// that is mounted, and in the same folders below that.
    Write {
        /// Absolute, or relative to its own folder.
        folders: Vec<OsString>,
        /// Mounts that may be written to.
        own: Vec<OsString>,
    },
    /// Read the beginning of each of these files, also below every mount.
    Read {
        /// Absolute paths.
        files: Vec<OsString>,
    },
    /// Read the environments of other processes.
    Environments {
        /// Only of these processes; `None` means all that are listed.
        processes: Option<Vec<i32>>,
    },
    /// Connect to TCP listeners.
    Tcp {
        /// All of them on loopback.
        addresses: Vec<SocketAddr>,
    },
    /// Send a datagram.
    Udp {
        /// On loopback.
        address: SocketAddr,
    },
    /// Connect to a listener in the abstract socket namespace.
    Abstract {
        /// Its name.
        name: String,
    },
    /// Create a socket to the hypervisor, and close it again.
    Vsock,
    /// Attach to processes as a debugger does, and detach.
    Trace {
        /// Their numbers.
        processes: Vec<i32>,
    },
    /// Report the capabilities.
    Capabilities,
    /// Create a user namespace.
    Nest,
    /// Count the listed processes, without itself and number 1.
    Neighbours,
    /// Ask which processes could be sent a signal, without itself and number 1. None is sent.
    Signals {
        /// The numbers to ask about.
        processes: Vec<i32>,
    },
    /// Send every signal to process 1, which in a box belongs to the sandbox.
    SignalFirst,
    /// Open request queues that the kernel processes by itself, create timers, make files send
    /// signals that wake a stopped process, and release all of them.
    Requests,
    /// Fill the temporary folders with files, and remove them again.
    Fill {
        /// How long the files stay there, in ms.
        shown_ms: u64,
    },
    /// Start up to a hundred processes.
    Fork,
    /// Leave a process behind that is in another process group and writes all the time.
    Daemon,
    /// Allocate and use 128 MiB of memory.
    Memory,
}

/// The result of an attempt.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Eq, Serialize)]
pub struct ProbeAnswer {
    /// Describes what it could do; empty if everything was prevented.
    pub done: Vec<String>,
    /// How much: processes, or MiB.
    pub count: u64,
}
