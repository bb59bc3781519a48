//! `awale endgame build`.

use super::work::watched;
use crate::cli::args::BuildArguments;
use crate::cli::exit::{Exit, Failure, tell};
use crate::cli::rule_args;
use crate::endgame_file::{self, Built, usual_place};
use crate::engine::endgame::positions_below;
use crate::text::counted;
use std::time::{Duration, Instant};

pub fn build(arguments: &BuildArguments) -> Result<Exit, Failure> {
    let rules = rule_args::rules(&arguments.rules)?;
    let solved = endgame_file::solved(&rules)?;
    let path = match &arguments.output {
        Some(path) => path.clone(),
        None => usual_place(&rules)?,
    };
    let seeds = arguments.seeds;
    let positions = positions_below(seeds + 1);
    let started = Instant::now();
    let built = watched(positions, arguments.threads, |work, bar| {
        endgame_file::build(&path, solved, seeds, work, &mut |finished| {
            let done = positions_below(finished);
            bar.set_position(done);
            // The time that is left follows from what is done from now on.
            bar.reset_eta();
            if finished > 0 {
                let text = format!("goes on after {} seeds", finished - 1);
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
