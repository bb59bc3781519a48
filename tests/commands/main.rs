//! The commands through the real binary.

mod doctor;
mod faults;
mod gate;
mod guardian;
mod run;
mod small;
mod story;
