//! What a search under a clock does not look at in full.
//!
//! Two suspicions, and how far they are trusted:
//!
//! * A shallow search of the same position says that its value lies far outside the window
//!   (Buro's `ProbCut`). Its margin is in proportion to how much the values of the two depths
//!   differ in games: about two seeds.
//! * A move that is late in the order and captures nothing is probably not the best. It is first
//!   searched less deep, and in full only if it is better than expected there.
//!
//! Neither touches certain results: a win that was found at less depth is a win all the same.

/// Values beyond this are not compared with shallow searches: a game that is as good as decided.
pub const MOST_ESTIMATE: i32 = 10_000;

/// The depth of the shallow search that is compared with one of `depth`.
pub const fn shallow_depth(depth: usize) -> usize {
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
pub const fn margin(depth: usize) -> i32 {
    match depth {
        0 | 1 => 120,
        2 => 180,
        3 => 220,
        _ => 200,
    }
}

/// By how many plies less a move without a capture is searched at first; `number` is 0 for the
/// first move in the order.
pub const fn reduction(number: usize, depth: usize) -> usize {
    (number >= 3 && depth >= 3) as usize + (number >= 5 && depth >= 6) as usize
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::path::MAX_DEPTH;

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
