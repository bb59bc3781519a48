//! A game of a journal as the requests for the bot of one side. The referee plays the game again
//! with players that answer as recorded, so the requests are those of a run; only what is left of a
//! bank may differ by a ms, because a journal has whole µs.

use crate::bot::{game_over_request, new_game_request, turn_line};
use crate::protocol::Request;
use crate::record::{FaultKind, GameEnding, GameRecord};
use crate::referee::{Answer, Choice, GameOver, NewGame, Player, Stop, Turn, play_game};
use crate::rules::{Side, moves_text};
use crate::tournament::{Opening, Plan, game_setup};
use std::fmt;
use std::time::Duration;
use thiserror::Error;

/// What the bot answered then.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RecordedAnswer {
    /// That it is ready.
    Ready,
    /// A move, by its pit's index in the row.
    Pit(u8),
    /// That it resigns.
    Resignation,
    /// Nothing that was played: in this request the game ended by a fault, or it was void.
    None,
    /// Nothing was asked.
    NotAsked,
}

/// What a request asks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RequestKind {
    /// Whether the bot speaks the protocol.
    Hello,
    /// Whether it is ready for the game.
    NewGame,
    /// A move in this ply of the game, from 0.
    Turn(u32),
    /// Nothing.
    GameOver,
}

impl fmt::Display for RequestKind {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Hello => out.write_str("hello"),
            Self::NewGame => out.write_str("new-game"),
            Self::Turn(turn) => write!(out, "turn {turn}"),
            Self::GameOver => out.write_str("game-over"),
        }
    }
}

/// A request that a bot was told, and what it answered.
#[derive(Debug, PartialEq, Eq)]
pub struct ToldRequest {
    /// What it asks.
    pub kind: RequestKind,
    /// The line that the bot reads, with its newline.
    pub line: Vec<u8>,
    /// The answer of the journal.
    pub answer: RecordedAnswer,
}

/// Why a game has no requests.
#[derive(Debug, Error, PartialEq, Eq)]
pub enum JournalGameError {
    #[error("the run's secret was taken out of its journal, and the bots' seeds come from it")]
    NoSecret,
    #[error("the game ended before {} was told of it", .0.name())]
    NotTold(Side),
    #[error("its moves break the rules; `awale verify` says more")]
    Illegal,
    #[error("the machine refuses what a game needs: {0}")]
    Machine(String),
}

/// All requests to the bot of this side, from the first of its process if it had played no other
/// game.
///
/// # Errors
/// The journal does not tell them.
pub fn requests(
    plan: &Plan,
    record: &GameRecord,
    side: Side,
) -> Result<Vec<ToldRequest>, JournalGameError> {
    if plan.secret.is_none() {
        return Err(JournalGameError::NoSecret);
    }
    let told_id = plan.told_id(&record.id);
    let names = record.entrants.each_ref().map(String::as_str);
    let opening = Opening {
        moves: record.opening_moves.clone(),
        position: record.start,
    };
    let moves = moves_text(&opening.moves);
    let setup = game_setup(plan, &record.id, &told_id, names, (&opening, &moves));
    let mut players = Side::BOTH.map(|side| RecordedPlayer::new(record, side));
    let runtime = tokio::runtime::Builder::new_current_thread().build();
    let runtime = runtime.map_err(|error| JournalGameError::Machine(error.to_string()))?;
    let played = runtime.block_on(play_game(&setup, players.each_mut()));
    let pits = |plies: &[crate::record::PlyRecord]| -> Vec<_> {
        plies.iter().map(|ply| ply.pit).collect()
    };
    if pits(&played.plies) != pits(&record.plies) {
        return Err(JournalGameError::Illegal);
    }
    let [south, north] = players;
    let player = if side == Side::South { south } else { north };
    if player.requests.is_empty() {
        return Err(JournalGameError::NotTold(side));
    }
    Ok(player.requests)
}

/// A player that answers as the journal says.
struct RecordedPlayer<'a> {
    record: &'a GameRecord,
    side: Side,
    requests: Vec<ToldRequest>,
}

impl<'a> RecordedPlayer<'a> {
    const fn new(record: &'a GameRecord, side: Side) -> Self {
        Self {
            record,
            side,
            requests: Vec::new(),
        }
    }

    fn note(&mut self, kind: RequestKind, request: &Request, answer: RecordedAnswer) {
        let mut line = Vec::new();
        request.write_line(&mut line);
        self.requests.push(ToldRequest { kind, line, answer });
    }

    /// Whether this side failed before its first `ready`.
    fn never_started(&self) -> bool {
        match &self.record.ending {
            GameEnding::Fault(side, fault) => {
                *side == self.side && fault.kind == FaultKind::StartFailure
            }
            _ => false,
        }
    }

    /// Whether this side got ready. The times of those who did are in the journal.
    fn was_ready(&self) -> bool {
        let ended = matches!(
            self.record.ending,
            GameEnding::Fault(..) | GameEnding::Void(_)
        );
        !ended || !self.record.plies.is_empty() || self.record.ready_us[self.side.index()].is_some()
    }

    /// The end of the game in a request of this side that nothing was played in.
    fn stop(&self) -> Stop {
        match &self.record.ending {
            GameEnding::Fault(side, fault) if *side == self.side => Stop::Fault(fault.clone()),
            ending => Stop::Void(ending.name().to_owned()),
        }
    }
}

impl Player for RecordedPlayer<'_> {
    async fn new_game(&mut self, game: &NewGame<'_>) -> Result<(), Stop> {
        if self.never_started() {
            self.note(RequestKind::Hello, &Request::hello(), RecordedAnswer::None);
            return Err(self.stop());
        }
        let is_ready = self.was_ready();
        self.note(RequestKind::Hello, &Request::hello(), RecordedAnswer::Ready);
        let answer = if is_ready {
            RecordedAnswer::Ready
        } else {
            RecordedAnswer::None
        };
        let request = Request::NewGame(new_game_request(game));
        self.note(RequestKind::NewGame, &request, answer);
        if is_ready { Ok(()) } else { Err(self.stop()) }
    }

    async fn turn(&mut self, turn: &Turn) -> Result<Answer, Stop> {
        let ply = self.record.plies.get(turn.turn as usize);
        let is_resignation = self.record.ending == GameEnding::Resignation(self.side);
        let (answer, choice) = match ply {
            Some(ply) => (
                RecordedAnswer::Pit(ply.pit.row_index()),
                Some(Choice::Pit {
                    row_index: ply.pit.row_index().into(),
                    info: None,
                }),
            ),
            None if is_resignation => (RecordedAnswer::Resignation, Some(Choice::Resign)),
            None => (RecordedAnswer::None, None),
        };
        let request = Request::Turn(turn_line(turn).request());
        self.note(RequestKind::Turn(turn.turn), &request, answer);
        let micros = |us: Option<u64>| Duration::from_micros(us.unwrap_or_default());
        Ok(Answer {
            choice: choice.ok_or_else(|| self.stop())?,
            time: micros(ply.map(|ply| ply.time_us)),
            preempted: micros(ply.map(|ply| ply.preempted_us)),
            // Unknown CPU time would end the game where it is what the clock measures.
            cpu: Some(micros(ply.and_then(|ply| ply.cpu_us))),
        })
    }

    async fn idle(&mut self) -> Stop {
        std::future::pending().await
    }

    async fn game_over(&mut self, end: &GameOver<'_>) {
        let request = Request::GameOver(game_over_request(end, self.side));
        self.note(RequestKind::GameOver, &request, RecordedAnswer::NotAsked);
    }

    async fn discard(&mut self) {}
}
