//! Whole tournaments with scripted players: no process, no file, no sleep.

mod admission;
mod blocked_slot;
mod games;
mod openings;
mod scripted_players;
mod sequential;
mod void_simulation;
mod voids;
mod withdrawal;
