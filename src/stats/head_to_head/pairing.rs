//! What one entrant did against one other, as counts: whole pairs, and games that stand alone.

use crate::stats::clusters::SeatedResult;
use crate::stats::game::{Outcome, RatedEntrant};
use crate::stats::sprt::{GameCounts, PairCounts, SprtResult};
use crate::stats::tally::Tally;
use std::fmt;

/// All games of one entrant (the first) against one other.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Pairing {
    pairs: PairCounts,
    /// Level pairs in which both games were drawn; in the others each won one.
    drawn_pairs: u64,
    lone: GameCounts,
    /// Pairs and lone games that repeat others.
    repeated: u64,
    /// Sums over openings, where some came more than once.
    openings: Option<OpeningSums>,
}

/// Sums over openings, from which the spread between them follows: of games and of half points of
/// the first entrant.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct OpeningSums {
    /// Squares of half points.
    pub points_squared: u128,
    /// Half points times games.
    pub points_games: u128,
    /// Squares of games.
    pub games_squared: u128,
}

impl OpeningSums {
    fn add(&mut self, points: u64, games: u64, times: u64) {
        let [points, games, times] = [points, games, times].map(u128::from);
        self.points_squared += points * points * times;
        self.points_games += points * games * times;
        self.games_squared += games * games * times;
    }

    /// The same as the other entrant sees it.
    fn reversed(self) -> Self {
        // Half points p become 2g − p.
        Self {
            points_squared: 4 * self.games_squared + self.points_squared - 4 * self.points_games,
            points_games: 2 * self.games_squared - self.points_games,
            ..self
        }
    }
}

/// Counts that contradict each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PairingError {
    /// More pairs with two draws than level pairs.
    DrawnPairs {
        /// Pairs with two draws.
        drawn: u64,
        /// Level pairs.
        level: u64,
    },
}

impl fmt::Display for PairingError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::DrawnPairs { drawn, level } => {
                write!(f, "{drawn} pairs of two draws among {level} level pairs")
            }
        }
    }
}

impl std::error::Error for PairingError {}

impl Pairing {
    /// Pairs, how many of the level ones were two draws, and games that stand alone.
    ///
    /// # Errors
    /// If there are more pairs of two draws than level ones.
    pub fn new(
        pairs: PairCounts,
        drawn_pairs: u64,
        lone: GameCounts,
    ) -> Result<Self, PairingError> {
        let level = pairs.0[2];
        if drawn_pairs > level {
            let drawn = drawn_pairs;
            return Err(PairingError::DrawnPairs { drawn, level });
        }
        Ok(Self {
            pairs,
            drawn_pairs,
            lone,
            repeated: 0,
            openings: None,
        })
    }

    /// Pairs with known points and unknown results. A level pair counts as a win for each, which
    /// leaves more doubt than two draws.
    pub fn of_pairs(pairs: PairCounts) -> Self {
        Self {
            pairs,
            ..Self::default()
        }
    }

    /// Games that all stand alone.
    pub fn of_games(lone: GameCounts) -> Self {
        Self {
            lone,
            ..Self::default()
        }
    }

    /// The games of two entrants in a tally: two games of one pair in which they changed sides are
    /// a pair; whatever else shares a pair's number stands alone.
    pub fn of_tally(tally: &Tally, first: RatedEntrant, second: RatedEntrant) -> Self {
        let mut pairing = Self::default();
        for kind in tally.pair_kinds() {
            let results: Vec<(bool, SprtResult)> = kind
                .results
                .iter()
                .filter_map(|(result, games)| Some((seen_from(result, first, second)?, *games)))
                .flat_map(|(seen, games)| (0..games).map(move |_| seen))
                .collect();
            for _ in 0..kind.copies * kind.distinct {
                match results.as_slice() {
                    [(true, one), (false, other)] | [(false, other), (true, one)] => {
                        pairing.add_pair(*one, *other);
                    }
                    lone => lone
                        .iter()
                        .for_each(|(_, result)| pairing.add_lone(*result)),
                }
            }
        }
        pairing.by_openings(tally, first, second)
    }

    /// Adds the sums over the openings of a tally, if there are fewer openings than observations.
    fn by_openings(self, tally: &Tally, first: RatedEntrant, second: RatedEntrant) -> Self {
        let (mut sums, mut openings) = (OpeningSums::default(), 0);
        for kind in tally.cluster_kinds() {
            let (mut points, mut games) = (0, 0);
            for (result, count) in &kind.results {
                if let Some((_, seen)) = seen_from(result, first, second) {
                    games += count;
                    points += count
                        * match seen {
                            SprtResult::Loss => 0,
                            SprtResult::Draw => 1,
                            SprtResult::Win => 2,
                        };
                }
            }
            if games > 0 {
                sums.add(points * kind.copies, games * kind.copies, kind.distinct);
                openings += kind.distinct;
            }
        }
        let repeated = self.observations().saturating_sub(openings);
        Self {
            repeated,
            openings: (repeated > 0).then_some(sums),
            ..self
        }
    }

    /// Counts one more pair.
    pub fn add_pair(&mut self, first: SprtResult, second: SprtResult) {
        self.pairs.add(first, second);
        if [first, second] == [SprtResult::Draw; 2] {
            self.drawn_pairs += 1;
        }
    }

    /// Counts one more game that stands alone.
    pub fn add_lone(&mut self, result: SprtResult) {
        self.lone.add(result);
    }

    /// The same games as the other entrant sees them.
    #[must_use]
    pub fn reversed(self) -> Self {
        Self {
            pairs: self.pairs.reversed(),
            lone: self.lone.reversed(),
            openings: self.openings.map(OpeningSums::reversed),
            ..self
        }
    }

    /// Pairs by their points.
    pub fn pairs(&self) -> PairCounts {
        self.pairs
    }

    /// Games that stand alone.
    pub fn lone(&self) -> GameCounts {
        self.lone
    }

    /// All games, by their results.
    pub fn games(&self) -> GameCounts {
        let [lost, lost_half, level, won_half, won] = self.pairs.0;
        let split = level - self.drawn_pairs;
        let sum = |counts: &[u64]| {
            let add = |sum: u64, &count: &u64| sum.saturating_add(count);
            counts.iter().fold(0, add)
        };
        let [losses, draws, wins] = self.lone.0;
        let drawn = self.drawn_pairs;
        GameCounts([
            sum(&[lost, lost, lost_half, split, losses]),
            sum(&[lost_half, won_half, drawn, drawn, draws]),
            sum(&[won, won, won_half, split, wins]),
        ])
    }

    /// Pairs and lone games.
    pub(super) fn observations(&self) -> u64 {
        self.pairs.total().saturating_add(self.lone.total())
    }

    /// Sums over openings, if they differ from those of pairs and lone games.
    pub(super) fn openings(&self) -> Option<OpeningSums> {
        self.openings
    }

    /// Openings for each pair or lone game.
    pub(super) fn weight(&self) -> f64 {
        let total = self.observations() as f64;
        (total - self.repeated as f64) / total
    }
}

/// Whether the first entrant was South, and how the game ended for it; `None` if others played.
fn seen_from(
    result: &SeatedResult,
    first: RatedEntrant,
    second: RatedEntrant,
) -> Option<(bool, SprtResult)> {
    let south = match (result.south, result.north) {
        sides if sides == (first, second) => true,
        sides if sides == (second, first) => false,
        _ => return None,
    };
    let seen = match (result.outcome, south) {
        (Outcome::Draw, _) => SprtResult::Draw,
        (Outcome::SouthWins, true) | (Outcome::NorthWins, false) => SprtResult::Win,
        (Outcome::SouthWins, false) | (Outcome::NorthWins, true) => SprtResult::Loss,
    };
    Some((south, seen))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::game::RatedGame;

    const FIRST: RatedEntrant = RatedEntrant(0);
    const SECOND: RatedEntrant = RatedEntrant(1);

    /// Whether the first entrant is South, the outcome on the board, pair, content.
    type Row = (bool, Outcome, Option<u64>, Option<u64>);

    fn tally(rows: &[Row]) -> Tally {
        let game = |&(south, outcome, pair, content): &Row| RatedGame {
            south: if south { FIRST } else { SECOND },
            north: if south { SECOND } else { FIRST },
            outcome,
            opening: None,
            pair,
            content,
        };
        Tally::from_games(2, rows.iter().map(game)).unwrap()
    }

    #[test]
    fn pairs_are_two_games_with_changed_seats() {
        use Outcome::{Draw, NorthWins, SouthWins};
        let rows = [
            // Two wins of the first, one from each side.
            (true, SouthWins, Some(1), None),
            (false, NorthWins, Some(1), None),
            // A draw and a loss.
            (false, SouthWins, Some(2), None),
            (true, Draw, Some(2), None),
            // Two draws.
            (true, Draw, Some(3), None),
            (false, Draw, Some(3), None),
            // No pairs: the same sides twice, three games, one alone.
            (true, SouthWins, Some(4), None),
            (true, NorthWins, Some(4), None),
            (true, Draw, Some(5), None),
            (false, Draw, Some(5), None),
            (true, Draw, Some(5), None),
            (false, NorthWins, None, None),
        ];
        let pairing = Pairing::of_tally(&tally(&rows), FIRST, SECOND);
        assert_eq!(pairing.pairs(), PairCounts([0, 1, 1, 0, 1]));
        assert_eq!(pairing.games(), GameCounts([2, 6, 4]));
        assert_eq!(pairing.observations(), 3 + 6);
        let seen_by_second = Pairing::of_tally(&tally(&rows), SECOND, FIRST);
        assert_eq!(seen_by_second, pairing.reversed());
    }

    #[test]
    fn repeated_pairs_are_worth_one() {
        let mut rows = Vec::new();
        for pair in 0..5 {
            rows.push((true, Outcome::SouthWins, Some(pair), Some(7)));
            rows.push((false, Outcome::SouthWins, Some(pair), Some(8)));
        }
        rows.push((true, Outcome::SouthWins, Some(9), Some(70)));
        rows.push((false, Outcome::SouthWins, Some(9), Some(80)));
        let pairing = Pairing::of_tally(&tally(&rows), FIRST, SECOND);
        assert_eq!(pairing.pairs().total(), 6);
        assert!((pairing.weight() - 2.0 / 6.0).abs() < 1e-15);
    }

    #[test]
    fn other_entrants_are_passed_over() {
        let game = RatedGame {
            south: RatedEntrant(2),
            north: FIRST,
            outcome: Outcome::Draw,
            opening: None,
            pair: None,
            content: None,
        };
        let pairing = Pairing::of_tally(&Tally::from_games(3, [game]).unwrap(), FIRST, SECOND);
        assert_eq!(pairing, Pairing::default());
    }
}
