//! The program as its users meet it: stories through the real binary, with real bots.

mod browser;
mod check;
mod commands;
mod documented;
mod practice;
mod runtimes;
mod starter_bots;
mod support {
    pub mod awale_command;
    pub mod container;
    pub mod frozen_process;
    pub mod skip;
}
