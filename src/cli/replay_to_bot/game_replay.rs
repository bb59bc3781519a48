//! Replays a game of a journal to the bot of one side: sends it the requests of the run, and
//! compares its moves.
//!
//! A request is sent when the bot has answered the one before with a line, even if it differs.

use super::journal_game::{JournalGameError, RecordedAnswer, RequestKind, ToldRequest, requests};
use super::last_answer::{conclusion, verdict};
use super::program::{BUSY_HOST, BotReply, GRACE, RunningBot, SURPLUS, typed_command};
use super::terminal::{say, wait_for_a_debugger};
use crate::bot::ProgramIdentity;
use crate::cli::args::ReplayToBotArguments;
use crate::cli::exit::{Exit, Failure};
use crate::cli::house_commands::starts_a_house_bot;
use crate::protocol::{BotAnswer, parse_ready, parse_turn_answer};
use crate::record::{Fault, FaultKind, GameEnding, GameRecord};
use crate::rules::Side;
use crate::run_folder::{RecordedRun, find_game};
use crate::text::{counted, printable, quoted, shell_word};
use crate::tournament::Plan;
use crate::verification;
use std::process::Command;
use std::time::{Duration, Instant};

/// How long output after `game-over` is waited for, which nobody has asked for.
const AFTERMATH: Duration = Duration::from_millis(100);

/// Replays a game.
///
/// # Errors
/// There is no such run or game, the journal does not tell its requests, or the program cannot be
/// started.
pub fn replay_game(
    arguments: &ReplayToBotArguments,
    id: &str,
    side: Side,
) -> Result<Exit, Failure> {
    let folder = verification::open(&arguments.folder)?;
    let RecordedRun { run, .. } = RecordedRun::read(&folder)?;
    let record = find_game(&folder, &run.plan, id)?.ok_or_else(|| {
        Failure::usage(format!(
            "{} has no game {}; its games.csv has the ids of all of them",
            printable(&arguments.folder.to_string_lossy()),
            quoted(id)
        ))
    })?;
    let requests = requests(&run.plan, &record, side).map_err(|error| match error {
        JournalGameError::Machine(_) => Failure::machine(error.to_string()),
        _ => Failure::usage(format!("cannot replay {}: {error}", record.id)),
    })?;
    let command = if arguments.command.is_empty() {
        house_command(&run.plan, &record.entrants[side.index()])?
    } else {
        typed_command(&arguments.command)
    };
    let program = RunningBot::start(command).map_err(Failure::usage)?;
    if arguments.hold {
        wait_for_a_debugger(&program)?;
    }
    say(&headline(&record, side))?;
    let mut replay = GameReplay {
        program,
        fault: fault_of(&record, side),
        is_held: arguments.hold,
        plays_on: plays_on(&run.plan, &record.entrants[side.index()]),
        differences: 0,
    };
    replay.play(&requests)?;
    let is_same = replay.differences == 0;
    replay.end();
    Ok(if is_same { Exit::Done } else { Exit::Attention })
}

fn identity(plan: &Plan, name: &str) -> Option<ProgramIdentity> {
    let mut entrants = plan.entrants.iter();
    let entrant = entrants.find(|entrant| entrant.name == name)?;
    ProgramIdentity::of(&entrant.program)
}

/// Whether the process of an entrant plays several games, and may remember them.
fn plays_on(plan: &Plan, name: &str) -> bool {
    let identity = identity(plan, name);
    identity.is_none_or(|it| !it.is_house_bot() && it.restart == "never")
}

/// The command of a house bot. That of another bot must be typed: it would run with the user's
/// rights.
fn house_command(plan: &Plan, name: &str) -> Result<Command, Failure> {
    let identity = identity(plan, name);
    let words = identity.as_ref().map_or(&[][..], |it| &it.command);
    match &identity {
        // The run's folder may come from a stranger: nothing else may be started.
        Some(it) if it.is_house_bot() && starts_a_house_bot(words) => {
            let own = std::env::current_exe().map_err(Failure::machine)?;
            let mut command = Command::new(own);
            command.args(&words[1..]);
            Ok(command)
        }
        _ => Err(Failure::usage(format!(
            "which program is to answer? Add it after --, as in -- {}; it runs with your rights, \
             outside of any box",
            if words.is_empty() {
                "./mybot".to_owned()
            } else {
                let words: Vec<String> = words.iter().map(|word| shell_word(word)).collect();
                printable(&words.join(" "))
            }
        ))),
    }
}

/// `ada~greedy.3.1: ada as South against greedy, timeout: no answer in 100 ms`.
fn headline(record: &GameRecord, side: Side) -> String {
    let [south, north] = record.entrants.each_ref().map(|name| printable(name));
    let (own, other) = match side {
        Side::South => (south, north),
        Side::North => (north, south),
    };
    let ending = match &record.ending {
        GameEnding::Fault(guilty, fault) => {
            let guilty = printable(&record.entrants[guilty.index()]);
            let detail = printable(&fault.detail);
            format!("{} of {guilty}: {detail}", fault.kind.name())
        }
        ending => ending.name().to_owned(),
    };
    format!(
        "{}: {own} as {} against {other}; {ending}",
        record.id,
        side.name()
    )
}

fn fault_of(record: &GameRecord, side: Side) -> Option<&Fault> {
    match &record.ending {
        GameEnding::Fault(guilty, fault) if *guilty == side => Some(fault),
        _ => None,
    }
}

struct GameReplay<'a> {
    program: RunningBot,
    /// The fault of this side that ended the game.
    fault: Option<&'a Fault>,
    /// Whether a debugger may stop the bot.
    is_held: bool,
    /// Whether its process of the run played several games, and may remember them.
    plays_on: bool,
    differences: u32,
}

impl GameReplay<'_> {
    fn play(&mut self, requests: &[ToldRequest]) -> Result<(), Failure> {
        let count = requests.len();
        for (number, request) in (1..).zip(requests) {
            let asked = Instant::now();
            // A bot that has closed its input may still write.
            let _ = self.program.write(&request.line);
            let has_ended = self.hear(request)?;
            let answer = self.program.take_lines(1);
            let words = match request.answer {
                RecordedAnswer::NotAsked => self.aftermath(&answer),
                RecordedAnswer::None if has_ended => self.last_end(),
                RecordedAnswer::None => self.last_words(request, &answer, asked.elapsed()),
                expected => self.compare(expected, request, &answer, asked.elapsed()),
            };
            say(&format!("{number}/{count} {}: {words}", request.kind))?;
            let is_last = matches!(
                request.answer,
                RecordedAnswer::None | RecordedAnswer::NotAsked
            );
            if has_ended && !is_last {
                let end = self.program.how_it_ended();
                let left = count - number;
                self.differences += 1;
                let left = counted(left, "request is", "requests are");
                return say(&format!("different: {end}; {left} left"));
            }
        }
        say(&self.summary())
    }

    /// Waits for a line; true if the bot has ended before.
    fn hear(&mut self, request: &ToldRequest) -> Result<bool, Failure> {
        let time_limit = match request.answer {
            RecordedAnswer::NotAsked => Some(AFTERMATH),
            RecordedAnswer::None if !self.is_held => {
                let taken = self.fault.and_then(|fault| fault.time_us);
                Some(Duration::from_micros(taken.unwrap_or_default()).max(BUSY_HOST))
            }
            _ => None,
        };
        let since = Instant::now();
        let mut is_patient = true;
        while self.program.lines() == 0 && self.program.heard().len() < SURPLUS {
            let left = time_limit.map(|limit| limit.saturating_sub(since.elapsed()));
            let patience = is_patient.then(|| BUSY_HOST.saturating_sub(since.elapsed()));
            match self.program.hear(left.or(patience)) {
                BotReply::End => return Ok(true),
                BotReply::Silence if time_limit.is_some() => return Ok(false),
                BotReply::Silence => {
                    is_patient = false;
                    let kind = request.kind;
                    say(&format!(
                        "waiting for the answer to {kind}: no clock runs here"
                    ))?;
                }
                BotReply::Bytes => {}
            }
        }
        Ok(false)
    }

    fn compare(
        &mut self,
        expected: RecordedAnswer,
        request: &ToldRequest,
        line: &[u8],
        after: Duration,
    ) -> String {
        if answered(request, line) == Some(expected) {
            return format!("same ({})", in_words(expected));
        }
        self.differences += 1;
        let (now, _) = verdict(&request.line, line, after);
        format!("different: {} then, now {now}", in_words(expected))
    }

    /// What is said to the request in which the game ended.
    fn last_words(&mut self, request: &ToldRequest, line: &[u8], after: Duration) -> String {
        let (now, is_right) = verdict(&request.line, line, after);
        let Some(fault) = self.fault else {
            return format!("the game ended here; now: {now}");
        };
        let kind = fault.kind.name();
        if is_right {
            self.differences += 1;
            return format!("now: {now}; {}", conclusion(kind));
        }
        self.differences += u32::from(fault.kind == FaultKind::Crash);
        format!("now: {now} (the recorded fault: {kind})")
    }

    /// How the bot ended in the request in which the game ended.
    fn last_end(&mut self) -> String {
        let end = self.program.how_it_ended();
        let Some(fault) = self.fault else {
            self.differences += 1;
            return format!("the game ended here; now: {end}");
        };
        let is_same = matches!(fault.kind, FaultKind::Crash | FaultKind::StartFailure);
        self.differences += u32::from(!is_same);
        format!("now: {end} (the recorded fault: {})", fault.kind.name())
    }

    fn aftermath(&mut self, line: &[u8]) -> String {
        if line.is_empty() {
            return "sent".to_owned();
        }
        self.differences += 1;
        "the bot writes what nobody asked for".to_owned()
    }

    fn summary(&self) -> String {
        match self.differences {
            0 => "same: every answer came again".to_owned(),
            many => {
                let places = counted(many as usize, "place", "places");
                let before = if self.plays_on {
                    "; in the run, the process may have played other games before"
                } else {
                    ""
                };
                format!("different in {places}{before}")
            }
        }
    }

    /// Ends the bot; a bot in a debugger is waited for.
    fn end(self) {
        let time_limit = if self.is_held {
            Duration::MAX
        } else {
            GRACE / 5
        };
        self.program.end(time_limit);
    }
}

/// What a line answers to a request, if it is an answer.
fn answered(request: &ToldRequest, line: &[u8]) -> Option<RecordedAnswer> {
    let line = line.strip_suffix(b"\n")?;
    let RequestKind::Turn(turn) = request.kind else {
        return parse_ready(line).ok().map(|_| RecordedAnswer::Ready);
    };
    match parse_turn_answer(line, turn).ok()? {
        BotAnswer::Resign => Some(RecordedAnswer::Resignation),
        BotAnswer::Move { pit, .. } => u8::try_from(pit).ok().map(RecordedAnswer::Pit),
    }
}

fn in_words(answer: RecordedAnswer) -> String {
    match answer {
        RecordedAnswer::Ready => "ready".to_owned(),
        RecordedAnswer::Pit(pit) => format!("pit {pit}"),
        RecordedAnswer::Resignation => "it resigns".to_owned(),
        RecordedAnswer::None | RecordedAnswer::NotAsked => "nothing".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tournament::Secret;

    #[test]
    fn a_strangers_run_starts_nothing_but_house_bots() {
        let command = |words: &[&str], version: Option<&str>| {
            let mut plan = Plan::round_robin(["one", "other"], 1, Secret::drawn().unwrap());
            let identity = ProgramIdentity {
                command: words.iter().copied().map(str::to_owned).collect(),
                awale_version: version.map(str::to_owned),
                ..ProgramIdentity::default()
            };
            plan.entrants[0].program = identity.to_json();
            house_command(&plan, "one")
        };
        let own = command(&["awale", "bot", "greedy"], Some("1")).expect("a command");
        assert_eq!(own.get_program(), std::env::current_exe().unwrap());
        assert!(own.get_args().eq(["bot", "greedy"]));
        for words in [
            &["awale", "run", "/tmp/hostile.toml", "--i-trust-these-bots"][..],
            &["awale", "bot", "nobody"],
            &["awale"],
            &[],
        ] {
            assert!(command(words, Some("1")).is_err(), "{words:?}");
        }
        assert!(command(&["awale", "bot", "greedy"], None).is_err());
    }
}
