//! `rate`, `trace` and `bot` through the real binary; `tests/transcripts` has more of them.

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
    let said = Story::new().ok("perft --depth 6").err_has("million leaves");
    assert_eq!(said.stdout, "27332\n");
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
