//! The promises of the levels of isolation, one row for each as data, and the results of their
//! tests.

use crate::bot::Level;
use Promise as P;
use PromiseLevel::{Absent as A, Decides as D, Told as T};

/// Something that a bot is prevented from doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Promise {
    Files,
    Secrets,
    Environments,
    Tcp,
    Udp,
    Vsock,
    Abstract,
    Trace,
    Capabilities,
    Nesting,
    Neighbours,
    Signals,
    FirstProcess,
    Requests,
    Figures,
    Space,
    Processes,
    Daemons,
    Freezing,
    Memory,
}

/// The role of a promise for a level.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PromiseLevel {
    /// Required: without it the level is not granted.
    Decides,
    /// Tested where there are means for it, and reported.
    Told,
    /// Not promised: the level has no means for it.
    Absent,
}

/// A promise and its texts.
#[derive(Clone, Copy, Debug)]
pub struct PromiseRow {
    pub promise: Promise,
    /// Its name in files.
    pub key: &'static str,
    /// What a bot is prevented from doing.
    pub words: &'static str,
    /// The role for `none`, `landlock` and `box`.
    weights: [PromiseLevel; 3],
}

/// All promises in the order of the test: the one that ends the probe comes last.
#[rustfmt::skip]
pub const ROWS: [PromiseRow; 20] = [
    row(P::Files, "files", "writes nothing outside its temporary folder", [A, D, D]),
    row(P::Secrets, "secrets", "reads no file that is not its own", [A, D, D]),
    row(P::Environments, "environments", "reads no variables of the referee", [A, D, D]),
    row(P::Tcp, "tcp", "reaches no TCP port of the host", [A, D, D]),
    row(P::Udp, "udp", "reaches no UDP port of the host", [A, D, D]),
    row(P::Vsock, "vsock", "makes no socket to the hypervisor", [A, D, D]),
    row(P::Abstract, "abstract-sockets", "reaches no abstract socket of the host", [A, D, D]),
    row(P::Trace, "trace", "takes hold of no process", [A, D, D]),
    row(P::Capabilities, "capabilities", "has no capability and gets none", [A, D, D]),
    row(P::Nesting, "nested-namespaces", "makes no user namespace", [A, D, D]),
    row(P::Neighbours, "neighbours", "sees no other process", [A, D, D]),
    row(P::Signals, "signals", "signals no other process", [A, T, D]),
    row(P::FirstProcess, "first-process", "disturbs no process 1 by signals", [A, A, D]),
    row(P::Requests, "asynchronous-requests", "leaves no requests to the kernel", [A, D, D]),
    row(P::Figures, "host-figures", "reads no counts of the host but of its network", [A, A, D]),
    row(P::Space, "temporary-space", "fills no more than its temporary space", [A, T, D]),
    row(P::Freezing, "freezing", "stands still while the other thinks", [T, T, T]),
    row(P::Processes, "processes", "starts no more processes than allowed", [T, T, D]),
    row(P::Daemons, "daemons", "leaves no process behind", [T, T, D]),
    row(P::Memory, "memory", "takes no more memory than allowed", [T, T, T]),
];

const fn row(
    promise: Promise,
    key: &'static str,
    words: &'static str,
    weights: [PromiseLevel; 3],
) -> PromiseRow {
    PromiseRow {
        promise,
        key,
        words,
        weights,
    }
}

impl PromiseRow {
    /// The role of the promise for a level.
    pub const fn weight(&self, level: Level) -> PromiseLevel {
        self.weights[match level {
            Level::None => 0,
            Level::Landlock => 1,
            Level::Box => 2,
        }]
    }
}

/// The result of one promise.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PromiseVerdict {
    /// It held.
    Pass,
    /// The same, by other means than a limit of the kernel; contains which.
    PassBy(&'static str),
    /// It did not; contains what the probe could do.
    Fail(String),
    /// The level has no means to keep it here.
    Untried,
}

impl PromiseVerdict {
    /// Whether it held.
    pub const fn holds(&self) -> bool {
        matches!(self, Self::Pass | Self::PassBy(_))
    }

    /// The remark on the result: what the probe could do, or what stopped it.
    pub fn how(&self) -> Option<&str> {
        match self {
            Self::PassBy(means) => Some(means),
            Self::Fail(how) => Some(how),
            Self::Pass | Self::Untried => None,
        }
    }

    /// The word in output and files.
    pub const fn word(&self) -> &'static str {
        match self {
            Self::Pass | Self::PassBy(_) => "PASS",
            Self::Fail(_) => "FAIL",
            Self::Untried => "–",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn a_stronger_level_promises_no_less() {
        let strength = |weight| match weight {
            PromiseLevel::Absent => 0,
            PromiseLevel::Told => 1,
            PromiseLevel::Decides => 2,
        };
        for row in &ROWS {
            let weights = Level::ALL.map(|level| strength(row.weight(level)));
            assert!(weights.is_sorted(), "{}", row.key);
            assert!(weights[2] > 0, "{}: a box tries everything", row.key);
        }
    }

    #[test]
    fn keys_are_different_and_the_last_attempt_is_for_memory() {
        let keys: BTreeSet<&str> = ROWS.iter().map(|row| row.key).collect();
        assert_eq!(keys.len(), ROWS.len());
        assert_eq!(ROWS[ROWS.len() - 1].promise, Promise::Memory);
    }
}
