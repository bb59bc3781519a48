//! Tests that count what their process holds, or measure what bots take of the machine. They run
//! while no other test does: in a program of their own, and one after the other.

mod allocations;
mod sandbox_escape;
mod support {
    pub mod busy_host;
    pub mod busy_programs;
    pub mod container;
    pub mod frozen_process;
    pub mod one_core;
    #[expect(dead_code, reason = "no test here needs a program of the machine")]
    pub mod skip;
    pub mod turn;
    pub mod unisolated;
}
mod villain_bots;
