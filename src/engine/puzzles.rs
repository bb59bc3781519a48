//! Puzzles: positions in which exactly one move wins, with the whole way to the win.
//!
//! The values of all positions of few seeds say which moves win. The search says how many plies
//! the shortest forced win takes, and finds the answers that delay it longest. Positions come in
//! an order that depends on nothing but the numbers of seeds, so the same question always has the
//! same puzzles.

use super::endgame::{EndgameValues, Rows, positions_of};
use super::house::{Budget, Engine, House, MinimaxOptions};
use super::rng::Rng;
use super::score::Scoring;
use crate::rules::{Game, GameResult, Pit, Position, RuleSet, SEEDS, Side};
use serde::{Serialize, Serializer};
use std::collections::HashSet;
use std::fmt::Display;
use std::ops::RangeInclusive;

/// Wins that take more plies than this are left out.
pub const MOST_PLIES: u32 = 15;
/// Moves of the winner in such a win: puzzles are spread over 1 to this many.
const MOST_MOVES: usize = MOST_PLIES.div_ceil(2) as usize;
/// Positions with one winning move that are searched for each puzzle that is wanted. Long wins are
/// rare.
const SEARCHED_PER_PUZZLE: usize = 40;
/// The search needs few positions: a small table is emptied quickly.
const TABLE_MIB: usize = 1;

/// A turn of the player that wins; the first one of a puzzle has exactly one winning move.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PuzzleTurn {
    /// The position. In the first turn South is to move, and both stores are equal.
    #[serde(serialize_with = "as_text")]
    pub position: Position,
    /// Plies of the shortest forced win: until a store has more than half of all seeds, or the game
    /// ends won.
    pub plies: u32,
    /// All legal moves.
    pub moves: Vec<PuzzleMove>,
}

/// A legal move of the player that wins.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PuzzleMove {
    /// The pit.
    #[serde(serialize_with = "as_text")]
    pub pit: Pit,
    /// The position after it.
    #[serde(serialize_with = "as_text")]
    pub position: Position,
    /// The seeds that it gains more than the opponent under perfect play; `None` where an earlier
    /// position may come back.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<i8>,
    /// Whether it wins as soon as possible.
    pub wins: bool,
    /// The answer that delays the win longest; `None` if the move does not win, or the game is won.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub answer: Option<PuzzleAnswer>,
}

/// A move of the player that loses.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PuzzleAnswer {
    /// The pit.
    #[serde(serialize_with = "as_text")]
    pub pit: Pit,
    /// The position after it.
    #[serde(serialize_with = "as_text")]
    pub position: Position,
    /// The next turn of the winner; `None` if the game is won.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next: Option<PuzzleTurn>,
}

fn as_text<S: Serializer>(it: &impl Display, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(it)
}

/// Finds up to `count` puzzles with these numbers of seeds on the board, all different, the easiest
/// first: as many of each difficulty as there are, or nearly so.
///
/// # Panics
/// The values are those of other rules or of fewer seeds.
pub fn find_puzzles(
    values: &EndgameValues,
    rules: &RuleSet,
    seeds: RangeInclusive<u8>,
    count: usize,
) -> Vec<PuzzleTurn> {
    assert!(values.serves(rules), "values of these rules");
    assert!(*seeds.end() <= values.seeds(), "values of so many seeds");
    let mut solver = PuzzleSolver::new(*rules);
    let mut by_moves = vec![Vec::new(); MOST_MOVES];
    let wanted = count.div_ceil(MOST_MOVES);
    let (mut searched, mut boards) = (0, HashSet::new());
    for position in candidates(values, rules, seeds) {
        let is_enough = by_moves.iter().all(|found| found.len() >= wanted);
        if is_enough || searched >= SEARCHED_PER_PUZZLE * count {
            break;
        }
        let Some(pit) = only_winning_move(values, rules, position) else {
            continue;
        };
        searched += 1;
        let game = Game::new(*rules, position);
        let Some(plies) = solver.plies_to_win(&game, MOST_PLIES) else {
            continue;
        };
        // Two puzzles that are the same after their first move are the same puzzle.
        let after = rules.play_unchecked(position, pit).position;
        let found = &mut by_moves[plies.div_ceil(2) as usize - 1];
        if found.len() < count && boards.insert(after.pits()) {
            found.push((plies, position));
        }
    }
    let mut chosen = spread(by_moves, count);
    chosen.sort_by_key(|(plies, position)| (*plies, position.seeds_on_board(), position.pits()));
    let turn = |(plies, position)| solver.turn(values, &Game::new(*rules, position), plies);
    chosen.into_iter().map(turn).collect()
}

/// Takes from all lists in turn until there are enough.
fn spread<T>(lists: Vec<Vec<T>>, count: usize) -> Vec<T> {
    let mut lists: Vec<_> = lists.into_iter().map(Vec::into_iter).collect();
    let mut chosen = Vec::new();
    while chosen.len() < count {
        let before = chosen.len();
        chosen.extend(lists.iter_mut().filter_map(Iterator::next));
        if chosen.len() == before {
            break;
        }
    }
    chosen.truncate(count);
    chosen
}

/// All positions with these numbers of seeds, each number in turn, that have a winning move; both
/// stores have half of the other seeds.
fn candidates<'a>(
    values: &'a EndgameValues,
    rules: &'a RuleSet,
    seeds: RangeInclusive<u8>,
) -> impl Iterator<Item = Position> + 'a {
    let rows = Rows::up_to(*seeds.end());
    let mut orders: Vec<PlaceOrder> = seeds.map(PlaceOrder::new).collect();
    std::iter::from_fn(move || {
        let round = orders.iter_mut();
        let round = round.filter_map(|order| Some((order.seeds, order.next()?)));
        let round = round.map(|(seeds, place)| rows.from_place(seeds, place).position());
        let round: Vec<Position> = round.collect();
        (!round.is_empty()).then_some(round)
    })
    .flatten()
    .filter(|position| values.value(*position).is_some_and(|value| value > 0))
    .map(with_equal_stores)
    .filter(|position| rules.ends_at(*position).is_none())
}

/// All places of a layer, each once, in an order without a pattern that a person would see.
struct PlaceOrder {
    seeds: u8,
    places: usize,
    step: usize,
    place: usize,
    left: usize,
}

impl PlaceOrder {
    fn new(seeds: u8) -> Self {
        let places = usize::try_from(positions_of(seeds)).expect("layers that fit in memory");
        let mut rng = Rng::new(0, seeds.into());
        let mut step = rng.below(places) | 1;
        while greatest_divisor(step, places) > 1 {
            step += 2;
        }
        Self {
            seeds,
            places,
            step: step % places,
            place: rng.below(places),
            left: places,
        }
    }
}

impl Iterator for PlaceOrder {
    type Item = usize;

    fn next(&mut self) -> Option<usize> {
        self.left = self.left.checked_sub(1)?;
        self.place = (self.place + self.step) % self.places;
        Some(self.place)
    }
}

/// The greatest common divisor (Euclid).
const fn greatest_divisor(mut one: usize, mut other: usize) -> usize {
    while other > 0 {
        (one, other) = (other, one % other);
    }
    one
}

fn with_equal_stores(position: Position) -> Position {
    let store = (SEEDS - position.seeds_on_board()) / 2;
    Position::new(position.pits(), [store; 2], Side::South).expect("48 seeds at most")
}

/// The one move with a value above 0, if there is exactly one among several legal moves.
fn only_winning_move(values: &EndgameValues, rules: &RuleSet, position: Position) -> Option<Pit> {
    let legal = rules.legal_moves(position);
    let wins = |pit: &Pit| values.value_of_move(position, *pit) > Some(0);
    let mut winning = legal.iter().filter(wins);
    let only = winning.next()?;
    (winning.next().is_none() && legal.len() > 1).then_some(only)
}

/// Asks the exact search.
struct PuzzleSolver {
    rules: RuleSet,
    engine: Engine,
}

impl PuzzleSolver {
    fn new(rules: RuleSet) -> Self {
        let options = MinimaxOptions {
            depth: None,
            table_mib: TABLE_MIB,
        };
        Self {
            rules,
            engine: Engine::new(House::Minimax(options)),
        }
    }

    /// The best move, and after how many plies the game is decided if that is at most so many; a
    /// negative number of plies for a loss.
    fn decided(&mut self, game: &Game, most: u32) -> Option<(Pit, i64)> {
        let budget = Budget {
            max_depth: Some(most),
            ..Budget::default()
        };
        let choice = self.engine.choose(game, &budget)?;
        let score = choice.score?;
        let plies = score.certain_in().filter(|plies| *plies <= most)?;
        let sign = if score.hundredths() > 0 { 1 } else { -1 };
        Some((choice.pit, sign * i64::from(plies)))
    }

    /// The plies of the shortest win of the side to move, if there are at most so many.
    fn plies_to_win(&mut self, game: &Game, most: u32) -> Option<u32> {
        let (_, plies) = self.decided(game, most)?;
        u32::try_from(plies).ok()
    }

    /// The turn of a player that wins in so many plies, 1 at least.
    fn turn(&mut self, values: &EndgameValues, game: &Game, plies: u32) -> PuzzleTurn {
        let position = game.position();
        let is_fresh = game.history().len() == 1;
        let mut turn = PuzzleTurn {
            position,
            plies,
            moves: Vec::new(),
        };
        for pit in game.legal_moves() {
            let after = played(game, pit);
            let answer = self.longest_defence(&after, plies - 1);
            let is_won = self.is_won(&after, position.to_move());
            turn.moves.push(PuzzleMove {
                pit,
                position: after.position(),
                value: values.value_of_move(position, pit).filter(|_| is_fresh),
                wins: is_won || answer.is_some(),
                answer: answer
                    .filter(|_| !is_won)
                    .map(|answer| self.answer(values, &after, answer, plies - 1)),
            });
        }
        turn
    }

    /// The move that loses after `plies` plies, if all others lose as soon.
    fn longest_defence(&mut self, game: &Game, plies: u32) -> Option<Pit> {
        let (pit, lost) = self.decided(game, plies).filter(|_| plies > 0)?;
        (lost == -i64::from(plies)).then_some(pit)
    }

    fn answer(
        &mut self,
        values: &EndgameValues,
        game: &Game,
        pit: Pit,
        plies: u32,
    ) -> PuzzleAnswer {
        let after = played(game, pit);
        let left = plies - 1;
        PuzzleAnswer {
            pit,
            position: after.position(),
            next: (left > 0).then(|| self.turn(values, &after, left)),
        }
    }

    /// Whether this side has won: by more than half of all seeds, or because the game is over.
    fn is_won(&self, game: &Game, side: Side) -> bool {
        let position = game.position();
        let has_enough = Scoring::new(self.rules, game.start()).is_lost(position);
        match game.ending() {
            Some(ending) => ending.result() == GameResult::Win(side),
            None => has_enough && position.to_move() != side,
        }
    }
}

fn played(game: &Game, pit: Pit) -> Game {
    let mut after = game.clone();
    after.play(pit).expect("a legal move");
    after
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::endgame::SolvedRules;
    use crate::rules::Preset;

    fn puzzles(rules: RuleSet, seeds: RangeInclusive<u8>, count: usize) -> Vec<PuzzleTurn> {
        let solved = SolvedRules::of(&rules).unwrap();
        let values = EndgameValues::solve(solved, *seeds.end());
        find_puzzles(&values, &rules, seeds, count)
    }

    /// Whether `winner` can force a decision within so many plies: every line is played out.
    fn is_forced(game: &Game, winner: Side, plies: u32) -> bool {
        let stores = match game.ending() {
            Some(ending) => ending.stores,
            None => game.position().stores(),
        };
        let [own, other] = [winner, winner.opponent()].map(|side| stores[side.index()]);
        let start = game.start();
        let total = start.seeds_on_board() + start.stores().iter().sum::<u8>();
        if 2 * own > total || game.ending().is_some() {
            return own > other;
        }
        let mut moves = game.legal_moves().iter();
        let mut wins = |pit| is_forced(&played(game, pit), winner, plies - 1);
        plies > 0
            && if game.position().to_move() == winner {
                moves.any(&mut wins)
            } else {
                moves.all(&mut wins)
            }
    }

    /// Compares a turn, and all that follow from it, with plain play; `game` has come to it.
    fn check_turn(turn: &PuzzleTurn, game: &Game) {
        let side = game.position().to_move();
        assert_eq!(turn.position, game.position());
        assert!(is_forced(game, side, turn.plies), "{}", turn.position);
        assert!(!is_forced(game, side, turn.plies - 1), "{}", turn.position);
        let pits = turn.moves.iter().map(|it| it.pit);
        assert_eq!(pits.collect::<Vec<_>>(), Vec::from_iter(game.legal_moves()));
        for tried in &turn.moves {
            let after = played(game, tried.pit);
            assert_eq!(tried.position, after.position());
            let wins = is_forced(&after, side, turn.plies - 1);
            assert_eq!(tried.wins, wins, "{} {}", turn.position, tried.pit);
            let Some(answer) = &tried.answer else {
                assert!(!wins || is_forced(&after, side, 0));
                continue;
            };
            let answered = played(&after, answer.pit);
            assert_eq!(answer.position, answered.position());
            match &answer.next {
                Some(next) => {
                    assert_eq!(next.plies, turn.plies - 2);
                    check_turn(next, &answered);
                }
                None => assert!(turn.plies == 2 && is_forced(&answered, side, 0)),
            }
        }
    }

    #[test]
    fn every_puzzle_has_one_winning_move_and_its_shortest_solution() {
        for preset in [Preset::Awale, Preset::Commun, Preset::Awari, Preset::Junior] {
            let rules = preset.rules();
            let found = puzzles(rules, 4..=7, 24);
            assert!(found.len() > 12, "{preset:?}: {}", found.len());
            for turn in &found {
                let [south, north] = turn.position.stores();
                assert_eq!(south, north);
                assert_eq!(south, (48 - turn.position.seeds_on_board()) / 2);
                let mut winning = turn.moves.iter().filter(|it| it.value > Some(0));
                assert!(winning.next().is_some_and(|it| it.wins));
                assert_eq!(winning.next(), None);
                if turn.plies <= 9 {
                    check_turn(turn, &Game::new(rules, turn.position));
                }
            }
        }
    }

    #[test]
    fn puzzles_are_the_same_each_time_all_different_and_of_every_difficulty() {
        let found = puzzles(RuleSet::default(), 6..=8, 16);
        assert_eq!(found, puzzles(RuleSet::default(), 6..=8, 16));
        let positions = found.iter().map(|it| it.position);
        assert_eq!(positions.collect::<HashSet<_>>().len(), 16);
        let moves: Vec<u32> = found.iter().map(|it| it.plies.div_ceil(2)).collect();
        let two_each = (1..=8).flat_map(|moves| [moves; 2]);
        assert_eq!(moves, two_each.collect::<Vec<_>>());
        let seeds: HashSet<u8> = found
            .iter()
            .map(|it| it.position.seeds_on_board())
            .collect();
        assert_eq!(seeds, HashSet::from([6, 7, 8]));
    }

    /// Two seeds have few positions.
    #[test]
    fn there_may_be_fewer_puzzles_than_wanted() {
        assert!(puzzles(RuleSet::default(), 2..=2, 1000).len() < 50);
        assert_eq!(puzzles(RuleSet::default(), 0..=1, 10), []);
    }
}
