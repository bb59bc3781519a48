//! The process behind an adapter: its lines, and how it ends.
//!
//! The adapter ends as its program does, with the same exit code or by the same signal, because the
//! referee sees only the adapter. Whatever ends the adapter's process group or box ends the program
//! too; its standard error is the adapter's.

use crate::bot::init::restore_defaults;
use crate::cli::exit::{Exit, Failure, tell};
use crate::files::read_line;
use crate::text::printable;
use nix::sys::signal::{Signal, raise};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use std::ffi::OsString;
use std::io::{BufReader, Write as _};
use std::os::unix::process::ExitStatusExt as _;
use std::process::{Child, ChildStdin, ChildStdout, Command, ExitStatus, Stdio, exit};

/// The longest line of a program that is read whole, in bytes: what the referee reads of a bot.
const LONGEST_LINE: usize = 64 << 10;
/// A shell's exit code of a program that a signal has ended, less the signal.
const SIGNALLED: i32 = 128;

/// A running program.
pub struct Program {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
}

impl Program {
    /// Starts a program; the words are not empty.
    ///
    /// # Errors
    /// It cannot be started.
    pub fn start(words: &[OsString]) -> Result<Self, Failure> {
        let mut child = Command::new(&words[0])
            .args(&words[1..])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(|error| {
                let program = printable(&words[0].to_string_lossy());
                Failure::usage(format!(
                    "cannot start the program behind the adapter, {program}: {error}"
                ))
            })?;
        let output = child.stdout.take().expect("a pipe was asked for");
        Ok(Self {
            input: child.stdin.take(),
            output: BufReader::new(output),
            child,
        })
    }

    /// Writes a line. If the program has ended, so does this process.
    pub fn write(&mut self, line: &str) {
        let written = self
            .input
            .as_mut()
            .map(|input| input.write_all(format!("{line}\n").as_bytes()));
        if !matches!(written, Some(Ok(()))) {
            self.end_alike();
        }
    }

    /// The next line, without its end. If the program has ended, so does this process.
    pub fn read(&mut self) -> String {
        let mut line = Vec::new();
        if !matches!(
            read_line(&mut self.output, LONGEST_LINE, &mut line),
            Ok(true)
        ) {
            self.end_alike();
        }
        let text = String::from_utf8_lossy(&line);
        text.trim_end_matches(['\r', '\n']).to_owned()
    }

    /// Whether the program has written something that was not read.
    pub fn has_output(&self) -> bool {
        let mut pipe = [PollFd::new(self.output.get_ref(), PollFlags::IN)];
        let waits = poll(&mut pipe, Some(&Timespec::default()));
        let has_bytes = || pipe[0].revents().contains(PollFlags::IN);
        !self.output.buffer().is_empty() || waits.is_ok() && has_bytes()
    }

    /// Waits for the program's end and says it.
    fn end_alike(&mut self) -> ! {
        self.input = None;
        let Ok(status) = self.child.wait() else {
            exit(Exit::Machine.code().into());
        };
        tell(&format!("the program behind the adapter {}", words(status)));
        end_as(status)
    }

    /// Closes the program's input, and waits until it has ended.
    pub fn finish(mut self) {
        self.input = None;
        let _ = self.child.wait();
    }
}

impl Drop for Program {
    /// No process is left behind, and none that was not awaited.
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// How a program ended: `was killed by signal 11 (SIGSEGV)`.
fn words(status: ExitStatus) -> String {
    match (status.code(), status.signal()) {
        (Some(code), _) => format!("exited with code {code}"),
        (None, Some(number)) => match Signal::try_from(number) {
            Ok(signal) => format!("was killed by signal {number} ({signal})"),
            Err(_) => format!("was killed by signal {number}"),
        },
        (None, None) => "ended".to_owned(),
    }
}

/// Ends this process in the same way.
fn end_as(status: ExitStatus) -> ! {
    if let Some(number) = status.signal() {
        if let Ok(signal) = Signal::try_from(number) {
            restore_defaults();
            let _ = raise(signal);
        }
        // A signal without a name.
        exit(SIGNALLED + number);
    }
    exit(status.code().unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_end_is_told_with_the_name_of_its_signal() {
        for (status, expected) in [
            (0, "exited with code 0"),
            (3 << 8, "exited with code 3"),
            (11, "was killed by signal 11 (SIGSEGV)"),
            (9, "was killed by signal 9 (SIGKILL)"),
            (40, "was killed by signal 40"),
        ] {
            assert_eq!(words(ExitStatus::from_raw(status)), expected);
        }
    }
}
