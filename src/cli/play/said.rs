//! Sentences about a game: what happened, why a pit is not legal, and a hint.

use super::person_game::{PersonGame, PersonGameEnd};
use crate::engine::endgame::EndgameValues;
use crate::engine::{Budget, Engine, House, MinimaxOptions};
use crate::record;
use crate::report::{readable_time, shortened};
use crate::rules::{Game, GameResult, Pit, PitSet, moves_text};
use crate::text::{counted, micros, printable, shell_word};

/// What a bot may say with its move, in columns.
const INFO_COLUMNS: usize = 200;
/// Plies that are searched for a hint: a fraction of a second.
const HINT_DEPTH: u32 = 10;

/// What was played since the person was asked last: `you play C, which takes 2 seeds`, and the
/// answer of the bot, with what it says if that is wanted.
pub fn last_plies(game: &PersonGame, with_info: bool) -> Vec<String> {
    let last = game.plies();
    let is_bots = |ply: usize| game.ply(ply).is_some_and(|(_, given)| given.is_some());
    let first = if is_bots(last) {
        last.saturating_sub(1)
    } else {
        last
    };
    let plies = (first..=last).filter(|ply| *ply > game.terms().opening.len());
    let plies = plies.filter_map(|ply| sentence_of(game, ply, with_info));
    plies.collect()
}

fn sentence_of(game: &PersonGame, ply: usize, with_info: bool) -> Option<String> {
    let (last, given) = game.ply(ply)?;
    let taken = match last.captured {
        0 => String::new(),
        seeds => format!(", which takes {}", counted(seeds.into(), "seed", "seeds")),
    };
    let pit = last.pit.letter();
    let Some(given) = given else {
        return Some(format!("you play {pit}{taken}"));
    };
    let time = readable_time(micros(given.time));
    let info = given.info.as_deref().filter(|_| with_info);
    let info = info.map_or(String::new(), |info| {
        format!(", and says {}", shortened(info, INFO_COLUMNS))
    });
    let bot = printable(&game.terms().bot);
    Some(format!("{bot} plays {pit}{taken}, after {time}{info}"))
}

/// How the game ended, and who won.
pub fn ending(game: &PersonGame) -> Option<String> {
    let end = game.end()?;
    let bot = printable(&game.terms().bot);
    Some(match end {
        PersonGameEnd::Rules(ending) => {
            format!("{} ({})", result(game, ending.stores), ending.reason)
        }
        PersonGameEnd::Adjudicated(stores) => {
            format!("{} (the game was very long)", result(game, *stores))
        }
        PersonGameEnd::Resigned => format!("you win: {bot} resigns"),
        PersonGameEnd::Fault(fault) => {
            let advice = record::hint(fault.kind, &fault.detail);
            let advice = advice.map_or(String::new(), |advice| format!("\n  {advice}"));
            let check = printable(&shell_word(&game.terms().bot));
            let advice = format!("{advice}\n  awale check {check} examines it step by step");
            let detail = printable(&fault.detail);
            format!(
                "you win by a fault of {bot}: {}: {detail}{advice}",
                fault.kind
            )
        }
        PersonGameEnd::NoBot(cause) => {
            format!("the game cannot go on: the machine: {}", printable(cause))
        }
    })
}

fn result(game: &PersonGame, stores: [u8; 2]) -> String {
    let person = game.terms().person;
    let seeds = [person, person.opponent()].map(|side| stores[side.index()]);
    let [own, other] = seeds;
    let bot = printable(&game.terms().bot);
    match GameResult::of_stores(stores) {
        GameResult::Draw => format!("a draw, {own} to {other}"),
        GameResult::Win(side) if side == person => format!("you win, {own} to {other}"),
        GameResult::Win(_) => format!("{bot} wins, {other} to {own}"),
    }
}

/// Why a pit is not legal.
pub fn illegal(game: &PersonGame, pit: Pit, legal: PitSet) -> String {
    let position = game.position();
    let pits = moves_text(&legal.iter().collect::<Vec<_>>());
    let why = if pit.side() != position.to_move() {
        "is a pit of the bot"
    } else if position.seeds(pit) == 0 {
        "is empty"
    } else if position.row_seeds(position.to_move().opponent()) == 0 {
        "does not feed the bot, which has no seeds"
    } else {
        "would leave the bot without seeds"
    };
    format!("{} {why}; you may play {pits}", pit.letter())
}

/// A good move, and why: `E: minimax expects to end 3.2 seeds ahead of the bot`, or what perfect
/// play leads to where that is known; `None` if the game is over.
pub fn hint(game: &Game, endgame: Option<&EndgameValues>) -> Option<(Pit, String)> {
    if let Some(exact) = endgame.and_then(|values| exact_hint(game, values)) {
        return Some(exact);
    }
    let mut engine = Engine::new(House::Minimax(MinimaxOptions {
        depth: Some(HINT_DEPTH),
        ..MinimaxOptions::default()
    }));
    let choice = engine.choose(game, &Budget::default())?;
    let (pit, score) = (choice.pit, choice.score?);
    let text = match score.certain_in() {
        Some(plies) if score.seeds() > 0.0 => format!("{pit} wins within {plies} plies"),
        Some(plies) => format!("{pit} holds out longest: the game is lost in {plies} plies"),
        None => format!("{pit}: minimax expects to end {}", distance(score.seeds())),
    };
    Some((pit, text))
}

/// A perfect move, if the game has few seeds on the board.
fn exact_hint(game: &Game, values: &EndgameValues) -> Option<(Pit, String)> {
    let value = values.value_in(game)?;
    let position = game.position();
    let pit = values.perfect_move(position)?;
    let gain = match value {
        0 => "both sides gain as many seeds".to_owned(),
        1.. => format!("you gain {} more than the bot", seeds(value)),
        _ => format!("the bot gains {} more than you", seeds(value)),
    };
    let own_side = position.to_move();
    let [own, other] = [own_side, own_side.opponent()].map(|side| position.store(side));
    let end = match own.cast_signed() - other.cast_signed() + value {
        0 => "it ends in a draw".to_owned(),
        ahead @ 1.. if value < 0 => format!("you still win by {}", seeds(ahead)),
        ahead @ 1.. => format!("you win by {}", seeds(ahead)),
        behind if value > 0 => format!("the bot still wins by {}", seeds(behind)),
        behind => format!("the bot wins by {}", seeds(behind)),
    };
    Some((
        pit,
        format!("{pit}, exact: with perfect play {gain} from here, and {end}"),
    ))
}

fn seeds(number: i8) -> String {
    counted(number.unsigned_abs().into(), "seed", "seeds")
}

fn distance(score: f64) -> String {
    let seeds = format!("{:.1}", score.abs());
    match seeds.as_str() {
        "0.0" => "level with the bot".to_owned(),
        _ if score > 0.0 => format!("{seeds} seeds ahead of the bot"),
        _ => format!("{seeds} seeds behind the bot"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::endgame::SolvedRules;
    use crate::rules::{Position, Preset};

    #[test]
    fn a_hint_says_where_it_leads() {
        for (position, expected) in [
            // South has 24 seeds and takes one more.
            ("0-0-0-0-0-1-1-3-0-0-0-0-24-19-S", "wins within"),
            ("4-4-4-4-4-4-4-4-4-4-4-4-0-0-S", "minimax expects to end"),
        ] {
            let position: Position = position.parse().unwrap();
            let (pit, said) = hint(&Game::new(Preset::Awale.rules(), position), None).unwrap();
            assert!(said.starts_with(pit.letter()), "{said}");
            assert!(said.contains(expected), "{said}");
        }
        let rules = Preset::Awale.rules();
        let values = EndgameValues::solve(SolvedRules::of(&rules).unwrap(), 6);
        for (position, expected) in [
            // F takes two; North cannot feed, and takes its last seed.
            (
                "0-0-0-0-0-1-1-0-1-0-0-0-22-23-S",
                "F, exact: with perfect play you gain 1 seed more than the bot from here, and it \
                 ends in a draw",
            ),
            // North answers with f, which takes two, and the last seed is South's.
            (
                "1-0-0-0-0-0-0-0-0-0-0-2-22-23-S",
                "A, exact: with perfect play the bot gains 1 seed more than you from here, and the \
                 bot wins by 2 seeds",
            ),
            // Two seeds go round until the position comes back.
            (
                "1-0-0-0-0-0-1-0-0-0-0-0-24-22-S",
                "A, exact: with perfect play both sides gain as many seeds from here, and you win \
                 by 2 seeds",
            ),
            // Seven seeds are too many for these values.
            (
                "1-1-1-0-0-1-1-1-0-0-0-1-20-21-S",
                ": minimax expects to end",
            ),
        ] {
            let position: Position = position.parse().unwrap();
            let (_, said) = hint(&Game::new(rules, position), Some(&values)).unwrap();
            assert!(said.contains(expected), "{said}");
        }
        for (score, expected) in [
            (0.04, "level with the bot"),
            (-0.04, "level with the bot"),
            (3.25, "3.2 seeds ahead of the bot"),
            (-0.9, "0.9 seeds behind the bot"),
        ] {
            assert_eq!(distance(score), expected);
        }
    }
}
