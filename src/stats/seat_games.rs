//! What an entrant did on one side against one other.

/// The games of an entrant on one side against one other of its group.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SeatGames {
    /// The other one.
    pub opponent: usize,
    /// Logits that the first-move advantage gives the entrant.
    pub side: f64,
    /// Points that the entrant took.
    pub points: f64,
    /// Points that the other one took.
    pub lost: f64,
}
