//! `awale run` on a folder whose plan has changed: what it says, what it plays, what it keeps.

use super::story::{FIRST_LEGAL, SECRET, Said, Story, tables};
use super::verify::copy_folder;
use crate::support::awale_command::AWALE;
use rand_chacha::ChaCha8Rng;
use rand_core::{Rng as _, SeedableRng as _};
use std::collections::BTreeMap;
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::thread::sleep;
use std::time::{Duration, Instant};

/// An entrant: a name, and the options of a house bot, or a script.
enum Bot {
    Minimax(&'static str, u32),
    Greedy(&'static str),
    Script(&'static str),
}

fn entrant(bot: &Bot) -> String {
    let (name, command) = match bot {
        Bot::Minimax(name, depth) => (
            name,
            format!("[\"awale\", \"bot\", \"minimax\", \"--depth\", \"{depth}\"]"),
        ),
        Bot::Greedy(name) => (name, "[\"awale\", \"bot\", \"greedy\"]".to_owned()),
        Bot::Script(name) => (name, format!("[\"sh\", \"{name}.sh\"]")),
    };
    format!("[[entrant]]\nname = {name:?}\ncommand = {command}\n")
}

fn config(tournament: &str, bots: &[Bot]) -> String {
    let bots: String = bots.iter().map(entrant).collect();
    format!(
        "[tournament]\n{SECRET}\nslots = 2\n{tournament}\n[clock]\nmove = \"10s\"\n[isolation]\n\
         level = \"none\"\n{bots}"
    )
}

/// Runs a configuration as root may: the scripts are those of this test.
fn run(story: &Story, config: &str, more: &[&str]) -> Said {
    let arguments = ["run", config, "--i-trust-these-bots"];
    story.run(&[&arguments, more].concat())
}

fn lines(story: &Story, kind: &str) -> usize {
    let journal = story.read("results/class/games.jsonl");
    let kind = format!("\"kind\":\"{kind}\"");
    journal.lines().filter(|line| line.contains(&kind)).count()
}

/// The tables of the folder are those of a fresh run of the same configuration, and `verify` finds
/// nothing.
#[track_caller]
fn as_fresh(story: &Story, fresh: &str) {
    run(story, "class.toml", &["--output", fresh]).with_code(0);
    assert_eq!(
        tables(&story.path("results/class")),
        tables(&story.path(fresh))
    );
    story.ok("verify results/class --strict");
}

/// Rank, entrant, Elo, bound and error of each row of `standings.csv`, which are its first columns.
fn standings(table: &str) -> Vec<Vec<String>> {
    let rows = table.lines().skip(1);
    rows.map(|row| row.split(',').take(5).map(str::to_owned).collect())
        .collect()
}

/// Each revision's part of the history is the standings at its end, but for one number that is
/// added to all of its Elo; nothing is added in the last.
fn has_history(story: &Story, revisions: &[&str]) {
    let history = story.read("results/class/history.csv");
    let rows = history.lines().skip(1);
    let rows = rows.map(|row| row.split(',').map(str::to_owned).collect::<Vec<String>>());
    let mut parts: Vec<Vec<Vec<String>>> = vec![Vec::new(); revisions.len()];
    for row in rows {
        let revision: usize = row[0].parse().expect("a number");
        parts[revision - 1].push(row[1..6].to_vec());
    }
    for (place, (part, table)) in parts.iter().zip(revisions).enumerate() {
        let expected = standings(table);
        let without_elo = |rows: &[Vec<String>]| -> Vec<Vec<String>> {
            let rows = rows.iter();
            rows.map(|row| [&row[..2], &row[3..]].concat()).collect()
        };
        assert_eq!(without_elo(part), without_elo(&expected));
        let elo = |row: &[String]| row[2].parse::<f64>().expect("an Elo");
        let shift = elo(&part[0]) - elo(&expected[0]);
        assert!(place + 1 < parts.len() || shift == 0.0, "{shift}");
        for (found, row) in part.iter().zip(&expected) {
            // Both are rounded to a tenth.
            assert!(
                (elo(found) - elo(row) - shift).abs() < 0.21,
                "{found:?} {row:?}"
            );
        }
    }
    // Entrants with a rating in all revisions have the same mean in all.
    let rated = |part: &[Vec<String>]| -> BTreeMap<String, f64> {
        let rows = part.iter().filter(|row| row[3].is_empty());
        rows.map(|row| (row[1].clone(), row[2].parse().expect("an Elo")))
            .collect()
    };
    let rated: Vec<BTreeMap<String, f64>> = parts.iter().map(|part| rated(part)).collect();
    let common: Vec<&String> = rated[0]
        .keys()
        .filter(|name| rated.iter().all(|rows| rows.contains_key(*name)))
        .collect();
    let means = rated.iter().map(|rows| {
        common.iter().map(|&name| rows[name]).sum::<f64>() / common.len().max(1) as f64
    });
    let means: Vec<f64> = means.collect();
    assert!(
        means.iter().all(|it| (it - means[0]).abs() < 0.11),
        "{means:?}"
    );
}

#[test]
fn only_what_changed_is_played() {
    let story = Story::new();
    let first = [
        Bot::Greedy("ben"),
        Bot::Minimax("cyd", 2),
        Bot::Minimax("dan", 1),
        Bot::Minimax("fay", 4),
    ];
    story.write("class.toml", config("pairs = 2", &first));
    run(&story, "class.toml", &[]).with_code(0);
    assert_eq!(lines(&story, "game"), 24);
    let journal = story.read("results/class/games.jsonl");
    let first_standings = story.read("results/class/standings.csv");

    let second = [
        Bot::Greedy("ben"),
        Bot::Minimax("cyd", 3),
        Bot::Minimax("eve", 1),
        Bot::Minimax("fay", 4),
    ];
    story.write("class.toml", config("pairs = 2", &second));
    let refused = run(&story, "class.toml", &[])
        .with_code(2)
        .err_has("eve is new: 12 games to play")
        .err_has("cyd changed (command): its 12 games are played again")
        .err_has("dan left: its 12 games no longer count")
        .err_has("eve is the program of dan: openings and seeds follow names")
        .err_has("4 games count already, 20 are to be played")
        .err_has("--update");
    for unchanged in ["ben", "fay"] {
        assert!(!refused.stderr.contains(unchanged), "{}", refused.stderr);
    }
    assert_eq!(story.read("results/class/games.jsonl"), journal);

    run(&story, "class.toml", &["--update"])
        .with_code(0)
        .err_has("cyd changed");
    let updated = story.read("results/class/games.jsonl");
    assert!(updated.starts_with(&journal), "what was written stays");
    assert_eq!((lines(&story, "game"), lines(&story, "plan")), (44, 2));
    as_fresh(&story, "fresh");
    // The same plan again: nothing is played, and nothing is asked.
    run(&story, "class.toml", &[]).with_code(0);
    assert_eq!(story.read("results/class/games.jsonl"), updated);
    story.ok("report results/class");
    assert_eq!(
        tables(&story.path("results/class")),
        tables(&story.path("fresh"))
    );

    has_history(
        &story,
        &[&first_standings, &story.read("fresh/standings.csv")],
    );

    // Back to the first plan: every game of it was played.
    story.write("class.toml", config("pairs = 2", &first));
    run(&story, "class.toml", &["--update"])
        .with_code(0)
        .err_has(
            "cyd changed (command): 12 earlier games count again, its 12 games no longer count",
        )
        .err_has("dan is new: 12 earlier games count again")
        .err_has("24 games count already, 0 are to be played");
    assert_eq!(lines(&story, "game"), 44);
    as_fresh(&story, "first");
}

#[test]
fn more_and_fewer_pairs_and_other_terms_are_updates() {
    let story = Story::new();
    let bots = [Bot::Greedy("ben"), Bot::Minimax("cyd", 2)];
    story.write("class.toml", config("pairs = 2", &bots));
    run(&story, "class.toml", &[]).with_code(0);
    let changes = [
        ("pairs = 4", "tournament.pairs: there 2, here 4", 8),
        ("pairs = 1", "tournament.pairs: there 4, here 1", 8),
        (
            "pairs = 2\nmax-plies = 40",
            "tournament.max-plies: there 600, here 40, which decides every game",
            12,
        ),
    ];
    for (number, (tournament, says, games)) in changes.into_iter().enumerate() {
        story.write("class.toml", config(tournament, &bots));
        run(&story, "class.toml", &["--update"])
            .with_code(0)
            .err_has(says);
        assert_eq!(lines(&story, "game"), games, "{tournament}");
        as_fresh(&story, &format!("fresh-{number}"));
    }
}

/// A bot that plays its first legal pit, but ends in each game's first turn.
const CRASH: &str = "read -r line\necho '{\"type\":\"ready\"}'\nread -r line\necho \
                     '{\"type\":\"ready\"}'\nread -r line\nexit 3\n";

fn names(folder: &Path) -> BTreeSet<String> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let names = entries.map(|entry| entry.file_name().into_string().expect("a name"));
    names.collect()
}

#[test]
fn evidence_follows_the_games_that_count() {
    let story = Story::new();
    let bots = [Bot::Greedy("ben"), Bot::Script("ada")];
    let tournament = "pairs = 2\n[admission]\nmode = \"off\"";
    story
        .write("ada.sh", CRASH)
        .write("class.toml", config(tournament, &bots));
    run(&story, "class.toml", &[]).with_code(0);
    let faults = names(&story.path("results/class/faults"));
    assert_eq!(faults.len(), 4);

    story.write("ada.sh", FIRST_LEGAL);
    run(&story, "class.toml", &["--update"])
        .with_code(0)
        .err_has("ada changed");
    assert_eq!(names(&story.path("results/class/faults")).len(), 0);
    let aside = story.path("results/class/superseded/1/faults");
    assert_eq!(names(&aside), faults);
    as_fresh(&story, "fixed");

    story.write("ada.sh", CRASH);
    run(&story, "class.toml", &["--update"]).with_code(0);
    assert_eq!(lines(&story, "game"), 8);
    assert_eq!(names(&story.path("results/class/faults")), faults);
    as_fresh(&story, "broken");
}

#[test]
fn who_was_not_admitted_and_has_changed_is_examined_again() {
    let story = Story::new();
    let bots = [
        Bot::Greedy("ben"),
        Bot::Minimax("cyd", 1),
        Bot::Script("ada"),
    ];
    story
        .write("ada.sh", CRASH)
        .write("class.toml", config("pairs = 1", &bots));
    run(&story, "class.toml", &[])
        .with_code(0)
        .out_has("ada was not admitted");
    assert_eq!((lines(&story, "game"), lines(&story, "admission")), (2, 1));
    let faults = names(&story.path("results/class/faults"));
    assert_eq!(faults, BTreeSet::from(["admission-ada".to_owned()]));

    story.write("ada.sh", FIRST_LEGAL);
    run(&story, "class.toml", &["--update"])
        .with_code(0)
        .err_has("ada changed")
        .err_has("2 games count already, 4 are to be played");
    assert_eq!((lines(&story, "game"), lines(&story, "admission")), (6, 2));
    assert_eq!(names(&story.path("results/class/faults")).len(), 0);
    as_fresh(&story, "fixed");
}

/// Games of earlier plans stay also if nothing may be played after the change.
#[test]
fn a_change_after_which_nothing_may_be_played_keeps_all_games() {
    let story = Story::new();
    let config = |bots: &[Bot]| config("pairs = 1\n[admission]\nmode = \"required\"", bots);
    let [greedy, minimax] = [Bot::Greedy("ben"), Bot::Minimax("cyd", 1)];
    story.write("ada.sh", CRASH);
    story.write("class.toml", config(&[greedy, minimax]));
    run(&story, "class.toml", &[]).with_code(0);
    let journal = story.read("results/class/games.jsonl");
    let three = [
        Bot::Greedy("ben"),
        Bot::Minimax("cyd", 1),
        Bot::Script("ada"),
    ];
    story.write("class.toml", config(&three));
    for _ in 0..2 {
        run(&story, "class.toml", &["--update"])
            .with_code(2)
            .err_has("[admission] is required, and not everybody passed it");
        assert!(
            story
                .read("results/class/games.jsonl")
                .starts_with(&journal)
        );
    }
    story.write("ada.sh", FIRST_LEGAL);
    run(&story, "class.toml", &["--update"]).with_code(0);
    assert_eq!((lines(&story, "game"), lines(&story, "plan")), (6, 3));
    as_fresh(&story, "fixed");
}

/// Its faults withdraw it, but a plan that examines it does not admit it: then no game with it
/// counts, and it is not withdrawn.
#[test]
fn examinations_come_before_what_follows_from_earlier_games() {
    let story = Story::new();
    let bots = [
        Bot::Greedy("ben"),
        Bot::Script("ada"),
        Bot::Minimax("cyd", 1),
        Bot::Minimax("dan", 2),
    ];
    let config = |mode: &str| {
        let tournament = "pairs = 3\nmax-faults = { count = 2 }\n[admission]\nmode = ";
        config(&format!("{tournament}{mode:?}"), &bots)
    };
    story
        .write("ada.sh", CRASH)
        .write("class.toml", config("off"));
    run(&story, "class.toml", &[])
        .with_code(0)
        .out_has("ada was withdrawn");
    for mode in ["on", "off", "on"] {
        story.write("class.toml", config(mode));
        run(&story, "class.toml", &["--update"]).with_code(0);
        as_fresh(&story, &format!("fresh-{mode}-{}", lines(&story, "plan")));
    }
}

/// The evidence of an entrant whose name begins like that of an examination.
#[test]
fn evidence_of_a_name_like_an_examination_is_kept() {
    let story = Story::new();
    let ada = [
        Bot::Greedy("ben"),
        Bot::Minimax("cyd", 1),
        Bot::Script("admission-x"),
    ];
    let tournament = "pairs = 1\n[admission]\nmode = \"off\"";
    story
        .write("admission-x.sh", CRASH)
        .write("class.toml", config(tournament, &ada));
    run(&story, "class.toml", &[]).with_code(0);
    let faults = names(&story.path("results/class/faults"));
    assert_eq!(faults.len(), 4);
    let [ben, cyd, _] = ada;
    story.write("class.toml", config(tournament, &[ben, cyd]));
    run(&story, "class.toml", &["--update"]).with_code(0);
    let aside = story.path("results/class/superseded/1/faults");
    assert_eq!(names(&aside), faults);
}

/// A run that was killed between the evidence of a fault and its line in the journal; then the plan
/// changes back to one in which the game ended by another fault.
#[test]
fn evidence_of_a_game_that_is_not_in_the_journal_goes_first() {
    let story = Story::new();
    let bots = [Bot::Greedy("ben"), Bot::Script("ada")];
    let tournament = "pairs = 1\n[admission]\nmode = \"off\"";
    story
        .write("ada.sh", CRASH)
        .write("class.toml", config(tournament, &bots));
    run(&story, "class.toml", &[]).with_code(0);
    story.write("ada.sh", CRASH.replace("exit 3", "exit 4"));
    run(&story, "class.toml", &["--update"]).with_code(0);
    // As a kill leaves it.
    let journal = story.read("results/class/games.jsonl");
    let games: Vec<&str> = journal.lines().collect();
    let cut = games[..games.len() - 2].join("\n") + "\n";
    story.write("results/class/games.jsonl", cut);
    for (script, fresh) in [
        (CRASH.to_owned(), "three"),
        (FIRST_LEGAL.to_owned(), "legal"),
    ] {
        story.write("ada.sh", script);
        run(&story, "class.toml", &["--update"]).with_code(0);
        as_fresh(&story, fresh);
    }
}

/// Kill -9 at random moments of an update, two in a row, and go on: evidence moves before the new
/// plan is written, and comes back after it.
#[test]
fn a_killed_update_ends_with_the_tables_of_a_fresh_run() {
    let story = Story::new();
    let bots = |depth| {
        [
            Bot::Greedy("ben"),
            Bot::Script("ada"),
            Bot::Minimax("cyd", depth),
        ]
    };
    let tournament = "pairs = 3\nmax-faults = \"off\"\n[admission]\nmode = \"off\"";
    story
        .write("ada.sh", CRASH)
        .write("class.toml", config(tournament, &bots(1)));
    run(&story, "class.toml", &["--output", "first"]).with_code(0);
    let first = names(&story.path("first/faults"));
    // Another program of each kind, so that some evidence goes aside and other comes.
    story
        .write("ada.sh", FIRST_LEGAL)
        .write("class.toml", config(tournament, &bots(2)));
    let started = Instant::now();
    run(&story, "class.toml", &["--output", "fresh"]).with_code(0);
    let whole = u32::try_from(started.elapsed().as_micros()).expect("a short run");
    let trials = if std::env::var_os("AWALE_FULL").is_some() {
        100
    } else {
        10
    };
    let mut random = ChaCha8Rng::seed_from_u64(14);
    for trial in 0..trials {
        let folder = format!("killed-{trial}");
        copy_folder(&story.path("first"), &story.path(&folder));
        let arguments = ["--output", &folder, "--update", "--json"];
        for _ in 0..2 {
            let command = ["run", "class.toml", "--i-trust-these-bots"];
            let mut child = story.start(&[&command, &arguments[..]].concat());
            sleep(Duration::from_micros((random.next_u32() % whole).into()));
            child.kill().expect("a kill");
            child.wait().expect("an end");
        }
        run(&story, "class.toml", &arguments).with_code(0);
        assert_eq!(
            tables(&story.path(&folder)),
            tables(&story.path("fresh")),
            "trial {trial}"
        );
        story.ok(format!("verify {folder} --strict"));
        let aside = story.path(&folder).join("superseded/1/faults");
        assert_eq!(names(&aside), first, "trial {trial}");
    }
}

#[test]
fn a_fresh_run_sets_the_earlier_one_aside() {
    let story = Story::new();
    let config = |pairs| {
        let bots = [Bot::Greedy("ben"), Bot::Minimax("cyd", 1)];
        config(pairs, &bots).replace(SECRET, "")
    };
    story.write("class.toml", config("pairs = 1"));
    run(&story, "class.toml", &[]).with_code(0);
    let first = story.read("results/class/games.jsonl");
    story.write("class.toml", config("pairs = 2"));
    run(&story, "class.toml", &["--fresh"])
        .with_code(0)
        .err_has("the earlier run in results/class is now in results/class.1");
    assert_eq!(story.read("results/class.1/games.jsonl"), first);
    assert_eq!((lines(&story, "game"), lines(&story, "plan")), (4, 1));
    let second = story.read("results/class/games.jsonl");
    run(&story, "class.toml", &["--fresh"]).with_code(0);
    assert_eq!(story.read("results/class.2/games.jsonl"), second);
    let secret = |journal: &str| {
        let plan: serde_json::Value =
            serde_json::from_str(journal.lines().next().expect("a plan")).expect("JSON");
        plan["plan"]["secret"].clone()
    };
    assert_ne!(secret(&first), secret(&second), "a new run draws its own");
}

/// Runs a command in a terminal of its own, and answers its question. Exits with its code.
const TERMINAL: &str = r#"
import os, pty, sys
answer, command = sys.argv[1], sys.argv[2:]
process, terminal = pty.fork()
if process == 0:
    os.execv(command[0], command)
said = b""
while True:
    try:
        read = os.read(terminal, 4096)
    except OSError:
        break
    if not read:
        break
    if b"[y/N]" in said + read and b"[y/N]" not in said:
        os.write(terminal, b"\x03" if answer == "Ctrl-C" else answer.encode() + b"\n")
    said += read
sys.stdout.buffer.write(said)
sys.exit(os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]))
"#;

/// A run of one pair whose configuration asks for two now.
fn run_with_a_changed_plan() -> Story {
    let story = Story::new();
    let config = |pairs| config(pairs, &[Bot::Greedy("ben"), Bot::Minimax("cyd", 1)]);
    story
        .write("terminal.py", TERMINAL)
        .write("class.toml", config("pairs = 1"));
    run(&story, "class.toml", &[]).with_code(0);
    story.write("class.toml", config("pairs = 2"));
    story
}

#[test]
fn a_person_at_a_terminal_is_asked() {
    let story = run_with_a_changed_plan();
    let answer = |answer: &str| {
        let mut command = std::process::Command::new("python3");
        command.args(["terminal.py", answer, AWALE, "run", "class.toml"]);
        command.current_dir(story.path(""));
        Said::of(command.output().expect("python3"))
    };
    for (word, code, says) in [
        ("n", 2, "nothing was played; to keep this folder"),
        ("", 2, "nothing was played; to keep this folder"),
        ("Ctrl-C", 130, "interrupted: nothing was played"),
    ] {
        answer(word)
            .with_code(code)
            .out_has("2 games count already, 2 are to be played")
            .out_has(says);
        assert_eq!(lines(&story, "game"), 2, "{word:?}");
    }
    answer("y").with_code(0);
    assert_eq!((lines(&story, "game"), lines(&story, "plan")), (4, 2));
}

/// The referee is not in the terminal's session, so the kernel would let it take what the person
/// types for the shell.
#[test]
fn a_run_in_the_background_asks_nobody() {
    let story = run_with_a_changed_plan();
    let job = format!("set -m; {AWALE} run class.toml & wait $!");
    let mut command = std::process::Command::new("python3");
    command.args(["terminal.py", "y", "/bin/sh", "-c", &job]);
    command.current_dir(story.path(""));
    Said::of(command.output().expect("python3"))
        .with_code(2)
        .out_has("2 games count already, 2 are to be played");
    assert_eq!(lines(&story, "game"), 2);
}
