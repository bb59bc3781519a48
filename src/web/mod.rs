//! Pages over HTTP from this machine.
//!
//! ```text
//! server       a thread that answers requests, and where
//! connections  a bound on how many there are
//! live_page    the page of a run while it is played
//! person_page  a page on which a person plays against a bot
//! broadcast    what its readers are told as it happens
//! follower     a thread that reads the journal for it
//! ```
//!
//! A page must never slow a game. Its threads have low priorities. The run only puts
//! messages into a queue of fixed length, from which slow readers lose the oldest.

mod broadcast;
mod connections;
mod follower;
mod live_page;
mod person_page;
mod server;

pub use live_page::{BoundPage, LivePage, LiveRun};
pub use person_page::{PersonAction, PersonAnswer, PersonPage};
pub use server::PageAddress;
