//! What an author can do about a fault, recognised by the words of its detail: `awale check`, a run
//! and its pages give the same advice.

use super::fault::{AT_THE_FIRST_MESSAGE, FaultKind};

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
pub const SLEEPS: &str = "it sleeps and has not answered";
/// What the detail of a timeout says of what came when the bot's input ended: a whole answer.
pub const HELD_BACK: &str = "its answer came only when its input ended";
/// The same for a line that is no whole answer, before or after the end of the input.
pub const NO_NEWLINE: &str = "without its newline";
/// The same for nothing.
pub const NOTHING_CAME: &str = "nothing came, even after the end of its input";
/// What the detail of an illegal move says of the pit.
pub const EMPTY_PIT: &str = "that pit is empty";
/// See [`EMPTY_PIT`].
pub const WRONG_SIDE: &str = "that pit is empty, and the opponent's of that number is not";
/// See [`EMPTY_PIT`].
pub const FORBIDDEN_PIT: &str = "that pit holds seeds, but the rules forbid the move";

const EMPTY_LINE: &str = "an empty line: a newline too many, as print(text + \"\\n\") writes";
const DEBUG_TEXT: &str = "debug text on standard output: every line there is an answer; print it \
                          to standard error, as in print(…, file=sys.stderr), console.error(…), \
                          fprintf(stderr, …)";
const ONE_TOO_MANY: &str = "one too many: pits are counted from 0 to 5, not from 1 to 6";
const FLUSH: &str = "flush standard output after each line, as `print(…, flush=True)` does in \
                     Python and `fflush(stdout)` in C, and read one line at a time";

/// Advice for the author of a bot, if the fault is one that many have. `detail` is hostile: it may
/// lead to the wrong advice, and to no other text.
pub fn hint(kind: FaultKind, detail: &str) -> Option<&'static str> {
    let detail = detail.strip_prefix(AT_THE_FIRST_MESSAGE).unwrap_or(detail);
    let says = |words: &[&str]| words.iter().any(|word| detail.contains(word));
    match kind {
        FaultKind::Timeout => Some(hint_about_silence(&says).unwrap_or(
            "it takes longer than it may: look at the clock before each search is deepened",
        )),
        FaultKind::StartFailure if says(&["no answer after", SLEEPS]) => {
            hint_about_silence(&says).or(Some(FLUSH))
        }
        FaultKind::MemoryLimit => Some(
            "a table that grows with each position, or a copy of the board that is never freed? \
             bound what is kept",
        ),
        FaultKind::Crash => hint_about_end(&says).or_else(|| hint_about_a_silent_end(detail)),
        FaultKind::StartFailure => hint_about_end(&says).or_else(|| hint_about_a_line(detail)),
        FaultKind::BadOutput => hint_about_a_line(detail).or(Some(
            "each answer is one JSON object on one line, with its `type`",
        )),
        FaultKind::IllegalMove => hint_about_a_move(detail).or(Some(
            "choose one of the numbers in `legal`; it is counted from 0",
        )),
        _ => None,
    }
}

/// What an author does about a fault of this kind, whatever the cause.
pub const fn fix(kind: FaultKind) -> &'static str {
    match kind {
        FaultKind::Timeout => {
            "answer each question in its time: look at the clock before each search is deepened, \
             and flush standard output"
        }
        FaultKind::IllegalMove => "choose one of the numbers in `legal`, as they stand",
        FaultKind::BadOutput | FaultKind::OutputLimit => {
            "write one JSON object on one line for each question, and nothing else on standard \
             output; debug text belongs on standard error"
        }
        FaultKind::Crash | FaultKind::StartFailure => {
            "run the command by hand, in the folder that the tournament will use, and send it the \
             same lines; look at what it prints on standard error"
        }
        FaultKind::MemoryLimit => "keep less in memory: bound each table and each list",
        FaultKind::ProcessLimit => "start fewer processes and threads",
        _ => "use the processor on your own turn alone, and end what you have started",
    }
}

/// No answer came in time.
fn hint_about_silence(says: &dyn Fn(&[&str]) -> bool) -> Option<&'static str> {
    Some(if says(&[HELD_BACK]) {
        "the answer came only when its input ended: it does not flush its output, or reads all of \
         its input before it answers; print(…, flush=True) in Python, fflush(stdout) in C, \
         System.out.flush() in Java"
    } else if says(&[NO_NEWLINE]) {
        "the answer has no newline at its end, or is not complete"
    } else if says(&[COMPUTED_ALL_THE_TIME]) {
        "it computed until it was stopped: an endless loop, or a search without a clock?"
    } else if says(&[NOTHING_CAME]) {
        "does it wait for another line, or never reach the answer?"
    } else if says(&[SLEEPS]) {
        FLUSH
    } else {
        return None;
    })
}

/// A line that does not answer the question, or that no question asked for.
fn hint_about_a_line(detail: &str) -> Option<&'static str> {
    let is_of_pit = detail.contains("expected i64");
    if let Some(text) = detail.strip_prefix("wrote \"") {
        let text = text.trim_start_matches(['\\', 'r', 'n', 't', ' ']);
        return Some(match text.chars().next() {
            None | Some('"') => EMPTY_LINE,
            Some('{') => {
                "an answer too many: each question has one answer, game-over and quit have none"
            }
            Some(_) => DEBUG_TEXT,
        });
    }
    if let Some(text) = detail.strip_prefix("not a JSON object: \"") {
        return Some(match text.trim_end_matches('"').trim().len() {
            0 => EMPTY_LINE,
            1 | 2 => {
                "the answer is a whole object, {\"type\":\"move\",\"pit\":3}, not the pit alone"
            }
            _ => DEBUG_TEXT,
        });
    }
    if detail.contains(" in \"{'") {
        Some("that is a dictionary as Python prints it: json.dumps makes JSON of it")
    } else if detail.contains("where \"ready\" was expected") {
        Some("hello and new-game are answered with {\"type\":\"ready\"}, turn with a move")
    } else if is_of_pit && detail.starts_with("invalid type: string") {
        Some("`pit` is a number from 0 to 5, not a letter and not a text")
    } else if is_of_pit && detail.starts_with("invalid type: floating point") {
        Some("`pit` is a whole number: 3, not 3.0")
    } else if detail.starts_with("missing field `pit`") {
        Some("the move has no `pit`")
    } else if detail.starts_with("answered turn ") {
        Some("`turn` must be the number that the question has, or be left out")
    } else {
        None
    }
}

/// A move that is not legal.
fn hint_about_a_move(detail: &str) -> Option<&'static str> {
    let (pit, rest) = detail
        .strip_prefix("played pit ")?
        .split_once("; legal were ")?;
    let pit: i64 = pit.parse().ok()?;
    let legal = rest.split(';').next().unwrap_or_default();
    let is_legal = |number: i64| legal.split(", ").any(|it| it.parse() == Ok(number));
    let is_empty = rest.contains(EMPTY_PIT);
    match pit {
        6 if is_legal(5) => Some(ONE_TOO_MANY),
        6..12 => Some(
            "pits 6 to 11 of `board` are the opponent's: 0 to 5 are your own on both sides, and \
             `pit` is one of them",
        ),
        ..0 | 12.. => Some("pits have the numbers 0 to 5"),
        _ if is_empty && is_legal(pit - 1) => Some(ONE_TOO_MANY),
        _ if rest.contains(WRONG_SIDE) => Some(
            "your own pit is empty and the opponent's of that number is not: do you look at the \
             wrong side's pits? `board` is turned for you, `position` is not",
        ),
        _ if is_empty => Some("that pit is empty: choose out of `legal`"),
        _ if rest.contains(FORBIDDEN_PIT) => Some(
            "that pit holds seeds, but the rules forbid the move: choose out of `legal`, it is \
             always right",
        ),
        _ => None,
    }
}

/// A program that ended and did not say why.
fn hint_about_a_silent_end(detail: &str) -> Option<&'static str> {
    let is_bare = |it: &str| it.bytes().all(|byte| byte.is_ascii_digit());
    let ends = ["exited with code ", "killed by signal "];
    let is_silent = ends
        .iter()
        .any(|end| detail.strip_prefix(end).is_some_and(is_bare));
    is_silent.then_some(
        "it said nothing on standard error: run it by hand, with the lines that it was sent",
    )
}

/// A program that ended, or was not started.
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
    if says(&["(wrong name: "]) {
        return Some(
            "the source begins with a `package` line: take it out, because the class is started by \
             its name alone",
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
            (Crash, "killed by signal 6", "said nothing"),
            (
                Timeout,
                "no answer after 300.1 ms by the wall clock; CPU time 3.000 ms",
                "longer than it may",
            ),
            (
                StartFailure,
                "at the first message: it sleeps and has not answered `hello`, and has …",
                "flush",
            ),
        ] {
            let hint = hint(kind, detail).unwrap_or_else(|| panic!("{detail}"));
            assert!(hint.contains(words), "{detail}: {hint}");
        }
    }

    #[test]
    fn last_words_have_a_hint() {
        use FaultKind::{Crash, StartFailure};
        for (kind, detail, words) in [
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
                StartFailure,
                "exited with code 1: java.lang.NoClassDefFoundError: Bot (wrong name: ada/Bot)",
                "`package` line: take it out",
            ),
            (
                Crash,
                "exited with code 1: PermissionError: [Errno 13] Permission denied: 'x' (b.py:3)",
                "write to /tmp alone",
            ),
        ] {
            let hint = hint(kind, detail).unwrap_or_else(|| panic!("{detail}"));
            assert!(hint.contains(words), "{detail}: {hint}");
        }
        let detail = "exited with code 1: IndexError: list index out of range (b.py:3)";
        assert_eq!(hint(Crash, detail), None);
    }

    #[test]
    fn wrong_answers_have_a_hint() {
        use FaultKind::{BadOutput, IllegalMove, StartFailure};
        for (kind, detail, words) in [
            (
                IllegalMove,
                "played pit 6; legal were 3, 5",
                "from 0 to 5, not",
            ),
            (
                IllegalMove,
                "played pit 6; legal were 3, 4",
                "your own on both",
            ),
            (IllegalMove, "played pit -1; legal were 3", "numbers 0 to 5"),
            (
                BadOutput,
                "wrote \"{\\\"type\" without being asked",
                "too many",
            ),
            (BadOutput, "wrote \"\\n\" without being asked", "empty line"),
            (
                BadOutput,
                "answered turn 3 when asked for turn 4",
                "`turn` must",
            ),
            (BadOutput, "expected value at line 1", "one JSON object"),
            (
                StartFailure,
                "at the first message: not a JSON object: \"Hello, I am a bot\"",
                "debug text",
            ),
        ] {
            let hint = hint(kind, detail).unwrap_or_else(|| panic!("{detail}"));
            assert!(hint.contains(words), "{detail}: {hint}");
        }
    }
}
