//! Whole tournaments with scripted players: no process, no file, no sleep.

mod admission;
mod bench;
mod blocked;
mod games;
mod openings;
mod sequential;
mod void_simulation;
mod voids;
mod withdrawal;
