//! How many players a slot keeps, and how much memory their processes may hold.

/// The limits of what a slot keeps.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct KeepLimits {
    /// The number of players that a slot has at most, the two that play included. With two or less
    /// a player leaves as soon as the next pair is not its own.
    pub players: usize,
    /// Bytes of memory beyond which the least recently used players leave.
    pub memory_bytes: u64,
}

impl KeepLimits {
    /// Whether any player may wait while two others play.
    pub const fn keeps_any(&self) -> bool {
        self.players > 2
    }
}
