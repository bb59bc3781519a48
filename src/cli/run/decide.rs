//! `--decide`: more pairs where luck has decided the points of a class. Pairings that are longer once
//! stay so, whatever command goes on with the run.

use crate::cli::exit::{Failure, tell};
use crate::config::Resolved;
use crate::course::{Decision, Grades, decision};
use crate::run_folder::tables::{TableInputs, TablesError, count};
use crate::run_folder::{RecordedRun, RunFolder, last_plan};
use crate::text::{counted, some_names};
use crate::tournament::{LongerPairing, Openings, Plan, RunDocument};

/// Plans the pairings that are longer in the run's folder, and with `decides` those that decide what
/// luck has decided.
///
/// # Errors
/// Nothing that could be decided was played, or the folder cannot be read.
pub fn plan_longer(resolved: &mut Resolved, decides: bool) -> Result<(), Failure> {
    if resolved.settings.grading.is_none() {
        let reason = "--decide plays on for the points of a class, and this configuration has no \
                      [class]";
        return if decides {
            Err(Failure::usage(reason))
        } else {
            Ok(())
        };
    }
    let folder = RunFolder::open_to_read(&resolved.output).ok();
    let recorded = match &folder {
        Some(folder) => last_plan(folder)?,
        None => None,
    };
    let (Some(folder), Some(recorded)) = (folder, recorded) else {
        let reason = "nothing was played yet, so luck has decided nothing: run the same command \
                      without --decide first";
        return if decides {
            Err(Failure::usage(reason))
        } else {
            Ok(())
        };
    };
    add(&mut resolved.plan, &recorded.run.plan.longer);
    if decides {
        let run = RecordedRun::read(&folder)?;
        match decision_of(run, resolved)? {
            Some(decision) => {
                tell(&sentence(&decision, resolved.settings.slots));
                add(&mut resolved.plan, &decision.longer);
            }
            None => tell("luck has decided no points: nothing is played for that"),
        }
    }
    if let Some(openings) = Openings::of(&resolved.plan) {
        resolved.openings = openings;
    }
    Ok(())
}

/// The pairs that decide the grades of a recorded run, graded as the configuration says now.
fn decision_of(recorded: RecordedRun, resolved: &Resolved) -> Result<Option<Decision>, Failure> {
    let run = RunDocument::new(recorded.run.plan, resolved.settings.clone());
    let names = run.plan.names();
    let inputs = TableInputs {
        run: &run,
        names: &names,
        exclusions: &recorded.outcome.exclusions,
        history: &[],
        analyst: None,
    };
    let (tables, _) = count(recorded.games.store(), &inputs).map_err(TablesError::from)?;
    Ok(Grades::of(&run, &tables).and_then(|grades| decision(&grades)))
}

/// Adds longer pairings of entrants that the plan has; the longest of each two counts.
fn add(plan: &mut Plan, longer: &[LongerPairing]) {
    let names = plan.names();
    for new in longer.iter().filter(|it| names.contains(&it.entrant)) {
        let is_same = |it: &&mut LongerPairing| {
            (&it.entrant, &it.yardstick) == (&new.entrant, &new.yardstick)
        };
        match plan.longer.iter_mut().find(is_same) {
            Some(known) => known.pairs = known.pairs.max(new.pairs),
            None => plan.longer.push(new.clone()),
        }
    }
}

fn sentence(decision: &Decision, slots: u32) -> String {
    let entrants: Vec<&str> = decision.entrants.iter().map(String::as_str).collect();
    format!(
        "luck has decided points of {}: {}; plays {}, {}",
        counted(entrants.len(), "entrant", "entrants"),
        some_names(&entrants),
        counted(decision.more_pairs as usize, "more pair", "more pairs"),
        decision.about(slots)
    )
}
