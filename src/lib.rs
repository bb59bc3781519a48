//! `awale`: a tournament harness for bots that play awalé (oware).
//!
//! # The map
//!
//! ```text
//! main → cli → everything
//! web         pages over HTTP from this machine          → run_folder, tournament, report, rules
//! nats        a run played live on other machines        → shard, tournament, bot, report, referee,
//!                                                          engine, record, rules, text, files
//! isolation   what keeps bots from the host, tried here  → bot, referee, record, text, procfs,
//!                                                          files, log
//! conformance  the steps that examine a bot              → bot, referee, record, protocol, rules,
//!                                                          text, procfs
//! verification  is a folder as a run left it             → course, run_folder, endgame_file,
//!                                                          tournament, bot, report, analysis,
//!                                                          referee, record, protocol, rules,
//!                                                          stats, text, files
//! shard       a run in parts, on many machines           → verification, run_folder, tournament,
//!                                                          report, referee, record, text,
//!                                                          files
//! course      a class: import, grades, feedback, export   → config, run_folder, tournament, bot,
//!                                                          report, analysis, record, rules,
//!                                                          stats, text, files
//! config      a TOML file and flags become a plan        → tournament, bot, endgame_file, referee,
//!                                                          engine, record, protocol, rules, stats,
//!                                                          text, files
//! run_folder  journal, tables and evidence on disk       → endgame_file, tournament, bot, report,
//!                                                          analysis, referee, record, rules,
//!                                                          stats, text, files
//! endgame_file  databases of perfect play on disk        → tournament, referee, engine, rules,
//!                                                          text, files
//! tournament  a whole tournament and its journal         → referee, record, stats, rules, text
//! bot         programs as processes behind Player        → referee, record, protocol, rules,
//!                                                          text, procfs, files, log
//! report      from records: CSV, terminal, a page        → analysis, record, stats, rules, text
//! analysis    what each move of a game was worth         → engine, rules
//! referee     one game between two players               → record, rules, text
//! engine      our own search                             → rules
//! record      what is known of a finished game           → rules
//! protocol    the JSON lines of referee and bot          → rules
//! rules       board, rule set, moves, endings, notation  → std, serde
//! log         errors that the program can do without     → tracing
//! text        untrusted text made harmless, names, units → std, deunicode, unicode-normalization
//! procfs      what the kernel tells of processes, cores  → std, nix, rustix
//! files       what strangers prepared, within bounds     → std, rustix, tempfile
//! stats       counts in, numbers out                     → statrs, petgraph, rand_chacha, serde, std
//! ```
//!
//! Three arrows are narrower than they look: `bot` knows of `referee` the `Player` trait and what is
//! asked through it, `report` of `rules` the nouns that a record is made of (sides, pits, results),
//! `endgame_file` of `tournament` the names of the rules' fields.
//! No import runs against an arrow: `tests/tidy.rs` reads this map.

pub mod analysis;
pub mod bot;
#[cfg(feature = "cli")]
pub mod cli;
pub mod config;
pub mod conformance;
pub mod course;
pub mod endgame_file;
pub mod engine;
pub mod files;
pub mod isolation;
pub mod log;
#[cfg(feature = "nats")]
pub mod nats;
pub mod procfs;
pub mod protocol;
pub mod record;
pub mod referee;
pub mod report;
pub mod rules;
pub mod run_folder;
pub mod shard;
pub mod stats;
pub mod text;
pub mod tournament;
pub mod verification;
#[cfg(feature = "cli")]
pub mod web;
