//! Which of an author's programs plays: one that is handed in last and is refused costs nothing.

use super::class::{class, hand_in, run};
use super::story::{FIRST_LEGAL, Story, lacks};
use std::collections::BTreeMap;
use std::fs;

/// A bot that ends at its first turn.
const CRASH: &str = r#"
while read -r line; do
    case $line in
        *'"type":"turn"'*) echo 'Trace: no such pit' >&2; exit 3 ;;
        *'"type":"hello"'* | *'"type":"new-game"'*) echo '{"type":"ready"}' ;;
    esac
done
"#;

/// A class of two authors, with the days on which they handed in.
fn course(story: &Story, day_of_ada: &str) {
    story.write(
        "roster.csv",
        format!("folder,name,submitted\nada,Ada L,{day_of_ada}T20:00\nben,Ben M,2026-11-20\n"),
    );
}

fn grades(story: &Story) -> BTreeMap<String, BTreeMap<String, String>> {
    let rows = story.rows("results/class/grades.csv").into_iter();
    rows.map(|row| (row["entrant"].clone(), row)).collect()
}

fn games(story: &Story) -> usize {
    let journal = story.read("results/class/games.jsonl");
    journal.matches("\"kind\":\"game\"").count()
}

#[test]
fn how_long_it_takes_is_told_once_everybody_is_examined() {
    let story = class();
    hand_in(&story, "ada/bot.sh", FIRST_LEGAL);
    let unknown = run(&story, &["--dry-run"]).with_code(0);
    lacks(&unknown.stdout, "about ");
    let estimate = " on 2 slots, as the games of the admission went\n";
    run(&story, &[]).with_code(0).err_has(estimate);
    run(&story, &["--dry-run"])
        .with_code(0)
        .out_has("6 games are played already, 0 left\n");
}

#[test]
fn a_bad_last_program_costs_nothing() {
    let story = class();
    course(&story, "2026-11-20");
    hand_in(&story, "ada/bot.sh", FIRST_LEGAL);
    hand_in(&story, "ben/bot.sh", FIRST_LEGAL);
    run(&story, &[]).with_code(0);
    let (before, played) = (grades(&story), games(&story));
    assert_eq!(before["ada"]["version"], "");

    course(&story, "2026-11-27");
    hand_in(&story, "ada/bot.sh", CRASH);
    let reason = "version of 2026-11-20; that of 2026-11-27 is not admitted: crash against itself";
    run(&story, &["--update"])
        .with_code(0)
        .err_has(&format!("\"ada\": {reason}"));
    let after = grades(&story);
    assert_eq!(after["ada"]["version"], reason);
    for column in [
        "admitted",
        "games",
        "faults",
        "rank",
        "score_greedy",
        "points",
        "reason",
    ] {
        assert_eq!(after["ada"][column], before["ada"][column], "{column}");
    }
    assert_eq!(after["ben"], before["ben"]);
    assert_eq!(games(&story), played, "nothing is played again");

    // Her last program is what she must repair.
    let text = story.read("results/class/feedback/ada/feedback.txt");
    for words in [
        reason,
        "crash",
        "evidence: faults/admission-ada",
        "awale check 'sh bot.sh'",
    ] {
        assert!(text.contains(words), "{words}: {text}");
    }
    let stderr = story.read("results/class/feedback/ada/faults/admission-ada/stderr.txt");
    assert!(stderr.contains("no such pit"), "{stderr}");
    story.ok("replay-to-bot results/class/feedback/ada/faults/admission-ada -- sh submissions/ada/bot.sh");
    let others = story.read("results/class/feedback/ben/feedback.txt");
    assert!(!others.contains("version of"), "{others}");

    // The next runs know it, and nothing is examined or played again.
    let journal = story.read("results/class/games.jsonl");
    for _ in 0..2 {
        run(&story, &[]).with_code(0).err_has(reason);
        assert_eq!(grades(&story), after);
        assert_eq!(story.read("results/class/games.jsonl"), journal);
    }
    let said = story.ok("verify results/class");
    assert!(!said.stdout.contains("other contents"), "{}", said.stdout);

    // A folder in which nothing can be started is no better.
    fs::rename(
        story.path("submissions/ada/bot.sh"),
        story.path("submissions/ada/Bot.sh"),
    )
    .expect("a file");
    run(&story, &["--update"]).with_code(0);
    assert_eq!(grades(&story)["ada"]["games"], before["ada"]["games"]);
    assert_eq!(
        grades(&story)["ada"]["version"],
        "version of 2026-11-20; that of 2026-11-27 is not admitted: start-failure"
    );

    // Only the last one counts if the organiser says so.
    run(&story, &["--update", "--set", "class.counts=latest"]).with_code(0);
    assert_eq!(grades(&story)["ada"]["admitted"], "no");
    assert_eq!(grades(&story)["ada"]["version"], "");

    // A repaired one plays.
    hand_in(&story, "ada/bot.sh", &format!("# repaired\n{FIRST_LEGAL}"));
    run(&story, &["--update"]).with_code(0);
    assert_eq!(grades(&story)["ada"]["admitted"], "yes");
    assert_eq!(grades(&story)["ada"]["version"], "");
    assert!(games(&story) > played);
    story.ok("verify results/class");
}

#[test]
fn a_required_admission_is_met_by_an_earlier_program() {
    let story = class();
    hand_in(&story, "ada/bot.sh", FIRST_LEGAL);
    let required = ["--set", "admission.mode=required"];
    run(&story, &required).with_code(0);
    hand_in(&story, "ada/bot.sh", CRASH);
    run(&story, &[&required[..], &["--update"]].concat()).with_code(0);
    let row = &grades(&story)["ada"];
    assert_eq!(
        (row["admitted"].as_str(), row["version"].as_str()),
        (
            "yes",
            "an earlier version; the last one is not admitted: crash against itself"
        )
    );
    // Without an earlier one that was admitted, nothing is played.
    let story = class();
    hand_in(&story, "ada/bot.sh", CRASH);
    run(&story, &required)
        .with_code(2)
        .err_has("nothing is played");
}

#[test]
fn the_best_program_plays_on_when_the_last_one_scores_less() {
    let story = class();
    let config = story.read("class.toml");
    let best = config.replace("house-pairs = 1", "house-pairs = 2\ncounts = \"best\"");
    story.write(
        "class.toml",
        best.replace("\"greedy\", \"minimax-2\"", "\"random\""),
    );
    // A house bot as a submission: its start is the organiser's.
    story.write(
        "class.toml",
        format!(
            "{}[[start]]\nname = \"strong\"\nfile = \"strong.sh\"\ncommand = [\"{awale}\", \"bot\", \
             \"minimax\", \"--depth\", \"3\"]\n[[start]]\nname = \"weak\"\nfile = \"weak.sh\"\n\
             command = [\"{awale}\", \"bot\", \"random\"]\n",
            story.read("class.toml"),
            awale = env!("CARGO_BIN_EXE_awale"),
        ),
    );
    hand_in(&story, "ada/strong.sh", "");
    hand_in(&story, "ben/strong.sh", "");
    run(&story, &[]).with_code(0);
    let strong = grades(&story);
    fs::rename(
        story.path("submissions/ada/strong.sh"),
        story.path("submissions/ada/weak.sh"),
    )
    .expect("a file");
    run(&story, &["--update"]).with_code(0);
    let row = &grades(&story)["ada"];
    assert_eq!(
        row["version"],
        "an earlier version; the last one scores less against the yardsticks"
    );
    assert_eq!(row["score_random"], strong["ada"]["score_random"]);
    assert_eq!(row["rank"], strong["ada"]["rank"]);
    let played = games(&story);
    run(&story, &[]).with_code(0);
    assert_eq!(games(&story), played);
    assert_eq!(&grades(&story)["ada"], row);
    story.ok("verify results/class");
}
