//! Perfect play with few seeds on the board: the value of every position, by solving them all.
//!
//! The *value* of a position is the number of seeds that the player to move captures more than its
//! opponent from here on if both play perfectly; what is in the stores does not count. It depends
//! on the pits alone, and there are C(n + 11, 11) positions of n seeds.
//!
//! ```text
//! check         every value against its moves  private
//! index         the place of a position        private: numbers without gaps
//! code          the byte of a position         private: its value, and a move that gains
//! predecessors  moves taken back               private
//! solve         a layer from those below       one seed more each time
//! solved_rules  which rules have values        and which share them
//! values        questions to a database        value, best moves, the end of a game
//! history       and about a game in progress   the value, where earlier positions allow it
//! ```
//!
//! # Why the values are right
//!
//! Captures only take seeds away, so play stays among positions of n seeds until a capture or an
//! end pays a fixed number, or stays there for ever. Let *play for ever* pay 0.
//!
//! *Cut after k plies.* Let v(p, k) be the value of a game from p that is stopped after k plies and
//! then pays nothing more. For t > 0, say that the mover *forces* t from p if it can bring about
//! a payment of t or more after finitely many plies, whatever the opponent does. Positions are
//! finitely many, so if t is forced at all, it is forced within some number of plies K that is good
//! for every position. Then v(p, k) ≥ t for all k ≥ K. And if t is not forced, the opponent can
//! always move to a position from which it is not forced either; the stopped game pays less than t.
//! The same holds with the roles exchanged. So v(p, k) is the same for all k ≥ K: the value.
//!
//! *A rule of repetition.* Let any rule end the game with 0 when some position has come back some
//! number of times, and let no position before p count (the last ply was a capture, or p is the
//! start). Who forces t > 0 can take one ply nearer to the payment each time, and so reaches no
//! position twice: the rule never speaks, and t is paid. Who can prevent t goes on preventing it,
//! and a repetition pays 0, which is less than t. So the value is the same under every such rule.
//!
//! *What the solver finds.* A gain is recorded only with a move after which a loss was recorded
//! before, and a loss only when every move leads to a recorded gain or a payment: both are forced.
//! In the other direction, what is forced within k plies has been recorded after k steps.
//!
//! # What earlier visits change
//!
//! In the middle of a stretch without captures a position may have been there before, and then
//! reaching it again ends the game with 0. A player with a disadvantage may find such a position
//! and save itself; a player with an advantage must go round it, which may cost it something. The
//! value is therefore that of a *fresh history*: [`EndgameValues::play_out`] refuses others, and
//! the search asks only right after a capture. Who plays [`EndgameValues::perfect_move`] from such
//! a moment on keeps its advantage all the same: those moves never come back to a position.

mod check;
mod code;
mod history;
mod index;
mod predecessors;
mod solve;
mod solved_rules;
#[cfg(test)]
mod tests;
mod values;

pub use index::{MOST_SEEDS, Rows, positions_below, positions_of};
pub use solve::{Work, solve_layer};
pub use solved_rules::{SolvedRules, Unsolvable};
pub use values::{Bytes, EndgameValues};

use crate::rules::Position;

/// Calls `visit` with all positions of so many seeds, in the order of their codes in a layer: South
/// to move, nothing in the stores.
pub fn for_each_position(seeds: u8, mut visit: impl FnMut(Position)) {
    let rows = Rows::up_to(seeds);
    let mut walk = rows.from_place(seeds, 0);
    for _ in 0..positions_of(seeds) {
        visit(walk.position());
        walk.step();
    }
}
