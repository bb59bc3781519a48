//! The openings of a run: those of its plan or, where their file is not here, what the games show
//! of them.

use super::findings::{Check, FindingPlace, Findings};
use crate::record::GameSummary;
use crate::rules::{Game, Position, moves_text};
use crate::tournament::{
    Opening, OpeningNumbers, OpeningSharing, OpeningSource, Openings, Pair, Plan,
};
use sha2::{Digest as _, Sha256};
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// The key of a plan's identity that says what the openings are.
pub const KEY: &str = "tournament.openings";

/// The openings for the comparison.
#[derive(Clone, Debug)]
pub enum OpeningBook {
    /// The openings of the plan, derived or read again.
    Known(Openings),
    /// A list that is not here: its length, the number of each pair's opening, and the openings
    /// that games have shown.
    Shown {
        count: u32,
        numbers: OpeningNumbers,
        shown: BTreeMap<u32, Opening>,
    },
}

impl OpeningBook {
    /// Checks that the number, the moves and the position of a game's opening are those of its
    /// pair.
    pub fn compare(&mut self, plan: &Plan, pair: &Pair, game: &GameSummary) -> Result<(), String> {
        match self {
            Self::Known(openings) => {
                let (number, opening) = openings.of_pair(pair);
                compare_number(game, number)?;
                compare_opening(game, opening)
            }
            Self::Shown { numbers, shown, .. } => {
                let number = numbers.of_pair(pair);
                compare_number(game, number)?;
                if let Some(opening) = shown.get(&number) {
                    return compare_opening(game, opening);
                }
                let opening = legal_opening(plan, game)?;
                shown.insert(number, opening);
                Ok(())
            }
        }
    }

    /// After the last game: reports what is known of all openings. `recorded` is their description
    /// in the journal.
    pub fn conclude(&self, plan: &Plan, recorded: &str, findings: &mut Findings) {
        match self {
            Self::Known(openings) => {
                let each = openings.for_each_pairing();
                let whose = match plan.sharing {
                    OpeningSharing::Own => format!("{each} of each pairing's own"),
                    OpeningSharing::Shared | OpeningSharing::OfFormat3 => format!("{each} shared"),
                };
                findings.done(Check::Openings, format!("{whose}, as planned"));
            }
            Self::Shown { count, shown, .. } => {
                let all = shown.len() == *count as usize;
                let list = shown.values().cloned().collect();
                if all && listed(plan, list) == recorded {
                    findings.done(
                        Check::Openings,
                        format!("{count} as planned, by their hash"),
                    );
                } else if all {
                    let message = "the openings of the games are not those of the plan: the hash \
                                   of all of them is another";
                    findings.problem(Check::Openings, FindingPlace::default(), message);
                } else {
                    let message = format!(
                        "the games show {} of {count} openings: what the list was cannot be told \
                         without its file; they are legal, and the same for the same number",
                        shown.len()
                    );
                    findings.warning(Check::Openings, FindingPlace::default(), &message);
                }
            }
        }
    }
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

/// The opening of a game, if it is possible.
fn legal_opening(plan: &Plan, game: &GameSummary) -> Result<Opening, String> {
    let opening = Opening {
        moves: game.opening_moves.clone(),
        position: game.start,
    };
    if game.opening_moves.is_empty() {
        return Ok(opening);
    }
    let mut board = Game::new(plan.rules, Position::START);
    for &pit in &game.opening_moves {
        board
            .play(pit)
            .map_err(|error| format!("the moves of its opening are not legal: {error}"))?;
    }
    let opening = Opening {
        position: board.position(),
        ..opening
    };
    compare_opening(game, &opening)?;
    Ok(opening)
}

/// The description of a list of openings in a plan's identity.
fn listed(plan: &Plan, list: Vec<Opening>) -> String {
    let plan = Plan {
        openings: OpeningSource::Listed(list),
        ..plan.clone()
    };
    openings_text(&plan)
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

/// The number of openings in the journal's description: `12 listed, <sha-256>`.
pub fn count_of(recorded: &str) -> Option<u32> {
    let (count, _) = recorded.split_once(" listed, ")?;
    count.parse().ok().filter(|&count| count > 0)
}

/// The description of the openings in the keys.
pub fn openings_text(plan: &Plan) -> String {
    let source = match &plan.openings {
        OpeningSource::Random { plies } => format!("{plies} random plies"),
        OpeningSource::Listed(list) => {
            let texts: Vec<String> = list.iter().map(Opening::text).collect();
            let hash = Sha256::digest(texts.join("\n").as_bytes());
            let mut text = format!("{} listed, ", list.len());
            for byte in hash {
                // Writing to a string cannot fail.
                let _ = write!(text, "{byte:02x}");
            }
            text
        }
    };
    match plan.sharing {
        OpeningSharing::Own => format!("{source}, of each pairing's own"),
        OpeningSharing::Shared => format!("{source}, shared"),
        OpeningSharing::OfFormat3 => source,
    }
}
