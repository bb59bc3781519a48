//! Tournaments whose rounds follow from results: the same however they are played.

use super::scripted_tournament::{
    Played, ScriptedFactory, plan, play_with, progress_of, rounds_of, without_voids,
};
use awale::record::GameSummary;
use awale::tournament::JournalReader;
use awale::tournament::{Format, MaxFaults, Plan, Stage, Until, round_after, round_results};
use std::collections::BTreeSet;

const FIVE: [&str; 5] = ["ada", "ben", "cyd", "dan", "eve"];

/// Every format, of five entrants.
fn plans() -> Vec<Plan> {
    let knockout = |most_pairs| Format::Knockout { most_pairs };
    let divisions = Format::Divisions {
        divisions: 2,
        promoted: 1,
        seasons: 2,
    };
    let stages = Format::Stages(vec![
        Stage {
            format: Format::Groups { groups: 2 },
            pairs: 1,
            advance: Some(4),
        },
        Stage {
            format: knockout(3),
            pairs: 2,
            advance: None,
        },
    ]);
    let formats = [
        Format::Swiss { rounds: 3 },
        knockout(3),
        Format::Groups { groups: 2 },
        divisions,
        stages,
    ];
    let mut plans: Vec<Plan> = formats.map(|it| plan(&FIVE, 2, it)).into();
    plans.push(Plan {
        until: Some(Until {
            error95: 150.0,
            max_pairs: 12,
            equal: 10.0,
        }),
        ..plan(&FIVE, 2, Format::RoundRobin)
    });
    plans
}

/// An entrant that is withdrawn in the middle of a tournament.
fn crashes(entrant: u32, game: &str) -> bool {
    entrant == 2 && game.ends_with(".2")
}

fn factories() -> [fn() -> ScriptedFactory; 3] {
    [
        || ScriptedFactory::that_voids(0),
        || ScriptedFactory::that_voids(7),
        || ScriptedFactory::with_faults(crashes),
    ]
}

/// Each round that a journal has is the one that the results before it decide, and none follows.
fn check_rounds(plan: &Plan, played: &Played) {
    let (rounds, progress) = (rounds_of(&played.journal), progress_of(&played.journal));
    assert!(!rounds.is_empty());
    assert_eq!(played.outcome.rounds, rounds);
    for place in 0..=rounds.len() {
        let before = Plan {
            rounds: rounds[..place].to_vec(),
            ..plan.clone()
        };
        let next = round_after(&before, &progress);
        assert_eq!(next.as_ref(), rounds.get(place), "round {}", place + 1);
    }
    let mut reader = JournalReader::new(&played.journal[..]);
    let mut games = Vec::new();
    while let Some(record) = reader.next_record().unwrap() {
        games.push(GameSummary::of(&record));
    }
    let ended = Plan {
        rounds,
        ..plan.clone()
    };
    let results = round_results(&ended, &played.outcome.exclusions, games.iter());
    let places = results.expect("its rounds are dealt").places;
    let entrants: BTreeSet<_> = places.iter().map(|it| it.entrant).collect();
    assert_eq!(entrants.len(), FIVE.len(), "everybody has a place");
}

#[test]
fn an_interrupted_tournament_is_the_same() {
    for mut plan in plans() {
        plan.max_faults = Some(MaxFaults {
            count: Some(1),
            share: None,
        });
        for factory in factories() {
            let whole = play_with(&factory(), &plan, 1, Vec::new(), None);
            assert!(whole.outcome.complete, "{:?}", plan.format);
            check_rounds(&plan, &whole);
            for (slots, first, second) in [(1, 1, 4), (3, 5, 9), (2, 11, 2)] {
                let factory = factory();
                let mut journal = Vec::new();
                for stop_after in [Some(first), Some(second), None] {
                    journal = play_with(&factory, &plan, slots, journal, stop_after).journal;
                }
                let again = play_with(&factory, &plan, slots, journal, None);
                assert!(again.outcome.complete);
                assert_eq!(
                    again.outcome.rounds, whole.outcome.rounds,
                    "{:?}",
                    plan.format
                );
                let tables = [&again, &whole].map(|it| without_voids(&it.table));
                assert_eq!(tables[0], tables[1], "{:?}", plan.format);
                check_rounds(&plan, &again);
            }
        }
    }
}

/// The pairs of two entrants that meet again go on counting, so no id means two games.
#[test]
fn who_meets_again_plays_other_openings() {
    let stages = plans().swap_remove(4);
    let played = play_with(
        &ScriptedFactory::that_voids(0),
        &stages,
        2,
        Vec::new(),
        None,
    );
    let mut reader = JournalReader::new(&played.journal[..]);
    let mut ids = BTreeSet::new();
    let mut starts = BTreeSet::new();
    while let Some(record) = reader.next_record().unwrap() {
        assert!(ids.insert(record.id.to_string()), "{}", record.id);
        starts.insert((record.id.pair.to_string(), record.start.to_string()));
    }
    let pairs: BTreeSet<_> = starts.iter().map(|(pair, _)| pair.clone()).collect();
    assert_eq!(starts.len(), pairs.len());
    assert!(pairs.iter().any(|pair| pair.ends_with(".3")), "{pairs:?}");
}
