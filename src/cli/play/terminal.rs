//! A game on the terminal: a drawn board, and a letter for each move.

use super::person_game::PersonGame;
use super::{obey, said};
use crate::cli::board::drawn;
use crate::cli::exit::{self, Exit, Failure};
use crate::cli::run::interrupted;
use crate::files;
use crate::rules::{Pit, Side, moves_text};
use crate::text::{printable, quoted};
use crate::tournament::Phase;
use crate::web::PersonAction;
use std::io;
use std::thread;
use std::time::Duration;
use tokio::sync::{mpsc, watch};

/// Bytes of a line that are looked at.
const LONGEST_LINE: usize = 200;
/// How long the bot thinks before that is said.
const PATIENCE: Duration = Duration::from_millis(700);
const HELP: &str = concat!(
    "  a letter   plays that pit: A to F if you are South, a to f if you are North\n",
    "  u          takes your last move back\n",
    "  h          says what minimax would play, or what is best where that is known\n",
    "  m          prints the moves so far\n",
    "  n          begins a new game\n",
    "  q          ends",
);

/// What a line asks for.
enum PersonCommand {
    Action(PersonAction),
    Moves,
    Leave,
    Help,
    Nothing,
    Unknown,
}

/// Plays until the person ends it.
pub async fn play(
    mut game: PersonGame,
    mut interrupt: watch::Receiver<Phase>,
) -> Result<Exit, Failure> {
    let mut lines = lines().map_err(unreadable)?;
    say(&beginning(&game))?;
    tokio::select! {
        () = game.prepare() => {}
        () = interrupted(&mut interrupt) => return Ok(Exit::Interrupted),
    }
    loop {
        tokio::select! {
            () = game.answer() => {}
            () = say_that_it_thinks() => unreachable!("it says nothing more"),
            () = interrupted(&mut interrupt) => return Ok(Exit::Interrupted),
        }
        show(&game)?;
        // Until something changes.
        loop {
            prompt(&game)?;
            let line = tokio::select! {
                line = lines.recv() => line,
                () = interrupted(&mut interrupt) => return Ok(Exit::Interrupted),
            };
            let Some(line) = line else {
                say("")?;
                return Ok(Exit::Done);
            };
            let line = line.map_err(unreadable)?;
            let wanted = wanted(&line, game.terms().person);
            if let PersonCommand::Leave = wanted {
                return Ok(Exit::Done);
            }
            if take(&mut game, wanted, &line).await? {
                break;
            }
        }
    }
}

/// Tells the person after a while that the bot still thinks. Never returns.
async fn say_that_it_thinks() {
    tokio::time::sleep(PATIENCE).await;
    // If nothing can be printed, the next sentence says so.
    let _ = say("the bot thinks …");
    std::future::pending::<()>().await;
}

#[expect(clippy::needless_pass_by_value, reason = "a function for map_err")]
fn unreadable(error: io::Error) -> Failure {
    Failure::machine(format!("cannot read standard input: {error}"))
}

/// Says what is to be said of a line; whether the game has changed.
async fn take(game: &mut PersonGame, wanted: PersonCommand, line: &str) -> Result<bool, Failure> {
    let text = match wanted {
        PersonCommand::Action(action) => match obey(game, action).await {
            Some(remark) => remark,
            None => return Ok(true),
        },
        PersonCommand::Moves => {
            let moves = moves_text(game.game().moves());
            format!("{moves}\nposition {}", game.position())
        }
        PersonCommand::Help => HELP.to_owned(),
        PersonCommand::Unknown => {
            let line = quoted(line.trim_end());
            format!("{line} is no pit and no command:\n{HELP}")
        }
        PersonCommand::Nothing | PersonCommand::Leave => return Ok(false),
    };
    say(&text)?;
    Ok(false)
}

/// The lines of standard input, read by a thread that may wait forever. What is not UTF-8 is
/// replaced, and a line has a bound.
fn lines() -> io::Result<mpsc::Receiver<io::Result<String>>> {
    let (sender, receiver) = mpsc::channel(1);
    let thread = thread::Builder::new().name("lines".to_owned());
    thread.spawn(move || {
        let (mut input, mut line) = (io::stdin().lock(), Vec::new());
        loop {
            let read = files::read_line(&mut input, LONGEST_LINE, &mut line);
            let is_last = read.is_err();
            let text = || String::from_utf8_lossy(&line).into_owned();
            let read = read.map(|is_line| is_line.then(text)).transpose();
            let Some(read) = read else { break };
            if sender.blocking_send(read).is_err() || is_last {
                break;
            }
        }
    })?;
    Ok(receiver)
}

/// A person may type its pits in either case.
fn wanted(line: &str, person: Side) -> PersonCommand {
    let word = line.trim().to_lowercase();
    match word.as_str() {
        "" => PersonCommand::Nothing,
        "u" | "undo" => PersonCommand::Action(PersonAction::Undo),
        "h" | "hint" => PersonCommand::Action(PersonAction::Hint),
        "m" | "moves" => PersonCommand::Moves,
        "n" | "new" => PersonCommand::Action(PersonAction::Restart),
        "q" | "quit" | "exit" => PersonCommand::Leave,
        "?" | "help" => PersonCommand::Help,
        _ => pit(&word, person).map_or(PersonCommand::Unknown, |letter| {
            PersonCommand::Action(PersonAction::Play(letter))
        }),
    }
}

/// The letter of a pit.
fn pit(word: &str, person: Side) -> Option<char> {
    let mut letters = word.chars();
    let (Some(letter), None) = (letters.next(), letters.next()) else {
        return None;
    };
    let letter = match person {
        Side::South => letter.to_ascii_uppercase(),
        Side::North => letter,
    };
    Pit::from_letter(letter).map(|_| letter)
}

fn beginning(game: &PersonGame) -> String {
    let terms = game.terms();
    let bot = printable(&terms.bot);
    let [south, north] = match terms.person {
        Side::South => ["you", bot.as_str()],
        Side::North => [bot.as_str(), "you"],
    };
    format!(
        "{south} (South, A to F) against {north} (North, a to f), rules {}; ? helps",
        terms.preset.name()
    )
}

fn show(game: &PersonGame) -> Result<(), Failure> {
    let mut text = String::from("\n");
    let last = game.ply(game.plies()).map(|(last, _)| last.pit);
    text += &drawn(game.position(), last);
    for sentence in said::last_plies(game, true)
        .into_iter()
        .chain(said::ending(game))
    {
        text += "\n";
        text += &sentence;
    }
    say(&text)
}

fn prompt(game: &PersonGame) -> Result<(), Failure> {
    let text = if game.end().is_some() {
        "n new game, u undo, q quit> ".to_owned()
    } else {
        let legal: Vec<Pit> = game.game().legal_moves().iter().collect();
        format!("your move ({})> ", moves_text(&legal))
    };
    write(&text)
}

fn say(text: &str) -> Result<(), Failure> {
    write(&format!("{text}\n"))
}

fn write(text: &str) -> Result<(), Failure> {
    exit::say(text).map(drop)
}
