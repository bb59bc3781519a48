//! The log on standard error. It contains names and messages of bots, so each event becomes one
//! line without characters that control a terminal.

use crate::log::VARIABLE;
use crate::text::printable;
use std::io::{self, Write};
use tracing::level_filters::LevelFilter;

/// Logs from now on what is of this level or above it.
pub fn begin(level: LevelFilter) {
    if level == LevelFilter::OFF {
        return;
    }
    tracing_subscriber::fmt()
        .with_max_level(level)
        .with_ansi(false)
        .log_internal_errors(false)
        .with_writer(|| HarmlessStderr)
        .init();
}

/// The level that the process above has passed on.
pub fn inherited_level() -> LevelFilter {
    let level = std::env::var(VARIABLE).unwrap_or_default();
    // An empty text would be a level: that of errors.
    let level = Some(level).filter(|it| !it.is_empty());
    let level = level.and_then(|it| it.parse().ok());
    level.unwrap_or(LevelFilter::OFF)
}

/// Standard error. It gets one event at a time.
struct HarmlessStderr;

impl Write for HarmlessStderr {
    fn write(&mut self, event: &[u8]) -> io::Result<usize> {
        let text = String::from_utf8_lossy(event);
        writeln!(io::stderr(), "{}", printable(text.trim_end()))?;
        Ok(event.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
