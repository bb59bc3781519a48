//! The bot under examination: the protocol over a conversation, with everything that later steps
//! look at.

use super::message_style::MessageStyle;
use super::observe::{peak_memory_kib, time_in_queue, work_of};
use super::outcome::Lateness;
use crate::bot::{
    Conversation, ConversationEntry, SandboxedBot, bad_output, choice, game_over_request,
    new_game_request, turn_line,
};
use crate::procfs::FamilyState;
use crate::protocol::{BotAnswer, Ready, Request, parse_ready, parse_turn_answer};
use crate::record::{FaultKind, HELD_BACK, NO_NEWLINE, NOTHING_CAME, Writer};
use crate::referee::{Answer, GameOver, NewGame, Player, Stop, Turn};
use crate::rules::Side;
use std::time::{Duration, Instant};

/// How long a bot without an answer may still write after the end of its input.
const PROBE: Duration = Duration::from_millis(500);
/// How long the longest wait for a bot is that is still computing.
const LONGEST_LISTENING: Duration = Duration::from_secs(2);
/// How much longer than allowed the wait for a start is, to tell a slow bot from one that never
/// starts: at least, and at most.
const LATE: [Duration; 2] = [Duration::from_secs(2), Duration::from_secs(5)];
/// The time between two looks at it in that wait.
const SLICE: Duration = Duration::from_millis(10);
/// Bytes of standard error that are kept: the last ones of a step, the first ones of all steps.
const LOG_BYTES: usize = 16 << 10;

/// What was observed over all steps.
#[derive(Debug, Default)]
pub struct BotObservations {
    /// Times of all moves under the clock of the examination.
    pub times: Vec<Duration>,
    /// The peak memory of a process, in KiB, where the system reports it.
    pub peak_kib: Option<u64>,
    /// Lines that ended with `\r\n`.
    pub carriage_returns: usize,
    /// Why an `info` was not kept.
    pub dropped_info: Option<String>,
    /// The first bytes of standard error in all steps. Complaints about meaningless messages are
    /// excluded: the examination provoked them.
    pub stray_log: Vec<u8>,
    pub stray_bytes: usize,
    /// How long processes were runnable and waited for a processor, where the system reports it.
    pub queued: Duration,
    /// The slowest move: its time, the request and the answer.
    pub slowest: Option<(Duration, Vec<ConversationEntry>)>,
}

/// The times for preparations.
#[derive(Clone, Copy, Debug)]
pub struct Budgets {
    /// For starting, until the answer to `hello`.
    pub start_up: Duration,
    /// For each answer to `new-game`.
    pub new_game: Duration,
}

/// A bot whose process is started when it is needed.
#[derive(Debug)]
pub struct BotUnderTest {
    sandboxed_bot: SandboxedBot,
    budgets: Budgets,
    conversation: Option<Conversation>,
    side: Side,
    /// How messages are written.
    pub style: MessageStyle,
    /// Whether moves count for the clock of the examination.
    pub is_timed: bool,
    /// Whether more time would not have helped: the bot waited for its input, or its output was
    /// complete long before and not flushed.
    pub is_stuck: bool,
    /// Whether it slept nearly all of the time of the last answer; false if that is unknown.
    has_slept: bool,
    /// The number of games that the process was told of.
    pub games: u32,
    /// The last bytes of standard error in this step.
    pub log: Vec<u8>,
    pub seen: BotObservations,
    transcript: Vec<ConversationEntry>,
}

impl BotUnderTest {
    pub fn new(sandboxed_bot: SandboxedBot, budgets: Budgets) -> Self {
        Self {
            sandboxed_bot,
            budgets,
            conversation: None,
            side: Side::South,
            style: MessageStyle::Plain,
            is_timed: true,
            is_stuck: false,
            has_slept: false,
            games: 0,
            log: Vec::new(),
            seen: BotObservations::default(),
            transcript: Vec::new(),
        }
    }

    /// The time for starting.
    pub const fn start_up(&self) -> Duration {
        self.budgets.start_up
    }

    /// How long to wait for a start, to tell a slow bot from one that never starts.
    pub fn time_limit_with_start(&self) -> Duration {
        let start_up = self.start_up();
        start_up + start_up.clamp(LATE[0], LATE[1])
    }

    /// Why the last answer was late.
    pub const fn lateness(&self) -> Lateness {
        if self.has_slept {
            Lateness::Slept
        } else {
            Lateness::PerhapsByHost
        }
    }

    /// The entries of the conversation since the last call.
    pub fn take_transcript(&mut self) -> Vec<ConversationEntry> {
        self.collect();
        self.log.clear();
        std::mem::take(&mut self.transcript)
    }

    /// Forgets the times of moves.
    pub fn forget_times(&mut self) {
        self.seen.times.clear();
        self.seen.queued = Duration::ZERO;
        self.seen.slowest = None;
    }

    /// Puts the slowest move into the transcript.
    pub fn show_slowest(&mut self) {
        let slowest = self.seen.slowest.as_ref();
        self.transcript = slowest.map_or_else(Vec::new, |(_, entries)| entries.clone());
    }

    /// Copies from the conversation what is needed after its end.
    fn collect(&mut self) {
        let Some(conversation) = &mut self.conversation else {
            return;
        };
        let entries = conversation.take_transcript();
        let lines = entries.iter().filter(|it| it.from == Some(Writer::Bot));
        let returns = lines.filter(|it| it.line.ends_with(b"\r")).count();
        self.seen.carriage_returns += returns;
        self.transcript.extend(entries);
        let log = conversation.take_log();
        if self.style != MessageStyle::ExtraMessages {
            let room = LOG_BYTES.saturating_sub(self.seen.stray_log.len());
            self.seen.stray_log.extend(&log[..log.len().min(room)]);
            self.seen.stray_bytes += log.len();
        }
        self.log.extend(log);
        self.log.drain(..self.log.len().saturating_sub(LOG_BYTES));
        let peak = peak_memory_kib(conversation.process_id());
        self.seen.peak_kib = self.seen.peak_kib.max(peak);
    }

    /// Takes the conversation. The caller may use it and then passes it to [`close`](Self::close).
    pub const fn take_conversation(&mut self) -> Option<Conversation> {
        self.conversation.take()
    }

    /// Ends a process.
    pub async fn close(&mut self, conversation: Conversation) {
        self.conversation = Some(conversation);
        self.drop_process().await;
    }

    /// Ends the process, if there is one: the next step starts a new one.
    pub async fn drop_process(&mut self) {
        self.collect();
        if let Some(conversation) = &mut self.conversation {
            self.seen.queued += time_in_queue(conversation.process_id());
            conversation.end().await;
        }
        self.collect();
        self.conversation = None;
        self.games = 0;
    }

    /// Starts the program.
    pub async fn start(&mut self) -> Result<(), Stop> {
        self.drop_process().await;
        let mut started = Conversation::start(&self.sandboxed_bot)?;
        started.watch_for_sleep();
        self.conversation = Some(started);
        Ok(())
    }

    /// Greets a program that was started.
    pub async fn hello(&mut self, time_limit: Duration) -> Result<(Ready, Duration), Stop> {
        self.get_ready(&Request::hello(), time_limit).await
    }

    /// Sends a request that must be answered with `ready`.
    async fn get_ready(
        &mut self,
        request: &Request,
        time_limit: Duration,
    ) -> Result<(Ready, Duration), Stop> {
        let (line, time) = self.ask(request, time_limit).await?;
        let ready = parse_ready(&line).map_err(|error| bad_output(&error))?;
        Ok((ready, time))
    }

    async fn ask(
        &mut self,
        request: &Request,
        time_limit: Duration,
    ) -> Result<(Vec<u8>, Duration), Stop> {
        self.is_stuck = false;
        let Some(conversation) = &mut self.conversation else {
            return Err(Stop::Void("the bot has not been started".to_owned()));
        };
        if let Some(message) = self.style.before() {
            conversation.tell(message);
        }
        let before = work_of(conversation.process_id());
        let started = Instant::now();
        let mut asked = conversation
            .ask(&self.style.line(request), time_limit)
            .await;
        let after = work_of(conversation.process_id());
        let slept = before
            .zip(after)
            .map(|(before, after)| after.slept_since(before, started));
        self.has_slept = slept.unwrap_or(false);
        if let Err(Stop::Fault(fault)) = &mut asked
            && fault.kind == FaultKind::Timeout
        {
            // If the answer comes when the input ends, it was not flushed, unless the bot was still
            // computing.
            let before = FamilyState::of(conversation.process_id());
            tokio::time::sleep(SLICE).await;
            let was_waiting = FamilyState::of(conversation.process_id()).is_settled_since(&before);
            conversation.close_input();
            conversation.part(PROBE).await;
            let late = conversation.unread().trim_ascii_start();
            let is_held_back = was_waiting && !late.is_empty();
            let came = match late {
                b"" => NOTHING_CAME.to_owned(),
                line if line.ends_with(b"\n") && line.starts_with(b"{") => HELD_BACK.to_owned(),
                line => format!("{} bytes came {NO_NEWLINE}, or are no answer", line.len()),
            };
            fault.detail = format!("{}; {came}", fault.detail);
            self.is_stuck = conversation.is_asleep() || is_held_back;
        }
        asked
    }

    /// Sends nothing for a while and returns what the bot does wrong. Where the system reports its
    /// state, the wait goes on until the bot waits for input again: on a crowded host it may not
    /// have had a processor yet.
    pub async fn listen(&mut self, time_limit: Duration) -> Option<Stop> {
        self.listen_at_most(time_limit, LONGEST_LISTENING).await
    }

    /// The same for a program that was just started: it may need all of its time for that on a slow
    /// host.
    pub async fn listen_to_start(&mut self, time_limit: Duration) -> Option<Stop> {
        self.listen_at_most(time_limit, self.time_limit_with_start())
            .await
    }

    async fn listen_at_most(&mut self, time_limit: Duration, most: Duration) -> Option<Stop> {
        let conversation = self.conversation.as_mut()?;
        let until = Instant::now() + most;
        let mut slice = time_limit;
        let mut before = FamilyState::Busy;
        loop {
            if let Some(stop) = conversation.listen(slice).await {
                return Some(stop);
            }
            let now = FamilyState::of(conversation.process_id());
            if now.is_settled_since(&before) || Instant::now() > until {
                return None;
            }
            // A process that does not exist has ended just now, and its end will be noticed.
            slice = if now == FamilyState::Unknown {
                time_limit
            } else {
                SLICE
            };
            before = now;
        }
    }

    fn remember(&mut self, time: Duration, answer: &BotAnswer) {
        if self.is_timed {
            self.seen.times.push(time);
            let slowest = self.seen.slowest.as_ref().map(|(slowest, _)| *slowest);
            if slowest < Some(time)
                && let Some(conversation) = &self.conversation
            {
                self.seen.slowest = Some((time, conversation.last_entries(2)));
            }
        }
        if let BotAnswer::Move {
            dropped_info: Some(why),
            ..
        } = answer
        {
            self.seen.dropped_info = Some(why.clone());
        }
    }
}

impl Player for BotUnderTest {
    async fn new_game(&mut self, game: &NewGame<'_>) -> Result<(), Stop> {
        self.side = game.you;
        if self.conversation.is_none() {
            self.start().await?;
            self.hello(self.budgets.start_up).await?;
        }
        self.games += 1;
        if let Some(conversation) = &mut self.conversation {
            conversation.begin_game(game.game);
        }
        let request = Request::NewGame(new_game_request(game));
        let ready = self.get_ready(&request, self.budgets.new_game).await;
        ready.map(drop)
    }

    async fn turn(&mut self, turn: &Turn) -> Result<Answer, Stop> {
        let request = Request::Turn(turn_line(turn).request());
        let (line, time) = self.ask(&request, turn.limit.deadline).await?;
        let answer = parse_turn_answer(&line, turn.turn).map_err(|error| bad_output(&error))?;
        self.remember(time, &answer);
        Ok(Answer {
            choice: choice(answer),
            time,
            preempted: Duration::ZERO,
            cpu: None,
        })
    }

    async fn idle(&mut self) -> Stop {
        match &mut self.conversation {
            Some(conversation) => match conversation.listen(Duration::MAX).await {
                Some(stop) => stop,
                None => std::future::pending().await,
            },
            None => std::future::pending().await,
        }
    }

    async fn game_over(&mut self, end: &GameOver<'_>) {
        let request = Request::GameOver(game_over_request(end, self.side));
        let line = self.style.line(&request);
        let posted = self
            .conversation
            .as_mut()
            .is_some_and(|conversation| conversation.tell(&line));
        if !posted {
            self.drop_process().await;
        }
    }

    async fn discard(&mut self) {
        self.drop_process().await;
    }
}
