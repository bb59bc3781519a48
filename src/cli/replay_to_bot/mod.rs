//! `awale replay-to-bot`: sends the requests of a run to a bot again, without clocks, and says
//! whether it answers the same.
//!
//! ```text
//! script       requests with their recorded answers ── recording     from the folder of a fault
//!                                                   ── journal_game  from a journal, any game
//! replay       sends a script, compares, and says what is different
//! last_answer  what an answer is worth now
//! program      the bot: bytes in, bytes and its end out
//! ```

mod journal_game;
mod last_answer;
mod program;
mod recording;
mod replay;
mod script;

use super::args::ReplayToBotArguments;
use super::exit::{Exit, Failure, say, tell};
use super::house_bot::starts_a_house_bot;
use super::replay::recorded_game;
use crate::bot::{OWN_PROGRAM, ProgramIdentity};
use crate::record::{GameEnding, GameRecord};
use crate::rules::Side;
use crate::run_folder::JOURNAL;
use crate::run_folder::evidence::{FAULTS, PAGE};
use crate::text::{printable, shell_word};
use crate::tournament::Plan;
use program::{RunningBot, typed_command};
use recording::Recording;
use script::Script;
use std::io::BufRead as _;
use std::process::Command;

/// Replays a fault, or any game of a run.
///
/// # Errors
/// The folder is neither evidence nor that of a run with such a game, or there is no program to
/// start.
pub fn replay_to_bot(arguments: &ReplayToBotArguments) -> Result<Exit, Failure> {
    if let Some((id, side)) = arguments.game.as_deref().zip(arguments.side) {
        return replay_game(arguments, id, side);
    }
    let folder = &arguments.folder;
    if !folder.join(PAGE).exists() && folder.join(JOURNAL).exists() {
        return Err(Failure::usage(format!(
            "{} is the folder of a run: name a game of it, as in --game ID --side south, or a \
             folder in its {FAULTS}/",
            printable(&folder.to_string_lossy())
        )));
    }
    replay_fault(arguments)
}

/// Replays the recording of a process that was at fault, byte for byte from its first request.
fn replay_fault(arguments: &ReplayToBotArguments) -> Result<Exit, Failure> {
    let recording = Recording::read(&arguments.folder).map_err(Failure::usage)?;
    let command = if arguments.command.is_empty() {
        recorded_command(&recording, arguments)?
    } else {
        typed_command(&arguments.command)
    };
    match RunningBot::start(command) {
        Err(error) if recording.script.never_started => {
            print(&format!("same: could not be started either: {error}"))?;
            Ok(Exit::Done)
        }
        Err(error) => Err(Failure::usage(error)),
        Ok(program) => {
            if arguments.hold {
                wait_for_a_debugger(&program)?;
            }
            replay::run(&recording.script, program, arguments.hold)
        }
    }
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

/// Replays a game of a journal to the bot of one side.
fn replay_game(arguments: &ReplayToBotArguments, id: &str, side: Side) -> Result<Exit, Failure> {
    let (plan, record) = recorded_game(&arguments.folder, id)?;
    let name = &record.entrants[side.index()];
    let identity = identity(&plan, name);
    let steps = journal_game::steps(&plan, &record, side)?;
    let command = if arguments.command.is_empty() {
        house_command(identity.as_ref())?
    } else {
        typed_command(&arguments.command)
    };
    let program = RunningBot::start(command).map_err(Failure::usage)?;
    if arguments.hold {
        wait_for_a_debugger(&program)?;
    }
    print(&headline(&record, side))?;
    // Such a process plays several games, and may remember them.
    let plays_on = identity.is_none_or(|it| !it.is_house_bot() && it.restart == "never");
    replay::run(
        &Script::of_game(steps, &record, side, plays_on),
        program,
        arguments.hold,
    )
}

fn identity(plan: &Plan, name: &str) -> Option<ProgramIdentity> {
    let mut entrants = plan.entrants.iter();
    let entrant = entrants.find(|entrant| entrant.name == name)?;
    ProgramIdentity::of(&entrant.program)
}

/// The command of a house bot. That of another bot must be typed: it would run with the user's
/// rights.
fn house_command(identity: Option<&ProgramIdentity>) -> Result<Command, Failure> {
    let words = identity.map_or(&[][..], |it| &it.command);
    // The run's folder may come from a stranger: nothing else may be started.
    if identity.is_some_and(ProgramIdentity::is_house_bot) && starts_a_house_bot(words) {
        let mut command = Command::new(OWN_PROGRAM);
        command.args(&words[1..]);
        return Ok(command);
    }
    let words: Vec<String> = words.iter().map(|word| shell_word(word)).collect();
    Err(Failure::usage(format!(
        "which program is to answer? Add it after --, as in -- {}; it runs with your rights, \
         outside of any box",
        if words.is_empty() {
            "./mybot".to_owned()
        } else {
            printable(&words.join(" "))
        }
    )))
}

/// `ada~greedy.3.1: ada as South against greedy, timeout: no answer in 100 ms`.
fn headline(record: &GameRecord, side: Side) -> String {
    let name = |side: Side| printable(&record.entrants[side.index()]);
    let ending = match &record.ending {
        GameEnding::Fault(guilty, fault) => {
            let detail = printable(&fault.detail);
            format!("{} of {}: {detail}", fault.kind.name(), name(*guilty))
        }
        ending => ending.name().to_owned(),
    };
    format!(
        "{}: {} as {} against {}; {ending}",
        record.id,
        name(side),
        side.name(),
        name(side.opponent())
    )
}

/// Prints a line.
fn print(line: &str) -> Result<(), Failure> {
    say(&format!("{line}\n")).map(drop)
}

/// Gives the user time to attach a debugger before the first request.
fn wait_for_a_debugger(program: &RunningBot) -> Result<(), Failure> {
    print(&format!(
        "process {}: attach a debugger to it, then press Enter here",
        program.process()
    ))?;
    let read = std::io::stdin().lock().skip_until(b'\n');
    let failed = |error| Failure::machine(format!("cannot read from the terminal: {error}"));
    read.map_err(failed).map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_strangers_run_starts_nothing_but_house_bots() {
        let command = |words: &[&str], version: Option<&str>| {
            let identity = ProgramIdentity {
                command: words.iter().copied().map(str::to_owned).collect(),
                awale_version: version.map(str::to_owned),
                ..ProgramIdentity::default()
            };
            house_command(Some(&identity))
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
        assert!(house_command(None).is_err());
    }
}
