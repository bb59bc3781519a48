//! The openings of a run: those of its plan.

use crate::record::GameSummary;
use crate::rules::moves_text;
use crate::tournament::{Opening, OpeningSource, Openings, Pair};

/// Checks that the number, the moves and the position of a game's opening are those of its pair.
pub fn compare(openings: &Openings, pair: &Pair, game: &GameSummary) -> Result<(), String> {
    let (number, opening) = openings.of_pair(pair);
    compare_number(game, number)?;
    compare_opening(game, opening)
}

fn compare_number(game: &GameSummary, number: u32) -> Result<(), String> {
    if game.opening == number {
        return Ok(());
    }
    let there = game.opening;
    Err(format!(
        "it has opening {there}, and the schedule gives it {number}"
    ))
}

fn compare_opening(game: &GameSummary, opening: &Opening) -> Result<(), String> {
    let number = game.opening;
    if game.opening_moves != opening.moves {
        return Err(format!(
            "the moves of opening {number} are {}, and those of the plan {}",
            named(&moves_text(&game.opening_moves)),
            named(&moves_text(&opening.moves))
        ));
    }
    if game.start != opening.position {
        return Err(format!(
            "it starts from {}, and opening {number} leads to {}",
            game.start, opening.position
        ));
    }
    Ok(())
}

fn named(moves: &str) -> &str {
    if moves.is_empty() { "none" } else { moves }
}

/// The message about a list of openings that differs from the one that was played.
pub const fn changed(here: &OpeningSource) -> &'static str {
    match here {
        OpeningSource::Listed(list) if !list.is_empty() => {
            "the file of openings has other openings now than the ones that were played: run \
             again, this would be another tournament"
        }
        _ => "the file of openings is not on this machine, or is none any more",
    }
}
