//! `perft`, `trace`, `rate` and `bot` through the real binary.

use super::story::{Said, Story};
use crate::support::awale_command::AWALE;
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::process::Command;

fn lines(text: &str) -> Vec<Value> {
    text.lines()
        .map(|line| serde_json::from_str(line).expect("JSON"))
        .collect()
}

#[test]
fn perft_ends_with_the_count_alone() {
    let story = Story::new();
    let said = story.ok("perft --depth 6").err_has("million leaves");
    assert_eq!(said.stdout, "27332\n");
    let divided = story.ok("perft --depth 6 --divide").stdout;
    assert_eq!(divided.lines().count(), 7);
    assert_eq!(divided.lines().last(), Some("27332"));
    let position = "0-0-1-0-0-0-0-0-0-19-0-2-13-13-N";
    let slam = "grand-slam=forbidden-unless-only";
    let arguments = format!("perft --depth 5 --rules abapa --position {position} --set {slam}");
    assert_eq!(story.ok(&arguments).stdout, "50\n");
    assert_eq!(story.ok("perft --depth 0").stdout, "1\n");
}

#[test]
fn perft_counts_in_json() {
    let story = Story::new();
    let said = story.ok("perft --depth 6 --json");
    let start = "4-4-4-4-4-4-4-4-4-4-4-4-0-0-S";
    let whole = json!({ "position": start, "depth": 6, "count": 27332 });
    assert_eq!(lines(&said.stdout), [whole]);
    let divided = story.run("perft --depth 1 --divide --json");
    let parts = json!({ "A": 1, "B": 1, "C": 1, "D": 1, "E": 1, "F": 1 });
    assert_eq!(lines(&divided.with_code(0).stdout)[0]["divide"], parts);
}

/// The `rules` of a `new-game` are those of the game that it announces.
#[test]
fn trace_takes_the_rules_of_a_new_game() {
    let story = Story::new();
    let own = json!({ "preset": "abapa", "capture": "chain", "grand-slam": "capture",
        "repetition": { "occurrences": 3, "remaining": "nobody" } });
    let same = json!({ "rules": "abapa", "moves": "A", "position": POSITION, "set": {
        "capture": "chain", "grand-slam": "capture",
        "repetition": { "occurrences": 3, "remaining": "nobody" } } });
    let input = [
        json!({ "rules": own, "moves": "A", "position": POSITION }),
        same,
        json!({ "rules": { "preset": 3 }, "moves": "" }),
        json!({ "rules": { "preset": "abapa", "slam": true }, "moves": "" }),
        json!({ "rules": 3, "moves": "" }),
    ];
    let input = input.map(|line| line.to_string()).join("\n");
    let said = story
        .run_with_input(&["trace"], input.as_bytes())
        .with_code(0);
    let answers = lines(&said.stdout);
    assert_eq!(answers[0], answers[1]);
    assert!(answers[0]["error"].is_null(), "{}", answers[0]);
    for (answer, error) in answers[2..].iter().zip([
        "the preset cannot be 3",
        "slam",
        "rules cannot be 3: they are a preset's name",
    ]) {
        let text = answer["error"].as_str().expect("an error");
        assert!(text.contains(error), "{text}");
    }
}

/// A position in which A may be sown.
const POSITION: &str = "4-4-4-4-4-4-4-4-4-4-4-4-0-0-S";

#[test]
fn mistakes_are_said_with_the_way_out() {
    let story = Story::new();
    for (arguments, said) in [
        (
            vec!["perft", "--depth", "2", "--rules", "oware"],
            "the presets are awale, abapa",
        ),
        (
            vec!["perft", "--depth", "2", "--set", "slam=x"],
            "the fields are capture, grand-slam",
        ),
        (
            vec!["perft", "--depth", "2", "--set", "must-feed"],
            "is not FIELD=VALUE",
        ),
        (
            vec!["perft", "--depth", "2", "--position", "4-4"],
            "15 parts in all, but here are 2",
        ),
        (vec!["perft", "--depth", "many"], "invalid value 'many'"),
        (vec!["perft", "--depth", "4294967295"], "0..=1000"),
        (vec!["perft"], "--depth"),
        (vec!["bot", "deep-blue"], "random, greedy, minimax"),
        (vec!["bot", "random", "--depth", "3"], "options of minimax"),
        (vec!["bot", "minimax", "--depth", "0"], "1..=100"),
        (
            vec!["bot", "minimax", "--time", "soon"],
            "a number with a unit",
        ),
        (vec!["rate", "nothing.csv"], "cannot read nothing.csv"),
        (vec!["run", "nothing.toml"], "nothing.toml"),
        (vec!["tournament"], "unrecognized subcommand"),
    ] {
        story.ends(2, &arguments).err_has(said);
    }
}

#[test]
fn trace_answers_every_line() {
    let story = Story::new();
    let input = concat!(
        "{\"moves\":\"C\"}\n",
        "{\"rules\":\"awale\",\"set\":{\"grand-slam\":\"capture\"},",
        "\"position\":\"0-0-0-0-0-1-1-0-0-0-0-0-20-20-S\",\"moves\":\"F\"}\n",
        "{\"moves\":\"CcC\"}\n",
        "{\"moves\":\"CcG\"}\n",
        "not JSON\n",
        "\n",
        "[\"awale\",{},null,\"C\"]\n",
        "{\"moves\":\"C\",\"extra\":1}\n",
        "{\"rules\":\"oware\",\"moves\":\"\"}\n",
        "{\"set\":{\"repetition\":{\"occurrences\":1}},\"moves\":\"\"}\n",
        "{\"rules\":\"junior\",\"position\":\"0-0-0-0-0-0-1-2-3-0-0-0-20-22-S\",\"moves\":\"a\"}\n",
        "{\"rules\":\"junior\",\"position\":\"0-0-0-0-0-0-1-2-3-0-0-0-20-22-S\",\"moves\":\"\"}",
    );
    let said = story
        .run_with_input(&["trace"], input.as_bytes())
        .with_code(0);
    let said = lines(&said.stdout);
    assert_eq!(said.len(), 12);
    assert_eq!(
        said[0],
        json!({
            "plies": [{
                "position": "4-4-4-4-4-4-4-4-4-4-4-4-0-0-S",
                "legal": "ABCDEF", "move": "C", "captured": 0,
            }],
            "position": "4-4-0-5-5-5-5-4-4-4-4-4-0-0-N",
            "legal": "abcdef",
            "ending": null,
        })
    );
    assert_eq!(said[1]["plies"][0]["captured"], 2);
    assert_eq!(
        said[1]["ending"],
        json!({"reason": "no-move", "stores": [22, 20], "result": "south"})
    );
    assert_eq!(said[2]["ply"], 2);
    assert_eq!(said[3]["ply"], 2);
    for reply in &said[4..10] {
        assert!(
            reply["error"].is_string() && reply.get("ply").is_none(),
            "{reply}"
        );
    }
    assert_eq!(said[10]["ply"], 0);
    assert!(
        said[10]["error"]
            .as_str()
            .expect("a text")
            .contains("after the end")
    );
    assert_eq!(
        said[11]["ending"],
        json!({"reason": "row-empty", "stores": [20, 22], "result": "north"})
    );
    assert_eq!(said[11]["legal"], "");
}

#[test]
fn trace_ends_games_by_repetition_and_default_rules_come_from_flags() {
    let story = Story::new();
    // Two seeds that chase each other round the board come back after 12 plies.
    let position = "1-0-0-0-0-0-1-0-0-0-0-0-22-24-S";
    let moves = "AaBbCcDdEeFf";
    let line = format!("{{\"position\":\"{position}\",\"moves\":\"{moves}\"}}\n");
    let arguments = [
        "trace",
        "--rules",
        "simple",
        "--set",
        "repetition.remaining=own-row",
    ];
    let said = story
        .run_with_input(&arguments, line.as_bytes())
        .with_code(0);
    let reply = &lines(&said.stdout)[0];
    assert!(
        reply["ending"].is_null() || reply["ending"]["reason"] == "repetition",
        "{reply}"
    );
    assert_eq!(reply["plies"].as_array().expect("plies").len(), 12);
}

/// A closed-form case: 3 wins of 4 without an advantage is a difference of 190.85 Elo.
#[test]
fn rate_fits_a_table() {
    let story = Story::new();
    let mut table = "extra,south,north,result\n".to_owned();
    for round in 0..20 {
        let (south, north) = if round % 2 == 0 {
            ("ada", "bob")
        } else {
            ("bob", "ada")
        };
        let ada_wins = round % 20 < 14 || round >= 19;
        let south_wins = (south == "ada") == ada_wins;
        let result = if south_wins { "1-0" } else { "0-1" };
        writeln!(table, "{round},{south},{north},{result}").expect("a text");
    }
    story.write("games.csv", &table);
    let said = story.ok("rate games.csv --json --no-advantage");
    let fit: Value = serde_json::from_str(&said.stdout).expect("JSON");
    let elo = |index: usize| fit["entrants"][index]["elo"].as_f64().expect("a number");
    assert_eq!(fit["entrants"][0]["name"], "ada");
    let expected = 400.0 * (15.0_f64 / 5.0).log10();
    assert!((elo(0) - elo(1) - expected).abs() < 1e-6, "{fit}");
    assert!((elo(0) + elo(1)).abs() < 1e-9);
    // The rows in another order, on standard input: the same numbers to the last digit.
    let mut rows: Vec<&str> = table.lines().skip(1).collect();
    rows.reverse();
    let reversed = format!("extra,south,north,result\n{}\n", rows.join("\n"));
    let again = story
        .run_with_input(
            &["rate", "-", "--json", "--no-advantage"],
            reversed.as_bytes(),
        )
        .with_code(0);
    assert_eq!(again.stdout, said.stdout);
    story.ok("rate games.csv").out_has("ada");
}

#[test]
fn rate_names_the_row_that_is_wrong() {
    let story = Story::new();
    for (table, said) in [
        ("south,north\na,b\n", "no column `result`"),
        (
            "south,north,result\na,b,1-0\na,b,2-0\n",
            "games.csv:3: column 3: \"2-0\" is not a result; accepted are 1-0",
        ),
        (
            "south,north,result\na,a,1-0\n",
            "games.csv:2: \"a\" plays itself",
        ),
        (
            "south,north,result\na,,1-0\n",
            "games.csv:2: a game needs the names",
        ),
        ("south,north,result\na,b\n", "games.csv"),
        (
            "south,north,result\n\"a,b,1-0\nc,d,0-1\n",
            "is a quotation mark in it not closed?",
        ),
    ] {
        story.write("games.csv", table);
        story.ends(2, "rate games.csv").err_has(said);
    }
    let endless = story.ends(2, "rate /dev/zero");
    endless.err_has("cannot read /dev/zero: it is not a file");
    story.write("games.csv", "south,north,result\n");
    let said = story.ok("rate games.csv --json");
    assert!(
        !said.stdout.contains("NaN") && !said.stdout.contains("null,null"),
        "{}",
        said.stdout
    );
}

/// A house bot spoken to by hand.
#[test]
fn a_house_bot_keeps_the_protocol() {
    let story = Story::new();
    let rules = json!({
        "preset": "awale", "capture": "chain", "grand-slam": "no-capture", "must-feed": true,
        "majority-ends": true, "row-empty-ends": false, "dead-position-ends": false,
        "repetition": {"occurrences": 2, "remaining": "nobody"}, "no-move-gift": 0,
    });
    let new_game = json!({
        "type": "new-game", "game": "1.1", "you": "south", "rules": rules, "clock": {"move_ms": 50},
        "seed": 7, "start": "4-4-4-4-4-4-4-4-4-4-4-4-0-0-S", "unknown": [],
    });
    let turn = json!({
        "type": "turn", "turn": 0, "board": [4,4,4,4,4,4,4,4,4,4,4,4], "stores": [0, 0],
        "legal": [0,1,2,3,4,5], "position": "4-4-4-4-4-4-4-4-4-4-4-4-0-0-S",
        "clock": {"move_ms": 50},
    });
    let over = json!({
        "type": "game-over", "result": "win", "reason": "majority", "stores": [25, 3], "moves": "C",
    });
    let hello = json!({"type": "hello", "protocol": 1, "game": "awale"});
    let session: Vec<Value> = vec![
        hello,
        new_game.clone(),
        turn.clone(),
        over,
        json!({"type": "from the future"}),
        new_game,
        turn,
        json!({"type": "quit"}),
    ];
    let input = session.iter().fold(String::new(), |input, message| {
        format!("{input}{message}\n")
    });
    for bot in [
        vec!["bot", "random"],
        vec!["bot", "greedy", "--seed", "3"],
        vec!["bot", "minimax"],
        vec!["bot", "minimax", "--depth", "4", "--table-mib", "1"],
        vec!["bot", "minimax", "--time", "5ms"],
    ] {
        let said = story.run_with_input(&bot, input.as_bytes()).with_code(0);
        let answers = lines(&said.stdout);
        let kinds: Vec<&str> = answers
            .iter()
            .map(|answer| answer["type"].as_str().expect("a type"))
            .collect();
        assert_eq!(
            kinds,
            ["ready", "ready", "move", "ready", "move"],
            "{bot:?}"
        );
        assert_eq!(answers[0]["name"], bot[1]);
        if bot.get(2) != Some(&"--time") && bot != ["bot", "minimax"] {
            assert_eq!(
                answers[2], answers[4],
                "new-game clears everything: {bot:?}"
            );
        }
    }
}

/// The formula promises too much of few pairs between two entrants.
#[test]
fn pairs_needed_says_where_they_are_too_few_for_its_formula() {
    let story = Story::new();
    let few = "Two entrants with fewer than 15 pairs show it less often than this";
    for (arguments, is_said) in [
        (&["--detect", "150"][..], true),
        (&["--detect", "20"], false),
        (&["--entrants", "4", "--detect", "250"], false),
        (&["--champions", "1", "--detect", "150"], true),
    ] {
        let arguments = [&["pairs-needed"], arguments].concat();
        let said = story.ok(&arguments);
        assert_eq!(
            said.stdout.contains(few),
            is_said,
            "{arguments:?}: {}",
            said.stdout
        );
    }
}

#[test]
fn pairs_needed_are_told_before_any_game() {
    let story = Story::new();
    let said = story
        .ok("pairs-needed --entrants 24 --detect 50")
        .out_has("A difference of 50 Elo between two of 24 entrants, all against all:");
    // Three shares of tournaments, and what is assumed.
    assert_eq!(said.stdout.lines().count(), 5, "{}", said.stdout);
    let answers = |arguments: &[&str]| -> Vec<(f64, u64, u64)> {
        let arguments = [&["pairs-needed", "--json"], arguments].concat();
        let said = story.ok(&arguments);
        let object: Value = serde_json::from_str(&said.stdout).expect("JSON");
        let answers = object["answers"].as_array().expect("a list");
        let number = |answer: &Value, key: &str| answer[key].as_u64().expect("a number");
        answers
            .iter()
            .map(|it| {
                let power = it["power"].as_f64().expect("a share");
                (power, number(it, "pairs"), number(it, "games"))
            })
            .collect()
    };
    let two = answers(&["--detect", "40", "--power", "0.9"]);
    let powers: Vec<f64> = two.iter().map(|it| it.0).collect();
    assert_eq!(powers, [0.5, 0.8, 0.9, 0.95]);
    assert!(two.windows(2).all(|it| it[0].1 < it[1].1), "{two:?}");
    // Of a champion's nine challengers each meets one: games are pairs times two times nine.
    let gauntlet = answers(&["--entrants", "10", "--champions", "1", "--detect", "40"]);
    // First a champion and a challenger: what the other challengers play tells little of them.
    let (first, gauntlet) = gauntlet.split_at(3);
    for ((_, pairs, _), (_, of_two, _)) in first.iter().zip([two[0], two[1], two[3]]) {
        assert!(
            pairs <= &of_two && *pairs > of_two * 9 / 10,
            "{first:?} {two:?}"
        );
    }
    for ((_, pairs, games), (_, of_two, _)) in gauntlet.iter().zip([two[0], two[1], two[3]]) {
        assert_eq!(*games, pairs * 18);
        // Both are measured against somebody who is measured too.
        assert!(*pairs > of_two * 19 / 10, "{gauntlet:?} {two:?}");
    }
    for (arguments, words) in [
        (&["--detect", "0"][..], "a difference is 0.1 to 2000 Elo"),
        (&["--detect", "ten"], "is not a number"),
        (&["--detect", "5", "--entrants", "1"], "1 is not in"),
        (
            &["--detect", "5", "--entrants", "3", "--champions", "3"],
            "at most 2 can be champions",
        ),
        (
            &["--detect", "5", "--draws", "1"],
            "--draws must be between 0 and 0.99, not 1",
        ),
        (&["--detect", "5", "--power", "1"], "as in 0.9"),
        (&[], "--detect"),
    ] {
        let arguments = [&["pairs-needed"], arguments].concat();
        story.ends(2, &arguments).err_has(words);
    }
}

/// A line may be endless: what is kept of it is bounded, and the next one is answered.
#[test]
fn a_line_without_end_takes_little_memory() {
    let story = Story::new();
    story.write("endless", "");
    story.lengthen("endless");
    for (command, answer) in [
        ("trace", "{\"moves\":\"\"}"),
        (
            "bot random",
            "{\"type\":\"hello\",\"protocol\":1,\"game\":\"awale\"}",
        ),
    ] {
        let script = format!(
            "ulimit -v 2000000; \
             (head -c 3000000000 endless; echo; echo '{answer}') | '{AWALE}' {command}"
        );
        let mut shell = Command::new("sh");
        shell.args(["-c", &script]).current_dir(story.path(""));
        let said = Said::of(shell.output().expect("a shell")).with_code(0);
        let last = said.stdout.lines().last().expect("an answer");
        assert!(!last.contains("error"), "{command}: {last}");
    }
}
