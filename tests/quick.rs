//! Tests that compute, and those of single short commands: no story, no look at the machine.

mod endgame;
mod engine;
mod example;
mod exported;
mod library_example;
mod rules;
mod statistics;
mod support {
    pub mod awale_command;
    pub mod literal_rules;
}
mod tidy;
mod tournament;
mod transcripts;
mod trust_boundary;
