//! `awale verify`: is a run's folder consistent? It starts bots only to replay games.
//!
//! ```text
//! replay  games replayed with bots
//! show    the findings, for people and as JSON
//! ```

mod replay;
mod show;

use super::args::VerifyArguments;
use super::exit::{Exit, Failure, say_data};
use super::house_bot::HOUSE_COMMANDS;
use crate::cli::verify::replay::purpose;
use crate::config::{self, Origin};
use crate::course::recorded_versions;
use crate::isolation::supervisor::Guard;
use crate::run_folder::{PLAN, RunFolder};
use crate::tournament::RunDocument;
use crate::verification::{self, Examined, Findings, PlanFileError, Severity, add_advice};
use replay::ReplayRequest;

/// Verifies a folder and reports its problems.
///
/// # Errors
/// It is not the folder of a run, or something in it cannot be read.
pub fn verify(arguments: &VerifyArguments, guard: Option<&Guard>) -> Result<Exit, Failure> {
    let folder = verification::open(&arguments.folder)?;
    let mut findings = Findings::new();
    let read_plan = |run: Option<&RunDocument>| read_plan(&folder, run);
    let Examined { verdict, source } = verification::examine(&folder, &read_plan, &mut findings)?;
    let replayed = match (arguments.replay, guard) {
        (Some(games), Some(guard)) => {
            let request = ReplayRequest {
                games,
                seed: arguments.seed,
                trusts: arguments.i_trust_these_bots,
                guard,
            };
            Some(replay::replay(request, &folder, source, &mut findings)?)
        }
        _ => None,
    };
    add_advice(&mut findings);
    let text = if arguments.json {
        show::as_json(&findings, &verdict, replayed.as_ref())
    } else {
        show::as_text(&findings, &verdict)
    };
    say_data(text.as_bytes())?;
    if replayed.is_some_and(|replay| replay.interrupted) {
        return Ok(Exit::Interrupted);
    }
    let is_strict = arguments.strict && findings.count(Severity::Warning) > 0;
    Ok(if findings.count(Severity::Problem) > 0 || is_strict {
        Exit::Attention
    } else {
        Exit::Done
    })
}

/// The run of the folder's `plan.toml`, with the bots' files on this machine. `run` is that of the
/// journal, if it has one.
fn read_plan(folder: &RunFolder, run: Option<&RunDocument>) -> Result<RunDocument, PlanFileError> {
    let purpose = purpose(run.is_some_and(|it| it.plan.test.is_some()));
    let versions = run
        .map(|it| recorded_versions(folder, it))
        .unwrap_or_default();
    let resolved = config::recorded(&folder.file(PLAN), purpose, versions, &HOUSE_COMMANDS);
    let resolved = resolved.map_err(|error| PlanFileError {
        line: match error.origin {
            Origin::File(ref place) => Some(place.line as usize),
            Origin::Flag(_) | Origin::Whole => None,
        },
        message: error.what(),
    })?;
    Ok(resolved.document())
}
