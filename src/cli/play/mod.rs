//! `awale play`: a person plays against a bot.
//!
//! ```text
//! person_game  the game, in which moves may be taken back
//! said         sentences about it
//! terminal     on the terminal
//! browser      on a page
//! ```

mod browser;
mod person_game;
mod said;
mod terminal;

use super::args::PersonArguments;
use super::check::{place_bot, place_in};
use super::exit::{Exit, Failure, runtime};
use super::rule_args;
use super::run::listen;
use crate::bot::BotPlayer;
use crate::conformance::Budgets;
use crate::endgame_file::{self, EndgameFileError};
use crate::engine::endgame::EndgameValues;
use crate::isolation::supervisor::Guard;
use crate::referee::ClockSettings;
use crate::rules::{IllegalMove, Pit, RuleSet, Side, parse_moves};
use crate::web::PersonAction;
use person_game::{PersonGame, PersonTerms};
use rustix::rand::{GetRandomFlags, getrandom};
use std::time::Duration;

/// The times of a bot without a configuration.
const START_UP: Duration = Duration::from_secs(10);
const NEW_GAME: Duration = Duration::from_secs(5);

/// Plays until the person ends it.
///
/// # Errors
/// The command line is wrong, there is no such bot, or the machine failed.
pub fn play(arguments: &PersonArguments, guard: &Guard) -> Result<Exit, Failure> {
    let terms = terms(arguments)?;
    let page = arguments.web.map(browser::take_address).transpose()?;
    let budgets = Budgets {
        start_up: START_UP,
        new_game: NEW_GAME,
    };
    let (bot, level, equipment) = place_bot(&arguments.bot, &arguments.isolation, budgets, guard)?;
    let bot = BotPlayer::new(bot.0, bot.1);
    let placed = |bot: &str| -> Result<BotPlayer, Failure> {
        let (settings, bot) = place_in(&equipment, bot, level, budgets)?;
        Ok(BotPlayer::new(settings, bot))
    };
    let opening = |error| Failure::usage(format!("cannot begin with --moves: {error}"));
    let interrupt = listen(guard)?;
    runtime()?.block_on(async {
        let game = PersonGame::new(terms, bot).map_err(opening)?;
        match page {
            None => terminal::play(game, interrupt).await,
            Some(page) => Box::pin(browser::play(game, page, &placed, interrupt)).await,
        }
    })
}

fn terms(arguments: &PersonArguments) -> Result<PersonTerms, Failure> {
    let preset = rule_args::preset(&arguments.rules.rules).map_err(Failure::usage)?;
    let rules = rule_args::rules(&arguments.rules)?;
    Ok(PersonTerms {
        preset,
        rules,
        endgame: endgame(&rules)?,
        clock: ClockSettings {
            move_limit: Some(arguments.move_limit),
            ..ClockSettings::default()
        },
        person: if arguments.north {
            Side::North
        } else {
            Side::South
        },
        bot: arguments.bot.clone(),
        opening: opening(arguments.moves.as_deref().unwrap_or_default())?,
        seed: arguments.seed.map_or_else(random_seed, Ok)?,
    })
}

/// The values from which exact hints are taken, if the user has a database for these rules.
fn endgame(rules: &RuleSet) -> Result<Option<EndgameValues>, Failure> {
    match endgame_file::find(rules) {
        Ok(database) => Ok(Some(database.values().clone())),
        Err(
            EndgameFileError::Rules { .. }
            | EndgameFileError::NoCache
            | EndgameFileError::Missing { .. },
        ) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

fn opening(moves: &str) -> Result<Vec<Pit>, Failure> {
    parse_moves(moves).map_err(|error| Failure::usage(format!("cannot read --moves: {error}")))
}

/// Does what the person asks for. Returns what is to be said of it if it is not done.
async fn obey(game: &mut PersonGame, action: PersonAction) -> Option<String> {
    match action {
        // The page alone has levels.
        PersonAction::Look | PersonAction::Level(_) => None,
        PersonAction::Play(letter) => {
            let Some(pit) = Pit::from_letter(letter) else {
                return Some("there is no such pit".to_owned());
            };
            let IllegalMove { pit, legal } = game.play(pit).err()?;
            Some(match game.end() {
                Some(_) => "the game is over; n begins a new one".to_owned(),
                None => said::illegal(game, pit, legal),
            })
        }
        PersonAction::Undo if game.undo().await => None,
        PersonAction::Undo => Some("there is no move of yours to take back".to_owned()),
        PersonAction::Hint => said::hint(game.game(), game.terms().endgame.as_ref())
            .map(|(_, text)| text)
            .or_else(|| Some("the game is over; u takes your last move back".to_owned())),
        PersonAction::Restart => {
            game.restart().await;
            None
        }
    }
}

/// A seed below 2^53, another one each time.
fn random_seed() -> Result<u64, Failure> {
    let mut bytes = [0; 8];
    getrandom(&mut bytes, GetRandomFlags::empty())
        .map_err(|error| Failure::machine(format!("cannot draw a seed: {error}")))?;
    Ok(u64::from_le_bytes(bytes) >> 11)
}
