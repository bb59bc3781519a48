//! The weights of the evaluation, one file for each way of capturing. `scripts/tune-minimax` makes
//! these files.

mod chain;
mod last_pit;

pub use chain::CHAIN;
pub use last_pit::LAST_PIT;
