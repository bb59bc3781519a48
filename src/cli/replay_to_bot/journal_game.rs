//! A game of a journal as a script for the bot of one side. The referee plays the game again
//! with players that answer as recorded, so the requests are those of a run; only what is left of a
//! bank may differ by a ms, because a journal has whole µs.

use super::last_answer::{READY, RESIGNS};
use super::script::{RecordedAnswer, Step};
use crate::bot::{game_over_request, new_game_request, turn_line};
use crate::cli::exit::{Failure, runtime};
use crate::protocol::Request;
use crate::record::{FaultKind, GameEnding, GameRecord};
use crate::referee::{
    Answer, Choice, EndgameJudge, GameOver, GameSetup, NewGame, Player, Stop, Turn, play_game,
};
use crate::rules::{Game, Side};
use crate::tournament::{Opening, Plan, PlannedGame};
use std::time::Duration;

/// All requests to the bot of this side, from the first of its process if it had played no other
/// game.
///
/// # Errors
/// The journal does not tell them.
pub fn steps(plan: &Plan, record: &GameRecord, side: Side) -> Result<Vec<Step>, Failure> {
    let refused = |reason: &str| {
        let error = format!("cannot replay {}: {reason}", record.id);
        Err(Failure::usage(error))
    };
    if plan.secret.is_none() {
        return refused(
            "the run's secret was taken out of its journal, and the bots' seeds come from it",
        );
    }
    let names = record.entrants.each_ref().map(String::as_str);
    let opening = Opening {
        moves: record.opening_moves.clone(),
        position: record.start,
    };
    let game = PlannedGame::new(plan, record.id.clone(), names, (record.opening, &opening));
    let mut players = Side::BOTH.map(|side| RecordedPlayer::new(record, side));
    let end = RecordedEnd(record);
    let setup = GameSetup {
        endgame: Some(&end),
        agreement: plan.agreement(),
        ..game.setup()
    };
    let played = runtime()?.block_on(play_game(&setup, players.each_mut()));
    let pits = |plies: &[crate::record::PlyRecord]| -> Vec<_> {
        plies.iter().map(|ply| ply.pit).collect()
    };
    if pits(&played.plies) != pits(&record.plies) {
        return refused("its moves break the rules; `awale verify` says more");
    }
    let [south, north] = players;
    let player = if side == Side::South { south } else { north };
    if player.steps.is_empty() {
        let name = side.name();
        return refused(&format!("the game ended before {name} was told of it"));
    }
    Ok(player.steps)
}

/// Ends the game where the journal says that a database did.
#[derive(Debug)]
struct RecordedEnd<'a>(&'a GameRecord);

impl EndgameJudge for RecordedEnd<'_> {
    fn final_stores(&self, game: &Game) -> Option<[u8; 2]> {
        let Self(record) = self;
        let is_there = game.moves().len() == record.plies.len();
        (record.ending == GameEnding::Endgame && is_there).then_some(record.stores)
    }
}

/// A player that answers as the journal says.
struct RecordedPlayer<'a> {
    record: &'a GameRecord,
    side: Side,
    steps: Vec<Step>,
}

impl<'a> RecordedPlayer<'a> {
    const fn new(record: &'a GameRecord, side: Side) -> Self {
        Self {
            record,
            side,
            steps: Vec::new(),
        }
    }

    fn note(&mut self, name: impl Into<String>, request: &Request, answer: RecordedAnswer) {
        let mut line = Vec::new();
        request.write_line(&mut line);
        self.steps.push(Step {
            name: name.into(),
            game: None,
            request: line,
            answer,
        });
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
            self.note("hello", &Request::hello(), RecordedAnswer::End);
            return Err(self.stop());
        }
        let is_ready = self.was_ready();
        let ready = RecordedAnswer::Meant(READY.to_owned());
        self.note("hello", &Request::hello(), ready.clone());
        let answer = if is_ready { ready } else { RecordedAnswer::End };
        let request = Request::NewGame(new_game_request(game));
        self.note("new-game", &request, answer);
        if is_ready { Ok(()) } else { Err(self.stop()) }
    }

    async fn turn(&mut self, turn: &Turn) -> Result<Answer, Stop> {
        let ply = self.record.plies.get(turn.turn as usize);
        let is_resignation = self.record.ending == GameEnding::Resignation(self.side);
        let (answer, choice) = match ply.map(|ply| ply.pit.row_index()) {
            Some(pit) => {
                let choice = Choice::Pit {
                    row_index: pit.into(),
                    // By what both said, a game may have ended.
                    info: ply.and_then(|ply| ply.info.clone()),
                };
                (RecordedAnswer::Meant(format!("pit {pit}")), Some(choice))
            }
            None if is_resignation => {
                let answer = RecordedAnswer::Meant(RESIGNS.to_owned());
                (answer, Some(Choice::Resign))
            }
            None => (RecordedAnswer::End, None),
        };
        let request = Request::Turn(turn_line(turn).request());
        self.note(format!("turn {}", turn.turn), &request, answer);
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
        self.note("game-over", &request, RecordedAnswer::NotAsked);
    }

    async fn discard(&mut self) {}
}
