//! Open pairs: what the host made void each time is played again after all other pairs, and counts
//! then, whatever the slots and interruptions.

use super::scripted_tournament::{
    Played, ScriptedFactory, pair_id, plan, play_with, read, without_voids,
};
use awale::tournament::{Format, MaxFaults, Plan};

fn four() -> Plan {
    plan(&["ada", "bob", "cyd", "dan"], 3, Format::RoundRobin)
}

/// bob is at fault in the first game of each of its pairs.
fn bob_fails(entrant: u32, game: &str) -> bool {
    entrant == 1 && game.ends_with(".1")
}

/// The host makes this game void so many times.
fn disturbed(game: &str, times: u32) -> ScriptedFactory {
    let factory = ScriptedFactory::with_faults(bob_fails);
    factory.void_game(game, times);
    factory
}

/// The attempts at a game that were void.
fn voids(played: &Played, game: &str) -> Vec<u32> {
    let records = read(&played.journal).unwrap();
    let of_it = records.iter().filter(|it| it.id.to_string() == game);
    let void = of_it.filter(|it| it.is_void());
    void.map(|it| it.attempt).collect()
}

#[test]
fn an_open_pair_is_repeated_after_the_others_and_counts() {
    let plan = four();
    let clean = play_with(&disturbed("ada~cyd.1.2", 0), &plan, 1, Vec::new(), None);
    for slots in [1, 3] {
        let played = play_with(&disturbed("ada~cyd.1.2", 6), &plan, slots, Vec::new(), None);
        assert_eq!(voids(&played, "ada~cyd.1.2"), [1, 2, 3, 4, 5, 6]);
        let exclusions = &played.outcome.exclusions;
        assert!(played.outcome.complete && exclusions.open.is_empty());
        assert_eq!(exclusions.settled_late, [(pair_id(&plan, 2), 1)].into());
        assert_eq!(played.outcome.games, clean.outcome.games);
        assert_eq!(without_voids(&played.table), without_voids(&clean.table));
    }
}

/// Four attempts at its place in the schedule, and four at the end; each further run makes four.
#[test]
fn a_pair_stays_open_until_a_later_run_settles_it() {
    let plan = four();
    let run = |times, journal| play_with(&disturbed("ada~cyd.1.2", times), &plan, 2, journal, None);
    let first = run(u32::MAX, Vec::new());
    let open = || [pair_id(&plan, 2)];
    assert!(first.outcome.complete);
    assert!(first.outcome.exclusions.open.keys().eq(&open()));
    assert_eq!(voids(&first, "ada~cyd.1.2").len(), 8);
    let notes = first.notes.concat();
    assert!(
        notes.contains("Pair ada~cyd.1 (ada – cyd) is open"),
        "{notes}"
    );
    let second = run(u32::MAX, first.journal.clone());
    assert!(second.outcome.exclusions.open.keys().eq(&open()));
    assert_eq!(voids(&second, "ada~cyd.1.2").len(), 12);
    assert_eq!(without_voids(&second.table), without_voids(&first.table));
    let third = run(1, second.journal);
    assert!(third.outcome.exclusions.is_empty());
    assert_eq!(voids(&third, "ada~cyd.1.2").len(), 13);
    let clean = run(0, Vec::new());
    assert_eq!(without_voids(&third.table), without_voids(&clean.table));
}

/// bob has three faults in the pairs that were not open, and the fourth, which withdraws it, in an
/// open one: nothing that has counted before is taken back.
#[test]
fn faults_of_an_open_pair_count_when_it_is_settled() {
    let mut plan = plan(&["ada", "bob"], 4, Format::RoundRobin);
    plan.max_faults = Some(MaxFaults {
        count: Some(4),
        share: None,
    });
    let run =
        |slots, journal, stop| play_with(&disturbed("ada~bob.2.1", 5), &plan, slots, journal, stop);
    let one = run(1, Vec::new(), None);
    let [withdrawal] = one.outcome.exclusions.withdrawn.as_slice() else {
        panic!("{:?}", one.outcome.exclusions);
    };
    assert_eq!(withdrawal.after.to_string(), "ada~bob.2.1");
    assert_eq!((withdrawal.faults, withdrawal.games), (4, 7));
    assert!(one.table.contains("\nada~bob.4.2,"), "{}", one.table);
    assert!(!one.table.contains("\nada~bob.2.2,"), "{}", one.table);
    for slots in [2, 3] {
        assert_eq!(run(slots, Vec::new(), None).table, one.table);
    }
    for stop in 1..one.told.len() {
        let stopped = play_with(
            &disturbed("ada~bob.2.1", 5),
            &plan,
            2,
            Vec::new(),
            Some(stop),
        );
        let left = 5 - voids(&stopped, "ada~bob.2.1").len();
        let left = disturbed("ada~bob.2.1", u32::try_from(left).unwrap());
        let resumed = play_with(&left, &plan, 1, stopped.journal, None);
        assert_eq!(resumed.table, one.table, "stopped after {stop}");
        assert_eq!(resumed.outcome.exclusions, one.outcome.exclusions);
    }
}
