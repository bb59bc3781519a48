//! Holds the code to the map in the head of `src/lib.rs` and to the house rules, and says the
//! better way where it leaves them. The table of rooms stands here as data.
//!
//! ```text
//! source  a file of Rust as words and signs
//! paths   which paths it names, and what they lead to
//! checks  a file in, findings out
//! circles which files need which
//! bites   snippets that the checks must catch, and some that they must not
//! ```

#[path = "tidy/bites.rs"]
mod bites;
#[path = "tidy/checks.rs"]
mod checks;
#[path = "tidy/circles.rs"]
mod circles;
#[path = "tidy/paths.rs"]
mod paths;
#[path = "tidy/source.rs"]
mod source;

use checks::{Door, House, Room, Wall, check};
use circles::Needs;
use paths::{Target, module_of, named_paths};
use source::Source;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// The rooms, from those that know most to those that know least: nothing knows what stands above
/// it, so there is no circle.
const ROOMS: [Room; 20] = [
    Room {
        name: "main",
        knows: &["cli"],
        crates: &[],
        never: &[],
        instead: "main starts cli, and that is all",
    },
    Room {
        name: "cli",
        knows: &[
            "web",
            "isolation",
            "conformance",
            "verification",
            "config",
            "run_folder",
            "tournament",
            "bot",
            "report",
            "referee",
            "engine",
            "record",
            "protocol",
            "rules",
            "stats",
            "text",
            "procfs",
            "files",
        ],
        crates: &[
            "annotate_snippets",
            "clap",
            "clap_complete",
            "clap_mangen",
            "comfy_table",
            "csv",
            "indicatif",
            "rustix",
            "serde",
            "serde_json",
            "tempfile",
            "textwrap",
            "thiserror",
            "tokio",
            "toml",
        ],
        never: &[],
        instead: "cli is a face: what the new crate would do belongs to a room below it, or the \
                  crate gets its place in this list",
    },
    Room {
        name: "web",
        knows: &["run_folder", "tournament", "report", "rules"],
        crates: &[
            "axum",
            "futures_util",
            "rustix",
            "serde",
            "serde_json",
            "tokio",
        ],
        never: &["std::env", "std::fs", "std::process"],
        instead: "it answers requests with what other rooms make: a page belongs to report, its \
                  data to run_folder",
    },
    Room {
        name: "isolation",
        knows: &["bot", "referee", "record", "text", "procfs", "files"],
        crates: &[
            "libc",
            "nix",
            "rustix",
            "serde",
            "serde_json",
            "sha2",
            "tempfile",
            "thiserror",
            "tokio",
        ],
        never: &[],
        instead: "it says what holds here and guards a run: exit codes and printing belong to cli",
    },
    Room {
        name: "conformance",
        knows: &[
            "bot", "referee", "record", "protocol", "rules", "text", "procfs",
        ],
        crates: &["rustix", "serde_json", "tokio"],
        never: &[
            "std::env",
            "std::net",
            "std::process",
            "std::time::SystemTime",
        ],
        instead: "it examines a bot that somebody else starts: what is shown belongs to cli",
    },
    Room {
        name: "verification",
        knows: &[
            "run_folder",
            "tournament",
            "bot",
            "report",
            "referee",
            "record",
            "protocol",
            "rules",
            "stats",
            "text",
            "files",
        ],
        crates: &[
            "csv",
            "rand_chacha",
            "rand_core",
            "serde",
            "serde_json",
            "sha2",
            "statrs",
            "thiserror",
            "tokio",
            "toml",
        ],
        never: &["std::env", "std::net", "std::process", "std::thread"],
        instead: "it reads a folder and starts nothing: findings are data, cli shows them",
    },
    Room {
        name: "config",
        knows: &[
            "tournament",
            "bot",
            "referee",
            "engine",
            "record",
            "protocol",
            "rules",
            "stats",
            "text",
            "files",
        ],
        crates: &["libc", "rustix", "shlex", "tempfile", "thiserror", "toml"],
        never: &["std::net", "std::thread::sleep", "std::time::SystemTime"],
        instead: "a configuration becomes a plan and bots: what the command line says is handed \
                  in",
    },
    Room {
        name: "run_folder",
        knows: &[
            "tournament",
            "bot",
            "report",
            "referee",
            "record",
            "rules",
            "stats",
            "text",
            "files",
        ],
        crates: &["serde", "serde_json", "tempfile", "thiserror"],
        never: &[
            "std::env",
            "std::net",
            "std::process",
            "std::time::SystemTime",
        ],
        instead: "it keeps a run on disk: take the plan and settings as values",
    },
    Room {
        name: "tournament",
        knows: &["referee", "record", "stats", "rules", "text"],
        crates: &[
            "rand_chacha",
            "rand_core",
            "rustix",
            "serde",
            "serde_json",
            "sha2",
            "thiserror",
            "tokio",
        ],
        never: &[
            "std::env",
            "std::fs",
            "std::net",
            "std::process",
            "std::thread::sleep",
            "std::time::Instant",
            "std::time::SystemTime",
            "tokio::fs",
            "tokio::net",
            "tokio::process",
            "tokio::signal",
            "tokio::time::sleep",
        ],
        instead: "a whole tournament runs in a unit test with scripted players: let cli open the \
                  file or start the program, and take it through a trait",
    },
    Room {
        name: "bot",
        knows: &[
            "referee", "record", "protocol", "rules", "text", "procfs", "files",
        ],
        crates: &[
            "landlock",
            "libc",
            "nix",
            "rustix",
            "seccompiler",
            "serde",
            "serde_json",
            "sha2",
            "tar",
            "tempfile",
            "thiserror",
            "tokio",
        ],
        // Files it may touch: a sandbox writes control files and stages programs.
        never: &["std::env", "std::thread::sleep"],
        instead: "a bad bot must not reach rules or tournaments: faults go back as data",
    },
    Room {
        name: "report",
        knows: &["record", "stats", "rules", "text"],
        crates: &[
            "base64",
            "csv",
            "flate2",
            "serde",
            "serde_json",
            "sha2",
            "thiserror",
        ],
        never: &[
            "std::env",
            "std::fs",
            "std::net",
            "std::process",
            "std::thread",
            "std::time::Instant",
            "std::time::SystemTime",
        ],
        instead: "every report can be made again from the journal's records: take a writer, and \
                  what else it needs as plain values",
    },
    Room {
        name: "referee",
        knows: &["record", "rules", "text"],
        crates: &["thiserror", "tokio"],
        never: &[
            "std::env",
            "std::fs",
            "std::io",
            "std::net",
            "std::process",
            "std::thread",
            "std::time::Instant",
            "std::time::SystemTime",
            "tokio::fs",
            "tokio::io",
            "tokio::net",
            "tokio::process",
            "tokio::signal",
            "tokio::spawn",
            "tokio::time",
        ],
        instead: "a game is a function of players and settings: the time used arrives with the \
                  answer, everything else through Player",
    },
    Room {
        name: "engine",
        knows: &["rules"],
        crates: &[],
        never: &[
            "std::env",
            "std::fs",
            "std::io",
            "std::net",
            "std::process",
            "std::thread",
            "std::time",
        ],
        instead: "the search gets a budget, not a clock: let cli speak the protocol and watch the \
                  time",
    },
    Room {
        name: "record",
        knows: &["rules"],
        crates: &[],
        never: &[
            "std::env",
            "std::fs",
            "std::io",
            "std::net",
            "std::process",
            "std::thread",
        ],
        instead: "a record does not know how it is stored or shown: tournament::journal writes \
                  it, report shows it",
    },
    Room {
        name: "protocol",
        knows: &["rules"],
        crates: &["serde", "serde_json", "thiserror"],
        never: &[
            "std::env",
            "std::fs",
            "std::io",
            "std::net",
            "std::process",
            "std::thread",
            "std::time",
        ],
        instead: "messages are text in, values out: pipes and deadlines belong to bot",
    },
    Room {
        name: "text",
        knows: &[],
        crates: &[],
        never: &[
            "std::env",
            "std::fs",
            "std::io",
            "std::net",
            "std::process",
            "std::thread",
        ],
        instead: "text in, text out: who reads or shows it belongs to another room",
    },
    Room {
        name: "files",
        knows: &[],
        crates: &["rustix", "tempfile"],
        never: &["std::env", "std::net", "std::process", "std::thread"],
        instead: "it opens and reads files within bounds: what they mean belongs to others",
    },
    Room {
        name: "procfs",
        knows: &[],
        crates: &["nix", "rustix"],
        never: &["std::env", "std::net", "std::thread::sleep"],
        instead: "it reads what the kernel tells of processes: what follows from it belongs to \
                  others",
    },
    Room {
        name: "rules",
        knows: &[],
        crates: &[],
        never: &[
            "std::env",
            "std::fs",
            "std::io",
            "std::net",
            "std::process",
            "std::sync",
            "std::thread",
            "std::time",
        ],
        instead: "the rules are fuzzed, and searched with at full speed: they take values and \
                  give values, nothing else",
    },
    Room {
        name: "stats",
        knows: &[],
        crates: &["petgraph", "rand_chacha", "statrs"],
        never: &[
            "std::env",
            "std::fs",
            "std::io",
            "std::net",
            "std::path",
            "std::process",
            "std::time",
        ],
        instead: "counts in, numbers out: entrants are indices here, names and tables belong to \
                  report",
    },
];

/// A bot knows of the referee only what it is asked and what it answers.
const DOORS: [Door; 1] = [Door {
    from: "bot",
    to: "referee",
    names: &[
        "Answer",
        "Choice",
        "GameOver",
        "HostDelay",
        "Judged",
        "LastMove",
        "NewGame",
        "Player",
        "Scheduled",
        "Stolen",
        "Stop",
        "Turn",
    ],
}];

/// The database of endgames is built and verified without the search.
const WALLS: [Wall; 1] = [Wall {
    from: "engine::endgame",
    to: "engine::search",
}];

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn read(path: &str) -> String {
    std::fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// Names of crates under a heading of `Cargo.toml`, as code writes them.
fn crates_under(heading: &str) -> Vec<String> {
    let manifest: toml::Table = read("Cargo.toml").parse().expect("a manifest is TOML");
    let names = manifest[heading].as_table().expect("a table of crates");
    names.keys().map(|name| name.replace('-', "_")).collect()
}

fn house() -> House {
    House {
        rooms: &ROOMS,
        doors: &DOORS,
        walls: &WALLS,
        dependencies: crates_under("dependencies"),
        test_dependencies: crates_under("dev-dependencies"),
    }
}

/// Every file of Rust below a folder, by path.
fn files_below(folder: &Path, found: &mut BTreeMap<String, Source>) {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    for path in entries.map(|entry| entry.path()) {
        if path.is_dir() && !path.ends_with("target") {
            files_below(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let name = path.strip_prefix(root()).expect("below the root");
            let name = name.to_str().expect("a path in UTF-8").to_owned();
            let source = Source::new(&name, &read(&name));
            found.insert(name, source);
        }
    }
}

/// Every file of the repository; files of modules that only tests have know that they are such.
fn files() -> BTreeMap<String, Source> {
    let mut files = BTreeMap::new();
    for folder in ["src", "tests", "benches", "bots", "fuzz"] {
        files_below(&root().join(folder), &mut files);
    }
    let of_tests: BTreeSet<Vec<String>> = files
        .values()
        .flat_map(|source| {
            let module = module_of(&source.path);
            let names = source.test_modules.iter();
            names.map(move |name| [module.as_slice(), std::slice::from_ref(name)].concat())
        })
        .collect();
    for source in files.values_mut() {
        let module = module_of(&source.path);
        if (1..=module.len()).any(|length| of_tests.contains(&module[..length])) {
            source.belongs_to_tests();
        }
    }
    files
}

#[test]
fn every_file_keeps_to_the_house_rules() {
    let (house, files) = (house(), files());
    assert!(files.contains_key("src/lib.rs"), "the files are found");
    let findings: Vec<String> = files
        .values()
        .flat_map(|source| check(&house, source))
        .map(|finding| finding.to_string())
        .collect();
    assert!(findings.is_empty(), "\n{}\n", findings.join("\n"));
}

/// Each room of the map in the head of `src/lib.rs`, with the words after its arrow.
fn map_of_the_crate() -> BTreeMap<String, BTreeSet<String>> {
    let text = read("src/lib.rs");
    let map = text.split("```").nth(1).expect("a map between fences");
    let mut rooms = BTreeMap::new();
    // A list that is too long for its line goes on in the next.
    let map = map.replace("//!", "").replace(",\n", ",");
    for line in map.lines().filter(|line| line.contains('→')) {
        let parts: Vec<&str> = line.split('→').map(str::trim).collect();
        // `main → cli → everything` says two things.
        for pair in parts.windows(2) {
            let room = pair[0].split_whitespace().next().expect("a name");
            let known = pair[1].split(',').map(|word| {
                let word = word.split('(').next().expect("a first part").trim();
                word.trim_end_matches(" only").trim().to_owned()
            });
            rooms.insert(room.to_owned(), known.collect());
        }
    }
    rooms
}

#[test]
fn the_map_of_the_crate_is_this_table() {
    let map = map_of_the_crate();
    let names: BTreeSet<&str> = ROOMS.iter().map(|room| room.name).collect();
    let on_map: BTreeSet<&str> = map.keys().map(String::as_str).collect();
    assert_eq!(on_map, names, "rooms of the map, rooms of the table");
    for room in &ROOMS {
        let mut known: BTreeSet<&str> = room.knows.iter().copied().collect();
        let drawn: BTreeSet<&str> = map[room.name].iter().map(String::as_str).collect();
        if drawn.contains("everything") {
            continue;
        }
        // The map names crates only where a room may use few.
        if drawn.contains("std") {
            known.extend(room.crates);
            known.insert("std");
        }
        assert_eq!(drawn, known, "what {} knows: map, table", room.name);
    }
}

#[test]
fn no_room_knows_one_above_it() {
    for (place, room) in ROOMS.iter().enumerate() {
        for known in room.knows {
            let below = ROOMS[place + 1..].iter().any(|lower| lower.name == *known);
            assert!(
                below,
                "{} knows {known}, which does not stand below it",
                room.name
            );
        }
    }
}

#[test]
fn no_file_needs_one_that_needs_it() {
    let files = files();
    let sources = files.values().filter(|it| it.path.starts_with("src/"));
    let circles = Needs::new(sources).circles();
    assert!(
        circles.is_empty(),
        "a type that two procedures share belongs in a file of its own:\n\n{}\n",
        circles.join("\n\n")
    );
}

/// Where each name of a type or trait is declared, if in more than one place.
fn declared_twice<'a>(sources: impl Iterator<Item = &'a Source>) -> Vec<String> {
    let mut places: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for source in sources {
        for (name, line) in source.declared_types() {
            let place = format!("{}:{line}", source.path);
            places.entry(name).or_default().push(place);
        }
    }
    places
        .into_iter()
        .filter(|(_, places)| places.len() > 1)
        .map(|(name, places)| format!("{name}: {}", places.join(", ")))
        .collect()
}

#[test]
fn no_type_name_is_declared_twice() {
    let files = files();
    let sources = files.values().filter(|it| it.path.starts_with("src/"));
    let twice = declared_twice(sources);
    assert!(
        twice.is_empty(),
        "a name has one meaning in the whole crate:\n{}",
        twice.join("\n")
    );
}

/// Lines of each room, its tests included.
fn lines_by_room() -> BTreeMap<String, usize> {
    let mut lines = BTreeMap::new();
    for source in files().values() {
        if let Some(room) = source.path.strip_prefix("src/") {
            let room = room.split('/').next().expect("a first part").to_owned();
            *lines.entry(room).or_default() += read(&source.path).lines().count();
        }
    }
    lines
}

#[test]
fn no_room_is_more_than_a_fifth_of_the_house() {
    let lines = lines_by_room();
    let all: usize = lines.values().sum();
    for (room, lines) in lines {
        assert!(
            5 * lines <= all,
            "{room} has {lines} of {all} lines: what in it belongs to a room of its own?"
        );
    }
}

/// Names that only their authors could guess, and what they are called instead.
const RETIRED: [(&str, &str); 24] = [
    ("Bench", "PlayerFactory"),
    ("BotBench", "BotFactory"),
    ("Feed", "WorkQueue"),
    ("Ruling", "CountedGames"),
    ("Parting", "ExitReport"),
    ("Lifeline", "StatusChannel"),
    ("Orders", "InitSpec"),
    ("Belongings", "FileAccess"),
    ("Outfitter", "ToolchainResolver"),
    ("Trouble", "Diagnostic"),
    ("Surroundings", "HostEnv"),
    ("Roll", "EntrantNames"),
    ("Dice", "Rng"),
    ("Wish", "IsolationRequest"),
    ("Trial", "SelfTest"),
    ("Traps", "Canaries"),
    ("Seat", "BotUnderTest"),
    ("Chair", "Participant"),
    ("Guardian", "Supervisor"),
    ("praise", "record_cutoff"),
    ("guardian", "supervisor"),
    ("outside", "parent"),
    ("Utterance", "ConversationEntry"),
    ("content", "played_hash"),
];

#[test]
fn no_retired_name_comes_back() {
    let kinds = ["struct", "enum", "trait", "type", "mod", "fn"];
    for source in files().values().filter(|it| it.path.starts_with("src/")) {
        let text = read(&source.path);
        for line in text
            .lines()
            .filter(|line| !line.trim_start().starts_with("//"))
        {
            let words: Vec<&str> = line
                .split(|c: char| !c.is_alphanumeric() && c != '_')
                .filter(|word| !word.is_empty())
                .collect();
            for pair in words.windows(2).filter(|pair| kinds.contains(&pair[0])) {
                let retired = RETIRED.iter().find(|(old, _)| *old == pair[1]);
                assert!(
                    retired.is_none(),
                    "{}: {line}: write {}",
                    source.path,
                    retired.expect("a name").1
                );
            }
        }
    }
}

/// Words for variables and fields that only their authors could guess.
const RETIRED_WORDS: [&str; 14] = [
    "lifeline",
    "parting",
    "belongings",
    "surroundings",
    "wish",
    "bench",
    "ruling",
    "seat",
    "seats",
    "traps",
    "trouble",
    "dice",
    "roll",
    "sheet",
];

#[test]
fn no_retired_word_comes_back() {
    for source in files().values().filter(|it| it.path.starts_with("src/")) {
        for token in &source.tokens {
            let place = format!("{}:{}", source.path, token.line);
            let word = token.text.as_str();
            assert!(!RETIRED_WORDS.contains(&word), "{place}: {word}");
        }
        let text = source.text.to_lowercase();
        let line = text.lines().position(|line| line.contains("whoever"));
        let place = line.map(|line| format!("{}:{}", source.path, line + 1));
        assert!(place.is_none(), "{place:?}: name the process or the person");
    }
}

#[test]
fn every_dependency_is_used() {
    let house = house();
    let crates = [house.dependencies.as_slice(), &house.test_dependencies].concat();
    let (mut in_program, mut in_tests) = (BTreeSet::new(), BTreeSet::new());
    for source in files().values() {
        let is_program = source.path.starts_with("src/");
        for named in named_paths(source, &crates) {
            if let Target::Outside(path) = named.target {
                if is_program && !source.is_test(named.line) {
                    in_program.insert(path[0].clone());
                } else {
                    in_tests.insert(path[0].clone());
                }
            }
        }
    }
    for name in &house.dependencies {
        let say = "take it out of Cargo.toml, or put it under dev-dependencies";
        assert!(
            in_program.contains(name),
            "{name} is not used in src; {say}"
        );
    }
    for name in &house.test_dependencies {
        assert!(
            in_tests.contains(name),
            "{name} is used by no test or bench; take it out"
        );
    }
}
