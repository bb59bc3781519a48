//! Everything that is read from `/proc` about running processes (proc(5)). A value that cannot be
//! read is `None` or 0: a process may end between two looks.
//!
//! ```text
//! stat      the line of a process or thread: name, state, parent, start
//! family    a process and its descendants
//! schedule  how long a thread ran and waited for a processor
//! memory    the memory of a process, and the host's out-of-memory kills
//! signals   the signals that this process ignores
//! ```

mod family;
mod memory;
mod schedule;
mod signals;
mod stat;

pub use family::{children_of_all, family, is_busy, threads, threads_of_family};
pub use memory::{
    host_kills, machine_memory_bytes, peak_memory_kib, proportional_bytes, resident_bytes,
};
pub use schedule::SchedulerTotals;
pub use signals::ignores_hang_up;
pub use stat::Stat;
