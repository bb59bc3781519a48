//! The house players: a [`Game`] and a [`Budget`] in, an [`EngineChoice`] out.

use super::endgame::EndgameValues;
use super::score::{SEED, Score, Scoring};
use super::search::{Search, SearchLimits};
use super::table::{TableKey, TranspositionTable};
use crate::engine::path::MAX_DEPTH;
use crate::engine::rng::Rng;
use crate::rules::{Game, Pit, RuleSet};
use std::fmt;

/// Plies that `minimax` searches if neither its options nor the budget set any limit.
pub const DEFAULT_DEPTH: u32 = 8;
/// Size of `minimax`'s table in MiB.
pub const DEFAULT_TABLE_MIB: usize = 16;

/// The house players.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum House {
    /// Any legal move, all equally likely; a function of the position, the ply and the seed.
    Random,
    /// A move that captures most, chosen at random among equal ones; a function of the same.
    Greedy,
    /// Alpha-beta search.
    Minimax(MinimaxOptions),
}

impl House {
    /// `random`, `greedy` or `minimax`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Random => "random",
            Self::Greedy => "greedy",
            Self::Minimax(_) => "minimax",
        }
    }

    /// The version of the player: it rises whenever it may play other moves than before.
    pub const fn version(self) -> &'static str {
        match self {
            Self::Random | Self::Greedy => "1",
            Self::Minimax(_) => "2",
        }
    }

    /// The player of this name, with its default options.
    pub fn from_name(name: &str) -> Option<Self> {
        [
            Self::Random,
            Self::Greedy,
            Self::Minimax(MinimaxOptions::default()),
        ]
        .into_iter()
        .find(|house| house.name() == name)
    }
}

/// The options of `minimax`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MinimaxOptions {
    /// Plies to search, 1–100; `None` for as many as the budget allows.
    pub depth: Option<u32>,
    /// Size of the transposition table in MiB, 1 at least.
    pub table_mib: usize,
}

impl Default for MinimaxOptions {
    fn default() -> Self {
        Self {
            depth: None,
            table_mib: DEFAULT_TABLE_MIB,
        }
    }
}

/// How long a player may think about one move.
#[derive(Clone, Copy, Default)]
pub struct Budget<'a> {
    /// Plies, if limited.
    pub max_depth: Option<u32>,
    /// Positions visited, if limited; overrun by up to 255.
    pub max_nodes: Option<u64>,
    /// Called every 256 positions (about 25 µs; up to one millisecond where dead positions end the
    /// game): true ends the search.
    pub stop: Option<&'a dyn Fn() -> bool>,
}

impl fmt::Debug for Budget<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Budget")
            .field("max_depth", &self.max_depth)
            .field("max_nodes", &self.max_nodes)
            .field("stop", &self.stop.map(|_| "…"))
            .finish()
    }
}

/// The choice of a player, and its reasons.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EngineChoice {
    /// The move.
    pub pit: Pit,
    /// The expected result, if the player has searched.
    pub score: Option<Score>,
    /// Plies that were searched completely; 0 without a search.
    pub depth: u32,
    /// Positions visited.
    pub nodes: u64,
    /// The moves that the player expects, its own first.
    pub pv: Vec<Pit>,
}

/// A house player with its memory of the game.
pub struct Engine {
    house: House,
    seed: u64,
    memory: Option<Memory>,
    endgame: Option<EndgameValues>,
}

/// The memory of `minimax` from move to move, valid while its values have the same meaning.
struct Memory {
    table: TranspositionTable,
    scoring: Option<Scoring>,
}

impl Engine {
    /// A player that has not begun a game; its seed is 0 until [`new_game`](Self::new_game).
    pub fn new(house: House) -> Self {
        let memory = match house {
            House::Minimax(options) => Some(Memory {
                table: TranspositionTable::new(options.table_mib),
                scoring: None,
            }),
            House::Random | House::Greedy => None,
        };
        Self {
            house,
            seed: 0,
            memory,
            endgame: None,
        }
    }

    /// Gives `minimax` the values of endgames, for the games whose rules they serve.
    pub fn use_endgame(&mut self, values: EndgameValues) {
        self.endgame = Some(values);
    }

    /// Whether it was given the values of endgames under these rules.
    pub fn knows_endgames_of(&self, rules: &RuleSet) -> bool {
        self.endgame
            .as_ref()
            .is_some_and(|values| values.serves(rules))
    }

    /// Forgets everything and takes a new seed.
    pub fn new_game(&mut self, seed: u64) {
        self.seed = seed;
        if let Some(memory) = &mut self.memory {
            memory.table.clear();
            memory.scoring = None;
        }
    }

    /// Chooses a move; `None` if the game is over.
    ///
    /// `random` and `greedy` take no time and ask no budget. `minimax` with a fixed depth or a
    /// number of nodes (of its own or of the budget) starts from nothing each time: its choice
    /// is a function of the game's rules, positions and seed, unless `stop` cuts it short. With
    /// `stop` alone it remembers what earlier moves have taught it, and plays an only legal
    /// move at once.
    pub fn choose(&mut self, game: &Game, budget: &Budget<'_>) -> Option<EngineChoice> {
        let mut moves: Vec<Pit> = game.legal_moves().into_iter().collect();
        let first = *moves.first()?;
        match (self.house, &mut self.memory) {
            (House::Minimax(options), Some(memory)) => {
                Rng::new(self.seed, TableKey::of(game.position()).number()).shuffle(&mut moves);
                let values = self.endgame.as_ref();
                let values = values.filter(|it| it.serves(game.rules()));
                if let Some(values) = values {
                    if let Some(choice) = perfect_choice(game, values) {
                        return Some(choice);
                    }
                    keep_what_is_due(game, values, &mut moves);
                }
                Some(minimax(game, &moves, options, (budget, values), memory))
            }
            (House::Greedy, _) => Some(greedy(game, &moves, self.dice_of_ply(game))),
            _ => {
                let pit = self.dice_of_ply(game).pick(&moves).unwrap_or(first);
                Some(EngineChoice {
                    pit,
                    score: None,
                    depth: 0,
                    nodes: 0,
                    pv: vec![pit],
                })
            }
        }
    }

    fn dice_of_ply(&self, game: &Game) -> Rng {
        Rng::new(self.seed, game.moves().len() as u64)
    }
}

fn greedy(game: &Game, moves: &[Pit], mut rng: Rng) -> EngineChoice {
    let position = game.position();
    let captures = |pit| game.rules().play_unchecked(position, pit).captured;
    let most = moves.iter().map(|&pit| captures(pit)).max().unwrap_or(0);
    let best: Vec<Pit> = moves
        .iter()
        .copied()
        .filter(|&pit| captures(pit) == most)
        .collect();
    let pit = rng.pick(&best).unwrap_or(moves[0]);
    let own_side = position.to_move();
    let own_store = i32::from(position.store(own_side));
    let ahead = own_store - i32::from(position.store(own_side.opponent()));
    EngineChoice {
        pit,
        score: Some(Score::new((ahead + i32::from(most)) * SEED)),
        depth: 1,
        nodes: moves.len() as u64,
        pv: vec![pit],
    }
}

/// The move that brings home an advantage, if a database knows the position, and neither this move
/// nor the answer to it comes back to an earlier position. From a fresh history on none ever does.
fn perfect_choice(game: &Game, values: &EndgameValues) -> Option<EngineChoice> {
    let (rules, position, history) = (game.rules(), game.position(), game.history());
    let gain = values.value(position).filter(|&gain| gain > 0)?;
    let pit = values.perfect_move(position)?;
    let after = rules.play_unchecked(position, pit).position;
    let mut answers = rules.legal_moves(after).into_iter();
    let has_been = |position| history.occurrences(position) > 0;
    let comes_back = has_been(after)
        || answers.any(|answer| has_been(rules.play_unchecked(after, answer).position));
    if comes_back {
        return None;
    }
    let mover = position.to_move();
    let [own, other] = [mover, mover.opponent()].map(|side| i32::from(position.store(side)));
    Some(EngineChoice {
        pit,
        score: Some(Score::new((own - other + i32::from(gain)) * SEED)),
        depth: 1,
        nodes: 1,
        pv: vec![pit],
    })
}

/// Where a database says that the mover gains nothing, leaves the moves that lose least. An earlier
/// position that comes back pays nothing, so it cannot make one of them worse.
fn keep_what_is_due(game: &Game, values: &EndgameValues, moves: &mut Vec<Pit>) {
    let position = game.position();
    if values.value(position).is_some_and(|gain| gain <= 0)
        && let Some(best) = values.best_moves(position).filter(|it| !it.is_empty())
    {
        moves.retain(|&pit| best.contains(pit));
    }
}

/// `moves` are those to choose from, in the order in which equally good ones are preferred.
fn minimax(
    game: &Game,
    moves: &[Pit],
    options: MinimaxOptions,
    (budget, values): (&Budget<'_>, Option<&EndgameValues>),
    memory: &mut Memory,
) -> EngineChoice {
    let depth = [options.depth, budget.max_depth]
        .into_iter()
        .flatten()
        .min();
    let is_timed = budget.stop.is_some() && depth.is_none() && budget.max_nodes.is_none();
    if is_timed && let [pit] = *moves {
        return EngineChoice {
            pit,
            score: None,
            depth: 0,
            nodes: 0,
            pv: vec![pit],
        };
    }
    let is_unlimited = budget.stop.is_none() && budget.max_nodes.is_none();
    let depth = depth.or(is_unlimited.then_some(DEFAULT_DEPTH));
    let limits = SearchLimits {
        depth: depth.map_or(MAX_DEPTH, |depth| {
            usize::try_from(depth).unwrap_or(MAX_DEPTH)
        }),
        nodes: budget.max_nodes.unwrap_or(u64::MAX),
        stop: budget.stop,
        is_exact: !is_timed,
    };
    let scoring = Scoring::new(*game.rules(), game.position());
    if is_timed && memory.scoring == Some(scoring) {
        memory.table.grow_older();
    } else {
        memory.table.clear();
    }
    memory.scoring = Some(scoring);
    let history = game.history().positions();
    let search = Search::new(*game.rules(), scoring, history, &mut memory.table, limits);
    let found = search.with_endgame(values).run(game.position(), moves);
    EngineChoice {
        pit: found.line.first().copied().unwrap_or(moves[0]),
        score: Some(Score::new(found.value)),
        depth: u32::try_from(found.depth).unwrap_or(u32::MAX),
        nodes: found.nodes,
        pv: found.line,
    }
}
