//! Perft: the number of sequences of exactly this many plies, the standard test of a move
//! generator. Repetition is ignored; no sequence continues after any other ending.

#![expect(clippy::cast_possible_truncation, reason = "a bit number of six bits")]

use super::pit::Pit;
use super::position::Position;
use super::rule_set::RuleSet;

/// Sequences of exactly `depth` legal plies from `position`; 1 at depth 0.
pub fn perft(rules: &RuleSet, position: Position, depth: u32) -> u64 {
    if depth == 0 {
        1
    } else {
        leaves(rules, position, depth)
    }
}

/// The count below each legal first move, in sowing order; empty at depth 0.
pub fn divide(rules: &RuleSet, position: Position, depth: u32) -> Vec<(Pit, u64)> {
    if depth == 0 {
        return Vec::new();
    }
    rules
        .legal_moves(position)
        .into_iter()
        .map(|pit| {
            (
                pit,
                perft(
                    rules,
                    rules.play_unchecked(position, pit).position,
                    depth - 1,
                ),
            )
        })
        .collect()
}

/// Like [`perft`] with a depth of at least 1. The last ply is counted without being played: there
/// are as many sequences as legal moves.
fn leaves(rules: &RuleSet, position: Position, depth: u32) -> u64 {
    if rules.ends_before_moving(position).is_some() {
        return 0;
    }
    let mut movable = rules.movable(position);
    if depth == 1 {
        return u64::from(movable.count_ones());
    }
    let mut count = 0;
    while movable != 0 {
        let row_index = movable.trailing_zeros() as u8;
        movable &= movable - 1;
        count += leaves(
            rules,
            rules.play_row_index(position, row_index).position,
            depth - 1,
        );
    }
    count
}
