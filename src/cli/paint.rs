//! Colours of a terminal.

use std::io::{self, IsTerminal};

/// Whether to use colours.
#[derive(Clone, Copy, Debug)]
pub struct Paint(bool);

/// Whether this is a terminal that takes escapes. The type `dumb` says that it takes none.
pub fn takes_escapes(output: &impl IsTerminal) -> bool {
    output.is_terminal() && std::env::var_os("TERM").is_none_or(|kind| kind != "dumb")
}

const BOLD: u8 = 1;
const DIM: u8 = 2;
const RED: u8 = 31;
const GREEN: u8 = 32;
const YELLOW: u8 = 33;

impl Paint {
    /// Colours where there may be escapes, unless `NO_COLOR` is set and not empty (no-color.org).
    fn on(output: &impl IsTerminal) -> Self {
        let refused = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
        Self(!refused && takes_escapes(output))
    }

    /// Colours on standard output.
    pub fn for_standard_output() -> Self {
        Self::on(&io::stdout())
    }

    /// Colours on standard error.
    pub fn for_standard_error() -> Self {
        Self::on(&io::stderr())
    }

    /// No colours.
    pub const fn none() -> Self {
        Self(false)
    }

    /// Whether there are colours.
    pub const fn is_used(self) -> bool {
        self.0
    }

    /// A text that stands out.
    pub fn bold(self, text: &str) -> String {
        self.paint(BOLD, text)
    }

    /// A text whose first line stands out.
    pub fn bold_head(self, text: &str) -> String {
        match text.split_once('\n') {
            Some((head, rest)) => format!("{}\n{rest}", self.bold(head)),
            None => self.bold(text),
        }
    }

    /// A text that stands back.
    pub fn dim(self, text: &str) -> String {
        self.paint(DIM, text)
    }

    /// A text in red.
    pub fn red(self, text: &str) -> String {
        self.paint(RED, text)
    }

    /// A text in green.
    pub fn green(self, text: &str) -> String {
        self.paint(GREEN, text)
    }

    /// A text in yellow.
    pub fn yellow(self, text: &str) -> String {
        self.paint(YELLOW, text)
    }

    /// A text with a parameter of SGR. An empty text has none.
    fn paint(self, parameter: u8, text: &str) -> String {
        if self.0 && !text.is_empty() {
            format!("\u{1b}[{parameter}m{text}\u{1b}[0m")
        } else {
            text.to_owned()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_are_only_around_the_word() {
        assert_eq!(Paint(true).red("FAIL"), "\u{1b}[31mFAIL\u{1b}[0m");
        assert_eq!(Paint(true).dim(""), "");
        assert_eq!(Paint::none().bold("ok"), "ok");
    }
}
