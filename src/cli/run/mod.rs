//! `awale run`: plays or resumes the tournament of a configuration; the main command.
//!
//! ```text
//! session    a run of a plan, for every command that plays one
//!  ├ folder       its folder before the first game
//!  ├ update       what follows from a changed plan
//!  ├ sandboxes    the sandbox of the plan's bots
//!  ├ builds       programs that are built before the first game
//!  ├ bot_factory  the players: bots as processes
//!  ├ evidence     what is kept of games beside the journal
//!  ├ interrupt    signals → the state of the shutdown
//!  ├ watch        the display
//!  ├ estimate     how long the games will take
//!  └ ending       exit codes, and the command that resumes
//! load       a configuration, resolved for a run
//! counted_load  the same for a class, with the programs that count
//! decide     more pairs of a class where luck has decided
//! dry_run    the schedule, without playing
//! replay     plays games of a run again, without a folder
//! ```

mod bot_factory;
mod builds;
mod counted_load;
mod decide;
mod dry_run;
mod ending;
mod estimate;
mod evidence;
mod folder;
mod interrupt;
mod load;
mod replay;
mod sandboxes;
mod session;
mod update;
mod watch;

pub use bot_factory::PlacedBot;
#[cfg(feature = "nats")]
pub use bot_factory::{BotFactory, keep_limits};
pub use builds::build_all;
pub use ending::unfinished;
pub use interrupt::{interrupted, listen};
pub use load::{
    ConfigSource, Loaded, agree, load, load_to_play, of_command_line, overrides, read_run,
};
pub use replay::ReplaySetup;
pub use sandboxes::{check_trust, equip, has_strangers, no_place};
pub use session::{Ended, MakeCarrier, OnBegin, Session, SessionResult};
pub use update::OnChange;
pub use watch::{
    Finished, FinishedTest, InLedger, RunEvent, TestLine, TestState, emit, schema_of_events,
    state_name,
};

use super::args::{PlayArguments, RunArguments};
use super::exit::{Exit, Failure, output_failure, say, tell};
use crate::bot::Level;
use crate::config;
use crate::config::{DumpTo, Resolved};
use crate::course::{keep_week, kept_week};
use crate::isolation::Isolation;
use crate::isolation::supervisor::Guard;
use crate::text::printable;
use crate::tournament::{Plan, Schedule};
use counted_load::CountedLoad;

/// Plays or resumes. In a class an examination may show that an earlier program of an author plays
/// in place of the last one; then the run goes on with that.
pub fn run(
    arguments: &RunArguments,
    guard: &Guard,
    carrier: Option<MakeCarrier<'_>>,
) -> Result<Exit, Failure> {
    let mut load = CountedLoad::new(arguments, Some(guard));
    let mut loaded = load.now()?;
    let mut on_change = if arguments.update || arguments.decide {
        OnChange::Play
    } else {
        OnChange::Ask
    };
    let label = arguments.label.as_deref();
    if let Some(label) = label {
        check_label_is_free(label, &loaded.resolved)?;
    }
    loop {
        // A carrier's slots seldom play: workers on this machine may have the cores.
        let cores = std::mem::take(&mut loaded.cores);
        let cores = carrier.is_none().then_some(cores);
        let session = Session::new(&arguments.play, guard, &loaded, on_change)?;
        let session = session.carried(carrier, &loaded)?;
        let ended = session.play(None)?;
        drop(cores);
        let Some(next) = load.after(&ended, &loaded.resolved)? else {
            let is_complete = ended.is_complete();
            let exit = show_end(ended, &loaded.resolved, arguments.strict)?;
            if let Some(label) = label {
                keep_label(label, is_complete, &loaded.resolved)?;
            }
            return Ok(exit);
        };
        drop(ended);
        drop(session);
        (loaded, on_change) = (next, OnChange::PlaySilently);
    }
}

fn keep_label(label: &str, is_complete: bool, resolved: &Resolved) -> Result<(), Failure> {
    if is_complete {
        let place = keep_week(&resolved.output, label)?;
        tell(&format!("kept in {}", printable(&place.to_string_lossy())));
    } else {
        tell(&format!("{label} is kept when everything is played"));
    }
    Ok(())
}

/// A week is kept once, and only of a class.
fn check_label_is_free(label: &str, resolved: &Resolved) -> Result<(), Failure> {
    if resolved.settings.grading.is_none() {
        return Err(Failure::usage(
            "--label keeps the grades and the feedback of a class, and this configuration has no \
             [class]",
        ));
    }
    if let Some(place) = kept_week(&resolved.output, label) {
        return Err(Failure::usage(format!(
            "{} is kept already; give this week another --label",
            printable(&place.to_string_lossy())
        )));
    }
    Ok(())
}

/// Prints the tables of a session, and where they are.
pub fn show_end(ended: Ended<'_>, resolved: &Resolved, strict: bool) -> Result<Exit, Failure> {
    match ended {
        Ended::Barred { reason, .. } => Err(Failure::usage(reason)),
        Ended::Played(played) => {
            let interrupted = played.outcome.interrupted;
            played
                .watcher
                .finished(&played.tables, interrupted)
                .map_err(|error| output_failure(&error))?;
            played
                .watcher
                .tell_results(&played.tables, files_of_class(resolved), &resolved.output);
            Ok(ending::conclude(&played, strict))
        }
    }
}

/// What a class has in its folder beside the page.
fn files_of_class(resolved: &Resolved) -> &'static str {
    match &resolved.settings {
        settings if settings.hides_names() => ", organiser.html, grades.csv, feedback/",
        settings if settings.grading.is_some() => ", grades.csv, feedback/",
        _ => "",
    }
}

/// Describes what would be played, and starts nothing.
pub fn describe(arguments: &RunArguments) -> Result<Exit, Failure> {
    let loaded = CountedLoad::new(arguments, None).now()?;
    describe_plan(&arguments.play, &loaded.resolved, &loaded.isolation)
}

/// What would be played: the plan as TOML, or the schedule.
pub fn describe_plan(
    arguments: &PlayArguments,
    resolved: &Resolved,
    isolation: &Isolation,
) -> Result<Exit, Failure> {
    if isolation.level() > Level::None {
        tell(&format!(
            "isolation: nothing is started, and nothing tried; a run would try {} first",
            isolation.level().name()
        ));
    }
    say(&if arguments.dump_config {
        config::dump(resolved, DumpTo::Terminal)
    } else {
        dry_run::describe(resolved, &Schedule::new(&resolved.plan), arguments.list)
    })
}

/// Other machines are given pairs that the plan alone decides.
///
/// # Errors
/// In this plan results decide who meets whom.
pub fn refuse_dealt(plan: &Plan) -> Result<(), Failure> {
    if !plan.is_dealt() {
        return Ok(());
    }
    Err(Failure::usage(
        "results decide who meets whom in this plan, and other machines are given pairs that are \
         known from the beginning: play it with `awale run` on this machine, or as a round robin \
         or gauntlet",
    ))
}
