//! What control groups can do here.

/// What control groups can do here.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "six abilities, each there or not, all independent"
)]
pub struct Abilities {
    /// Limit memory.
    pub memory: bool,
    /// Limit the number of processes and threads.
    pub processes: bool,
    /// Stop a whole family and continue it.
    pub freeze: bool,
    /// Count the CPU time of a whole family.
    pub cpu_time: bool,
    /// Give a whole family one share of the processor, with any number of processes and sessions.
    pub cpu_share: bool,
    /// Kill a whole family at once, even while it forks.
    pub kill: bool,
}
