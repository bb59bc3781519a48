//! A run shown on the terminal: `awale table` and `awale replay`, and the page of `awale report`.

use super::story::{SECRET, Story};
use std::fs;
use std::process::Command;

const CONFIG: &str = r#"
pairs = 2
[isolation]
level = "none"
[[entrant]]
name = "minimax"
command = ["awale", "bot", "minimax", "--depth", "2"]
[[entrant]]
name = "greedy"
command = ["awale", "bot", "greedy"]
[[entrant]]
name = "a|b"
command = ["awale", "bot", "random"]
"#;

fn played() -> Story {
    let story = Story::new();
    story.write("shown.toml", format!("[tournament]\n{SECRET}{CONFIG}"));
    story
        .ok("run shown.toml")
        .err_has("12 games in ")
        .err_has(" → results/shown/report.html");
    story
}

/// Goes on with [`played`].
fn play_a_third_round(story: &Story) {
    let longer = story.read("shown.toml").replace("pairs = 2", "pairs = 3");
    story.write("longer.toml", &longer);
    let run = "run longer.toml --output results/shown --update";
    story.ok(run);
}

/// A folder that was copied elsewhere is enough: neither configuration nor bots are needed.
#[test]
fn tables_are_shown_from_the_journal_alone() {
    let story = played();
    fs::create_dir(story.path("elsewhere")).unwrap();
    let journal = story.path("results/shown/games.jsonl");
    fs::copy(journal, story.path("elsewhere/games.jsonl")).unwrap();
    let text = story.ok("table elsewhere").stdout;
    for line in [
        "Points of the row against the column, in %",
        "Probability that the row is stronger than the column, in %",
    ] {
        assert!(text.contains(line), "{text}");
    }
    let csv = story.ok("table elsewhere --csv");
    assert_eq!(csv.stdout, story.read("results/shown/standings.csv"));
    let markdown = story.ok("table elsewhere --md");
    markdown.out_has("| a\\|b |");
    let files = fs::read_dir(story.path("elsewhere")).unwrap().count();
    assert_eq!(files, 1, "nothing is written");
    story.ends(2, "table nowhere").err_has("nowhere");
}

#[test]
fn a_game_is_shown_ply_by_ply() {
    let story = played();
    let row = story.rows("results/shown/games.csv").remove(0);
    let cell = |name: &str| row[name].clone();
    let (id, plies) = (cell("id"), cell("plies").parse::<usize>().unwrap());
    let said = story.ok(format!("replay results/shown {id}"));
    assert_eq!(said.stdout.matches(" S\n").count(), plies + 1);
    let start = format!("; position {}\n", cell("start"));
    assert!(said.stdout.contains(&start), "{}", said.stdout);
    let stores = [cell("store_south"), cell("store_north")].join("–");
    let end = format!("{}; final stores {stores}; position ", cell("ending"));
    assert!(said.stdout.contains(&end), "no {end:?} in {}", said.stdout);
    let last = plies.to_string();
    let one = story.run(format!("replay results/shown {id} --ply {last}"));
    let one = one.with_code(0).stdout;
    assert!(said.stdout.ends_with(&one), "{one}");
    for (game, more, message) in [
        (
            id.as_str(),
            ["--ply", "9999"].as_slice(),
            "cannot show ply 9999: the game has ",
        ),
        (
            "eve~zoe.1.1",
            &[],
            "has no game \"eve~zoe.1.1\"; its games.csv has the ids",
        ),
        ("\u{1b}[2J", &[], "has no game \"\\u{1b}[2J\""),
    ] {
        let arguments = [&["replay", "results/shown", game], more].concat();
        story.ends(2, &arguments).err_has(message);
    }
}

/// The games of a folder of `results/duel`, of which there is one for each two programs.
fn duels(story: &Story) -> Vec<usize> {
    let folders = fs::read_dir(story.path("results/duel")).unwrap();
    let mut games: Vec<usize> = folders
        .map(|folder| {
            let csv = folder.unwrap().path().join("games.csv");
            fs::read_to_string(csv).unwrap().lines().count() - 1
        })
        .collect();
    games.sort_unstable();
    games
}

#[test]
fn a_duel_needs_no_file_and_goes_on() {
    let story = Story::new();
    let duel = |bots: [&str; 2], pairs: &str| {
        let flags = ["--pairs", pairs, "--isolation", "none"];
        story.run(&[&["duel"][..], &bots, &flags].concat())
    };
    let bots = ["greedy", "minimax --depth 2"];
    duel(bots, "2")
        .with_code(0)
        .out_has("greedy against minimax-2: ")
        .err_has("4 games in ");
    // Two pairs are played already.
    duel(bots, "3").with_code(0).err_has("2 games in ");
    assert_eq!(duels(&story), [6]);
    duel(["greedy", "greedy"], "1")
        .with_code(0)
        .out_has("greedy.2");
    assert_eq!(duels(&story), [2, 6]);
    duel(["new=greedy", "old=random"], "1")
        .with_code(0)
        .out_has("new against old: ");
    // By other names, other games.
    duel(["greedy", "random"], "1")
        .with_code(0)
        .out_has("greedy against random: ");
    assert_eq!(duels(&story), [2, 2, 2, 6]);
    duel(["a=greedy", "a=random"], "1")
        .with_code(2)
        .err_has("both bots are named \"a\"; give each its own name");
    duel(["LEVEL=3 ./bot", "random"], "1")
        .with_code(2)
        .err_has("LEVEL= is the name of the bot that follows; a variable is set by env LEVEL=…");
    duel(["greedy", "./absent"], "1")
        .with_code(2)
        .err_has("error: the bot absent: there is no program ");
    duel(["greedy", "'"], "1")
        .with_code(2)
        .err_has("a quote is not closed");
    duel(["greedy", ""], "1")
        .with_code(2)
        .err_has("no bot is named");
}

/// A pipe in the evidence, which only its organiser can have made, holds up no page.
#[test]
fn a_page_opens_only_files_of_the_evidence() {
    let story = Story::new();
    story.write("bot.sh", "read -r line; echo broken >&2; exit 3");
    let stranger = "[[entrant]]\nname = \"broken\"\ncommand = [\"sh\", \"bot.sh\"]\n";
    let config = format!("[tournament]\n{SECRET}{CONFIG}{stranger}[admission]\nmode = \"off\"\n");
    story.write("shown.toml", config);
    let run = "run shown.toml --i-trust-these-bots";
    story.ok(run).err_has("broken lost ");
    let faults = fs::read_dir(story.path("results/shown/faults")).unwrap();
    for folder in faults {
        let error = folder.unwrap().path().join("stderr.txt");
        fs::remove_file(&error).unwrap();
        let made = Command::new("mkfifo")
            .arg(&error)
            .status()
            .expect("coreutils");
        assert!(made.success());
    }
    story.ok("report results/shown");
}

#[test]
fn the_page_of_an_entrant_is_made_for_those_who_play() {
    let story = played();
    let run = ["report", "results/shown", "--entrant"];
    let said = story.run(&[&run[..], &["a|b", "--entrant", "greedy"]].concat());
    said.with_code(0)
        .err_has("the page of greedy is results/shown/report-greedy.html");
    let own = story.read("results/shown/report-greedy.html");
    assert!(own.contains("\"own\":\"greedy\""));
    let refused = story.ends(2, &[&run[..], &["gredy"]].concat());
    refused.err_has("there is no entrant \"gredy\"; did you mean \"greedy\"?");
    let page = story.read("results/shown/report.html");
    story.ok("report results/shown");
    assert_eq!(page, story.read("results/shown/report.html"), "made again");
}

#[test]
fn a_run_without_games_to_play_makes_its_page_again() {
    let story = played();
    let whole = story.read("results/shown/report.html");
    story.write("results/shown/report.html", &whole[..2000]);
    story.ok("run shown.toml");
    assert!(whole == story.read("results/shown/report.html"));

    play_a_third_round(&story);
    let page_of_more = story.read("results/shown/report.html");
    assert!(page_of_more.contains("18 games"));
}

/// Somebody asks for the page of a run that goes on.
#[test]
fn a_page_says_once_that_games_are_missing() {
    let story = played();
    let journal = story.read("results/shown/games.jsonl");
    let without_last = journal.trim_end().rsplit_once('\n').unwrap().0;
    story.write("results/shown/games.jsonl", format!("{without_last}\n"));
    let missing = "The run is not finished: this is after 11 of 12 games.";
    let report = story.ok("report results/shown");
    report.out_has(missing);
    let page = story.read("results/shown/report.html");
    assert_eq!(page.matches(missing).count(), 1, "{page}");
}

/// A run that was killed leaves the log of a game that its journal lacks.
#[test]
fn a_log_of_a_killed_attempt_goes_when_the_game_is_played() {
    let story = played();
    let logs = story.path("results/shown/logs");
    assert!(!logs.exists(), "house bots write nothing");
    fs::create_dir(&logs).unwrap();
    let names = [
        "minimax~greedy.3.1.south.txt",
        "minimax~greedy.9.1.south.txt",
    ];
    for name in names {
        fs::write(logs.join(name), "earlier words").unwrap();
    }
    play_a_third_round(&story);
    assert_eq!(names.map(|name| logs.join(name).exists()), [false, true]);
}

/// A page shows the evidence of faults, which is not in the journal.
#[test]
fn the_page_is_made_again_when_evidence_is_gone() {
    let story = Story::new();
    let bot = r#"command = ["sh", "-c", "echo its last words >&2; exit 3"]"#;
    let config = CONFIG.replace(r#"command = ["awale", "bot", "random"]"#, bot);
    story.write(
        "faulty.toml",
        format!("admission.mode = \"off\"\n[tournament]\n{SECRET}{config}"),
    );
    let run = "run faulty.toml --i-trust-these-bots";
    story.ok(run);
    let while_played = story.read("results/faulty/report.html");
    assert!(while_played.contains("its last words"));
    story.ok("report results/faulty");
    assert_eq!(while_played, story.read("results/faulty/report.html"));
    fs::remove_dir_all(story.path("results/faulty/faults")).unwrap();
    story.ok(run);
    assert_ne!(while_played, story.read("results/faulty/report.html"));
}

/// A bot that gives itself a name with a control character.
const KING: &str = include_str!("../bots/king.py");

/// What bots call themselves is shown, harmlessly, where it is another name.
#[test]
fn what_bots_call_themselves_is_shown() {
    let story = Story::new();
    story.write("king.py", KING);
    let entrants = "pairs = 2\n[clock]\nmove = \"20s\"\n[isolation]\nlevel = \"none\"\n\
                    [[entrant]]\nname = \"ada\"\ncommand = [\"python3\", \"king.py\"]\n\
                    [[entrant]]\nname = \"greedy-1\"\n\
                    command = [\"awale\", \"bot\", \"greedy\"]\n";
    story.write("named.toml", format!("[tournament]\n{SECRET}\n{entrants}"));
    story
        .ok("run named.toml --i-trust-these-bots")
        .out_has("calls itself")
        .out_has("Oware\\u{1b}[2JKing v1.2");
    story
        .ok("table results/named")
        .out_has("Oware\\u{1b}[2JKing v1.2");
    story.ok("verify results/named --strict");
    let page = story.read("results/named/report.html");
    assert!(page.contains(r#""calls_itself":"Oware\u001b[2JKing v1.2""#));
    story.ok("report results/named --entrant greedy-1");
    let own = story.read("results/named/report-greedy-1.html");
    assert!(!own.contains("JKing") && own.contains(r#""calls_itself":"greedy "#));
    // Where all programs call themselves as the configuration does, there is no such column.
    story.write(
        "house.toml",
        format!("[tournament]\n{SECRET}{CONFIG}").replace("a|b", "random"),
    );
    let said = story.ok("run house.toml");
    assert!(!said.stdout.contains("calls itself"), "{}", said.stdout);
}
