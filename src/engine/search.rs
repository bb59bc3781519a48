//! The search: alpha-beta with a transposition table, deepened ply by ply.
//!
//! Principal variation search: the first move of a node gets the whole window, the others must
//! show against an empty one that they are better. At the horizon captures are played out (each
//! player may also stand still), so that no estimate is made in the middle of an exchange.
//!
//! With [`SearchLimits::is_exact`] values are exactly those of plain negamax to the same depth,
//! repetition included: nothing is reduced or pruned on suspicion. The table could break that in
//! three ways, and does not. A value that rests on a return to a position above its node is not
//! stored. A stored value is not used where a line of its depth might return to a position above
//! (see [`super::path`]). And it is not used for a smaller depth than its own. Value and move
//! then do not even depend on the size of the table.
//!
//! Without it the last two are waived: a stored value may overlook that a line repeats, which
//! the next iterations and moves put right. The search then also prunes on two suspicions, and gets
//! about half as deep again in the same time:
//!
//! * A shallow search of the same position says that its value lies far outside the window
//!   (Buro's `ProbCut`). The margin is in proportion to the difference between the values of the
//!   two depths in games: about two seeds.
//! * A move that is late in the order and captures nothing is probably not the best. It is first
//!   searched less deep, and in full only if it is better than expected there.
//!
//! Neither touches certain results: a win that was found at less depth is a win all the same.
//!
//! With a database of endgames a position right after a capture has a certain value, if few enough
//! seeds are left. In the middle of a stretch without captures it has none: an earlier position may
//! come back there. There the search goes on, and the database only replaces the estimate.

use super::endgame::EndgameValues;
use super::evaluate::Evaluation;
use super::order::MoveOrder;
use super::path::Path;
use super::score::{
    PLIES_OF_DATABASE, SEED, Scoring, WIN, WIN_FLOOR, from_table, to_table, won_at,
};
use super::table::{NO_MOVE, ScoreBound, TableEntry, TableKey, TranspositionTable};
use crate::engine::path::MAX_DEPTH;
use crate::rules::{EndReason, Pit, Played, Position, RuleSet};

/// Nodes between two checks of the limits.
const NODES_PER_CHECK: u64 = 256;

/// The window of alpha-beta: a node needs exact values inside it, and bounds outside.
#[derive(Clone, Copy)]
struct Window {
    alpha: i32,
    beta: i32,
}

impl Window {
    const FULL: Self = Self {
        alpha: -WIN - 1,
        beta: WIN + 1,
    };

    /// The question whether a value is more than `alpha`.
    const fn above(alpha: i32) -> Self {
        Self {
            alpha,
            beta: alpha + 1,
        }
    }

    /// The same window as the opponent sees it.
    const fn turned(self) -> Self {
        Self {
            alpha: -self.beta,
            beta: -self.alpha,
        }
    }

    /// Whether it holds no value: then only one question is asked. Principal variations are
    /// searched with wide windows.
    const fn is_empty(self) -> bool {
        self.beta - self.alpha == 1
    }
}

/// Values beyond this are not compared with shallow searches: a game that is as good as decided.
const MOST_ESTIMATE: i32 = 10_000;

/// What an estimate by a database of endgames adds for the side that it says to be winning.
const DECIDED: i32 = 2_000;

/// The depth of the shallow search that is compared with one of `depth`.
const fn shallow_depth(depth: usize) -> usize {
    match depth {
        0..=3 => 0,
        4 | 5 => 1,
        6 => 2,
        7 => 3,
        _ => depth * 2 / 5,
    }
}

/// How far outside the window a shallow search must see the value, in hundredths of a seed: about
/// one standard deviation of its error.
const fn margin(depth: usize) -> i32 {
    match depth {
        0 | 1 => 120,
        2 => 180,
        3 => 220,
        _ => 200,
    }
}

/// By how many plies less a move without a capture is searched at first; `number` is 0 for the
/// first move in the order.
const fn reduction(number: usize, depth: usize) -> usize {
    (number >= 3 && depth >= 3) as usize + (number >= 5 && depth >= 6) as usize
}

/// The limits that stop a search.
#[derive(Clone, Copy)]
pub struct SearchLimits<'a> {
    pub depth: usize,
    pub nodes: u64,
    pub stop: Option<&'a dyn Fn() -> bool>,
    /// Whether values must be those of plain negamax.
    pub is_exact: bool,
}

/// The result of a search.
#[derive(Clone, Debug)]
pub struct SearchResult {
    pub value: i32,
    /// Plies of the last iteration that was searched to its end.
    pub depth: usize,
    pub nodes: u64,
    /// The expected moves, the best one first.
    pub line: Vec<Pit>,
}

/// One search from one position.
pub struct Search<'a> {
    rules: RuleSet,
    scoring: Scoring,
    evaluation: Evaluation,
    /// For the rules of the game.
    endgame: Option<&'a EndgameValues>,
    table: &'a mut TranspositionTable,
    path: Path,
    limits: SearchLimits<'a>,
    nodes: u64,
    stopped: bool,
    /// The place of the oldest position that a line has returned to since this was reset.
    returned_to: usize,
    order: MoveOrder,
    /// The principal variations from each ply on.
    lines: Vec<Vec<Pit>>,
}

impl<'a> Search<'a> {
    /// A search from the last position of `history`.
    pub fn new(
        rules: RuleSet,
        scoring: Scoring,
        history: &[Position],
        table: &'a mut TranspositionTable,
        limits: SearchLimits<'a>,
    ) -> Self {
        Self {
            rules,
            scoring,
            evaluation: Evaluation::new(&rules),
            endgame: None,
            table,
            path: Path::new(history, rules.repetition),
            limits,
            nodes: 0,
            stopped: false,
            returned_to: usize::MAX,
            order: MoveOrder::new(),
            lines: vec![Vec::new(); MAX_DEPTH + 2],
        }
    }

    /// The same search with the values of endgames under its rules.
    pub const fn with_endgame(mut self, values: Option<&'a EndgameValues>) -> Self {
        self.endgame = values;
        self
    }

    /// Searches `moves`, which must be the legal ones, deeper and deeper. Of equally good ones
    /// the first in the list is preferred.
    pub fn run(mut self, root: Position, moves: &[Pit]) -> SearchResult {
        let mut moves = moves.to_vec();
        let mut found = SearchResult {
            value: self.evaluation.value(root),
            depth: 0,
            nodes: 0,
            line: moves.first().copied().into_iter().collect(),
        };
        for depth in 1..=self.limits.depth.clamp(1, MAX_DEPTH) {
            let best = self.iterate(root, &moves, depth);
            if let Some((value, line)) = best {
                found.value = value;
                found.line = line;
            }
            if self.stopped {
                break;
            }
            found.depth = depth;
            // The best move comes first in the next iteration, the others keep their order.
            if let Some(&best) = found.line.first() {
                moves.sort_by_key(|&pit| pit != best);
            }
            // A certain result within the horizon is the quickest, and one that a database knows is
            // as good: there is nothing better to find.
            let plies = usize::try_from(WIN - found.value.abs()).unwrap_or(0);
            let is_found = plies <= depth || plies >= PLIES_OF_DATABASE;
            if found.value.abs() >= WIN_FLOOR && is_found {
                break;
            }
        }
        found.nodes = self.nodes;
        found
    }

    /// One iteration: the best value and line among the moves that were searched to the end.
    fn iterate(&mut self, root: Position, moves: &[Pit], depth: usize) -> Option<(i32, Vec<Pit>)> {
        self.nodes += 1;
        let mut best: Option<(i32, Vec<Pit>)> = None;
        for &pit in moves {
            let played = self.rules.play_unchecked(root, pit);
            let mut window = Window::FULL;
            if let Some((value, _)) = best {
                window.alpha = value;
            }
            let value = self.child_value(played, depth - 1, 0, window, best.is_none());
            if self.stopped {
                break;
            }
            if value > window.alpha {
                let mut line = vec![pit];
                line.extend(&self.lines[1]);
                best = Some((value, line));
            }
        }
        best
    }

    /// Value of the move for the side that plays it at `ply`, searched `depth` plies deeper.
    #[inline]
    fn child_value(
        &mut self,
        played: Played,
        depth: usize,
        ply: usize,
        window: Window,
        is_first: bool,
    ) -> i32 {
        let mut value = window.alpha;
        if !is_first {
            value = self.visit_child(played, depth, ply, Window::above(window.alpha));
        }
        if is_first || (value > window.alpha && value < window.beta) {
            value = self.visit_child(played, depth, ply, window);
        }
        value
    }

    #[inline]
    fn visit_child(&mut self, played: Played, depth: usize, ply: usize, window: Window) -> i32 {
        let step = self.path.push(played.position, played.captured);
        let value = -self.visit(played.position, depth, ply + 1, window.turned());
        self.path.pop(step);
        value
    }

    /// The value of a position for its side to move, as far as it lies in the window; a bound
    /// otherwise.
    fn visit(&mut self, position: Position, depth: usize, ply: usize, window: Window) -> i32 {
        self.lines[ply].clear();
        self.count_node();
        if self.stopped {
            return 0;
        }
        if self.scoring.is_lost(position) {
            return -won_at(ply);
        }
        if let Some(place) = self.path.repetition() {
            self.returned_to = self.returned_to.min(place);
            return self.scoring.ending(position, EndReason::Repetition, ply);
        }
        if let Some(value) = self.after_capture(position, ply) {
            return value;
        }
        if depth == 0 {
            return self.settle_captures(position, ply, window);
        }
        let key = TableKey::of(position);
        let known = self.table.get(key, depth);
        // Where the principal variation passes, cutting it short would hide it.
        if window.is_empty() {
            let of_table = known.and_then(|entry| self.known_value(entry, depth, ply, window));
            let value = of_table.or_else(|| self.forecast(position, depth, ply, window));
            if let Some(value) = value {
                return value;
            }
        }
        let table_move = known.map_or(NO_MOVE, |entry| entry.row_index);
        self.search_moves(position, (key, table_move), depth, ply, window)
    }

    /// The value of a table's entry for a search of `depth` more plies, if the entry suffices.
    #[inline]
    fn known_value(
        &self,
        entry: TableEntry,
        depth: usize,
        ply: usize,
        window: Window,
    ) -> Option<i32> {
        let stored_depth = usize::from(entry.depth);
        let is_valid = if self.limits.is_exact {
            stored_depth == depth && !self.path.may_return(depth)
        } else {
            stored_depth >= depth
        };
        let value = from_table(entry.value, ply);
        let is_enough = match entry.bound {
            ScoreBound::Exact => true,
            ScoreBound::Lower => value >= window.beta,
            ScoreBound::Upper => value <= window.alpha,
            ScoreBound::Nothing => false,
        };
        (is_enough && is_valid).then_some(value)
    }

    /// The end of an empty window beyond which the value very probably lies, if a shallow search
    /// says so.
    fn forecast(
        &mut self,
        position: Position,
        depth: usize,
        ply: usize,
        window: Window,
    ) -> Option<i32> {
        let Window { alpha, beta } = window;
        if self.limits.is_exact || beta.abs() > MOST_ESTIMATE {
            return None;
        }
        let (margin, estimate) = (margin(depth), self.estimate(position));
        let is_high = estimate >= beta + margin / 2;
        let is_low = estimate <= alpha - margin / 2;
        let question = match (is_high, is_low) {
            (true, _) => Window::above(beta + margin - 1),
            (_, true) => Window::above(alpha - margin),
            _ => return None,
        };
        let value = match shallow_depth(depth) {
            0 => self.settle_captures(position, ply, question),
            shallow => self.visit(position, shallow, ply, question),
        };
        if self.stopped {
            None
        } else if is_high {
            (value >= question.beta).then_some(beta)
        } else {
            (value <= question.alpha).then_some(alpha)
        }
    }

    /// Visits the moves of a node that is not at the horizon. The pair is the node's key in the
    /// table and the move that the table knows.
    fn search_moves(
        &mut self,
        position: Position,
        (key, table_move): (TableKey, u8),
        depth: usize,
        ply: usize,
        mut window: Window,
    ) -> i32 {
        let legal = self.rules.legal_moves(position);
        if legal.is_empty() {
            return self.ended(position, ply);
        }
        let returned_elsewhere = std::mem::replace(&mut self.returned_to, usize::MAX);
        let (mut best, mut best_row_index, mut bound) = (-WIN - 1, NO_MOVE, ScoreBound::Upper);
        let order = &self.order;
        let children = order.children(&self.rules, position, legal, table_move, ply);
        for (number, (pit, played)) in children.enumerate() {
            let value = self.move_value(number, played, depth, ply, window);
            if self.stopped {
                return 0;
            }
            if value > best {
                (best, best_row_index) = (value, pit.row_index());
                if value > window.alpha {
                    (window.alpha, bound) = (value, ScoreBound::Exact);
                    self.prepend(pit, ply);
                }
                if value >= window.beta {
                    bound = ScoreBound::Lower;
                    self.order.record_cutoff(position, pit, depth, ply);
                    break;
                }
            }
        }
        // A value that rests on a return to a position above this one holds on this path only.
        if self.returned_to < self.path.here() {
            bound = ScoreBound::Nothing;
        } else {
            self.returned_to = usize::MAX;
        }
        self.returned_to = self.returned_to.min(returned_elsewhere);
        let entry = TableEntry {
            value: to_table(best, ply),
            depth: u8::try_from(depth).unwrap_or(u8::MAX),
            bound,
            row_index: best_row_index,
        };
        self.table.put(key, entry);
        best
    }

    /// The value of the move with this number in the order of its node.
    #[inline]
    fn move_value(
        &mut self,
        number: usize,
        played: Played,
        depth: usize,
        ply: usize,
        window: Window,
    ) -> i32 {
        let reduced = reduction(number, depth);
        if reduced > 0 && played.captured == 0 && !self.limits.is_exact {
            let question = Window::above(window.alpha);
            let value = self.visit_child(played, depth - 1 - reduced, ply, question);
            if value <= window.alpha {
                return value;
            }
        }
        self.child_value(played, depth - 1, ply, window, number == 0)
    }

    /// Beyond the horizon: the side to move may take what it can or leave things as they are.
    fn settle_captures(&mut self, position: Position, ply: usize, mut window: Window) -> i32 {
        let legal = self.rules.legal_moves(position);
        if legal.is_empty() {
            return self.ended(position, ply);
        }
        let mut best = self.estimate(position);
        for pit in legal {
            if best >= window.beta {
                break;
            }
            window.alpha = window.alpha.max(best);
            let played = self.rules.play_unchecked(position, pit);
            if played.captured > 0 {
                best = best.max(self.value_after_capture(played.position, ply + 1, window));
            }
        }
        best
    }

    fn value_after_capture(&mut self, position: Position, ply: usize, window: Window) -> i32 {
        self.count_node();
        if self.stopped {
            return 0;
        }
        if self.scoring.is_lost(position) {
            return won_at(ply);
        }
        if let Some(gain) = self.gain(position) {
            return -self.scoring.perfect(position, gain, ply);
        }
        -self.settle_captures(position, ply, window.turned())
    }

    /// The certain value of the position at hand, if it comes right after a capture and a database
    /// knows it.
    #[inline]
    fn after_capture(&self, position: Position, ply: usize) -> Option<i32> {
        if self.endgame.is_none() || !self.path.is_fresh() {
            return None;
        }
        let gain = self.gain(position)?;
        Some(self.scoring.perfect(position, gain, ply))
    }

    /// The seeds that the mover gains from a position that no earlier one can disturb.
    #[inline]
    fn gain(&self, position: Position) -> Option<i8> {
        let values = self.endgame?;
        let is_over = self.rules.ends_at(position).is_some();
        if is_over {
            None
        } else {
            values.value(position)
        }
    }

    /// The estimate of a position, which says little about certain results.
    fn estimate(&self, position: Position) -> i32 {
        match self.endgame.and_then(|values| values.value(position)) {
            None => self.evaluation.value(position),
            Some(gain) => {
                let mover = position.to_move();
                let [own, other] = [mover, mover.opponent()].map(|side| position.store(side));
                let difference = i32::from(own) - i32::from(other) + i32::from(gain);
                difference.signum() * DECIDED + difference * SEED
            }
        }
    }

    /// The value of a position without a legal move.
    fn ended(&self, position: Position, ply: usize) -> i32 {
        let reason = self.rules.ends_at(position).unwrap_or(EndReason::NoMove);
        self.scoring.ending(position, reason, ply)
    }

    /// Makes the line from `ply` this move and the line that follows it.
    fn prepend(&mut self, pit: Pit, ply: usize) {
        let (here, next) = self.lines.split_at_mut(ply + 1);
        here[ply].clear();
        here[ply].push(pit);
        here[ply].extend_from_slice(&next[0]);
    }

    #[inline]
    fn count_node(&mut self) {
        // Calls that a stopped search still makes return at once.
        if self.stopped {
            return;
        }
        self.nodes += 1;
        if self.nodes.is_multiple_of(NODES_PER_CHECK) {
            let is_stopped = self.limits.stop.is_some_and(|stop| stop());
            self.stopped |= is_stopped || self.nodes >= self.limits.nodes;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A shallow search is really shallower, and a reduced one still looks at the answers.
    #[test]
    fn depths_fall() {
        for depth in 1..=MAX_DEPTH {
            assert!(shallow_depth(depth) < depth);
            for number in 0..6 {
                let reduced = reduction(number, depth);
                assert!(reduced == 0 || reduced + 2 <= depth, "{number} {depth}");
            }
        }
    }
}
