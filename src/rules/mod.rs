//! The rules of awalé: board, rule sets, legal moves, endings, notation.
//!
//! This room uses no files, time, threads or randomness and knows no bots, so that it can be
//! fuzzed, compared with a slow second implementation, and searched at full speed.
//!
//! ```text
//! pit       Side, Pit, PitSet           the nouns
//! position  Position                    16 bytes: two rows, two stores, whose turn
//! sowing    table of every sowing       private: where the seeds of a pit go
//! rule_set  RuleSet, presets            every knob of the rules
//! moves     legal moves, playing one    checked for strangers, unchecked for search
//! ending    EndReason, settling         who gets what when it is over
//! game      Game                        a position, its history, and the moves so far
//! notation  texts both ways             positions and moves
//! ```
//!
//! A game from the start, with untrusted moves checked:
//!
//! ```
//! use awale::rules::{Game, Position, RuleSet};
//!
//! let mut game = Game::new(RuleSet::default(), Position::START);
//! for pit in awale::rules::parse_moves("CdFb")? {
//!     game.play(pit).expect("a legal move");
//! }
//! assert_eq!(game.position().to_string(), "6-5-0-5-5-0-6-0-6-2-7-6-0-0-S");
//! # Ok::<(), awale::rules::MoveTextError>(())
//! ```

mod ending;
mod game;
mod moves;
mod notation;
mod pit;
mod position;
mod rule_set;
mod sowing;

pub use ending::{EndReason, Ending, GameResult};
pub use game::History;
pub use game::{Game, PlayError};
pub use moves::{IllegalMove, Played};
pub use moves::{divide, perft};
pub use notation::{MoveTextError, PositionTextError, moves_text, parse_moves};
pub use pit::{PITS, PITS_PER_ROW, Pit, PitSet, PitSetIter, Side};
pub use position::{Position, PositionError, SEEDS};
pub use rule_set::{
    Capture, GIFTS, GrandSlam, OCCURRENCES, Preset, Remaining, Repetition, RuleSet,
};
