//! Turns bytes into lines. If lines are taken at once, it holds at most one line and one read;
//! otherwise at most the output of a game.

/// Collects a bot's output and splits it into lines.
#[derive(Debug)]
pub struct LineBuffer {
    bytes: Vec<u8>,
    /// Bytes at the beginning that contain no newline.
    searched: usize,
    line_limit: usize,
    output_limit: usize,
    /// Bytes of output in this game.
    output: usize,
}

/// The limit that was exceeded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Overflow {
    Line(usize),
    Output(usize),
}

impl Overflow {
    /// The detail of the fault.
    pub fn describe(self) -> String {
        match self {
            Self::Line(limit) => format!("a line of more than {limit} bytes"),
            Self::Output(limit) => format!("more than {limit} bytes of output in one game"),
        }
    }
}

impl LineBuffer {
    pub fn new(line_limit: usize, output_limit: usize) -> Self {
        Self {
            bytes: Vec::new(),
            searched: 0,
            line_limit,
            output_limit,
            output: 0,
        }
    }

    /// Counts output towards a new game from here on.
    pub fn begin_game(&mut self) {
        self.output = 0;
    }

    /// Appends the bytes of a read.
    pub fn feed(&mut self, read: &[u8]) -> Result<(), Overflow> {
        self.output = self.output.saturating_add(read.len());
        if self.output > self.output_limit {
            return Err(Overflow::Output(self.output_limit));
        }
        self.bytes.extend_from_slice(read);
        let first_line = self.newline().unwrap_or(self.bytes.len());
        if first_line > self.line_limit {
            return Err(Overflow::Line(self.line_limit));
        }
        Ok(())
    }

    /// Moves the first complete line, without its newline, into `line`, whose contents it replaces.
    /// False if there is no complete line.
    pub fn take_line(&mut self, line: &mut Vec<u8>) -> bool {
        let Some(end) = self.newline() else {
            return false;
        };
        line.clear();
        line.extend_from_slice(&self.bytes[..end]);
        self.bytes.drain(..=end);
        self.searched = 0;
        true
    }

    /// The bytes after the last line that was taken.
    pub fn unread(&self) -> &[u8] {
        &self.bytes
    }

    fn newline(&mut self) -> Option<usize> {
        let unseen = &self.bytes[self.searched..];
        let found = unseen.iter().position(|&byte| byte == b'\n');
        self.searched += found.unwrap_or(unseen.len());
        found.map(|_| self.searched)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn take_line(buffer: &mut LineBuffer) -> Option<Vec<u8>> {
        let mut line = b"the line before".to_vec();
        buffer.take_line(&mut line).then_some(line)
    }

    #[test]
    fn lines_come_out_however_they_are_cut() {
        let mut buffer = LineBuffer::new(10, 100);
        for byte in b"one\n\nthree" {
            buffer.feed(&[*byte]).unwrap();
        }
        assert_eq!(take_line(&mut buffer).as_deref(), Some(&b"one"[..]));
        assert_eq!(take_line(&mut buffer).as_deref(), Some(&b""[..]));
        assert_eq!(take_line(&mut buffer), None);
        assert_eq!(buffer.unread(), b"three");
    }

    #[test]
    fn a_line_may_be_as_long_as_its_limit() {
        let mut buffer = LineBuffer::new(4, 100);
        buffer.feed(b"1234\n").unwrap();
        assert_eq!(take_line(&mut buffer).as_deref(), Some(&b"1234"[..]));
        assert_eq!(buffer.feed(b"12345"), Err(Overflow::Line(4)));
        let mut buffer = LineBuffer::new(4, 100);
        assert_eq!(buffer.feed(b"12345\n"), Err(Overflow::Line(4)));
    }

    #[test]
    fn a_line_that_comes_in_bytes_is_looked_through_once() {
        let length = 1 << 17;
        let mut buffer = LineBuffer::new(length, length + 1);
        let started = std::time::Instant::now();
        for _ in 0..length {
            buffer.feed(b"x").unwrap();
            assert_eq!(take_line(&mut buffer), None);
        }
        buffer.feed(b"\n").unwrap();
        assert_eq!(take_line(&mut buffer).map(|line| line.len()), Some(length));
        assert!(started.elapsed().as_secs() < 2, "{:?}", started.elapsed());
    }

    #[test]
    fn a_games_output_is_limited() {
        let mut buffer = LineBuffer::new(4, 6);
        buffer.feed(b"12\n34\n").unwrap();
        assert_eq!(buffer.feed(b"5"), Err(Overflow::Output(6)));
        buffer.begin_game();
        assert_eq!(buffer.feed(b"5\n"), Ok(()));
    }
}
