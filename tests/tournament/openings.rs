//! Which openings the pairs of a plan start from.

use super::scripted_tournament::plan;
use awale::rules::{Position, Preset};
use awale::tournament::{
    Format, OpeningNumbers, OpeningSharing, OpeningSource, Openings, Plan, Schedule, parse_openings,
};
use std::collections::{BTreeMap, BTreeSet};

const NAMES: [&str; 5] = ["ada", "bob", "cyd", "dee", "eve"];

/// What each pairing starts from, in its order, by its names.
fn by_names(plan: &Plan) -> BTreeMap<BTreeSet<String>, Vec<(u32, Position)>> {
    let openings = Openings::of(plan).unwrap();
    let mut found: BTreeMap<_, Vec<_>> = BTreeMap::new();
    for pair in Schedule::new(plan).pairs {
        let name = |entrant: awale::tournament::EntrantIndex| &plan.entrants[entrant.index()].name;
        let names = pair.entrants.map(name).into_iter().cloned();
        let (number, opening) = openings.of_pair(&pair);
        let starts = found.entry(names.collect()).or_default();
        starts.push((number, opening.position));
    }
    found
}

fn sources() -> [OpeningSource; 4] {
    let rules = Preset::Awale.rules();
    let lines: Vec<String> = "ABCDEF"
        .chars()
        .flat_map(|first| {
            "abcdef"
                .chars()
                .map(move |second| format!("{first}{second}"))
        })
        .collect();
    let text = lines.join("\n");
    let list = parse_openings(&rules, &text).unwrap();
    [
        OpeningSource::Random { plies: 4 },
        OpeningSource::Random { plies: 6 },
        OpeningSource::Random { plies: 10 },
        OpeningSource::Listed(list),
    ]
}

fn plan_with(names: &[&str], pairs: u32, source: &OpeningSource) -> Plan {
    Plan {
        openings: source.clone(),
        ..plan(names, pairs, Format::RoundRobin)
    }
}

/// Entrants come, go and change places, and pairs are added: an entrant that stays keeps its
/// openings.
#[test]
fn an_entrant_more_or_less_changes_no_other_openings() {
    for source in sources() {
        let all = by_names(&plan_with(&NAMES, 12, &source));
        assert_eq!(all.len(), 10);
        for names in [
            vec!["ada", "bob"],
            vec!["bob", "ada"],
            vec!["eve", "cyd", "ada"],
            vec!["new", "dee", "cyd", "bob", "ada"],
        ] {
            for pairs in [1, 12, 15] {
                let here = by_names(&plan_with(&names, pairs, &source));
                for (names, starts) in here.into_iter().filter(|(it, _)| all.contains_key(it)) {
                    let there = &all[&names];
                    let common = starts.len().min(there.len());
                    assert_eq!(starts[..common], there[..common], "{names:?}");
                }
            }
        }
    }
}

#[test]
fn no_pairing_starts_twice_from_a_position() {
    for source in sources() {
        for starts in by_names(&plan_with(&NAMES, 36, &source)).values() {
            let positions: BTreeSet<String> = starts
                .iter()
                .map(|(_, position)| position.to_string())
                .collect();
            assert_eq!(positions.len(), 36, "{starts:?}");
        }
    }
}

/// Of many openings two pairings seldom have the same; of few they have the same in other orders.
#[test]
fn pairings_have_openings_of_their_own_unless_they_are_shared() {
    for source in sources() {
        let plan = plan_with(&NAMES, 8, &source);
        let orders: BTreeSet<Vec<u32>> = by_names(&plan)
            .values()
            .map(|starts| starts.iter().map(|(number, _)| *number).collect())
            .collect();
        assert_eq!(orders.len(), 10, "each order once");
        let shared = Plan {
            sharing: OpeningSharing::Shared,
            ..plan
        };
        let all: BTreeSet<Vec<u32>> = by_names(&shared)
            .values()
            .map(|starts| starts.iter().map(|(number, _)| *number).collect())
            .collect();
        assert_eq!(all.len(), 1, "one order for all");
        if let OpeningSource::Listed(_) = source {
            assert_eq!(
                all.first().unwrap(),
                &(1..=8).collect::<Vec<u32>>(),
                "as they stand"
            );
        }
        assert_ne!(plan_with(&NAMES, 8, &source).hash(), shared.hash());
    }
}

/// 36 lines of play of two plies, and 40 pairs.
#[test]
fn a_list_that_is_used_up_begins_again() {
    let source = OpeningSource::Random { plies: 2 };
    for starts in by_names(&plan_with(&NAMES[..3], 40, &source)).values() {
        assert_eq!(starts[36..], starts[..4]);
        let numbers: BTreeSet<u32> = starts.iter().map(|(number, _)| *number).collect();
        assert_eq!(numbers, (1..=36).collect());
    }
}

/// Numbers need no list: they can be checked where the file is gone.
#[test]
fn numbers_are_known_without_the_list() {
    let [.., listed] = sources();
    for sharing in [OpeningSharing::Own, OpeningSharing::Shared] {
        let plan = Plan {
            sharing,
            ..plan_with(&NAMES, 40, &listed)
        };
        let gone = Plan {
            openings: OpeningSource::Listed(Vec::new()),
            ..plan.clone()
        };
        let (openings, numbers) = (
            Openings::of(&plan).unwrap(),
            OpeningNumbers::of_list(&gone, 36),
        );
        for pair in Schedule::new(&plan).pairs {
            assert_eq!(openings.of_pair(&pair).0, numbers.of_pair(&pair));
        }
    }
}

#[test]
fn seed_and_secret_give_other_openings() {
    let source = OpeningSource::Random { plies: 10 };
    let plan = plan_with(&NAMES[..2], 20, &source);
    let first = by_names(&plan);
    assert_eq!(by_names(&plan.clone()), first);
    let positions = |found: &BTreeMap<_, Vec<(u32, Position)>>| -> BTreeSet<String> {
        let starts = found.values().flatten();
        starts.map(|(_, position)| position.to_string()).collect()
    };
    for other in [
        Plan {
            seed: plan.seed + 1,
            ..plan.clone()
        },
        Plan {
            secret: Some("5e".repeat(32).parse().unwrap()),
            ..plan.clone()
        },
    ] {
        let common = positions(&by_names(&other))
            .intersection(&positions(&first))
            .count();
        assert!(common < 5, "{common} of 20 are the same");
    }
}

/// Openings of a file by their numbers, in the order of the rounds of each pairing.
fn orders(sharing: OpeningSharing, start: u32) -> BTreeSet<Vec<u32>> {
    let [.., source] = sources();
    let plan = Plan {
        sharing,
        opening_start: start,
        ..plan_with(&NAMES, 40, &source)
    };
    let orders = by_names(&plan).into_values();
    orders
        .map(|starts| starts.into_iter().map(|(number, _)| number).collect())
        .collect()
}

#[test]
fn a_start_turns_the_order_of_a_file() {
    for sharing in [
        OpeningSharing::Own,
        OpeningSharing::Shared,
        OpeningSharing::SharedRandom,
    ] {
        let whole = orders(sharing, 1);
        for start in [1, 2, 36] {
            let before = start as usize - 1;
            let expected: BTreeSet<Vec<u32>> = whole
                .iter()
                .map(|order| (0..40).map(|round| order[(round + before) % 36]).collect())
                .collect();
            assert_eq!(orders(sharing, start), expected, "{sharing:?} {start}");
        }
    }
    let shared = orders(OpeningSharing::Shared, 1)
        .into_iter()
        .next()
        .unwrap();
    assert_eq!(
        shared[..36],
        (1..=36).collect::<Vec<u32>>(),
        "as they stand"
    );
    let drawn = orders(OpeningSharing::SharedRandom, 1);
    assert_eq!(drawn.len(), 1, "one order for all");
    assert!(!drawn.contains(&shared));
}
