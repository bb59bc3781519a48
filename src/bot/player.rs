//! The protocol over a process: turns requests of the referee into lines, and lines into a choice
//! or a fault. Its process is started when a game needs it, waits between two games while other
//! bots have its cores, and is asked to quit at the end. What it writes to standard error after a
//! game is passed on apart from the game's log.

use crate::bot::launch::{BotSettings, Restart};
use crate::bot::process::{CpuAccounting, Process, Reply};
use crate::bot::requests::{bad_output, choice, game_over_request, new_game_request, turn_line};
use crate::bot::sandbox::SandboxedBot;
use crate::protocol::{Ready, Request, parse_ready, parse_turn_answer};
use crate::record::{AT_THE_FIRST_MESSAGE, Evidence, Fault, FaultKind};
use crate::referee::{
    Answer, Choice, GameOver, HostDelay, Judged, NewGame, Player, PlayerFigures, Stop, Turn,
};
use crate::rules::Side;
use crate::text::printable;
use std::convert::Infallible;
use std::sync::mpsc::Sender;
use std::time::{Duration, Instant};
use tokio::task::JoinSet;

/// An entrant's bot on one slot. Its process is started when a game needs it, plays as many games
/// as its settings say, and is restarted after every fault.
#[derive(Debug)]
pub struct BotPlayer {
    settings: BotSettings,
    sandboxed_bot: SandboxedBot,
    process: Option<Process>,
    leaving: LeavingProcesses,
    /// Whether a process of this player has worked in the moment after its answers: later ones are
    /// frozen at once.
    fast_path_revoked: bool,
    /// Whether a wait for an answer ends as soon as the bot sleeps.
    is_examined: bool,
    /// Whether a request has no answer: the process cannot be used any more.
    asked: bool,
    side: Side,
    /// The id of this game as the bot is told it, if what it writes afterwards is kept.
    told_id: Option<String>,
    /// The time for the answer to the last `new-game`.
    ready_time: Option<Duration>,
    /// What the process called itself, until that is taken.
    introduction: Option<String>,
    /// The longest delay of a wake-up in this game.
    lateness: Duration,
    log: Vec<u8>,
    /// Where what it writes after its games goes, if that is kept.
    post_game_logs: Option<PostGameLogSender>,
    /// The evidence of a process that the last game ended.
    evidence: Option<Evidence>,
    line: Vec<u8>,
}

impl BotPlayer {
    /// A player whose process is not started yet; `sandboxed_bot` is its entrant's.
    pub fn new(settings: BotSettings, sandboxed_bot: SandboxedBot) -> Self {
        Self {
            settings,
            sandboxed_bot,
            process: None,
            leaving: LeavingProcesses::default(),
            fast_path_revoked: false,
            is_examined: false,
            asked: false,
            side: Side::South,
            told_id: None,
            ready_time: None,
            introduction: None,
            lateness: Duration::ZERO,
            log: Vec::new(),
            post_game_logs: None,
            evidence: None,
            line: Vec::new(),
        }
    }

    /// The same player for an examination: the wait for an answer ends as soon as the bot sleeps.
    #[must_use]
    pub fn examined(self) -> Self {
        Self {
            is_examined: true,
            ..self
        }
    }

    /// The same player, which passes on what its bot writes to standard error after each game.
    #[must_use]
    pub fn with_post_game_logs(self, to: Sender<PostGameLog>) -> Self {
        Self {
            post_game_logs: Some(PostGameLogSender { to, last: None }),
            ..self
        }
    }

    /// The bot's standard error in the last game: its head and its tail.
    pub fn take_log(&mut self) -> Vec<u8> {
        if let Some(process) = &self.process {
            self.log.extend(process.take_log());
        }
        std::mem::take(&mut self.log)
    }

    /// The bytes in both directions of the last game. If that game ended the process, of all its
    /// games; empty if the process could not be started.
    pub fn take_evidence(&mut self) -> Evidence {
        let running = || self.process.as_mut().map(Process::evidence);
        self.evidence.take().or_else(running).unwrap_or_default()
    }

    /// Asks the process to quit and waits, in bounded time, until all of its family has ended.
    /// Returns a description of the processes that survive.
    pub async fn close(mut self) -> Option<String> {
        self.dismiss();
        self.leaving.await_end().await;
        self.leaving.remains
    }

    /// A description of the processes that survived SIGKILL.
    pub fn take_remains(&mut self) -> Option<String> {
        self.leaving.remains.take()
    }

    /// Asks the process to quit.
    fn dismiss(&mut self) {
        if let Some(process) = self.process.take() {
            self.leaving
                .ask_to_quit(process, self.post_game_logs.clone());
        }
    }

    /// Sends [`BotPlayer::line`] and waits for the line that answers it.
    async fn exchange(
        &mut self,
        deadline: Duration,
        accounting: CpuAccounting,
    ) -> Result<Reply, Stop> {
        let Some(process) = &mut self.process else {
            return Err(Stop::Void(
                "a bot was asked that had not been started".to_owned(),
            ));
        };
        self.asked = true;
        let reply = process.exchange(&self.line, deadline, accounting).await;
        self.fast_path_revoked |= process.fast_path.is_revoked;
        self.lateness = self.lateness.max(process.last.latest);
        self.asked = reply.is_err();
        reply.map_err(|stop| self.with_build_warning(stop))
    }

    /// A crash with what the compiler had said of the program.
    fn with_build_warning(&self, stop: Stop) -> Stop {
        match (stop, &self.settings.build_warning) {
            (Stop::Fault(fault), Some(warning)) if fault.kind == FaultKind::Crash => {
                let warning = printable(warning);
                let detail = format!("{}; its build had warned: {warning}", fault.detail);
                Stop::Fault(Fault { detail, ..fault })
            }
            (stop, _) => stop,
        }
    }

    /// The line that answered the last exchange.
    fn answer(&self) -> &[u8] {
        self.process.as_ref().map_or(&[], |it| &it.pipes.answer)
    }

    /// Evaluates the times of an answer once more, if it seems late.
    async fn reconsider_if(&mut self, reply: Reply, is_late: impl Fn(&Reply) -> bool) -> Reply {
        match &mut self.process {
            Some(process) if is_late(&reply) => process.reconsider(reply).await,
            _ => reply,
        }
    }

    /// Sends a request that must be answered with `ready` in time; returns the time that it took,
    /// and the answer.
    async fn get_ready(
        &mut self,
        request: &Request,
        budget: Duration,
    ) -> Result<(Duration, Ready), Stop> {
        self.line.clear();
        request.write_line(&mut self.line);
        let reply = self.exchange(budget, CpuAccounting::Game).await;
        if matches!(&reply, Err(Stop::Fault(fault)) if fault.kind == FaultKind::Timeout)
            && let Some(delay) = self.host_delay()
            && let Some(lost) = delay.excused(budget)
        {
            return Err(Stop::Void(delay.cause(lost)));
        }
        let is_late = |reply: &Reply| reply.time.saturating_sub(reply.preempted) > budget;
        let reply = self.reconsider_if(reply?, is_late).await;
        if is_late(&reply) {
            let used = reply.time.saturating_sub(reply.preempted);
            let [used, budget] = [used, budget].map(|it| it.as_secs_f64() * 1e3);
            let detail = format!(
                "too late: the program itself used {used:.1} ms to get ready; the limit was \
                 {budget:.0} ms"
            );
            let delay = self.host_delay();
            return Err(Stop::Fault(Fault {
                figures: delay.map_or_else(String::new, |it| it.describe_figures()),
                ..Fault::new(FaultKind::Timeout, detail)
            }));
        }
        parse_ready(self.answer())
            .map(|ready| (reply.time, ready))
            .map_err(|error| bad_output(&error))
    }

    /// Starts a process.
    ///
    /// # Errors
    /// Why the host cannot start it. Faults of the bot are ignored.
    pub async fn try_start(&mut self) -> Result<(), String> {
        match self.start().await {
            Err(Stop::Unstarted(cause)) => Err(cause),
            _ => Ok(()),
        }
    }

    /// Whether it has a process.
    pub const fn has_process(&self) -> bool {
        self.process.is_some()
    }

    /// Starts the process, if there is none, and greets it.
    async fn start(&mut self) -> Result<(), Stop> {
        if self.settings.restart == Restart::EachGame {
            self.dismiss();
            // They must not compute during a turn.
            self.leaving.await_end().await;
        }
        if let Some(fault) = self.sandboxed_bot.take_slow_end() {
            return Err(Stop::Fault(fault));
        }
        if self.process.is_some() {
            return Ok(());
        }
        let mut process = Process::start(&self.sandboxed_bot)?;
        process.fast_path.is_revoked = self.fast_path_revoked;
        process.sleep_watch.is_on = self.is_examined;
        self.process = Some(process);
        let budget = self.settings.start_up;
        let ready = self.get_ready(&Request::hello(), budget).await;
        let (_, ready) = ready.map_err(start_failure)?;
        self.introduction = ready.introduction();
        Ok(())
    }

    /// Whether its process may play more than one game.
    pub const fn lives_on(&self) -> bool {
        matches!(self.settings.restart, Restart::Never)
    }

    /// Lets the process stand still while other bots play. False if no process may wait.
    pub fn park(&mut self) -> bool {
        self.lives_on() && self.process.as_mut().is_some_and(Process::park)
    }

    /// Bytes of memory that the process and its family hold.
    pub fn held_bytes(&self) -> u64 {
        self.process.as_ref().map_or(0, Process::held_bytes)
    }
}

impl Player for BotPlayer {
    async fn new_game(&mut self, game: &NewGame<'_>) -> Result<(), Stop> {
        // What it wrote since its last game does not belong to this one, unless it is its end.
        self.log.clear();
        if let Some(process) = &self.process {
            let between = process.error.begin_game();
            if let Some(post_game_logs) = &self.post_game_logs {
                post_game_logs.send(between);
            }
        }
        self.evidence = None;
        self.side = game.you;
        self.told_id = self.post_game_logs.is_some().then(|| game.game.to_owned());
        self.lateness = Duration::ZERO;
        self.ready_time = None;
        self.start().await?;
        if let Some(post_game_logs) = &mut self.post_game_logs {
            post_game_logs.last = None;
        }
        if let Some(process) = &mut self.process {
            process.begin_game(game.game);
            if let Some(fault) = process.fault_of_wait().await {
                return Err(Stop::Fault(fault));
            }
        }
        let request = Request::NewGame(new_game_request(game));
        let (time, _) = self.get_ready(&request, self.settings.new_game).await?;
        self.ready_time = Some(time);
        if let Some(process) = &mut self.process {
            process.begin_turns();
        }
        Ok(())
    }

    async fn turn(&mut self, turn: &Turn) -> Result<Answer, Stop> {
        self.line.clear();
        turn_line(turn).write_line(&mut self.line);
        let accounting = if turn.limit.is_of_cpu() {
            CpuAccounting::Exchange
        } else {
            CpuAccounting::Game
        };
        let reply = self.exchange(turn.limit.wall_stop(), accounting).await?;
        let judge = |reply: &Reply| {
            let time = reply.time.saturating_sub(reply.preempted);
            turn.limit.judge(time, reply.cpu)
        };
        let is_late = |reply: &Reply| matches!(judge(reply), Judged::Late(_));
        let reply = self.reconsider_if(reply, is_late).await;
        let choice = match parse_turn_answer(self.answer(), turn.turn) {
            Ok(answer) => choice(answer),
            Err(error) => Choice::Unreadable {
                reason: error.to_string(),
            },
        };
        Ok(Answer {
            choice,
            time: reply.time,
            preempted: reply.preempted,
            cpu: reply.cpu,
        })
    }

    async fn idle(&mut self) -> Stop {
        let Some(process) = &mut self.process else {
            return std::future::pending().await;
        };
        process.freeze_if_running();
        process.misbehaviour().await
    }

    async fn freeze(&mut self) -> Infallible {
        if let Some(process) = &mut self.process {
            process.freeze_if_running();
        }
        std::future::pending().await
    }

    async fn fault_so_far(&mut self) -> Option<Stop> {
        self.process.as_mut()?.fault_so_far().await
    }

    fn host_delay(&self) -> Option<HostDelay> {
        self.process.as_ref()?.last.delay
    }

    fn cpu_since_asked(&mut self) -> Option<Duration> {
        self.process.as_mut()?.cpu_since_asked()
    }

    async fn busy_off_turn(&mut self) -> Option<Fault> {
        self.process.as_mut()?.busy_off_turn().await
    }

    fn too_many_processes(&self) -> Option<Fault> {
        self.process.as_ref()?.too_many_processes()
    }

    fn too_many_elsewhere(&self) -> Option<String> {
        let process = self.process.as_ref();
        let own = process.map(Process::number);
        // A bot that could not be started has no request, so the present moment counts.
        let since = process.and_then(|it| it.watch.begun);
        let since = since.unwrap_or_else(Instant::now);
        self.sandboxed_bot.crowding().besides(own, since)
    }

    fn take_figures(&mut self) -> PlayerFigures {
        let process = self.process.as_mut();
        PlayerFigures {
            ready_time: self.ready_time,
            off_turn_cpu: process.as_ref().map(|it| it.cpu.off_turn.total),
            cpu_of_short_turns: process.and_then(Process::cpu_of_short_turns),
            host_lateness: Some(self.lateness),
            introduction: self.introduction.take(),
        }
    }

    async fn game_over(&mut self, end: &GameOver<'_>) {
        if self.asked {
            return self.discard().await;
        }
        if let Some(post_game_logs) = &mut self.post_game_logs {
            post_game_logs.last = self.told_id.clone().map(|told_id| (told_id, self.side));
        }
        self.line.clear();
        Request::GameOver(game_over_request(end, self.side)).write_line(&mut self.line);
        let posted = self
            .process
            .as_mut()
            .is_some_and(|process| process.end_game(&self.line));
        if !posted {
            self.discard().await;
        }
    }

    async fn discard(&mut self) {
        self.asked = false;
        if let Some(mut process) = self.process.take() {
            process.end().await;
            self.leaving.note_remains(process.ending.remains.take());
            self.log.extend(process.take_log());
            self.evidence = Some(process.evidence());
        }
    }
}

/// Every failure before a process's first `ready` is a start failure.
fn start_failure(stop: Stop) -> Stop {
    stop.map_fault(|fault| Fault {
        kind: FaultKind::StartFailure,
        detail: format!("{AT_THE_FIRST_MESSAGE}{}", fault.detail),
        ..fault
    })
}

/// Processes that were asked to quit and have not ended yet.
#[derive(Debug, Default)]
struct LeavingProcesses {
    tasks: JoinSet<Option<String>>,
    /// A description of the processes that survived SIGKILL.
    remains: Option<String>,
}

impl LeavingProcesses {
    /// Asks a process to quit. What it writes then goes to `post_game_logs`.
    pub fn ask_to_quit(&mut self, mut process: Process, post_game_logs: Option<PostGameLogSender>) {
        let mut quit = Vec::new();
        Request::Quit.write_line(&mut quit);
        self.tasks.spawn(async move {
            let remains = process.quit(&quit).await;
            if let Some(post_game_logs) = post_game_logs {
                post_game_logs.send(process.take_log());
            }
            remains
        });
    }

    /// Waits, in bounded time, until all of their families have ended.
    pub async fn await_end(&mut self) {
        while let Some(left) = self.tasks.join_next().await {
            self.note_remains(left.ok().flatten());
        }
    }

    /// Notes what survives of a process that was ended.
    pub fn note_remains(&mut self, remains: Option<String>) {
        self.remains = remains.or(self.remains.take());
    }
}

/// What a bot wrote after a game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PostGameLog {
    /// The game's id as the bot was told it.
    pub told_id: String,
    /// The bot's side in it.
    pub side: Side,
    /// The head and the tail of what it wrote. Hostile text.
    pub text: Vec<u8>,
}

/// Where the post-game logs of a player go.
#[derive(Clone, Debug)]
struct PostGameLogSender {
    pub to: Sender<PostGameLog>,
    /// The last game that the player finished, and its side.
    pub last: Option<(String, Side)>,
}

impl PostGameLogSender {
    /// Sends what the bot wrote since its last finished game, if there is one.
    pub fn send(&self, text: Vec<u8>) {
        if let Some((told_id, side)) = self.last.clone()
            && !text.is_empty()
        {
            // The run may have ended.
            let _ = self.to.send(PostGameLog {
                told_id,
                side,
                text,
            });
        }
    }
}
