//! The messages and descriptors that the processes of the supervisor exchange.

use crate::bot::{receive_descriptor, send_descriptor};
use rustix::net::RecvFlags;
use rustix::stdio::dup2_stdin;
use serde::{Deserialize, Serialize};
use std::io::{self, Write as _};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::net::UnixStream;
use tokio::io::AsyncReadExt as _;

/// The parent's request to the first process to stop the referee.
pub const STOP: u8 = b's';
/// The same to let it go on.
pub const CONTINUE: u8 = b'c';

/// A message of the gate or the first process to the parent: a line each.
#[derive(Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Message {
    /// The process id of the first process on the host.
    Started(u32),
    /// No namespace is available, for this reason.
    Refused(String),
    /// The referee has ended with this code, and the first process ends now.
    Ended(u8),
}

impl Message {
    pub fn send(&self, mut socket: &UnixStream) -> io::Result<()> {
        let line = serde_json::to_string(self)? + "\n";
        socket.write_all(line.as_bytes())
    }

    /// The messages in a text, which may be truncated.
    pub fn parse_all(text: &str) -> Vec<Self> {
        let lines = text.lines();
        lines
            .filter_map(|line| serde_json::from_str(line).ok())
            .collect()
    }
}

/// The messages of the gate and the first process so far, and the socket for more.
#[derive(Debug)]
pub struct Messages {
    socket: tokio::net::UnixStream,
    said: Vec<u8>,
}

impl Messages {
    /// Wraps a socket from which nothing was read.
    pub fn from(socket: UnixStream) -> io::Result<Self> {
        socket.set_nonblocking(true)?;
        Ok(Self {
            socket: tokio::net::UnixStream::from_std(socket)?,
            said: Vec::new(),
        })
    }

    /// All messages so far.
    pub fn received(&self) -> Vec<Message> {
        Message::parse_all(&String::from_utf8_lossy(&self.said))
    }

    /// The process id of the first process, if the gate has sent it. The first process does not
    /// wait for the gate, so a referee that ends at once may be reported first.
    pub fn first_process(&self) -> Option<u32> {
        self.received().into_iter().find_map(|word| match word {
            Message::Started(first) => Some(first),
            _ => None,
        })
    }

    /// The exit code of the referee, if the first process has sent it.
    pub fn referee_ended(&self) -> Option<u8> {
        self.received().into_iter().find_map(|word| match word {
            Message::Ended(code) => Some(code),
            _ => None,
        })
    }

    /// Reads what is available: everything, if the sender has ended.
    pub fn receive(&mut self) {
        let socket = self.socket.as_fd();
        let mut bytes = [0; 1024];
        // Reads from the socket itself: the runtime may not have noticed the data yet.
        while let Ok(count @ 1..) = rustix::io::read(socket, &mut bytes) {
            self.said.extend_from_slice(&bytes[..count]);
        }
    }

    /// Reads until the other end is closed. The future may be dropped and called again.
    pub async fn receive_to_end(&mut self) {
        while let Ok(1..) = self.socket.read_buf(&mut self.said).await {}
    }

    /// Waits until the first process reports the exit code of the referee; forever, if it does not.
    /// The future may be dropped and called again.
    pub async fn referees_code(&mut self) -> u8 {
        loop {
            if let Some(code) = self.referee_ended() {
                return code;
            }
            if !matches!(self.socket.read_buf(&mut self.said).await, Ok(1..)) {
                std::future::pending::<()>().await;
            }
        }
    }
}

/// Sends a descriptor.
pub fn send(socket: &UnixStream, descriptor: BorrowedFd<'_>) -> io::Result<()> {
    send_descriptor(socket, b"+", descriptor)
}

/// Receives a descriptor.
pub fn receive(socket: &UnixStream) -> io::Result<OwnedFd> {
    receive_descriptor(socket, &mut [0], RecvFlags::empty())
}

/// The socket that this process has in place of standard input.
pub fn inherited() -> io::Result<UnixStream> {
    let input = io::stdin().as_fd().try_clone_to_owned()?;
    Ok(UnixStream::from(input))
}

/// Restores the user's standard input.
pub fn restore_input(input: &OwnedFd) -> io::Result<()> {
    Ok(dup2_stdin(input)?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Read as _;

    #[test]
    fn words_are_heard_as_they_were_said() {
        let said = [
            Message::Started(17),
            Message::Refused("cannot: no\n room".to_owned()),
            Message::Refused(String::new()),
            Message::Ended(130),
        ];
        let (ours, mut theirs) = UnixStream::pair().expect("a pair");
        for word in &said {
            word.send(&ours).expect("room in the socket");
        }
        drop(ours);
        let mut text = String::new();
        theirs.read_to_string(&mut text).expect("all of it");
        assert_eq!(Message::parse_all(&text), said);
        for cut in ["", "{", "{\"started\":1", "3\n", "{\"ended\":300}\n", "é\n"] {
            assert_eq!(Message::parse_all(cut), [], "{cut:?}");
        }
    }

    #[tokio::test]
    async fn a_referee_may_end_before_the_gate_has_spoken() {
        let (ours, theirs) = UnixStream::pair().expect("a pair");
        let mut messages = Messages::from(ours).expect("a runtime");
        messages.receive();
        assert_eq!(
            (messages.first_process(), messages.referee_ended()),
            (None, None)
        );
        for word in [Message::Ended(2), Message::Started(17)] {
            word.send(&theirs).expect("room in the socket");
        }
        messages.receive();
        assert_eq!(messages.first_process(), Some(17));
        assert_eq!(messages.referee_ended(), Some(2));
        assert_eq!(messages.referees_code().await, 2);
    }

    #[test]
    fn a_descriptor_is_handed_over() {
        let (ours, theirs) = UnixStream::pair().expect("a pair");
        let (mut near, far) = UnixStream::pair().expect("another");
        send(&ours, far.as_fd()).expect("room in the socket");
        drop(far);
        let far = receive(&theirs).expect("a descriptor");
        UnixStream::from(far).write_all(b"hello").expect("room");
        let mut text = String::new();
        near.read_to_string(&mut text).expect("all of it");
        assert_eq!(text, "hello");
        drop(ours);
        assert!(receive(&theirs).is_err(), "the other end is closed");
    }
}
