//! `grades.csv`, and `feedback/NAME/`: what each student of a class may have.

use super::class::{class, hand_in, run};
use super::story::{FIRST_LEGAL, Story};
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};

const POINTS: &str = "points = [{ check = 20 }, { faults = 0, points = 10 }, \
                      { beats = \"random\", share = 0.01, points = 30 }, \
                      { beats = \"minimax-2\", share = 1, points = 40.5 }]\n";

/// A bot that plays, and ends at its third turn against `minimax-2` with words of its own.
fn ends_in_mid_game(words: &str) -> String {
    let turn = "*'\"type\":\"turn\",\"turn\":4,'* | *'\"type\":\"turn\",\"turn\":5,'*)";
    let first = "*'\"type\":\"turn\"'*)";
    let begin = "*'\"opponent\":\"minimax-2\"'*) ends=yes; echo '{\"type\":\"ready\"}' ;;\n        \
                 *'\"opponent\"'*) ends=no; echo '{\"type\":\"ready\"}' ;;\n        ";
    let script = FIRST_LEGAL.replacen(first, &format!("{begin}{first}"), 1);
    let body = "legal=${line#";
    let end = format!(
        "case $ends$line in yes{turn} echo '{words}' >&2; exit 3 ;; esac\n            {body}",
        turn = turn.replace(" | *", " | yes*")
    );
    script.replacen(body, &end, 1)
}

/// No class.
const NO_CLASS: &str = "[tournament]\npairs = 1\n[isolation]\nlevel = \"none\"\n[[entrant]]\n\
                           name = \"a\"\ncommand = [\"awale\", \"bot\", \"random\"]\n[[entrant]]\n\
                           name = \"b\"\ncommand = [\"awale\", \"bot\", \"greedy\"]\n";

/// A class of four: ada and dan play, ben ends in mid-game, cy cannot be started.
pub fn graded_class() -> Story {
    let story = class();
    let config = story.read("class.toml");
    let house = "house = [\"random\", \"minimax-2\"]\n";
    let config = config.replacen(
        "house = [\"greedy\", \"minimax-2\"]\n",
        &(house.to_owned() + POINTS),
        1,
    );
    story.write("class.toml", config);
    hand_in(&story, "ada/bot.sh", FIRST_LEGAL);
    hand_in(&story, "ben/bot.sh", &ends_in_mid_game("words of ben"));
    hand_in(&story, "cyrus/Bot.sh", FIRST_LEGAL);
    let code = format!("# the code of dan\n{FIRST_LEGAL}");
    hand_in(&story, "dan/bot.sh", &code);
    story
}

/// All files below a folder.
pub fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).expect("a folder");
    let paths = entries.map(|it| it.unwrap().path());
    paths
        .flat_map(|path| {
            if path.is_dir() {
                files(&path)
            } else {
                vec![path]
            }
        })
        .collect()
}

/// The content of a page of feedback.
pub fn content_of(page: &str) -> Value {
    let begin = "<script type=\"application/json\" id=\"summary\">";
    let (_, rest) = page.split_once(begin).expect("the content");
    let (json, _) = rest.split_once("</script>").expect("its end");
    serde_json::from_str(json).expect("JSON")
}

#[test]
fn grades_follow_from_the_games() {
    let story = graded_class();
    run(&story, &[]).with_code(0);
    let grades = story.rows("results/class/grades.csv");
    let names: Vec<&str> = grades.iter().map(|row| row["entrant"].as_str()).collect();
    assert_eq!(names, ["ada", "ben", "cyrus", "dan"]);
    let standings = story.rows("results/class/standings.csv");
    let crosstable = story.rows("results/class/crosstable.csv");
    for row in &grades {
        let name = &row["entrant"];
        let standing = standings.iter().find(|it| it["entrant"] == *name).unwrap();
        for column in [
            "games",
            "planned_games",
            "rank",
            "rank_low",
            "rank_high",
            "reason",
        ] {
            assert_eq!(row[column], standing[column], "{name}.{column}");
        }
        let score = |other: &str| {
            let mut rows = crosstable.iter();
            let met = rows.find(|it| it["entrant"] == *name && it["opponent"] == other);
            met.map_or(String::new(), |it| it["score"].clone())
        };
        for (column, other) in [("random", "random"), ("minimax_2", "minimax-2")] {
            assert_eq!(row[&format!("score_{column}")], score(other), "{name}");
        }
        let share = |other: &str| score(other).parse::<f64>().unwrap_or(-1.0);
        let points = f64::from(u8::from(*name != "cyrus") * 20)
            + f64::from(u8::from(["ada", "dan"].contains(&name.as_str())) * 10)
            + if share("random") >= 0.01 { 30.0 } else { 0.0 }
            + if share("minimax-2") >= 1.0 { 40.5 } else { 0.0 };
        assert_eq!(row["points"], points.to_string(), "{row:?}");
        assert_eq!(row["most_points"], "100.5");
    }
    let [ada, ben, cyrus, dan] = &grades[..] else {
        panic!("{grades:?}")
    };
    // The programs of ada and dan are equal but for a comment.
    for column in ["score_random", "score_minimax_2", "points", "undecided"] {
        assert_eq!(ada[column], dan[column], "{column}");
    }
    assert_eq!(
        (ben["admitted"].as_str(), cyrus["admitted"].as_str()),
        ("yes", "no")
    );
    // Two games against minimax-2, of which each pairing has two.
    assert_eq!((ben["faults"].as_str(), ben["games"].as_str()), ("2", "8"));
    assert!(
        ben["points_for"].starts_with("admitted: 20 of 20; at most 0 faults: 0 of 10; score"),
        "{ben:?}"
    );
    assert!(cyrus["reason"].contains("is it bot.sh?"), "{cyrus:?}");
    story.ok("verify results/class");
    story.write("results/class/grades.csv", "entrant\n");
    let said = story.ends(1, "verify results/class");
    assert!(said.stdout.contains("grades.csv"), "{}", said.stdout);
}

#[test]
fn feedback_has_nothing_of_other_students_but_the_table() {
    let story = graded_class();
    story.ok("endgame build --seeds 12");
    run(&story, &[]).with_code(0);
    let students = ["ada", "ben", "cyrus", "dan"];
    for own in students {
        let others = students.into_iter().filter(|it| *it != own);
        let others: Vec<&str> = others.collect();
        for file in files(&story.path(&format!("results/class/feedback/{own}"))) {
            let mut text = String::from_utf8(fs::read(&file).unwrap()).unwrap();
            if file.ends_with("feedback.txt") {
                let (before, table) = text.split_once("\nThe table\n").expect("a table");
                let costly = before.contains("The most expensive moves");
                assert_eq!(costly, own != "cyrus", "whoever has played: {before}");
                assert!(others.iter().all(|name| table.contains(name)), "{table}");
                text = before.to_owned();
            }
            if file.ends_with("feedback.html") {
                let mut content = content_of(&text);
                let sections = content["sections"].as_array_mut().expect("sections");
                let table = sections.pop().expect("the table comes last");
                assert_eq!(table["heading"], "The table");
                text = content.to_string();
            }
            // The path of the test's own folder may contain anything.
            let home = story.path("").display().to_string();
            text = (text + " " + &file.display().to_string()).replace(&home, "");
            let words = text.split(|c: char| !c.is_ascii_alphanumeric());
            let named: Vec<&str> = words.filter(|word| others.contains(word)).collect();
            assert!(named.is_empty(), "{named:?} in {}:\n{text}", file.display());
            for (name, phrase) in [("ben", "words of"), ("dan", "the code of")] {
                assert!(own == name || !text.contains(phrase), "{phrase:?}:\n{text}");
            }
        }
    }
}

#[test]
fn a_week_is_kept_and_the_next_one_tells_what_has_changed() {
    let story = graded_class();
    let label = |label| ["--update", "--label", label];
    run(&story, &label("week-1"))
        .with_code(0)
        .err_has("kept in results/class/weeks/week-1");
    let weeks = "results/class/weeks";
    let first = story.read(&format!("{weeks}/week-1/grades.csv"));
    assert_eq!(first, story.read("results/class/grades.csv"));
    let refused = run(&story, &label("week-1")).with_code(2);
    refused.err_has("weeks/week-1 is kept already; give this week another --label");
    run(&story, &label("../x"))
        .with_code(2)
        .err_has("a label has at most 40");
    hand_in(&story, "ben/bot.sh", FIRST_LEGAL);
    hand_in(&story, "cyrus/bot.sh", FIRST_LEGAL);
    run(&story, &label("week-2")).with_code(0);
    assert_eq!(story.read(&format!("{weeks}/week-1/grades.csv")), first);
    let points = |week: &str| {
        let rows = story
            .rows(&format!("{weeks}/{week}/grades.csv"))
            .into_iter();
        let points = rows.map(|row| (row["entrant"].clone(), row["points"].clone()));
        points.collect::<std::collections::BTreeMap<_, _>>()
    };
    let (before, now) = (points("week-1"), points("week-2"));
    for name in ["ben", "cyrus"] {
        assert_ne!(before[name], now[name], "{name}");
        let text = story.read(&format!("{weeks}/week-2/feedback/{name}/feedback.txt"));
        let change = format!("{} → {} points", before[name], now[name]);
        let line = text.lines().find(|it| it.starts_with("since week-1: "));
        assert!(
            line.is_some_and(|it| it.ends_with(&change)),
            "{change}:\n{text}"
        );
    }
    let kept = story.read(&format!("{weeks}/week-1/report.html"));
    assert!(kept.starts_with("<!doctype html>"), "{}", &kept[..40]);
    story.write("other.toml", NO_CLASS);
    let other = story.ends(2, "run other.toml --label week-1");
    other.err_has("--label keeps the grades and the feedback of a class");
}

#[test]
fn feedback_names_faults_and_shows_them_again() {
    let story = graded_class();
    run(&story, &[]).with_code(0);
    let ben = "results/class/feedback/ben";
    let text = story.read(&format!("{ben}/feedback.txt"));
    for part in [
        "ben in class\n============\n\nAdmitted",
        "\nFaults\n------\ncrash: exited with code 3; standard error ends with \"words of ben\"\n",
        "  2 games lost, first in ",
        "\nPoints\n------\nadmitted: 20 of 20\n",
        "\nThe table\n",
    ] {
        assert!(text.contains(part), "no {part:?} in:\n{text}");
    }
    // The command of the text shows the fault again, in the folder of the bot.
    let again = text
        .lines()
        .find_map(|line| line.trim().strip_prefix("to see it again: awale "));
    let again = again.expect("a command").replace("\"$FEEDBACK\"", ben);
    let again = again.replace("sh bot.sh", "sh submissions/ben/bot.sh");
    let words: Vec<&str> = again.split(' ').collect();
    story.ok(&words);
    // Another program does something else.
    let words = again.replace("submissions/ben", "submissions/ada");
    let words: Vec<&str> = words.split(' ').collect();
    story.ends(1, &words);
    let cyrus = story.read("results/class/feedback/cyrus/feedback.txt");
    for part in [
        "Not admitted",
        "it has \"Bot.sh\": is it bot.sh?",
        "Give it the files",
    ] {
        assert!(cyrus.contains(part), "no {part:?} in:\n{cyrus}");
    }
    let ada = story.read("results/class/feedback/ada/feedback.txt");
    assert!(ada.contains("\nFaults\n------\nnone\n"), "{ada}");
    assert!(ada.contains("\nGames to look at\n"), "{ada}");
}

#[test]
fn the_page_and_the_text_say_the_same() {
    let story = graded_class();
    run(&story, &[]).with_code(0);
    for name in ["ada", "ben", "cyrus", "dan"] {
        let folder = format!("results/class/feedback/{name}");
        let text = story.read(&format!("{folder}/feedback.txt"));
        let content = content_of(&story.read(&format!("{folder}/feedback.html")));
        let sections = content["sections"].as_array().expect("sections").iter();
        let blocks = sections.flat_map(|it| it["blocks"].as_array().expect("blocks"));
        let mut boards = 0;
        for block in blocks {
            for key in ["text", "command", "missing"] {
                let lines = block[key].as_str().unwrap_or_default().lines();
                for line in lines {
                    assert!(text.contains(line.trim_end()), "no {line:?} in:\n{text}");
                }
            }
            boards += usize::from(block["kind"] == "board");
        }
        // The page also shows the first game that ben lost by a fault.
        let shown = text.matches("  on a board: awale replay ").count();
        assert_eq!(boards, shown + usize::from(name == "ben"), "{text}");
        assert_eq!(shown > 0, name != "cyrus", "{text}");
    }
    let ben = story.read("results/class/feedback/ben/feedback.txt");
    assert!(ben.contains("    | words of ben\n"), "{ben}");
    assert_eq!(ben.matches("\ncrash: ").count(), 1, "{ben}");
}

#[test]
fn a_game_is_replayed_from_the_feedback() {
    let story = graded_class();
    run(&story, &["--set", "rules.grand-slam=forbidden"]).with_code(0);
    let folder = "results/class/feedback/ben";
    let own = story.rows(&format!("{folder}/games.csv"));
    let all = story.rows("results/class/games.csv").into_iter();
    let all = all.filter(|it| it["south"] == "ben" || it["north"] == "ben");
    let all: Vec<_> = all.collect();
    assert_eq!(own.len(), all.len());
    for (shown, game) in own.iter().zip(&all) {
        // The last position is that of the run.
        let ply = format!("--ply {}", game["plies"]);
        let [one, other] = [(folder, &shown["id"]), ("results/class", &game["id"])]
            .map(|(folder, id)| story.ok(format!("replay {folder} {id} {ply}")).stdout);
        let position = |text: &str| text.rsplit("position ").next().unwrap().to_owned();
        assert_eq!(position(&one), position(&other), "{one}{other}");
        for part in [&shown["south"], &shown["north"], &shown["ending"]] {
            assert!(one.contains(part.as_str()), "no {part:?} in:\n{one}");
        }
    }
    let said = story.ends(2, format!("replay {folder} other~ben.1.1"));
    said.err_has("has no game \"other~ben.1.1\"; its games.csv has the ids");
    // A folder that was changed on its way.
    let id = own[0]["id"].clone();
    for (line, words) in [
        ("{}", "games.jsonl, line 1: missing field"),
        (
            r#"{"rules":"awale","set":{},"position":"4-4-4-4-4-4-4-4-4-4-4-4-0-0-S","moves":"a"}"#,
            "has an illegal move",
        ),
        (
            r#"{"rules":"awale","set":{},"position":"\u001b","moves":"A"}"#,
            "its position",
        ),
    ] {
        story.write(&format!("{folder}/games.jsonl"), format!("{line}\n"));
        let said = story.ends(2, format!("replay {folder} {id}"));
        assert!(!said.stderr.contains('\u{1b}'));
        said.err_has(words);
    }
}

#[test]
fn feedback_has_every_game_as_moves_that_can_be_traced() {
    let story = graded_class();
    run(&story, &["--set", "rules.grand-slam=forbidden"]).with_code(0);
    let games = story.rows("results/class/games.csv");
    let own = story.rows("results/class/feedback/ada/games.csv");
    let lines = story.read("results/class/feedback/ada/games.jsonl");
    let traced = story
        .run_with_input(&["trace"], lines.as_bytes())
        .with_code(0)
        .stdout;
    let theirs = games
        .iter()
        .filter(|it| it["south"] == "ada" || it["north"] == "ada");
    let theirs: Vec<_> = theirs.collect();
    assert_eq!(
        (own.len(), traced.lines().count()),
        (theirs.len(), theirs.len())
    );
    for ((game, shown), trace) in theirs.iter().zip(&own).zip(traced.lines()) {
        for column in ["result", "ending", "moves", "start", "store_south", "plies"] {
            assert_eq!(game[column], shown[column]);
        }
        let trace: Value = serde_json::from_str(trace).unwrap();
        let plies = trace["plies"]
            .as_array()
            .unwrap_or_else(|| panic!("{trace}"));
        assert_eq!(plies.len().to_string(), game["plies"]);
        if game["ending"] == "no-move" || game["ending"] == "majority" {
            assert_eq!(
                trace["ending"]["stores"][0].to_string(),
                game["store_south"]
            );
        }
    }
}

#[test]
fn feedback_is_made_again_and_leaves_what_the_teacher_wrote() {
    let story = graded_class();
    run(&story, &[]).with_code(0);
    story.write("results/class/feedback/ada/mark.txt", "a fine bot");
    story.ok("report results/class --output elsewhere");
    for file in [
        "ada/feedback.txt",
        "ada/feedback.html",
        "ben/feedback.txt",
        "ben/faults.csv",
        "dan/games.csv",
    ] {
        let [here, there] = ["results/class/feedback", "elsewhere/feedback"]
            .map(|folder| story.read(&format!("{folder}/{file}")));
        assert_eq!(here, there, "{file}");
    }
    // The second evening: ben's bot is repaired, so that it has no fault any more.
    hand_in(&story, "ben/bot.sh", FIRST_LEGAL);
    run(&story, &["--update"]).with_code(0);
    assert_eq!(
        story.read("results/class/feedback/ada/mark.txt"),
        "a fine bot"
    );
    let ben = story.read("results/class/feedback/ben/feedback.txt");
    assert!(ben.contains("\nFaults\n------\nnone\n"), "{ben}");
    assert!(!story.path("results/class/feedback/ben/faults").exists());
    story.ok("verify results/class");
}

#[test]
fn feedback_of_who_left_goes_and_leaves_what_the_teacher_wrote() {
    let story = graded_class();
    run(&story, &[]).with_code(0);
    let folder = |name: &str| story.path(&format!("results/class/feedback/{name}"));
    assert!(folder("ben/faults").is_dir());
    fs::create_dir(folder("notes")).unwrap();
    for mark in ["ben/mark.txt", "notes/faults.csv"] {
        fs::write(folder(mark), "a fine bot").unwrap();
    }
    for name in ["ben", "dan"] {
        fs::remove_dir_all(story.path(&format!("submissions/{name}"))).unwrap();
    }
    run(&story, &["--update"]).with_code(0);
    assert_eq!(files(&folder("ben")), [folder("ben/mark.txt")]);
    assert_eq!(files(&folder("notes")), [folder("notes/faults.csv")]);
    assert!(!folder("dan").exists());
    assert!(folder("ada/feedback.txt").exists() && folder("cyrus/feedback.txt").exists());
}

#[test]
fn students_of_whom_nobody_can_play_have_feedback_too() {
    let story = graded_class();
    let config = story
        .read("class.toml")
        .replacen("\"random\", \"minimax-2\"", "\"random\"", 1);
    let (before, rest) = config.split_once("points = ").unwrap();
    let rest = rest.split_once('\n').unwrap().1;
    story.write("class.toml", format!("{before}{rest}"));
    for name in ["ada", "ben", "dan"] {
        fs::remove_dir_all(story.path(&format!("submissions/{name}"))).unwrap();
    }
    run(&story, &[]).with_code(2).err_has("too few entrants");
    let cyrus = story.read("results/class/feedback/cyrus/feedback.txt");
    assert!(cyrus.contains("is it bot.sh?"), "{cyrus}");
}

#[test]
fn mistakes_in_points_are_named() {
    for (points, said) in [
        (
            "5",
            "`points` in [class] cannot be 5; it takes a list of { check = 20 }",
        ),
        ("[5]", "it takes a list of { check = 20 }"),
        (
            "[{ check = 20, faults = 1 }]",
            "an item of `points` in [class] has the keys `",
        ),
        (
            "[{ beats = \"random\", points = 3 }]",
            "an item of `points` in [class] has the keys `",
        ),
        (
            "[{ beats = \"radnom\", share = 0.5, points = 3 }]",
            "is not an entrant; did you mean \"random\"?",
        ),
        (
            "[{ beats = \"random\", share = 60, points = 3 }]",
            "`share` in `points` of [class] cannot be 60; it takes a number from 0 to 1",
        ),
        (
            "[{ chek = 20 }]",
            "unknown key `chek` in `points` of [class]; did you mean `check`?",
        ),
    ] {
        let story = graded_class();
        let config = story.read("class.toml");
        let line = POINTS.split_once('[').unwrap().1;
        let config = config.replacen(&format!("[{line}"), &format!("{points}\n"), 1);
        story.write("class.toml", config);
        run(&story, &[]).with_code(2).err_has(said);
    }
}
