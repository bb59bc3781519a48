//! The settings of one game of a plan.

use crate::record::GameId;
use crate::referee::GameSetup;
use crate::tournament::openings::opening::Opening;
use crate::tournament::plan::Plan;

/// How the referee plays a game of this id between entrants of these names. `told_id` is
/// [`Plan::told_id`] of the same id, and `moves` the text of the opening's moves.
///
/// # Panics
/// The plan has no secret.
pub fn game_setup<'a>(
    plan: &Plan,
    id: &GameId,
    told_id: &'a str,
    names: [&'a str; 2],
    (opening, moves): (&Opening, &'a str),
) -> GameSetup<'a> {
    GameSetup {
        id: told_id,
        names: (!plan.blind).then_some(names),
        preset: plan.preset,
        rules: plan.rules,
        clock: plan.clock,
        max_plies: plan.max_plies,
        seeds: plan.bot_seeds(id),
        start: opening.position,
        opening: opening.has_moves().then_some(moves),
    }
}
