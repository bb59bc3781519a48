//! The games of an unfinished run that must still be played.

use super::schedule::Attendance;
use crate::record::{Exclusions, GameEnding, GameId, GameRecord};
use crate::rules::Position;
use crate::tournament::{EntrantIndex, Plan, Schedule};

/// The number of such games that are named.
const NAMED: usize = 5;

/// The first games that must still be played, in the order of the schedule.
pub fn open_games(
    plan: &Plan,
    schedule: &Schedule,
    attendance: &Attendance,
    exclusions: &Exclusions,
) -> Vec<GameId> {
    let games = schedule.pairs.iter().flat_map(|pair| {
        let games = pair.game_ids().into_iter();
        games.map(move |game| {
            let sides = pair.sides(game.number);
            (game, sides)
        })
    });
    let is_open = |(game, sides): &(GameId, [_; 2])| {
        !attendance.has_result(game)
            && exclusions.allow(&unplayed(
                plan,
                game.clone(),
                sides.map(EntrantIndex::index),
            ))
    };
    let open = games.filter(is_open).map(|(game, _)| game);
    open.take(NAMED).collect()
}

/// A game before it is played, as a record: exclusions are defined on records.
fn unplayed(plan: &Plan, id: GameId, sides: [usize; 2]) -> GameRecord {
    GameRecord {
        id,
        attempt: 1,
        entrants: sides.map(|side| plan.entrants[side].name.clone()),
        opening: 1,
        opening_moves: Vec::new(),
        start: Position::START,
        plies: Vec::new(),
        ending: GameEnding::Adjudicated,
        stores: [0, 0],
        ready_us: [None; 2],
        lateness_us: None,
        off_turn_us: [None; 2],
        short_cpu_us: [None; 2],
        introductions: Default::default(),
    }
}
