//! Results of one entrant against one other as counts: pairs by the points they brought, or lone
//! games. What the sequential test and the two-entrant summary both take in.

/// How a game ended for the new bot (or the first entrant).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SprtResult {
    /// No point.
    Loss,
    /// Half a point.
    Draw,
    /// One point.
    Win,
}

impl SprtResult {
    /// Points in halves: 0, 1, 2.
    fn half_points(self) -> usize {
        match self {
            Self::Loss => 0,
            Self::Draw => 1,
            Self::Win => 2,
        }
    }
}

/// Pairs by their points from the new bot's (or the first entrant's) view, as counts: two losses
/// (LL), a loss and a draw (LD), level (DD or WL), a win and a draw (WD), two wins (WW). A pair's
/// score is the mean of its two games: 0, ¼, ½, ¾, 1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PairCounts(pub [u64; 5]);

/// Games by their result from the new bot's (or the first entrant's) view, as counts: losses,
/// draws, wins.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct GameCounts(pub [u64; 3]);

impl PairCounts {
    /// Scores of the five cells, above ½.
    pub(in crate::stats) const ABOVE_HALF: [f64; 5] = [-0.5, -0.25, 0.0, 0.25, 0.5];

    /// Counts one more pair.
    pub fn add(&mut self, first: SprtResult, second: SprtResult) {
        self.0[first.half_points() + second.half_points()] += 1;
    }

    /// Number of pairs.
    pub fn total(&self) -> u64 {
        total(&self.0)
    }

    /// The same pairs as the opponent sees them.
    #[must_use]
    pub fn reversed(mut self) -> Self {
        self.0.reverse();
        self
    }
}

impl GameCounts {
    /// Scores of the three cells, above ½.
    pub(in crate::stats) const ABOVE_HALF: [f64; 3] = [-0.5, 0.0, 0.5];

    /// Counts one more game.
    pub fn add(&mut self, result: SprtResult) {
        self.0[result.half_points()] += 1;
    }

    /// Number of games.
    pub fn total(&self) -> u64 {
        total(&self.0)
    }

    /// The same games as the opponent sees them.
    #[must_use]
    pub fn reversed(mut self) -> Self {
        self.0.reverse();
        self
    }
}

/// Counts come from outside: those that no tournament can reach must not overflow either.
fn total(counts: &[u64]) -> u64 {
    counts
        .iter()
        .fold(0, |sum: u64, &count| sum.saturating_add(count))
}

/// The observations of a test: pairs where openings are paired, games where they are not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SprtCounts {
    /// Pentanomial.
    Pairs(PairCounts),
    /// Trinomial.
    Games(GameCounts),
}

impl SprtCounts {
    /// Number of observations: pairs or games.
    pub fn total(&self) -> u64 {
        match self {
            Self::Pairs(pairs) => pairs.total(),
            Self::Games(games) => games.total(),
        }
    }

    /// Whether all observations but one at most are of one kind.
    pub(super) fn is_flat(&self) -> bool {
        let commonest = match self {
            Self::Pairs(PairCounts(counts)) => counts.iter().max(),
            Self::Games(GameCounts(counts)) => counts.iter().max(),
        };
        self.total() <= commonest.map_or(0, |count| count.saturating_add(1))
    }

    /// The possible counts before the last observation: one for each result that occurred.
    pub(super) fn each_less_one(&self) -> Vec<Self> {
        fn less_one<const N: usize>(counts: [u64; N]) -> impl Iterator<Item = [u64; N]> {
            let occurred = (0..N).filter(move |&cell| counts[cell] > 0);
            occurred.map(move |cell| {
                let mut before = counts;
                before[cell] -= 1;
                before
            })
        }
        match *self {
            Self::Pairs(PairCounts(counts)) => less_one(counts)
                .map(|before| Self::Pairs(PairCounts(before)))
                .collect(),
            Self::Games(GameCounts(counts)) => less_one(counts)
                .map(|before| Self::Games(GameCounts(before)))
                .collect(),
        }
    }

    /// The same observations as the opponent sees them.
    #[must_use]
    pub fn reversed(self) -> Self {
        match self {
            Self::Pairs(pairs) => Self::Pairs(pairs.reversed()),
            Self::Games(games) => Self::Games(games.reversed()),
        }
    }
}
