//! A plan is the same after writing and reading, and two different plans name their difference.

use super::*;
use crate::referee::{ClockSettings, DrawTerms, Measure, ResignTerms};
use crate::rules::{Preset, Remaining};
use crate::stats::sprt::{Model, Settings, Sprt};
use crate::tournament::plan::{MaxFaults, MaxShare};
use crate::tournament::{
    AdmissionMode, Conditions, EndgameTerms, Entrant, EntrantIndex, Format, OpeningSharing,
    OpeningSource, Secret, Seeding, SequentialTest, parse_openings,
};
use serde_json::json;
use std::time::Duration;

/// A plan in which every key has a value.
fn plan() -> Plan {
    let entrant = |name: &str, program: Value| Entrant {
        yardstick: false,
        clock: None,
        name: name.to_owned(),
        program,
    };
    let mut rules = Preset::Abapa.rules();
    rules.repetition.occurrences = 4;
    Plan {
        house_pairs: None,
        longer: Vec::new(),
        format: Format::Gauntlet(vec!["bob".to_owned()]),
        preset: Preset::Abapa,
        rules,
        seeding: Seeding::Draw,
        until: None,
        rounds: Vec::new(),
        pairs: 7,
        seed: 11,
        secret: Some(Secret::from_bytes([0x5e; 32])),
        openings: OpeningSource::Listed(
            parse_openings(&rules, "CdFb\n4-4-4-4-4-4-4-4-4-4-4-4-0-0-S").unwrap(),
        ),
        sharing: OpeningSharing::Shared,
        opening_start: 1,
        max_plies: 601,
        endgame: None,
        resign: None,
        draw: None,
        clock: ClockSettings {
            move_limit: Some(Duration::from_micros(100_001)),
            bank: Some(Duration::from_secs(60)),
            increment: Duration::from_millis(10),
            nodes: None,
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
        repeat_openings: false,
    }
}

fn endgame(seeds: u8, sha256: &str) -> EndgameTerms {
    EndgameTerms {
        seeds,
        sha256: sha256.to_owned(),
    }
}

const RESIGN: ResignTerms = ResignTerms {
    seeds: 12,
    turns: 4,
};

fn again(run: &RunDocument) -> Result<Plan, String> {
    let text = run.plan.document().to_string();
    Plan::of_document(&serde_json::from_str(&text).unwrap(), &run.settings)
}

#[test]
fn a_plan_comes_back_from_its_document() {
    let other = Plan {
        format: Format::RoundRobin,
        openings: OpeningSource::Random { plies: 6 },
        sharing: OpeningSharing::SharedRandom,
        opening_start: 5,
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
    let ended_early = Plan {
        endgame: Some(endgame(12, "ab")),
        ..plan()
    };
    let fewer = Plan {
        endgame: Some(endgame(8, "cd")),
        ..plan()
    };
    let mut odds = plan();
    odds.resign = Some(RESIGN);
    odds.draw = Some(DrawTerms {
        seeds: 1,
        turns: 6,
        after: 60,
    });
    odds.entrants[0].clock = Some(ClockSettings {
        bank: None,
        increment: Duration::ZERO,
        nodes: Some(1_000),
        ..odds.clock
    });
    let differences = ended_early.differences(&fewer);
    let keys: Vec<&str> = differences.iter().map(|it| it.key.as_str()).collect();
    assert_eq!(keys, ["adjudication.seeds", "adjudication.sha256"]);
    for plan in [plan(), other, tested, ended_early, odds] {
        let run = RunDocument::new(plan, RunSettings::default());
        assert_eq!(again(&run).as_ref(), Ok(&run.plan));
        assert_eq!(again(&run).unwrap().hash(), run.plan.hash());
        assert!(run.plan.differences(&again(&run).unwrap()).is_empty());
    }
}

/// The plan of an earlier version of awale keeps its hash: results of its run still count.
#[test]
fn the_document_and_its_hash_stay_the_same() {
    let text = "{\"blind\":true,\"clock\":{\"bank\":\"60s\",\"increment\":\"10ms\",\
        \"margin\":\"12ms\",\"measure\":\"cpu\",\"move\":\"100001us\"},\
        \"conditions\":{\"admission\":\"required\",\"freeze\":true,\"isolation\":\"box\",\
        \"new-game\":\"999ms\",\"readable\":[\"/opt/é\"],\"start-up\":\"10s\",\
        \"threads-per-bot\":2},\"entrants\":[{\"name\":\"ada\",\
        \"program\":{\"command\":[\"./ada\",\"-x\"],\"env\":{\"A B\":\"1\"}}},\
        {\"name\":\"bob\",\"program\":{\"command\":[\"./bob\"],\"env\":{}}}],\
        \"format\":{\"gauntlet\":[\"bob\"]},\"max-faults\":{\"count\":3,\
        \"share\":{\"after\":50,\"hundredths\":1050}},\"max-plies\":601,\
        \"openings\":{\"listed\":[\"CdFb\",\"4-4-4-4-4-4-4-4-4-4-4-4-0-0-S\"]},\"pairs\":7,\
        \"preset\":\"abapa\",\"rules\":{\"capture\":\"chain\",\"dead-position-ends\":false,\
        \"grand-slam\":\"no-capture\",\"majority-ends\":true,\"must-feed\":true,\
        \"no-move-gift\":0,\"repetition\":{\"occurrences\":4,\"remaining\":\"own-row\"},\
        \"row-empty-ends\":false},\
        \"secret\":\"5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e\",\
        \"seed\":11,\"sharing\":\"shared\"}";
    assert_eq!(plan().document().to_string(), text);
    assert_eq!(
        plan().hash(),
        "ee215f818cedfea54b394402d5f9cd90a85c4a7e8a6601e59cb4c4737596e493"
    );
}

/// Every key of a document, as the path that leads to it.
fn paths(value: &Value, path: &[String]) -> Vec<Vec<String>> {
    let below = |key: &str| [path, &[key.to_owned()]].concat();
    let inner: Vec<(Vec<String>, &Value)> = match value {
        Value::Object(keys) => keys.iter().map(|(key, it)| (below(key), it)).collect(),
        Value::Array(items) => {
            let items = items.iter().enumerate();
            items
                .map(|(index, it)| (below(&index.to_string()), it))
                .collect()
        }
        _ => Vec::new(),
    };
    let all = inner.into_iter().flat_map(|(path, value)| {
        let below = paths(value, &path);
        std::iter::once(path).chain(below)
    });
    all.collect()
}

fn without(document: &Value, path: &[String]) -> Option<Value> {
    let mut aged = document.clone();
    let (key, around) = path.split_last()?;
    let pointer = around.iter().fold(String::new(), |up, key| up + "/" + key);
    aged.pointer_mut(&pointer)?.as_object_mut()?.remove(key)?;
    Some(aged)
}

/// A key that a version did not know yet is absent from its plans.
#[test]
fn a_plan_without_one_of_its_keys_is_read_or_says_what_is_missing() {
    let tested = Plan {
        test: Some(test()),
        ..plan()
    };
    for plan in [plan(), tested] {
        let run = RunDocument::new(plan, RunSettings::default());
        let document = run.plan.document();
        for path in paths(&document, &[]) {
            let Some(aged) = without(&document, &path) else {
                continue;
            };
            let name = path.join(".");
            let needed = |it: &str| name.starts_with(it) && name != it;
            // Without them there is no tournament, or half of a value.
            let is_needed = ["entrants", "clock.bank"].contains(&name.as_str())
                || path[0] == "entrants" && path.ends_with(&["name".to_owned()])
                || ["test.", "format.", "openings.", "max-faults.share."]
                    .into_iter()
                    .any(needed);
            match Plan::of_document(&aged, &run.settings) {
                Ok(read) => assert!(!is_needed && !read.entrants.is_empty(), "{name}"),
                Err(error) => assert!(is_needed && error.len() > 20, "{name}: {error}"),
            }
        }
    }
    let mut aged = plan().document();
    for key in ["must-feed", "repetition"] {
        aged["rules"].as_object_mut().unwrap().remove(key);
    }
    let read = Plan::of_document(&aged, &RunSettings::default()).unwrap();
    assert_eq!(read.rules, Preset::Abapa.rules(), "the preset's values");
}

#[test]
fn a_key_of_a_newer_version_is_named_as_one() {
    for (path, key) in [
        ("", "tournament.surprise"),
        ("/rules", "surprise"),
        ("/rules/repetition", "repetition.surprise"),
        ("/clock", "clock.surprise"),
        ("/conditions", "tournament.surprise"),
    ] {
        let mut newer = plan().document();
        newer.pointer_mut(path).unwrap()["surprise"] = json!(1);
        let error = Plan::of_document(&newer, &RunSettings::default()).unwrap_err();
        assert!(error.contains(&format!("`{key}`")), "{error}");
        assert!(error.contains("newer version"), "{error}");
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
    let cases: [(Change, &[&str]); 25] = [
        (|it| it.format = Format::RoundRobin, &["tournament.format"]),
        (
            |it| it.format = Format::Gauntlet(vec!["ada".to_owned()]),
            &["tournament.champions"],
        ),
        (|it| it.preset = Preset::Awale, &["tournament.rules"]),
        (|it| it.clock.move_limit = None, &["clock.move"]),
        (|it| it.pairs = 8, &["tournament.pairs"]),
        (|it| it.seed = 8, &["tournament.seed"]),
        (|it| it.secret = None, &["tournament.secret"]),
        (
            |it| it.sharing = OpeningSharing::Own,
            &["tournament.openings.shared"],
        ),
        (|it| it.opening_start = 2, &["tournament.openings.start"]),
        (
            |it| it.openings = OpeningSource::Random { plies: 2 },
            &["tournament.openings.file", "tournament.openings"],
        ),
        (|it| it.max_plies = 8, &["tournament.max-plies"]),
        (
            |it| it.endgame = Some(endgame(8, "ab")),
            &["adjudication.endgame"],
        ),
        (|it| it.resign = Some(RESIGN), &["adjudication.resign"]),
        (|it| it.clock.nodes = Some(9), &["clock.nodes"]),
        (|it| it.clock.margin = Duration::ZERO, &["clock.margin"]),
        (|it| it.max_faults = None, &["tournament.max-faults"]),
        (|it| it.blind = false, &["tournament.blind"]),
        (|it| it.conditions.freeze = false, &["isolation.freeze"]),
        (
            |it| it.conditions.new_game = Duration::from_secs(1),
            &["tournament.new-game"],
        ),
        (
            |it| it.rules.repetition.remaining = Remaining::Nobody,
            &["rules.repetition.remaining"],
        ),
        (|it| it.entrants[0].name = "eve".to_owned(), &["entrants"]),
        (
            |it| it.entrants[0].program["env"]["A B"] = json!("2"),
            &["entrant \"ada\" env \"A B\""],
        ),
        (
            |it| it.entrants[1].clock = Some(it.clock),
            &["entrant \"bob\" clock"],
        ),
        (
            |it| it.conditions.admission = AdmissionMode::Off,
            &["admission.mode"],
        ),
        (|it| it.test = Some(test()), &["tournament.pairs", "sprt"]),
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
    let changes: [fn(&mut Value); 11] = [
        |it| it["preset"] = json!("chess"),
        |it| it["format"] = json!("swiss"),
        |it| it["format"] = json!({"gauntlet": ["eve"]}),
        |it| it["conditions"]["start-up"] = json!("soon"),
        |it| it["openings"] = json!({}),
        |it| it["rules"]["must-feed"] = json!(7),
        |it| it["clock"] = json!({"move": "1s", "increment": "10ms"}),
        |it| it["entrants"][1]["name"] = json!("ada"),
        |it| it["entrants"] = json!([]),
        |it| it["entrants"][0]["clock"] = json!({"measure": "cpu"}),
        |it| it["entrants"][0]["clock"] = json!({"move": "1s", "measure": "wall"}),
    ];
    for (number, change) in changes.into_iter().enumerate() {
        let mut changed = document.clone();
        change(&mut changed);
        let read = Plan::of_document(&changed, &settings);
        assert!(read.is_err(), "change {number}");
    }
}
