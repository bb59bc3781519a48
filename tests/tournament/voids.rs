//! Voids that recur on one entrant's turns are its losses, whatever the slots and interruptions.

use super::scripted_tournament::{Played, ScriptedFactory, games, plan, play_with, read, run_of};
use awale::record::{FaultKind, GameId, GameRecord};
use awale::rules::Side;
use awale::tournament::{Format, Journal, MaxFaults, Plan};

/// bob ends without a word in the first game of each of its pairs.
fn bob_ends(entrant: u32, game: &str) -> bool {
    entrant == 1 && game.ends_with(".1")
}

fn four() -> Plan {
    plan(&["ada", "bob", "cyd", "dan"], 6, Format::RoundRobin)
}

fn whole(ends: fn(u32, &str) -> bool, plan: &Plan) -> Played {
    play_with(
        &ScriptedFactory::with_voids(ends),
        plan,
        1,
        Vec::new(),
        None,
    )
}

/// The games of a journal's pairs that bob plays.
fn of_bob(played: &Played) -> Vec<GameRecord> {
    let mut records = read(&played.journal).unwrap();
    records.retain(|record| record.entrants.contains(&"bob".to_owned()));
    records
}

/// A cell of the standings.
fn cell(played: &Played, entrant: &str, column: &str) -> String {
    let lines: Vec<&str> = played.table.lines().collect();
    let head = lines.iter().position(|it| it.starts_with("rank,")).unwrap();
    let place = lines[head].split(',').position(|it| it == column).unwrap();
    let row = lines[head..]
        .iter()
        .find(|it| it.split(',').nth(1) == Some(entrant));
    row.unwrap().split(',').nth(place).unwrap().to_owned()
}

#[test]
fn a_void_that_recurs_on_its_turn_is_its_loss() {
    let played = whole(bob_ends, &four());
    let exclusions = &played.outcome.exclusions;
    // 22 voids prove it, four a game: with its sixth pair, of which there are 18.
    let [charge] = exclusions.charged.as_slice() else {
        panic!("{:?}", exclusions.charged);
    };
    assert_eq!((charge.entrant.as_str(), charge.voids), ("bob", 24));
    let mut pairs: Vec<_> = of_bob(&played)
        .iter()
        .map(|it| it.id.pair.clone())
        .collect();
    pairs.sort_unstable();
    pairs.dedup();
    assert_eq!((pairs.len(), charge.after.clone()), (18, pairs[5].clone()));
    // The first game of each is lost: those that were given up, and those to come.
    let lost: Vec<GameId> = exclusions.charged_games.keys().cloned().collect();
    assert_eq!(lost.len(), 18);
    assert!(lost.iter().all(|id| id.number.number() == 1));
    assert_eq!(
        exclusions.given_up.keys().cloned().collect::<Vec<_>>(),
        pairs[..6]
    );
    for (column, value) in [
        ("voids_charged", "18"),
        // 18 lost games; of the second games those of the twelve pairs that were not given up.
        ("games", "30"),
    ] {
        assert_eq!(cell(&played, "bob", column), value, "{column}");
    }
    for other in ["ada", "cyd", "dan"] {
        assert_eq!(cell(&played, other, "voids_charged"), "0");
        assert_eq!(cell(&played, other, "voids_on_turn"), "0");
    }
    let hits = of_bob(&played).iter().filter(|it| it.is_void()).count();
    assert_eq!(cell(&played, "bob", "voids_on_turn"), hits.to_string());
    assert!(hits < 18 * 4, "a charged game is not played again");
    assert_eq!(
        played.outcome.games,
        18 * 2 + 30,
        "and the tables have as many"
    );
    let row = played
        .table
        .lines()
        .find(|row| row.starts_with(&format!("{},", lost[17])));
    assert!(row.unwrap().contains("voids-charged"), "{row:?}");
    let notes = played.notes.concat();
    assert!(
        notes.contains("Games of bob were void 24 times on its own turn"),
        "{notes}"
    );
}

#[test]
fn slots_and_interruptions_change_nothing_in_charges() {
    let plan = four();
    let one = whole(bob_ends, &plan);
    let same = |played: &Played, what: &str| {
        assert_eq!(played.outcome.exclusions, one.outcome.exclusions, "{what}");
        assert_eq!(played.outcome.games, one.outcome.games, "{what}");
        assert!(played.outcome.complete, "{what}");
        for entrant in ["ada", "bob", "cyd", "dan"] {
            for column in ["rank", "elo", "games", "wins", "voids_charged"] {
                let cells = [played, &one].map(|it| cell(it, entrant, column));
                assert_eq!(cells[0], cells[1], "{what}, {entrant}, {column}");
            }
        }
    };
    let factory = || ScriptedFactory::with_voids(bob_ends);
    for slots in [2, 5] {
        let played = play_with(&factory(), &plan, slots, Vec::new(), None);
        same(&played, &format!("{slots} slots"));
    }
    for stop_after in (1..one.told.len()).step_by(5) {
        let stopped = play_with(&factory(), &plan, 2, Vec::new(), Some(stop_after));
        let resumed = play_with(&factory(), &plan, 5, stopped.journal, None);
        same(&resumed, &format!("stopped after {stop_after}"));
    }
    // Any of its records in any order, those of an attempt after those before it.
    let records = read(&one.journal).unwrap();
    for step in 2..6 {
        let mut ahead: Vec<GameRecord> = records.clone();
        ahead.sort_by_key(|it| (it.attempt, it.id.pair.round() % step, it.id.clone()));
        ahead.truncate(ahead.len() * 3 / 4);
        let mut journal = Journal::begin(Vec::new(), &run_of(&plan)).unwrap();
        journal.append(&ahead).unwrap();
        let played = play_with(&factory(), &plan, 2, journal.into_storage(), None);
        same(&played, &format!("by {step}"));
    }
}

#[test]
fn what_was_played_again_before_a_charge_was_known_does_not_count() {
    // Every pair but the last is known; of that, bob's void was played again with a result.
    let plan = four();
    let one = whole(bob_ends, &plan);
    let clean = whole(|_, _| false, &plan);
    let last = one
        .outcome
        .exclusions
        .charged_games
        .keys()
        .last()
        .unwrap()
        .clone();
    let mut again = games(&clean.journal)[&last].clone();
    again.attempt = 2;
    let mut records = read(&one.journal).unwrap();
    records.push(again);
    let mut journal = Journal::begin(Vec::new(), &run_of(&plan)).unwrap();
    journal.append(&records).unwrap();
    let factory = ScriptedFactory::with_voids(bob_ends);
    let played = play_with(&factory, &plan, 1, journal.into_storage(), None);
    assert_eq!(played.told, [], "nothing is left to play");
    assert_eq!(played.table, one.table);
}

#[test]
fn voids_of_both_sides_are_the_hosts() {
    // In each pair the one is hit in the first game, the other in the second.
    let ends = |entrant: u32, game: &str| {
        let second = game.ends_with(".2");
        (entrant == 1) != second
    };
    let duel = plan(&["ada", "bob"], 9, Format::RoundRobin);
    let played = whole(ends, &duel);
    assert!(played.outcome.exclusions.charged.is_empty());
    assert_eq!(played.outcome.exclusions.given_up.len(), 9);
    assert_eq!(cell(&played, "bob", "voids_charged"), "0");
    assert_ne!(cell(&played, "ada", "voids_on_turn"), "0");
}

#[test]
fn charges_are_faults_and_withdraw() {
    let mut plan = four();
    plan.max_faults = Some(MaxFaults {
        count: Some(8),
        share: None,
    });
    let played = whole(bob_ends, &plan);
    let exclusions = &played.outcome.exclusions;
    let [withdrawal] = exclusions.withdrawn.as_slice() else {
        panic!("{:?}", exclusions.withdrawn);
    };
    assert_eq!((withdrawal.entrant.as_str(), withdrawal.faults), ("bob", 8));
    assert!(withdrawal.after.pair > exclusions.charged[0].after);
    assert_eq!(cell(&played, "bob", "voids_charged"), "8");
    assert_eq!(cell(&played, "bob", "status"), "withdrawn");
    // With a limit that the games before have reached, the charge itself withdraws.
    plan.max_faults = Some(MaxFaults {
        count: Some(4),
        share: None,
    });
    let played = whole(bob_ends, &plan);
    let exclusions = &played.outcome.exclusions;
    assert_eq!(
        exclusions.withdrawn[0].after.pair,
        exclusions.charged[0].after
    );
}

#[test]
fn a_charged_game_is_a_loss_with_all_seeds_on_the_board() {
    let played = whole(bob_ends, &four());
    let void = of_bob(&played)
        .into_iter()
        .find(GameRecord::is_void)
        .unwrap();
    let lost = void.charged_to(Side::North);
    assert_eq!(lost.fault(), Some((Side::North, FaultKind::VoidsCharged)));
    assert_eq!(lost.stores.iter().sum::<u8>(), 48);
    assert_eq!(lost.stores[1], void.stores[1]);
}
