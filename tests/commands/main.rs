//! The commands through the real binary.

mod admission;
mod afterwords;
#[path = "../support/awale_command.rs"]
mod awale_command;
mod blocked_slots;
mod blocked_starts;
mod boxes;
mod class;
mod clocks;
#[path = "../support/container.rs"]
mod container;
mod delegation;
mod doctor;
mod evenings;
mod faults;
mod feedback;
mod foreign_folder;
#[path = "../support/frozen_process.rs"]
mod frozen_process;
mod hidden_run;
mod init;
mod kept_processes;
mod limits;
mod live;
mod odd_hosts;
mod play;
mod processes;
mod rate;
mod rate_tables;
mod reasons;
mod repair;
mod replay_game;
mod report;
mod rules_commands;
mod run;
mod schema;
mod secret;
mod shared_machine;
mod show;
#[path = "../support/skip.rs"]
mod skip;
mod small_host;
mod sprt;
mod story;
mod submissions;
mod supervisor;
mod terminal;
mod update;
mod verify;
mod verify_evidence;
mod verify_replay;
mod versions;
mod void_attempts;
mod worked_tables;
