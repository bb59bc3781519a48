//! The commands through the real binary.

mod faults;
mod run;
mod small;
mod story;
