//! How long the games of a plan will take, from the games of the examinations.

use super::examination::Gate;
use super::plan::Plan;
use super::progress::Progress;
use super::schedule::Schedule;
use std::time::Duration;

/// The time that the games which are still to be played take on one slot. House bots, which nobody
/// examines, count as if they answered at once.
///
/// `None` if nobody is examined, or if it is not known of everybody who plays.
pub fn playing_time(
    plan: &Plan,
    schedule: &Schedule,
    gate: &Gate,
    progress: &Progress,
) -> Option<Duration> {
    if gate.candidates.is_empty() {
        return None;
    }
    let mut sides = vec![Some(Duration::ZERO); plan.entrants.len()];
    for entrant in &gate.candidates {
        let name = &plan.entrants[entrant.index()].name;
        sides[entrant.index()] = progress.side_time(name);
    }
    let plays = |name: &str| progress.refusal(name).is_none() && !progress.is_withdrawn(name);
    let mut time = Duration::ZERO;
    for pair in &schedule.pairs {
        let mut names = pair
            .entrants
            .iter()
            .map(|it| &plan.entrants[it.index()].name);
        if !names.all(|it| plays(it)) {
            continue;
        }
        let open = pair
            .game_ids()
            .into_iter()
            .filter(|it| !progress.is_done(it))
            .count();
        for entrant in pair.entrants.iter().take_while(|_| open > 0) {
            let games = u32::try_from(open).unwrap_or(u32::MAX);
            time += sides[entrant.index()]? * games;
        }
    }
    Some(time)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::{Admission, Examiner, Fault, FaultKind, Refusal};
    use crate::tournament::Secret;

    fn admitted(entrant: &str, side_ms: Option<u64>) -> Admission {
        Admission {
            entrant: entrant.to_owned(),
            refusal: None,
            late: None,
            side_ms,
        }
    }

    #[test]
    fn sides_add_up_over_the_games_that_are_left() {
        let plan = Plan::round_robin(["ada", "bob", "cyd"], 5, Secret::from_bytes([7; 32]));
        let schedule = Schedule::new(&plan);
        let indexes = plan.pairings().into_keys().flatten();
        let mut candidates: Vec<_> = indexes.filter(|it| it.index() < 2).collect();
        candidates.sort();
        candidates.dedup();
        let gate = Gate {
            candidates,
            ..Gate::default()
        };
        let time = |progress: &Progress| {
            playing_time(&plan, &schedule, &gate, progress).map(|it| it.as_millis())
        };
        let mut progress = Progress::default();
        assert_eq!(time(&progress), None);
        progress.note_admission(&admitted("ada", Some(30)));
        assert_eq!(time(&progress), None, "bob's is not known");
        progress.note_admission(&admitted("bob", Some(7)));
        // Each plays ten games with each of the others; cyd is a house bot.
        assert_eq!(time(&progress), Some(20 * 30 + 20 * 7));
        let none = Gate::default();
        assert_eq!(playing_time(&plan, &schedule, &none, &progress), None);
        progress.note_admission(&Admission {
            refusal: Some(Refusal::Fault {
                against: Examiner::Random,
                fault: Fault::new(FaultKind::Crash, "exited with code 3"),
                may_pass: false,
            }),
            ..admitted("bob", None)
        });
        assert_eq!(time(&progress), Some(10 * 30), "bob plays nothing");
    }
}
