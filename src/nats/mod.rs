//! A run whose pairs are played live on other machines, by NATS and its streams. The one who collects
//! keeps the journal, examines the entrants on its own slots, and decides everything; whatever a server or a
//! worker loses, repeats or delays is asked for again.
//!
//! ```text
//! collector                         server                        worker
//! coordinator ─orders─▶ desk ─▶ stream of batches ─────────────▶ slots
//!      ▲                  ▲ ◀── stream of played pairs ◀────────── │
//!      └─ checked games ──┘ ◀── "this is what I am" ◀── every two seconds
//!                           ──▶ programs, by their SHA-256 ─────▶ cache
//! ```
//!
//! ```text
//! access       where the server is, and who may use it
//! embedded     a server of our own
//! names        the subjects, streams and the bucket of a run
//! message      what is said, and its bounds
//! played       a played pair on its way
//! parcel       the plan and the programs as files: packed, fetched, laid out
//! speed        how fast a machine searches
//! broker       the server as the collector sees it: made, filled, asked, and made anew
//! roster       the workers, what they prove, and who gets no more work
//! desk         the collector: hands out pairs, checks and reports what comes back
//! worker       a worker: finds a run, plays, answers
//! ```
//!
//! Workers learn of the secret of a run what the bots are told: the openings and seeds of the pairs
//! that they play. What they say is hostile: it has bounds, and each game is compared with the
//! schedule, the opening, the rules and the clocks before it counts.

mod access;
mod broker;
mod desk;
mod embedded;
mod message;
mod names;
mod parcel;
mod played;
mod roster;
mod speed;
mod worker;

pub use access::{Access, LinkError};
pub use desk::{DeskSettings, NatsCarrier};
pub use embedded::Embedded;
pub use message::Hello;
pub use parcel::{MOST_MIB, Parcel, ParcelError, Stage, StagedEntrant};
pub use speed::measured as measured_speed;
pub use worker::{Found, Left, WorkerError, find_run, work};
