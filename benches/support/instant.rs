//! The other ends of the pipe: a bot that answers at once, and a program that only sends lines
//! back. A bench starts itself as one of them.

use std::io::{self, BufRead as _, Write as _};

/// An answer to any turn.
pub const FIRST_PIT: &[u8] = b"{\"type\":\"move\",\"pit\":0}\n";

/// Plays a legal pit without a thought: it looks for signs in the line and understands no JSON.
///
/// # Errors
/// The pipe is broken.
pub fn answer_turns() -> io::Result<()> {
    answer_turns_after(|| ())
}

/// The same after some work in each turn.
///
/// # Errors
/// The pipe is broken.
pub fn answer_turns_after(work: impl Fn()) -> io::Result<()> {
    let legal = b"\"legal\":[";
    let ready = b"{\"type\":\"ready\"}\n";
    let mut move_line = FIRST_PIT.to_vec();
    let place = move_line.len() - b"0}\n".len();
    answer_lines(|line| {
        let found = |wanted: &[u8]| line.windows(wanted.len()).position(|part| part == wanted);
        if let Some(at) = found(legal) {
            work();
            move_line[place] = line[at + legal.len()];
            Some(move_line.clone())
        } else if found(b"\"game-over\"").is_some() || found(b"\"quit\"").is_some() {
            None
        } else {
            Some(ready.to_vec())
        }
    })
}

/// Answers each line with what `answer` makes of it, if anything.
///
/// # Errors
/// The pipe is broken.
pub fn answer_lines(mut answer: impl FnMut(&[u8]) -> Option<Vec<u8>>) -> io::Result<()> {
    let (mut input, mut output) = (io::stdin().lock(), io::stdout().lock());
    let mut line = Vec::new();
    while input.read_until(b'\n', &mut line)? > 0 {
        if let Some(answer) = answer(&line) {
            output.write_all(&answer)?;
            output.flush()?;
        }
        line.clear();
    }
    Ok(())
}
