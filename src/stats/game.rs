//! A game as the statistics count it.

/// An entrant as a number, counted from 0 in the order of the configuration or table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RatedEntrant(pub u32);

impl RatedEntrant {
    /// The index as a position in a list of entrants.
    pub fn position(self) -> usize {
        self.0 as usize
    }

    /// The entrant at a position of a list.
    pub(super) fn at(position: usize) -> Self {
        Self(u32::try_from(position).expect("a tally numbers its entrants with 32 bits"))
    }
}

/// How a game ended, from the board's point of view.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Outcome {
    /// South, who moves first, won.
    SouthWins,
    /// Neither won: half a point each.
    Draw,
    /// North won.
    NorthWins,
}

/// One finished game that counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RatedGame {
    /// The entrant that moved first.
    pub south: RatedEntrant,
    /// The entrant that moved second.
    pub north: RatedEntrant,
    /// The result.
    pub outcome: Outcome,
    /// A fingerprint of the position that it began from. All games from one opening are one
    /// observation, whichever entrants played them. `None` if it is not known: then a pair is one.
    pub opening: Option<u64>,
    /// The pair it belongs to (same opening, sides swapped), unique over the tournament. A game
    /// without one stands alone.
    pub pair: Option<u64>,
    /// A fingerprint of what was played: opening and moves. The same content in the same sides is
    /// the same game once more, which tells nothing new. `None` if it is not known.
    pub content: Option<u64>,
}
