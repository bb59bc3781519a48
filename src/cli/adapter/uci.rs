//! The UCI dialect of oware engines such as Aalina: White is South, a move is the letter of its pit,
//! the moves of a game are one word, and a board stands where chess has its FEN, in the notation of
//! this program.

use super::{Dialect, Program};
use crate::cli::exit::{Failure, tell};
use crate::cli::house_bot::{follow, share};
use crate::protocol::{NewGameRequest, TurnClock, TurnRequest, move_line};
use crate::rules::{Game, Pit, Position, RuleSet, Side, moves_text};
use serde_json::{Map, Value, json};
use std::ffi::OsString;

/// The answer to `new-game`.
const READY: &str = "{\"type\":\"ready\"}\n";
/// The time for a move without any clock, in ms.
const USUAL_MS: u128 = 1000;

/// An engine.
pub struct Uci {
    program: Program,
    game: Option<Game>,
}

impl Uci {
    /// Starts the engine with these words.
    ///
    /// # Errors
    /// It cannot be started.
    pub fn start(words: &[OsString]) -> Result<Self, Failure> {
        Ok(Self {
            program: Program::start(words)?,
            game: None,
        })
    }

    /// Reads up to this line, and returns what came before it.
    fn read_to(&mut self, end: &str) -> Vec<String> {
        let lines = std::iter::repeat_with(|| self.program.read());
        lines.take_while(|line| line.trim() != end).collect()
    }
}

impl Dialect for Uci {
    fn hello(&mut self) -> Result<String, Failure> {
        self.program.write("uci");
        let mut ready = json!({ "type": "ready" });
        for line in self.read_to("uciok") {
            for key in ["name", "author"] {
                if let Some(text) = line.strip_prefix("id ").and_then(|it| it.strip_prefix(key)) {
                    ready[key] = json!(text.trim());
                }
            }
        }
        Ok(format!("{ready}\n"))
    }

    fn new_game(&mut self, request: &NewGameRequest) -> Result<String, Failure> {
        let start = request.start.parse().unwrap_or(Position::START);
        self.game = Some(Game::new(request.rules.rules, start));
        self.program.write("ucinewgame");
        self.program.write("isready");
        self.read_to("readyok");
        Ok(READY.to_owned())
    }

    fn turn(&mut self, request: &TurnRequest) -> Result<String, Failure> {
        let Ok(position) = request.position.parse::<Position>() else {
            tell("ignored a turn without a position");
            return Ok(String::new());
        };
        let game = self.game.take();
        let mut game = game.unwrap_or_else(|| Game::new(RuleSet::default(), position));
        follow(&mut game, request, position);
        // A move that was not asked for is none of this turn: the referee judges the line.
        while self.program.has_output() {
            let line = self.program.read();
            if is_best_move(&line) {
                return Ok(format!("{line}\n"));
            }
        }
        let side = position.to_move();
        self.program.write(&position_line(&game));
        self.program.write(&go_line(&request.clock, side));
        let mut info = Map::new();
        let line = loop {
            let line = self.program.read();
            if is_best_move(&line) {
                break line;
            }
            note(&line, &mut info);
        };
        let Some(pit) = best_move(&line, side) else {
            return Ok(format!("{line}\n"));
        };
        // An illegal move ends the game.
        let _ = game.play(pit);
        self.game = Some(game);
        let info = if info.is_empty() {
            Value::Null
        } else {
            info.into()
        };
        Ok(move_line(pit.row_index(), request.turn, &info))
    }

    fn quit(mut self: Box<Self>) {
        self.program.write("quit");
        self.program.finish();
    }
}

/// The line that sets the engine to the position of the game.
fn position_line(game: &Game) -> String {
    let start = match game.start() {
        Position::START => "startpos".to_owned(),
        start => format!("fen {start}"),
    };
    match game.moves() {
        [] => format!("position {start}"),
        moves => format!("position {start} moves {}", moves_text(moves)),
    }
}

/// The line that lets the engine think. A limit of each move is the engine's to use up, less a
/// reserve for the answer; with a bank alone the engine divides its time itself.
fn go_line(clock: &TurnClock, side: Side) -> String {
    let nodes = clock
        .nodes
        .map_or(String::new(), |it| format!(" nodes {it}"));
    if let (None, Some(own)) = (clock.move_ms, clock.own_ms) {
        let opponent = clock.opponent_ms.unwrap_or(own);
        let [white, black] = match side {
            Side::South => [own, opponent],
            Side::North => [opponent, own],
        };
        let increment = clock.increment_ms.unwrap_or(0);
        return format!("go wtime {white} btime {black} winc {increment} binc {increment}{nodes}");
    }
    let time = share(clock).map_or(USUAL_MS, |share| share.as_millis().max(1));
    format!("go movetime {time}{nodes}")
}

fn is_best_move(line: &str) -> bool {
    line.split_whitespace().next() == Some("bestmove")
}

/// The pit of a `bestmove` line; `None` if it names none of this side.
fn best_move(line: &str, side: Side) -> Option<Pit> {
    let word = line.split_whitespace().nth(1)?;
    let mut letters = word.chars();
    let pit = letters.next().and_then(Pit::from_letter)?;
    (letters.next().is_none() && pit.side() == side).then_some(pit)
}

/// Takes what an `info` line says under the names that replays and tables know. Later lines replace
/// earlier ones. A score in hundredths becomes seeds; one that is a number of moves to a win has no
/// value in seeds.
fn note(line: &str, info: &mut Map<String, Value>) {
    let mut words = line.split_whitespace();
    if words.next() != Some("info") {
        return;
    }
    while let Some(word) = words.next() {
        match word {
            "depth" | "nodes" => {
                if let Some(number) = words.next().and_then(|it| it.parse::<u64>().ok()) {
                    info.insert(word.to_owned(), json!(number));
                }
            }
            "cp" => {
                if let Some(number) = words.next().and_then(|it| it.parse::<i32>().ok()) {
                    info.insert("score".to_owned(), json!(f64::from(number) / 100.0));
                }
            }
            "pv" => {
                let moves: String = words.by_ref().collect();
                info.insert(word.to_owned(), json!(moves));
            }
            // What follows is text.
            "string" => return,
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::parse_moves;

    #[test]
    fn positions_are_told_from_the_start_of_the_game() {
        let small = "0-0-0-0-0-1-1-0-0-0-0-1-22-23-S";
        let usual = "4-4-4-4-4-4-4-4-4-4-4-4-0-0-S";
        for (start, moves, expected) in [
            (usual, "", "position startpos"),
            (usual, "CdFb", "position startpos moves CdFb"),
            (small, "", "position fen 0-0-0-0-0-1-1-0-0-0-0-1-22-23-S"),
            (
                small,
                "F",
                "position fen 0-0-0-0-0-1-1-0-0-0-0-1-22-23-S moves F",
            ),
        ] {
            let mut game = Game::new(RuleSet::default(), start.parse().unwrap());
            for pit in parse_moves(moves).unwrap() {
                game.play(pit).unwrap();
            }
            assert_eq!(position_line(&game), expected);
        }
    }

    #[test]
    fn clocks_become_words_of_go() {
        let clock = |move_ms, own_ms, opponent_ms, increment_ms| TurnClock {
            move_ms,
            own_ms,
            opponent_ms,
            increment_ms,
            nodes: None,
        };
        let limited = TurnClock {
            nodes: Some(7),
            ..clock(Some(100), None, None, None)
        };
        assert_eq!(go_line(&limited, Side::South), "go movetime 90 nodes 7");
        for (clock, side, expected) in [
            (
                clock(Some(100), None, None, None),
                Side::South,
                "go movetime 90",
            ),
            (
                clock(Some(1), None, None, None),
                Side::South,
                "go movetime 1",
            ),
            (
                clock(None, Some(5000), Some(800), Some(50)),
                Side::South,
                "go wtime 5000 btime 800 winc 50 binc 50",
            ),
            (
                clock(None, Some(5000), Some(800), None),
                Side::North,
                "go wtime 800 btime 5000 winc 0 binc 0",
            ),
            // 5000 / 25, less a tenth: the engine would use up the limit of each move.
            (
                clock(Some(1000), Some(5000), Some(800), None),
                Side::North,
                "go movetime 180",
            ),
            (
                clock(None, None, None, None),
                Side::South,
                "go movetime 1000",
            ),
        ] {
            assert_eq!(go_line(&clock, side), expected);
        }
    }

    #[test]
    fn moves_are_letters_of_the_own_row() {
        for (line, side, expected) in [
            ("bestmove A", Side::South, Some(0)),
            ("bestmove F ponder a", Side::South, Some(5)),
            ("  bestmove   c", Side::North, Some(2)),
            // The referee quotes these.
            ("bestmove c", Side::South, None),
            ("bestmove C", Side::North, None),
            ("bestmove 0000", Side::South, None),
            ("bestmove g", Side::North, None),
            ("bestmove AB", Side::South, None),
            ("bestmove", Side::South, None),
        ] {
            assert!(is_best_move(line), "{line:?}");
            let found = best_move(line, side).map(Pit::row_index);
            assert_eq!(found, expected, "{line:?}");
        }
        for line in ["", "info depth 3", "bestmoves A", "info string bestmove A"] {
            assert!(!is_best_move(line), "{line:?}");
        }
    }

    #[test]
    fn infos_become_those_of_a_move() {
        let told = |lines: &[&str]| {
            let mut info = Map::new();
            for line in lines {
                note(line, &mut info);
            }
            Value::from(info)
        };
        for (lines, expected) in [
            (&[][..], json!({})),
            (&["info depth 9 score cp 150 nodes 1234 pv AaBb"], {
                json!({ "depth": 9, "score": 1.5, "nodes": 1234, "pv": "AaBb" })
            }),
            (
                &["info depth 3 score cp -1000 mate -2 lowerbound pv A b C"],
                { json!({ "depth": 3, "score": -10.0, "pv": "AbC" }) },
            ),
            (
                &["info depth 1 score cp 5", "info depth 2 nodes 7"],
                json!({ "depth": 2, "score": 0.05, "nodes": 7 }),
            ),
            (&["info string depth 4 score cp 5", "depth 4"], json!({})),
            (&["info depth many nodes -1 score mate 3"], json!({})),
        ] {
            assert_eq!(told(lines), expected, "{lines:?}");
        }
    }
}
