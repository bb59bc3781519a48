//! Slots that keep players which wait: fewer players are made, and nothing else changes.

use super::scripted_tournament::{
    Played, ScriptedFactory, games, numbers, plan, play_keeping, play_with, without_voids,
};
use awale::tournament::{Format, Gate, KeepLimits, MaxFaults, Plan};

const SEVEN: [&str; 7] = ["ada", "bob", "cyd", "dan", "eve", "fay", "gus"];

const fn keep(players: usize) -> KeepLimits {
    KeepLimits {
        players,
        memory_bytes: u64::MAX,
    }
}

fn played(
    factory: &ScriptedFactory,
    plan: &Plan,
    at_slots: (usize, KeepLimits),
    journal: Vec<u8>,
    stop_after: Option<usize>,
) -> Played {
    let played = play_keeping(
        factory,
        plan,
        Gate::default(),
        at_slots,
        journal,
        stop_after,
    );
    played.expect("a run")
}

/// bob fails in every third pair, and eve in all from the tenth on.
fn faults(entrant: u32, game: &str) -> bool {
    let (pair, number) = numbers(&SEVEN, game);
    match entrant {
        1 => (pair + number).is_multiple_of(3),
        4 => pair >= 10,
        _ => false,
    }
}

fn faulty_plan() -> Plan {
    let mut plan = plan(&SEVEN, 4, Format::RoundRobin);
    plan.max_faults = Some(MaxFaults {
        count: Some(5),
        share: None,
    });
    plan
}

#[test]
fn tables_do_not_depend_on_what_slots_keep() {
    let plan = faulty_plan();
    let expected = play_with(
        &ScriptedFactory::with_faults(faults),
        &plan,
        1,
        Vec::new(),
        None,
    );
    assert_eq!(expected.outcome.exclusions.withdrawn.len(), 2);
    for players in [0, 2, 3, 4, 5, 7, 32] {
        for slots in [1, 2, 3] {
            let factory = ScriptedFactory::with_faults(faults);
            let played = played(&factory, &plan, (slots, keep(players)), Vec::new(), None);
            assert!(played.outcome.complete);
            assert_eq!(
                played.table, expected.table,
                "{players} players, {slots} slots"
            );
            assert_eq!(played.notes, expected.notes);
            assert_eq!(played.outcome.exclusions, expected.outcome.exclusions);
        }
    }
}

/// The journal is cut after each of its lines, as by a kill, and played on by other slots.
#[test]
fn a_run_that_was_killed_goes_on_with_another_order_of_play() {
    let plan = faulty_plan();
    let factory = || ScriptedFactory::with_faults(faults);
    let whole = played(&factory(), &plan, (1, keep(4)), Vec::new(), None);
    let ends = whole.journal.iter().enumerate();
    let ends: Vec<usize> = ends
        .filter(|(_, it)| **it == b'\n')
        .map(|(at, _)| at + 1)
        .collect();
    for (cut, &end) in ends.iter().enumerate().step_by(5) {
        let journal = whole.journal[..end].to_vec();
        let at_slots = (1 + cut % 2, keep([0, 3, 4, 32][cut / 5 % 4]));
        let resumed = played(&factory(), &plan, at_slots, journal, None);
        assert_eq!(resumed.table, whole.table, "cut after line {}", cut + 1);
        assert_eq!(resumed.outcome.exclusions, whole.outcome.exclusions);
    }
}

/// A void releases the players that wait, and its game is played again.
#[test]
fn voids_are_played_again() {
    let plan = plan(&SEVEN, 2, Format::RoundRobin);
    let expected = play_with(&ScriptedFactory::default(), &plan, 1, Vec::new(), None);
    let factory = ScriptedFactory::default();
    factory.void_game("ada~fay.1.1", 2);
    factory.void_game("dan~eve.2.2", 3);
    let played = played(&factory, &plan, (1, keep(4)), Vec::new(), None);
    assert_eq!(games(&played.journal).len(), games(&expected.journal).len());
    assert_eq!(without_voids(&played.table), without_voids(&expected.table));
}

/// Entrants, pairs, players that a slot keeps, and how many are made.
#[test]
fn a_slot_makes_a_player_only_if_it_has_none() {
    for (entrants, pairs, players, expected) in [
        (5, 10, 5, 5),
        (5, 10, 32, 5),
        // ada and bob meet all others; then cyd, who had left, meets dan and eve.
        (5, 1, 4, 6),
        // The players of a pair stay only for a next pair of theirs.
        (3, 1, 2, 4),
        (3, 1, 0, 4),
    ] {
        let plan = plan(&SEVEN[..entrants], pairs, Format::RoundRobin);
        let factory = ScriptedFactory::default();
        played(&factory, &plan, (1, keep(players)), Vec::new(), None);
        let case = format!("{entrants} entrants, {pairs} pairs, {players} players");
        assert_eq!(factory.players(), expected, "{case}");
        assert_eq!(factory.left().len(), expected as usize, "{case}");
    }
}

#[test]
fn the_least_recently_used_leave_first() {
    let plan = plan(&SEVEN, 1, Format::Gauntlet(vec!["ada".to_owned()]));
    let factory = ScriptedFactory::default();
    played(&factory, &plan, (1, keep(4)), Vec::new(), None);
    // ada meets bob to gus; with three others the slot is full.
    assert_eq!(factory.left()[..3], [1, 2, 3]);
    assert_eq!(factory.players(), 7);
}

#[test]
fn memory_bounds_what_a_slot_keeps() {
    let plan = plan(&SEVEN, 1, Format::Gauntlet(vec!["ada".to_owned()]));
    // ada is in every pair. A new player has not been measured when the slot makes room for it.
    for (bytes, most) in [(u64::MAX, 7), (50, 6), (30, 4), (29, 3), (0, 2)] {
        let factory = ScriptedFactory::that_holds(|_| 10);
        let keep = KeepLimits {
            players: 32,
            memory_bytes: bytes,
        };
        let played = played(&factory, &plan, (1, keep), Vec::new(), None);
        assert!(played.outcome.complete);
        assert_eq!(factory.most_present(), most, "{bytes} bytes");
        assert_eq!(factory.left()[..5], [1, 2, 3, 4, 5]);
    }
}
