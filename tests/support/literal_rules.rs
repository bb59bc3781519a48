//! A second implementation of the rules, slow and literal on purpose.
//!
//! It follows the text of `docs/rules.md` sentence by sentence, with a plain array and seeds moved
//! one at a time, and shares no code with `awale::rules` but the names of the rule fields. The
//! tests play the same games on both.

use awale::rules::{Capture, GrandSlam, Remaining, RuleSet};
use std::collections::BTreeSet;

/// Pits A–F, a–f, the two stores, and 0 or 1 for the side to move.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Board {
    pub pits: [u32; 12],
    pub stores: [u32; 2],
    pub to_move: usize,
}

fn row(side: usize) -> std::ops::Range<usize> {
    side * 6..side * 6 + 6
}

impl Board {
    fn row_seeds(&self, side: usize) -> u32 {
        self.pits[row(side)].iter().sum()
    }

    /// Sows one pit seed by seed; returns the board and the pit of the last seed.
    fn sow(&self, origin: usize) -> (Self, usize) {
        let mut board = self.clone();
        let mut hand = board.pits[origin];
        board.pits[origin] = 0;
        let mut pit = origin;
        while hand > 0 {
            pit = (pit + 1) % 12;
            if pit == origin {
                continue;
            }
            board.pits[pit] += 1;
            hand -= 1;
        }
        (board, pit)
    }

    /// The pits that a sowing which ended in `last` would capture, slams not looked at.
    fn captures(&self, rules: &RuleSet, last: usize) -> Vec<usize> {
        let theirs = row(1 - self.to_move);
        if !theirs.contains(&last) {
            return Vec::new();
        }
        if rules.capture == Capture::LastPit {
            return vec![last];
        }
        let mut taken = Vec::new();
        let mut pit = last;
        while self.pits[pit] == 2 || self.pits[pit] == 3 {
            taken.push(pit);
            if pit == theirs.start {
                break;
            }
            pit -= 1;
        }
        taken
    }

    /// Plays a pit, legal or not: board, seeds captured, whether it was a slam.
    pub fn play(&self, rules: &RuleSet, origin: usize) -> (Self, u32, bool) {
        let (mut board, last) = self.sow(origin);
        let taken = board.captures(rules, last);
        let mut emptied = board.clone();
        let mut seeds = 0;
        for pit in &taken {
            seeds += emptied.pits[*pit];
            emptied.pits[*pit] = 0;
        }
        let slam = !taken.is_empty() && emptied.row_seeds(1 - self.to_move) == 0;
        let spared = slam
            && matches!(
                rules.grand_slam,
                GrandSlam::NoCapture | GrandSlam::Forbidden | GrandSlam::ForbiddenUnlessOnly
            );
        if spared {
            seeds = 0;
        } else {
            board = emptied;
            board.stores[self.to_move] += seeds;
        }
        board.to_move = 1 - self.to_move;
        (board, seeds, slam)
    }

    /// The moves that are legal if the game is not over.
    pub fn moves(&self, rules: &RuleSet) -> Vec<usize> {
        let them = 1 - self.to_move;
        let mut moves: Vec<usize> = row(self.to_move)
            .filter(|&pit| self.pits[pit] > 0)
            .collect();
        if rules.must_feed && self.row_seeds(them) == 0 {
            moves.retain(|&pit| self.play(rules, pit).0.row_seeds(them) > 0);
        }
        let is_slam = |pit: &usize| self.play(rules, *pit).2;
        match rules.grand_slam {
            GrandSlam::NoCapture | GrandSlam::Capture => {}
            GrandSlam::Forbidden => moves.retain(|pit| !is_slam(pit)),
            GrandSlam::ForbiddenUnlessOnly | GrandSlam::ForbiddenUnlessOnlyCapture => {
                if !moves.iter().all(is_slam) {
                    moves.retain(|pit| !is_slam(pit));
                }
            }
        }
        moves
    }

    /// No sequence of legal moves contains a capture: everything reachable is looked at.
    pub fn is_dead(&self, rules: &RuleSet) -> bool {
        let on_board: u32 = self.pits.iter().sum();
        if on_board != 2 && on_board != 3 {
            return false;
        }
        let mut seen = BTreeSet::from([self.clone()]);
        let mut todo = vec![self.clone()];
        while let Some(board) = todo.pop() {
            if rules.row_empty_ends && (board.row_seeds(0) == 0 || board.row_seeds(1) == 0) {
                continue;
            }
            for pit in board.moves(rules) {
                let (next, captured, _) = board.play(rules, pit);
                if captured > 0 {
                    return false;
                }
                if seen.insert(next.clone()) {
                    todo.push(next);
                }
            }
        }
        true
    }

    /// Why the position ends the game, in the order of the table of endings; repetition apart.
    pub fn ends(&self, rules: &RuleSet) -> Option<&'static str> {
        let [south, north] = self.stores;
        if rules.majority_ends && (south > 24 || north > 24 || (south == 24 && north == 24)) {
            return Some("majority");
        }
        if rules.row_empty_ends && (self.row_seeds(0) == 0 || self.row_seeds(1) == 0) {
            return Some("row-empty");
        }
        if rules.dead_position_ends && self.is_dead(rules) {
            return Some("dead-position");
        }
        if self.moves(rules).is_empty() {
            return Some("no-move");
        }
        None
    }

    /// The stores when the game has ended here.
    pub fn settle(&self, rules: &RuleSet, reason: &str) -> [u32; 2] {
        let own = [
            self.stores[0] + self.row_seeds(0),
            self.stores[1] + self.row_seeds(1),
        ];
        match reason {
            "majority" | "row-empty" => self.stores,
            "repetition" if rules.repetition.remaining == Remaining::Nobody => self.stores,
            "no-move" => {
                let (me, them) = (self.to_move, 1 - self.to_move);
                let mut stores = own;
                if self.row_seeds(them) == 0 && self.row_seeds(me) > 0 {
                    let gift = u32::from(rules.no_move_gift).min(stores[me]);
                    stores[me] -= gift;
                    stores[them] += gift;
                }
                stores
            }
            _ => own,
        }
    }
}

/// A game with every earlier position kept for ever; only equal ones are counted.
pub struct LiteralGame {
    pub rules: RuleSet,
    pub board: Board,
    earlier: Vec<([u32; 12], usize)>,
}

impl LiteralGame {
    pub fn new(rules: RuleSet, board: Board) -> Self {
        let earlier = vec![(board.pits, board.to_move)];
        Self {
            rules,
            board,
            earlier,
        }
    }

    pub fn ends(&self) -> Option<&'static str> {
        self.board.ends(&self.rules).or_else(|| {
            let now = (self.board.pits, self.board.to_move);
            let count = self
                .earlier
                .iter()
                .filter(|&&position| position == now)
                .count();
            (count >= usize::from(self.rules.repetition.occurrences)).then_some("repetition")
        })
    }

    pub fn play(&mut self, pit: usize) -> u32 {
        let (board, captured, _) = self.board.play(&self.rules, pit);
        self.board = board;
        self.earlier.push((self.board.pits, self.board.to_move));
        captured
    }
}
