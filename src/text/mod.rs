//! Text for people, and hostile text. Every room except `rules` and `stats` may use it.
//!
//! ```text
//! escape   makes hostile text harmless for display
//! names    how names are compared, and their form for files and addresses
//! words    counted nouns, lists of names, the name that a user meant, words for a shell
//! units    times and sizes with their unit, exact; bytes as digits
//! toml_writer  TOML, line by line
//! pgn      games as tags and moves, whatever the game
//! ```

mod escape;
mod names;
mod pgn;
mod toml_writer;
mod units;
mod words;

pub use escape::{is_invisible, printable, printable_json, printable_lines, quoted, shown_bytes};
pub use names::{composed, folded, slug};
pub use pgn::{PgnError, PgnPart, PgnText, is_pgn, pgn_value};
pub use toml_writer::{TomlWriter, toml_array, toml_string};
pub use units::{
    exact_ms, hexadecimal, long_time, micros, parse_size, parse_time, size_text, time_text,
};
pub use words::{counted, did_you_mean, nearest, shell_word, some_names};
