//! Bots that cannot be started, because other bots or the host have what they need.

use super::scripted_tournament::{Played, ScriptedFactory, games, plan, play_keeping, play_with};
use awale::record::{FaultKind, GameEnding};
use awale::tournament::{Format, Gate, KeepLimits, Plan, RunError};

/// ada, the first, takes all that there is.
const ADA: u32 = 0;

fn four() -> Plan {
    plan(&["ada", "bob", "cyd", "dan"], 2, Format::RoundRobin)
}

const fn greedy(entrant: u32) -> u64 {
    if entrant == ADA { u64::MAX } else { 1 }
}

const fn modest(_: u32) -> u64 {
    1
}

/// Each slot keeps as many players.
fn play(
    factory: &ScriptedFactory,
    (slots, players): (usize, usize),
    journal: Vec<u8>,
) -> Result<Played, (RunError, Vec<u8>)> {
    let keep = KeepLimits {
        players,
        ..KeepLimits::default()
    };
    let at_slots = (slots, keep);
    play_keeping(factory, &four(), Gate::default(), at_slots, journal, None)
}

/// The games that were not lost by a fault, with their moves, those of ada left out.
fn of_others(played: &Played) -> Vec<(String, String)> {
    let all = games(&played.journal).into_iter();
    let others = all.filter(|(id, _)| !id.to_string().contains("ada"));
    others
        .map(|(id, record)| {
            let moves: Vec<_> = record.plies.iter().map(|ply| ply.pit).collect();
            (id.to_string(), format!("{:?} {moves:?}", record.ending))
        })
        .collect()
}

#[test]
fn who_keeps_others_from_their_start_loses_and_nobody_else() {
    let clean = play_with(&ScriptedFactory::default(), &four(), 1, Vec::new(), None);
    for slots in [1, 2, 3] {
        for (room, kept) in [(2, 2), (4, 2), (8, 2), (8, 100)] {
            let factory = ScriptedFactory::that_shares(room, greedy);
            let played = play(&factory, (slots, kept), Vec::new()).map_err(|(error, _)| error);
            let played = played.expect("it goes on when ada has ended");
            assert!(played.outcome.complete && played.outcome.exclusions.open.is_empty());
            let all = games(&played.journal);
            assert_eq!(
                all.len(),
                24,
                "{slots} slots: each game has one result, and none is void"
            );
            let mut blocked = 0;
            for record in all.values() {
                let GameEnding::Fault(side, fault) = &record.ending else {
                    continue;
                };
                assert_eq!(record.entrants[side.index()], "ada");
                assert_eq!(fault.kind, FaultKind::BlocksStarts);
                let times = "3 times a bot could be started as soon as the processes of this one";
                assert!(fault.detail.contains(times), "{}", fault.detail);
                blocked += 1;
            }
            assert!(blocked > 0, "{slots} slots, room for {room}");
            assert_eq!(of_others(&played), of_others(&clean));
        }
    }
}

/// There is room for one game and no more: each is played, and nobody is at fault.
#[test]
fn where_the_host_has_too_little_for_all_nobody_is_at_fault() {
    let clean = play_with(&ScriptedFactory::default(), &four(), 1, Vec::new(), None);
    for (slots, room) in [(1, 2), (1, 3), (2, 2), (2, 3), (3, 5)] {
        for kept in [2, 3, 100] {
            let factory = ScriptedFactory::that_shares(room, modest);
            let played = play(&factory, (slots, kept), Vec::new()).map_err(|(error, _)| error);
            let played = played.expect("two bots have room");
            assert_eq!(of_others(&played), of_others(&clean), "{slots}, {room}");
            let all = games(&played.journal);
            assert!(all.len() == 24 && all.values().all(|it| it.fault().is_none()));
        }
    }
}

/// The run stops, and the same command continues where the host has enough again.
#[test]
fn where_nothing_or_one_bot_alone_can_be_started_the_run_stops() {
    let clean = play_with(&ScriptedFactory::default(), &four(), 1, Vec::new(), None);
    for (room, cause) in [
        (0, "no bot is left that could hold what it needs"),
        (
            1,
            "it can be started alone, and not while its opponent lives",
        ),
    ] {
        for slots in [1, 2] {
            let factory = ScriptedFactory::that_shares(room, modest);
            let Err((error, journal)) = play(&factory, (slots, 3), Vec::new()) else {
                panic!("nothing can be played")
            };
            assert!(matches!(error, RunError::Unstarted { .. }));
            let words = error.to_string();
            assert!(words.contains(cause), "{words}");
            assert!(games(&journal).is_empty(), "no start is a game");
            let played = play(&ScriptedFactory::default(), (slots, 3), journal);
            let played = played.map_err(|(error, _)| error).expect("a repaired host");
            assert_eq!(played.outcome.games, clean.outcome.games);
        }
    }
}
