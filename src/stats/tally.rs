//! The input of all statistics: counts of games by entrants, sides and results.
//!
//! Games are folded into one [`Cell`] per ordered pair (South, North) that met, so that a fit costs
//! the number of cells and not the number of games, and into kinds of clusters (see
//! [`super::clusters`]), so that its errors cost the number of kinds. Both are kept sorted: two
//! tallies of the same set of games are equal, whatever the order in which the games arrived.

use crate::stats::game::{Outcome, RatedEntrant, RatedGame};
use std::collections::BTreeMap;
use std::fmt;

use super::clusters::{ClusterKind, Clusters, Key, pairing};

/// All games of one entrant as South against one other as North.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cell {
    /// The entrant that moved first.
    pub south: RatedEntrant,
    /// The entrant that moved second.
    pub north: RatedEntrant,
    /// Games that South won.
    pub south_wins: u64,
    /// Drawn games.
    pub draws: u64,
    /// Games that North won.
    pub north_wins: u64,
    /// How much each game counts: 1 unless the games of one opening share a weight.
    pub weight: f64,
}

impl Cell {
    /// Number of games.
    pub fn games(&self) -> u64 {
        self.south_wins + self.draws + self.north_wins
    }

    /// South's points: a win is one, a draw half of one, times the weight.
    pub fn south_points(&self) -> f64 {
        (self.south_wins as f64 + 0.5 * self.draws as f64) * self.weight
    }

    /// North's points, times the weight.
    pub fn north_points(&self) -> f64 {
        (self.north_wins as f64 + 0.5 * self.draws as f64) * self.weight
    }

    /// All points: the number of games times the weight.
    pub fn points(&self) -> f64 {
        self.games() as f64 * self.weight
    }
}

/// Wins, draws and losses of one entrant over both sides.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Results {
    /// Games won.
    pub wins: u64,
    /// Games drawn.
    pub draws: u64,
    /// Games lost.
    pub losses: u64,
}

impl Results {
    /// Number of games.
    pub fn games(&self) -> u64 {
        self.wins + self.draws + self.losses
    }

    /// Points: a win is one, a draw half of one.
    pub fn points(&self) -> f64 {
        self.wins as f64 + 0.5 * self.draws as f64
    }
}

/// The number of games, and how many of them were new.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sample {
    /// Number of games.
    pub games: u64,
    /// Repeated games: the same moves on the same sides as an earlier game.
    pub duplicate_games: u64,
    /// Number of pairs; a lone game counts as one.
    pub pairs: u64,
    /// Number of different pairs: pairs whose games are all copies of each other's count once.
    pub distinct_pairs: u64,
}

impl Sample {
    /// Games that are not repetitions.
    pub fn distinct_games(&self) -> u64 {
        self.games - self.duplicate_games
    }
}

/// A game that a tally refuses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TallyError {
    /// The tally does not have this entrant.
    UnknownEntrant {
        /// The entrant named.
        entrant: RatedEntrant,
        /// The number of entrants.
        entrants: u32,
    },
    /// One entrant on both sides: such a game says nothing about its strength.
    OneEntrant(RatedEntrant),
}

impl fmt::Display for TallyError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::UnknownEntrant { entrant, entrants } => {
                write!(
                    formatter,
                    "entrant {} of a game, but only {entrants} exist",
                    entrant.0
                )
            }
            Self::OneEntrant(entrant) => {
                write!(formatter, "entrant {} plays against itself", entrant.0)
            }
        }
    }
}

impl std::error::Error for TallyError {}

/// The counts of all games: by ordered pair of entrants, and by kind of cluster.
///
/// Two tallies are equal if no statistics can tell them apart.
#[derive(Clone, Debug)]
pub struct Tally {
    entrants: u32,
    /// (South, North) → games South won, drawn, North won. Sorted, so the order of games has no
    /// effect.
    cells: BTreeMap<(RatedEntrant, RatedEntrant), [u64; 3]>,
    /// The games by opening, where openings are known.
    clusters: Clusters,
    /// The games by pair.
    pairs: Clusters,
}

impl PartialEq for Tally {
    fn eq(&self, other: &Self) -> bool {
        self.entrants == other.entrants
            && self.cells == other.cells
            && self.pairs.duplicates() == other.pairs.duplicates()
            && self.pair_kinds() == other.pair_kinds()
            && self.cluster_kinds() == other.cluster_kinds()
    }
}

impl Eq for Tally {}

impl Tally {
    /// A tally without games of this many entrants.
    pub fn new(entrants: u32) -> Self {
        Self {
            entrants,
            cells: BTreeMap::new(),
            clusters: Clusters::default(),
            pairs: Clusters::default(),
        }
    }

    /// A tally of games.
    ///
    /// # Errors
    /// The first game that [`Tally::record`] refuses.
    pub fn from_games(
        entrants: u32,
        games: impl IntoIterator<Item = RatedGame>,
    ) -> Result<Self, TallyError> {
        let mut tally = Self::new(entrants);
        for game in games {
            tally.record(&game)?;
        }
        Ok(tally)
    }

    /// Counts one game.
    ///
    /// # Errors
    /// An unknown entrant, or one that plays against itself; the tally then stays unchanged.
    pub fn record(&mut self, game: &RatedGame) -> Result<(), TallyError> {
        for entrant in [game.south, game.north] {
            if entrant.0 >= self.entrants {
                return Err(TallyError::UnknownEntrant {
                    entrant,
                    entrants: self.entrants,
                });
            }
        }
        if game.south == game.north {
            return Err(TallyError::OneEntrant(game.south));
        }
        let counts = self.cells.entry((game.south, game.north)).or_default();
        let slot = match game.outcome {
            Outcome::SouthWins => 0,
            Outcome::Draw => 1,
            Outcome::NorthWins => 2,
        };
        counts[slot] += 1;
        let pair = game.pair.map(Key::Pair);
        self.pairs.record(game, pair, game.content);
        match game.opening {
            // A repeated game begins from the same opening as the first one.
            Some(opening) => self
                .clusters
                .record(game, Some(Key::Opening(opening)), None),
            None => self.clusters.record(game, pair, game.content),
        }
        Ok(())
    }

    /// Number of entrants, with or without games.
    pub fn entrants(&self) -> u32 {
        self.entrants
    }

    /// Number of games.
    pub fn games(&self) -> u64 {
        self.cells().map(|cell| cell.games()).sum()
    }

    /// The cells with at least one game, sorted by South, then North.
    pub fn cells(&self) -> impl Iterator<Item = Cell> + '_ {
        self.cells
            .iter()
            .map(|(&(south, north), &[south_wins, draws, north_wins])| Cell {
                south,
                north,
                south_wins,
                draws,
                north_wins,
                weight: 1.0,
            })
    }

    /// All clusters by kind, in a fixed order: by opening where openings are known, otherwise by
    /// pair.
    pub fn cluster_kinds(&self) -> Vec<ClusterKind> {
        self.clusters.kinds()
    }

    /// All pairs by kind, in a fixed order.
    pub(super) fn pair_kinds(&self) -> Vec<ClusterKind> {
        self.pairs.kinds()
    }

    /// The numbers of games and pairs in all.
    pub fn sample(&self) -> Sample {
        let kinds = self.pair_kinds();
        Sample {
            games: self.games(),
            duplicate_games: self.pairs.duplicates().values().sum(),
            pairs: kinds.iter().map(|kind| kind.copies * kind.distinct).sum(),
            distinct_pairs: kinds.iter().map(|kind| kind.distinct).sum(),
        }
    }

    /// The numbers for each two entrants, the lower one first. A cluster with games of several
    /// pairings counts in each of them.
    pub fn pairings(&self) -> BTreeMap<(RatedEntrant, RatedEntrant), Sample> {
        let mut pairings: BTreeMap<_, Sample> = BTreeMap::new();
        for cell in self.cells() {
            let sample = pairings.entry(pairing(cell.south, cell.north)).or_default();
            sample.games += cell.games();
        }
        for (key, &games) in self.pairs.duplicates() {
            pairings.entry(*key).or_default().duplicate_games = games;
        }
        for kind in self.pair_kinds() {
            for key in kind.pairings() {
                let sample = pairings.entry(key).or_default();
                sample.pairs += kind.copies * kind.distinct;
                sample.distinct_pairs += kind.distinct;
            }
        }
        pairings
    }

    /// Pairs with games of several pairings, which no pair is by itself.
    pub(super) fn mixed_pairs(&self) -> u64 {
        let kinds = self.pair_kinds();
        let mixed = kinds.iter().filter(|kind| kind.pairings().len() > 1);
        mixed.map(|kind| kind.copies * kind.distinct).sum()
    }

    /// Wins, draws and losses of every entrant.
    pub fn results(&self) -> Vec<Results> {
        let mut results = vec![Results::default(); self.entrants as usize];
        for cell in self.cells() {
            let south = &mut results[cell.south.position()];
            south.wins += cell.south_wins;
            south.draws += cell.draws;
            south.losses += cell.north_wins;
            let north = &mut results[cell.north.position()];
            north.wins += cell.north_wins;
            north.draws += cell.draws;
            north.losses += cell.south_wins;
        }
        results
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn game(south: u32, north: u32, outcome: Outcome) -> RatedGame {
        RatedGame {
            south: RatedEntrant(south),
            north: RatedEntrant(north),
            outcome,
            opening: None,
            pair: None,
            content: None,
        }
    }

    #[test]
    fn counts_by_side_and_by_entrant() {
        let games = [
            game(0, 1, Outcome::SouthWins),
            game(1, 0, Outcome::SouthWins),
            game(0, 1, Outcome::Draw),
            game(2, 1, Outcome::NorthWins),
        ];
        let tally = Tally::from_games(4, games).expect("legal games");
        let cells: Vec<_> = tally
            .cells()
            .map(|c| (c.south.0, c.north.0, c.south_wins, c.draws, c.north_wins))
            .collect();
        assert_eq!(cells, [(0, 1, 1, 1, 0), (1, 0, 1, 0, 0), (2, 1, 0, 0, 1)]);
        assert_eq!(tally.games(), 4);
        let results = tally.results();
        assert_eq!(
            results[0],
            Results {
                wins: 1,
                draws: 1,
                losses: 1
            }
        );
        assert_eq!(
            results[1],
            Results {
                wins: 2,
                draws: 1,
                losses: 1
            }
        );
        assert_eq!(
            results[2],
            Results {
                wins: 0,
                draws: 0,
                losses: 1
            }
        );
        assert_eq!(results[3], Results::default());
        assert!((results[1].points() - 2.5).abs() < f64::EPSILON);
    }

    #[test]
    fn order_of_arrival_is_forgotten() {
        let mut games = vec![
            game(0, 1, Outcome::SouthWins),
            game(2, 0, Outcome::NorthWins),
            game(1, 2, Outcome::Draw),
        ];
        let forwards = Tally::from_games(3, games.clone());
        games.reverse();
        assert_eq!(forwards, Tally::from_games(3, games));
    }

    #[test]
    fn impossible_games_are_refused_and_change_nothing() {
        let mut tally = Tally::new(2);
        assert_eq!(
            tally.record(&game(0, 2, Outcome::Draw)),
            Err(TallyError::UnknownEntrant {
                entrant: RatedEntrant(2),
                entrants: 2
            })
        );
        assert_eq!(
            tally.record(&game(1, 1, Outcome::Draw)),
            Err(TallyError::OneEntrant(RatedEntrant(1)))
        );
        assert_eq!(tally, Tally::new(2));
    }
}
