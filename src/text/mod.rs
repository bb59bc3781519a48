//! Text for people, and hostile text. Every room except `rules` and `stats` may use it.
//!
//! ```text
//! escape   makes hostile text harmless for display
//! names    lists of names in messages
//! nearest  finds the name meant by a misspelt one
//! shell    words quoted for a shell
//! units    times and sizes with their unit, exact
//! toml_writer  TOML, line by line
//! ```

mod count;
mod escape;
mod names;
mod nearest;
mod shell;
mod toml_writer;
mod units;

pub use count::counted;
pub use escape::{is_invisible, printable, printable_lines, quoted};
pub use names::some_names;
pub use nearest::{did_you_mean, nearest};
pub use shell::shell_word;
pub use toml_writer::{TomlWriter, toml_array, toml_string};
pub use units::{parse_size, parse_time, size_text, time_text};
