//! Everything that is read from `/proc` about running processes and cores (proc(5)). A value that
//! cannot be read is `None`, 0 or empty: a process may end between two looks.
//!
//! ```text
//! stat      the line of a process or thread: name, state, parent, start
//! family    a process and its descendants
//! cores     the idle, stolen and running time of each core
//! schedule  how long a thread ran and waited for a processor
//! own       the mounts, the control groups and the session of this process
//! memory    the memory of a process, and the host's out-of-memory kills
//! signals   the signals that a process ignores or handles, and its timers
//! waiting_call  the system call in which a thread waits
//! descriptors   the open files of a thread
//! ```

mod cores;
mod descriptors;
mod family;
mod memory;
mod own;
mod schedule;
mod signals;
mod stat;
mod waiting_call;

pub use cores::{RunTimes, idle_and_stolen, read_from_start};
pub use descriptors::{OpenFile, open_files, watched_by};
pub use family::{
    children_of_all, command_lines_of_others, family, is_busy, may_have_children, shows_children,
    thread_states, threads, threads_of_family,
};
pub use memory::{
    ProcessMemory, host_kills, machine_memory_bytes, peak_memory_kib, storage_bytes_read,
};
pub use own::{may_have_terminal, own_control_groups, own_mounts};
pub use schedule::SchedulerTotals;
pub use signals::{handled_signals, has_timers, ignores_hang_up, ignores_terminal_stop};
pub use stat::Stat;
pub use waiting_call::WaitingCall;
