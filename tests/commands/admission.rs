//! Admission and withdrawal through the real binary.

use super::story::{FIRST_LEGAL, SECRET, Story, without_times};
use std::thread::sleep;
use std::time::Duration;

const CRASH: &str = "#!/bin/sh\nread hello\necho 'oh no' >&2\nexit 3\n";

/// A bot that never gets ready, between two that play.
fn story(extra: &str) -> Story {
    let story = Story::new();
    write_bot(&story, CRASH);
    story.write(
        "gate.toml",
        format!(
            "[tournament]\n{SECRET}\npairs = 6\nslots = 2\n{extra}\n\
             [clock]\nmove = \"10s\"\n\
             [[entrant]]\nname = \"greedy\"\ncommand = [\"awale\", \"bot\", \"greedy\"]\n\
             [[entrant]]\nname = \"crash\"\ncommand = [\"./crash.sh\"]\n\
             [[entrant]]\nname = \"random\"\ncommand = [\"awale\", \"bot\", \"random\"]\n"
        ),
    );
    story
}

fn write_bot(story: &Story, script: &str) {
    story.write("crash.sh", script);
}

fn tables(story: &Story, folder: &str) -> Vec<Vec<Vec<String>>> {
    ["standings.csv", "crosstable.csv", "games.csv"]
        .iter()
        .map(|table| without_times(&story.path(folder).join(table)))
        .collect()
}

#[test]
fn a_refused_entrant_is_left_out_with_the_evidence() {
    let story = story("");
    story
        .ok("run gate.toml")
        .err_has("admission: 1 entrant plays against itself and random first")
        .err_has("crash is not admitted: start-failure: at the first message")
        .out_has("not admitted")
        .out_has("crash was not admitted and plays no game");
    let rows = without_times(&story.path("results/gate/games.csv"));
    assert_eq!(rows.len(), 1 + 2 * 6, "greedy and random play");
    let evidence = "results/gate/faults/admission-crash";
    let page = story.read(&format!("{evidence}/fault.toml"));
    assert!(page.contains("exited with code 3"), "{page}");
    let stderr = story.read(&format!("{evidence}/stderr.txt"));
    assert_eq!(stderr, "oh no\n");
    // The outcome is in the journal: the gate stays shut without another look.
    let again = story
        .ends(1, "run gate.toml --strict")
        .out_has("crash was not admitted");
    assert!(!again.stderr.contains("admission:"), "{}", again.stderr);
}

#[test]
fn nothing_is_played_where_admission_is_required_until_it_is_mended() {
    let story = story("[admission]\nmode = \"required\"\n");
    story
        .ends(2, "run gate.toml")
        .err_has("nothing is played")
        .err_has("exited with code 3; standard error ends with \"oh no\"")
        .err_has("; see results/gate/faults/admission-crash");
    assert!(!story.path("results/gate/games.csv").exists());
    write_bot(&story, &format!("#!/bin/sh\n{FIRST_LEGAL}"));
    story.ok("run gate.toml --strict");
    assert!(!story.path("results/gate/faults/admission-crash").exists());
    let rows = without_times(&story.path("results/gate/games.csv"));
    assert_eq!(rows.len(), 1 + 2 * 6 * 3);
}

#[test]
fn a_withdrawal_is_the_same_with_any_slots_and_any_kill() {
    let story = story("max-faults = { count = 5 }\n[admission]\nmode = \"off\"\n");
    let one = ["run", "gate.toml", "--slots", "1", "--output", "one"];
    story
        .ok(&one)
        .out_has("withdrawn after")
        .out_has("crash was withdrawn after game")
        .out_has("with 5 faults in 5 games");
    story.ends(1, &[&one[..], &["--strict"]].concat());
    let whole = tables(&story, "one");
    for (trial, slots) in (0..12_u64).zip(["2", "1", "5"].into_iter().cycle()) {
        let folder = format!("killed-{trial}");
        let arguments =
            format!("run gate.toml --oversubscribe --quiet --slots {slots} --output {folder}");
        let mut child = story.start(&arguments);
        sleep(Duration::from_millis(5 + 7 * trial));
        child.kill().expect("a kill");
        child.wait().expect("an end");
        story.ok(&arguments);
        assert_eq!(
            tables(&story, &folder),
            whole,
            "trial {trial}, {slots} slots"
        );
    }
}

#[test]
fn a_bot_that_is_only_late_is_admitted_with_a_note() {
    let story = story("max-faults = \"off\"\n");
    write_bot(
        &story,
        &format!(
            "#!/bin/sh\n{}",
            FIRST_LEGAL.replace("legal=", "sleep 1; legal=")
        ),
    );
    let clock = ["--set", "clock.move=200ms", "--set", "tournament.pairs=1"];
    let note = "crash is admitted, although it was late in every examination (";
    let run = [&["run", "gate.toml"][..], &clock].concat();
    story.ok(&run).err_has(note).out_has(note);
    let journal = story.read("results/gate/games.jsonl");
    assert_eq!(
        journal.matches("\"kind\":\"admission\"").count(),
        1,
        "{journal}"
    );
    assert_eq!(
        journal.matches("\"kind\":\"timeout\"").count(),
        4,
        "{journal}"
    );
    // The note stands in the journal: the tables of the finished run have it as well.
    story.ok(&run).out_has(note);
    story.ok("verify results/gate");
}

/// It would wait for a second line until its time is up: ten minutes, here.
#[test]
fn a_bot_that_only_waits_for_input_is_refused_at_once() {
    let story = story("start-up = \"600s\"\n");
    write_bot(
        &story,
        "#!/bin/sh\nread hello\nread more\necho '{\"type\":\"ready\"}'\n",
    );
    story.ok("run gate.toml").err_has(
        "crash is not admitted: start-failure: at the first message: it sleeps and has not \
             answered `hello`",
    );
}
