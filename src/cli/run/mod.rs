//! `awale run`: plays or resumes the tournament of a configuration; the main command.
//!
//! ```text
//! session    a run of a plan, for every command that plays one
//! interrupt  signals → the state of the shutdown
//! admission  what a run reports of its admission gate
//! replay     plays games of a run again, without a folder
//! builds     programs that are built before the first game
//! post_game_logs  what bots wrote after their games, added to the logs
//! bot_factory  the players: bots as processes
//! kept_processes  how many processes of bots a slot keeps
//! sandboxes  the sandbox of the plan's bots
//! evidence   what is kept of games beside the journal
//! dry_run    the schedule, without playing
//! live       the page on which a run can be watched
//! load       a configuration, resolved for a run
//! output_folder  the run's folder, as it is before the run
//! plan_file  `plan.toml`
//! run_failure    a run that the machine ended, and the command that resumes it
//! update     what follows from a changed plan
//! warnings   what a run warns of before its first game
//! watch      the display during a run
//! ```

mod admission;
mod bot_factory;
mod builds;
mod dry_run;
mod evidence;
mod interrupt;
mod kept_processes;
mod live;
mod load;
mod output_folder;
mod plan_file;
mod post_game_logs;
mod replay;
mod run_failure;
mod sandboxes;
mod session;
mod update;
mod warnings;
mod watch;

pub use builds::build_all;
pub use interrupt::listen;
pub use load::{ConfigSource, Loaded, load, load_to_play, of_command_line, overrides};
pub use replay::ReplaySetup;
pub use sandboxes::{check_trust, equip, has_strangers, no_place};
pub use session::{Ended, Session, SessionResult};
pub use update::OnChange;
pub use watch::{TestLine, try_emit as emit};

use super::args::{PlayArguments, RunArguments};
use super::exit::{Exit, Failure, output_failure, say, tell};
use crate::bot::Level;
use crate::config;
use crate::config::{DumpTo, KeyFlag, Overrides, Resolved};
use crate::isolation::Isolation;
use crate::isolation::supervisor::Guard;
use crate::text::counted;
use crate::tournament::Schedule;
use run_failure::own_command;

/// Plays or resumes.
pub fn run(arguments: &RunArguments, guard: &Guard) -> Result<Exit, Failure> {
    let source = ConfigSource::File(&arguments.config);
    let loaded = load_to_play(&source, &flags(arguments), &arguments.play, Some(guard))?;
    let session = Session::new(&arguments.play, guard, &loaded)?;
    let session = session.on_change(if arguments.update {
        OnChange::Play
    } else {
        OnChange::Ask
    });
    show_end(session.play()?, &loaded.resolved, arguments.strict)
}

/// Prints the tables of a session, and where they are.
pub fn show_end(ended: Ended<'_>, resolved: &Resolved, strict: bool) -> Result<Exit, Failure> {
    match ended {
        Ended::Barred(reason) => Err(Failure::usage(reason)),
        Ended::Played(played) => {
            let interrupted = played.outcome.interrupted;
            played
                .watcher
                .finished(&played.tables, interrupted)
                .map_err(|error| output_failure(&error))?;
            played
                .watcher
                .tell_results(&played.tables, &resolved.output);
            Ok(conclude(&played, strict))
        }
    }
}

/// Describes what would be played, and starts nothing.
pub fn describe(arguments: &RunArguments) -> Result<Exit, Failure> {
    let source = ConfigSource::File(&arguments.config);
    let loaded = load_to_play(&source, &flags(arguments), &arguments.play, None)?;
    describe_plan(&arguments.play, &loaded.resolved, &loaded.isolation)
}

fn flags(arguments: &RunArguments) -> Overrides {
    let errors = arguments.errors.as_ref().map(|method| KeyFlag {
        flag: "--errors",
        path: ["tournament", "errors"],
        value: method.clone(),
    });
    Overrides {
        pairs: arguments.pairs,
        keys: errors.into_iter().collect(),
        ..overrides(&arguments.play)
    }
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

fn conclude(played: &SessionResult<'_>, strict: bool) -> Exit {
    if let Some(exit) = unfinished(played) {
        return exit;
    }
    let blameless = !played.tables.standings().any_fault() && played.outcome.exclusions.is_empty();
    let is_open = !played.outcome.exclusions.open.is_empty();
    if is_open || strict && !blameless {
        Exit::Attention
    } else {
        Exit::Done
    }
}

/// Whether games are missing, and why: an interruption, with the command that resumes the run.
pub fn unfinished(played: &SessionResult<'_>) -> Option<Exit> {
    let (outcome, games) = (&played.outcome, played.tables.games());
    if outcome.interrupted && !outcome.complete {
        tell(&format!(
            "interrupted: {games} of {} games are played; to go on:\n  {}",
            outcome.games,
            own_command()
        ));
        return Some(Exit::Interrupted);
    }
    let open = outcome.exclusions.open.len();
    if open > 0 {
        tell(&format!(
            "{}: the host made a game of each void every time; to play them again:\n  {}",
            counted(open, "pair is open", "pairs are open"),
            own_command()
        ));
    }
    None
}
