//! A plan is the same after writing and reading, and two different plans name their difference.

use super::*;
use crate::referee::{ClockSettings, Measure};
use crate::rules::Preset;
use crate::stats::sprt::{Model, Settings, Sprt};
use crate::tournament::max_faults::{MaxFaults, MaxShare};
use crate::tournament::{
    AdmissionMode, Conditions, Entrant, EntrantIndex, Format, OpeningSharing, OpeningSource,
    Secret, SequentialTest, parse_openings,
};
use serde_json::json;
use std::time::Duration;

/// A plan in which every key has a value.
fn plan() -> Plan {
    let entrant = |name: &str, program: Value| Entrant {
        name: name.to_owned(),
        program,
    };
    let mut rules = Preset::Abapa.rules();
    rules.set("repetition.occurrences", "4").unwrap();
    Plan {
        format: Format::Gauntlet(vec![EntrantIndex(1)]),
        preset: Preset::Abapa,
        rules,
        pairs: 7,
        seed: 11,
        secret: Some(Secret::from_bytes([0x5e; 32])),
        openings: OpeningSource::Listed(
            parse_openings(&rules, "CdFb\n4-4-4-4-4-4-4-4-4-4-4-4-0-0-S").unwrap(),
        ),
        sharing: OpeningSharing::Shared,
        max_plies: 601,
        clock: ClockSettings {
            move_limit: Some(Duration::from_micros(100_001)),
            bank: Some(Duration::from_secs(60)),
            increment: Duration::from_millis(10),
            margin: Duration::from_millis(12),
            measure: Measure::Cpu,
        },
        max_faults: Some(MaxFaults {
            count: Some(3),
            share: Some(MaxShare {
                hundredths: 1050,
                after: 50,
            }),
        }),
        blind: true,
        conditions: Conditions {
            isolation: "box".to_owned(),
            freeze: true,
            readable: vec!["/opt/é".to_owned()],
            start_up: Duration::from_secs(10),
            new_game: Duration::from_millis(999),
            threads_per_bot: 2,
            admission: AdmissionMode::Required,
        },
        test: None,
        entrants: vec![
            entrant(
                "ada",
                json!({"command": ["./ada", "-x"], "env": {"A B": "1"}}),
            ),
            entrant("bob", json!({"command": ["./bob"], "env": {}})),
        ],
    }
}

fn test() -> SequentialTest {
    let settings = Settings {
        elo0: -0.5,
        elo1: 1.75,
        alpha: 0.05,
        beta: 0.1,
        model: Model::Normalised,
    };
    SequentialTest {
        sprt: Sprt::new(settings).unwrap(),
        new: EntrantIndex(1),
    }
}

fn again(run: &RunDocument) -> Result<Plan, String> {
    let text = run.plan.document().to_string();
    Plan::of_document(&serde_json::from_str(&text).unwrap(), &run.settings)
}

#[test]
fn a_plan_comes_back_from_its_document() {
    let other = Plan {
        format: Format::RoundRobin,
        openings: OpeningSource::Random { plies: 6 },
        sharing: OpeningSharing::Own,
        max_faults: None,
        secret: None,
        blind: false,
        clock: ClockSettings {
            bank: None,
            increment: Duration::ZERO,
            ..plan().clock
        },
        ..plan()
    };
    let tested = Plan {
        test: Some(test()),
        ..plan()
    };
    for plan in [plan(), other, tested] {
        let run = RunDocument::new(plan, RunSettings::default());
        assert_eq!(again(&run).as_ref(), Ok(&run.plan));
        assert_eq!(again(&run).unwrap().hash(), run.plan.hash());
        assert!(run.plan.differences(&again(&run).unwrap()).is_empty());
    }
}

/// `sha256sum` of this text, which is the output of Python's `json.dumps(…, sort_keys=True,
/// separators=(",", ":"), ensure_ascii=False)`.
#[test]
fn the_hash_is_that_of_the_canonical_text() {
    let document = json!({"b": {"y": 0.5, "x": [1, "é"]}, "a": true});
    let text = r#"{"a":true,"b":{"x":[1,"é"],"y":0.5}}"#;
    assert_eq!(document.to_string(), text);
    let by_sha256sum = "dbe6b886d953ed37b4fdb5cc0bc88acae145275aedfbf85bc1e0e9e5e1047333";
    assert_eq!(hash_of(&document), by_sha256sum);
}

#[test]
fn a_test_may_have_more_pairs_and_stay_the_same_plan() {
    let plan = |pairs| Plan {
        pairs,
        test: Some(test()),
        ..plan()
    };
    assert_eq!(plan(7).differences(&plan(9)), []);
    let mut run = RunDocument::new(plan(7), RunSettings::default());
    let longer = RunDocument::new(plan(9), RunSettings::default());
    run.set(longer.settings.clone());
    assert_eq!(run, longer);
}

/// Each value is changed, with the key that the difference must name.
#[test]
fn every_difference_is_named_by_its_key() {
    type Change = fn(&mut Plan);
    let cases: [(Change, &[&str]); 16] = [
        (
            |it| it.format = Format::RoundRobin,
            &["tournament.champions", "tournament.format"],
        ),
        (|it| it.pairs = 8, &["tournament.pairs"]),
        (|it| it.seed = 8, &["tournament.seed"]),
        (|it| it.secret = None, &["tournament.secret"]),
        (
            |it| it.sharing = OpeningSharing::Own,
            &["tournament.openings.shared"],
        ),
        (
            |it| it.openings = OpeningSource::Random { plies: 2 },
            &["tournament.openings.list", "tournament.openings.plies"],
        ),
        (|it| it.max_plies = 8, &["tournament.max-plies"]),
        (|it| it.clock.margin = Duration::ZERO, &["clock.margin"]),
        (|it| it.max_faults = None, &["tournament.max-faults"]),
        (|it| it.blind = false, &["tournament.blind"]),
        (|it| it.conditions.freeze = false, &["isolation.freeze"]),
        (
            |it| it.conditions.new_game = Duration::from_secs(1),
            &["tournament.new-game"],
        ),
        (
            |it| it.rules.set("must-feed", "false").unwrap(),
            &["rules.must-feed"],
        ),
        (|it| it.entrants[0].name = "eve".to_owned(), &["entrants"]),
        (
            |it| it.entrants[0].program["env"]["A B"] = json!("2"),
            &["entrant \"ada\" env \"A B\""],
        ),
        (|it| it.test = Some(test()), &["sprt", "tournament.pairs"]),
    ];
    for (change, keys) in cases {
        let mut other = plan();
        change(&mut other);
        let named = plan().differences(&other);
        let named: Vec<&str> = named.iter().map(|it| it.key.as_str()).collect();
        assert_eq!(named, keys);
        assert_ne!(plan().hash(), other.hash());
    }
    let mut other = plan();
    other.secret = Some(Secret::from_bytes([1; 32]));
    let shown = plan().differences(&other).remove(0);
    let short = plan().secret.unwrap().short_hash();
    assert_eq!(shown.there, Some(short), "the secret itself is never shown");
}

#[test]
fn what_is_no_plan_is_refused() {
    let document = plan().document();
    let settings = RunSettings::default();
    assert!(Plan::of_document(&document, &settings).is_ok());
    let changes: [fn(&mut Value); 9] = [
        |it| it["tournament"]["rules"] = json!("chess"),
        |it| it["tournament"]["surprise"] = json!(1),
        |it| it["tournament"]["champions"] = json!(["eve"]),
        |it| it["tournament"]["start-up"] = json!("soon"),
        |it| it["tournament"]["openings"] = json!({"shared": false}),
        |it| it["rules"]["must-feed"] = json!(7),
        |it| it["clock"] = json!({"margin": "10ms", "measure": "wall"}),
        |it| it["entrant"][1]["name"] = json!("ada"),
        |it| it["entrant"] = json!([]),
    ];
    for (number, change) in changes.into_iter().enumerate() {
        let mut changed = document.clone();
        change(&mut changed);
        let read = Plan::of_document(&changed, &settings);
        assert!(read.is_err(), "change {number}");
    }
}
