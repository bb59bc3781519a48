//! The values of a database, ready to be asked. Where the bytes come from is not known here.

use super::code::{gaining_pit, value_of};
use super::index::{MOST_SEEDS, Rows, place, positions_below, positions_of};
use super::solve::{Work, solve_layer};
use super::solved_rules::SolvedRules;
use crate::rules::{Ending, Game, Pit, PitSet, Position, RuleSet};
use std::sync::Arc;

/// The bytes of a database: in memory, or mapped from a file.
pub type Bytes = Arc<dyn AsRef<[u8]> + Send + Sync>;

/// The values of all positions of up to so many seeds. Clones share them.
#[derive(Clone)]
pub struct EndgameValues {
    rules: SolvedRules,
    seeds: u8,
    bytes: Bytes,
    /// Where the code of the empty board is in `bytes`.
    first: usize,
}

impl std::fmt::Debug for EndgameValues {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "EndgameValues({}, {} seeds)",
            self.rules.name(),
            self.seeds
        )
    }
}

impl EndgameValues {
    /// Values from bytes, in which the codes of the layers begin at `first`; `None` if the bytes do
    /// not reach so far. Nothing else is checked.
    pub fn new(rules: SolvedRules, seeds: u8, bytes: Bytes, first: usize) -> Option<Self> {
        let count = usize::try_from(positions_below(seeds) + positions_of(seeds)).ok()?;
        let end = first.checked_add(count)?;
        ((*bytes).as_ref().len() >= end).then_some(Self {
            rules,
            seeds,
            bytes,
            first,
        })
    }

    /// Solves all positions of up to so many seeds in memory, with one thread: 0.1 s for 10 seeds.
    ///
    /// # Panics
    /// More than [`MOST_SEEDS`].
    pub fn solve(rules: SolvedRules, seeds: u8) -> Self {
        assert!(
            seeds <= MOST_SEEDS,
            "positions of up to 35 seeds have values"
        );
        let rows = Rows::up_to(seeds);
        let work = Work {
            threads: 1,
            progress: &|_| {},
            stop: &|| false,
        };
        let mut layers = Vec::new();
        for _ in 0..=seeds {
            layers.extend(solve_layer(rules.rules(), &rows, &layers, work));
        }
        Self {
            rules,
            seeds,
            bytes: Arc::new(layers.concat()),
            first: 0,
        }
    }

    /// The rules, as far as they decide values.
    pub const fn rules(&self) -> SolvedRules {
        self.rules
    }

    /// The most seeds on the board of a position with a value.
    pub const fn seeds(&self) -> u8 {
        self.seeds
    }

    /// The same values up to fewer seeds.
    #[must_use]
    pub fn limited_to(&self, seeds: u8) -> Self {
        Self {
            seeds: self.seeds.min(seeds),
            ..self.clone()
        }
    }

    /// Whether these are values of games under these rules.
    pub fn serves(&self, rules: &RuleSet) -> bool {
        SolvedRules::of(rules) == Ok(self.rules)
    }

    #[inline]
    pub(super) fn code(&self, position: Position) -> Option<u8> {
        let seeds = position.seeds_on_board();
        if seeds > self.seeds {
            return None;
        }
        let (_, place) = place(position);
        let below = usize::try_from(positions_below(seeds)).ok()?;
        (*self.bytes)
            .as_ref()
            .get(self.first + below + place)
            .copied()
    }

    /// The seeds that the side to move gains more than its opponent from here on if both play
    /// perfectly; `None` with too many seeds on the board. The stores do not matter.
    ///
    /// It holds for a game in which no position since the last capture can come back: see the head
    /// of `endgame`.
    pub fn value(&self, position: Position) -> Option<i8> {
        self.code(position).map(value_of)
    }

    /// The same for a legal move, for the side that plays it.
    pub fn value_of_move(&self, position: Position, pit: Pit) -> Option<i8> {
        let played = self.rules.rules().play_unchecked(position, pit);
        Some(played.captured.cast_signed() - self.value(played.position)?)
    }

    /// The legal moves that keep the value: none where the game is over. `None` with too many seeds
    /// on the board.
    pub fn best_moves(&self, position: Position) -> Option<PitSet> {
        let value = self.value(position)?;
        let legal = self.rules.rules().legal_moves(position);
        Some(legal.filter(|pit| self.value_of_move(position, pit) == Some(value)))
    }

    /// One of the best moves, always the same. A side that has an advantage and plays these moves
    /// from a fresh history on gets its value before any position can come back.
    ///
    /// `None` where the game is over, and with too many seeds on the board.
    pub fn perfect_move(&self, position: Position) -> Option<Pit> {
        let best = self.best_moves(position)?;
        let kept = gaining_pit(self.code(position)?);
        best.iter()
            .find(|pit| kept == Some(pit.row_index()))
            .or_else(|| best.iter().next())
    }

    /// The end of a game if both sides go on perfectly from here, under all its rules.
    ///
    /// `None` if the game is over, has too many seeds on the board, is played under other rules, or
    /// has seen a position since its last capture that could come back.
    pub fn play_out(&self, game: &Game) -> Option<Ending> {
        let is_fresh = game.history().len() == 1 && game.ending().is_none();
        if !is_fresh || !self.serves(game.rules()) {
            return None;
        }
        let mut game = Game::new(*game.rules(), game.position());
        while game.ending().is_none() {
            let pit = self.perfect_move(game.position())?;
            game.play(pit).ok()?;
        }
        game.ending()
    }
}
