//! `awale`: a tournament harness for bots that play awalé (oware).
//!
//! # The map
//!
//! ```text
//! main → cli → everything
//! tournament  plays a whole tournament and keeps its journal   → referee, record, stats, rules
//! bot         programs as processes behind the Player trait    → referee (Player only), record, protocol, rules
//! report      tables from records: CSV, terminal               → record, stats
//! referee     one game between two players                     → record, rules
//! engine      our own search                                   → rules
//! record      what is known of a finished game                 → rules
//! protocol    the JSON lines between referee and bot           → rules
//! rules       board, rule set, legal moves, endings, notation  → std only
//! stats       counts in, numbers out                           → statrs, petgraph, rand_chacha, std only
//! ```
//!
//! No import runs against an arrow; `tests/tidy.rs` holds this table as data.

pub mod bot;
pub mod cli;
pub mod engine;
pub mod protocol;
pub mod record;
pub mod referee;
pub mod report;
pub mod rules;
pub mod stats;
pub mod tournament;
