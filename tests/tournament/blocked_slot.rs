//! Slots on which a process of a bot runs on and cannot be ended: no other bot plays there.

use super::scripted_tournament::{ScriptedFactory, games, plan, play, play_gated, play_with};
use awale::tournament::{Format, Gate, RunError};

/// The tables of a tournament in which everything ends.
fn undisturbed() -> String {
    let plan = plan(&["ada", "bob", "cyd"], 4, Format::RoundRobin);
    play(&plan, 2, Vec::new(), None).table
}

#[test]
fn the_other_slots_play_what_a_blocked_one_leaves() {
    let plan = plan(&["ada", "bob", "cyd"], 4, Format::RoundRobin);
    for (after_games, at_leaving) in [(1, 0), (0, 1), (1, 1)] {
        let factory = ScriptedFactory::that_cannot_end(after_games, at_leaving);
        let slots = 1 + (after_games + at_leaving) as usize;
        let played = play_with(&factory, &plan, slots, Vec::new(), None);
        assert!(played.outcome.complete && !played.outcome.interrupted);
        assert_eq!(games(&played.journal).len(), 2 * 4 * 3);
        assert_eq!(played.table, undisturbed());
    }
}

#[test]
fn without_a_slot_the_run_ends_and_can_be_resumed() {
    let plan = plan(&["ada", "bob", "cyd"], 4, Format::RoundRobin);
    for (after_games, at_leaving, slots) in [(1, 0, 1), (2, 0, 2), (0, 1, 1), (3, 0, 3)] {
        let factory = ScriptedFactory::that_cannot_end(after_games, at_leaving);
        let ended = play_gated(&factory, &plan, Gate::default(), slots, Vec::new(), None);
        let Err((error, journal)) = ended else {
            panic!("{after_games} {at_leaving} {slots}: played on");
        };
        assert!(
            matches!(&error, RunError::Blocked { entrant, remains }
                if entrant == "bob" && remains.contains("state D")),
            "{error}"
        );
        assert!(
            error.to_string().contains("run the same command again"),
            "{error}"
        );
        assert!(games(&journal).len() < 2 * 4 * 3);
        // Whatever was in the way is gone by now.
        let resumed = play_with(&ScriptedFactory::default(), &plan, 2, journal, None);
        assert!(resumed.outcome.complete);
        assert_eq!(resumed.table, undisturbed());
    }
}
