//! Limits of bots through the real binary: what a configuration says, a bot finds.

use super::story::{FIRST_LEGAL, SECRET, Said, Story, USER, as_ordinary_user};
use crate::support::awale_command::AWALE;
use crate::support::skip::{skip, test_name};
use std::fs;
use std::process::Command;

/// Ends a bot unless its stack may have as many MiB as its argument says.
const STACK: &str = r#"
wanted=$(($1 * 1024))
if [ "$(ulimit -S -s) $(ulimit -H -s)" != "$wanted $wanted" ]; then
    echo "a stack of $(ulimit -S -s) KiB, $(ulimit -H -s) KiB at most" >&2
    exit 1
fi
"#;

/// An entrant that wants a stack of this many MiB, with a line of its own.
fn entrant(name: &str, mebibytes: u32, line: &str) -> String {
    format!(
        "[[entrant]]\nname = \"{name}\"\ncommand = [\"sh\", \"bot.sh\", \"{mebibytes}\"]\n\
         {line}\n"
    )
}

#[test]
fn a_bot_has_the_stack_of_its_configuration() {
    for level in ["none", "landlock", "box"] {
        let story = Story::new();
        story.write("bot.sh", format!("{STACK}{FIRST_LEGAL}"));
        let settings = format!(
            "[tournament]\n{SECRET}\npairs = 1\n[clock]\nmove = \"10s\"\n[limits]\nstack = \
             \"4MiB\"\n"
        );
        let entrants = [
            entrant("common", 4, ""),
            entrant("own", 64, "limits.stack = \"64MiB\""),
        ];
        story.write("run.toml", settings + &entrants.concat());
        let said = story.run(format!(
            "run run.toml --isolation={level} --i-trust-these-bots --strict"
        ));
        said.with_code(0).out_has("own");
        let plan = story.read("results/run/plan.toml");
        assert!(plan.contains("stack = \"64MiB\""), "{plan}");
    }
}

/// The linker complains about a file that is not there, once for each program that looks for it.
#[test]
fn what_a_bots_variables_name_is_loaded_into_the_bot_alone() {
    let missing = "/nowhere/library.so";
    let complaints = |text: &str| text.matches(missing).count();
    let alone = Command::new("sh")
        .args(["-c", ":"])
        .env("LD_PRELOAD", missing)
        .output()
        .expect("a shell");
    let once = complaints(&String::from_utf8_lossy(&alone.stderr));
    for level in ["none", "landlock", "box"] {
        let story = Story::new();
        story.write("bot.sh", FIRST_LEGAL);
        let env = format!("env = {{ LD_PRELOAD = \"{missing}\" }}");
        let settings =
            format!("[tournament]\n{SECRET}\npairs = 1\nlogs = \"all\"\n[clock]\nmove = \"10s\"\n");
        let entrants = [entrant("common", 4, ""), entrant("own", 4, &env)];
        story.write("run.toml", settings + &entrants.concat());
        let said = story.run(format!(
            "run run.toml --isolation={level} --i-trust-these-bots --strict"
        ));
        said.with_code(0);
        let logs = story.path("results/run/logs");
        let logs = logs.read_dir().into_iter().flatten().flatten();
        let texts = logs.map(|log| fs::read_to_string(log.path()).expect("a log"));
        let found: Vec<usize> = texts.map(|text| complaints(&text)).collect();
        let most = found.iter().max().copied().unwrap_or_default();
        assert_eq!(most, once, "{level}: {found:?}");
    }
}

#[test]
fn a_machine_may_give_less_than_is_wanted() {
    let story = Story::new();
    story.write("bot.sh", format!("{STACK}{FIRST_LEGAL}"));
    let file = |wanted: &str| {
        let entrants = [entrant("ada", 4, ""), entrant("ben", 4, wanted)];
        format!("[tournament]\n{SECRET}\npairs = 1\n") + &entrants.concat()
    };
    let run = || {
        let limited = "ulimit -S -s 4096; ulimit -H -s 4096; exec \"$0\" \"$@\"";
        let mut command = Command::new("sh");
        command.args(["-c", limited, AWALE, "run", "run.toml", "--strict"]);
        command.args(["--isolation=none", "--i-trust-these-bots"]);
        Said::of(
            command
                .current_dir(story.path(""))
                .output()
                .expect("a shell"),
        )
    };
    // The default is lowered.
    story.write("run.toml", file(""));
    run().with_code(0).err_has("stack = \"4MiB\", not \"8MiB\"");
    story.write("run.toml", file("limits.stack = \"5MiB\""));
    run()
        .with_code(2)
        .err_has("run.toml:11: ")
        .err_has("the limit `stack` = \"5MiB\" is more than this machine gives")
        .err_has("`ulimit -H -s` says 4096 KiB");
    story.write("run.toml", file("limits.stack = \"4MiB\""));
    run().with_code(2).err_has("--output");
}

/// A run that began before the limit was known goes on.
#[test]
fn a_default_stack_is_not_part_of_the_plan() {
    let story = Story::new();
    story.write("bot.sh", format!("{STACK}{FIRST_LEGAL}"));
    let entrants = [entrant("ada", 8, ""), entrant("ben", 8, "")];
    let file = format!("[tournament]\n{SECRET}\npairs = 1\n") + &entrants.concat();
    story.write("run.toml", file);
    let options = [
        "run",
        "run.toml",
        "--isolation=none",
        "--i-trust-these-bots",
    ];
    story.ok(&options);
    let journal = story.read("results/run/games.jsonl");
    assert!(!journal.contains("\"stack\""), "{journal}");
    story.ok(&options);
    let changed = [&options[..], &["--set", "limits.stack=9MiB"]].concat();
    story.ends(2, &changed).err_has("limits.stack");
}

/// A run with a limit as `prlimit` takes it, as an ordinary user if this process can become one.
fn run_limited(story: &Story, limit: &str, more: &[&str]) -> Said {
    story.give_to(USER);
    let mut command = as_ordinary_user("prlimit").unwrap_or_else(|| Command::new("prlimit"));
    command.arg(limit).arg(story.path("awale"));
    command.args(["run", "run.toml", "--output", "r"]);
    command.args(more).current_dir(story.path(""));
    Said::of(command.output().expect("util-linux"))
}

/// What a shared machine gives its users may be less than `[limits]` says, and a soft limit says
/// nothing.
#[test]
fn small_limits_of_the_host_lower_those_of_bots() {
    for (limits, lowered) in [
        ("--nofile=40:", None),
        ("--nofile=64", Some("files = 64, not 256")),
        ("--nproc=30", Some("processes = 29, not 64")),
    ] {
        let story = Story::new();
        story.copy_awale();
        story.write("bot.sh", FIRST_LEGAL);
        let entrants = ["ada", "ben"].map(|name| {
            format!("[[entrant]]\nname = \"{name}\"\ncommand = [\"sh\", \"bot.sh\"]\n")
        });
        let head = "[tournament]\npairs = 1\nslots = 1\n[clock]\nmove = \"10s\"\n";
        story.write("run.toml", head.to_owned() + &entrants.concat());
        let said = run_limited(&story, limits, &[]).with_code(0);
        match lowered {
            Some(words) => drop(said.err_has(words)),
            None => assert!(!said.stderr.contains("[limits]"), "{}", said.stderr),
        }
        assert_eq!(story.read("r/games.csv").lines().count(), 1 + 2, "{limits}");
    }
}

/// Without that the run would begin, and give up games that could not be played.
#[test]
fn a_host_without_room_for_a_slot_is_refused_at_once() {
    let story = Story::new();
    story.copy_awale();
    let entrant = |number| {
        format!("[[entrant]]\nname = \"r{number}\"\ncommand = [\"awale\", \"bot\", \"random\"]\n")
    };
    let entrants: String = (0..4).map(entrant).collect();
    story.write("run.toml", format!("[tournament]\npairs = 1\n{entrants}"));
    for (limits, words) in [
        ("--nofile=50", "50 open files here (`ulimit -H -n`)"),
        (
            "--nproc=15",
            "15 processes and threads here (`ulimit -H -u`)",
        ),
    ] {
        let is_root = rustix::process::geteuid().is_root();
        if limits.contains("nproc") && is_root && as_ordinary_user("true").is_none() {
            continue;
        }
        run_limited(&story, limits, &[])
            .with_code(2)
            .err_has("nothing can be played: ")
            .err_has(words);
        assert!(!story.path("r").exists());
    }
    let many = ["--slots", "40", "--oversubscribe"];
    run_limited(&story, "--nofile=100", &many)
        .with_code(0)
        .err_has("2 slots play instead of 40");
    assert_eq!(story.read("r/games.csv").lines().count(), 1 + 2 * 6);
}

/// A temporary folder and a home whose names are not UTF-8.
#[test]
fn names_of_folders_may_be_any_bytes() {
    use std::os::unix::ffi::OsStrExt as _;
    let story = Story::new();
    let name = std::ffi::OsStr::from_bytes(b"b\xff d");
    let folder = story.path("").join(name);
    fs::create_dir(&folder).expect("a folder");
    for variable in ["TMPDIR", "HOME"] {
        let words = format!("duel random greedy --pairs 1 --output {variable}");
        let mut command = story.command(&words);
        let said = Said::of(
            command
                .env(variable, &folder)
                .output()
                .expect("awale starts"),
        );
        said.with_code(0);
    }
    assert_eq!(fs::read_dir(&folder).expect("it is there").count(), 0);
}

/// Makes a call fail in a program, as on a file system that lacks it: its number, the error, and
/// the program.
const WITHOUT_CALL: &str = r#"
import ctypes, os, struct, sys
number, error = int(sys.argv[1]), int(sys.argv[2])
filters = [(0x20, 0, 0, 0), (0x15, 0, 1, number), (6, 0, 0, 0x50000 | error), (6, 0, 0, 0x7fff0000)]
code = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *it) for it in filters))
program = ctypes.create_string_buffer(struct.pack("HxxxxxxP", len(filters), ctypes.addressof(code)))
libc = ctypes.CDLL(None)
libc.prctl(38, 1, 0, 0, 0)
if libc.prctl(22, ctypes.c_ulong(2), ctypes.c_void_p(ctypes.addressof(program)), 0, 0):
    sys.exit("no filter")
os.execv(sys.argv[3], sys.argv[3:])
"#;

/// Some file systems of networks and of FUSE lock or sync nothing. A run that never syncs would not
/// notice that.
#[test]
#[cfg(target_arch = "x86_64")]
fn a_file_system_without_locks_or_syncs_is_named() {
    let lock = libc::SYS_flock;
    for (call, error) in [
        (lock, libc::ENOLCK),
        (lock, libc::ENOSYS),
        (libc::SYS_fdatasync, libc::EINVAL),
        (libc::SYS_fsync, libc::EINVAL),
    ] {
        let Some(said) = duel_without(call, error) else {
            return;
        };
        said.with_code(3)
            .err_has("this file system does not lock or sync files")
            .err_has("choose a folder on another one with --output");
    }
}

/// Old kernels and some containers lack what watching needs. It is named before anything begins.
#[test]
#[cfg(target_arch = "x86_64")]
fn a_system_without_a_call_that_watching_needs_is_named() {
    for (call, name) in [
        (libc::SYS_pidfd_open, "pidfd_open"),
        (libc::SYS_prlimit64, "prlimit64"),
    ] {
        let Some(said) = duel_without(call, libc::ENOSYS) else {
            return;
        };
        said.with_code(3)
            .err_has(&format!("this system refuses the call {name}"))
            .err_has("awale needs Linux 5.3 or newer");
    }
}

/// A duel where this call fails with this error.
#[cfg(target_arch = "x86_64")]
fn duel_without(call: libc::c_long, error: i32) -> Option<Said> {
    let story = Story::new();
    story.write("without.py", WITHOUT_CALL);
    let mut command = Command::new("python3");
    command.args(["without.py", &call.to_string(), &error.to_string(), AWALE]);
    command.args(["duel", "random", "greedy", "--pairs", "1", "--output", "r"]);
    let output = command.current_dir(story.path("")).output();
    if output.is_err() {
        skip(&test_name(), "no python3");
    }
    output.ok().map(Said::of)
}
