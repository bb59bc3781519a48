//! Limits of bots through the real binary: what a configuration says, a bot finds.

use super::awale_command::AWALE;
use super::story::{FIRST_LEGAL, SECRET, Said, Story};
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
        let isolation = format!("--isolation={level}");
        let trust = "--i-trust-these-bots";
        let said = story.run(&["run", "run.toml", &isolation, trust, "--strict"]);
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
        let isolation = format!("--isolation={level}");
        let trust = "--i-trust-these-bots";
        let said = story.run(&["run", "run.toml", &isolation, trust, "--strict"]);
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
    run().with_code(0);
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
    story.run(&options).with_code(0);
    let journal = story.read("results/run/games.jsonl");
    assert!(!journal.contains("\"stack\""), "{journal}");
    story.run(&options).with_code(0);
    let changed = [&options[..], &["--set", "limits.stack=9MiB"]].concat();
    story.run(&changed).with_code(2).err_has("limits.stack");
}
