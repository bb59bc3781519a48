//! `awale endgame build`.

use super::work::watched;
use crate::cli::args::BuildArguments;
use crate::cli::exit::{Exit, Failure, tell};
use crate::cli::rule_args;
use crate::endgame_file::{self, Built, EndgameFileError, usual_place};
use crate::engine::endgame::{SolvedRules, positions_below};
use crate::text::counted;
use std::time::{Duration, Instant};

pub fn build(arguments: &BuildArguments) -> Result<Exit, Failure> {
    let rules = rule_args::rules(&arguments.rules)?;
    let place = usual_place(&rules);
    let path = match (&arguments.output, place) {
        (Some(path), Ok(_) | Err(EndgameFileError::NoCache)) => path.clone(),
        (_, place) => place?,
    };
    let solved = SolvedRules::of(&rules).map_err(Failure::usage)?;
    let seeds = arguments.seeds;
    let positions = positions_below(seeds + 1);
    let started = Instant::now();
    let built = watched(positions, arguments.threads, |work, bar| {
        endgame_file::build(&path, solved, seeds, work, &mut |begun| {
            let done = positions_below(begun.layers);
            bar.set_position(done);
            // The time that is left follows from what is done from now on.
            bar.reset_eta();
            if begun.layers > 0 {
                let text = format!("goes on after {} seeds", begun.layers - 1);
                bar.suspend(|| tell(&text));
            }
        })
    })??;
    let path = path.display();
    match built {
        Built::Written => tell(&format!(
            "{path}: {} in {}",
            counted(
                usize::try_from(positions).unwrap_or(usize::MAX),
                "position",
                "positions"
            ),
            in_words(started.elapsed())
        )),
        Built::AlreadyThere(found) => {
            tell(&format!(
                "{path} has the positions of up to {found} seeds already"
            ));
        }
    }
    Ok(Exit::Done)
}

fn in_words(time: Duration) -> String {
    format!("{:.1} s", time.as_secs_f64())
}
