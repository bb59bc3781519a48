//! Ratings, errors and sequential tests: against values known apart from this program, against slow
//! literal versions, and against the truth of simulated tournaments.

mod allocation;
mod coverage;
mod errors;
mod fit;
mod head_to_head;
mod part_fit;
mod power;
mod published;
mod ranks;
mod shards;
mod simulated;
mod sprt_ledger;
mod sprt_likelihood;
mod sprt_operating;
mod sprt_published;
