//! The channel between the referee and the program that starts a bot. It reports how the bot ended,
//! passes on what shows that end, and carries the requests to freeze and to thaw; each end
//! notices when the other closes it.

use crate::bot::sandbox::init::{FREEZE, THAW};
use crate::log::LogError as _;
use rustix::net::{
    RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer,
    SendAncillaryMessage, SendFlags, recv, recvmsg, sendmsg,
};
use serde::{Deserialize, Serialize};
use std::io::{self, IoSlice, IoSliceMut, Read as _, Write};
use std::mem::MaybeUninit;
use std::net::Shutdown;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::net::UnixStream;

/// No message is longer than this, in bytes.
const LONGEST: u64 = 4 << 10;

/// The referee's end.
#[derive(Debug)]
pub struct StatusChannel(UnixStream);

/// The report on a bot's end.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum LastWords {
    /// Its program could not be started.
    NotStarted(StartError),
    /// The host did not allow its preparation.
    Unprepared(StartError),
    /// It ended with this code.
    Exited(i32),
    /// It was ended by this signal.
    Signalled(i32),
}

/// Why a step of the start failed.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub struct StartError {
    /// The system's error number, if the step failed in a system call.
    pub errno: Option<i32>,
    /// The message of the error.
    pub words: String,
}

impl From<&io::Error> for StartError {
    fn from(error: &io::Error) -> Self {
        Self {
            errno: error.raw_os_error(),
            words: error.to_string(),
        }
    }
}

impl StatusChannel {
    /// Both ends; the second one is for the bot's side.
    pub fn pair() -> io::Result<(Self, OwnedFd)> {
        let (ours, theirs) = UnixStream::pair()?;
        ours.set_nonblocking(true)?;
        Ok((Self(ours), theirs.into()))
    }

    /// Asks process 1 of a box to stop all other processes.
    pub fn freeze(&self) {
        (&self.0).write(&[FREEZE]).log_error("freeze a box");
    }

    /// Asks process 1 of a box to continue all other processes.
    pub fn thaw(&self) {
        (&self.0).write(&[THAW]).log_error("thaw a box");
    }

    /// Tells process 1 of a box to end. Its earlier messages can still be read.
    pub fn cut(&self) {
        self.0.shutdown(Shutdown::Write).log_error("end a box");
    }

    /// Whether process 1 of a box has started the bot. To be called before its end is requested.
    pub fn has_started(&self) -> bool {
        let mut word = [0; STARTED.len()];
        let peeked = recv(&self.0, &mut word[..], RecvFlags::PEEK);
        peeked.is_ok() && word == *STARTED.as_bytes()
    }

    /// What becomes readable when the first process of a bot in a box has ended, once process 1 of
    /// the box has passed it on. To be called before its end is requested.
    pub fn end_of_first(&self) -> Option<OwnedFd> {
        let mut word = [0; STARTED.len()];
        receive_descriptor(&self.0, &mut word, RecvFlags::PEEK).ok()
    }

    /// The report on the bot's end, if there is one.
    pub fn last_words(&self) -> Option<LastWords> {
        let mut words = Vec::new();
        // The read ends at the end of the channel or, on an open channel, when nothing more is
        // there.
        let _ = (&self.0).take(LONGEST).read_to_end(&mut words);
        parse(&String::from_utf8_lossy(&words))
    }
}

/// Sends a descriptor with some bytes: every message needs data.
///
/// # Errors
/// The other end is closed, or too many descriptors are on their way.
pub fn send_descriptor(
    socket: impl AsFd,
    data: &[u8],
    descriptor: BorrowedFd<'_>,
) -> io::Result<()> {
    let descriptors = [descriptor];
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
    let mut ancillary = SendAncillaryBuffer::new(&mut space);
    assert!(
        ancillary.push(SendAncillaryMessage::ScmRights(&descriptors)),
        "there is room for one"
    );
    let data = [IoSlice::new(data)];
    sendmsg(socket, &data, &mut ancillary, SendFlags::NOSIGNAL)?;
    Ok(())
}

/// Receives a descriptor that later child processes do not inherit, and the bytes with it.
///
/// # Errors
/// The other end is closed, or has sent none.
pub fn receive_descriptor(
    socket: impl AsFd,
    data: &mut [u8],
    flags: RecvFlags,
) -> io::Result<OwnedFd> {
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
    let mut ancillary = RecvAncillaryBuffer::new(&mut space);
    let flags = flags | RecvFlags::CMSG_CLOEXEC;
    recvmsg(socket, &mut [IoSliceMut::new(data)], &mut ancillary, flags)?;
    let received = ancillary.drain().find_map(|message| match message {
        RecvAncillaryMessage::ScmRights(mut descriptors) => descriptors.next(),
        _ => None,
    });
    received.ok_or_else(|| io::ErrorKind::UnexpectedEof.into())
}

fn parse(words: &str) -> Option<LastWords> {
    words
        .lines()
        .find_map(|line| serde_json::from_str(line).ok())
}

/// The attempt for which the bot is responsible; for all earlier ones the host is.
pub const START: &str = "start it";

/// Process 1 of a box sends this word once the bot runs.
pub const STARTED: &str = "started";

/// Tells the referee how the bot ended, in one write.
pub fn tell(mut status: impl Write, ending: &LastWords) -> io::Result<()> {
    let line = serde_json::to_string(ending).expect("texts and numbers") + "\n";
    status.write_all(line.as_bytes())
}

/// Tells the referee why the bot does not run; returns the error.
pub fn report(status: impl Write, attempt: &str, error: io::Error) -> io::Error {
    let mut reason = StartError::from(&error);
    let ending = if attempt == START {
        LastWords::NotStarted(reason)
    } else {
        reason.words = format!("cannot {attempt}: {error}");
        LastWords::Unprepared(reason)
    };
    // The referee sees the end of the process in any case.
    let _ = tell(status, &ending);
    error
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bot::sandbox::init::tell_of_start;
    use rustix::event::{PollFd, PollFlags, Timespec, poll};
    use std::fs::File;
    use std::process::{Command, Stdio};

    #[test]
    fn words_are_understood() {
        let failed = |attempt| {
            let mut told = b"started\n".to_vec();
            report(&mut told, attempt, io::Error::from_raw_os_error(2));
            parse(std::str::from_utf8(&told).unwrap())
        };
        let error = |words: &str| StartError {
            errno: Some(2),
            words: words.to_owned(),
        };
        let words = "No such file or directory (os error 2)";
        assert_eq!(failed(START), Some(LastWords::NotStarted(error(words))));
        let words = format!("cannot set limits: {words}");
        assert_eq!(
            failed("set limits"),
            Some(LastWords::Unprepared(error(&words)))
        );
        for words in ["started\n", "", "{\"exited\":x}\n", "{\"exited\":", "3\n"] {
            assert_eq!(parse(words), None, "{words:?}");
        }
    }

    #[test]
    fn the_end_of_the_first_process_is_seen_without_a_report() {
        let (ours, theirs) = StatusChannel::pair().unwrap();
        assert!(ours.end_of_first().is_none());
        let mut bot = Command::new("cat").stdin(Stdio::piped()).spawn().unwrap();
        tell_of_start(&File::from(theirs), &bot).unwrap();
        // It can be asked for again, and stays what it is when all words have been read.
        let ends = [ours.end_of_first().unwrap(), ours.end_of_first().unwrap()];
        assert!(ours.has_started());
        assert_eq!(ours.last_words(), None);
        let has_ended = |end: &OwnedFd, wait_s| {
            let wait = Timespec {
                tv_sec: wait_s,
                tv_nsec: 0,
            };
            poll(&mut [PollFd::new(end, PollFlags::IN)], Some(&wait)).unwrap() == 1
        };
        assert!(ends.iter().all(|end| !has_ended(end, 0)));
        drop(bot.stdin.take());
        // Nobody has waited for it.
        assert!(ends.iter().all(|end| has_ended(end, 20)));
        bot.wait().unwrap();
    }

    #[test]
    fn what_was_said_is_heard_after_the_other_end_is_gone() {
        let (ours, theirs) = StatusChannel::pair().unwrap();
        assert_eq!(ours.last_words(), None);
        assert!(!ours.has_started());
        let mut theirs = UnixStream::from(theirs);
        theirs.write_all(b"started\n").unwrap();
        assert!(ours.has_started() && ours.has_started());
        tell(&mut theirs, &LastWords::Exited(7)).unwrap();
        drop(theirs);
        ours.cut();
        assert_eq!(ours.last_words(), Some(LastWords::Exited(7)));
    }
}
