//! The bot of a replay: a process without deadlines, whose standard error goes to our own with a
//! mark before each line, and which receives the keyboard's signals itself.

use crate::bot::{ADAPTER, OWN_PROGRAM};
use crate::config::split_adapter;
use crate::record::ProcessEnd;
use crate::text::printable;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use std::ffi::OsString;
use std::fs::File;
use std::io::{self, BufRead as _, BufReader, Read, Write};
use std::os::fd::OwnedFd;
use std::os::unix::process::ExitStatusExt as _;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::thread::{sleep, spawn};
use std::time::{Duration, Instant};

/// How long a bot may take to end by itself: after its last output, and after its input was closed.
pub const GRACE: Duration = Duration::from_secs(1);
/// The least time to wait for bytes, or for an end, that must come if the bot is unchanged: the
/// host may be busier than during the recording.
pub const BUSY_HOST: Duration = Duration::from_secs(5);
/// The longest wait for an answer that was not given then, whatever the recording says.
pub const LONGEST_SILENCE: Duration = Duration::from_secs(600);
/// Bytes beyond the recorded ones that are read of an endless answer.
pub const SURPLUS: usize = 1 << 20;
/// The mark of a line that the bot wrote to its standard error.
const MARK: &str = "bot's stderr | ";
/// Bytes of its standard error that are shown in one line at most.
const LONGEST_LINE: u64 = 4096;
const PAUSE: Duration = Duration::from_millis(5);

/// The result of waiting.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BotReply {
    Bytes,
    /// Nothing came within the given time.
    Silence,
    /// The bot has closed its output.
    End,
}

/// A running bot.
pub struct RunningBot {
    child: Child,
    input: Option<File>,
    chunks: Receiver<Vec<u8>>,
    heard: Vec<u8>,
    output_closed: bool,
    /// Disconnected when all of its standard error is shown.
    errors: Receiver<()>,
}

impl RunningBot {
    /// Starts a program with the protocol on its standard input and output.
    pub fn start(mut command: Command) -> io::Result<Self> {
        command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let mut child = command.spawn().map_err(|error| {
            let program = printable(&command.get_program().to_string_lossy());
            io::Error::new(error.kind(), format!("cannot start {program}: {error}"))
        })?;
        let input = child
            .stdin
            .take()
            .map(|input| File::from(OwnedFd::from(input)));
        let output = child.stdout.take().ok_or(io::ErrorKind::BrokenPipe)?;
        let chunks = listen(output);
        let errors = child.stderr.take().ok_or(io::ErrorKind::BrokenPipe)?;
        Ok(Self {
            child,
            input,
            chunks,
            heard: Vec::new(),
            output_closed: false,
            errors: show_marked(errors),
        })
    }

    /// The process id, for a debugger.
    pub fn process(&self) -> u32 {
        self.child.id()
    }

    /// Writes a request, however long that takes.
    pub fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        match &mut self.input {
            Some(input) => input.write_all(bytes).and_then(|()| input.flush()),
            None => Ok(()),
        }
    }

    /// Waits for bytes, for this long or without limit.
    pub fn hear(&mut self, time_limit: Option<Duration>) -> BotReply {
        let chunk = match time_limit {
            Some(time_limit) => self.chunks.recv_timeout(time_limit),
            None => self
                .chunks
                .recv()
                .map_err(|_| RecvTimeoutError::Disconnected),
        };
        match chunk {
            Ok(bytes) => {
                self.heard.extend(bytes);
                BotReply::Bytes
            }
            Err(RecvTimeoutError::Timeout) => BotReply::Silence,
            Err(RecvTimeoutError::Disconnected) => {
                self.output_closed = true;
                BotReply::End
            }
        }
    }

    /// The output that was not taken yet.
    pub fn heard(&self) -> &[u8] {
        &self.heard
    }

    /// The number of complete lines that were not taken yet.
    pub fn lines(&self) -> usize {
        self.heard.iter().filter(|&&byte| byte == b'\n').count()
    }

    /// Takes this many lines, or all if there are fewer.
    pub fn take_lines(&mut self, count: usize) -> Vec<u8> {
        let newlines = self
            .heard
            .iter()
            .enumerate()
            .filter(|(_, byte)| **byte == b'\n');
        let end = match count.checked_sub(1) {
            None => Some(0),
            Some(last) => newlines.map(|(place, _)| place + 1).nth(last),
        };
        let rest = self.heard.split_off(end.unwrap_or(self.heard.len()));
        std::mem::replace(&mut self.heard, rest)
    }

    /// How it ended, if it ends soon enough, or that it runs on with a closed pipe.
    pub fn own_end(&mut self, time_limit: Duration) -> Option<ProcessEnd> {
        let ended = self.wait(time_limit).and_then(process_end);
        ended.or_else(|| self.has_closed_a_pipe().then_some(ProcessEnd::Closed))
    }

    /// Whether it has closed its input or its output.
    pub fn has_closed_a_pipe(&self) -> bool {
        let no_reader = |input: &File| {
            let mut asked = [PollFd::new(input, PollFlags::OUT)];
            let now = Timespec::default();
            let told = poll(&mut asked, Some(&now)).is_ok();
            told && asked[0].revents().contains(PollFlags::ERR)
        };
        self.output_closed || self.input.as_ref().is_some_and(no_reader)
    }

    /// The same in words.
    pub fn how_it_ended(&mut self) -> String {
        let end = self.own_end(GRACE).unwrap_or(ProcessEnd::Closed);
        end.to_string()
    }

    /// Lets it quit after a replay, or kills it. A bot in a debugger is waited for.
    pub fn end_replay(mut self, is_held: bool) {
        let time_limit = if is_held { Duration::MAX } else { GRACE / 5 };
        self.input = None;
        if self.wait(time_limit).is_none() {
            let _ = self.child.kill();
            let _ = self.child.wait();
        }
        // A process that the bot has left behind may hold the pipe.
        let _ = self.errors.recv_timeout(GRACE);
    }

    fn wait(&mut self, time_limit: Duration) -> Option<ExitStatus> {
        let started = Instant::now();
        loop {
            match self.child.try_wait() {
                Ok(None) if started.elapsed() < time_limit => sleep(PAUSE),
                Ok(status) => return status,
                Err(_) => return None,
            }
        }
    }
}

/// A command as typed, in the current folder with the current environment.
pub fn typed_command(words: &[OsString]) -> Command {
    let first = words[0].to_string_lossy();
    let mut command = match split_adapter(&first) {
        ("", _) => Command::new(&words[0]),
        (adapter, program) => {
            let mut command = Command::new(OWN_PROGRAM);
            command.args([ADAPTER, adapter.trim_end_matches(':'), "--", program]);
            command
        }
    };
    command.args(&words[1..]);
    command
}

/// Passes on the bot's output in a thread, until it closes its output or the receiver ends.
fn listen(mut output: impl Read + Send + 'static) -> Receiver<Vec<u8>> {
    // Only a few chunks are buffered, so that a bot that floods must wait.
    let (chunk, chunks) = sync_channel(4);
    spawn(move || {
        let mut bytes = vec![0; 64 << 10];
        loop {
            match output.read(&mut bytes) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Ok(count @ 1..) if chunk.send(bytes[..count].to_vec()).is_ok() => {}
                Ok(_) | Err(_) => return,
            }
        }
    });
    chunks
}

/// Shows the bot's standard error in a thread, until it is closed. It is hostile text.
fn show_marked(errors: impl Read + Send + 'static) -> Receiver<()> {
    let (open, shown) = sync_channel(0);
    spawn(move || {
        let _open = open;
        let mut errors = BufReader::new(errors);
        let mut line = Vec::new();
        while let Ok(1..) = (&mut errors)
            .take(LONGEST_LINE)
            .read_until(b'\n', &mut line)
        {
            // The bot must not wait because nobody reads ours.
            let _ = writeln!(io::stderr(), "{}", marked(&line));
            line.clear();
        }
    });
    shown
}

fn marked(line: &[u8]) -> String {
    let text = String::from_utf8_lossy(line);
    let text = text.trim_end_matches(['\r', '\n']);
    format!("{MARK}{}", printable(text))
}

fn process_end(status: ExitStatus) -> Option<ProcessEnd> {
    let exited = status.code().map(ProcessEnd::Exited);
    exited.or_else(|| status.signal().map(ProcessEnd::Signalled))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn standard_error_is_marked_and_harmless() {
        for (line, shown) in [
            (b"depth 7\r\n".as_slice(), "bot's stderr | depth 7"),
            ("été".as_bytes(), "bot's stderr | été"),
            (b"\n", "bot's stderr | "),
            (b"\x1b[2J\x07", "bot's stderr | \\u{1b}[2J\\u{7}"),
            (b"\xff", "bot's stderr | \u{fffd}"),
        ] {
            assert_eq!(marked(line), shown);
        }
    }
}
