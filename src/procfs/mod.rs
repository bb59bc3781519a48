//! Everything that is read from `/proc` about running processes and cores (proc(5)). A value that
//! cannot be read is `None`, 0 or empty: a process may end between two looks.
//!
//! ```text
//! stat      the line of a process or thread: name, state, parent, start; what is known of this one
//! family    a process and its descendants
//! cores     the idle, stolen and running time of each core, and the running time of threads
//! memory    the memory of a process, and the host's out-of-memory kills
//! ```

mod cores;
mod family;
mod memory;
mod stat;

pub use cores::{SchedulerTotals, idle_and_stolen, read_from_start, run_times};
pub use family::{
    FamilyState, children_of_all, command_lines_of_others, family, is_busy, may_have_children,
    thread_states, threads, threads_of_family,
};
pub use memory::{
    ProcessMemory, host_kills, machine_memory_bytes, peak_memory_kib, storage_bytes_read,
};
pub use stat::{Stat, ignores_signal, may_have_terminal, own_control_groups, own_mounts};
