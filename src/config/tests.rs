//! Resolution as a whole: defaults, flags, programs, identity, and reading a dump again.

use super::*;

/// Reads a configuration as if every level of isolation were available.
fn load(path: &Path, overrides: &Overrides) -> Result<Resolved, ConfigError> {
    super::load(path, overrides, &HouseCommands::ANY, |wanted| {
        wanted.unwrap_or(Level::Box)
    })
}

use crate::bot::{HostLimits, Limits, OWN_PROGRAM, ProgramIdentity, Restart};
use crate::rules::{GrandSlam, Preset};
use crate::tournament::{Format, Secret};
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::time::Duration;
use tempfile::TempDir;

const ONE_SECRET: &str =
    "tournament.secret=5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e";

const TWO: &str = "
[[entrant]]
name = \"ada\"
command = [\"awale\", \"bot\", \"greedy\"]
[[entrant]]
name = \"bob\"
command = [\"awale\", \"bot\", \"random\"]
";

/// A folder with a configuration `class.toml`: the given text and two house bots.
fn folder(text: &str) -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("class.toml");
    fs::write(&path, format!("{text}\n{TWO}")).unwrap();
    (folder, path)
}

fn load_text(text: &str, overrides: &Overrides) -> Resolved {
    let (_folder, path) = folder(text);
    load(&path, overrides).unwrap()
}

fn sets(sets: &[&str]) -> Overrides {
    Overrides {
        sets: sets.iter().map(|set| (*set).to_owned()).collect(),
        ..Overrides::default()
    }
}

/// A resolution on a machine with these processors and physical cores.
fn resolve_on(
    text: &str,
    processors: usize,
    cores: u32,
    oversubscribe: bool,
) -> Result<Resolved, Diagnostic> {
    let machine = (processors, cores, HostLimits::default());
    resolve_within(text, machine, oversubscribe)
}

/// The same where control groups have limits.
fn resolve_within(
    text: &str,
    (processors, cores, allowed): (usize, u32, HostLimits),
    oversubscribe: bool,
) -> Result<Resolved, Diagnostic> {
    let (_folder, path) = folder(text);
    let machine = Machine {
        processors: (0..processors).collect(),
        physical_cores: cores,
        host: "elsewhere".to_owned(),
        allowed,
        hard_limits: [u64::MAX; 2],
    };
    let host_env = HostEnv {
        variables: vec![
            ("PATH".to_owned(), "/bin".into()),
            ("HOME".to_owned(), "/h".into()),
        ],
        house: HouseCommands::ANY,
    };
    let context = Context {
        level: Level::Box,
        file: &path,
        output: None,
        oversubscribe,
        purpose: Purpose::Tournament,
        machine: &machine,
        host_env: &host_env,
        questions: &Questions::default(),
        secret: &SecretSource::Nowhere,
        endgame: &EndgameSource::Database,
        is_record: false,
        replayed: &BTreeSet::new(),
        class: &class::ClassFolders::default(),
    };
    read(&fs::read(&path).unwrap(), &Overrides::default())
        .and_then(|typed| resolve(typed, &context))
}

#[test]
fn the_manual_can_be_run_and_agrees_with_the_defaults_of_other_rooms() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("default.toml");
    fs::write(&path, MANUAL).unwrap();
    let resolved = load(&path, &Overrides::default()).unwrap();
    for bot in resolved.bots() {
        assert_eq!(bot.limits, Limits::default());
        assert_eq!(bot.restart, Restart::Never);
    }
    assert_eq!(resolved.settings.name, "default");
    assert_eq!(resolved.output, Path::new("results/default"));
}

#[test]
fn what_is_left_out_is_as_documented() {
    let resolved = load_text("", &Overrides::default());
    let plan = &resolved.plan;
    assert_eq!(
        (resolved.settings.name.as_str(), plan.pairs, plan.max_plies),
        ("class", 20, 600)
    );
    assert_eq!(
        (&plan.format, plan.preset),
        (&Format::RoundRobin, Preset::Awale)
    );
    assert_eq!(plan.rules, Preset::Awale.rules());
    assert_eq!(plan.clock.move_limit, Some(Duration::from_millis(100)));
    assert_eq!(plan.clock.margin, Duration::from_millis(10));
    assert_eq!(
        (plan.clock.bank, plan.clock.increment),
        (None, Duration::ZERO)
    );
    assert_eq!(resolved.entrants[0].bot.start_up, Duration::from_secs(10));
    assert_eq!(resolved.entrants[0].bot.new_game, Duration::from_secs(1));
    assert_eq!(
        (resolved.typed.tournament.logs, plan.blind),
        (Logs::Faults, false)
    );
    assert_eq!(resolved.openings.shortage(plan), None);
    assert!(plan.openings == crate::tournament::OpeningSource::Random { plies: 4 });
}

#[test]
fn a_bank_alone_leaves_moves_unlimited() {
    let bank = "[clock]\nbank = \"10s\"\nincrement = \"0.05s\"";
    let clock = load_text(bank, &Overrides::default()).plan.clock;
    assert_eq!(clock.move_limit, None);
    assert_eq!(clock.bank, Some(Duration::from_secs(10)));
    assert_eq!(clock.increment, Duration::from_millis(50));
    let both = load_text(bank, &sets(&["clock.move=20ms"])).plan.clock;
    assert_eq!(both.move_limit, Some(Duration::from_millis(20)));
    let by_flag = load_text("", &sets(&["clock.bank=1m"])).plan.clock;
    assert_eq!(
        (by_flag.move_limit, by_flag.bank),
        (None, Some(Duration::from_secs(60)))
    );
}

/// `[clock]`, the clock of an entrant, and the limits of a move and a game, the increment and the nodes
/// that it has then, if they are others than those of all.
const OWN_CLOCKS: &str = r#"
    move = "100ms"               | move = "50ms"                  | 50ms - 0us -
    move = "100ms"               | move = "100ms"                 | same
    move = "100ms"               | bank = "9s"                    | - 9s 0us -
    move = "100ms"               | bank = "9s", increment = "1s"  | - 9s 1s -
    move = "100ms"               | move = "50ms", bank = "9s"     | 50ms 9s 0us -
    move = "100ms"               | nodes = 7                      | 100ms - 0us 7
    bank = "9s"\nincrement = "1s" | bank = "3s"                    | - 3s 1s -
    bank = "9s"\nincrement = "1s" | bank = "9s", increment = "0s"  | - 9s 0us -
    bank = "9s"\nincrement = "1s" | move = "50ms"                  | 50ms - 0us -
    bank = "9s"\nincrement = "1s" | increment = "2s"               | - 9s 2s -
    move = "100ms"\nnodes = 7     | move = "50ms"                  | 50ms - 0us 7
    move = "100ms"\nnodes = 7     | nodes = 9                      | 100ms - 0us 9
"#;

#[test]
fn an_entrant_has_what_it_names_and_otherwise_the_clock_of_all() {
    for row in OWN_CLOCKS.trim().lines() {
        let columns: Vec<&str> = row.split('|').map(str::trim).collect();
        let common = columns[0].replace("\\n", "\n");
        let text = format!(
            "[clock]\n{common}\n[[entrant]]\nname = \"cyd\"\ncommand = [\"awale\", \"bot\", \
             \"random\"]\nclock = {{ {} }}",
            columns[1]
        );
        let (_folder, path) = folder(&text);
        let resolved = load(&path, &sets(&[ONE_SECRET])).unwrap();
        let own = resolved.plan.entrants[0].clock.map(|own| {
            let shown = |value: Option<String>| value.unwrap_or_else(|| "-".to_owned());
            let time = |time: Option<Duration>| shown(time.map(crate::text::time_text));
            let nodes = own.nodes.map(|it| it.to_string());
            let increment = time(Some(own.increment));
            let [limit, bank] = [own.move_limit, own.bank].map(time);
            format!("{limit} {bank} {increment} {}", shown(nodes))
        });
        assert_eq!(own.as_deref().unwrap_or("same"), columns[2], "{row}");
        // The plan that a run writes says the same.
        let (_other, path) = folder("");
        fs::write(&path, dump(&resolved, DumpTo::Folder)).unwrap();
        let again = load(&path, &Overrides::default()).unwrap();
        assert_eq!(again.plan, resolved.plan, "{row}");
    }
}

#[test]
fn flags_win_over_the_file_and_the_last_over_the_first() {
    let overrides = Overrides {
        keys: [
            KeyFlag::typed("--pairs", ["tournament", "pairs"], Some(3)),
            KeyFlag::typed("--seed", ["tournament", "seed"], Some(9)),
            KeyFlag::typed("--isolation", ["isolation", "level"], Some("none")),
        ]
        .into_iter()
        .flatten()
        .collect(),
        output: Some(PathBuf::from("elsewhere")),
        ..sets(&[
            "tournament.pairs=5",
            "tournament.max-plies=70",
            "tournament.max-plies = 80",
            "rules.grand-slam=capture",
            "rules.repetition.occurrences=4",
            "tournament.blind=true",
            "tournament.openings={ plies = 2 }",
        ])
    };
    let resolved = load_text("[tournament]\npairs = 7\nrules = \"abapa\"", &overrides);
    let plan = &resolved.plan;
    assert_eq!((plan.pairs, plan.seed, plan.max_plies), (3, 9, 80));
    assert!(plan.blind);
    assert_eq!(resolved.output, Path::new("elsewhere"));
    let mut rules = Preset::Abapa.rules();
    rules.grand_slam = GrandSlam::Capture;
    rules.repetition.occurrences = 4;
    assert_eq!(plan.rules, rules);
}

#[test]
fn champions_are_found_by_name() {
    let text = "[tournament]\nformat = \"gauntlet\"\nchampions = [\"bob\"]";
    let plan = load_text(text, &Overrides::default()).plan;
    assert_eq!(plan.format, Format::Gauntlet(vec!["bob".to_owned()]));
}

#[test]
fn slots_fit_the_machine_or_are_refused() {
    for (text, processors, cores, expected) in [
        ("", 8, 4, Ok((4, 0))),
        ("[tournament]\nthreads-per-bot = 3", 8, 4, Ok((1, 0))),
        ("[tournament]\nthreads-per-bot = 6", 8, 4, Ok((1, 1))),
        ("[tournament]\nslots = 8", 8, 4, Ok((8, 1))),
        (
            "[tournament]\nslots = 9",
            8,
            4,
            Err("9 processors are needed for 9 slots, and 8 can"),
        ),
        (
            "[tournament]\nslots = 3\nthreads-per-bot = 3",
            8,
            8,
            Err("3 slots with 3 threads"),
        ),
    ] {
        match (resolve_on(text, processors, cores, false), expected) {
            (Ok(resolved), Ok((slots, warnings))) => {
                assert_eq!(resolved.settings.slots, slots, "{text}");
                assert_eq!(resolved.warnings.len(), warnings, "{text}");
            }
            (Err(problem), Err(said)) => assert!(problem.message.contains(said), "{problem:?}"),
            (actual, _) => panic!("{text}: {actual:?}"),
        }
    }
    let shared = resolve_on("[tournament]\nslots = 9", 8, 4, true).unwrap();
    assert_eq!(shared.settings.slots, 9);
    assert!(
        shared.warnings[0].contains("share 8 processors"),
        "{:?}",
        shared.warnings
    );
}

/// Bytes of `mib` mebibytes.
const fn mib(mib: u64) -> u64 {
    mib << 20
}

/// The configuration of an entrant that may use more memory than the others.
const ONE_GIB: &str = "[[entrant]]\nname = \"eve\"\ncommand = [\"awale\", \"bot\", \"random\"]\n\
                       limits.memory = \"1GiB\"";

/// Slots, the limits of memory (MiB) and processes of the first entrant, and what the warning says;
/// or what the error says.
type Fitted = Result<(u32, u64, u32, &'static str), &'static str>;

/// Configurations, the memory (MiB) and the processes that are allowed, and what follows.
const CONTAINERS: [(&str, Option<u64>, Option<u64>, Fitted); 12] = [
    ("", None, None, Ok((4, 512, 64, ""))),
    ("", Some(64 + 4096), Some(32 + 512), Ok((4, 512, 64, ""))),
    (
        "",
        Some(64 + 4095),
        None,
        Ok((3, 512, 64, "allow 4159MiB of memory")),
    ),
    (
        "",
        None,
        Some(32 + 511),
        Ok((3, 512, 64, "allow 543 processes and threads")),
    ),
    (
        "",
        Some(64 + 2048),
        Some(32 + 128),
        Ok((1, 512, 64, "2 of 4 slots in use; the")),
    ),
    (
        "",
        Some(420),
        Some(90),
        Ok((1, 178, 29, "and `memory` is at most 178MiB; the")),
    ),
    (
        "",
        Some(128),
        None,
        Ok((1, 32, 64, "`memory` is at most 32MiB")),
    ),
    ("", Some(127), None, Err("leaves less than 32MiB for each")),
    ("", None, Some(47), Err("leaves less than 8 for each")),
    (
        "[limits]\nmemory = \"16MiB\"",
        Some(128),
        None,
        Ok((2, 16, 64, "2 of 4 slots in use")),
    ),
    // Those two who need most may meet.
    (
        ONE_GIB,
        Some(64 + 3072),
        None,
        Ok((2, 1024, 64, "1GiB + 512MiB")),
    ),
    (
        ONE_GIB,
        Some(64 + 1024),
        None,
        Ok((1, 512, 64, "`memory` is at most 512MiB")),
    ),
];

#[test]
fn slots_and_limits_fit_the_control_groups_around() {
    for (text, memory, processes, expected) in CONTAINERS {
        let allowed = HostLimits {
            memory_bytes: memory.map(mib),
            processes,
        };
        match (resolve_within(text, (8, 4, allowed), false), expected) {
            (Ok(resolved), Ok((slots, memory, processes, said))) => {
                let limits = resolved.entrants[0].bot.limits;
                let actual = (
                    resolved.settings.slots,
                    limits.memory_bytes,
                    limits.processes,
                );
                assert_eq!(actual, (slots, mib(memory), processes), "{allowed:?}");
                let warnings = resolved.warnings.join("\n");
                assert_eq!(
                    resolved.warnings.len(),
                    usize::from(!said.is_empty()),
                    "{warnings}"
                );
                assert!(warnings.contains(said), "{warnings}");
                assert_eq!(resolved.typed.limits.values().processes, processes);
            }
            (Err(problem), Err(said)) => assert!(problem.message.contains(said), "{problem:?}"),
            (actual, _) => panic!("{text} {allowed:?}: {actual:?}"),
        }
    }
}

#[test]
fn kept_processes_get_what_is_left() {
    let left = |memory: Option<u64>, processes| {
        let allowed = HostLimits {
            memory_bytes: memory.map(mib),
            processes,
        };
        let resolved = resolve_within("", (2, 2, allowed), false).unwrap();
        resolved.left_for_kept()
    };
    assert_eq!(left(None, None), [None, None]);
    assert_eq!(left(Some(64 + 2048 + 7), None), [Some(mib(7)), None]);
    assert_eq!(left(None, Some(32 + 256 + 7)), [None, Some(7)]);
    assert_eq!(left(Some(420), Some(90)), [Some(0), Some(0)]);
}

#[test]
fn no_slot_is_without_a_pair_or_an_entrant_to_examine() {
    for (text, expected) in [
        ("slots = 3", vec![vec![0], vec![1], vec![2]]),
        (
            "slots = 2\nthreads-per-bot = 2",
            vec![vec![0, 1], vec![2, 3]],
        ),
        ("pairs = 1\nslots = 4", vec![vec![0]]),
        ("pairs = 3\nslots = 4", vec![vec![0], vec![1], vec![2]]),
    ] {
        let resolved = resolve_on(&format!("[tournament]\n{text}"), 8, 4, false).unwrap();
        assert_eq!(resolved.cores_of_slots(), expected, "{text}");
    }
    // Two entrants are examined at the same time before their only pair.
    let mut resolved = resolve_on("[tournament]\npairs = 1\nslots = 4", 8, 4, false).unwrap();
    resolved.gate.candidates = vec![EntrantIndex(0), EntrantIndex(1)];
    assert_eq!(resolved.cores_of_slots(), [[0], [1]]);
}

#[test]
fn too_few_openings_are_said() {
    for (plies, pairs, openings) in [(0, 2, 1), (2, 37, 36), (2, 36, 36)] {
        let text = format!("[tournament]\npairs = {pairs}\nopenings = {{ plies = {plies} }}");
        let resolved = load_text(&text, &sets(&["tournament.slots=1"]));
        let shortage = (pairs as usize > openings).then_some((pairs, openings));
        assert_eq!(resolved.openings.shortage(&resolved.plan), shortage);
        let said = resolved
            .warnings
            .iter()
            .any(|warning| warning.contains("opening"));
        assert_eq!(said, shortage.is_some(), "{plies} plies, {pairs} pairs");
    }
}

#[test]
fn a_house_bot_is_this_program_with_a_known_environment() {
    let resolved = resolve_on("", 2, 2, false).unwrap();
    let launch = &resolved.entrants[1].bot.launch;
    assert_eq!(launch.program, Path::new(OWN_PROGRAM));
    assert_eq!(launch.arguments, ["bot", "random"]);
    let variable = |name: &str, value: &str| (name.into(), value.into());
    assert_eq!(launch.environment, [variable("LANG", "C.UTF-8")]);
    let expected = [variable("PATH", "/bin"), variable("HOME", "/h")];
    assert_eq!(launch.host_environment, expected);
    let identity = ProgramIdentity::of(&resolved.plan.entrants[1].program).unwrap();
    let version = env!("CARGO_PKG_VERSION").to_owned();
    assert_eq!(identity.awale_version, Some(version));
    assert_eq!(identity.command, ["awale", "bot", "random"]);
    assert!(identity.files.is_empty() && identity.tree.is_none());
}

/// A folder `bots/` with an executable `bot` and a `script`, entered as "eve" by `class.toml`.
fn folder_with_bot() -> (TempDir, PathBuf) {
    let (folder, path) = folder(
        "[[entrant]]\nname = \"eve\"\ncommand = [\"./bot\", \"script\", \"--level=3\"]
dir = \"bots\"\nenv = { LEVEL = \"3\", HOME = \"/eve\" }",
    );
    let bots = folder.path().join("bots");
    fs::create_dir(&bots).unwrap();
    fs::write(bots.join("bot"), "#!/bin/sh\n").unwrap();
    fs::set_permissions(bots.join("bot"), fs::Permissions::from_mode(0o755)).unwrap();
    fs::write(bots.join("script"), "abc").unwrap();
    (folder, path)
}

#[test]
fn strangers_are_known_by_their_files() {
    let (folder, path) = folder_with_bot();
    let resolved = load(&path, &Overrides::default()).unwrap();
    let launch = &resolved.entrants[0].bot.launch;
    let identity = ProgramIdentity::of(&resolved.plan.entrants[0].program).unwrap();
    assert_eq!(launch.program, folder.path().join("bots/bot"));
    assert_eq!(launch.directory, folder.path().join("bots"));
    assert_eq!(launch.arguments, ["script", "--level=3"]);
    assert!(launch.environment.contains(&("HOME".into(), "/eve".into())));
    // The published example of SHA-256.
    let abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
    assert_eq!(identity.files["script"], abc);
    assert_eq!(identity.files["./bot"].len(), 64);
    assert_eq!(identity.files.len(), 2);
    assert_eq!(
        (identity.dir.as_str(), identity.env["LEVEL"].as_str()),
        ("bots", "3")
    );

    let hash = resolved.plan.hash();
    fs::write(folder.path().join("bots/script"), "abd").unwrap();
    assert_ne!(
        load(&path, &Overrides::default()).unwrap().plan.hash(),
        hash
    );
    fs::write(folder.path().join("bots/script"), "abc").unwrap();
    assert_eq!(
        load(&path, &Overrides::default()).unwrap().plan.hash(),
        hash
    );
}

#[test]
fn the_hash_covers_what_decides_games_and_no_more() {
    let (_folder, path) = folder_with_bot();
    let hash = |overrides: &Overrides| load(&path, overrides).unwrap().plan.hash();
    let plain = hash(&Overrides::default());
    for same in [
        "tournament.slots=1",
        "tournament.logs=all",
        "tournament.name=other",
        "tournament.pairs=20",
        "isolation.level=box",
        "clock.move=0.1s",
    ] {
        assert_eq!(hash(&sets(&[same])), plain, "{same}");
    }
    for other in [
        "tournament.pairs=21",
        "tournament.seed=2",
        "tournament.rules=abapa",
        "tournament.max-plies=500",
        "tournament.openings.plies=2",
        "tournament.restart=each-game",
        ONE_SECRET,
        "tournament.start-up=5s",
        "tournament.new-game=5s",
        "tournament.threads-per-bot=2",
        "tournament.blind=true",
        "isolation.level=none",
        "isolation.freeze=false",
        "isolation.readable=[\"/usr\"]",
        "limits.memory=256MiB",
        "limits.processes=8",
        "clock.margin=5ms",
        "rules.no-move-gift=1",
        "limits.line=32KiB",
    ] {
        let overrides = Overrides {
            oversubscribe: true,
            ..sets(&[other])
        };
        assert_ne!(hash(&overrides), plain, "{other}");
    }
}

#[test]
fn the_dump_gives_the_same_plan_from_anywhere() {
    let (folder, path) = folder_with_bot();
    fs::write(folder.path().join("openings.txt"), "Ab\nCd\n").unwrap();
    for sets_of_case in [
        vec![],
        vec![
            "tournament.openings={ file = \"openings.txt\" }",
            "tournament.pairs=2",
        ],
        vec![
            "tournament.format=gauntlet",
            "tournament.champions=[\"eve\", \"bob\"]",
        ],
        vec![
            "clock.bank=10s",
            "clock.increment=1.5ms",
            "rules.repetition.remaining=own-row",
        ],
        vec![
            "tournament.name='\"quoted\\'",
            "tournament.logs=none",
            "limits.stderr-tail=0B",
        ],
        vec![ONE_SECRET, "tournament.new-game=2s"],
    ] {
        let resolved = load(&path, &sets(&sets_of_case)).unwrap();
        let text = dump(&resolved, DumpTo::Folder);
        let elsewhere = tempfile::tempdir().unwrap();
        let plan = elsewhere.path().join("plan.toml");
        fs::write(&plan, &text).unwrap();
        let again = load(&plan, &Overrides::default()).unwrap();
        assert_eq!(again.plan, resolved.plan, "{text}");
        assert_eq!(again.bots(), resolved.bots(), "{text}");
        assert_eq!(
            (again.settings.slots, again.typed.tournament.logs),
            (resolved.settings.slots, resolved.typed.tournament.logs)
        );
        assert_eq!(dump(&again, DumpTo::Folder), text);
        let has_hash = text.contains(&resolved.plan.hash());
        assert_eq!(has_hash, resolved.plan.secret.is_some());
    }
}

#[test]
fn a_secret_is_typed_or_kept_or_drawn() {
    let (_folder, path) = folder("");
    let kept = |output: &Path| {
        output
            .ends_with("kept")
            .then(|| Secret::from_bytes([9; 32]))
    };
    let load_by = |secret: &SecretSource, sets_of_case: &[&str], output: &str| {
        let overrides = Overrides {
            output: Some(PathBuf::from(output)),
            secret: secret.clone(),
            ..sets(sets_of_case)
        };
        load(&path, &overrides).unwrap().plan.secret
    };
    let (shown, played) = (
        SecretSource::Folder(kept),
        SecretSource::FolderOrDrawn(kept),
    );
    let own = Some(Secret::from_bytes([9; 32]));
    assert_eq!(load_by(&SecretSource::Nowhere, &[], "kept"), None);
    assert_eq!(load_by(&shown, &[], "new"), None);
    assert_eq!(load_by(&shown, &[], "kept"), own);
    assert_eq!(load_by(&played, &[], "kept"), own);
    let given = SecretSource::Given(own.clone());
    assert_eq!(load_by(&given, &[], "new"), own);
    let drawn = [(); 2].map(|()| load_by(&played, &[], "new").unwrap());
    assert_ne!(drawn[0], drawn[1]);
    for source in [SecretSource::Nowhere, shown, played, given] {
        let typed = load_by(&source, &[ONE_SECRET], "kept").unwrap();
        assert_eq!(typed.digits(), "5e".repeat(32));
    }
}

/// Bare or in quotes, digits that TOML reads as a number, and wrong values: never shown.
#[test]
fn no_message_repeats_a_secret() {
    let digits = "12345678".repeat(8);
    let typed = |value: &str| {
        let (_folder, path) = folder("");
        load(&path, &sets(&[&format!("tournament.secret={value}")]))
    };
    for value in [&digits, &format!("\"{digits}\""), &format!("'{digits}'")] {
        let secret = typed(value).unwrap().plan.secret.unwrap();
        assert_eq!(secret.digits(), digits, "{value}");
    }
    for wrong in [&digits[1..], &format!("{digits}0"), &format!("\"{digits}")] {
        let message = typed(wrong).unwrap_err().to_string();
        assert!(!message.contains("345678"), "{message}");
        assert!(message.contains("--set tournament.secret=…"), "{message}");
        assert!(message.contains("64 hexadecimal digits"), "{message}");
    }
    for line in [
        format!("secret = \"{}\"", &digits[1..]),
        format!("secret = \"{digits}"),
        format!("secret = {digits}"),
        format!("secret = 0x{}", &digits[..8]),
        format!("secret = [\"{digits}\"]"),
        format!("secrets = \"{digits}\""),
        format!("secret = \"{digits}\"\nsecret = \"{digits}\""),
        format!("\"secret\" = \"{digits}"),
        format!("secret = \"\"\"\n{digits}\n\" +"),
        format!("pairs = 2 secret = \"{digits}\""),
    ] {
        let (_folder, path) = folder(&format!("[tournament]\n{line}\n"));
        let message = load(&path, &Overrides::default()).unwrap_err().to_string();
        assert!(!message.contains("345678"), "{message}");
        assert!(message.contains("class.toml:"), "{message}");
    }
    for text in [
        format!("tournament.secret = \"{digits}"),
        format!("tournament = {{ secret = \"{digits}"),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("class.toml");
        fs::write(&path, text).unwrap();
        let message = load(&path, &Overrides::default()).unwrap_err().to_string();
        assert!(!message.contains("345678"), "{message}");
        assert!(message.contains("this is not TOML"), "{message}");
    }
}

#[test]
fn too_many_entrants_are_refused() {
    let entrant = |number| {
        format!("[[entrant]]\nname = \"b{number}\"\ncommand = [\"awale\", \"bot\", \"random\"]\n")
    };
    let (_folder, path) = folder(&(0..3_200).map(entrant).collect::<String>());
    let sets = sets(&["tournament.pairs=1"]);
    let message = load(&path, &sets).unwrap_err().to_string();
    assert!(message.contains("at most 2000 entrants"), "{message}");
}

/// A dump for a terminal has the secret only if the configuration had it; both can be played.
#[test]
fn a_dump_for_a_terminal_keeps_the_secret_of_a_folder() {
    let (_folder, path) = folder("");
    let kept = Overrides {
        secret: SecretSource::Folder(|_| Some(Secret::from_bytes([0x5e; 32]))),
        ..Overrides::default()
    };
    let digits = "5e".repeat(32);
    for (overrides, is_shown) in [(kept, false), (sets(&[ONE_SECRET]), true)] {
        let resolved = load(&path, &overrides).unwrap();
        let text = dump(&resolved, DumpTo::Terminal);
        assert_eq!(text.contains(&digits), is_shown, "{text}");
        assert!(dump(&resolved, DumpTo::Folder).contains(&digits));
        fs::write(path.with_file_name("again.toml"), &text).unwrap();
        let again = load(&path.with_file_name("again.toml"), &Overrides::default()).unwrap();
        assert_eq!(again.plan.secret.is_some(), is_shown);
        assert_eq!(
            (again.settings.slots, again.typed.tournament.logs),
            (resolved.settings.slots, resolved.typed.tournament.logs)
        );
    }
}

/// Each changed hexadecimal digit gives other openings.
#[test]
fn one_digit_of_the_secret_changes_the_openings() {
    let openings = |digits: &str| {
        let set = format!("tournament.secret={digits}");
        let resolved = load_text("", &sets(&[&set]));
        resolved.openings
    };
    let digits = "5e".repeat(32);
    let first = openings(&digits);
    assert_eq!(openings(&digits), first);
    for place in (0..64).step_by(9) {
        let mut changed = digits.clone();
        changed.replace_range(place..=place, "0");
        assert_ne!(openings(&changed), first, "digit {place}");
    }
}

#[test]
fn a_project_can_move() {
    let (folder, path) = folder_with_bot();
    let before = load(&path, &Overrides::default()).unwrap().plan.hash();
    let elsewhere = tempfile::tempdir().unwrap();
    let moved = elsewhere.path().join("project");
    fs::rename(folder.path(), &moved).unwrap();
    let after = load(&moved.join("class.toml"), &Overrides::default())
        .unwrap()
        .plan
        .hash();
    assert_eq!(after, before);
}

#[test]
fn every_published_configuration_resolves() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("configs");
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|it| it != "toml") {
            continue;
        }
        let overrides = Overrides {
            oversubscribe: true,
            ..Overrides::default()
        };
        if let Err(error) = load(&path, &overrides) {
            // The starter bots need interpreters that a machine may not have.
            assert!(error.message.contains("in PATH; install it"), "{error}");
        }
    }
}
