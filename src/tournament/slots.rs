//! Slots: threads that play one game at a time.
//!
//! A slot is an OS thread with its own runtime, pinned to its cores together with the bots that it
//! starts: a round trip through a pipe costs several times as much across cores. It takes an
//! [`Order`] when it is free and sends a [`Report`] after every game.

use super::boards::{Board, BoardInPlay, Boards};
use super::examination::{AdmissionExamination, AdmissionVerdict};
use super::game_setup::{PlannedGame, Told};
use super::openings::{Opening, Openings};
use super::plan::Plan;
use super::schedule::Pair;
use super::slot_players::{EndOrder, SlotPlayers};
use super::start_ladder::{MOST_CLIMBS, Starts};
use crate::record::{Evidence, GameEnding, GameId, GameNumber, GameRecord};
use crate::referee::{
    EndgameJudge, GameSetup, PlayedGame, Spectator, lost_game, play_watched_game,
};
use crate::rules::Side;
use crate::tournament::plan::EntrantIndex;
use crate::tournament::player_factory::PlayerFactory;
use crate::tournament::slot_players::KeepLimits;
use rustix::thread::{CpuSet, sched_setaffinity};
use std::io;
use std::pin::pin;
use std::sync::Arc;
use tokio::sync::{Mutex, mpsc, watch};
use tokio::task::JoinSet;
use tracing::{Instrument as _, debug, info_span};

/// The state of a run's shutdown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Phase {
    /// Play.
    Play,
    /// Begin no more games.
    Finish,
    /// Abort the games in progress.
    Abort,
}

/// Games of one pair for a slot, each with the number of the attempt.
#[derive(Clone, Debug)]
pub struct Job {
    /// The pair.
    pub pair: Pair,
    /// The numbers of the games, and of their attempts.
    pub games: Vec<(GameNumber, u32)>,
}

/// Games of one pair with all that is needed to play them. The run's secret does not follow from it.
#[derive(Clone, Debug)]
pub struct Assignment {
    /// The pair.
    pub pair: Pair,
    /// The number and the opening from which its games start.
    pub opening: (u32, Opening),
    /// The games.
    pub games: Vec<AssignedGame>,
}

/// One of them.
#[derive(Clone, Debug)]
pub struct AssignedGame {
    /// Its number in the pair.
    pub number: GameNumber,
    /// The number of the attempt, from 1.
    pub attempt: u32,
    /// What its bots are told.
    pub told: Told,
}

impl Assignment {
    /// The games of a job.
    ///
    /// # Panics
    /// The plan has no secret.
    pub fn new(plan: &Plan, openings: &Openings, job: Job) -> Self {
        let (number, opening) = openings.of_pair(&job.pair);
        let games = job.games.iter().map(|&(number, attempt)| {
            let pair = job.pair.id.clone();
            let names = names_of(plan, job.pair.sides(number));
            AssignedGame {
                number,
                attempt,
                told: plan.told(&GameId { pair, number }, names),
            }
        });
        Self {
            games: games.collect(),
            opening: (number, opening.clone()),
            pair: job.pair,
        }
    }

    /// The games from this place on, as they were asked for.
    fn rest(&self, place: usize) -> Job {
        let games = self.games[place..].iter();
        Job {
            pair: self.pair.clone(),
            games: games.map(|it| (it.number, it.attempt)).collect(),
        }
    }
}

/// The names of entrants.
fn names_of(plan: &Plan, entrants: [EntrantIndex; 2]) -> [&str; 2] {
    entrants.map(|entrant| plan.entrants[entrant.index()].name.as_str())
}

/// What a slot is to do.
#[derive(Clone, Debug)]
pub enum Order {
    /// To play games.
    Play(Assignment),
    /// To examine an entrant.
    Examine(EntrantIndex),
}

/// A message of those who play.
#[derive(Debug)]
pub enum Report {
    /// A slot is not bound to its cores.
    NotPinned {
        /// Its number.
        slot: u32,
        /// Why.
        reason: String,
    },
    /// So many slots play from now on, here or elsewhere.
    Slots(usize),
    /// Something that the user should know of those who play elsewhere. May quote them: hostile text.
    Notice {
        /// A sentence.
        text: String,
        /// Whether something is wrong.
        is_warning: bool,
    },
    /// A game has ended.
    Finished {
        /// Its record.
        record: Box<GameRecord>,
        /// The logs of South and North.
        logs: [Vec<u8>; 2],
        /// South's and North's evidence of a game that ended by a fault, or whose transcripts are
        /// kept.
        evidence: Option<Box<[Evidence; 2]>>,
    },
    /// An entrant was examined.
    Examined {
        /// The entrant.
        entrant: EntrantIndex,
        /// With this result.
        verdict: AdmissionVerdict,
    },
    /// Nothing more follows of an order.
    TaskDone,
    /// A bot could not be started.
    StartFailed {
        /// Its entrant.
        entrant: EntrantIndex,
        /// Why.
        cause: String,
    },
    /// A bot cannot be started although no other bot lives, or only its opponent.
    Unstarted {
        /// Its entrant.
        entrant: EntrantIndex,
        /// Why.
        cause: String,
    },
    /// The slot has stopped: a process of an entrant survives its kill there.
    Blocked {
        /// The slot.
        slot: u32,
        /// The entrant.
        entrant: EntrantIndex,
        /// The processes that survive.
        remains: String,
        /// The rest of its task.
        left: Option<Job>,
    },
    /// The slot ends because of a panic.
    Panicked,
}

/// A slot before it runs.
pub struct Slot<'a, B: PlayerFactory> {
    pub number: u32,
    pub cores: Vec<usize>,
    pub plan: &'a Plan,
    pub openings: &'a Openings,
    pub endgame: Option<&'a dyn EndgameJudge>,
    pub factory: &'a B,
    pub keep: KeepLimits,
    /// Where the games in play are shown, if anybody watches.
    pub boards: Option<&'a Boards>,
    pub orders: Arc<Mutex<mpsc::Receiver<Order>>>,
    pub reports: mpsc::Sender<Report>,
    pub phase: watch::Receiver<Phase>,
    pub starts: Arc<Starts>,
    /// Requests to end processes that it keeps.
    pub ends: mpsc::UnboundedReceiver<EndOrder>,
}

impl<B: PlayerFactory> Slot<'_, B> {
    /// Plays until nothing is left to do or the run stops.
    ///
    /// # Errors
    /// The host cannot create its runtime.
    pub fn run(mut self) -> io::Result<()> {
        let _slot = info_span!("slot", slot = self.number).entered();
        let pinned = pin_thread(&self.cores);
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()?;
        runtime.block_on(async {
            if let Err(reason) = pinned {
                let slot = self.number;
                self.tell(Report::NotPinned { slot, reason }).await;
            }
            self.work().await;
        });
        Ok(())
    }

    /// Tells the coordinator. One that has failed does not listen any more.
    async fn tell(&self, report: Report) {
        let _ = self.reports.send(report).await;
    }

    async fn work(&mut self) {
        let mut players = SlotPlayers::new(self.factory, self.keep);
        while let Some(order) = self.next_order(&mut players).await {
            let left = match order {
                Order::Play(assignment) => self.play_games(assignment, &mut players).await,
                Order::Examine(entrant) => {
                    self.examine_one(entrant, &mut players).await;
                    None
                }
            };
            let blocked = players.blocked.take();
            let is_blocked = blocked.is_some();
            if let Some((entrant, remains)) = blocked {
                let slot = self.number;
                self.tell(Report::Blocked {
                    slot,
                    entrant,
                    remains,
                    left,
                })
                .await;
            }
            self.tell(Report::TaskDone).await;
            if is_blocked {
                break;
            }
        }
        players.close().await;
    }

    /// Plays assigned games; a blocked slot returns the rest of them.
    async fn play_games(
        &mut self,
        assignment: Assignment,
        players: &mut SlotPlayers<'_, B>,
    ) -> Option<Job> {
        let pair = &assignment.pair;
        players.make_room(pair.entrants).await;
        for (place, assigned) in assignment.games.iter().enumerate() {
            if players.blocked.is_some() {
                return Some(assignment.rest(place));
            }
            if *self.phase.borrow() >= Phase::Finish {
                break;
            }
            let game = self.planned(&assignment, assigned);
            let span = info_span!("game", game = %game.id);
            let sides = pair.sides(assigned.number);
            let played = self.play(game, assigned.attempt, sides, players);
            let report = played.instrument(span).await?;
            players.note_survivors();
            if matches!(&report, Report::Finished { record, .. } if record.is_void()) {
                players.release_waiting().await;
            }
            self.tell(report).await;
        }
        players.measure();
        None
    }

    async fn examine_one(&mut self, entrant: EntrantIndex, players: &mut SlotPlayers<'_, B>) {
        let starts = Arc::clone(&self.starts);
        let Some(_together) = self.obeying(players, starts.games.read()).await else {
            return;
        };
        let mut leaving = JoinSet::new();
        if let Some(verdict) = self.examine(entrant, &mut leaving).await {
            let report = Report::Examined { entrant, verdict };
            self.tell(report).await;
        }
        players.await_leaving(entrant, leaving).await;
    }

    /// Examines an entrant; `None` if the examination was aborted.
    async fn examine(
        &mut self,
        entrant: EntrantIndex,
        leaving: &mut JoinSet<Option<String>>,
    ) -> Option<AdmissionVerdict> {
        let examination = AdmissionExamination {
            plan: self.plan,
            openings: self.openings,
            factory: self.factory,
            entrant,
        };
        let aborted = self.phase.wait_for(|phase| *phase == Phase::Abort);
        tokio::select! {
            biased;
            _ = aborted => None,
            verdict = examination.hold(leaving) => Some(verdict),
        }
    }

    async fn next_order(&mut self, players: &mut SlotPlayers<'_, B>) -> Option<Order> {
        let orders = Arc::clone(&self.orders);
        let order = async { orders.lock().await.recv().await };
        self.obeying(players, order).await.flatten()
    }

    /// Waits for this and ends kept processes meanwhile, where another slot asks for that. `None`
    /// if no more games begin.
    async fn obeying<T>(
        &mut self,
        players: &mut SlotPlayers<'_, B>,
        awaited: impl Future<Output = T>,
    ) -> Option<T> {
        let mut awaited = pin!(awaited);
        let mut phase = self.phase.clone();
        loop {
            let stopped = phase.wait_for(|phase| *phase >= Phase::Finish);
            tokio::select! {
                biased;
                _ = stopped => return None,
                Some(order) = self.ends.recv() => players.obey(order).await,
                done = &mut awaited => return Some(done),
            }
        }
    }

    /// Tries to start a bot that could not be started, alone on the host. False if the run stops.
    async fn await_start(
        &mut self,
        [entrant, opponent]: [EntrantIndex; 2],
        climbs: u32,
        starts: &Starts,
        players: &mut SlotPlayers<'_, B>,
    ) -> bool {
        let stopped = self.phase.wait_for(|phase| *phase >= Phase::Finish);
        let climb = starts.climb(entrant, opponent, self.number, players, self.factory);
        let climbed = tokio::select! {
            biased;
            _ = stopped => return false,
            climbed = climb => climbed,
        };
        players.end_pair().await;
        let unstarted = match climbed {
            Ok(()) if climbs < MOST_CLIMBS => return true,
            Ok(()) => "it can be started alone, and not while its opponent lives".to_owned(),
            Err(cause) => cause,
        };
        let report = Report::Unstarted {
            entrant,
            cause: unstarted,
        };
        self.tell(report).await;
        false
    }

    /// Plays one game; `None` if it was aborted.
    async fn play(
        &mut self,
        game: PlannedGame<'_>,
        attempt: u32,
        entrants: [EntrantIndex; 2],
        players: &mut SlotPlayers<'_, B>,
    ) -> Option<Report> {
        let (played, is_played) = self.play_to_its_end(&game, entrants, players).await?;
        debug!("ended: {}", played.ending.name());
        let record = game.record(played, attempt);
        let is_kept = record.fault().is_some() || self.factory.keeps_transcripts();
        let (logs, evidence) = if is_played {
            let logs = players.logs(entrants);
            (logs, is_kept.then(|| Box::new(players.evidence(entrants))))
        } else {
            (Default::default(), Some(Box::default()))
        };
        Some(Report::Finished {
            record: Box::new(record),
            logs,
            evidence,
        })
    }

    /// Begins one game until its bots can be started. Returns whether it was played, or lost by
    /// what a side did before it; `None` if it was aborted.
    async fn play_to_its_end(
        &mut self,
        game: &PlannedGame<'_>,
        entrants: [EntrantIndex; 2],
        players: &mut SlotPlayers<'_, B>,
    ) -> Option<(PlayedGame, bool)> {
        let starts = Arc::clone(&self.starts);
        let mut alone = None;
        let mut climbs = 0;
        loop {
            let guilty = Side::BOTH.into_iter().find_map(|side| {
                let fault = self.starts.take_fault(entrants[side.index()])?;
                Some((side, fault))
            });
            if let Some((side, fault)) = guilty {
                return Some((lost_game(&game.setup(), side, fault), false));
            }
            let together = match alone {
                Some(_) => None,
                None => Some(self.obeying(players, starts.games.read()).await?),
            };
            if !players.are_at_hand() {
                players.make_room(entrants).await;
            }
            let played = self.play_once(game, entrants, players).await?;
            drop(together);
            let Some(side) = played.unstarted else {
                return Some((played, true));
            };
            let [entrant, opponent] = [side, side.opponent()].map(|it| entrants[it.index()]);
            let cause = match played.ending {
                GameEnding::Void(void) => void.cause,
                other => other.name().to_owned(),
            };
            let report = Report::StartFailed { entrant, cause };
            self.tell(report).await;
            if alone.is_none() {
                alone = Some(self.obeying(players, starts.games.write()).await?);
            }
            climbs += 1;
            let pair = [entrant, opponent];
            if !self.await_start(pair, climbs, &starts, players).await {
                return None;
            }
        }
    }

    /// Plays one game, which may not begin; `None` if it was aborted.
    async fn play_once(
        &mut self,
        game: &PlannedGame<'_>,
        entrants: [EntrantIndex; 2],
        players: &mut SlotPlayers<'_, B>,
    ) -> Option<PlayedGame> {
        let board = self.board(game);
        let spectator = board.as_ref().map(|board| board as &dyn Spectator);
        let setup = GameSetup {
            endgame: self.endgame,
            agreement: self.plan.agreement(),
            ..game.setup()
        };
        let aborted = self.phase.wait_for(|phase| *phase == Phase::Abort);
        let playing = play_watched_game(&setup, players.take_places(entrants), spectator);
        let played = tokio::select! {
            biased;
            _ = aborted => None,
            played = playing => Some(played),
        };
        if played.is_none() {
            players.drop_pair();
        }
        played
    }
}

impl<'a, B: PlayerFactory> Slot<'a, B> {
    /// An assigned game.
    fn planned<'g>(&self, assignment: &'g Assignment, game: &AssignedGame) -> PlannedGame<'g>
    where
        'a: 'g,
    {
        let (pair, number) = (&assignment.pair, game.number);
        let id = GameId {
            pair: pair.id.clone(),
            number,
        };
        let names = names_of(self.plan, pair.sides(number));
        let (opening_number, opening) = &assignment.opening;
        let opening = (*opening_number, opening);
        PlannedGame::told(self.plan, id, names, opening, game.told.clone())
    }

    /// The board on which a game is shown, if anybody watches.
    fn board(&self, game: &PlannedGame<'_>) -> Option<Board<'a>> {
        let start = game.opening.1.position;
        let clocks = game.names.map(|name| self.plan.clock_of(name));
        let game = BoardInPlay {
            game: game.id.to_string(),
            entrants: game.names.map(str::to_owned),
            start,
            moves: Vec::new(),
            position: start,
            banks: [None; 2],
            move_limits: clocks.map(|clock| clock.move_limit),
            since: None,
        };
        self.boards?.begin(self.number, game)
    }
}

/// Without this report the coordinator would wait forever.
impl<B: PlayerFactory> Drop for Slot<'_, B> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            let _ = self.reports.blocking_send(Report::Panicked);
        }
    }
}

/// Pins this thread, and so every process that it starts, to the cores; to none in particular if
/// the list is empty.
///
/// # Errors
/// The message for a core that the host refuses.
fn pin_thread(cores: &[usize]) -> Result<(), String> {
    if cores.is_empty() {
        return Ok(());
    }
    let mut set = CpuSet::new();
    for &core in cores {
        if core >= CpuSet::MAX_CPU {
            return Err(format!(
                "core {core} is beyond the {} that can be named",
                CpuSet::MAX_CPU
            ));
        }
        set.set(core);
    }
    sched_setaffinity(None, &set).map_err(|error| error.to_string())
}
