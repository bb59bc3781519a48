//! The commands through the real binary.

mod blocked;
mod clocks;
mod delegation;
mod doctor;
mod faults;
#[path = "../villains/frozen.rs"]
mod frozen;
mod gate;
mod limits;
mod processes;
mod rate;
mod report;
mod run;
mod secret;
mod small;
mod sprt;
mod story;
mod submissions;
mod supervisor;
mod verify;
mod verify_evidence;
mod verify_replay;
