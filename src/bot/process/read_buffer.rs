//! Where the bytes of a bot are read into.

/// Bytes of one read.
const READ_BYTES: usize = 8 << 10;
/// What the last read of a bot's output brought.
#[derive(Debug)]
pub struct ReadBuffer {
    pub bytes: Box<[u8; READ_BYTES]>,
    /// Whether anything was read in this wait.
    pub has_read: bool,
}

impl ReadBuffer {
    pub fn new() -> Self {
        Self {
            bytes: Box::new([0; READ_BYTES]),
            has_read: false,
        }
    }

    /// A new wait begins.
    pub const fn begin(&mut self) {
        self.has_read = false;
    }
}
