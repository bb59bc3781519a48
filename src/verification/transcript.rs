//! Compares the transcript of a bot's process with the moves of its last game in the journal: the
//! referee's requests ply by ply with the rules, the bot's answers with its moves.

use crate::protocol::{BotAnswer, Request, TurnRequest, parse_turn_answer};
use crate::record::{GameRecord, Writer};
use crate::rules::{Game, Pit, Position, RuleSet, Side};
use crate::run_folder::evidence::{chunk_lines, unescaped};

/// A turn in the transcript.
#[derive(Debug)]
struct AskedTurn {
    request: TurnRequest,
    /// The bot's output before the next request.
    answer: Vec<u8>,
    /// Whether the transcript shows only the beginning of that.
    is_cut: bool,
}

/// The last game of a transcript.
#[derive(Debug, Default)]
struct LastGame {
    /// The id, the side and the position in `new-game`; `None` before any game.
    begun: Option<[String; 3]>,
    questions: Vec<AskedTurn>,
}

/// The difference of a transcript of this side's bot from the record; `id` is what bots were told
/// of the game, if known.
pub fn difference(
    text: &[u8],
    side: Side,
    (record, id): (&GameRecord, Option<&str>),
    rules: RuleSet,
) -> Option<String> {
    let game = match LastGame::read(text) {
        Ok(game) => game,
        Err(message) => return Some(message),
    };
    let own_plies = (record.plies.len() + 1 - side.index()) / 2;
    let start = record.start.to_string();
    let said = game.begun.as_ref().map_or("", |[id, ..]| id);
    let wanted = [id.unwrap_or(said), side.name(), start.as_str()];
    match &game.begun {
        Some(begun) if *begun == wanted => {}
        // It may have ended before it was told of the game.
        _ if own_plies == 0 && record.plies.is_empty() => return None,
        Some([id, side, start]) => {
            return Some(format!(
                "its last game is {id} as {side} from {start}, and the journal's {} as {} from {}",
                wanted[0], wanted[1], wanted[2]
            ));
        }
        None => return Some("it has no game".to_owned()),
    }
    if game.questions.len() < own_plies {
        let asked = game.questions.len();
        return Some(format!(
            "{side} was asked for {asked} moves in it, and has {own_plies} in the journal"
        ));
    }
    let positions = positions(record, rules)?;
    let turns = (side.index()..).step_by(2);
    let asked = game.questions.iter().zip(turns);
    asked
        .into_iter()
        .find_map(|(question, turn)| question.difference(turn, &positions, record))
}

/// The positions before each ply and after the last; `None` for moves that are not legal, which
/// another check reports.
fn positions(record: &GameRecord, rules: RuleSet) -> Option<Vec<Position>> {
    let mut game = Game::new(rules, record.start);
    let mut positions = vec![game.position()];
    for pit in record.moves() {
        game.play(pit).ok()?;
        positions.push(game.position());
    }
    Some(positions)
}

impl AskedTurn {
    /// The difference of this turn from the journal.
    fn difference(
        &self,
        turn: usize,
        positions: &[Position],
        record: &GameRecord,
    ) -> Option<String> {
        let request = &self.request;
        let Some(position) = positions.get(turn) else {
            return Some(format!(
                "a move is asked for at turn {}, and the journal has {} plies",
                request.turn,
                record.plies.len()
            ));
        };
        if request.turn as usize != turn {
            let asked = request.turn;
            return Some(format!("turn {asked} is asked for where turn {turn} comes"));
        }
        let before = turn.checked_sub(1).map(|ply| record.plies[ply].pit);
        let said = request.last.map(|last| last.pit);
        if said != before.map(Pit::row_index) {
            let [said, before] = [said, before.map(Pit::row_index)].map(shown);
            return Some(format!(
                "turn {turn}: the opponent's move before is {said}, and in the journal {before}"
            ));
        }
        if request.position != position.to_string() {
            return Some(format!(
                "turn {turn}: the position is {}, and the journal's moves lead to {position}",
                request.position
            ));
        }
        let played = record.plies.get(turn)?.pit.row_index();
        let line = self.answer.split(|&byte| byte == b'\n').next()?;
        if self.is_cut && line.len() == self.answer.len() {
            return None;
        }
        match parse_turn_answer(line, request.turn) {
            Ok(BotAnswer::Move { pit, .. }) if pit == i64::from(played) => None,
            Ok(BotAnswer::Move { pit, .. }) => Some(format!(
                "turn {turn}: the bot answered pit {pit}, and the journal has pit {played}"
            )),
            Ok(BotAnswer::Resign) => Some(format!(
                "turn {turn}: the bot resigned, and the journal has pit {played}"
            )),
            Err(error) => Some(format!(
                "turn {turn}: the journal has pit {played}, and the answer is not a move: {error}"
            )),
        }
    }
}

fn shown(pit: Option<u8>) -> String {
    pit.map_or("none".to_owned(), |pit| format!("pit {pit}"))
}

impl LastGame {
    fn read(text: &[u8]) -> Result<Self, String> {
        let mut game = Self::default();
        for line in chunk_lines(text) {
            let (number, chunk) = line?;
            let wrong = |what: &str| format!("line {number} {what}");
            let bytes = unescaped(&chunk.text)
                .filter(|bytes| bytes.len().checked_add(chunk.left_out) == Some(chunk.bytes))
                .ok_or_else(|| wrong("does not have the bytes that it says"))?;
            match chunk.from {
                Writer::Referee => {
                    game.hear_referee(&bytes).map_err(|what| wrong(&what))?;
                }
                Writer::Bot => game.hear_bot(&bytes, chunk.left_out > 0),
            }
        }
        Ok(game)
    }

    fn hear_referee(&mut self, bytes: &[u8]) -> Result<(), String> {
        let text = std::str::from_utf8(bytes).unwrap_or_default();
        if text.is_empty() {
            return Err("has bytes of the referee that are not text".to_owned());
        }
        for line in text.lines() {
            let request = Request::parse(line)
                .map_err(|error| format!("is not a message of the referee: {error}"))?;
            match request {
                Request::NewGame(new) => {
                    self.begun = Some([new.game, new.you, new.start]);
                    self.questions.clear();
                }
                Request::Turn(request) => self.questions.push(AskedTurn {
                    request,
                    answer: Vec::new(),
                    is_cut: false,
                }),
                Request::Hello { .. } | Request::GameOver(_) | Request::Quit => {}
            }
        }
        Ok(())
    }

    /// Output before the first turn is not an answer.
    fn hear_bot(&mut self, bytes: &[u8], is_cut: bool) {
        if let Some(question) = self.questions.last_mut()
            && !question.is_cut
        {
            question.answer.extend_from_slice(bytes);
            question.is_cut = is_cut;
        }
    }
}
