//! One game between two players.

use super::agreement::{Agreement, AgreementTerms};
use super::clock::{Clock, ClockSettings, Judged};
use super::disturbed::{blame_resource_hog, unprepared_us, void_if_host_late, with_void_details};
use super::endgame::EndgameJudge;
use super::player::{
    Answer, Choice, GameOver, LastMove, NewGame, Player, PlayerFigures, Spectator, Stop, Turn,
};
use crate::record::{
    EMPTY_PIT, FORBIDDEN_PIT, Fault, FaultKind, GameEnding, PlyRecord, Void, WRONG_SIDE,
};
use crate::referee::disturbed::{silence, timeout};
use crate::rules::{Game, Pit, Played, Position, Preset, RuleSet, Side};
use crate::text::micros;
use std::time::Duration;

/// The settings of a game.
#[derive(Clone, Debug)]
pub struct GameSetup<'a> {
    /// The game's id, as the players see it.
    pub id: &'a str,
    /// The names by which South and North know each other; `None` in a blind tournament.
    pub names: Option<[&'a str; 2]>,
    /// The preset from which the rules were derived.
    pub preset: Preset,
    /// The rules.
    pub rules: RuleSet,
    /// The clocks of South and North.
    pub clocks: [ClockSettings; 2],
    /// Plies after which the game is adjudicated.
    pub max_plies: u32,
    /// Ends the game as soon as it knows perfect play.
    pub endgame: Option<&'a dyn EndgameJudge>,
    /// Ends the game as soon as both players say how it will end.
    pub agreement: AgreementTerms,
    /// Seeds for South and North, below 2^53.
    pub seeds: [u64; 2],
    /// The position after the opening, South to move.
    pub start: Position,
    /// The moves of the opening as text; `None` if it is a position.
    pub opening: Option<&'a str>,
}

/// A finished game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlayedGame {
    /// The plies.
    pub plies: Vec<PlyRecord>,
    /// The side whose process the host could not start: then it was no game, and the ending has
    /// the cause. Players that were told of it must be discarded.
    pub unstarted: Option<Side>,
    /// How it ended.
    pub ending: GameEnding,
    /// Final stores of South and North.
    pub stores: [u8; 2],
    /// How long South and North took to get ready, in µs, if known.
    pub ready_us: [Option<u64>; 2],
    /// The longest delay of a wake-up in any turn, in µs, if known.
    pub lateness_us: Option<u64>,
    /// CPU time of South's and North's families in all turns of the other side, in µs, if known.
    pub off_turn_us: [Option<u64>; 2],
    /// CPU time of South's and North's families in all plies that have no CPU time of their own, in
    /// µs, if known.
    pub short_cpu_us: [Option<u64>; 2],
    /// What South and North called themselves, if they did so in this game. Hostile text.
    pub introductions: [Option<String>; 2],
}

/// Plays a game. The returned value contains everything that can happen in it.
pub async fn play_game<P: Player>(setup: &GameSetup<'_>, players: [&mut P; 2]) -> PlayedGame {
    let [south, north] = players;
    let played = play_watched_game(setup, [&mut *south, &mut *north], None).await;
    if played.unstarted.is_some() {
        south.discard().await;
        north.discard().await;
    }
    played
}

/// The same before a spectator.
pub async fn play_watched_game<P: Player>(
    setup: &GameSetup<'_>,
    mut players: [&mut P; 2],
    spectator: Option<&dyn Spectator>,
) -> PlayedGame {
    let mut table = GameInProgress::new(setup);
    let mut unstarted = None;
    let (told, ending) = match prepare(setup, &mut players).await {
        // A player that was not told of the game is not told of its end either.
        Err(unready) => {
            unstarted = unready.unstarted;
            (&Side::BOTH[..unready.told], unready.ending)
        }
        Ok(()) => (&Side::BOTH[..], table.play(&mut players, spectator).await),
    };
    // Who was not told of this game still has the figures of the one before.
    let mut figures = [PlayerFigures::default(), PlayerFigures::default()];
    for side in told.iter().map(|side| side.index()) {
        figures[side] = players[side].take_figures();
    }
    let of_each = |of: fn(&PlayerFigures) -> Option<Duration>| {
        figures.each_ref().map(|figures| of(figures).map(micros))
    };
    let played = PlayedGame {
        unstarted,
        ready_us: of_each(|it| it.ready_time),
        lateness_us: of_each(|it| it.host_lateness).into_iter().max().flatten(),
        off_turn_us: of_each(|it| it.off_turn_cpu),
        short_cpu_us: of_each(|it| it.cpu_of_short_turns),
        introductions: figures.map(|it| it.introduction),
        ..table.close(ending)
    };
    // Who could not be started may lack what the other one holds: the caller finds out.
    if unstarted.is_none() {
        tell(told, &played, &mut players).await;
    }
    played
}

/// A game that is not played, because of a fault of this side before it.
pub fn lost_game(setup: &GameSetup<'_>, side: Side, fault: Fault) -> PlayedGame {
    GameInProgress::new(setup).close(GameEnding::Fault(side, fault))
}

/// A game that did not begin.
struct Unready {
    /// The number of players that were told of it, South first.
    told: usize,
    /// The side that could not be started.
    unstarted: Option<Side>,
    ending: GameEnding,
}

impl Unready {
    /// Both sides that were asked could be started.
    const fn begun(told: usize, ending: GameEnding) -> Self {
        Self {
            told,
            unstarted: None,
            ending,
        }
    }
}

/// Prepares both players, South first: at most one of them uses the slot's core at a time.
async fn prepare<P: Player>(
    setup: &GameSetup<'_>,
    players: &mut [&mut P; 2],
) -> Result<(), Unready> {
    for (told, side) in (1..).zip(Side::BOTH) {
        let game = NewGame {
            game: setup.id,
            you: side,
            opponent: setup.names.map(|names| names[side.opponent().index()]),
            preset: setup.preset,
            rules: &setup.rules,
            clock: &setup.clocks[side.index()],
            seed: setup.seeds[side.index()],
            start: setup.start,
            opening: setup.opening,
        };
        let ready = ready(players, side, &game).await;
        if let Err(Stop::Unstarted(cause)) = ready {
            let fault = players[side.opponent().index()].too_many_processes();
            let ending = fault.map(|fault| GameEnding::Fault(side.opponent(), fault));
            return Err(Unready {
                told,
                unstarted: ending.is_none().then_some(side),
                ending: ending.unwrap_or_else(|| GameEnding::Void(Void::new(cause).on_turn(side))),
            });
        }
        let of_time = ready.as_ref().err().is_none_or(Stop::is_of_time);
        // South is ready and must stand still while North prepares.
        if side == Side::North
            && of_time
            && let Some(fault) = players[Side::South.index()].busy_off_turn().await
        {
            let ending = GameEnding::Fault(Side::South, fault);
            return Err(Unready::begun(told, ending));
        }
        if let Err(stop) = ready {
            let ending = stopped(side, stop);
            let ending = blame_resource_hog(players, side, ending);
            let ending = with_void_details(players, side, ending, unprepared_us);
            return Err(Unready::begun(told, ending));
        }
    }
    Ok(())
}

/// Prepares one side while the other keeps still.
async fn ready<P: Player>(
    players: &mut [&mut P; 2],
    side: Side,
    game: &NewGame<'_>,
) -> Result<(), Stop> {
    let (prepares, waits) = both(players, side);
    tokio::select! {
        biased;
        ready = prepares.new_game(game) => ready,
        never = waits.freeze() => match never {},
    }
}

/// The player on this side, and the other.
fn both<'a, P>(players: &'a mut [&mut P; 2], side: Side) -> (&'a mut P, &'a mut P) {
    let [south, north] = players;
    match side {
        Side::South => (south, north),
        Side::North => (north, south),
    }
}

fn stopped(side: Side, stop: Stop) -> GameEnding {
    match stop {
        Stop::Fault(fault) => GameEnding::Fault(side, fault),
        Stop::Void(cause) | Stop::Unstarted(cause) => GameEnding::Void(Void::new(cause).of(side)),
    }
}

/// Tells the result to all players that were told of the game, except to a player at fault. A
/// player at fault, or one that a void game left within a request, is restarted.
async fn tell<P: Player>(told: &[Side], played: &PlayedGame, players: &mut [&mut P; 2]) {
    let moves: Vec<Pit> = played.plies.iter().map(|ply| ply.pit).collect();
    for &side in told {
        let player = &mut *players[side.index()];
        match (&played.ending, played.ending.result(played.stores)) {
            (GameEnding::Fault(guilty, _), _) if *guilty == side => player.discard().await,
            (_, None) => player.discard().await,
            (ending, Some(result)) => {
                let reason = ending.name();
                let end = GameOver {
                    result,
                    reason,
                    stores: played.stores,
                    moves: &moves,
                };
                player.game_over(&end).await;
            }
        }
    }
}

/// Games are rarely longer, so that the record does not grow.
const USUAL_PLIES: usize = 160;

/// A game that is being played.
struct GameInProgress<'a> {
    game: Game,
    clock: Clock,
    max_plies: u32,
    endgame: Option<&'a dyn EndgameJudge>,
    agreement: Agreement,
    plies: Vec<PlyRecord>,
    last: Option<LastMove>,
}

impl<'a> GameInProgress<'a> {
    fn new(setup: &GameSetup<'a>) -> Self {
        Self {
            game: Game::new(setup.rules, setup.start),
            clock: Clock::new(setup.clocks),
            max_plies: setup.max_plies,
            endgame: setup.endgame,
            agreement: Agreement::new(setup.agreement),
            plies: Vec::with_capacity(USUAL_PLIES.min(setup.max_plies as usize)),
            last: None,
        }
    }

    /// Plays ply after ply until something ends the game.
    async fn play<P: Player>(
        &mut self,
        players: &mut [&mut P; 2],
        spectator: Option<&dyn Spectator>,
    ) -> GameEnding {
        loop {
            if let Some(ending) = self.game.ending() {
                return GameEnding::Rules(ending.reason);
            }
            if self.perfect_stores().is_some() {
                return GameEnding::Endgame;
            }
            if let Some(agreed) = self.agreement.ending() {
                return agreed;
            }
            if self.plies.len() >= self.max_plies as usize {
                return GameEnding::Adjudicated;
            }
            let side = self.game.position().to_move();
            let turn = self.turn(side);
            if let Some(spectator) = spectator {
                spectator.turn(side, &turn);
            }
            let asked = ask(players, side, &turn).await;
            let asked = asked.map_err(|ending| silence(players, &turn.limit, ending));
            let answered = asked.and_then(|answer| self.accept(side, answer));
            if let Some(ending) = self.turn_ending(players, side, answered).await {
                return ending;
            }
        }
    }

    /// The ending that the turn of this side caused, if any. If the waiting bot used the processor
    /// too much, that is its fault, unless the side on turn made a mistake that needs no time.
    async fn turn_ending<P: Player>(
        &self,
        players: &mut [&mut P; 2],
        side: Side,
        answered: Result<(), GameEnding>,
    ) -> Option<GameEnding> {
        let waiting = side.opponent();
        let of_time = answered.as_ref().err().is_none_or(is_of_time);
        if of_time && let Some(fault) = players[waiting.index()].busy_off_turn().await {
            return Some(GameEnding::Fault(waiting, fault));
        }
        let ending = answered.err()?;
        let ending = blame_resource_hog(players, side, ending);
        let ending = void_if_host_late(players, &self.clock.limit(side), ending);
        Some(with_void_details(players, side, ending, |_| None))
    }

    /// The final stores under perfect play from here on, if they are known.
    fn perfect_stores(&self) -> Option<[u8; 2]> {
        self.endgame?.final_stores(&self.game)
    }

    fn turn(&self, side: Side) -> Turn {
        Turn {
            turn: u32::try_from(self.plies.len()).unwrap_or(u32::MAX),
            position: self.game.position(),
            legal: self.game.legal_moves(),
            last: self.last,
            limit: self.clock.limit(side),
            clock: *self.clock.settings(side),
            banks: [side, side.opponent()].map(|side| self.clock.bank(side)),
        }
    }

    /// Judges an answer and plays it.
    fn accept(&mut self, side: Side, answer: Answer) -> Result<(), GameEnding> {
        let Answer {
            choice,
            time,
            preempted,
            cpu,
        } = answer;
        let limit = self.clock.limit(side);
        let used = match limit.judge(time.saturating_sub(preempted), cpu) {
            Judged::InTime(used) => used,
            Judged::Late(by) => {
                let fault = timeout(&limit, by, [time, preempted], cpu);
                return Err(GameEnding::Fault(side, fault));
            }
            Judged::Unknown => {
                let cause = "the host cannot tell how much CPU time a bot used";
                return Err(GameEnding::Void(Void::new(cause)));
            }
        };
        let (row_index, info) = match choice {
            Choice::Pit { row_index, info } => (row_index, info),
            Choice::Resign => return Err(GameEnding::Resignation(side)),
            Choice::Unreadable { reason } => {
                let fault = Fault::new(FaultKind::BadOutput, reason);
                return Err(GameEnding::Fault(side, fault));
            }
        };
        let (pit, Played { captured, .. }) = self.play_pit(side, row_index).map_err(|fault| {
            let charged = time.saturating_sub(preempted);
            GameEnding::Fault(side, fault.after(micros(charged)))
        })?;
        self.clock.charge(side, used);
        let ply = PlyRecord {
            pit,
            time_us: micros(time),
            cpu_us: cpu.map(micros),
            preempted_us: micros(preempted),
            info,
        };
        self.agreement.add(&ply);
        self.plies.push(ply);
        self.last = Some(LastMove { pit, captured });
        Ok(())
    }

    fn play_pit(&mut self, side: Side, row_index: i64) -> Result<(Pit, Played), Fault> {
        let legal = self.game.legal_moves();
        let pit = u8::try_from(row_index)
            .ok()
            .and_then(|index| Pit::in_row(side, index));
        let played = pit.and_then(|pit| Some((pit, self.game.play(pit).ok()?)));
        played.ok_or_else(|| {
            let list: Vec<String> = legal
                .iter()
                .map(|pit| pit.row_index().to_string())
                .collect();
            let list = list.join(", ");
            let detail = format!("played pit {row_index}; legal were {list}");
            let detail = pit.map_or(detail.clone(), |pit| {
                format!("{detail}; {}", self.why_illegal(pit))
            });
            Fault::new(FaultKind::IllegalMove, detail)
        })
    }

    /// What the detail of a fault adds about a pit that cannot be played.
    fn why_illegal(&self, pit: Pit) -> &'static str {
        let seeds = |pit| self.game.position().seeds(pit);
        let opponents = Pit::in_row(pit.side().opponent(), pit.row_index());
        match (seeds(pit), opponents.map(seeds)) {
            (0, None | Some(0)) => EMPTY_PIT,
            (0, Some(_)) => WRONG_SIDE,
            _ => FORBIDDEN_PIT,
        }
    }

    /// Ends the game and divides the seeds as the ending requires.
    fn close(self, ending: GameEnding) -> PlayedGame {
        let position = self.game.position();
        let stores = match &ending {
            GameEnding::Rules(reason) => self.game.rules().settle(position, *reason),
            GameEnding::Adjudicated => position.stores_with_own_rows(),
            GameEnding::Endgame => self
                .perfect_stores()
                .expect("a game that ended by its known stores has them"),
            GameEnding::AgreedWin(winner) => position.stores_after_forfeit(winner.opponent()),
            GameEnding::AgreedDraw => position.stores_as_even_as_possible(),
            GameEnding::Resignation(loser) | GameEnding::Fault(loser, _) => {
                position.stores_after_forfeit(*loser)
            }
            GameEnding::Void(_) => position.stores(),
        };
        PlayedGame {
            plies: self.plies,
            unstarted: None,
            ending,
            stores,
            ready_us: [None; 2],
            lateness_us: None,
            off_turn_us: [None; 2],
            short_cpu_us: [None; 2],
            introductions: Default::default(),
        }
    }
}

/// Whether an ending is about time: the other side or the host may have kept the bot from its
/// processor.
const fn is_of_time(ending: &GameEnding) -> bool {
    match ending {
        GameEnding::Fault(_, fault) => matches!(fault.kind, FaultKind::Timeout),
        GameEnding::Void(_) => true,
        _ => false,
    }
}

/// Asks one side while the other must keep still. If both act at the same time, the act of the side
/// on turn counts.
async fn ask<P: Player>(
    players: &mut [&mut P; 2],
    side: Side,
    turn: &Turn,
) -> Result<Answer, GameEnding> {
    let (on_turn, waiting) = both(players, side);
    let stop = tokio::select! {
        biased;
        answer = on_turn.turn(turn) => return answer.map_err(|stop| stopped(side, stop)),
        stop = waiting.idle() => stop,
    };
    // It takes a moment to learn how a bot ended, and the other bot may have been noticed first.
    if matches!(stop, Stop::Fault(_))
        && let Some(first) = on_turn.fault_so_far().await
    {
        return Err(stopped(side, first));
    }
    Err(stopped(side.opponent(), stop))
}
