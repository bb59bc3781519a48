//! Replays some of the games with real processes, under the plan's rules, openings, seeds and
//! clock, and compares them with the journal move by move.
//!
//! That is possible between deterministic bots: house bots that use no clock, and entrants whose
//! configuration says `deterministic = true`, if they are on this machine as they played.

use super::show::ReplayReport;
use crate::bot::ProgramIdentity;
use crate::cli::exit::{Failure, tell};
use crate::cli::run::ReplaySetup;
use crate::config::Purpose;
use crate::course::recorded_versions;
use crate::isolation::supervisor::Guard;
use crate::record::GameId;
use crate::run_folder::{JOURNAL, PLAN, RunFolder};
use crate::text::{quoted, some_names};
use crate::tournament::Schedule;
use crate::verification::replay::{Draw, Field, ReplayOutcome, compare, seed_of};
use crate::verification::{Check, FindingPlace, Findings, ReplaySource, plan};
use std::collections::BTreeSet;

/// The request.
#[derive(Clone, Copy, Debug)]
pub struct ReplayRequest<'a> {
    /// The number of games.
    pub games: u32,
    /// The seed of the draw, if one was typed.
    pub seed: Option<u64>,
    /// Whether the user trusts the bots.
    pub trusts: bool,
    pub guard: &'a Guard,
}

/// Plays games again; `source` is missing for a reason.
///
/// # Errors
/// The journal cannot be read again, or the machine has failed.
pub fn replay(
    request: ReplayRequest<'_>,
    folder: &RunFolder,
    source: Result<ReplaySource, &str>,
    findings: &mut Findings,
) -> Result<ReplayReport, Failure> {
    let journal = || folder.bytes().map_err(Failure::from);
    let seed = match request.seed {
        Some(seed) => seed,
        None => seed_of(journal()?)
            .map_err(|error| Failure::machine(format!("cannot read {JOURNAL}: {error}")))?,
    };
    let mut replay = ReplayReport {
        asked: request.games,
        seed,
        ..ReplayReport::default()
    };
    let source = match source {
        Ok(source) => source,
        Err(why) => {
            give_up(why, why, findings);
            return Ok(replay);
        }
    };
    let schedule = Schedule::new(&source.run.plan);
    let players = players(&source, findings);
    let field = Field {
        plan: &source.run.plan,
        schedule: &schedule,
        openings: &source.openings,
        players: &players,
    };
    let most = usize::try_from(request.games).unwrap_or(usize::MAX);
    let draw = Draw::read(journal()?, &field, seed, most);
    let draw = draw.map_err(|error| folder.unusable(error))?;
    replay.replayable = draw.replayable;
    replay.drawn = draw.games.len();
    note_draw(&draw, request.games, findings);
    if draw.games.is_empty() {
        let why = "no game was played by two deterministic bots that are here as they played";
        let message = format!("{why}. {TO_DO}");
        give_up(why, &message, findings);
        return Ok(replay);
    }
    match play(request, folder, &source, &draw, &mut replay, findings) {
        Err(Failure::Usage(error)) => {
            give_up(
                "the bots cannot be started here",
                &error.to_string(),
                findings,
            );
        }
        played => played?,
    }
    Ok(replay)
}

/// What makes games replayable.
const TO_DO: &str = "House bots are deterministic that look at no clock (random, greedy, minimax \
                     with --depth). Of a program that answers the same in every game that is the \
                     same, write `deterministic = true` below its [[entrant]], and let the same \
                     `awale run` note that in plan.toml: it plays no game again";

fn give_up(why: &str, message: &str, findings: &mut Findings) {
    findings.leave_out(Check::Replay, why);
    let message = format!("nothing was played again: {message}");
    findings.warning(Check::Replay, FindingPlace::default(), &message);
}

/// The entrants that can be played again. For the others a note says why not.
fn players(source: &ReplaySource, findings: &mut Findings) -> BTreeSet<String> {
    let (mut players, mut others, mut unknown) = (BTreeSet::new(), Vec::new(), Vec::new());
    let entrants = source.run.plan.entrants.iter();
    for name in entrants.map(|entrant| &entrant.name) {
        if !source.run.settings.deterministic.contains(name) {
            unknown.push(name.as_str());
        } else if source.others.contains(name) {
            others.push(name.as_str());
        } else {
            players.insert(name.clone());
        }
    }
    for (names, why) in [
        (others, "their programs here are not those that played"),
        (unknown, "nothing says that they are deterministic"),
    ] {
        if !names.is_empty() {
            let names = some_names(&names);
            let message = format!("games of {names} are not played again: {why}");
            findings.note(Check::Replay, &message);
        }
    }
    players
}

fn note_draw(draw: &Draw, asked: u32, findings: &mut Findings) {
    if draw.incomparable > 0 {
        let message = format!(
            "{} more games between deterministic bots ended by a fault other than an illegal move: \
             when that is found out is a matter of time, so they are not played again",
            draw.incomparable
        );
        findings.note(Check::Replay, &message);
    }
    let drawn = draw.games.len();
    if drawn > 0 && (drawn as u64) < u64::from(asked) {
        let message = format!("{asked} games are asked for, and all {drawn} that can be are taken");
        findings.note(Check::Replay, &message);
    }
}

fn play(
    request: ReplayRequest<'_>,
    folder: &RunFolder,
    source: &ReplaySource,
    draw: &Draw,
    replay: &mut ReplayReport,
    findings: &mut Findings,
) -> Result<(), Failure> {
    let names = draw
        .games
        .values()
        .flat_map(|(_, game)| game.entrants.clone());
    let names: BTreeSet<String> = names.collect();
    let purpose = purpose(source.run.plan.test.is_some());
    let (trusts, guard) = (request.trusts, request.guard);
    let versions = recorded_versions(folder, &source.run);
    let mut setup = ReplaySetup::of(&folder.file(PLAN), purpose, versions, &names, trusts, guard)?;
    if let Some(name) = plan::changed(&source.run, &setup.resolved.plan, &names) {
        return Err(Failure::usage(format!(
            "the program of {} has changed while this looked at it",
            quoted(&name)
        )));
    }
    // What plan.toml lists in a file may be gone; the journal has what was played.
    setup.resolved.plan = source.run.plan.clone();
    setup.resolved.openings = source.openings.clone();
    let ReplayReport {
        seed,
        replayable,
        drawn,
        ..
    } = *replay;
    tell(&format!(
        "playing {drawn} of {replayable} games again, drawn with the seed {seed}"
    ));
    let games: Vec<GameId> = draw.games.keys().cloned().collect();
    let rules = source.run.plan.rules;
    let mut outcomes = Vec::new();
    let interrupted = setup.play(guard, &games, &mut |again| {
        if let Some((_, recorded)) = draw.games.get(&again.id) {
            outcomes.push((again.id.clone(), compare(recorded, again, rules)));
        }
    })?;
    replay.interrupted = interrupted;
    // In which order they ended is a matter of time.
    outcomes.sort_unstable_by(|(one, _), (other, _)| one.cmp(other));
    for (game, outcome) in outcomes {
        match outcome {
            ReplayOutcome::Same => replay.same += 1,
            ReplayOutcome::Different(what) => {
                replay.different += 1;
                let (line, recorded) = &draw.games[&game];
                let whose = whose(source, &recorded.entrants);
                let message = format!("{what}. {whose}");
                let place = FindingPlace::line(JOURNAL, *line).of(&game);
                findings.problem(Check::Replay, place, &message);
            }
            ReplayOutcome::Unknown(why) => {
                replay.not_comparable += 1;
                let message = format!("game {game} cannot be compared: {why}");
                findings.note(Check::Replay, &message);
            }
        }
    }
    findings.done(Check::Replay, replay.sentence());
    Ok(())
}

/// What a difference may come from, besides another record.
fn whose(source: &ReplaySource, names: &[String; 2]) -> String {
    let entrants = source.run.plan.entrants.iter();
    let is_house = |name: &&String| {
        let mut entrants = entrants.clone();
        let is_house = |program| ProgramIdentity::of(program).is_some_and(|it| it.is_house_bot());
        entrants.any(|it| it.name == **name && is_house(&it.program))
    };
    let strangers: Vec<&str> = names
        .iter()
        .filter(|name| !is_house(name))
        .map(String::as_str)
        .collect();
    if strangers.is_empty() {
        return "Both are house bots: the record is not of this game".to_owned();
    }
    let strangers = some_names(&strangers);
    format!("Either the record is not of this game, or {strangers} is not deterministic")
}

/// What a run was played for, as far as its journal tells.
pub const fn purpose(is_test: bool) -> Purpose {
    if is_test {
        Purpose::Test
    } else {
        Purpose::Tournament
    }
}
