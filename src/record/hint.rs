//! What an author can do about a fault, recognised by the words of its detail.

use super::fault::FaultKind;

/// What the detail of a fault says of a script that the host could not start: its `#!` line is
/// missing, stands behind a byte-order mark, or ends as on Windows.
pub const NO_INTERPRETER: &str = "it is no program, and has no `#!` line";
/// See [`NO_INTERPRETER`].
pub const BYTE_ORDER_MARK: &str = "there is a byte-order mark before its `#!` line";
/// See [`NO_INTERPRETER`].
pub const WINDOWS_LINE_END: &str = "its `#!` line ends with a carriage return, as on Windows";
/// What the detail of a timeout says if the bot used nearly all of the time.
pub const COMPUTED_ALL_THE_TIME: &str = "it computed all the time";

/// The beginning of the detail of a timeout if the bot would never have answered.
pub const WAITS_FOR_INPUT: &str = "it waits for more input";

/// Advice for the author of a bot, if the fault is one that many have. `detail` is hostile: it may
/// lead to the wrong advice, and to no other text.
pub fn hint(kind: FaultKind, detail: &str) -> Option<&'static str> {
    let says = |words: &[&str]| words.iter().any(|word| detail.contains(word));
    let is_end = matches!(kind, FaultKind::Crash | FaultKind::StartFailure);
    if says(&[COMPUTED_ALL_THE_TIME])
        && matches!(kind, FaultKind::Timeout | FaultKind::StartFailure)
    {
        return Some(
            "it computed until it was stopped: an endless loop, or a search without a clock?",
        );
    }
    if kind == FaultKind::MemoryLimit {
        return Some(
            "a table that grows with each position, or a copy of the board that is never freed? \
             bound what is kept",
        );
    }
    if is_end {
        return hint_about_end(&says);
    }
    None
}

/// The same where nothing else explains the fault: an examination knows the step that failed, and
/// says more.
pub fn hint_or_rule(kind: FaultKind, detail: &str) -> Option<&'static str> {
    hint(kind, detail).or_else(|| broken_rule(kind, detail))
}

/// The rule of the protocol that a fault breaks.
fn broken_rule(kind: FaultKind, detail: &str) -> Option<&'static str> {
    let says = |words: &[&str]| words.iter().any(|word| detail.contains(word));
    let is_silent = kind == FaultKind::StartFailure && says(&["no answer after"]);
    if is_silent || says(&[WAITS_FOR_INPUT]) {
        return Some(
            "flush standard output after each line, as `print(…, flush=True)` does in Python and \
             `fflush(stdout)` in C, and read one line at a time",
        );
    }
    if kind == FaultKind::Timeout {
        return Some(
            "it takes longer than it may: look at the clock before each search is deepened",
        );
    }
    if kind == FaultKind::IllegalMove {
        return Some("choose one of the numbers in `legal`; it is counted from 0");
    }
    if kind == FaultKind::BadOutput && says(&["not a JSON object"]) {
        return Some(
            "only answers belong on standard output: text for debugging belongs on standard error",
        );
    }
    None
}

/// The same for a program that ended, or was not started.
fn hint_about_end(says: &dyn Fn(&[&str]) -> bool) -> Option<&'static str> {
    if says(&[BYTE_ORDER_MARK]) {
        return Some("save the file as UTF-8 without a byte-order mark (BOM)");
    }
    // `env` shows the carriage return behind the name of the program that it does not find.
    if says(&[WINDOWS_LINE_END, "\\r': No such file", "\\r’: No such file"]) {
        return Some(
            "the file has Windows line ends: save it with Unix line ends, as `sed -i 's/\\r$//'` \
             makes them",
        );
    }
    if says(&[NO_INTERPRETER]) {
        return Some(
            "begin the file with a line like `#!/usr/bin/env python3`, or name the interpreter in \
             the command: [\"python3\", \"bot.py\"]",
        );
    }
    if says(&["Read-only file system", "EROFS"]) {
        return Some(
            "the folder of a bot is read-only in a tournament: /tmp is the place for files",
        );
    }
    if says(&["PermissionError: ", "EACCES", ": Permission denied"]) {
        return Some(
            "a bot may read its own folder and the languages' files, and write to /tmp alone",
        );
    }
    if says(&[
        "ModuleNotFoundError: ",
        "Error: Cannot find module ",
        "ClassNotFoundException",
    ]) {
        return Some(
            "is it installed on the machine of the tournament, or in the bot's own folder? a bot \
             in a box sees no other files (docs/isolation.md)",
        );
    }
    if says(&["exited with code 0"]) {
        return Some("it came to its end: a bot reads lines until it is told to quit, in a loop");
    }
    if says(&["killed by signal 11"]) {
        return Some(
            "an index outside of an array, or a pointer to nothing: build it with \
             -g -fsanitize=address, and let the replay show the line",
        );
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn common_faults_have_a_hint() {
        use FaultKind::{BadOutput, Crash, IllegalMove, MemoryLimit, StartFailure, Timeout};
        let loops = format!("no answer after 300.1 ms; {COMPUTED_ALL_THE_TIME}");
        let scripts = [NO_INTERPRETER, BYTE_ORDER_MARK, WINDOWS_LINE_END]
            .map(|words| format!("cannot start bot.py in /bots: Exec format error; {words}"));
        let [none, mark, windows] = &scripts;
        for (kind, detail, words) in [
            (Timeout, loops.as_str(), "an endless loop"),
            (StartFailure, &loops, "an endless loop"),
            (
                MemoryLimit,
                "used more than its memory limit of 512 MiB",
                "bound what",
            ),
            (StartFailure, none, "#!/usr/bin/env python3"),
            (StartFailure, mark, "without a byte-order mark"),
            (StartFailure, windows, "Unix line ends"),
            (
                StartFailure,
                "standard error ends with \"env: ‘python3\\r’: No such file or directory\"",
                "Unix line ends",
            ),
            (
                Crash,
                "exited with code 1: OSError: [Errno 30] Read-only file system: 'log' (b.py:3)",
                "/tmp is the place for files",
            ),
            (
                StartFailure,
                "exited with code 1: ModuleNotFoundError: No module named 'numpy' (b.py:1)",
                "installed",
            ),
            (
                BadOutput,
                "not a JSON object: \"thinking\"",
                "standard error",
            ),
            (
                StartFailure,
                "at the first message: exited with code 0",
                "in a loop",
            ),
            (Crash, "killed by signal 11", "-fsanitize=address"),
            (IllegalMove, "played pit 3; legal were 0, 1", "in `legal`"),
            (
                Timeout,
                "no answer after 300.1 ms by the wall clock; CPU time 3.000 ms",
                "longer than it may",
            ),
            (
                StartFailure,
                "at the first message: it waits for more input and has not answered `hello`: …",
                "flush",
            ),
            (
                Crash,
                "exited with code 1: PermissionError: [Errno 13] Permission denied: 'x' (b.py:3)",
                "write to /tmp alone",
            ),
        ] {
            let hint = hint_or_rule(kind, detail).unwrap_or_else(|| panic!("{detail}"));
            assert!(hint.contains(words), "{detail}: {hint}");
        }
        let detail = "exited with code 1: IndexError: list index out of range (b.py:3)";
        assert_eq!(hint(Crash, detail), None);
    }
}
