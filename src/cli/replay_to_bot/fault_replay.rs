//! Replays the recording of a process that was at fault, byte for byte from its first request, and
//! says whether the bot answers the same.
//!
//! A request is sent when the bot has written as many lines as it wrote for the request before in
//! the recording, even if they differ. The bot's output is hostile text and is shown escaped.

use super::last_answer;
use super::program::{BUSY_HOST, BotReply, GRACE, RunningBot, SURPLUS, typed_command};
use super::recording::{RecordedRequest, Recording};
use super::terminal::{say, wait_for_a_debugger};
use crate::cli::args::ReplayToBotArguments;
use crate::cli::exit::{Exit, Failure, tell};
use crate::record::ProcessEnd;
use crate::run_folder::evidence::escaped;
use std::process::Command;
use std::time::{Duration, Instant};

/// How long a bot may be silent if the recording has no time for that answer.
const SILENCE: Duration = Duration::from_secs(1);
/// How often to check whether a silent bot still reads.
const LOOK: Duration = Duration::from_millis(50);
/// Bytes shown around a difference.
const CONTEXT: usize = 40;

/// Replays a recording.
///
/// # Errors
/// The folder does not hold evidence, or there is no program to start.
pub fn replay_fault(arguments: &ReplayToBotArguments) -> Result<Exit, Failure> {
    let recording = Recording::read(&arguments.folder).map_err(Failure::usage)?;
    let command = if arguments.command.is_empty() {
        recorded_command(&recording, arguments)?
    } else {
        typed_command(&arguments.command)
    };
    let program = match RunningBot::start(command) {
        Ok(program) => program,
        Err(error) if recording.never_started() => {
            say(&format!("same: could not be started either: {error}"))?;
            return Ok(Exit::Done);
        }
        Err(error) => return Err(Failure::usage(error)),
    };
    if arguments.hold {
        wait_for_a_debugger(&program)?;
    }
    let mut replay = FaultReplay {
        recording: &recording,
        program,
        is_held: arguments.hold,
        differences: 0,
        last: (Vec::new(), Duration::ZERO),
    };
    let alike = replay.play()?;
    replay.program.end_replay(arguments.hold);
    Ok(if alike { Exit::Done } else { Exit::Attention })
}

/// The recorded command. It is an untrusted program, so it runs outside a box only if the user
/// allows it.
fn recorded_command(
    recording: &Recording,
    arguments: &ReplayToBotArguments,
) -> Result<Command, Failure> {
    let command = recording.command().map_err(Failure::usage)?;
    let shown = recording.command_text();
    if arguments.i_trust_this_bot {
        tell(&format!("the recorded bot is {shown}"));
        return Ok(command);
    }
    Err(Failure::usage(format!(
        "the recorded bot would run with your rights, outside of any box. If you know what it \
         does, add --i-trust-this-bot; for a program of your own, add it after --, as in \
         -- ./mybot. It is\n  {shown}"
    )))
}

struct FaultReplay<'a> {
    recording: &'a Recording,
    program: RunningBot,
    /// Whether a debugger may stop the bot, so that its silence means nothing.
    is_held: bool,
    differences: u32,
    /// The answer to the last request, and the time from the request to its last byte.
    last: (Vec<u8>, Duration),
}

impl FaultReplay<'_> {
    /// Whether everything is as recorded.
    fn play(&mut self) -> Result<bool, Failure> {
        if self.recording.never_started() {
            say("different: started; in the recording it could not be")?;
            return Ok(false);
        }
        let recording = self.recording;
        let (count, shown) = (recording.steps.len(), recording.last_game());
        let mut game = None;
        for (index, step) in recording.steps.iter().enumerate() {
            let last = index + 1 == count;
            if index == shown {
                self.say_how_earlier_games_went(index)?;
            }
            game = step.game.as_deref().or(game);
            let name = match game {
                Some(game) => format!("{}/{count} game {game} {}", index + 1, step.name),
                None => format!("{}/{count} {}", index + 1, step.name),
            };
            // A bot that has closed its input may still write.
            let _ = self.program.write(&step.request);
            let (ended, got) = if last {
                let asked = Instant::now();
                let ended = self.hear_the_last(step);
                self.last = (self.program.take_all(), asked.elapsed());
                (ended, self.last.0.clone())
            } else {
                (self.hear(step), self.program.take_lines(step.lines()))
            };
            self.judge(&name, step, &got, last, index >= shown)?;
            if ended && !last {
                let end = self.program.how_it_ended();
                let left = count - index - 1;
                self.differences += 1;
                say(&format!("different: {end}; {left} requests are left"))?;
                self.say_what_is_missing()?;
                return Ok(false);
            }
        }
        let runs_on = self.judge_the_end()?;
        self.conclude(runs_on)
    }

    /// Reports on the games before the last one, which are not shown step by step.
    fn say_how_earlier_games_went(&self, steps: usize) -> Result<(), Failure> {
        let steps = &self.recording.steps[..steps];
        let games = steps.iter().filter(|step| step.game.is_some()).count();
        match (games, self.differences) {
            (0, _) => Ok(()),
            (_, 0) => say(&format!("games before: {games}, all answers the same")),
            (_, many) => say(&format!("games before: {games}, {many} answers different")),
        }
    }

    /// Says what the replay came to; a bot that has ended by itself has a fault of another kind.
    fn conclude(&self, runs_on: bool) -> Result<bool, Failure> {
        let fault = &self.recording.fault;
        let answers = match self.differences {
            0 => "same: every recorded byte came again".to_owned(),
            1 => "different in 1 place".to_owned(),
            many => format!("different in {many} places"),
        };
        say(&format!("{answers} (the recorded fault: {fault})"))?;
        if self.differences > 0
            && let Some(step) = self.recording.steps.last()
        {
            let (answer, after) = &self.last;
            let (words, is_right) = last_answer::verdict(&step.request, answer, *after);
            let conclusion = match (is_right, runs_on) {
                (true, true) => format!("; {}", last_answer::conclusion(fault)),
                (true, false) => "; but it has ended".to_owned(),
                (false, _) => String::new(),
            };
            say(&format!("now: {words}{conclusion}"))?;
        }
        self.say_what_is_missing()?;
        Ok(self.differences == 0)
    }

    /// Says that a different bot may depend on games that the recording lacks.
    fn say_what_is_missing(&self) -> Result<(), Failure> {
        let (before, left_out) = self.recording.games_before();
        if self.differences == 0 || left_out == 0 {
            return Ok(());
        }
        say(&format!(
            "the process had played {before} games before; {left_out} of them are not recorded"
        ))
    }

    /// Waits for as many lines as were recorded; true if the bot ended before.
    fn hear(&mut self, step: &RecordedRequest) -> bool {
        let most = step.answer.len() + SURPLUS;
        while self.program.lines() < step.lines() && self.program.heard().len() < most {
            if self.program.hear(None) == BotReply::End {
                return true;
            }
        }
        false
    }

    /// Waits until the last recorded bytes have come, or cannot come any more.
    fn hear_the_last(&mut self, step: &RecordedRequest) -> bool {
        let time_limit = self.time_limit(step);
        let mut silent_since = Instant::now();
        loop {
            let heard = self.program.heard();
            let endless = heard.len() > step.answer.len() + SURPLUS;
            let complete = heard.len() >= step.answer.len() && !step.answer.is_empty();
            let unlike = !step
                .answer
                .starts_with(&heard[..heard.len().min(step.answer.len())]);
            let more = step.answer.is_empty() && !heard.is_empty();
            let wanted = self.recording.own_end().is_none() || unlike || more;
            // What differs may be the first half of a line.
            let differs = (unlike || more) && heard.ends_with(b"\n");
            if endless || (complete && !unlike || differs) && wanted {
                return false;
            }
            let came = heard.len() >= step.answer.len();
            let left = time_limit.saturating_sub(silent_since.elapsed());
            match self.program.hear(Some(left.min(LOOK))) {
                BotReply::End => return true,
                BotReply::Silence if came && self.program.has_closed_a_pipe() => return true,
                BotReply::Silence if left.is_zero() => return false,
                BotReply::Silence => {}
                BotReply::Bytes => silent_since = Instant::now(),
            }
        }
    }

    /// How long the bot may be silent during the last answer.
    fn time_limit(&self, step: &RecordedRequest) -> Duration {
        let waited = self.recording.last_wait();
        let silent = step.answer.is_empty() && self.recording.own_end().is_none();
        if self.is_held {
            return Duration::MAX;
        }
        match (silent, waited.is_zero()) {
            // A bot that was silent until its time was over gets no more time: it might have
            // answered later.
            (true, false) => waited,
            (true, true) => SILENCE,
            (false, _) => waited.max(BUSY_HOST),
        }
    }

    /// Compares an answer. The first difference is shown completely, and if `shown` is set, every
    /// answer is reported.
    fn judge(
        &mut self,
        name: &str,
        step: &RecordedRequest,
        got: &[u8],
        last: bool,
        shown: bool,
    ) -> Result<(), Failure> {
        // The referee stopped reading at the fault, so later output was not recorded.
        let compared = if last && !step.answer.is_empty() {
            &got[..got.len().min(step.answer.len())]
        } else {
            got
        };
        let same = compared == step.answer;
        self.differences += u32::from(!same);
        match (same, self.differences) {
            (true, _) if shown => say(&format!("{name}: same ({} bytes)", compared.len())),
            (true, _) => Ok(()),
            (false, 1) => say(&format!(
                "{name}: {}",
                first_difference(&step.answer, compared)
            )),
            (false, _) => say(&format!("{name}: different")),
        }
    }

    /// A bot that ended by itself in the recording must end again in the same way. Returns whether
    /// it runs on.
    fn judge_the_end(&mut self) -> Result<bool, Failure> {
        let Some(recorded) = self.recording.own_end() else {
            return Ok(!self.program.has_closed_a_pipe());
        };
        // A bot that has closed a pipe may be about to end.
        let ends = recorded != ProcessEnd::Closed && self.program.has_closed_a_pipe();
        let time_limit = match (ends, self.is_held) {
            (true, true) => Duration::MAX,
            (true, false) => BUSY_HOST,
            (false, _) => GRACE,
        };
        let now = self.program.own_end(time_limit);
        if now == Some(recorded) {
            say(&format!("end: same ({recorded})"))?;
            return Ok(false);
        }
        self.differences += 1;
        let runs_on = now.is_none();
        let now = now.map_or_else(|| "still running".to_owned(), |end| end.to_string());
        say(&format!(
            "end: different\n  recorded: {recorded}\n  now:      {now}"
        ))?;
        Ok(runs_on)
    }
}

/// The position at which two answers differ, with some bytes around it.
fn first_difference(recorded: &[u8], now: &[u8]) -> String {
    let alike = now.iter().zip(recorded).take_while(|(a, b)| a == b);
    let at = alike.count();
    let shown = |bytes: &[u8]| {
        let from = at.saturating_sub(CONTEXT);
        let to = bytes.len().min(at + CONTEXT);
        let dots = |there: bool| if there { "…" } else { "" };
        let middle = escaped(&bytes[from.min(to)..to]);
        format!("{}{middle}{}", dots(from > 0), dots(to < bytes.len()))
    };
    format!(
        "different from byte {at} on\n  recorded: {}\n  now:      {}",
        shown(recorded),
        shown(now)
    )
}
