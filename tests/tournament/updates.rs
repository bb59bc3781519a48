//! Any sequence of changes of a plan ends with the tables of one fresh run of the last plan, and
//! only games are played that were never played before. In real folders, with functions as players.

use awale::referee::Turn;
use awale::rules::Pit;
use awale::run_folder::{JOURNAL, update};
use awale::tournament::{
    AdmissionMode, Entrant, EntrantIndex, Format, InProcess, JournalReader, KeyDifference,
    MaxFaults, Plan, PlanChange, RunDocument, RunSettings, Schedule, Secret,
};
use awale::verification::{self, Findings, Severity};
use rand_chacha::ChaCha8Rng;
use rand_core::{Rng as _, SeedableRng as _};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

const NAMES: [&str; 6] = ["ada", "ben", "cyd", "dan", "eve", "fay"];
const SECRET: Secret = Secret::from_bytes([7; 32]);

/// What may change from one plan to the next.
#[derive(Clone, Debug, PartialEq)]
struct Choices {
    /// Entrants in their order, with the versions of their programs.
    entrants: Vec<(&'static str, u64)>,
    pairs: u32,
    is_gauntlet: bool,
    max_plies: u32,
    max_faults: Option<u32>,
}

impl Choices {
    fn first() -> Self {
        Self {
            entrants: vec![("ada", 0), ("ben", 0), ("cyd", 0)],
            pairs: 2,
            is_gauntlet: false,
            max_plies: 600,
            max_faults: None,
        }
    }

    /// Changes one thing.
    fn change(&mut self, random: &mut ChaCha8Rng) {
        let mut below = |count: u32| random.next_u32() % count;
        let count = u32::try_from(self.entrants.len()).unwrap();
        match below(9) {
            0 | 1 => {
                let here = |name: &&str| self.entrants.iter().any(|(it, _)| it == name);
                let new = NAMES.iter().find(|name| !here(name));
                let place = below(count + 1) as usize;
                self.entrants
                    .splice(place..place, new.map(|name| (*name, 0)));
            }
            2 | 3 if count > 2 => drop(self.entrants.remove(below(count) as usize)),
            4 | 5 => self.entrants[below(count) as usize].1 = u64::from(below(3)),
            6 => self.pairs = 1 + below(4),
            7 if below(2) == 0 => self.is_gauntlet ^= true,
            7 => self.entrants.reverse(),
            8 if below(3) == 0 => self.max_plies = 30 + 10 * below(2),
            _ => self.max_faults = Some(1000 + below(2)),
        }
    }

    fn plan(&self) -> Plan {
        let names = self.entrants.iter().map(|(name, _)| *name);
        let entrants = self.entrants.iter().map(|(name, version)| Entrant {
            yardstick: false,
            clock: None,
            name: (*name).to_owned(),
            program: serde_json::json!({ "version": version }),
        });
        Plan {
            format: if self.is_gauntlet {
                Format::Gauntlet(vec!["ada".to_owned()])
            } else {
                Format::RoundRobin
            },
            max_plies: self.max_plies,
            max_faults: self.max_faults.map(|count| MaxFaults {
                count: Some(count),
                share: None,
            }),
            entrants: entrants.collect(),
            ..Plan::round_robin(names, self.pairs, SECRET)
        }
    }

    /// Everything on which each game of the plan depends, as text.
    fn games(&self) -> BTreeSet<String> {
        let plan = self.plan();
        let version = |entrant: &EntrantIndex| self.entrants[entrant.index()];
        let schedule = Schedule::new(&plan);
        let games = schedule.pairs.iter().flat_map(|pair| {
            let sides = pair.entrants.each_ref().map(version);
            pair.game_ids()
                .map(|id| format!("{id} {sides:?} {}", self.max_plies))
        });
        games.collect()
    }

    fn play(&self, folder: &Path) {
        let run = RunDocument::new(self.plan(), RunSettings::default());
        let players = self
            .entrants
            .iter()
            .map(|&(name, version)| move |turn: &Turn| chosen(&format!("{name} {version}"), turn));
        let outcome = update(folder, &run, &InProcess::new(players)).unwrap();
        assert!(outcome.complete);
    }
}

/// A legal pit that depends on the player and the position.
fn chosen(player: &str, turn: &Turn) -> Pit {
    let text = format!("{player} {}", turn.position);
    // FNV-1a.
    let hash = text.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    let legal: Vec<Pit> = turn.legal.iter().collect();
    legal[(hash >> 32) as usize % legal.len()]
}

/// Every table of a folder. In-process players use no time, so none differs by the host.
fn tables(folder: &Path) -> BTreeMap<String, String> {
    let paths = fs::read_dir(folder).unwrap().map(|it| it.unwrap().path());
    let tables = paths.filter(|path| path.extension().is_some_and(|it| it == "csv"));
    let tables = tables.filter(|path| !path.ends_with("history.csv"));
    tables
        .map(|path| {
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            (name, fs::read_to_string(path).unwrap())
        })
        .collect()
}

fn records(folder: &Path) -> usize {
    let journal = fs::read(folder.join(JOURNAL)).unwrap();
    let mut reader = JournalReader::new(&journal[..]);
    let mut count = 0;
    while reader.next_record().unwrap().is_some() {
        count += 1;
    }
    count
}

/// No check of `verify` finds a problem.
fn verify(folder: &Path, plan: Plan) {
    let mut findings = Findings::new();
    let opened = verification::open(folder).unwrap();
    // A process that another test starts holds what is locked here until it is another program.
    while opened.is_played() {
        std::thread::yield_now();
    }
    let run = RunDocument::new(plan, RunSettings::default());
    verification::examine(&opened, &|_| Ok(run.clone()), &mut findings).unwrap();
    let problems: Vec<_> = findings.all(Severity::Problem).collect();
    assert!(problems.is_empty(), "{problems:#?}");
}

#[test]
fn any_sequence_of_updates_ends_as_one_fresh_run() {
    let sequences = if std::env::var_os("AWALE_FULL").is_some() {
        400
    } else {
        10
    };
    for seed in 0..sequences {
        let home = tempfile::tempdir().unwrap();
        let folder = home.path().join("updated");
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        let mut choices = Choices::first();
        let mut played: BTreeSet<String> = BTreeSet::new();
        for revision in 0..6 {
            choices.play(&folder);
            played.extend(choices.games());
            let context = format!("seed {seed}, revision {revision}: {choices:?}");
            assert_eq!(records(&folder), played.len(), "{context}");
            let fresh = home.path().join(format!("fresh-{revision}"));
            choices.play(&fresh);
            assert_eq!(tables(&folder), tables(&fresh), "{context}");
            verify(&folder, choices.plan());
            choices.change(&mut random);
        }
    }
}

#[test]
fn another_secret_or_a_test_is_not_an_update() {
    let home = tempfile::tempdir().unwrap();
    let choices = Choices::first();
    choices.play(home.path());
    let plan = Plan {
        secret: Some(Secret::from_bytes([8; 32])),
        ..choices.plan()
    };
    let run = RunDocument::new(plan, RunSettings::default());
    let first: fn(&Turn) -> Pit = |turn| turn.legal.iter().next().unwrap();
    let refused = update(home.path(), &run, &InProcess::new([first; 3]));
    let message = refused.unwrap_err().to_string();
    assert!(message.contains("tournament.secret"), "{message}");
}

/// A journal whose plan changes as no run's does.
#[test]
fn a_second_plan_that_no_run_has_is_damage() {
    let home = tempfile::tempdir().unwrap();
    let of_secret = |byte: u8| {
        let choices = Choices::first();
        let plan = Plan {
            secret: Some(Secret::from_bytes([byte; 32])),
            ..choices.plan()
        };
        let folder = home.path().join(byte.to_string());
        let run = RunDocument::new(plan, RunSettings::default());
        let first: fn(&Turn) -> Pit = |turn| turn.legal.iter().next().unwrap();
        update(&folder, &run, &InProcess::new([first; 3])).unwrap();
        fs::read(folder.join(JOURNAL)).unwrap()
    };
    let both = [of_secret(1), of_secret(2)].concat();
    let mut reader = JournalReader::new(&both[..]);
    let damage = loop {
        match reader.next_record() {
            Ok(Some(_)) => {}
            Ok(None) => panic!("two runs in one journal"),
            Err(error) => break error.to_string(),
        }
    };
    assert!(damage.contains("a second plan"), "{damage}");
}

#[test]
fn a_change_says_what_it_changes() {
    let before = Choices::first();
    let after = Choices {
        entrants: vec![("cyd", 0), ("dan", 0), ("ben", 1)],
        pairs: 3,
        ..before.clone()
    };
    let change = PlanChange::between(&before.plan(), &after.plan());
    assert_eq!(change.new, ["dan"]);
    assert_eq!(change.left, ["ada"]);
    let changed: Vec<&str> = change
        .changed
        .iter()
        .map(|(name, _)| name.as_str())
        .collect();
    assert_eq!(changed, ["ben"]);
    assert!(change.is_reordered);
    assert_eq!(change.terms, []);
    let keys: Vec<&str> = change.choices.iter().map(|it| it.key.as_str()).collect();
    assert_eq!(keys, ["tournament.pairs"]);
    let mut plan = before.plan();
    plan.max_plies = 30;
    plan.blind = true;
    plan.conditions.admission = AdmissionMode::On;
    let change = PlanChange::between(&before.plan(), &plan);
    let keys = |differences: &[KeyDifference]| {
        let keys = differences.iter().map(|it| it.key.clone());
        keys.collect::<Vec<String>>()
    };
    assert_eq!(
        keys(&change.terms),
        ["tournament.blind", "tournament.max-plies"]
    );
    assert_eq!(keys(&change.choices), ["admission.mode"]);
}
