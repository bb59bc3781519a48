//! Everything that is read from `/proc` of running processes (proc(5)). What cannot be read is
//! nothing: a process may end between two looks at it.
//!
//! ```text
//! stat      the line of a process or thread: name, state, parent, start
//! family    a process and all that it started
//! schedule  how long a thread ran and waited for a processor
//! memory    what a process holds, and what the host did for want of memory
//! signals   which signals this process ignores
//! ```

mod family;
mod memory;
mod schedule;
mod signals;
mod stat;

pub use family::{children_of_all, family, is_busy, threads, threads_of_family};
pub use memory::{host_kills, peak_memory_kib, proportional_bytes, resident_bytes};
pub use schedule::SchedulerTotals;
pub use signals::ignores_hang_up;
pub use stat::Stat;
