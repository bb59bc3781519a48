//! `awale bot NAME`: a house bot on standard input and output, like any other bot, and its command in
//! configurations: as clap reads the command line.

use super::args::{Arguments, BotArguments, Command};
use super::exit::{Exit, Failure, read_request, say, tell};
use crate::config::{EndgameChoice, HouseCommands, Medium};
use crate::endgame_file::{EndgameDatabase, find};
use crate::engine::{Budget, Engine, EngineChoice, House, MinimaxOptions};
use crate::protocol::{NewGameRequest, Request, TurnClock, TurnRequest, move_line, ready_line};
use crate::rules::{Game, Pit, Position, RuleSet, Side};
use crate::text::{printable, quoted};
use clap::Parser as _;
use serde_json::{Value, json};
use std::io;
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// The part of every limit that is reserved for sending the answer.
const RESERVE: Duration = Duration::from_millis(2);
/// The number of moves for which a bank should last.
const BANK_MOVES: u32 = 25;

pub fn bot(arguments: &BotArguments) -> Result<Exit, Failure> {
    let house = house(arguments).map_err(Failure::usage)?;
    let mut side = HouseBot {
        engine: Engine::new(house),
        endgame: arguments.endgame.clone(),
        house,
        time: arguments.time,
        fixed: arguments.is_fixed(),
        seed: arguments.seed,
        game: None,
    };
    // A file that cannot be used is named before the first message.
    if let Some(Some(path)) = &arguments.endgame {
        EndgameDatabase::open(path)?;
    }
    let (mut input, mut line) = (io::stdin().lock(), Vec::new());
    while read_request(&mut input, &mut line)? {
        match side.answer(&String::from_utf8_lossy(&line))? {
            Reaction::Say(answer) => drop(say(&answer)?),
            Reaction::Nothing => {}
            Reaction::Leave => break,
        }
    }
    Ok(Exit::Done)
}

fn house(arguments: &BotArguments) -> Result<House, String> {
    let house = House::from_name(&arguments.name).ok_or_else(|| {
        format!(
            "no house bot is named {:?}; there are random, greedy, minimax",
            arguments.name
        )
    })?;
    match house {
        House::Minimax(defaults) => Ok(House::Minimax(MinimaxOptions {
            depth: arguments.depth,
            table_mib: arguments.table_mib.map_or(defaults.table_mib, usize::from),
        })),
        House::Random | House::Greedy => {
            let searching = arguments.depth.is_some()
                || arguments.time.is_some()
                || arguments.table_mib.is_some()
                || arguments.endgame.is_some();
            if searching {
                let name = &arguments.name;
                return Err(format!(
                    "{name} does not search: --depth, --time, --table-mib and --endgame are \
                                    options of minimax"
                ));
            }
            Ok(house)
        }
    }
}

/// The reaction to a message.
enum Reaction {
    Say(String),
    Nothing,
    Leave,
}

/// A house bot in a conversation with a referee.
struct HouseBot {
    engine: Engine,
    /// The database of endgames: a file, or that of the game's rules.
    #[expect(clippy::option_option, reason = "as the command line says it")]
    endgame: Option<Option<PathBuf>>,
    house: House,
    /// Time for each move, instead of what the clock allows.
    time: Option<Duration>,
    /// Whether the depth alone decides: then no clock is used.
    fixed: bool,
    /// Replaces the seed of the message.
    seed: Option<u64>,
    game: Option<Game>,
}

impl HouseBot {
    fn answer(&mut self, line: &str) -> Result<Reaction, Failure> {
        let received = Instant::now();
        Ok(match Request::parse(line) {
            Ok(Request::Hello { .. }) => self.ready(),
            Ok(Request::NewGame(game)) => self.new_game(&game)?,
            Ok(Request::Turn(turn)) => self.turn(&turn, received),
            Ok(Request::GameOver(_)) => Reaction::Nothing,
            Ok(Request::Quit) => Reaction::Leave,
            Err(error) => {
                tell(&format!("ignored a message: {error}"));
                Reaction::Nothing
            }
        })
    }

    fn ready(&self) -> Reaction {
        Reaction::Say(ready_line(self.house.name(), self.house.version()))
    }

    fn new_game(&mut self, request: &NewGameRequest) -> Result<Reaction, Failure> {
        let start = request.start.parse().unwrap_or(Position::START);
        let rules = request.rules.rules;
        if let Some(file) = &self.endgame
            && !self.engine.knows_endgames_of(&rules)
        {
            let database = match file {
                Some(path) => EndgameDatabase::open_for(path, &rules)?,
                None => find(&rules)?,
            };
            self.engine.use_endgame(database.values().clone());
        }
        self.game = Some(Game::new(rules, start));
        self.engine.new_game(self.seed.unwrap_or(request.seed));
        Ok(self.ready())
    }

    fn turn(&mut self, request: &TurnRequest, received: Instant) -> Reaction {
        let Ok(position) = request.position.parse::<Position>() else {
            tell(&format!(
                "ignored a turn without a position: {:?}",
                request.position
            ));
            return Reaction::Nothing;
        };
        let mut game = self
            .game
            .take()
            .unwrap_or_else(|| Game::new(RuleSet::default(), position));
        follow(&mut game, request, position);
        let limit = if self.fixed {
            None
        } else {
            self.time.or(share(&request.clock))
        };
        let late = move || limit.is_some_and(|limit| received.elapsed() >= limit);
        let budget = Budget {
            max_depth: None,
            max_nodes: request.clock.nodes,
            stop: limit.is_some().then_some(&late as &dyn Fn() -> bool),
        };
        let choice = self.engine.choose(&game, &budget);
        let reaction = choice.as_ref().map_or(Reaction::Nothing, |choice| {
            let info = info(choice);
            Reaction::Say(move_line(choice.pit.row_index(), request.turn, &info))
        });
        if let Some(choice) = choice {
            let _ = game.play(choice.pit);
        }
        self.game = Some(game);
        reaction
    }
}

/// Plays the opponent's move on our board. If that does not give the position of the message (the
/// bot joined late), the game starts there.
pub fn follow(game: &mut Game, request: &TurnRequest, position: Position) {
    let opponent: Side = position.to_move().opponent();
    if let Some(pit) = request
        .last
        .and_then(|last| Pit::in_row(opponent, last.pit))
    {
        let _ = game.play(pit);
    }
    if game.position() != position {
        *game = Game::new(*game.rules(), position);
    }
}

/// The time for a move by the clocks, less a reserve for the answer; `None` without any clock.
pub fn share(clock: &TurnClock) -> Option<Duration> {
    let whole = clock.move_ms.map(Duration::from_millis);
    let of_bank = clock.own_ms.map(|own| {
        let increment = clock.increment_ms.unwrap_or(0);
        let share = own / u64::from(BANK_MOVES) + increment * 3 / 4;
        Duration::from_millis(share.min(own / 2))
    });
    let share = match (whole, of_bank) {
        (Some(whole), Some(of_bank)) => whole.min(of_bank),
        (whole, of_bank) => whole.or(of_bank)?,
    };
    Some(share.saturating_sub(RESERVE.max(share / 10)))
}

/// The `info` of a move that was searched.
fn info(choice: &EngineChoice) -> Value {
    let Some(score) = choice.score.filter(|_| choice.depth > 0) else {
        return Value::Null;
    };
    let pv: String = choice.pv.iter().map(|pit| pit.letter()).collect();
    json!({ "depth": choice.depth, "score": score.seeds(), "nodes": choice.nodes, "pv": pv })
}

/// The parser of this program.
pub const HOUSE_COMMANDS: HouseCommands = HouseCommands {
    check,
    is_deterministic,
    endgame,
};

/// The database of endgames that the words want.
fn endgame(words: &[&str]) -> Option<EndgameChoice> {
    match Arguments::try_parse_from(words).ok()?.command {
        Command::Bot(bot) => bot
            .endgame
            .map(|file| file.map_or(EndgameChoice::Usual, EndgameChoice::File)),
        _ => None,
    }
}

/// The end of every error message.
fn form(medium: Medium) -> String {
    format!(
        "a house bot is {} with NAME random, greedy or minimax and options, as in {}",
        medium
            .command(&["awale", "bot", "NAME"])
            .replace("\"NAME\"", "NAME"),
        medium.words(&["--depth", "4"])
    )
}

/// Why the words do not start a house bot.
fn check(words: &[&str], medium: Medium) -> Result<(), String> {
    let form = form(medium);
    match Arguments::try_parse_from(words) {
        Ok(Arguments {
            command: Command::Bot(bot),
            ..
        }) if House::from_name(&bot.name).is_some() => Ok(()),
        Ok(Arguments {
            command: Command::Bot(bot),
            ..
        }) => Err(format!(
            "no house bot is named {}; {form}",
            quoted(&bot.name)
        )),
        Err(error) if error.use_stderr() => {
            // The first paragraph says what is wrong; the usage of a command line would not help
            // here.
            let text = error.render().to_string();
            let first = text.split("\n\n").next().unwrap_or_default();
            let words: Vec<&str> = first.split_whitespace().skip(1).collect();
            Err(format!("{}; {form}", printable(&words.join(" "))))
        }
        Ok(_) | Err(_) => Err(format!("this command does not play; {form}")),
    }
}

/// Whether the words start a house bot, and nothing else.
pub fn starts_a_house_bot(words: &[String]) -> bool {
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    check(&words, Medium::CommandLine).is_ok()
}

/// Whether the words start a house bot that always plays the same in the same game, whatever time
/// it has.
fn is_deterministic(words: &[&str]) -> bool {
    match Arguments::try_parse_from(words) {
        Ok(Arguments {
            command: Command::Bot(bot),
            ..
        }) => match House::from_name(&bot.name) {
            Some(House::Random | House::Greedy) => true,
            Some(House::Minimax(_)) => bot.is_fixed(),
            None => false,
        },
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_looks_at_a_clock_is_not_deterministic() {
        for (words, expected) in [
            ("awale bot greedy", true),
            ("awale bot random --seed 3", true),
            ("awale bot minimax --depth 4 --table-mib 2", true),
            ("awale bot minimax", false),
            ("awale bot minimax --time 20ms", false),
            ("awale bot minimax --depth 4 --time 20ms", false),
            ("awale bot gredy", false),
            ("awale doctor", false),
        ] {
            let words: Vec<&str> = words.split(' ').collect();
            assert_eq!(is_deterministic(&words), expected, "{words:?}");
        }
    }

    #[test]
    fn only_players_are_house_bots() {
        for words in [
            ["awale", "bot", "greedy"].as_slice(),
            &["awale", "bot", "minimax", "--depth", "4"],
            &["awale", "bot", "minimax", "--time", "20ms"],
        ] {
            assert_eq!(check(words, Medium::File), Ok(()), "{words:?}");
        }
        for words in [
            ["awale"].as_slice(),
            &["awale", "--help"],
            &["awale", "perft", "--depth", "3"],
            &["awale", "bot"],
            &["awale", "bot", "gredy"],
            &["awale", "bot", "minimax", "--depth", "many"],
            &["awale", "bot", "minimax", "--deep", "4"],
        ] {
            assert!(check(words, Medium::File).is_err(), "{words:?}");
        }
    }
}
