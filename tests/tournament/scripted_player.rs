//! The one scripted player: a script says what it does, and it notes what it is told.

use awale::bot::{game_over_request, new_game_request, turn_line};
use awale::protocol::Request;
use awale::record::Fault;
use awale::referee::{
    Answer, Choice, GameOver, HostDelay, NewGame, Player, PlayerFigures, Stop, Turn,
};
use awale::rules::{Side, moves_text};
use std::collections::VecDeque;
use std::time::Duration;

/// What a scripted player does when it is asked.
pub enum Act {
    /// Plays this pit of its row after this many µs.
    Play(i64, u64),
    /// Plays its first legal pit after this many µs.
    First(u64),
    /// Plays a pit with an `info`.
    Comment(i64, &'static str),
    /// Plays its first legal pit with an `info`, if it is not empty.
    Say(&'static str),
    /// Resigns after this many µs.
    Resign(u64),
    /// Says after this many µs what the protocol does not know.
    Babble(u64),
    /// Has no answer.
    Stop(Stop),
    /// Plays its first legal pit after this many µs, and this many of CPU time if that is known.
    Spend(u64, Option<u64>),
    /// Thinks for ever.
    Think,
}

/// What a player heard, in order.
#[derive(Debug, PartialEq)]
pub enum Heard {
    NewGame(String),
    Turn(u32),
    GameOver(String),
    Discard,
}

/// How a player answers a new game.
pub type NewGameAnswer = dyn FnMut(&NewGame<'_>) -> Result<(), Stop> + Send;

pub struct ScriptedPlayer {
    /// Its entrant's number in a tournament.
    pub entrant: u32,
    pub ready: Box<NewGameAnswer>,
    /// What it does in its first turns.
    pub acts: VecDeque<Act>,
    /// What it does in later turns, from the turn and the seed of the game.
    pub later: fn(&Self, &Turn) -> Act,
    /// The seed of the game, and its side.
    pub seed: u64,
    pub side: Side,
    /// What it does while the other side is on turn, at this call of `idle` (from 0).
    pub idle: Option<(u32, Stop)>,
    pub idle_calls: u32,
    /// What it has not told yet when the other side stops the game.
    pub fault_so_far: Option<Stop>,
    pub heard: Vec<Heard>,
    pub turns: Vec<Turn>,
    /// The same as a bot reads it.
    pub lines: String,
    /// What it says of the host after its last turn, and of its own CPU time while it waited.
    pub host: Option<HostDelay>,
    pub preempted: Duration,
    pub busy_off_turn: Option<Fault>,
    /// Its CPU time since it was asked.
    pub cpu_since_asked: Option<Duration>,
    /// What it holds of processes beyond its limit, and what bots of other games hold.
    pub too_many_processes: Option<Fault>,
    pub too_many_elsewhere: Option<String>,
}

/// A player that does this, and then always plays its first legal pit at once.
pub fn scripted(acts: impl IntoIterator<Item = Act>) -> ScriptedPlayer {
    ScriptedPlayer {
        entrant: 0,
        ready: Box::new(|_| Ok(())),
        acts: acts.into_iter().collect(),
        later: |_, _| Act::First(0),
        seed: 0,
        side: Side::South,
        idle: None,
        idle_calls: 0,
        fault_so_far: None,
        heard: Vec::new(),
        turns: Vec::new(),
        lines: String::new(),
        host: None,
        preempted: Duration::ZERO,
        busy_off_turn: None,
        cpu_since_asked: None,
        too_many_processes: None,
        too_many_elsewhere: None,
    }
}

impl ScriptedPlayer {
    /// The same player with these answers to its new games; the last one holds from then on.
    pub fn answer_new_games(&mut self, answers: impl Into<VecDeque<Result<(), Stop>>>) {
        let mut answers = answers.into();
        self.ready = Box::new(move |_| match answers.len() {
            0 | 1 => answers[0].clone(),
            _ => answers.pop_front().expect("two answers"),
        });
    }
}

impl ScriptedPlayer {
    fn note_line(&mut self, request: &Request) {
        let mut line = Vec::new();
        request.write_line(&mut line);
        self.lines += std::str::from_utf8(&line).expect("UTF-8");
    }
}

impl Player for ScriptedPlayer {
    async fn new_game(&mut self, game: &NewGame<'_>) -> Result<(), Stop> {
        let told = format!(
            "{} {} against {:?}, {}, seed {}, {}",
            game.game,
            game.you,
            game.opponent,
            game.preset.name(),
            game.seed,
            game.start
        );
        self.heard.push(Heard::NewGame(told));
        self.seed = game.seed;
        self.side = game.you;
        self.note_line(&Request::NewGame(new_game_request(game)));
        (self.ready)(game)
    }

    async fn turn(&mut self, turn: &Turn) -> Result<Answer, Stop> {
        self.heard.push(Heard::Turn(turn.turn));
        self.turns.push(*turn);
        let mut line = Vec::new();
        turn_line(turn).write_line(&mut line);
        self.lines += std::str::from_utf8(&line).expect("UTF-8");
        let pit = turn.legal.iter().next().expect("a legal move");
        let first = i64::from(pit.row_index());
        let played = |row_index| Choice::Pit {
            row_index,
            info: None,
        };
        let mut cpu = None;
        let act = self.acts.pop_front();
        let (choice, time) = match act.unwrap_or_else(|| (self.later)(self, turn)) {
            Act::Play(row_index, time) => (played(row_index), time),
            Act::First(time) => (played(first), time),
            Act::Comment(row_index, info) => {
                let info = Some(info.to_owned());
                (Choice::Pit { row_index, info }, 0)
            }
            Act::Say(info) => {
                let info = Some(info.to_owned()).filter(|it| !it.is_empty());
                let row_index = first;
                (Choice::Pit { row_index, info }, 0)
            }
            Act::Spend(time, spent) => {
                cpu = spent.map(Duration::from_micros);
                (played(first), time)
            }
            Act::Resign(time) => (Choice::Resign, time),
            Act::Babble(time) => {
                let reason = "not a JSON object".to_owned();
                (Choice::Unreadable { reason }, time)
            }
            Act::Stop(stop) => return Err(stop),
            Act::Think => std::future::pending().await,
        };
        let time = Duration::from_micros(time);
        Ok(Answer {
            choice,
            time,
            preempted: self.preempted,
            cpu,
        })
    }

    fn host_delay(&self) -> Option<HostDelay> {
        self.host
    }

    async fn busy_off_turn(&mut self) -> Option<Fault> {
        self.busy_off_turn.take()
    }

    fn too_many_processes(&self) -> Option<Fault> {
        self.too_many_processes.clone()
    }

    fn too_many_elsewhere(&self) -> Option<String> {
        self.too_many_elsewhere.clone()
    }

    fn cpu_since_asked(&mut self) -> Option<Duration> {
        self.cpu_since_asked
    }

    fn take_figures(&mut self) -> PlayerFigures {
        PlayerFigures {
            host_lateness: self.host.map(|delay| delay.woken_late),
            ..PlayerFigures::default()
        }
    }

    async fn idle(&mut self) -> Stop {
        let call = self.idle_calls;
        self.idle_calls += 1;
        match &self.idle {
            Some((at, stop)) if *at == call => stop.clone(),
            _ => std::future::pending().await,
        }
    }

    async fn fault_so_far(&mut self) -> Option<Stop> {
        self.fault_so_far.clone()
    }

    async fn game_over(&mut self, end: &GameOver<'_>) {
        let told = format!(
            "{} {} {:?} {}",
            end.result.name(),
            end.reason,
            end.stores,
            moves_text(end.moves)
        );
        self.heard.push(Heard::GameOver(told));
        self.note_line(&Request::GameOver(game_over_request(end, self.side)));
    }

    async fn discard(&mut self) {
        self.heard.push(Heard::Discard);
    }
}
