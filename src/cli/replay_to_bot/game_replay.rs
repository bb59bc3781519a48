//! Replays a game of a journal to the bot of one side: sends it the requests of the run, and
//! compares its moves.
//!
//! A request is sent when the bot has answered the one before with a line, even if it differs.

use super::game_answer::{answered, fault_of_answer, in_words, is_like};
use super::journal_game::{JournalGameError, RecordedAnswer, ToldRequest, requests};
use super::last_answer::{conclusion, verdict};
use super::program::{BUSY_HOST, BotReply, LONGEST_SILENCE, RunningBot, SURPLUS, typed_command};
use super::terminal::{say, wait_for_a_debugger};
use crate::bot::{OWN_PROGRAM, ProgramIdentity};
use crate::cli::args::ReplayToBotArguments;
use crate::cli::exit::{Exit, Failure};
use crate::cli::house_commands::starts_a_house_bot;
use crate::cli::replay::recorded_game;
use crate::record::{Fault, FaultKind, GameEnding, GameRecord};
use crate::rules::Side;
use crate::text::{counted, printable, shell_word};
use crate::tournament::Plan;
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
    let (plan, record) = recorded_game(&arguments.folder, id)?;
    let requests = requests(&plan, &record, side).map_err(|error| match error {
        JournalGameError::Machine(_) => Failure::machine(error.to_string()),
        _ => Failure::usage(format!("cannot replay {}: {error}", record.id)),
    })?;
    let command = if arguments.command.is_empty() {
        house_command(&plan, &record.entrants[side.index()])?
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
        plays_on: plays_on(&plan, &record.entrants[side.index()]),
        differences: 0,
    };
    replay.play(&requests)?;
    let is_same = replay.differences == 0;
    replay.program.end_replay(arguments.hold);
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
            let mut command = Command::new(OWN_PROGRAM);
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
            let has_ended = self.hear(request)? || self.is_deaf_at_the_end(request);
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
        let was_judged = requests
            .iter()
            .any(|request| request.answer == RecordedAnswer::None);
        if let Some(fault) = self.fault.filter(|_| !was_judged) {
            self.fault_off_turn(fault)?;
        }
        say(&self.summary())
    }

    /// Whether the bot has closed a pipe in the request in which the game ended: it will not
    /// answer, though it runs.
    fn is_deaf_at_the_end(&self, request: &ToldRequest) -> bool {
        let is_last = request.answer == RecordedAnswer::None;
        is_last && self.program.lines() == 0 && self.program.has_closed_a_pipe()
    }

    /// Waits for a line; true if the bot has ended before.
    fn hear(&mut self, request: &ToldRequest) -> Result<bool, Failure> {
        let time_limit = match request.answer {
            RecordedAnswer::NotAsked => Some(AFTERMATH),
            RecordedAnswer::None if !self.is_held => {
                let taken = self.fault.and_then(|fault| fault.time_us);
                let taken = taken.map(|us| Duration::from_micros(us).min(LONGEST_SILENCE));
                match self.fault.map(|fault| fault.kind) {
                    // A bot that was silent until its time was over gets no more: it might have
                    // answered later.
                    Some(FaultKind::Timeout) => taken.or(Some(BUSY_HOST)),
                    _ => Some(taken.unwrap_or_default().max(BUSY_HOST)),
                }
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
        let (now, _) = verdict(&request.line, line, after);
        let Some(fault) = self.fault else {
            return format!("the game ended here; now: {now}");
        };
        let recorded = fault.kind.name();
        match fault_of_answer(request, line) {
            Some(kind) if is_like(kind, fault.kind) => {
                format!("now: {now} (the recorded fault: {recorded})")
            }
            Some(kind) => {
                self.differences += 1;
                let kind = kind.name();
                format!("different: now {now}, which is {kind} (the recorded fault: {recorded})")
            }
            None => {
                self.differences += 1;
                format!("different: now {now}; {}", conclusion(recorded))
            }
        }
    }

    /// How the bot ended in the request in which the game ended.
    fn last_end(&mut self) -> String {
        let end = self.program.how_it_ended();
        let Some(fault) = self.fault else {
            self.differences += 1;
            return format!("the game ended here; now: {end}");
        };
        let is_same = is_like(FaultKind::Crash, fault.kind);
        self.differences += u32::from(!is_same);
        format!("now: {end} (the recorded fault: {})", fault.kind.name())
    }

    /// Judges a fault that came after the last answer, while the other side was on turn.
    fn fault_off_turn(&mut self, fault: &Fault) -> Result<(), Failure> {
        let kind = fault.kind.name();
        let (words, is_same) = match fault.kind {
            FaultKind::Crash => match self.program.own_end(BUSY_HOST) {
                Some(end) => (format!("same: {end}"), true),
                None => ("different: it runs on; the fault is gone".to_owned(), false),
            },
            FaultKind::BadOutput | FaultKind::OutputLimit if self.writes_more() => {
                ("same: it writes what nobody asked for".to_owned(), true)
            }
            FaultKind::BadOutput | FaultKind::OutputLimit => {
                let words = "different: it is silent; the fault is gone";
                (words.to_owned(), false)
            }
            _ => {
                let words = "whether it comes again, only a run can tell";
                (words.to_owned(), true)
            }
        };
        self.differences += u32::from(!is_same);
        say(&format!(
            "after its last answer: {words} (the recorded fault: {kind})"
        ))
    }

    /// Whether it writes anything after its last answer.
    fn writes_more(&mut self) -> bool {
        let has_more = !self.program.heard().is_empty();
        has_more || self.program.hear(Some(BUSY_HOST)) == BotReply::Bytes
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
        assert_eq!(own.get_program(), OWN_PROGRAM);
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
