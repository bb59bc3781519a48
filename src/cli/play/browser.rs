//! A game on a page in the browser.

use super::person_game::PersonGame;
use super::{obey, random_seed, said};
use crate::bot::BotPlayer;
use crate::cli::exit::{Exit, Failure, tell};
use crate::cli::run::interrupted;
use crate::rules::moves_text;
use crate::tournament::Phase;
use crate::web::{BoundPage, PageAddress, PersonAction, PersonPage};
use serde_json::{Map, Value, json};
use std::io;
use tokio::sync::watch;

/// The bots that the page offers beside that of the command line, the weakest first.
const LEVELS: [&str; 6] = [
    "random",
    "greedy",
    "minimax --depth 1",
    "minimax --depth 2",
    "minimax --depth 4",
    "minimax --depth 8",
];

/// Starts a bot.
type StartBot<'a> = &'a dyn Fn(&str) -> Result<BotPlayer, Failure>;

/// Takes the address of the page.
pub fn take_address(address: PageAddress) -> Result<BoundPage, Failure> {
    if address.is_public() {
        return Err(Failure::usage(format!(
            "cannot play at {address}: everybody could play in your place; --web takes an address \
             of this machine alone, as in 127.0.0.1:8080"
        )));
    }
    BoundPage::bind(address).map_err(|error| cannot_serve(&address.to_string(), &error))
}

fn cannot_serve(address: &str, error: &io::Error) -> Failure {
    Failure::usage(format!(
        "cannot serve the board at {address}: {error}; name another address, or --web 0 for any \
         free port"
    ))
}

/// Plays until Ctrl-C. Another bot is started when the person chooses one.
pub async fn play(
    mut game: PersonGame,
    page: BoundPage,
    start_bot: StartBot<'_>,
    mut interrupt: watch::Receiver<Phase>,
) -> Result<Exit, Failure> {
    let address = page.address();
    let key = format!("{:013x}{:013x}", random_seed()?, random_seed()?);
    let page = PersonPage::serve(page, &game.terms().bot, &key);
    let mut page = page.map_err(|error| cannot_serve(&address.to_string(), &error))?;
    tell(&format!(
        "play at http://{address}/?key={key} ; Ctrl-C ends"
    ));
    tokio::select! {
        biased;
        () = interrupted(&mut interrupt) => return Ok(Exit::Interrupted),
        () = begin(&mut game) => {}
    }
    let own = game.terms().bot.clone();
    let others = LEVELS
        .into_iter()
        .filter(|it| *it != own)
        .map(str::to_owned);
    let levels: Vec<String> = [own.clone()].into_iter().chain(others).collect();
    loop {
        let asked = tokio::select! {
            biased;
            () = interrupted(&mut interrupt) => None,
            asked = page.asked() => asked,
        };
        let Some((action, answer)) = asked else {
            return Ok(Exit::Interrupted);
        };
        let hint = match action {
            PersonAction::Hint => said::hint(game.game(), game.terms().endgame.as_ref()),
            _ => None,
        };
        let is_undo = action == PersonAction::Undo;
        let mut remark = match (action, &hint) {
            (_, Some((_, text))) => Some(text.clone()),
            // No other program than these may be started from a page.
            (PersonAction::Level(name), None) if levels.contains(&name) => {
                let bot = start_bot(&name)?;
                game.replace_bot(name, bot).await;
                None
            }
            (action, None) => obey(&mut game, action).await,
        };
        if is_undo {
            remark = remark.or_else(|| Some("your last move is taken back".to_owned()));
        }
        // The answer has the move of the bot.
        tokio::select! {
            biased;
            () = interrupted(&mut interrupt) => return Ok(Exit::Interrupted),
            () = game.answer() => {}
        }
        if remark.is_none() {
            let plies = said::last_plies(&game, false);
            let all: Vec<String> = plies.into_iter().chain(said::ending(&game)).collect();
            remark = Some(all.join("; ")).filter(|it| !it.is_empty());
        }
        let mut state = state(&game, remark.as_deref());
        state["levels"] = json!(levels);
        state["hint"] = json!(hint.map(|(pit, _)| pit.letter()));
        answer.give(&state);
    }
}

/// Starts the bot, and lets it play if it moves first.
async fn begin(game: &mut PersonGame) {
    game.prepare().await;
    game.answer().await;
}

/// What the page shows.
fn state(game: &PersonGame, remark: Option<&str>) -> Value {
    let terms = game.terms();
    let mut names = [terms.bot.as_str(), "you"];
    if terms.person.index() == 0 {
        names.reverse();
    }
    // What each pit leads to, so that the page can sow it at once.
    let mut next = Map::new();
    for pit in game
        .game()
        .legal_moves()
        .iter()
        .filter(|_| game.is_persons_turn())
    {
        let played = terms.rules.play_unchecked(game.position(), pit);
        next.insert(pit.letter().to_string(), json!(played.position.to_string()));
    }
    json!({
        "names": names,
        "bot": terms.bot,
        "side": terms.person.index(),
        "positions": game.positions().map(|it| it.to_string()).collect::<Vec<_>>(),
        "moves": moves_text(game.game().moves()),
        "next": next,
        "info": game.ply(game.plies()).and_then(|(_, given)| given?.info.clone()),
        "rules": terms.preset.name(),
        "can_undo": game.can_undo(),
        "over": game.end().is_some(),
        "remark": remark,
    })
}
