//! The first and the last bytes of a bot's standard error in a game.

use std::collections::VecDeque;

/// Keeps the head and the tail of a stream of any length.
#[derive(Debug)]
pub struct CappedLog {
    head: Vec<u8>,
    tail: VecDeque<u8>,
    head_limit: usize,
    tail_limit: usize,
    left_out: u64,
}

impl CappedLog {
    /// An empty log that keeps this many bytes of the head and of the tail.
    pub fn new(head_limit: usize, tail_limit: usize) -> Self {
        Self {
            head: Vec::new(),
            tail: VecDeque::new(),
            head_limit,
            tail_limit,
            left_out: 0,
        }
    }

    /// Takes the next bytes of the stream.
    pub fn push(&mut self, bytes: &[u8]) {
        let (head, rest) = bytes.split_at(bytes.len().min(self.head_limit - self.head.len()));
        self.head.extend_from_slice(head);
        self.tail.extend(rest);
        let surplus = self.tail.len().saturating_sub(self.tail_limit);
        self.tail.drain(..surplus);
        self.left_out += surplus as u64;
    }

    /// The kept bytes, with a line that says how many are missing.
    pub fn kept(&self) -> Vec<u8> {
        let mut kept = self.head.clone();
        if self.left_out > 0 {
            kept.extend(format!("\n[{} bytes left out here]\n", self.left_out).bytes());
        }
        kept.extend(&self.tail);
        kept
    }

    /// The same; empties the log.
    pub fn take(&mut self) -> Vec<u8> {
        let kept = self.kept();
        self.head.clear();
        self.tail.clear();
        self.left_out = 0;
        kept
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_short_stream_is_kept_whole() {
        let mut log = CappedLog::new(4, 4);
        log.push(b"123");
        log.push(b"45678");
        assert_eq!(log.take(), b"12345678");
        assert_eq!(log.take(), b"");
    }

    #[test]
    fn a_long_stream_keeps_its_ends() {
        let mut log = CappedLog::new(4, 4);
        for _ in 0..1000 {
            log.push(b"abcdefghij");
        }
        assert_eq!(log.take(), b"abcd\n[9992 bytes left out here]\nghij");
    }
}
