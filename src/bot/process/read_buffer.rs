//! The buffer for a bot's output.

/// Bytes of one read.
const READ_BYTES: usize = 8 << 10;
/// The bytes of the last read.
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

    /// Begins a wait.
    pub const fn begin(&mut self) {
        self.has_read = false;
    }
}
