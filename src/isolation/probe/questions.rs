//! What the probe is asked to try, and what it answers.

use serde::{Deserialize, Serialize};
use std::net::SocketAddr;
use std::path::PathBuf;

/// One attempt. Every bound that keeps the host safe is the probe's own, not the question's.
#[derive(Clone, Debug, Deserialize, PartialEq, Eq, Serialize)]
#[serde(tag = "try", rename_all = "kebab-case")]
pub enum ProbeQuestion {
    /// Make an empty file, named after the mark, in each of these folders and of whatever else is
    /// mounted, and in the same folders below that.
    Write {
        /// Absolute, or relative to its own folder.
        folders: Vec<PathBuf>,
        /// What is mounted and may be written to.
        own: Vec<PathBuf>,
    },
    /// Read the beginning of each of these files, also below whatever is mounted.
    Read {
        /// Absolute paths.
        files: Vec<PathBuf>,
    },
    /// Read the environments of other processes.
    Environments {
        /// Only of these; of all that are listed, if there is no such list.
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
    /// Connect to a listener without a place in the file system.
    Abstract {
        /// Its name.
        name: String,
    },
    /// Make a socket that leads to the hypervisor, and close it again.
    Vsock,
    /// Take hold of processes as a debugger does, and let go.
    Trace {
        /// Their numbers.
        processes: Vec<i32>,
    },
    /// Tell which capabilities there are.
    Capabilities,
    /// Make a user namespace.
    Nest,
    /// Count the processes that are listed, itself and number 1 left out.
    Neighbours,
    /// Ask which processes could be sent a signal, itself and number 1 left out. None is sent.
    Signals {
        /// The numbers to ask about.
        processes: Vec<i32>,
    },
    /// Send every signal to process 1, which in a box is part of the sandbox.
    SignalFirst,
    /// Open queues of requests that the kernel works off by itself, make timers and have files send
    /// signals that wake a stopped process, and give them up again.
    Requests,
    /// Fill the temporary folders with files, and remove them again.
    Fill,
    /// Start up to a hundred processes.
    Fork,
    /// Leave a process behind that is in no process group of ours and says so all the time.
    Daemon,
    /// Take and use 128 MiB of memory.
    Memory,
}

/// What came of an attempt.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Eq, Serialize)]
pub struct ProbeAnswer {
    /// What it could do, in words; nothing if it was kept from all of it.
    pub done: Vec<String>,
    /// How much: processes, or MiB.
    pub count: u64,
}
