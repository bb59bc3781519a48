//! Sends a script to a bot, compares its answers, and says what is different.
//!
//! A request is sent when the bot has written as many lines as it wrote for the request before,
//! even if they differ. The bot's output is hostile text and is shown escaped.

use super::last_answer::verdict;
use super::print;
use super::program::{BUSY_HOST, BotReply, GRACE, RunningBot, SURPLUS};
use super::script::{RecordedAnswer, Script, Step};
use crate::cli::exit::{Exit, Failure};
use crate::record::{FaultKind, ProcessEnd};
use crate::run_folder::evidence::escaped;
use crate::text::counted;
use std::time::{Duration, Instant};

/// How often to check whether a silent bot still reads.
const CHECK: Duration = Duration::from_millis(50);
/// Bytes shown around a difference.
const CONTEXT: usize = 40;

/// Replays a script. `is_held`: a debugger may stop the bot, so that its silence means nothing.
///
/// # Errors
/// Standard output is closed, or its disk is full.
pub fn run(script: &Script, program: RunningBot, is_held: bool) -> Result<Exit, Failure> {
    let mut replay = Replay {
        script,
        program,
        is_held,
        differences: 0,
    };
    replay.play()?;
    let is_same = replay.differences == 0;
    replay.program.end_replay(is_held);
    Ok(if is_same { Exit::Done } else { Exit::Attention })
}

struct Replay<'a> {
    script: &'a Script,
    program: RunningBot,
    is_held: bool,
    differences: u32,
}

/// What a bot wrote after a request.
struct Heard {
    line: Vec<u8>,
    /// The time from the request to its last byte.
    after: Duration,
    /// Whether the bot has ended, or closed a pipe.
    has_ended: bool,
}

impl Replay<'_> {
    fn play(&mut self) -> Result<(), Failure> {
        if self.script.never_started {
            self.differences += 1;
            return print("different: started; in the recording it could not be");
        }
        let script = self.script;
        let count = script.steps.len();
        let ends = |step: &Step| step.answer == RecordedAnswer::End;
        let is_of_journal = |step: &Step| !matches!(step.answer, RecordedAnswer::Bytes(_));
        let (mut game, mut last) = (None, None);
        for (index, step) in script.steps.iter().enumerate() {
            if index == script.first_shown {
                self.say_how_earlier_games_went(index)?;
            }
            game = step.game.as_deref().or(game);
            let of_game = game.map_or_else(String::new, |game| format!("game {game} "));
            let name = format!("{}/{count} {of_game}{}", index + 1, step.name);
            let is_last = ends(step) || !is_of_journal(step) && index + 1 == count;
            let heard = self.ask(step, is_last)?;
            let (words, is_shown) = self.judge(step, &heard, is_last);
            if is_shown || index >= script.first_shown {
                print(&format!("{name}: {words}"))?;
            }
            if heard.has_ended && !is_last && step.answer != RecordedAnswer::NotAsked {
                let left = counted(count - index - 1, "request is", "requests are");
                let end = self.program.how_it_ended();
                self.differences += 1;
                print(&format!("different: {end}; {left} left"))?;
                return self.say_what_is_missing();
            }
            last = is_last.then_some((step, heard)).or(last);
        }
        match last {
            Some((step, heard)) if !is_of_journal(step) => self.conclude(step, &heard)?,
            last => self.conclude_game(last.is_some())?,
        }
        self.say_what_is_missing()
    }

    /// Reports on the games before the last one, which are not shown step by step.
    fn say_how_earlier_games_went(&self, steps: usize) -> Result<(), Failure> {
        let steps = &self.script.steps[..steps];
        let games = steps.iter().filter(|step| step.game.is_some()).count();
        match (games, self.differences) {
            (0, _) => Ok(()),
            (_, 0) => print(&format!("games before: {games}, all answers the same")),
            (_, many) => print(&format!("games before: {games}, {many} answers different")),
        }
    }

    /// Says that a different bot may depend on games that the script lacks.
    fn say_what_is_missing(&self) -> Result<(), Failure> {
        match &self.script.missing {
            Some(missing) if self.differences > 0 => print(missing),
            _ => Ok(()),
        }
    }

    /// Sends a request and waits for what the bot writes to it.
    fn ask(&mut self, step: &Step, is_last: bool) -> Result<Heard, Failure> {
        let asked = Instant::now();
        // A bot that has closed its input may still write.
        let _ = self.program.write(&step.request);
        let has_ended = if is_last {
            self.hear_the_last(step)
        } else {
            self.hear(step)?
        };
        let is_open = is_last && matches!(step.answer, RecordedAnswer::Bytes(_));
        let lines = if is_open {
            usize::MAX
        } else {
            step.answer.lines()
        };
        Ok(Heard {
            line: self.program.take_lines(lines),
            after: asked.elapsed(),
            has_ended,
        })
    }

    /// Waits for as many lines as were recorded; true if the bot ended before.
    fn hear(&mut self, step: &Step) -> Result<bool, Failure> {
        let limit = self.script.longest_silence(step, false);
        let most = step.answer.bytes().len() + SURPLUS;
        let mut patience = Some(BUSY_HOST);
        while self.program.lines() < step.answer.lines() && self.program.heard().len() < most {
            match self.program.hear(limit.or(patience)) {
                BotReply::End => return Ok(true),
                BotReply::Silence if limit.is_some() => return Ok(false),
                BotReply::Silence => {
                    patience = None;
                    let name = &step.name;
                    print(&format!(
                        "waiting for the answer to {name}: no clock runs here"
                    ))?;
                }
                BotReply::Bytes => {}
            }
        }
        Ok(false)
    }

    /// Waits until the last recorded bytes have come, or cannot come any more; true if the bot has
    /// ended, or will not answer because it has closed a pipe.
    fn hear_the_last(&mut self, step: &Step) -> bool {
        let silence = self.script.longest_silence(step, true);
        let time_limit = silence.filter(|_| !self.is_held).unwrap_or(Duration::MAX);
        let recorded = step.answer.bytes();
        let mut silent_since = Instant::now();
        loop {
            let heard = self.program.heard();
            let is_endless = heard.len() > recorded.len() + SURPLUS;
            let has_come = heard.len() >= recorded.len();
            let is_unlike = !recorded.starts_with(&heard[..heard.len().min(recorded.len())]);
            let is_more = recorded.is_empty() && !heard.is_empty();
            let is_wanted = self.script.own_end.is_none() || is_unlike || is_more;
            let is_complete = has_come && !recorded.is_empty() && !is_unlike;
            // What differs may be the first half of a line.
            let differs = (is_unlike || is_more) && heard.ends_with(b"\n");
            if is_endless || (is_complete || differs) && is_wanted {
                return false;
            }
            let left = time_limit.saturating_sub(silent_since.elapsed());
            match self.program.hear(Some(left.min(CHECK))) {
                BotReply::End => return true,
                BotReply::Silence if has_come && self.program.has_closed_a_pipe() => return true,
                BotReply::Silence if left.is_zero() => return false,
                BotReply::Silence => {}
                BotReply::Bytes => silent_since = Instant::now(),
            }
        }
    }

    /// Compares an answer: the comparison in words, and whether it is shown even for an earlier
    /// game.
    fn judge(&mut self, step: &Step, heard: &Heard, is_last: bool) -> (String, bool) {
        let words = match &step.answer {
            RecordedAnswer::Bytes(recorded) => {
                // The referee stopped reading at the fault, so later output was not recorded.
                let is_cut = is_last && !recorded.is_empty();
                let most = if is_cut { recorded.len() } else { usize::MAX };
                let now = &heard.line[..heard.line.len().min(most)];
                if now == recorded {
                    return (format!("same ({} bytes)", now.len()), false);
                }
                self.differences += 1;
                if self.differences == 1 {
                    first_difference(recorded, now)
                } else {
                    "different".to_owned()
                }
            }
            RecordedAnswer::NotAsked if heard.line.is_empty() => "sent".to_owned(),
            RecordedAnswer::NotAsked => {
                self.differences += 1;
                "the bot writes what nothing asked for".to_owned()
            }
            RecordedAnswer::End => self.judge_the_last(step, heard),
            RecordedAnswer::Meant(then) => {
                let now = verdict(&step.request, &heard.line, heard.after);
                if now.meaning == *then {
                    format!("same ({then})")
                } else {
                    self.differences += 1;
                    format!("different: {then} then, now {}", now.words)
                }
            }
        };
        (words, true)
    }

    /// What a bot does in the request in which its game of a journal ended.
    fn judge_the_last(&mut self, step: &Step, heard: &Heard) -> String {
        let (now, fault) = if heard.has_ended {
            (self.program.how_it_ended(), Some(FaultKind::Crash))
        } else {
            let now = verdict(&step.request, &heard.line, heard.after);
            (now.words, now.fault)
        };
        let Some(recorded) = &self.script.fault else {
            self.differences += u32::from(heard.has_ended);
            return format!("the game ended here; now: {now}");
        };
        let words = &recorded.words;
        match fault {
            Some(kind) if recorded.is_like(kind) => {
                format!("now: {now} (the recorded fault: {words})")
            }
            Some(kind) => {
                self.differences += 1;
                let kind = kind.name();
                format!("different: now {now}, which is {kind} (the recorded fault: {words})")
            }
            None => {
                self.differences += 1;
                format!("different: now {now}; {}", recorded.conclusion())
            }
        }
    }

    /// Concludes a game of a journal. A fault that came after the last answer, while the other side
    /// was on turn, is judged now.
    fn conclude_game(&mut self, was_judged: bool) -> Result<(), Failure> {
        if let Some(fault) = self.script.fault.as_ref().filter(|_| !was_judged) {
            let (words, is_same) = match fault.kind {
                Some(FaultKind::Crash) => match self.program.own_end(BUSY_HOST) {
                    Some(end) => (format!("same: {end}"), true),
                    None => ("different: it runs on; the fault is gone".to_owned(), false),
                },
                Some(FaultKind::BadOutput | FaultKind::OutputLimit) if self.writes_more() => {
                    ("same: it writes what nothing asked for".to_owned(), true)
                }
                Some(FaultKind::BadOutput | FaultKind::OutputLimit) => {
                    let words = "different: it is silent; the fault is gone";
                    (words.to_owned(), false)
                }
                _ => {
                    let words = "whether it comes again, only a run can tell";
                    (words.to_owned(), true)
                }
            };
            self.differences += u32::from(!is_same);
            let kind = &fault.words;
            print(&format!(
                "after its last answer: {words} (the recorded fault: {kind})"
            ))?;
        }
        print(&self.summary("answer came again"))
    }

    /// Whether it writes anything after its last answer.
    fn writes_more(&mut self) -> bool {
        let has_more = !self.program.heard().is_empty();
        has_more || self.program.hear(Some(BUSY_HOST)) == BotReply::Bytes
    }

    fn summary(&self, what: &str) -> String {
        match self.differences {
            0 => format!("same: every {what}"),
            many => format!("different in {}", counted(many as usize, "place", "places")),
        }
    }

    /// Concludes the recording of a process; a bot that has ended by itself has a fault of another
    /// kind.
    fn conclude(&mut self, step: &Step, heard: &Heard) -> Result<(), Failure> {
        let runs_on = self.judge_the_end()?;
        let Some(fault) = &self.script.fault else {
            return Ok(());
        };
        let answers = self.summary("recorded byte came again");
        print(&format!("{answers} (the recorded fault: {})", fault.words))?;
        if self.differences == 0 {
            return Ok(());
        }
        let now = verdict(&step.request, &heard.line, heard.after);
        let conclusion = match (now.fault.is_none(), runs_on) {
            (true, true) => format!("; {}", fault.conclusion()),
            (true, false) => "; but it has ended".to_owned(),
            (false, _) => String::new(),
        };
        print(&format!("now: {}{conclusion}", now.words))
    }

    /// A bot that ended by itself in the recording must end again in the same way. Returns whether
    /// it runs on.
    fn judge_the_end(&mut self) -> Result<bool, Failure> {
        let Some(recorded) = self.script.own_end else {
            return Ok(!self.program.has_closed_a_pipe());
        };
        // A bot that has closed a pipe may be about to end.
        let ends = recorded != ProcessEnd::Closed && self.program.has_closed_a_pipe();
        let now = self.program.own_end(match (ends, self.is_held) {
            (true, true) => Duration::MAX,
            (true, false) => BUSY_HOST,
            (false, _) => GRACE,
        });
        if now == Some(recorded) {
            print(&format!("end: same ({recorded})"))?;
            return Ok(false);
        }
        self.differences += 1;
        let runs_on = now.is_none();
        let now = now.map_or_else(|| "still running".to_owned(), |end| end.to_string());
        print(&format!(
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
