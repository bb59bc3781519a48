//! Solves all positions with one more seed than those that are solved.
//!
//! A layer is the positions with equally many seeds. Captures lead to finished layers, so within
//! one only moves without a capture matter: they are *open* until it is known that they lose.
//! Every position begins with what its captures and ends say. Then two steps alternate until
//! nothing changes:
//!
//! 1. Where the mover was found to lose, each position before it can gain as much.
//! 2. Where it was found to gain, each position before it has one open move less. Without an open
//!    move it loses what its best move loses.
//!
//! Who has an open move at the end gains and loses nothing.
//!
//! A gain is never more and a loss never greater than the true one, and both only grow: what is
//! left when nothing changes is the value (the head of `endgame` proves it). A position keeps the
//! move by which it first reached its gain. The position after that move was known to lose before,
//! so nobody who follows these moves comes back to a position.
//!
//! Threads share the work of each step, and all that one reads of the others' work in the same
//! step leads to the same result. So the bytes are the same for any number of threads.

use super::code::{NO_OPEN_MOVE, SIX_OPEN_MOVES, code_of, gaining_pit, is_code, value_of};
use super::index::{Rows, place, positions_of};
use super::predecessors::Predecessors;
use crate::rules::{EndReason, Pit, Played, Position, RuleSet, Side};
use std::sync::atomic::Ordering::{Relaxed, SeqCst};
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU64, AtomicUsize};

/// Positions that a thread takes at a time.
const BLOCK: usize = 1 << 14;

/// A set of places.
struct Marks(Vec<AtomicU64>);

impl Marks {
    fn new(places: usize) -> Self {
        Self(
            (0..places.div_ceil(64))
                .map(|_| AtomicU64::new(0))
                .collect(),
        )
    }

    #[inline]
    fn contains(&self, place: usize) -> bool {
        self.0[place / 64].load(Relaxed) >> (place % 64) & 1 == 1
    }

    #[inline]
    fn insert(&self, place: usize) {
        if !self.contains(place) {
            self.0[place / 64].fetch_or(1 << (place % 64), Relaxed);
        }
    }

    /// Calls `visit` with all marked places of a block, in order.
    #[inline]
    fn for_each(&self, block: usize, mut visit: impl FnMut(usize)) {
        let words = self.0.iter().enumerate();
        for (word, marks) in words.skip(block * (BLOCK / 64)).take(BLOCK / 64) {
            let mut marks = marks.load(Relaxed);
            while marks != 0 {
                visit(64 * word + marks.trailing_zeros() as usize);
                marks &= marks - 1;
            }
        }
    }

    fn clear(&self) {
        for word in &self.0 {
            word.store(0, Relaxed);
        }
    }
}

/// How a layer is to be solved.
#[derive(Clone, Copy)]
pub struct Work<'a> {
    /// Threads that share it, 1 at least.
    pub threads: usize,
    /// Called with a number of positions as the work goes on. All calls together add up to the
    /// positions.
    pub progress: &'a (dyn Fn(u64) + Sync),
    /// Asked between blocks: true gives up.
    pub stop: &'a (dyn Fn() -> bool + Sync),
}

/// A layer in work.
struct Layer<'a> {
    rules: &'a RuleSet,
    predecessors: Predecessors<'a>,
    rows: &'a Rows,
    seeds: u8,
    /// The codes of the layers below.
    below: &'a [Vec<u8>],
    codes: Vec<AtomicU8>,
    /// The positions that were found to lose (more) in the last second step.
    lost: Marks,
    /// The positions that were found to gain in the last first step, and did not before.
    gained: Marks,
    /// The positions that were found to gain more.
    raised: Marks,
    work: Work<'a>,
    /// How many positions the progress has been told of: those that gain, as they are found.
    told: AtomicU64,
    stopped: AtomicBool,
}

/// The codes of all positions with one seed more than the layers in `below` go up to (those of no
/// seed if there are none); `None` if it was stopped. `rules` end no game by a majority.
///
/// The memory is that of the result and three bits more for each position.
pub fn solve_layer(
    rules: &RuleSet,
    rows: &Rows,
    below: &[Vec<u8>],
    work: Work<'_>,
) -> Option<Vec<u8>> {
    let seeds = u8::try_from(below.len()).ok()?;
    let places = usize::try_from(positions_of(seeds)).ok()?;
    let layer = Layer {
        rules,
        predecessors: Predecessors::new(rules),
        rows,
        seeds,
        below,
        codes: (0..places).map(|_| AtomicU8::new(0)).collect(),
        lost: Marks::new(places),
        gained: Marks::new(places),
        raised: Marks::new(places),
        work,
        told: AtomicU64::new(0),
        stopped: AtomicBool::new(false),
    };
    layer.in_blocks(|block| layer.begin(block));
    loop {
        let gains = layer.in_blocks(|block| layer.spread_losses(block));
        layer.lost.clear();
        let losses = layer.in_blocks(|block| layer.spread_gains(block));
        layer.gained.clear();
        layer.raised.clear();
        if layer.stopped.load(Relaxed) {
            return None;
        }
        if gains + losses == 0 {
            break;
        }
    }
    (work.progress)(places as u64 - layer.told.into_inner());
    let codes = layer.codes.into_iter().map(AtomicU8::into_inner);
    Some(
        codes
            .map(|code| if is_code(code) { code } else { 0 })
            .collect(),
    )
}

impl Layer<'_> {
    /// Calls `step` with the number of each block, and adds up what it returns.
    ///
    /// Each thread begins in a part of its own, and helps the others at its end: threads that work
    /// on neighbouring blocks would change the same lines of the processor's cache all the time.
    fn in_blocks(&self, step: impl Fn(usize) -> usize + Sync) -> usize {
        let blocks = self.codes.len().div_ceil(BLOCK);
        let threads = self.work.threads.clamp(1, blocks);
        let first = |part: usize| part * blocks / threads;
        let parts: Vec<AtomicUsize> = (0..threads).map(|part| first(part).into()).collect();
        let total = AtomicUsize::new(0);
        let worker = |thread: usize| {
            let mut sum = 0;
            for part in (0..threads).map(|offset| (thread + offset) % threads) {
                loop {
                    let block = parts[part].fetch_add(1, Relaxed);
                    if block >= first(part + 1) || self.stopped.load(Relaxed) {
                        break;
                    }
                    sum += step(block);
                    if (self.work.stop)() {
                        self.stopped.store(true, Relaxed);
                    }
                }
            }
            total.fetch_add(sum, Relaxed);
        };
        std::thread::scope(|scope| {
            for thread in 1..threads {
                let worker = &worker;
                scope.spawn(move || worker(thread));
            }
            worker(0);
        });
        total.into_inner()
    }

    /// What captures and ends say of the positions of a block.
    fn begin(&self, block: usize) -> usize {
        let first = block * BLOCK;
        let end = self.codes.len().min(first + BLOCK);
        let mut walk = self.rows.from_place(self.seeds, first);
        for place in first..end {
            let code = self.first_code(walk.position());
            self.codes[place].store(code, Relaxed);
            match value_of(code) {
                0 => {}
                1.. => self.gained.insert(place),
                _ => self.lost.insert(place),
            }
            walk.step();
        }
        0
    }

    fn first_code(&self, position: Position) -> u8 {
        let legal = self.rules.legal_moves(position);
        if legal.is_empty() {
            return code_of(end_value(self.rules, position), 0);
        }
        let mut best: Option<(i8, u8)> = None;
        let mut open_moves = 0;
        for pit in legal {
            let played = self.rules.play_unchecked(position, pit);
            if played.captured == 0 {
                open_moves += 1;
                continue;
            }
            let value = self.value_of_capture(played);
            if best.is_none_or(|(best, _)| value > best) {
                best = Some((value, pit.row_index()));
            }
        }
        match best {
            // With a capture that loses nothing the open moves do not matter.
            Some((value, row_index)) if value >= 0 || open_moves == 0 => code_of(value, row_index),
            _ => NO_OPEN_MOVE + open_moves,
        }
    }

    #[inline]
    fn value_of_capture(&self, played: Played) -> i8 {
        let (seeds, place) = place(played.position);
        played.captured.cast_signed() - value_of(self.below[seeds][place])
    }

    /// The first step: what is newly lost is gained by those who can move there.
    fn spread_losses(&self, block: usize) -> usize {
        let mut walk = self.rows.from_place(self.seeds, block * BLOCK);
        let mut gains = 0;
        self.lost.for_each(block, |lost| {
            walk.go_to(lost);
            let value = -value_of(self.codes[lost].load(Relaxed));
            self.predecessors.for_each(walk.position(), |earlier, pit| {
                gains += usize::from(self.gain(place(earlier).1, value, pit));
            });
        });
        gains
    }

    /// Raises a position to a value, if that is more than it had. Among the moves that reach the
    /// value in the same step the first pit is kept.
    ///
    /// A place is marked before its code rises, so whoever sees a new code sees the mark.
    #[inline]
    fn gain(&self, place: usize, value: i8, pit: Pit) -> bool {
        let code = code_of(value, pit.row_index());
        let mut known = self.codes[place].load(SeqCst);
        let mut is_new = false;
        loop {
            let before = value_of(known);
            let is_more = value > before;
            if is_more {
                let marks = if before > 0 {
                    &self.raised
                } else {
                    &self.gained
                };
                marks.insert(place);
            }
            let is_earlier_pit = value == before
                && gaining_pit(known) > Some(pit.row_index())
                && (self.gained.contains(place) || self.raised.contains(place));
            if !is_more && !is_earlier_pit {
                return is_new;
            }
            is_new |= is_more;
            match self.codes[place].compare_exchange(known, code, SeqCst, SeqCst) {
                Ok(_) => return is_new,
                Err(now) => known = now,
            }
        }
    }

    /// The second step: what is newly gained is lost by those who have no other move.
    fn spread_gains(&self, block: usize) -> usize {
        let (mut losses, mut gains) = (0, 0);
        let mut walk = self.rows.from_place(self.seeds, block * BLOCK);
        self.gained.for_each(block, |gained| {
            gains += 1;
            walk.go_to(gained);
            self.predecessors.for_each(walk.position(), |earlier, _| {
                let (_, here) = place(earlier);
                let known = self.codes[here].load(Relaxed);
                if (NO_OPEN_MOVE + 1..=SIX_OPEN_MOVES).contains(&known) {
                    let before = self.codes[here].fetch_sub(1, Relaxed);
                    if before == NO_OPEN_MOVE + 1 {
                        losses += usize::from(self.lose(earlier, here));
                    }
                }
            });
        });
        let mut walk = self.rows.from_place(self.seeds, block * BLOCK);
        self.raised.for_each(block, |raised| {
            // Otherwise nobody has counted on the smaller gain.
            if !self.gained.contains(raised) {
                walk.go_to(raised);
                self.predecessors.for_each(walk.position(), |earlier, _| {
                    let (_, here) = place(earlier);
                    if value_of(self.codes[here].load(Relaxed)) < 0 {
                        losses += usize::from(self.lose(earlier, here));
                    }
                });
            }
        });
        if gains > 0 {
            self.told.fetch_add(gains, Relaxed);
            (self.work.progress)(gains);
        }
        losses
    }

    /// Lowers a position to its best move, if all are worse than what it had. None is open.
    fn lose(&self, position: Position, here: usize) -> bool {
        let before = value_of(self.codes[here].load(Relaxed));
        let mut best = i8::MIN;
        for pit in self.rules.legal_moves(position) {
            let played = self.rules.play_unchecked(position, pit);
            let value = if played.captured == 0 {
                let (_, next) = place(played.position);
                -value_of(self.codes[next].load(Relaxed))
            } else {
                self.value_of_capture(played)
            };
            if value >= before {
                return false;
            }
            best = best.max(value);
        }
        self.codes[here].store(code_of(best, 0), Relaxed);
        self.lost.insert(here);
        true
    }
}

/// The value of an ended position for the side to move, stores apart.
pub fn end_value(rules: &RuleSet, position: Position) -> i8 {
    let reason = rules.ends_at(position).unwrap_or(EndReason::NoMove);
    let [own, other] = rules.settle(position, reason).map(u8::cast_signed);
    match position.to_move() {
        Side::South => own - other,
        Side::North => other - own,
    }
}
