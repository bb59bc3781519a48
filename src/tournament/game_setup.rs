//! The settings of one game of a plan, and its record.

use crate::record::{GameId, GameRecord};
use crate::referee::{GameSetup, PlayedGame};
use crate::tournament::openings::Opening;
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

/// The record of a game that was played from the opening with this number.
pub fn recorded(
    played: PlayedGame,
    id: GameId,
    attempt: u32,
    names: [&str; 2],
    (number, opening): (u32, &Opening),
) -> GameRecord {
    GameRecord {
        id,
        attempt,
        entrants: names.map(str::to_owned),
        opening: number,
        opening_moves: opening.moves.clone(),
        start: opening.position,
        plies: played.plies,
        ending: played.ending,
        stores: played.stores,
        ready_us: played.ready_us,
        lateness_us: played.lateness_us,
        off_turn_us: played.off_turn_us,
        short_cpu_us: played.short_cpu_us,
        introductions: played.introductions,
    }
}
