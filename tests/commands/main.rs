//! The commands through the real binary.

mod run;
mod small;
mod story;
