//! The search: alpha-beta with a transposition table, deepened ply by ply.
//!
//! Principal variation search: the first move of a node gets the whole window, the others must
//! show against an empty one that they are better. At the horizon captures are played out (each
//! player may also stand still), so that no estimate is made in the middle of an exchange.
//!
//! Values are exactly those of plain negamax to the same depth, repetition included: nothing is
//! reduced or pruned on suspicion. The table could spoil that in two ways, and does not:
//! a value found where a line ran into a position above the node is not stored, and a stored
//! value is not used where a line of its depth might run into one (see [`super::path`]).
//! With [`Limits::only_exact_depth`] deeper entries are not used either; then value and move do
//! not even depend on the size of the table.

use super::evaluate::Evaluation;
use super::path::Path;
use super::score::{Scoring, WIN, WIN_FLOOR, won_at};
use super::table::{Bound, NO_MOVE, Table};
use crate::rules::{EndReason, PITS_PER_ROW, Pit, Played, Position, RuleSet};

/// No search is deeper: 48 seeds are mostly gone before.
pub(super) const MAX_DEPTH: usize = 100;
/// Room for captures beyond the horizon: each takes a seed at least.
const MAX_PLY: usize = MAX_DEPTH + 48 + 2;
/// Nodes between two looks at the limits.
const NODES_PER_LOOK: u64 = 1024;

/// x
pub static ALT: std::sync::atomic::AtomicBool = std::sync::atomic::AtomicBool::new(false);
/// What stops a search.
#[derive(Clone, Copy)]
pub(super) struct Limits<'a> {
    pub(super) depth: usize,
    pub(super) nodes: u64,
    pub(super) stop: Option<&'a dyn Fn() -> bool>,
    /// Whether the table's values count at their own depth only, not at any smaller one.
    pub(super) only_exact_depth: bool,
}

/// What a search has found.
#[derive(Clone, Debug)]
pub(super) struct Found {
    pub(super) value: i32,
    /// Plies of the last iteration that was searched to its end.
    pub(super) depth: usize,
    pub(super) nodes: u64,
    /// The expected moves, the best one first.
    pub(super) line: Vec<Pit>,
}

/// A move that can be played at a node, and what it leads to.
#[derive(Clone, Copy)]
struct Child {
    pit: Pit,
    played: Played,
    /// Greater is searched earlier.
    promise: i32,
}

/// One search from one position.
pub(super) struct Search<'a> {
    rules: RuleSet,
    scoring: Scoring,
    evaluation: Evaluation,
    table: &'a mut Table,
    path: Path,
    limits: Limits<'a>,
    nodes: u64,
    stopped: bool,
    /// The place of the oldest position that a line has returned to since this was reset.
    returned_to: usize,
    /// How often, weighted with depth, a pit's move was too good: by pit 0–11.
    merits: [i32; 12],
    /// The move that was too good when this ply was last searched.
    killers: [Option<Pit>; MAX_PLY],
    /// The principal variations from each ply on.
    lines: Vec<Vec<Pit>>,
}

impl<'a> Search<'a> {
    /// A search from the last position of `history`.
    pub(super) fn new(
        rules: RuleSet,
        scoring: Scoring,
        history: &[Position],
        table: &'a mut Table,
        limits: Limits<'a>,
    ) -> Self {
        Self {
            rules,
            scoring,
            evaluation: Evaluation::new(&rules),
            table,
            path: Path::new(history, rules.repetition),
            limits,
            nodes: 0,
            stopped: false,
            returned_to: usize::MAX,
            merits: [0; 12],
            killers: [None; MAX_PLY],
            lines: vec![Vec::with_capacity(MAX_PLY); MAX_PLY],
        }
    }

    /// Searches `moves`, which must be the legal ones, deeper and deeper. Of equally good ones
    /// the first in the list is preferred.
    pub(super) fn run(mut self, root: Position, moves: &[Pit]) -> Found {
        let mut moves = moves.to_vec();
        let mut found = Found {
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
            // A certain result within the horizon is the quickest: there is no more to find.
            let plies = usize::try_from(WIN - found.value.abs()).unwrap_or(0);
            if found.value.abs() >= WIN_FLOOR && plies <= depth {
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
            let alpha = best.as_ref().map_or(-WIN - 1, |(value, _)| *value);
            let value = self.child_value(played, depth, 0, alpha, WIN + 1, best.is_none());
            if self.stopped {
                break;
            }
            if value > alpha {
                let mut line = vec![pit];
                line.extend(&self.lines[1]);
                best = Some((value, line));
            }
        }
        best
    }

    /// The value of a move for who plays it at `ply` with `depth` plies to go.
    fn child_value(
        &mut self,
        played: Played,
        depth: usize,
        ply: usize,
        alpha: i32,
        beta: i32,
        is_first: bool,
    ) -> i32 {
        let step = self.path.push(played.position, played.captured);
        let mut value = alpha;
        if !is_first {
            value = -self.visit(played.position, depth - 1, ply + 1, -alpha - 1, -alpha);
        }
        if is_first || (value > alpha && value < beta) {
            value = -self.visit(played.position, depth - 1, ply + 1, -beta, -alpha);
        }
        self.path.pop(step);
        value
    }

    /// The value of a position for its side to move, as far as it lies between `alpha` and
    /// `beta`; a bound otherwise.
    fn visit(
        &mut self,
        position: Position,
        depth: usize,
        ply: usize,
        alpha: i32,
        beta: i32,
    ) -> i32 {
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
        if depth == 0 {
            return self.settle_captures(position, ply, alpha, beta);
        }
        let is_principal = beta - alpha > 1;
        let mut table_move = NO_MOVE;
        if let Some(entry) = self.table.get(position) {
            table_move = entry.row_index;
            let (value, bound, stored_depth) = (
                from_table(entry.value, ply),
                entry.bound,
                usize::from(entry.depth),
            );
            let is_deep_enough =
                stored_depth == depth || (stored_depth > depth && !self.limits.only_exact_depth);
            let is_enough = match bound {
                Bound::Nothing => false,
                Bound::Exact => true,
                Bound::Lower => value >= beta,
                Bound::Upper => value <= alpha,
            };
            // Where the principal variation passes, cutting it short would hide it.
            if is_enough
                && is_deep_enough
                && !is_principal
                && ((!self.limits.only_exact_depth
                    && ALT.load(std::sync::atomic::Ordering::Relaxed))
                    || !self.path.may_return(stored_depth))
            {
                return value;
            }
        }
        self.search_moves(position, depth, ply, alpha, beta, table_move)
    }

    fn search_moves(
        &mut self,
        position: Position,
        depth: usize,
        ply: usize,
        mut alpha: i32,
        beta: i32,
        table_move: u8,
    ) -> i32 {
        let (mut children, count) = self.children(position, ply, table_move);
        if count == 0 {
            return self.ended(position, ply);
        }
        let returned_elsewhere = std::mem::replace(&mut self.returned_to, usize::MAX);
        let (mut best, mut best_pit, mut bound) = (-WIN - 1, children[0].pit, Bound::Upper);
        for index in 0..count {
            bring_best_forward(&mut children[index..count]);
            let Child { pit, played, .. } = children[index];
            let value = self.child_value(played, depth, ply, alpha.max(best), beta, index == 0);
            if self.stopped {
                return 0;
            }
            if value > best {
                (best, best_pit) = (value, pit);
                if value > alpha {
                    (alpha, bound) = (value, Bound::Exact);
                    self.prepend(pit, ply);
                }
                if value >= beta {
                    bound = Bound::Lower;
                    self.praise(pit, depth, ply);
                    break;
                }
            }
        }
        // What rests on a return to a position above this one is true on this path only.
        if self.returned_to < self.path.here() {
            bound = Bound::Nothing;
        } else {
            self.returned_to = usize::MAX;
        }
        self.returned_to = self.returned_to.min(returned_elsewhere);
        let depth = u8::try_from(depth).unwrap_or(u8::MAX);
        self.table.put(
            position,
            to_table(best, ply),
            depth,
            bound,
            best_pit.row_index(),
        );
        best
    }

    /// Beyond the horizon: the side to move may take what it can or leave things as they are.
    fn settle_captures(
        &mut self,
        position: Position,
        ply: usize,
        mut alpha: i32,
        beta: i32,
    ) -> i32 {
        let legal = self.rules.legal_moves(position);
        if legal.is_empty() {
            return self.ended(position, ply);
        }
        let mut best = self.evaluation.value(position);
        for pit in legal {
            if best >= beta {
                break;
            }
            alpha = alpha.max(best);
            let played = self.rules.play_unchecked(position, pit);
            if played.captured > 0 {
                best = best.max(self.value_after_capture(played.position, ply + 1, alpha, beta));
            }
        }
        best
    }

    fn value_after_capture(
        &mut self,
        position: Position,
        ply: usize,
        alpha: i32,
        beta: i32,
    ) -> i32 {
        self.count_node();
        if self.stopped {
            return 0;
        }
        if self.scoring.is_lost(position) {
            return won_at(ply);
        }
        -self.settle_captures(position, ply, -beta, -alpha)
    }

    /// The value of a position without a legal move.
    fn ended(&self, position: Position, ply: usize) -> i32 {
        let reason = self.rules.ends_at(position).unwrap_or(EndReason::NoMove);
        self.scoring.ending(position, reason, ply)
    }

    /// The moves of a node: the table's first, then captures, then what was good elsewhere.
    fn children(
        &self,
        position: Position,
        ply: usize,
        table_move: u8,
    ) -> ([Child; PITS_PER_ROW], usize) {
        let legal = self.rules.legal_moves(position);
        let nothing = Child {
            pit: Pit::all().next().expect("there are twelve"),
            played: Played {
                position,
                captured: 0,
            },
            promise: 0,
        };
        let mut children = [nothing; PITS_PER_ROW];
        for (child, pit) in children.iter_mut().zip(legal) {
            let played = self.rules.play_unchecked(position, pit);
            let mut promise = self.merits[pit.index()] + (i32::from(played.captured) << 24);
            if pit.row_index() == table_move {
                promise = i32::MAX;
            } else if self.killers[ply] == Some(pit) {
                promise += 1 << 23;
            }
            *child = Child {
                pit,
                played,
                promise,
            };
        }
        (children, legal.len())
    }

    /// Remembers that a move was too good for the opponent to allow it.
    fn praise(&mut self, pit: Pit, depth: usize, ply: usize) {
        self.killers[ply] = Some(pit);
        let merit = &mut self.merits[pit.index()];
        *merit += i32::try_from(depth * depth).unwrap_or(0);
        if *merit >= 1 << 22 {
            self.merits.iter_mut().for_each(|merit| *merit /= 2);
        }
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
        self.nodes += 1;
        if self.nodes % NODES_PER_LOOK == 0 {
            let is_stopped = self.limits.stop.is_some_and(|stop| stop());
            self.stopped |= is_stopped || self.nodes >= self.limits.nodes;
        }
    }
}

fn bring_best_forward(children: &mut [Child]) {
    let best = (1..children.len()).fold(0, |best, index| {
        if children[index].promise > children[best].promise {
            index
        } else {
            best
        }
    });
    children.swap(0, best);
}

/// Certain results are counted from the root in the search, from the position in the table.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    reason = "a few hundred"
)]
fn to_table(value: i32, ply: usize) -> i32 {
    if value.abs() >= WIN_FLOOR {
        value + value.signum() * ply as i32
    } else {
        value
    }
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    reason = "a few hundred"
)]
fn from_table(value: i32, ply: usize) -> i32 {
    if value.abs() >= WIN_FLOOR {
        value - value.signum() * ply as i32
    } else {
        value
    }
}
