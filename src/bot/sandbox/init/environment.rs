//! The bot's variables on their way through the programs that start it. A name such as `LD_PRELOAD`
//! would let a file of the bot run in process 1 of its box, which has rights at first, or outside
//! of any box. So every name has a prefix until the bot itself starts.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};

/// No program looks for a name that begins like this.
const PREFIX: &[u8] = b"bot:";
/// bubblewrap sets it to the directory in which the bot starts.
const DIRECTORY: &str = "PWD";

/// The name under which the programs that start a bot pass its variable on.
pub fn passed_on(name: &OsStr) -> OsString {
    OsString::from_vec([PREFIX, name.as_bytes()].concat())
}

/// The variables of a process.
pub type ProcessVariables = Vec<(OsString, OsString)>;

/// The variables of the bot, from those of the process that starts it.
pub fn of_bot(variables: ProcessVariables) -> ProcessVariables {
    let bare = |(name, value): (OsString, OsString)| {
        if name == DIRECTORY {
            return Some((name, value));
        }
        let name = name.as_bytes().strip_prefix(PREFIX)?;
        Some((OsStr::from_bytes(name).to_owned(), value))
    };
    let mut found: Vec<_> = variables.into_iter().filter_map(bare).collect();
    // The bot's own value takes precedence: it comes last where names are equal.
    found.sort_by_key(|(name, _)| name != DIRECTORY);
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_variables_that_were_passed_on_reach_the_bot() {
        let own = [("LD_PRELOAD", "x.so"), ("EMPTY", ""), ("bot:odd", "1")];
        let others = [("PATH", "/usr/bin"), ("PWD", "/bot"), ("bo", "2")];
        let passed = own.map(|(name, value)| (passed_on(name.as_ref()), value.into()));
        assert!(
            passed
                .iter()
                .all(|(name, _)| name.as_bytes().starts_with(b"bot:"))
        );
        let others = others.map(|(name, value)| (name.into(), value.into()));
        let found = of_bot(passed.into_iter().chain(others).collect());
        let expected = [("PWD", "/bot")].into_iter().chain(own);
        let expected: Vec<(OsString, OsString)> = expected
            .map(|(name, value)| (name.into(), value.into()))
            .collect();
        assert_eq!(found, expected);
    }
}
