//! Text for people and from strangers. Every room may use it but `rules` and `stats`.
//!
//! ```text
//! escape   strangers' text made harmless before it is shown
//! nearest  the name that was meant by a misspelt one
//! shell    words as a shell takes them
//! units    times and sizes with their unit, exact
//! toml_writer  TOML, line by line
//! ```

mod escape;
mod nearest;
mod shell;
mod toml_writer;
mod units;

pub use escape::{is_invisible, printable, quoted};
pub use nearest::{did_you_mean, nearest};
pub use shell::shell_word;
pub use toml_writer::{TomlWriter, toml_array, toml_string};
pub use units::{parse_size, parse_time, size_text, time_text};
